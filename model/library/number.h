/* SPDX-License-Identifier: MIT */
/* Elements as complex numbers in double precision: what operations compute in that round once. A
 * real number has an imaginary part of zero, and stays real: products of real numbers are one fma.
 */
#ifndef MODEL_LIBRARY_NUMBER_H
#define MODEL_LIBRARY_NUMBER_H

#include "model/library/arithmetic.h"
#include "model/library/element.h"
#include "model/library/work.h"

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

/* n elements of an operand. Freed with g_free() */
struct number *number_array_new(const struct library_work *w, unsigned o, uint64_t n);
void number_array_put(struct library_work *w, unsigned o, const struct number *a, uint64_t n);
/* @fmas multiply-adds in the precision that the call's elements ask for */
void number_cost(struct library_work *w, uint64_t fmas);

#endif
