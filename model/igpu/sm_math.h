/* SPDX-License-Identifier: MIT */
/* Elementary functions in double precision, good to about 2^-48: enough to round to a float. Only
 * +, -, *, / and fma, so every compiler and every libm gives the same bits. */
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

/* 2^x: x = n + f, |f| <= 1/2, and the series of e^(f ln 2) */
static inline double sm_exp2(double x)
{
    double n, t, p = 1.0;

    if (x != x) {
        return x;
    }
    x = x > 1000.0 ? 1000.0 : x < -1000.0 ? -1000.0 : x;
    n = __builtin_rint(x);
    t = (x - n) * 0x1.62e42fefa39efp-1;
    for (int i = 14; i > 0; i--) {
        p = 1.0 + p * t / i;
    }
    return sm_scale(p, (int)n);
}

/* log2: m 2^e with m in [sqrt(1/2), sqrt(2)], log m = 2 atanh((m - 1) / (m + 1)) */
static inline double sm_log2(double x)
{
    uint64_t bits;
    int e = 0;
    double m, s, z, p = 0.0;

    if (!(x > 0.0) || x == INFINITY) {
        return x == 0.0 ? -INFINITY : x > 0.0 ? x : (double)NAN;
    }
    memcpy(&bits, &x, sizeof(bits));
    e = (int)(bits >> 52) - 1023; /* a float is a normal double */
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    memcpy(&m, &bits, sizeof(m));
    if (m > 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        e++;
    }
    s = (m - 1.0) / (m + 1.0);
    z = s * s;
    for (int i = 23; i > 0; i -= 2) {
        p = p * z + 1.0 / i;
    }
    return e + 2.0 * s * p * 0x1.71547652b82fep+0;
}

/* Reduction to [-pi/4, pi/4] by pi/2 in three parts; *@quadrant modulo 4. Exact enough while x is a
 * float below 2^30; beyond, the manual promises nothing and the result is merely a fixed one. */
static inline double sm_reduce(double x, int *quadrant)
{
    double k = __builtin_rint(x * 0x1.45f306dc9c883p-1), r;

    r = __builtin_fma(-k, 0x1.921fb54442d18p+0, x);
    r = __builtin_fma(-k, 0x1.1a62633145c07p-54, r);
    r = __builtin_fma(-k, -0x1.f1976b7ed8fbcp-110, r);
    if (!(__builtin_fabs(r) <= 1.0)) {
        *quadrant = 0;
        return 0.0;
    }
    *quadrant = (int)(k - 4.0 * __builtin_floor(k * 0.25));
    return r;
}

static inline double sm_sin_series(double r)
{
    double z = r * r, p = 1.0;

    for (int i = 16; i > 0; i -= 2) {
        p = 1.0 - p * z / (i * (i + 1));
    }
    return r * p;
}

static inline double sm_cos_series(double r)
{
    double z = r * r, p = 1.0;

    for (int i = 17; i > 0; i -= 2) {
        p = 1.0 - p * z / (i * (i + 1));
    }
    return p;
}

static inline double sm_sin_quadrant(double x, int turn)
{
    int q;
    double r, v;

    if (!(__builtin_fabs(x) < INFINITY)) {
        return NAN;
    }
    r = sm_reduce(x, &q);
    q = (q + turn) & 3;
    v = q & 1 ? sm_cos_series(r) : sm_sin_series(r);
    return q & 2 ? -v : v;
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
    double t, a = __builtin_fabs(x);

    if (x != x || a < 0x1p-20) {
        return x;
    }
    t = a > 40.0 ? INFINITY : sm_exp2(2.0 * a * 0x1.71547652b82fep+0);
    t = 1.0 - 2.0 / (t + 1.0);
    return x < 0 ? -t : t;
}

#endif
