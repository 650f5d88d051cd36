/* SPDX-License-Identifier: MIT */
/* Integer rounding as every unit of the DLA does it.
 *
 * Source: NVDLA hardware architecture, precision.rst: converters and truncations shift right, round
 * half away from zero, then saturate to the width of the output.
 */
#ifndef MODEL_DLA_NUM_H
#define MODEL_DLA_NUM_H

#include <stdint.h>

__extension__ typedef __int128 dla_wide;

/* Two's complement range of @bits (2..63). */
static inline int64_t dla_sat(int64_t v, unsigned bits)
{
    int64_t max = (INT64_C(1) << (bits - 1)) - 1;

    return v > max ? max : v < -max - 1 ? -max - 1 : v;
}

static inline int64_t dla_sat_wide(dla_wide v, unsigned bits)
{
    int64_t max = (INT64_C(1) << (bits - 1)) - 1;

    return v > max ? max : v < -(dla_wide)max - 1 ? -max - 1 : (int64_t)v;
}

/* v / 2^shift, half away from zero, then saturated. |v| < 2^126; any shift. */
static inline int64_t dla_shr(dla_wide v, unsigned shift, unsigned bits)
{
    const int64_t limit = INT64_C(1) << 62;
    dla_wide half;

    if (shift == 0) {
        return dla_sat_wide(v, bits);
    }
    if (v < limit && v > -limit) { /* nearly always: 64 bits are enough */
        int64_t n = (int64_t)v, h = INT64_C(1) << (shift <= 62 ? shift - 1 : 0);

        return shift > 62 ? 0 : dla_sat(n >= 0 ? (n + h) >> shift : -((-n + h) >> shift), bits);
    }
    if (shift > 126) {
        return 0;
    }
    half = (dla_wide)1 << (shift - 1);
    return dla_sat_wide(v >= 0 ? (v + half) >> shift : -((-v + half) >> shift), bits);
}

/* v * 2^shift, saturated; shift 0..63. */
static inline int64_t dla_shl(int64_t v, unsigned shift, unsigned bits)
{
    return dla_sat_wide((dla_wide)v * ((dla_wide)1 << shift), bits);
}

/* As dla_shr; a negative shift goes left (slopes of the look-up tables). */
static inline int64_t dla_shr_signed(dla_wide v, int shift, unsigned bits)
{
    return shift >= 0 ? dla_shr(v, (unsigned)shift, bits)
                      : dla_sat_wide(v * ((dla_wide)1 << -shift), bits);
}

/* The low @bits of @v as a signed number. */
static inline int64_t dla_sext(uint64_t v, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);

    v &= (sign << 1) - 1;
    return (int64_t)((v ^ sign) - sign);
}

/* A converter: (x - offset) * scale >> truncate. */
struct dla_cvt {
    int32_t offset;
    int16_t scale;
    uint8_t truncate;
};

static inline int64_t dla_convert(const struct dla_cvt *c, int64_t x, unsigned bits)
{
    return dla_shr((dla_wide)(x - c->offset) * c->scale, c->truncate, bits);
}

#endif
