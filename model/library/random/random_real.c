/* SPDX-License-Identifier: MIT */
/*
 * Words to uniform and normal numbers. The constants are those of cuRAND's device functions
 * (include/vtegra/curand_distributions.h), and no product is contracted with a sum.
 */
#include "model/library/random/random_internal.h"

#include <math.h>
#include <string.h>

#define INV_32 0x1p-32f
#define TWO_PI 6.2831855f
#define PI 0x1.921fb54442d18p+1

float random_uniform(uint32_t x)
{
    return (float)x * INV_32 + INV_32 / 2;
}

static uint64_t random_bits_53(uint32_t x, uint32_t y)
{
    return x ^ (uint64_t)y << 21;
}

double random_uniform_53(uint32_t x, uint32_t y)
{
    return (double)random_bits_53(x, y) * 0x1p-53 + 0x1p-54;
}

float random_scale(const struct random_request *r, float x)
{
    float scaled = x * (float)r->deviation + (float)r->mean;

    return r->form == RANDOM_LOG_NORMAL ? r->math->exp_float(scaled) : scaled;
}

double random_scale_double(const struct random_request *r, double x)
{
    double scaled = x * r->deviation + r->mean;

    return r->form == RANDOM_LOG_NORMAL_DOUBLE ? r->math->exp(scaled) : scaled;
}

void random_pair_of(const struct random_request *r, float u, float angle, float pair[2])
{
    float radius = sqrtf(-2.0f * r->math->log_float(u)), s, c;

    r->math->sincos_float(angle, &s, &c);
    pair[0] = random_scale(r, s * radius);
    pair[1] = random_scale(r, c * radius);
}

void random_pair_double_of(const struct random_request *r, double u, double angle, double pair[2])
{
    double radius = sqrt(-2.0 * r->math->log(u)), s, c;

    r->math->sincos(angle, &s, &c);
    pair[0] = random_scale_double(r, s * radius);
    pair[1] = random_scale_double(r, c * radius);
}

void random_pair(const struct random_request *r, uint32_t x, uint32_t y, float pair[2])
{
    random_pair_of(r, random_uniform(x), (float)y * (INV_32 * TWO_PI) + INV_32 * TWO_PI / 2, pair);
}

void random_pair_double(const struct random_request *r, const uint32_t w[4], double pair[2])
{
    double half_turns = (double)random_bits_53(w[2], w[3]) * 0x1p-52 + 0x1p-53;

    random_pair_double_of(r, random_uniform_53(w[0], w[1]), half_turns * PI, pair);
}

/* By the side of the smaller tail, as a product of two floats */
static float quantile_of(uint32_t x)
{
    float p = x > 0x80000000u ? random_uniform(UINT32_MAX - x) : random_uniform(x);
    double q = -random_normal_quantile((double)p) * 0x1.6a09e667f3bcdp-1;
    float root_two = x > 0x80000000u ? 1.41421356f : -1.41421356f;

    return root_two * (float)q;
}

void random_put_quantile(const struct random_request *r, enum random_quantile width, uint64_t x,
                         void *out)
{
    uint32_t high = (uint32_t)(x >> 32);
    float f;
    double d;

    switch (r->form) {
    case RANDOM_UNIFORM:
        f = random_uniform(high);
        memcpy(out, &f, 4);
        break;
    case RANDOM_NORMAL:
    case RANDOM_LOG_NORMAL:
        f = random_scale(r, quantile_of(high));
        memcpy(out, &f, 4);
        break;
    case RANDOM_UNIFORM_DOUBLE:
        d = width == RANDOM_QUANTILE_64 ? (double)(x >> 11) * 0x1p-53 + 0x1p-54
                                        : high * 0x1p-32 + 0x1p-32;
        memcpy(out, &d, 8);
        break;
    case RANDOM_NORMAL_DOUBLE:
    case RANDOM_LOG_NORMAL_DOUBLE:
        d = width == RANDOM_QUANTILE_64 ? (double)(x >> 11) * 0x1p-53 + 0x1p-54
                                        : high * 0x1p-32 + 0x1p-33;
        d = width == RANDOM_QUANTILE_FLOAT && r->form == RANDOM_NORMAL_DOUBLE
                ? (double)quantile_of(high)
                : random_normal_quantile(d);
        d = random_scale_double(r, d);
        memcpy(out, &d, 8);
        break;
    case RANDOM_LONGS:
        memcpy(out, &x, 8);
        break;
    default:
        memcpy(out, &high, 4);
    }
}
