/* SPDX-License-Identifier: MIT */
/* Elements as complex numbers in double precision: what operations compute in that round once. A
 * real number has an imaginary part of zero, and stays real: products of real numbers are one fma.
 */
#ifndef MODEL_LIBRARY_NUMBER_H
#define MODEL_LIBRARY_NUMBER_H

#include <math.h>

#include "model/library/element.h"
#include "model/library/work.h"

struct number {
    double re, im;
};

static inline struct number number_at(const void *data, uint32_t type, uint64_t i)
{
    switch (type) {
    case LIBRARY_R_32F:
        return (struct number){ ((const float *)data)[i], 0 };
    case LIBRARY_R_64F:
        return (struct number){ ((const double *)data)[i], 0 };
    case LIBRARY_C_32F:
        return (struct number){ ((const float *)data)[2 * i], ((const float *)data)[2 * i + 1] };
    case LIBRARY_C_64F:
        return (struct number){ ((const double *)data)[2 * i], ((const double *)data)[2 * i + 1] };
    default:
        return (struct number){ library_element_get(data, type, i, 0), 0 };
    }
}

static inline struct number number_get(const struct library_work *w, unsigned o, uint64_t i)
{
    return number_at(w->data[o], w->call->operand[o].type, i);
}

static inline void number_put(struct library_work *w, unsigned o, uint64_t i, struct number v)
{
    library_element_put(w->data[o], w->call->operand[o].type, i, v.re, v.im);
}

static inline struct number number_scalar(const struct library_work *w, unsigned i)
{
    return (struct number){ w->scalar[i][0], w->scalar[i][1] };
}

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

struct number number_divide(struct number a, struct number b);
/* n elements of an operand. Freed with g_free() */
struct number *number_array_new(const struct library_work *w, unsigned o, uint64_t n);
void number_array_put(struct library_work *w, unsigned o, const struct number *a, uint64_t n);
/* @fmas multiply-adds in the precision that the call's elements ask for */
void number_cost(struct library_work *w, uint64_t fmas);

#endif
