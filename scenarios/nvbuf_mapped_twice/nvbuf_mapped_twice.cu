// SPDX-License-Identifier: MIT
#include "../nvbuf/nvbuf.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvBufSurface *s = surface(NVBUF_COLOR_FORMAT_GRAY8);

    OK(NvBufSurfaceMap(s, 0, 0, NVBUF_MAP_READ));
    if (fixed) {
        OK(NvBufSurfaceUnMap(s, 0, 0));
    }
    OK(NvBufSurfaceMap(s, 0, 0, NVBUF_MAP_READ_WRITE)); // <-- found here
    OK(NvBufSurfaceUnMap(s, 0, 0));
    OK(NvBufSurfaceDestroy(s));
    return 0;
}
