/* SPDX-License-Identifier: MIT */
/* Elements: from bytes to numbers, and from the filter's sum to a register.
 *
 * Measured (H200): filtered fractions of integers are rounded to 16-bit fractions, filtered halves
 * to halves. Signed fractions have two bits more before the filter than after it. */
#include <math.h>
#include <string.h>

#include "model/tex/tex_internal.h"

float tex_half_value(uint16_t bits)
{
    unsigned e = bits >> 10 & 31, m = bits & 1023;
    double v = e == 31 ? (m ? (double)NAN : (double)INFINITY)
               : e     ? ldexp(1024 + m, (int)e - 25)
                       : ldexp(m, -24);

    return (float)(bits & 0x8000 ? -v : v);
}

/* @cut: towards zero; else to the nearest, ties away from zero, as filters do (measured). */
static uint16_t half_of(double v, bool cut)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    int e;
    double m;

    v = fabs(v);
    if (isnan(v)) {
        return 0x7fff;
    }
    if (v >= 65520) {
        return sign | (cut && !isinf(v) ? 0x7bff : 0x7c00);
    }
    frexp(v, &e);
    e = e < -13 || v == 0 ? -13 : e;
    m = floor(ldexp(v, 11 - e) + (cut ? 0 : 0.5)); /* units of the last place */
    return (uint16_t)(sign | (uint16_t)(m + (e + 13) * 1024));
}

uint16_t tex_half(double v)
{
    return half_of(v, false);
}

uint16_t tex_half_cut(double v)
{
    return half_of(v, true);
}

/* sRGB to linear, in units of 2^-14: the unit's own table, measured (H200). It follows IEC
 * 61966-2-1 with 8 bits of mantissa and not always to the nearest. */
static const uint16_t srgb_linear[256] = {
    0,     5,     10,    15,    20,    25,    30,    35,    40,    45,    50,    55,    60,
    66,    72,    78,    85,    92,    99,    107,   115,   123,   131,   140,   150,   159,
    169,   180,   190,   201,   213,   224,   236,   250,   262,   276,   290,   304,   318,
    332,   348,   364,   380,   396,   412,   430,   448,   466,   484,   504,   524,   544,
    564,   584,   604,   624,   648,   672,   692,   716,   740,   764,   788,   816,   840,
    864,   896,   920,   944,   976,   1000,  1032,  1064,  1088,  1120,  1152,  1184,  1216,
    1248,  1280,  1312,  1352,  1384,  1416,  1456,  1488,  1528,  1560,  1600,  1640,  1672,
    1712,  1752,  1792,  1832,  1872,  1920,  1952,  2000,  2048,  2080,  2128,  2176,  2224,
    2272,  2320,  2368,  2416,  2464,  2512,  2560,  2608,  2656,  2704,  2752,  2816,  2864,
    2912,  2976,  3024,  3072,  3136,  3184,  3248,  3296,  3360,  3424,  3472,  3536,  3600,
    3664,  3712,  3776,  3840,  3904,  3968,  4032,  4096,  4160,  4224,  4288,  4352,  4416,
    4512,  4576,  4640,  4704,  4768,  4864,  4928,  4992,  5056,  5152,  5216,  5280,  5376,
    5440,  5536,  5600,  5696,  5760,  5824,  5920,  6016,  6080,  6176,  6240,  6336,  6400,
    6496,  6592,  6688,  6752,  6848,  6944,  7008,  7104,  7200,  7296,  7392,  7488,  7584,
    7680,  7744,  7872,  7936,  8064,  8128,  8256,  8320,  8448,  8512,  8640,  8768,  8832,
    8960,  9024,  9152,  9280,  9344,  9472,  9600,  9664,  9792,  9920,  9984,  10112, 10240,
    10304, 10432, 10560, 10688, 10816, 10880, 11008, 11136, 11264, 11392, 11456, 11584, 11712,
    11840, 11968, 12096, 12224, 12352, 12480, 12608, 12736, 12864, 12992, 13120, 13248, 13376,
    13504, 13632, 13760, 13888, 14016, 14144, 14272, 14400, 14528, 14656, 14848, 14976, 15104,
    15232, 15360, 15488, 15616, 15744, 16000, 16128, 16256, 16384,
};

static uint32_t texel_raw(const struct tex_header *h, const uint8_t *p, unsigned i)
{
    uint16_t half;
    uint32_t word;

    switch (h->channel) {
    case TEX_U8:
        return p[i];
    case TEX_S8:
        return (uint32_t)(int8_t)p[i];
    case TEX_U16:
    case TEX_F16:
        memcpy(&half, p + 2 * i, 2);
        return half;
    case TEX_S16:
        memcpy(&half, p + 2 * i, 2);
        return (uint32_t)(int16_t)half;
    default:
        memcpy(&word, p + 4 * i, 4);
        return word;
    }
}

static bool is_srgb(const struct tex_header *h, unsigned channel)
{
    return h->channel == TEX_U8 && h->flags & TEX_SRGB && channel < 3;
}

/* Units of the filter: sRGB in numbers, other fractions of integers in 1/65535 or 1/32767 (exact in
 * doubles), else numbers. */
static double texel_number(const struct tex_header *h, unsigned channel, uint32_t bits)
{
    float f;

    switch (h->channel) {
    case TEX_U8:
        return is_srgb(h, channel) ? srgb_linear[bits] / 16384.0 : bits * 257.0;
    case TEX_U16:
        return bits;
    case TEX_S8: /* three bits more than the result has */
        return floor((int32_t)bits * 8 * 32767 / 127.0) / 8;
    case TEX_S16:
        return (int32_t)bits;
    case TEX_F16:
        return (double)tex_half_value((uint16_t)bits);
    default:
        memcpy(&f, &bits, 4);
        return (double)f;
    }
}

void tex_decode(const struct tex_header *h, const uint8_t *bytes, union tex_value out[4])
{
    bool floats = tex_is_float(h);

    for (unsigned i = 0; i < h->channels; i++) {
        if (floats) {
            out[i].f = texel_number(h, i, texel_raw(h, bytes, i));
        } else {
            out[i].i = texel_raw(h, bytes, i);
        }
    }
}

static uint32_t float_bits(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, 4);
    return bits;
}

/* A fraction of @one: cut to @bits bits, then to the nearest, halves towards zero (measured, H200:
 * around each tie, 20,596 colours). A NaN is the lowest. */
static double border_fraction(double v, double low, double one, int bits)
{
    double size = fmin(v > low ? fabs(v) : fabs(low), 1);
    double q = ceil(ldexp(floor(ldexp(size, bits)), -bits) * one - 0.5);

    return v > 0 ? q + 0.0 : 0.0 - q; /* no negative zero */
}

/* The colour is linear, and kept as the nearest byte of sRGB (measured, H200). */
static double border_srgb(double v)
{
    v = v > 0 ? (v < 1 ? v : 1) : 0;
    v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    return srgb_linear[(unsigned)floor(255 * v + 0.5)] / 16384.0;
}

/* A border has the precision of the format (measured): integers are the low bits of what was given,
 * halves cut off. */
static double border_number(const struct tex_header *h, unsigned channel, float v)
{
    switch (h->channel) {
    case TEX_U8:
        return is_srgb(h, channel) ? border_srgb((double)v)
                                   : border_fraction((double)v, 0, 255, 12) * 257;
    case TEX_U16:
        return border_fraction((double)v, 0, 65535, 20);
    case TEX_S8:
        return floor(border_fraction((double)v, -1, 127, 11) * 8 * 32767 / 127.0) / 8;
    case TEX_S16:
        return border_fraction((double)v, -1, 32767, 19);
    case TEX_F16:
        return (double)tex_half_value(tex_half_cut((double)v));
    default:
        return (double)v;
    }
}

static uint32_t border_bits(const struct tex_header *h, uint32_t bits)
{
    switch (h->channel) {
    case TEX_U8:
        return bits & 0xff;
    case TEX_S8:
        return (uint32_t)(int8_t)bits;
    case TEX_U16:
        return bits & 0xffff;
    case TEX_S16:
        return (uint32_t)(int16_t)bits;
    default:
        return bits;
    }
}

void tex_border(const struct tex_header *h, union tex_value out[4])
{
    bool floats = tex_is_float(h);
    uint32_t bits;

    for (unsigned i = 0; i < h->channels; i++) {
        memcpy(&bits, &h->border[i], 4);
        if (floats) {
            out[i].f = border_number(h, i, h->border[i]);
        } else {
            out[i].i = border_bits(h, bits);
        }
    }
}

/* Without a filter a signed byte has no 16 bits in between. */
uint32_t tex_border_convert(const struct tex_header *h, unsigned channel)
{
    union tex_value v[4] = { 0 };

    if (tex_is_float(h) && h->channel == TEX_S8) {
        return float_bits((float)(border_fraction((double)h->border[channel], -1, 127, 11) / 127));
    }
    tex_border(h, v);
    return tex_encode(h, channel, v[channel]);
}

/* Without a filter: the element as it is; NaNs keep their payload. */
uint32_t tex_convert(const struct tex_header *h, unsigned channel, const uint8_t *bytes)
{
    uint32_t bits = texel_raw(h, bytes, channel);
    double v;
    float f;

    if (!tex_is_float(h) || h->channel == TEX_F32) {
        return bits;
    }
    switch (h->channel) {
    case TEX_F16:
        if ((bits & 0x7c00) == 0x7c00) {
            return (bits & 0x8000) << 16 | 0x7f800000 | (bits & 0x3ff) << 13;
        }
        v = (double)tex_half_value((uint16_t)bits);
        break;
    case TEX_S8:
        v = (int32_t)bits / 127.0;
        break;
    case TEX_S16:
        v = (int32_t)bits / 32767.0;
        break;
    default:
        v = texel_number(h, channel, bits) / (is_srgb(h, channel) ? 1 : 65535);
    }
    f = (float)(v < -1 && h->channel < TEX_F16 ? -1 : v);
    memcpy(&bits, &f, 4);
    return bits;
}

/* Results that are no normal number are zero (measured). */
uint32_t tex_float(double v)
{
    float f = (float)v;

    if (isnan(f)) {
        return 0x7fffffff;
    }
    return fabsf(f) < 0x1p-126f ? float_bits(f) & 0x80000000 : float_bits(f);
}

/* The sum of a filter becomes a register. */
uint32_t tex_encode(const struct tex_header *h, unsigned channel, union tex_value v)
{
    double x = v.f;

    if (!tex_is_float(h)) {
        return v.i;
    }
    if (is_srgb(h, channel)) {
        return float_bits((float)x);
    }
    switch (h->channel) {
    case TEX_S8:
    case TEX_S16:
        x = floor(x + 0.5);
        return float_bits((float)((x < -32767 ? -32767 : x) / 32767));
    case TEX_U8:
    case TEX_U16:
        return float_bits((float)(floor(x + 0.5) / 65535));
    case TEX_F16:
        return float_bits(tex_half_value(tex_half(x)));
    default:
        return tex_float(x);
    }
}

/* sRGB between texels: those with a weight have one exponent, by the largest, and lose what lies
 * below its 8 bits. The sum is rounded to a half, ties away from zero. Measured (H200; each of
 * 480,000 fetches): also from which numbers on the exponent is the next one. In units of 2^-14. */
static double srgb_sum(const struct tex_blend *b, unsigned channel)
{
    static const struct {
        uint16_t from, unit;
    } steps[] = { { 15360, 128 }, { 7872, 64 }, { 4032, 32 }, { 1920, 16 },
                  { 840, 8 },     { 484, 4 },   { 236, 2 },   { 0, 1 } };
    double most = 0, sum = 0, unit;
    unsigned i = 0;

    for (unsigned k = 0; k < b->n; k++) {
        most = fmax(most, b->part[k].v[channel].f * 16384);
    }
    while (most < steps[i].from) {
        i++;
    }
    unit = steps[i].unit;
    for (unsigned k = 0; k < b->n; k++) {
        sum += floor(b->part[k].v[channel].f * 16384 / unit) * b->part[k].w / b->part[k].of;
    }
    return (double)tex_half_value(tex_half(sum * unit / 16384));
}

uint32_t tex_blend_give(const struct tex_header *h, const struct tex_blend *b, unsigned channel)
{
    union tex_value sum = { 0 };

    if (is_srgb(h, channel)) {
        sum.f = srgb_sum(b, channel);
    } else {
        for (unsigned k = 0; k < b->n; k++) {
            sum.f += b->part[k].v[channel].f * b->part[k].w / b->part[k].of;
        }
    }
    return tex_encode(h, channel, sum);
}
