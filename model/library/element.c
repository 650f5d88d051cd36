/* SPDX-License-Identifier: MIT */
#include "model/library/element.h"

static float float_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

float library_half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;

    if (rest >= 0x7c00u) { /* infinity, NaN */
        return float_of(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    }
    if (rest < 0x400u) { /* subnormal: a multiple of 2^-24 */
        float f = (float)rest * 0x1p-24f;

        return sign ? -f : f;
    }
    return float_of(sign | ((rest << 13) + 0x38000000u));
}

uint16_t library_half_from_float(float f)
{
    uint32_t bits = bits_of(f), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;

    if (rest > 0x7f800000u) {
        return 0x7fff;
    }
    if (rest >= 0x477ff000u) { /* 65520 and more round to infinity */
        return (uint16_t)(sign | 0x7c00u);
    }
    if (rest <
        0x38800000u) { /* below 2^-14: adding 0.5 leaves a multiple of 2^-24 in the low bits */
        return (uint16_t)(sign | (bits_of(float_of(rest) + 0.5f) - 0x3f000000u));
    }
    rest += 0xfffu + (rest >> 13 & 1u);
    return (uint16_t)(sign | (rest - 0x38000000u) >> 13);
}

float library_bfloat_to_float(uint16_t b)
{
    return float_of((uint32_t)b << 16);
}

uint16_t library_bfloat_from_float(float f)
{
    uint32_t bits = bits_of(f);

    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return 0x7fff;
    }
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

double library_element_get(const void *data, uint32_t type, uint64_t i, unsigned part)
{
    switch (type) {
    case LIBRARY_R_32F:
        return part ? 0 : ((const float *)data)[i];
    case LIBRARY_R_64F:
        return part ? 0 : ((const double *)data)[i];
    case LIBRARY_C_32F:
        return ((const float *)data)[2 * i + part];
    case LIBRARY_C_64F:
        return ((const double *)data)[2 * i + part];
    case LIBRARY_R_16F:
        return part ? 0 : library_half_to_float(((const uint16_t *)data)[i]);
    case LIBRARY_R_16BF:
        return part ? 0 : library_bfloat_to_float(((const uint16_t *)data)[i]);
    case LIBRARY_R_8I:
        return part ? 0 : ((const int8_t *)data)[i];
    case LIBRARY_R_8U:
        return part ? 0 : ((const uint8_t *)data)[i];
    case LIBRARY_R_32I:
        return part ? 0 : ((const int32_t *)data)[i];
    case LIBRARY_R_32U:
        return part ? 0 : ((const uint32_t *)data)[i];
    default:
        return 0;
    }
}

static void float_put(void *data, uint64_t i, double v)
{
    ((float *)data)[i] = v != v ? float_of(0x7fffffffu) : (float)v;
}

static void double_put(void *data, uint64_t i, double v)
{
    static const uint64_t nan = UINT64_C(0xfff8000000000000);

    memcpy((double *)data + i, v != v ? (const void *)&nan : &v, sizeof(v));
}

/* A whole number, kept modulo 2^64 as integer units do; what does not fit is the nearest that does.
 */
static int64_t number_whole(double v)
{
    return v != v ? 0 : v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

static int64_t number_clamped(double v, int64_t least, int64_t most)
{
    int64_t i = number_whole(__builtin_rint(v));

    return i < least ? least : i > most ? most : i;
}

void library_element_put(void *data, uint32_t type, uint64_t i, double re, double im)
{
    switch (type) {
    case LIBRARY_R_32F:
        float_put(data, i, re);
        break;
    case LIBRARY_R_64F:
        double_put(data, i, re);
        break;
    case LIBRARY_C_32F:
        float_put(data, 2 * i, re);
        float_put(data, 2 * i + 1, im);
        break;
    case LIBRARY_C_64F:
        double_put(data, 2 * i, re);
        double_put(data, 2 * i + 1, im);
        break;
    case LIBRARY_R_16F:
        ((uint16_t *)data)[i] = library_half_from_float((float)re);
        break;
    case LIBRARY_R_16BF:
        ((uint16_t *)data)[i] = library_bfloat_from_float((float)re);
        break;
    case LIBRARY_R_8I:
        ((int8_t *)data)[i] = (int8_t)number_clamped(re, INT8_MIN, INT8_MAX);
        break;
    case LIBRARY_R_8U:
        ((uint8_t *)data)[i] = (uint8_t)number_clamped(re, 0, UINT8_MAX);
        break;
    case LIBRARY_R_32I:
        ((int32_t *)data)[i] = (int32_t)(uint32_t)(uint64_t)number_whole(re);
        break;
    case LIBRARY_R_32U:
        ((uint32_t *)data)[i] = (uint32_t)(uint64_t)number_whole(re);
        break;
    default:
        break;
    }
}
