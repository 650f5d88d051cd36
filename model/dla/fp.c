/* SPDX-License-Identifier: MIT */
#include "model/dla/fp.h"

#include <math.h>
#include <string.h>

/* Layout of a format: e exponent bits, m mantissa bits. */
struct fp_format {
    unsigned e, m;
};

static const struct fp_format fp16 = { 5, 10 };
static const struct fp_format fp17 = { 6, 10 };
static const struct fp_format fp32 = { 8, 23 };

static int fp_bias(const struct fp_format *f)
{
    return (1 << (f->e - 1)) - 1;
}

static uint32_t fp_sign_bit(const struct fp_format *f)
{
    return 1u << (f->e + f->m);
}

static uint32_t fp_exponent(const struct fp_format *f, uint32_t v)
{
    return v >> f->m & ((1u << f->e) - 1);
}

static uint32_t fp_mantissa(const struct fp_format *f, uint32_t v)
{
    return v & ((1u << f->m) - 1);
}

static bool fp_is_nan(const struct fp_format *f, uint32_t v)
{
    return fp_exponent(f, v) == (1u << f->e) - 1 && fp_mantissa(f, v);
}

static uint32_t fp_largest(const struct fp_format *f)
{
    return (((1u << f->e) - 1) << f->m) - 1;
}

static double fp_double(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static uint64_t fp_bits(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

/* 2^e as a double. */
static double fp_power(int e)
{
    return fp_double((uint64_t)(e + 1023) << 52);
}

/* Exact. An infinity counts as the next power of two, a denormal of fp17 or fp32 as zero. */
static inline double fp_value(const struct fp_format *f, uint32_t v)
{
    uint64_t e = fp_exponent(f, v), m = fp_mantissa(f, v);
    uint64_t sign = (uint64_t)(v >> (f->e + f->m) & 1) << 63;

    if (e == 0) {
        return fp_double(fp_bits(f->e == 5 ? (double)m * 0x1p-24 : 0) | sign);
    }
    return fp_double(sign | (e + 1023 - (uint64_t)fp_bias(f)) << 52 | m << (52 - f->m));
}

/* Round to nearest even. Denormal results: kept in fp16; zero otherwise, where @late decides
 * whether a number just below the smallest normal is rounded up to it at full precision
 * (arithmetic) or on the denormal grid (conversion). */
static inline uint32_t fp_round(const struct fp_format *f, double v, bool negative, bool late)
{
    uint32_t sign = negative ? fp_sign_bit(f) : 0;
    uint64_t u = fp_bits(v) & INT64_MAX;
    const unsigned drop = 52 - f->m;
    const int64_t least = (int64_t)(1023 + 1 - fp_bias(f)) << 52; /* the smallest normal */

    if ((int64_t)u < least && !late) {
        /* Steps of a denormal are the last bit of a double of 2^(52 - m) times the smallest normal.
         * The largest rounds up to it: the bits are those of a normal then. */
        double grid = fp_power(1 - fp_bias(f) + (int)drop);
        uint32_t m = (uint32_t)(fp_bits(fp_double(u) + grid) - fp_bits(grid));

        return f->e == 5 || m >> f->m ? sign | m : sign;
    }
    u += (UINT64_C(1) << (drop - 1)) - 1 + (u >> drop & 1);
    if ((int64_t)u < least) {
        return sign;
    }
    u = (u - (uint64_t)least) + (UINT64_C(1) << 52);
    u >>= drop;
    return sign | (u > fp_largest(f) ? fp_largest(f) : (uint32_t)u);
}

static inline uint32_t fp_change(const struct fp_format *from, const struct fp_format *to,
                                 uint32_t v)
{
    bool negative = v & fp_sign_bit(from);
    uint32_t sign = negative ? fp_sign_bit(to) : 0;

    if (fp_is_nan(from, v)) {
        uint32_t payload = fp_mantissa(from, v) & 0x3ff;
        return sign | ((1u << to->e) - 1) << to->m | (payload ? payload : 1);
    }
    if (fp_exponent(from, v) == (1u << from->e) - 1) {
        return sign | fp_largest(to);
    }
    return fp_round(to, fp_value(from, v), negative, false);
}

uint32_t fp16_to_fp32(uint32_t v)
{
    return fp_change(&fp16, &fp32, v);
}

uint32_t fp16_to_fp17(uint32_t v)
{
    return fp_change(&fp16, &fp17, v);
}

uint32_t fp17_to_fp16(uint32_t v)
{
    return fp_change(&fp17, &fp16, v);
}

uint32_t fp17_to_fp32(uint32_t v)
{
    return fp_change(&fp17, &fp32, v);
}

uint32_t fp32_to_fp16(uint32_t v)
{
    return fp_change(&fp32, &fp16, v);
}

uint32_t fp32_to_fp17(uint32_t v)
{
    return fp_change(&fp32, &fp17, v);
}

uint32_t fp16_from_int(int32_t v)
{
    return fp_round(&fp16, v, v < 0, true);
}

int32_t fp16_to_int16(uint32_t v)
{
    double a;

    if (fp16_is_nan(v)) {
        return INT16_MIN;
    }
    a = round(fp_value(&fp16, v)); /* half away from zero, as the converters */
    return a > INT16_MAX ? INT16_MAX : a < INT16_MIN ? INT16_MIN : (int32_t)a;
}

uint32_t fp17_from_fraction(uint64_t fraction, unsigned bits)
{
    return fp_round(&fp17, ldexp((double)fraction, -(int)bits), false, true);
}

/* Both operands as numbers, or the NaN that wins. */
static inline bool fp_nan(const struct fp_format *f, uint32_t a, uint32_t b, uint32_t *nan)
{
    *nan = fp_is_nan(f, a) ? a : b;
    return fp_is_nan(f, a) || fp_is_nan(f, b);
}

static inline uint32_t fp_add(const struct fp_format *f, uint32_t a, uint32_t b)
{
    double x = fp_value(f, a), y = fp_value(f, b), sum;
    uint32_t nan;

    if (fp_nan(f, a, b, &nan)) {
        return nan;
    }
    if (f->e == 8) {
        /* In float the sum is rounded once; in double first it could be rounded twice. */
        sum = fabs(x) > 0x1.fffffep127 || fabs(y) > 0x1.fffffep127 ? x + y
                                                                   : (double)((float)x + (float)y);
    } else {
        /* fp17: 53 bits hold the sum, or the small operand is too small to matter. */
        sum = x + y;
    }
    return fp_round(f, sum, sum == 0 ? (fabs(x) >= fabs(y) ? a : b) & fp_sign_bit(f) : sum < 0,
                    true);
}

static inline uint32_t fp_mul(const struct fp_format *f, uint32_t a, uint32_t b)
{
    uint32_t nan;

    if (fp_nan(f, a, b, &nan)) {
        return nan;
    }
    /* The product of two 24-bit mantissas is exact in double. */
    return fp_round(f, fp_value(f, a) * fp_value(f, b), (a ^ b) & fp_sign_bit(f), true);
}

/* An order of all bit patterns but NaN, in which -0 is below +0. */
static int64_t fp_order(const struct fp_format *f, uint32_t v)
{
    int64_t magnitude = v & (fp_sign_bit(f) - 1);

    return v & fp_sign_bit(f) ? -magnitude - 1 : magnitude;
}

static uint32_t fp_pick(const struct fp_format *f, uint32_t a, uint32_t b, bool larger)
{
    uint32_t nan;

    if (fp_nan(f, a, b, &nan)) {
        return nan;
    }
    return (fp_order(f, a) > fp_order(f, b)) == larger ? a : b;
}

uint32_t fp32_add(uint32_t a, uint32_t b)
{
    return fp_add(&fp32, a, b);
}

uint32_t fp32_sub(uint32_t a, uint32_t b)
{
    return fp32_is_nan(b) && !fp32_is_nan(a) ? b ^ fp_sign_bit(&fp32)
                                             : fp_add(&fp32, a, b ^ fp_sign_bit(&fp32));
}

uint32_t fp32_mul(uint32_t a, uint32_t b)
{
    return fp_mul(&fp32, a, b);
}

uint32_t fp17_add(uint32_t a, uint32_t b)
{
    return fp_add(&fp17, a, b);
}

uint32_t fp17_mul(uint32_t a, uint32_t b)
{
    return fp_mul(&fp17, a, b);
}

uint32_t fp32_max(uint32_t a, uint32_t b)
{
    return fp_pick(&fp32, a, b, true);
}

uint32_t fp32_min(uint32_t a, uint32_t b)
{
    return fp_pick(&fp32, a, b, false);
}

uint32_t fp16_max(uint32_t a, uint32_t b)
{
    return fp_pick(&fp16, a, b, true);
}

uint32_t fp16_min(uint32_t a, uint32_t b)
{
    return fp_pick(&fp16, a, b, false);
}

int64_t fp16_to_fixed(uint32_t v)
{
    int e = (int)fp_exponent(&fp16, v);
    int64_t m = fp_mantissa(&fp16, v);
    int64_t r = e == 0 ? m : e == 31 ? INT64_C(1) << 40 : (m + 1024) * (INT64_C(1) << (e - 1));

    return v & 0x8000 ? -r : r;
}

uint32_t fp32_from_fixed64(int64_t sum)
{
    /* The conversion rounds once, to nearest even; then the exponent moves. */
    float v = (float)sum;
    uint32_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return sum ? bits - (48u << 23) : 0;
}

__extension__ uint32_t fp32_from_fixed(__int128 sum)
{
    __extension__ unsigned __int128 a = sum < 0 ? -(unsigned __int128)sum : (unsigned __int128)sum;
    unsigned shift = 0;
    uint64_t sticky = 0;
    uint32_t v;

    /* 62 bits with the lost ones ORed into the last: enough for one rounding to 24. */
    while (a >> 62) {
        sticky |= a & 1;
        a >>= 1;
        shift++;
    }
    v = fp32_from_fixed64((int64_t)((uint64_t)a | sticky));
    return (sum < 0 ? 1u << 31 : 0) | (v + (shift << 23));
}

double fp32_to_double(uint32_t v)
{
    return fp_value(&fp32, v);
}
