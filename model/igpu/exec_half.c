/* SPDX-License-Identifier: MIT */
/* f16, bf16 and their pairs: PTX ISA 9.7.4; conversions to and from smaller numbers, tf32, and with
 * .satfinite: 9.7.9.21. A lane's value becomes a double, the operation is done
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
/* What a tensor copy leaves for elements out of bounds: a NaN of its own, the same bits in f16 and
 * bf16, either sign; as the addend it is a NaN like others (measured, H200). */
static bool half_is_oob(u16 h)
{
    return (h & 0x7fff) == 0x7ff7;
}

HALF_OP(FMA_HALF,
        (flags & PTX_FLOAT_OOB) && (half_is_oob(ah) || half_is_oob(bh)) ? 0.0 : fma_odd(a, b, c))
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

/* Conversions to and from numbers of 8 bits and less, to tf32, and with .satfinite. Every source is
 * exact as a double, and is rounded once. Results for e4m3, e5m2, tf32, f16 and bf16 are those of
 * an H200 (golden/ptx_rows), the smaller formats follow PTX ISA 5.2.3. */

/**
 * struct small - a format
 * @exp, @frac, @bias: bits of exponent and fraction; @shift: empty bits below the fraction
 * @max: the largest finite code without its sign; @over: what is beyond it without .satfinite
 * @nan: the code of a NaN, which has no sign
 */
struct small {
    u8 exp, frac, bias, shift;
    u32 max, over, nan;
};

static struct small small_of(unsigned type)
{
    switch (type) {
    case PTX_E4M3X2:
        return (struct small){ 4, 3, 7, 0, 0x7e, 0x7f, 0x7f };
    case PTX_E5M2X2:
        return (struct small){ 5, 2, 15, 0, 0x7b, 0x7c, 0x7f };
    case PTX_E2M3X2: /* no infinity and no NaN: what is too large, or a NaN, is the largest */
        return (struct small){ 2, 3, 1, 0, 0x1f, 0x1f, 0x1f };
    case PTX_E3M2X2:
        return (struct small){ 3, 2, 3, 0, 0x1f, 0x1f, 0x1f };
    case PTX_E2M1X2:
        return (struct small){ 2, 1, 1, 0, 7, 7, 7 };
    case PTX_TF32:
        return (struct small){ 8, 10, 127, 13, 0x3fbff, 0x3fc00, 0x3ffff };
    case PTX_BF16:
        return (struct small){ 8, 7, 127, 0, 0x7f7f, 0x7f80, 0x7fff };
    default:
        return (struct small){ 5, 10, 15, 0, 0x7bff, 0x7c00, 0x7fff };
    }
}

/* Bits of an element; two of a register */
static unsigned small_bits(unsigned type)
{
    return type == PTX_E2M1X2                    ? 4
           : type == PTX_TF32                    ? 32
           : type == PTX_F16 || type == PTX_BF16 ? 16
                                                 : 8;
}

static f64 round_to(f64 v, unsigned flags)
{
    if (flags & PTX_FLOAT_RNA) {
        return __builtin_floor(v + 0.5);
    }
    return (flags & PTX_FLOAT_ROUND) == PTX_FLOAT_RZ ? __builtin_trunc(v) : __builtin_rint(v);
}

static u32 small_put(f64 v, unsigned type, unsigned flags)
{
    const struct small s = small_of(type);
    const u32 sign = (sm_bits(v) >> 63 ? 1u : 0u) << (s.exp + s.frac);
    const bool fits = flags & PTX_FLOAT_SAT;
    const f64 a = fabs(v);
    u64 code;
    int e;

    if (v != v) {
        return s.nan << s.shift;
    }
    if ((flags & PTX_FLOAT_RELU) && sign) {
        return 0;
    }
    if (a == INFINITY) {
        return (sign | (fits ? s.max : s.over)) << s.shift;
    }
    if (a == 0.0) {
        return sign << s.shift;
    }
    e = (int)(sm_bits(a) >> 52) - 1023;
    e = e < 1 - s.bias ? 1 - s.bias : e;
    code = (u64)round_to(sm_scale(a, (int)s.frac - e), flags);
    code += (u64)(e + s.bias - 1) << s.frac;
    if (code > s.max) {
        code = fits || (flags & PTX_FLOAT_ROUND) == PTX_FLOAT_RZ ? s.max : s.over;
    }
    return (sign | (u32)code) << s.shift;
}

/* A power of two: the exponent of a bf16, rounded towards zero or up */
static u32 power_put(u32 bits, unsigned flags)
{
    const u32 magnitude = bits & 0x7fffffff, e = magnitude >> 23;

    if (magnitude > 0x7f800000) {
        return 0xff;
    }
    if (e == 0xff) {
        return flags & PTX_FLOAT_SAT ? 0xfe : 0xff;
    }
    /* 2^-127 is the smallest: half of the smallest normal number */
    if ((flags & PTX_FLOAT_ROUND) == PTX_FLOAT_RP &&
        (e ? magnitude & 0x7fffff : magnitude > 0x400000)) {
        return e + 1 == 0xff && (flags & PTX_FLOAT_SAT) ? 0xfe : e + 1;
    }
    return e;
}

static f64 source_number(u32 bits, unsigned type)
{
    f32 single;

    if (type == PTX_F32) {
        memcpy(&single, &bits, sizeof(single));
        return (f64)single;
    }
    return half_get((u16)bits, type == PTX_F16X2 ? PTX_HALF_F16 : PTX_HALF_BF16, false);
}

static u32 small_convert(u32 bits, const struct ptx_uop *u)
{
    if (u->size == PTX_UE8M0X2) {
        return power_put(u->vec == PTX_BF16X2 ? bits << 16 : bits, u->sub);
    }
    if (u->size == PTX_TF32 && (u->sub & PTX_FLOAT_RNA) && (bits & 0x7fffffff) > 0x7f800000) {
        /* a sum of integers, as an H200 has it: .satfinite takes a step from the NaN, too */
        return (bits & 0xffffe000) - (u->sub & PTX_FLOAT_SAT ? 0x2000 : 0);
    }
    return small_put(source_number(bits, u->vec), u->size, u->sub);
}

/* d = {a, b}, a the upper; or both halves of a; or, with @imm, a alone */
HANDLER(CVT_SMALL)
{
    const unsigned bits = small_bits(u->size);
    const bool halves = u->vec == PTX_F16X2 || u->vec == PTX_BF16X2;

    LANES_OF(m)
    {
        const u32 a = SLOT(u32, u->a)[l];
        const u32 upper = halves ? a >> 16 : a;
        const u32 lower = halves ? a & 0xffff : u->imm ? 0 : SLOT(u32, u->b)[l];
        u32 v = small_convert(upper, u);

        if (!u->imm) {
            v = v << bits | small_convert(lower, u);
        }
        SLOT(u32, u->d)[l] = v;
    }
    return u + 1;
}

static f64 small_get(u32 code, unsigned type)
{
    const struct small s = small_of(type);
    const u32 sign = 1u << (s.exp + s.frac), magnitude = code & (sign - 1);
    const u32 e = magnitude >> s.frac, f = magnitude & ((1u << s.frac) - 1);
    f64 v;

    if (magnitude > s.max) {
        v = magnitude == s.over && s.over != s.nan ? INFINITY : (f64)NAN;
    } else {
        v = sm_scale(e ? f | 1u << s.frac : f, (int)(e ? e : 1) - s.bias - s.frac);
    }
    return code & sign ? -v : v;
}

static u16 small_widen(u32 code, const struct ptx_uop *u)
{
    if (u->vec == PTX_UE8M0X2) { /* 2^-127 is a subnormal bf16 */
        return code == 0xff ? 0x7fff : code ? (u16)(code << 7) : 0x40;
    }
    if ((u->sub & PTX_FLOAT_RELU) && (code >> (small_bits(u->vec) - 1) & 1) &&
        !(small_get(code, u->vec) != small_get(code, u->vec))) {
        return 0;
    }
    return half_put(small_get(code, u->vec), PTX_HALF_F16);
}

/* Two small numbers to f16x2 or bf16x2 */
HANDLER(CVT_WIDEN)
{
    const unsigned bits = small_bits(u->vec);
    const unsigned used = u->vec == PTX_E2M3X2 || u->vec == PTX_E3M2X2 ? 6 : bits;

    LANES_OF(m)
    {
        const u32 a = SLOT(u32, u->a)[l], mask = (1u << used) - 1;

        SLOT(u32, u->d)[l] = (u32)small_widen(a >> bits & mask, u) << 16 | small_widen(a & mask, u);
    }
    return u + 1;
}
