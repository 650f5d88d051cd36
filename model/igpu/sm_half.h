/* SPDX-License-Identifier: MIT */
/* f16 and bf16 as doubles and back, rounding once to nearest even. */
#ifndef MODEL_IGPU_SM_HALF_H
#define MODEL_IGPU_SM_HALF_H

#include "model/igpu/sm_math.h"
#include "ptx/decode.h"

static inline uint64_t sm_bits(double v)
{
    uint64_t b;

    memcpy(&b, &v, sizeof(b));
    return b;
}

static inline bool half_is_bf16(unsigned kind)
{
    return kind == PTX_HALF_BF16 || kind == PTX_HALF_BF16X2;
}

static inline bool half_is_pair(unsigned kind)
{
    return kind == PTX_HALF_F16X2 || kind == PTX_HALF_BF16X2;
}

static inline double half_get(uint16_t h, unsigned kind, bool ftz)
{
    unsigned frac = half_is_bf16(kind) ? 7 : 10, exp = 15 - frac, bias = (1u << (exp - 1)) - 1;
    unsigned e = h >> frac & ((1u << exp) - 1), f = h & ((1u << frac) - 1);
    double v;

    if (e == (1u << exp) - 1) {
        v = f ? (double)NAN : INFINITY;
    } else if (e == 0) {
        v = ftz ? 0.0 : sm_scale(f, 1 - (int)bias - (int)frac);
    } else {
        v = sm_scale(f | 1u << frac, (int)e - (int)bias - (int)frac);
    }
    return h & 0x8000 ? -v : v;
}

/* Round to nearest even: exponent, then the fraction as an integer of frac + 1 bits */
static inline uint16_t half_put(double v, unsigned kind)
{
    unsigned frac = half_is_bf16(kind) ? 7 : 10, exp = 15 - frac;
    int bias = (1 << (exp - 1)) - 1, e;
    uint16_t sign = (uint16_t)(sm_bits(v) >> 48 & 0x8000),
             max = (uint16_t)(((1u << exp) - 1) << frac);
    double a = fabs(v);
    uint64_t n;

    if (v != v) {
        return 0x7fff;
    }
    if (a == 0.0) {
        return sign;
    }
    e = (int)(sm_bits(a) >> 52) - 1023;
    e = e < 1 - bias ? 1 - bias : e;
    if (e > bias) {
        return sign | max;
    }
    n = (uint64_t)__builtin_rint(sm_scale(a, (int)frac - e)); /* at most 2^(frac + 1) */
    n += (uint64_t)(e + bias - 1) << frac;
    return n >= max ? sign | max : (uint16_t)(sign | n);
}

#endif
