/* SPDX-License-Identifier: MIT */
/* Surfaces of NvBufSurface on a board, as a program makes them. */
#ifndef TESTS_NVBUF_RIG_H
#define TESTS_NVBUF_RIG_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "include/nvbufsurftransform.h"

#define OK(call) ck_assert_int_eq(call, 0)

static inline void board(const char *soc, const char *policy)
{
    setenv("VTEGRA_SOC", soc, 1);
    setenv("VTEGRA_POLICY", policy, 1);
    setenv("VTEGRA_REPORT", "nvbuf.report", 1);
}

static inline NvBufSurface *surfaces(unsigned n, NvBufSurfaceColorFormat format, unsigned width,
                                     unsigned height)
{
    NvBufSurfaceCreateParams p = {
        .width = width, .height = height, .colorFormat = format, .memType = NVBUF_MEM_SURFACE_ARRAY
    };
    NvBufSurface *s = NULL;

    OK(NvBufSurfaceCreate(&s, n, &p));
    s->numFilled = n;
    return s;
}

static inline NvBufSurface *surface(NvBufSurfaceColorFormat format, unsigned width, unsigned height)
{
    return surfaces(1, format, width, height);
}

/* A plane's bytes, row by row, without gaps. */
static inline void put(NvBufSurface *s, unsigned index, unsigned plane, const uint8_t *bytes)
{
    const NvBufSurfacePlaneParams *p = &s->surfaceList[index].planeParams;

    OK(Raw2NvBufSurface((uint8_t *)(uintptr_t)bytes, index, plane, p->width[plane],
                        p->height[plane], s));
}

static inline void are(NvBufSurface *s, unsigned index, unsigned plane, const uint8_t *want)
{
    const NvBufSurfacePlaneParams *p = &s->surfaceList[index].planeParams;
    size_t n = (size_t)p->width[plane] * p->height[plane] * p->bytesPerPix[plane];
    uint8_t *have = malloc(n);

    OK(NvBufSurface2Raw(s, index, plane, p->width[plane], p->height[plane], have));
    ck_assert_mem_eq(have, want, n);
    free(have);
}

#endif
