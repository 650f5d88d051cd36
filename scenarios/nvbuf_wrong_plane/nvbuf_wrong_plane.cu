// SPDX-License-Identifier: MIT
#include "../nvbuf/nvbuf.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvBufSurface *in = surface(NVBUF_COLOR_FORMAT_NV12), *out = surface(NVBUF_COLOR_FORMAT_NV12);
    NvBufSurfTransformParams copy = {};
    int bad = 0;

    OK(NvBufSurfaceMap(in, 0, -1, NVBUF_MAP_WRITE));
    OK(NvBufSurfaceMap(out, 0, -1, NVBUF_MAP_READ));
    fill(in, 0, 100);
    fill(in, 1, 140);
    OK(NvBufSurfaceSyncForDevice(in, 0, -1));
    OK(NvBufSurfTransform(in, out, &copy));
    OK(NvBufSurfaceSyncForCpu(out, 0, fixed ? -1 : 0));
    bad = wrong(out, 0, 100) + wrong(out, 1, 140);
    printf("%d bytes are wrong\n", bad);
    OK(NvBufSurfaceDestroy(in));
    OK(NvBufSurfaceDestroy(out));
    return bad != 0;
}
