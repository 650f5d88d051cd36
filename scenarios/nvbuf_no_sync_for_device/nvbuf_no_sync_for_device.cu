// SPDX-License-Identifier: MIT
#include "../nvbuf/nvbuf.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvBufSurface *in = surface(NVBUF_COLOR_FORMAT_GRAY8), *out = surface(NVBUF_COLOR_FORMAT_GRAY8);
    NvBufSurfTransformParams copy = {};
    int bad;

    OK(NvBufSurfaceMap(in, 0, 0, NVBUF_MAP_WRITE));
    OK(NvBufSurfaceMap(out, 0, 0, NVBUF_MAP_READ));
    fill(in, 0, 50);
    if (fixed) {
        OK(NvBufSurfaceSyncForDevice(in, 0, 0));
    }
    OK(NvBufSurfTransform(in, out, &copy));
    OK(NvBufSurfaceSyncForCpu(out, 0, 0));
    bad = wrong(out, 0, 50);
    printf("%d of %d pixels are wrong\n", bad, W * H);
    OK(NvBufSurfaceDestroy(in));
    OK(NvBufSurfaceDestroy(out));
    return bad != 0;
}
