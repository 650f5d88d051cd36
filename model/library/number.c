/* SPDX-License-Identifier: MIT */
#include "model/library/number.h"

#include <glib.h>

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
