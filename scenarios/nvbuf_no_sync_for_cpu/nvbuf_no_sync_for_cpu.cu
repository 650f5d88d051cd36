// SPDX-License-Identifier: MIT
#include "../nvbuf/nvbuf.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvBufSurface *in = surface(NVBUF_COLOR_FORMAT_GRAY8), *out = surface(NVBUF_COLOR_FORMAT_GRAY8);
    NvBufSurfTransformParams copy = {};
    int bad = 0;

    OK(NvBufSurfaceMap(in, 0, 0, NVBUF_MAP_WRITE));
    for (int frame = 1; frame <= 2; frame++) {
        fill(in, 0, (uint8_t)(frame * 50));
        OK(NvBufSurfaceSyncForDevice(in, 0, 0));
        OK(NvBufSurfaceMap(out, 0, 0, NVBUF_MAP_READ));
        OK(NvBufSurfTransform(in, out, &copy));
        if (fixed) {
            OK(NvBufSurfaceSyncForCpu(out, 0, 0));
        }
        bad += wrong(out, 0, (uint8_t)(frame * 50));
        OK(NvBufSurfaceUnMap(out, 0, 0));
    }
    printf("%d of %d pixels are wrong\n", bad, 2 * W * H);
    OK(NvBufSurfaceDestroy(in));
    OK(NvBufSurfaceDestroy(out));
    return bad != 0;
}
