/* SPDX-License-Identifier: MIT */
/* Conversions: PTX ISA 9.7.9.21. Everything is done on integers, exactly: a value is a sign, a
 * 64-bit magnitude and an exponent, and rounding looks at the bits that fall off. */
#include "model/igpu/sm_lanes.h"

/* The fast forms: the host's conversions where they agree with PTX, which clamps and takes NaN as 0
 */

static inline s32 f32_to_s32(f32 a)
{
    f32 c = a >= 0x1p31f ? 0.0f : a <= -0x1p31f ? 0.0f : a;
    s32 v = (s32)(a != a ? 0.0f : c);

    return a >= 0x1p31f ? INT32_MAX : a <= -0x1p31f ? INT32_MIN : v;
}

static inline u32 f32_to_u32(f32 a)
{
    f32 c = a > 0.0f ? a : 0.0f; /* NaN too */
    f32 low = c >= 0x1p31f ? c - 0x1p31f : c;
    f32 in = low >= 0x1p31f ? 0.0f : low;
    u32 v = (u32)(s32)in + (c >= 0x1p31f ? 0x80000000u : 0);

    return c >= 0x1p32f ? UINT32_MAX : v;
}

OP1(CVT_RN_F32_S32, f32, s32, s32, (f32)a)
OP1(CVT_RN_F32_U32, f32, u32, u32, (f32)a)
OP1(CVT_RZI_S32_F32, s32, f32, f32, f32_to_s32(a))
OP1(CVT_RZI_U32_F32, u32, f32, f32, f32_to_u32(a))
OP1(CVT_F64_F32, f64, f32, f32, (f64)a)
OP1(CVT_RN_F32_F64, f32, f64, f64, (f32)a)
OP1(CVT_F64_S32, f64, s32, s32, (f64)a)
OP1(CVT_F64_U32, f64, u32, u32, (f64)a)

/* Formats: exponent and fraction bits */
struct format {
    u8 exp, frac;
};

static struct format format_of(unsigned type)
{
    switch (type) {
    case PTX_F16:
        return (struct format){ 5, 10 };
    case PTX_BF16:
        return (struct format){ 8, 7 };
    case PTX_F32:
        return (struct format){ 8, 23 };
    default:
        return (struct format){ 11, 52 };
    }
}

static bool is_float(unsigned type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

static bool is_signed(unsigned type)
{
    return type >= PTX_S8 && type <= PTX_S64;
}

/* (-1)^negative * magnitude * 2^exponent, or what has no value */
struct number {
    bool negative, nan, infinite;
    u64 payload; /* of a NaN: fraction bits, the highest at bit 63 */
    u64 magnitude;
    int exponent;
};

static struct number number_float(u64 bits, struct format f)
{
    u64 frac = bits & ((UINT64_C(1) << f.frac) - 1);
    int max = (1 << f.exp) - 1, e = (int)(bits >> f.frac) & max, bias = max / 2;
    struct number n = { .negative = bits >> (f.exp + f.frac) & 1 };

    if (e == max) {
        n.nan = frac != 0;
        n.infinite = frac == 0;
        n.payload = frac << (64 - f.frac);
    } else {
        n.magnitude = e ? frac | UINT64_C(1) << f.frac : frac;
        n.exponent = (e ? e : 1) - bias - f.frac;
    }
    return n;
}

static struct number number_int(u64 bits, unsigned type)
{
    unsigned width = 8 * ptx_type_size((enum ptx_type)type);
    struct number n = { 0 };

    bits = width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
    if (is_signed(type) && bits >> (width - 1) & 1) {
        n.negative = true;
        bits = (width == 64 ? 0 : UINT64_C(1) << width) - bits;
    }
    n.magnitude = bits;
    return n;
}

/* magnitude / 2^shift, rounded; shift > 0 */
static u64 round_shift(u64 magnitude, unsigned shift, unsigned mode, bool negative)
{
    u64 kept = shift > 63 ? 0 : magnitude >> shift;
    u64 half = shift > 64 ? 0 : UINT64_C(1) << (shift - 1);
    u64 lost = shift > 63 ? magnitude : magnitude & ((UINT64_C(1) << shift) - 1);
    bool up;

    switch (mode & PTX_FLOAT_ROUND) {
    case PTX_FLOAT_RN:
        up = half && (lost > half || (lost == half && (kept & 1)));
        break;
    case PTX_FLOAT_RZ:
        up = false;
        break;
    case PTX_FLOAT_RM:
        up = negative && lost;
        break;
    default:
        up = !negative && lost;
        break;
    }
    return kept + up;
}

static u64 float_infinity(struct format f)
{
    return ((UINT64_C(1) << f.exp) - 1) << f.frac;
}

/* Beyond the largest number: infinity or that number, as the rounding says */
static u64 float_overflow(struct format f, unsigned mode, bool negative)
{
    unsigned r = mode & PTX_FLOAT_ROUND;
    bool infinite =
        r == PTX_FLOAT_RN || (r == PTX_FLOAT_RM && negative) || (r == PTX_FLOAT_RP && !negative);

    return float_infinity(f) - !infinite;
}

static u64 float_pack(struct number n, struct format f, unsigned mode)
{
    int bias = (1 << (f.exp - 1)) - 1, top, e;
    u64 m = n.magnitude, v;

    if (n.infinite) {
        return float_infinity(f);
    }
    if (m == 0) {
        return 0;
    }
    top = 63 - __builtin_clzll(m);       /* m has top + 1 bits */
    e = n.exponent + top;                /* value = 1.x * 2^e */
    e = e < 1 - bias ? 1 - bias : e;     /* subnormals share the lowest exponent */
    int shift = e - f.frac - n.exponent; /* bits of m below the unit in the last place */

    if (e > bias) {
        return float_overflow(f, mode, n.negative);
    }
    v = shift > 0 ? round_shift(m, (unsigned)shift, mode, n.negative) : m << -shift;
    /* v has the leading one at bit frac, or less when subnormal; a carry moves into the exponent */
    v += (u64)(e + bias - 1) << f.frac;
    return v >= float_infinity(f) ? float_overflow(f, mode, n.negative) : v;
}

/* PTX's NaN of each format: all ones but the sign */
static u64 float_nan(struct format f)
{
    return (UINT64_C(1) << (f.exp + f.frac)) - 1;
}

static u64 to_float(struct number n, unsigned type, unsigned flags, bool wide)
{
    struct format f = format_of(type);
    u64 v, sign = UINT64_C(1) << (f.exp + f.frac), one = (u64)((1 << (f.exp - 1)) - 1) << f.frac;

    if (n.nan && (flags & PTX_FLOAT_SAT)) {
        return 0;
    }
    if (n.nan && wide) { /* from or to f64 the payload is kept, and made quiet (measured, H200) */
        v = float_infinity(f) | UINT64_C(1) << (f.frac - 1) | n.payload >> (64 - f.frac);
        return n.negative ? v | sign : v;
    }
    if (n.nan) {
        return float_nan(f);
    }
    if ((flags & PTX_FLOAT_RELU) && n.negative) {
        return 0;
    }
    v = float_pack(n, f, flags);
    if ((flags & PTX_FLOAT_FTZ) && type == PTX_F32 && v < UINT64_C(1) << f.frac) {
        v = 0;
    }
    if (flags & PTX_FLOAT_SAT) {
        return n.negative ? 0 : v > one ? one : v;
    }
    return n.negative ? v | sign : v;
}

static u64 to_int(struct number n, unsigned type, unsigned flags, unsigned from)
{
    unsigned width = 8 * ptx_type_size((enum ptx_type)type);
    u64 max = is_signed(type) ? (UINT64_C(1) << (width - 1)) - 1 : UINT64_MAX >> (64 - width);
    u64 min = is_signed(type) ? max + 1 : 0, limit = n.negative ? min : max, m;

    if (n.nan) { /* 9.7.9.21 says 0; to 64 bits, and from f64, an H200 gives the top bit */
        u64 top = UINT64_C(1) << (width - 1);

        return width < 64 && from != PTX_F64 ? 0 : is_signed(type) ? 0 - top : top;
    }
    if (n.infinite || (n.magnitude && n.exponent > 63)) {
        m = limit;
    } else if (n.exponent >= 0) {
        m = n.magnitude > (UINT64_MAX >> n.exponent) ? limit : n.magnitude << n.exponent;
    } else {
        m = round_shift(n.magnitude, (unsigned)-n.exponent, flags, n.negative);
    }
    m = m > limit ? limit : m;
    return n.negative ? 0 - m : m;
}

/* To an integral value in the same or another float type */
static struct number to_integral(struct number n, unsigned flags)
{
    if (!n.nan && !n.infinite && n.exponent < 0) {
        n.magnitude = round_shift(n.magnitude, (unsigned)-n.exponent, flags, n.negative);
        n.exponent = 0;
    }
    return n;
}

/* Integer to integer with .sat: clamped into the destination's range */
static u64 int_sat(struct number n, unsigned type)
{
    return to_int(n, type, PTX_FLOAT_RZ, type);
}

/* Not of a conversion to f16, which a GPU rounds as it is (measured). */
static u64 flush_input(u64 bits, unsigned to, unsigned from, unsigned flags)
{
    if (!(flags & PTX_FLOAT_FTZ) || from != PTX_F32 || to == PTX_F16) {
        return bits;
    }
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return 0x7fffffffu; /* the flush is an f32 instruction, with its NaN */
    }
    return bits & 0x7f800000u ? bits : bits & 0x80000000u;
}

/* One conversion. Integer results narrower than the slot come extended by their own sign. */
static u64 exec_convert(u64 bits, unsigned to, unsigned from, unsigned flags)
{
    struct number n;
    u64 v;

    if (!is_float(from)) {
        n = number_int(bits, from);
        return is_float(to) ? to_float(n, to, flags, false) : int_sat(n, to);
    }
    if (from == PTX_BF16 && to == PTX_F32 && !(flags & ~PTX_FLOAT_ROUND)) {
        return bits << 16; /* NaN included */
    }
    bits = flush_input(bits, to, from, flags);
    n = number_float(bits, format_of(from));
    if (!is_float(to)) {
        return to_int(n, to, flags, from);
    }
    if (flags & PTX_CVT_INT) {
        n = to_integral(n, flags);
    }
    v = to_float(n, to, flags, from == PTX_F64 || to == PTX_F64);
    return v;
}

#define CVT(name, dt, at)                                                                     \
    HANDLER(name)                                                                             \
    {                                                                                         \
        LANES_OF(m)                                                                           \
        {                                                                                     \
            SLOT(dt, u->d)[l] = (dt)exec_convert(SLOT(at, u->a)[l], u->size, u->vec, u->sub); \
        }                                                                                     \
        return u + 1;                                                                         \
    }

CVT(CVT_WW, u32, u32)
CVT(CVT_WL, u32, u64)
CVT(CVT_LW, u64, u32)
CVT(CVT_LL, u64, u64)

HANDLER(CVT_PACK2)
{
    LANES_OF(m)
    {
        u64 hi = exec_convert(SLOT(u32, u->a)[l], u->size, PTX_F32, u->sub);
        u64 lo = exec_convert(SLOT(u32, u->b)[l], u->size, PTX_F32, u->sub);

        SLOT(u32, u->d)[l] = (u32)(hi << 16 | lo);
    }
    return u + 1;
}
