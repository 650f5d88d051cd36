/* SPDX-License-Identifier: MIT */
/* Complex numbers in double precision. A real number has an imaginary part of zero, and stays real:
 * products of real numbers are one fma.
 */
#ifndef MODEL_LIBRARY_ARITHMETIC_H
#define MODEL_LIBRARY_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>

struct number {
    double re, im;
};

static inline bool number_zero(struct number v)
{
    return v.re == 0 && v.im == 0;
}

static inline struct number number_conjugate(struct number v)
{
    return (struct number){ v.re, -v.im };
}

static inline struct number number_negate(struct number v)
{
    return (struct number){ -v.re, v.im == 0 ? 0 : -v.im };
}

/* c + a b */
static inline struct number number_add(struct number c, struct number a, struct number b)
{
    if (a.im == 0 && b.im == 0 && c.im == 0) {
        return (struct number){ fma(a.re, b.re, c.re), 0 };
    }
    return (struct number){ fma(-a.im, b.im, fma(a.re, b.re, c.re)),
                            fma(a.im, b.re, fma(a.re, b.im, c.im)) };
}

/* c - a b */
static inline struct number number_subtract(struct number c, struct number a, struct number b)
{
    if (a.im == 0 && b.im == 0 && c.im == 0) {
        return (struct number){ fma(-a.re, b.re, c.re), 0 };
    }
    return (struct number){ fma(a.im, b.im, fma(-a.re, b.re, c.re)),
                            fma(-a.im, b.re, fma(-a.re, b.im, c.im)) };
}

static inline struct number number_product(struct number a, struct number b)
{
    return number_add((struct number){ 0, 0 }, a, b);
}

static inline struct number number_scaled(struct number a, double s)
{
    return (struct number){ a.re * s, a.im == 0 ? 0 : a.im * s };
}

static inline double number_square(struct number v)
{
    return fma(v.re, v.re, v.im * v.im);
}

/* R. Smith, Algorithm 116: neither overflows nor underflows in between. */
static inline struct number number_divide(struct number a, struct number b)
{
    double r, d;

    if (b.im == 0) {
        return (struct number){ a.re / b.re, a.im == 0 ? 0 : a.im / b.re };
    }
    if (fabs(b.re) >= fabs(b.im)) {
        r = b.im / b.re;
        d = fma(b.im, r, b.re);
        return (struct number){ fma(a.im, r, a.re) / d, fma(-a.re, r, a.im) / d };
    }
    r = b.re / b.im;
    d = fma(b.re, r, b.im);
    return (struct number){ fma(a.re, r, a.im) / d, fma(a.im, r, -a.re) / d };
}

#endif
