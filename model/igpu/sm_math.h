/* SPDX-License-Identifier: MIT */
/* Elementary functions in double precision, good to about 2^-48: enough to round to a float. Only
 * +, -, *, / and fma, so every compiler and every libm gives the same bits. Choices are selections,
 * not branches, and divisors are constants: a loop over lanes becomes vector code. */
#ifndef MODEL_IGPU_SM_MATH_H
#define MODEL_IGPU_SM_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double sm_scale(double v, int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double s;

    memcpy(&s, &bits, sizeof(s));
    return v * s;
}

static inline double sm_from_bits(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* An integer of less than 2^51 as two's complement in the low bits: a conversion that no vector
 * unit lacks. NaN gives any. */
static inline uint64_t sm_integer(double n)
{
    double v = n + 0x1.8p52;
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

/* 2^x: x = n + f, |f| <= 1/2, and the series of e^(f ln 2); NaN passes through all of it */
static inline double sm_exp2(double x)
{
    static const double c[] = {
        1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,       1.0 / 720,       1.0 / 5040,
        1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800., 1.0 / 479001600.
    }; /* 1/2! to 1/12! */
    double n, t, p = 0.0;

    x = x > 1000.0 ? 1000.0 : x;
    x = x < -1000.0 ? -1000.0 : x;
    n = __builtin_rint(x);
    t = (x - n) * 0x1.62e42fefa39efp-1;
#pragma GCC unroll 16
    for (int i = 10; i >= 0; i--) {
        p = __builtin_fma(p, t, c[i]);
    }
    p = __builtin_fma(__builtin_fma(p, t, 1.0), t, 1.0);
    return p * sm_from_bits((sm_integer(n) + 1023) << 52);
}

/* log2: m 2^e with m in [sqrt(1/2), sqrt(2)], log m = 2 atanh((m - 1) / (m + 1)) */
static inline double sm_log2(double x)
{
    uint64_t bits;
    double e, m, s, z, p = 0.0;
    int above;

    memcpy(&bits, &x, sizeof(bits));
    e = sm_from_bits(bits >> 52 | UINT64_C(0x433) << 52) -
        (0x1p52 + 1023); /* a float is a normal double */
    m = sm_from_bits((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
    above = m > 0x1.6a09e667f3bcdp+0;
    m = above ? m * 0.5 : m;
    e = above ? e + 1.0 : e;
    s = (m - 1.0) / (m + 1.0);
    z = s * s;
#pragma GCC unroll 16
    for (int i = 19; i > 0; i -= 2) {
        p = __builtin_fma(p, z, 1.0 / i);
    }
    p = e + 2.0 * s * p * 0x1.71547652b82fep+0;
    p = x > 0.0 ? p : (double)NAN;
    p = x == INFINITY ? x : p;
    return x == 0.0 ? -INFINITY : p;
}

/* Reduction to [-pi/4, pi/4] by pi/2 in three parts; *@quadrant modulo 4. Exact enough while x is a
 * float below 2^30; beyond, the manual promises nothing and the result is merely a fixed one. */
static inline double sm_reduce(double x, uint64_t *quadrant)
{
    double k = __builtin_rint(x * 0x1.45f306dc9c883p-1), r, q;

    r = __builtin_fma(-k, 0x1.921fb54442d18p+0, x);
    r = __builtin_fma(-k, 0x1.1a62633145c07p-54, r);
    r = __builtin_fma(-k, -0x1.f1976b7ed8fbcp-110, r);
    q = k - 4.0 * __builtin_floor(k * 0.25);
    *quadrant = sm_integer(__builtin_fabs(r) <= 1.0 ? q : 0.0);
    return __builtin_fabs(r) <= 1.0 ? r : 0.0;
}

static inline double sm_sin_series(double r)
{
    static const double c[] = {
        -1.0 / 6,        1.0 / 120,         -1.0 / 5040,          1.0 / 362880,
        -1.0 / 39916800, 1.0 / 6227020800., -1.0 / 1307674368000.
    }; /* to 1/15! */
    double z = r * r, p = 1.0 / 355687428096000.;

#pragma GCC unroll 16
    for (int i = 6; i >= 0; i--) {
        p = __builtin_fma(p, z, c[i]);
    }
    return __builtin_fma(r * z, p, r);
}

static inline double sm_cos_series(double r)
{
    static const double c[] = {
        -1.0 / 2,       1.0 / 24,        -1.0 / 720,         1.0 / 40320,
        -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200.
    }; /* to 1/14! */
    double z = r * r, p = 1.0 / 20922789888000.;

#pragma GCC unroll 16
    for (int i = 6; i >= 0; i--) {
        p = __builtin_fma(p, z, c[i]);
    }
    return __builtin_fma(z, p, 1.0);
}

static inline double sm_sin_quadrant(double x, unsigned turn)
{
    uint64_t q;
    double r = sm_reduce(x, &q), c = sm_cos_series(r), s = sm_sin_series(r), v;

    q += turn;
    v = q & 1 ? c : s;
    v = q & 2 ? -v : v;
    return __builtin_fabs(x) < INFINITY ? v : (double)NAN;
}

static inline double sm_sin(double x)
{
    return sm_sin_quadrant(x, 0);
}

static inline double sm_cos(double x)
{
    return sm_sin_quadrant(x, 1);
}

static inline double sm_tanh(double x)
{
    double a = __builtin_fabs(x), t = sm_exp2(2.0 * a * 0x1.71547652b82fep+0);

    t = 1.0 - 2.0 / (t + 1.0);
    t = a > 40.0 ? 1.0 : t;
    t = x < 0 ? -t : t;
    return a >= 0x1p-20 ? t : x; /* NaN, too */
}

#endif
