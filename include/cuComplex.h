/* SPDX-License-Identifier: MIT */
/* Complex numbers as pairs, our own declarations: the names of NVIDIA's header. */
#ifndef VTEGRA_CUCOMPLEX_H
#define VTEGRA_CUCOMPLEX_H

#include <math.h>

#include "vector_types.h"

#if defined(__CUDACC__) || defined(__CUDA__)
#define VTEGRA_COMPLEX static inline __attribute__((host, device, unused))
#else
#define VTEGRA_COMPLEX static inline __attribute__((unused))
#endif

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* One line a function, for both precisions: T of pairs, R of their parts. */
#define VTEGRA_COMPLEX_FUNCTIONS(T, R, make, real, imag, conj, add, sub, mul, div, abs, madd, hyp) \
    VTEGRA_COMPLEX T make(R r, R i)                                                                \
    {                                                                                              \
        T v;                                                                                       \
        v.x = r;                                                                                   \
        v.y = i;                                                                                   \
        return v;                                                                                  \
    }                                                                                              \
    VTEGRA_COMPLEX R real(T v)                                                                     \
    {                                                                                              \
        return v.x;                                                                                \
    }                                                                                              \
    VTEGRA_COMPLEX R imag(T v)                                                                     \
    {                                                                                              \
        return v.y;                                                                                \
    }                                                                                              \
    VTEGRA_COMPLEX T conj(T v)                                                                     \
    {                                                                                              \
        return make(v.x, -v.y);                                                                    \
    }                                                                                              \
    VTEGRA_COMPLEX T add(T a, T b)                                                                 \
    {                                                                                              \
        return make(a.x + b.x, a.y + b.y);                                                         \
    }                                                                                              \
    VTEGRA_COMPLEX T sub(T a, T b)                                                                 \
    {                                                                                              \
        return make(a.x - b.x, a.y - b.y);                                                         \
    }                                                                                              \
    VTEGRA_COMPLEX T mul(T a, T b)                                                                 \
    {                                                                                              \
        return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                 \
    }                                                                                              \
    VTEGRA_COMPLEX T div(T a, T b)                                                                 \
    {                                                                                              \
        R s = (b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y);                                     \
        R ax = a.x / s, ay = a.y / s, bx = b.x / s, by = b.y / s, d = bx * bx + by * by;           \
        return make((ax * bx + ay * by) / d, (ay * bx - ax * by) / d);                             \
    }                                                                                              \
    VTEGRA_COMPLEX R abs(T v)                                                                      \
    {                                                                                              \
        return hyp(v.x, v.y);                                                                      \
    }                                                                                              \
    VTEGRA_COMPLEX T madd(T a, T b, T c)                                                           \
    {                                                                                              \
        return make(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);                     \
    }

VTEGRA_COMPLEX_FUNCTIONS(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf,
                         cuCaddf, cuCsubf, cuCmulf, cuCdivf, cuCabsf, cuCfmaf, hypotf)
VTEGRA_COMPLEX_FUNCTIONS(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj,
                         cuCadd, cuCsub, cuCmul, cuCdiv, cuCabs, cuCfma, hypot)

VTEGRA_COMPLEX cuComplex make_cuComplex(float r, float i)
{
    return make_cuFloatComplex(r, i);
}

VTEGRA_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c)
{
    return make_cuDoubleComplex((double)c.x, (double)c.y);
}

VTEGRA_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_cuFloatComplex((float)c.x, (float)c.y);
}

#undef VTEGRA_COMPLEX_FUNCTIONS
#undef VTEGRA_COMPLEX
#endif
