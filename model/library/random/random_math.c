/* SPDX-License-Identifier: MIT */
/*
 * Elementary functions of +, -, * and / alone, so that every host and compiler gives the same bits.
 * Errors are below two units in the last place of a double; floats are the rounded doubles.
 */
#include "model/library/random/random_internal.h"

#include <math.h>
#include <string.h>

#define LN2_HIGH 0x1.62e42fefa3800p-1 /* 42 bits: products with small integers are exact */
#define LN2_LOW 0x1.ef35793c76730p-45

/* x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh((m - 1) / (m + 1)) */
static double math_log(double x)
{
    int e;
    double m, s, z, p = 0;

    if (!(x > 0) || !isfinite(x)) {
        return x == 0 ? -HUGE_VAL : x > 0 ? x : NAN;
    }
    m = frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        e--;
    }
    s = (m - 1) / (m + 1);
    z = s * s;
    for (int i = 23; i >= 3; i -= 2) {
        p = (p + 1.0 / i) * z;
    }
    return e * LN2_HIGH + (2 * s + (2 * s * p + e * LN2_LOW));
}

static double math_exp(double x)
{
    double n, f, p = 1;

    if (!(x < 710)) {
        return x >= 710 ? HUGE_VAL : x;
    }
    if (x < -746) {
        return 0;
    }
    n = rint(x * 0x1.71547652b82fep+0);
    f = (x - n * LN2_HIGH) - n * LN2_LOW;
    for (int i = 14; i >= 1; i--) {
        p = 1 + p * f / i;
    }
    return ldexp(p, (int)n);
}

/* Both series for |r| up to pi / 4 */
static double math_sin_series(double r)
{
    double z = r * r, p = 1;

    for (int i = 20; i >= 2; i -= 2) {
        p = 1 - p * z / (i * (i + 1));
    }
    return r * p;
}

static double math_cos_series(double r)
{
    double z = r * r, p = 1;

    for (int i = 21; i >= 1; i -= 2) {
        p = 1 - p * z / (i * (i + 1));
    }
    return p;
}

/* 0 <= x <= 2 pi: the quarter that is nearest, and what is left of it */
static void math_sincos(double x, double *sin_x, double *cos_x)
{
    double q = rint(x * 0x1.45f306dc9c883p-1);
    double r = ((x - q * 0x1.921fb544p+0) - q * 0x1.0b4611a6p-34) - q * 0x1.3198a2e037073p-69;
    double s = math_sin_series(r), c = math_cos_series(r);

    switch ((int)q & 3) {
    case 0:
        *sin_x = s, *cos_x = c;
        break;
    case 1:
        *sin_x = c, *cos_x = -s;
        break;
    case 2:
        *sin_x = -s, *cos_x = -c;
        break;
    default:
        *sin_x = -c, *cos_x = s;
    }
}

static float math_log_float(float x)
{
    return (float)math_log((double)x);
}

static float math_exp_float(float x)
{
    return (float)math_exp((double)x);
}

static void math_sincos_float(float x, float *sin_x, float *cos_x)
{
    double s, c;

    math_sincos((double)x, &s, &c);
    *sin_x = (float)s;
    *cos_x = (float)c;
}

const struct random_math random_math = {
    .log_float = math_log_float,
    .sincos_float = math_sincos_float,
    .exp_float = math_exp_float,
    .log = math_log,
    .sincos = math_sincos,
    .exp = math_exp,
};

/* The density's tail from x on, x >= 0: its continued fraction (Laplace), or its series. */
static double math_tail(double x)
{
    double density = math_exp(-x * x / 2) * 0x1.9884533d43651p-2, sum = x, term = x, f = 0;

    if (x < 1) {
        for (int i = 3; i < 200 && term > sum * 0x1p-60; i += 2) {
            term = term * x * x / i;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    for (int i = (int)(200 / (x * x)) + 12; i >= 1; i--) {
        f = i / (x + f);
    }
    return density / (x + f);
}

/* Newton's method with the second derivative (Halley), on the logarithm's side of the tail. */
double random_normal_quantile(double p)
{
    double tail = p < 0.5 ? p : 1 - p, x, l;

    if (tail <= 0) {
        return p < 0.5 ? -HUGE_VAL : HUGE_VAL;
    }
    l = sqrt(-2 * math_log(tail));
    x = l - (2.515517 + l * (0.802853 + l * 0.010328)) /
                (1 + l * (1.432788 + l * (0.189269 + l * 0.001308)));
    x = x < 0 ? 0 : x;
    for (int i = 0; i < 2; i++) {
        double density = math_exp(-x * x / 2) * 0x1.9884533d43651p-2;
        double e = (math_tail(x) - tail) / density;

        x += e / (1 - x * e / 2);
    }
    return p < 0.5 ? -x : x;
}
