// SPDX-License-Identifier: MIT
// What the scenarios of NvBufSurface share.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nvbufsurface.h>
#include <nvbufsurftransform.h>

#define OK(call)                          \
    do {                                  \
        if ((call) != 0) {                \
            printf("%s failed\n", #call); \
            exit(2);                      \
        }                                 \
    } while (0)

enum { W = 64, H = 32 };

static inline NvBufSurface *surface(NvBufSurfaceColorFormat format)
{
    NvBufSurfaceCreateParams p = {};
    NvBufSurface *s = nullptr;

    p.width = W;
    p.height = H;
    p.colorFormat = format;
    p.memType = NVBUF_MEM_SURFACE_ARRAY;
    OK(NvBufSurfaceCreate(&s, 1, &p));
    s->numFilled = 1;
    return s;
}

static inline uint8_t *plane(NvBufSurface *s, int i)
{
    return (uint8_t *)s->surfaceList[0].mappedAddr.addr[i];
}

// All bytes of the picture's plane, without the gaps of its pitch.
static inline void fill(NvBufSurface *s, int i, uint8_t value)
{
    const NvBufSurfacePlaneParams &p = s->surfaceList[0].planeParams;

    for (unsigned y = 0; y < p.height[i]; y++) {
        memset(plane(s, i) + y * p.pitch[i], value, p.width[i] * p.bytesPerPix[i]);
    }
}

static inline int wrong(NvBufSurface *s, int i, uint8_t value)
{
    const NvBufSurfacePlaneParams &p = s->surfaceList[0].planeParams;
    int n = 0;

    for (unsigned y = 0; y < p.height[i]; y++) {
        for (unsigned x = 0; x < p.width[i] * p.bytesPerPix[i]; x++) {
            n += plane(s, i)[y * p.pitch[i] + x] != value;
        }
    }
    return n;
}
