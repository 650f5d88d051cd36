/* SPDX-License-Identifier: MIT */
/* A surface that is mapped anew for each frame, as NVIDIA's transform sample does: the lines of an
 * earlier mapping are there still. nvbuf_remapped [unsynced]: the CPU does not drop them */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nvbufsurftransform.h>

#define SIZE 64
#define CHECK(call)                                                   \
    do {                                                              \
        int r_ = (int)(call);                                         \
        if (r_) {                                                     \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                  \
        }                                                             \
    } while (0)

static NvBufSurface *surface_new(void)
{
    NvBufSurfaceCreateParams p;
    NvBufSurface *s;

    memset(&p, 0, sizeof(p));
    p.width = p.height = SIZE;
    p.colorFormat = NVBUF_COLOR_FORMAT_GRAY8;
    p.memType = NVBUF_MEM_SURFACE_ARRAY;
    CHECK(NvBufSurfaceCreate(&s, 1, &p));
    s->numFilled = 1;
    return s;
}

int main(int argc, char **argv)
{
    bool synced = argc < 2;
    NvBufSurface *from = surface_new(), *to = surface_new();
    NvBufSurfTransformParams params;
    unsigned wrong = 0;

    memset(&params, 0, sizeof(params));
    for (int n = 1; n <= 3; n++) {
        CHECK(NvBufSurfaceMap(from, 0, 0, NVBUF_MAP_WRITE));
        memset(from->surfaceList[0].mappedAddr.addr[0], n,
               (size_t)from->surfaceList[0].planeParams.pitch[0] * SIZE);
        CHECK(NvBufSurfaceSyncForDevice(from, 0, 0));
        CHECK(NvBufSurfaceUnMap(from, 0, 0));
        CHECK(NvBufSurfTransform(from, to, &params));
        CHECK(NvBufSurfaceMap(to, 0, 0, NVBUF_MAP_READ));
        if (synced) {
            CHECK(NvBufSurfaceSyncForCpu(to, 0, 0));
        }
        wrong += *(unsigned char *)to->surfaceList[0].mappedAddr.addr[0] != n;
        CHECK(NvBufSurfaceUnMap(to, 0, 0));
    }
    printf("%u of 3 frames wrong\n", wrong);
    return wrong != 0;
}
