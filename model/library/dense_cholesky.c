/* SPDX-License-Identifier: MIT */
/* Positive definite matrices, inverses of triangles. n[0]: order, n[1]: right-hand sides. */
#include <glib.h>

#include "model/library/dense.h"

/* Writes L where the operand has its lower half, else L^H. */
static void lower_put(struct library_work *w, unsigned o, const struct number *l, uint64_t n)
{
    bool upper = w->call->operand[o].flags & LIBRARY_UPPER;

    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t i = 0; i < n; i++) {
            number_put(w, o, i + j * n, upper ? number_conjugate(l[j + i * n]) : l[i + j * n]);
        }
    }
}

/* L of an operand that has L or L^H */
static struct number *lower_new(const struct library_work *w, unsigned o, uint64_t n)
{
    struct number *a = dense_triangle_new(w, o, n, false);

    if (w->call->operand[o].flags & LIBRARY_UPPER) {
        for (uint64_t j = 0; j < n; j++) {
            for (uint64_t i = j; i < n; i++) {
                a[i + j * n] = number_conjugate(a[j + i * n]);
            }
        }
    }
    return a;
}

const char *library_potrf_check(const struct library_call *c)
{
    return dense_has(&c->operand[0], c->n[0], c->n[0], true) && dense_info_has(&c->operand[1])
               ? NULL
               : dense_wrong_size;
}

void library_potrf_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0];
    struct number *a = dense_hermitian_new(w, 0, n);
    int32_t info = dense_cholesky(a, n);

    lower_put(w, 0, a, n);
    dense_info_put(w, 1, info);
    number_cost(w, n * n * n / 3);
    g_free(a);
}

const char *library_potrs_check(const struct library_call *c)
{
    return dense_has(&c->operand[0], c->n[0], c->n[0], true) &&
                   dense_has(&c->operand[1], c->n[0], c->n[1], false) &&
                   dense_info_has(&c->operand[2])
               ? NULL
               : dense_wrong_size;
}

void library_potrs_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0], columns = (uint64_t)w->call->n[1];
    struct number *l = lower_new(w, 0, n), *b = number_array_new(w, 1, n * columns);

    dense_lower_solve(l, n, b, columns, false);
    dense_lower_solve(l, n, b, columns, true);
    number_array_put(w, 1, b, n * columns);
    dense_info_put(w, 2, 0);
    number_cost(w, n * n * columns);
    g_free(l);
    g_free(b);
}

static struct number *identity_new(uint64_t n)
{
    struct number *a = g_new0(struct number, n * n + 1);

    for (uint64_t i = 0; i < n; i++) {
        a[i + i * n].re = 1;
    }
    return a;
}

/* The first zero of a diagonal, from 1 on; 0: none */
static int32_t diagonal_zero(const struct number *l, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (number_zero(l[i + i * n])) {
            return (int32_t)i + 1;
        }
    }
    return 0;
}

const char *library_potri_check(const struct library_call *c)
{
    return library_potrf_check(c);
}

/* The inverse of L L^H, its lower half */
void library_potri_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0];
    struct number *l = lower_new(w, 0, n), *a = identity_new(n);
    int32_t info = diagonal_zero(l, n);

    if (!info) {
        dense_lower_solve(l, n, a, n, false);
        dense_lower_solve(l, n, a, n, true);
        for (uint64_t i = 0; i < n; i++) {
            a[i + i * n].im = 0;
        }
        lower_put(w, 0, a, n);
    }
    dense_info_put(w, 1, info);
    number_cost(w, n * n * n);
    g_free(l);
    g_free(a);
}

const char *library_trtri_check(const struct library_call *c)
{
    return library_potrf_check(c);
}

/* The inverse of a triangle; of an upper one by its adjoint */
void library_trtri_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0];
    struct number *l = lower_new(w, 0, n), *a = identity_new(n);
    int32_t info;

    for (uint64_t i = 0; i < n && w->call->mode[1]; i++) {
        l[i + i * n] = (struct number){ 1, 0 };
    }
    info = diagonal_zero(l, n);
    if (!info) {
        dense_lower_solve(l, n, a, n, false);
        lower_put(w, 0, a, n);
    }
    dense_info_put(w, 1, info);
    number_cost(w, n * n * n / 3);
    g_free(l);
    g_free(a);
}
