/* SPDX-License-Identifier: MIT */
#include "model/library/number.h"

#include <glib.h>

/* R. Smith, Algorithm 116: neither overflows nor underflows in between. */
struct number number_divide(struct number a, struct number b)
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

struct number *number_array_new(const struct library_work *w, unsigned o, uint64_t n)
{
    struct number *a = g_new(struct number, n + 1);

    for (uint64_t i = 0; i < n; i++) {
        a[i] = number_get(w, o, i);
    }
    return a;
}

void number_array_put(struct library_work *w, unsigned o, const struct number *a, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        number_put(w, o, i, a[i]);
    }
}

void number_cost(struct library_work *w, uint64_t fmas)
{
    *(library_type_double(w->call->mode[0]) ? &w->cost.twice : &w->cost.single) += fmas;
}
