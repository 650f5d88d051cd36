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
    for (int frame = 0; frame < 2; frame++) {
        uint8_t luma = (uint8_t)(100 + frame), chroma = (uint8_t)(140 + frame);

        fill(in, 0, luma);
        fill(in, 1, chroma);
        OK(NvBufSurfaceSyncForDevice(in, 0, -1));
        OK(NvBufSurfTransform(in, out, &copy));
        OK(NvBufSurfaceSyncForCpu(out, 0, fixed ? -1 : 0));
        bad += wrong(out, 0, luma) + wrong(out, 1, chroma);
    }
    printf("%d bytes are wrong\n", bad);
    OK(NvBufSurfaceDestroy(in));
    OK(NvBufSurfaceDestroy(out));
    return bad != 0;
}
