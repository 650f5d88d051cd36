/* SPDX-License-Identifier: MIT */
/* f16, bf16 and their pairs: PTX ISA 9.7.4. A lane's value becomes a double, the operation is done
 * there, and the result is rounded once to nearest even. */
#include "model/igpu/sm_half.h"
#include "model/igpu/sm_lanes.h"

static u16 half_finish(f64 v, unsigned kind, unsigned flags)
{
    unsigned frac = half_is_bf16(kind) ? 7 : 10;
    u16 h;

    if ((flags & PTX_FLOAT_SAT) && v != v) {
        return 0;
    }
    if (flags & PTX_FLOAT_SAT) {
        v = v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0;
    }
    if ((flags & PTX_FLOAT_RELU) && v <= 0.0) { /* -0 too */
        v = 0.0;
    }
    h = half_put(v, kind);
    if ((flags & PTX_FLOAT_FTZ) && (h & 0x7fff) < 1u << frac) {
        h &= 0x8000;
    }
    return h;
}

/* a*b+c to odd: the sum of two doubles, its last bit set when something was lost, so that the one
 * rounding that follows is the right one. */
static f64 fma_odd(f64 a, f64 b, f64 c)
{
    f64 p = a * b, s = p + c, back, err; /* p is exact: 2 * 11 bits */
    u64 bits;

    if (!(fabs(s) < INFINITY)) {
        return s;
    }
    back = s - p;
    err = (p - (s - back)) + (c - back);
    bits = f64_bits(s);
    if (err != 0.0 && !(bits & 1)) {
        bits = (err > 0.0) == (s > 0.0) ? bits + 1 : bits - 1;
    }
    return f64_from(bits);
}

/* min, max: as for f32, 9.7.4.7 */
static f64 half_minmax(f64 a, f64 b, unsigned flags, bool max)
{
    bool negative = signbit(a) != signbit(b);
    f64 v;

    if (flags & PTX_FLOAT_XORSIGN) {
        a = fabs(a);
        b = fabs(b);
    }
    if (a != a || b != b) {
        if ((flags & PTX_FLOAT_NAN) || (a != a && b != b)) {
            return NAN;
        }
        v = a != a ? b : a;
    } else if (a == b) {
        v = signbit(a) == max ? b : a;
    } else {
        v = (a > b) == max ? a : b;
    }
    return flags & PTX_FLOAT_XORSIGN && negative ? -v : v;
}

#define HALF_OP(name, expr)                                                                   \
    static u16 name##_one(u16 ah, u16 bh, u16 ch, unsigned kind, unsigned flags)              \
    {                                                                                         \
        bool ftz = flags & PTX_FLOAT_FTZ;                                                     \
        __attribute__((unused)) f64 a = half_get(ah, kind, ftz), b = half_get(bh, kind, ftz), \
                                    c = half_get(ch, kind, ftz);                              \
        return half_finish((expr), kind, flags);                                              \
    }                                                                                         \
    HALF_HANDLER(name)

#define HALF_HANDLER(name)                                                                    \
    HANDLER(name)                                                                             \
    {                                                                                         \
        LANES_OF(m)                                                                           \
        {                                                                                     \
            u32 a = SLOT(u32, u->a)[l];                                                       \
            u32 b = u->reads & 4 ? SLOT(u32, u->b)[l] : 0,                                    \
                c = u->reads & 8 ? SLOT(u32, u->c)[l] : 0;                                    \
            u32 v = name##_one((u16)a, (u16)b, (u16)c, u->size, u->sub);                      \
            if (half_is_pair(u->size)) {                                                      \
                v |= (u32)name##_one((u16)(a >> 16), (u16)(b >> 16), (u16)(c >> 16), u->size, \
                                     u->sub)                                                  \
                     << 16;                                                                   \
            }                                                                                 \
            SLOT(u32, u->d)[l] = v;                                                           \
        }                                                                                     \
        return u + 1;                                                                         \
    }

HALF_OP(ADD_HALF, a + b)
HALF_OP(SUB_HALF, a - b)
HALF_OP(MUL_HALF, a *b)
HALF_OP(FMA_HALF, fma_odd(a, b, c))
HALF_OP(MIN_HALF, half_minmax(a, b, flags, false))
HALF_OP(MAX_HALF, half_minmax(a, b, flags, true))
HALF_OP(EX2_HALF, sm_exp2(a))
HALF_OP(TANH_HALF, sm_tanh(a))

/* neg and abs change a bit; of a NaN they give the canonical one, as the H200 does. */
static bool half_is_nan(u16 h, unsigned kind)
{
    return (h & 0x7fff) > (half_is_bf16(kind) ? 0x7f80 : 0x7c00);
}

#define HALF_BIT(name, expr)                                                  \
    static u16 name##_one(u16 a, u16 b, u16 c, unsigned kind, unsigned flags) \
    {                                                                         \
        unsigned frac = half_is_bf16(kind) ? 7 : 10;                          \
        (void)b;                                                              \
        (void)c;                                                              \
        if ((flags & PTX_FLOAT_FTZ) && (a & 0x7fff) < 1u << frac) {           \
            a &= 0x8000;                                                      \
        }                                                                     \
        return half_is_nan(a, kind) ? 0x7fff : (u16)(expr);                   \
    }                                                                         \
    HALF_HANDLER(name)

HALF_BIT(NEG_HALF, a ^ 0x8000)
HALF_BIT(ABS_HALF, a & 0x7fff)
