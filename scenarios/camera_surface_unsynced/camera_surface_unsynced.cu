// SPDX-License-Identifier: MIT
#include "../v4l2/v4l2.h"
#include <nvbufsurface.h>

static int wrong(const uint8_t *frame, unsigned number)
{
    int n = 0;

    for (unsigned i = format.fmt.pix.width * 16; i < pixels(); i++) {
        n += frame[i * 2 + 1] != luma(i, number); // <-- found here
    }
    return n;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvBufSurfaceCreateParams params = {};
    NvBufSurface *s;
    v4l2_buffer b = buffer(V4L2_MEMORY_DMABUF, 0);
    int bad = 0;

    camera_open(V4L2_MEMORY_DMABUF, 1);
    params.width = format.fmt.pix.width;
    params.height = format.fmt.pix.height * 2; // a pitch of 256 bytes: more than the camera needs
    params.colorFormat = NVBUF_COLOR_FORMAT_GRAY8;
    params.memType = NVBUF_MEM_SURFACE_ARRAY;
    OK(NvBufSurfaceCreate(&s, 1, &params));
    OK(NvBufSurfaceMap(s, 0, 0, NVBUF_MAP_READ));
    b.m.fd = (int)s->surfaceList[0].bufferDesc;
    OK(ioctl(camera, VIDIOC_QBUF, &b));
    OK(ioctl(camera, VIDIOC_STREAMON, &capture));
    for (int i = 0; i < 2; i++) {
        OK(ioctl(camera, VIDIOC_DQBUF, &b));
        if (fixed) {
            OK(NvBufSurfaceSyncForCpu(s, 0, 0));
        }
        bad += wrong((const uint8_t *)s->surfaceList[0].mappedAddr.addr[0], b.sequence);
        OK(ioctl(camera, VIDIOC_QBUF, &b));
    }
    printf("%d pixels are wrong\n", bad);
    OK(ioctl(camera, VIDIOC_STREAMOFF, &capture));
    close(camera);
    OK(NvBufSurfaceDestroy(s));
    return bad != 0;
}
