// SPDX-License-Identifier: MIT
#include "../nvbuf/nvbuf.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvBufSurface *in = surface(NVBUF_COLOR_FORMAT_GRAY8), *out = surface(NVBUF_COLOR_FORMAT_GRAY8);
    NvBufSurfTransformSyncObj_t done = nullptr;
    NvBufSurfTransformParams copy = {};
    int bad;

    OK(NvBufSurfaceMap(in, 0, 0, NVBUF_MAP_WRITE));
    OK(NvBufSurfaceMap(out, 0, 0, NVBUF_MAP_READ));
    fill(in, 0, 50);
    OK(NvBufSurfaceSyncForDevice(in, 0, 0));
    OK(NvBufSurfTransformAsync(in, out, &copy, &done));
    if (fixed) {
        OK(NvBufSurfTransformSyncObjWait(done, 1000));
    }
    OK(NvBufSurfaceSyncForCpu(out, 0, 0));
    bad = wrong(out, 0, 50);
    printf("%d of %d pixels are wrong\n", bad, W * H);
    OK(NvBufSurfTransformSyncObjWait(done, 1000));
    OK(NvBufSurfTransformSyncObjDestroy(&done));
    OK(NvBufSurfaceDestroy(in));
    OK(NvBufSurfaceDestroy(out));
    return bad != 0;
}
