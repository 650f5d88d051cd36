/* SPDX-License-Identifier: MIT */
/* A = Q R by reflectors, as LAPACK has them: Q = H(1) .. H(k), H = I - tau v v^H. n[]: m, n, k. */
#include <glib.h>

#include "model/library/dense.h"

static uint64_t dense_qr_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

const char *library_geqrf_check(const struct library_call *c)
{
    int64_t k = c->n[0] < c->n[1] ? c->n[0] : c->n[1];

    return dense_has(&c->operand[0], c->n[0], c->n[1], false) &&
                   dense_has(&c->operand[1], k, 1, false) && dense_info_has(&c->operand[2])
               ? NULL
               : dense_wrong_size;
}

static void matrix_factor(struct number *a, uint64_t m, uint64_t n, struct number *tau)
{
    for (uint64_t k = 0; k < dense_qr_smaller(m, n); k++) {
        tau[k] = dense_reflector(a + k + k * m, m - k);
        dense_reflect(a + k + k * m, number_conjugate(tau[k]), a + k + (k + 1) * m, m - k,
                      n - k - 1, m);
    }
}

void library_geqrf_run(struct library_work *w)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1], k = dense_qr_smaller(m, n);
    struct number *a = number_array_new(w, 0, m * n), *tau = g_new0(struct number, k + 1);

    matrix_factor(a, m, n, tau);
    number_array_put(w, 0, a, m * n);
    number_array_put(w, 1, tau, k);
    dense_info_put(w, 2, 0);
    number_cost(w, 2 * m * n * k);
    g_free(a);
    g_free(tau);
}

/* --- op(Q) C, C op(Q): mode[1] as of GEMM, mode[2]: from the right --- */

const char *library_ormqr_check(const struct library_call *c)
{
    int64_t order = c->mode[2] ? c->n[1] : c->n[0];

    return c->n[2] >= 0 && c->n[2] <= order && dense_has(&c->operand[0], order, c->n[2], false) &&
                   dense_has(&c->operand[1], c->n[2], 1, false) &&
                   dense_has(&c->operand[2], c->n[0], c->n[1], false) &&
                   dense_info_has(&c->operand[3])
               ? NULL
               : dense_wrong_size;
}

static struct number *adjoint_new(const struct number *a, uint64_t m, uint64_t n)
{
    struct number *t = g_new(struct number, m * n + 1);

    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t i = 0; i < m; i++) {
            t[j + i * n] = number_conjugate(a[i + j * m]);
        }
    }
    return t;
}

/* C := Q C or Q^H C, C with @order rows */
static void reflectors_apply(const struct number *a, const struct number *tau, uint64_t order,
                             uint64_t k, struct number *c, uint64_t columns, bool adjoint)
{
    for (uint64_t s = 0; s < k; s++) {
        uint64_t i = adjoint ? s : k - 1 - s;

        dense_reflect(a + i + i * order, adjoint ? number_conjugate(tau[i]) : tau[i], c + i,
                      order - i, columns, order);
    }
}

/* From the right it is the adjoint of op(Q)^H C^H. */
void library_ormqr_run(struct library_work *w)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1];
    uint64_t k = (uint64_t)w->call->n[2], order = w->call->mode[2] ? n : m;
    bool adjoint = w->call->mode[1] & LIBRARY_TRANSPOSED, right = w->call->mode[2];
    struct number *a = number_array_new(w, 0, order * k), *tau = number_array_new(w, 1, k);
    struct number *c = number_array_new(w, 2, m * n), *t;

    if (right) {
        t = adjoint_new(c, m, n);
        reflectors_apply(a, tau, order, k, t, m, !adjoint);
        g_free(c);
        c = adjoint_new(t, n, m);
        g_free(t);
    } else {
        reflectors_apply(a, tau, order, k, c, n, adjoint);
    }
    number_array_put(w, 2, c, m * n);
    dense_info_put(w, 3, 0);
    number_cost(w, 2 * m * n * k);
    g_free(a);
    g_free(tau);
    g_free(c);
}

/* --- the first n columns of Q --- */

const char *library_orgqr_check(const struct library_call *c)
{
    return c->n[2] >= 0 && c->n[2] <= c->n[1] && c->n[1] <= c->n[0] &&
                   dense_has(&c->operand[0], c->n[0], c->n[1], false) &&
                   dense_has(&c->operand[1], c->n[2], 1, false) && dense_info_has(&c->operand[2])
               ? NULL
               : dense_wrong_size;
}

void library_orgqr_run(struct library_work *w)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1];
    uint64_t k = (uint64_t)w->call->n[2];
    struct number *a = number_array_new(w, 0, m * n), *tau = number_array_new(w, 1, k);
    struct number *q = g_new0(struct number, m * n + 1);

    for (uint64_t i = 0; i < n; i++) {
        q[i + i * m].re = 1;
    }
    reflectors_apply(a, tau, m, k, q, n, false);
    number_array_put(w, 0, q, m * n);
    dense_info_put(w, 2, 0);
    number_cost(w, 2 * m * n * k);
    g_free(a);
    g_free(tau);
    g_free(q);
}

/* --- least squares: X of the smallest |A X - B|; n[2]: right-hand sides --- */

const char *library_gels_check(const struct library_call *c)
{
    return c->n[0] >= c->n[1] && dense_has(&c->operand[0], c->n[0], c->n[1], false) &&
                   dense_has(&c->operand[1], c->n[0], c->n[2], false) &&
                   dense_has(&c->operand[2], c->n[1], c->n[2], false) &&
                   dense_info_has(&c->operand[3])
               ? NULL
               : dense_wrong_size;
}

/* x := R^-1 x. Return: 0, or the first column, from 1 on, without a pivot */
static int32_t upper_solve(const struct number *a, uint64_t m, uint64_t n, struct number *x)
{
    for (uint64_t s = 0; s < n; s++) {
        uint64_t i = n - 1 - s;

        for (uint64_t p = i + 1; p < n; p++) {
            x[i] = number_subtract(x[i], a[i + p * m], x[p]);
        }
        if (number_zero(a[i + i * m])) {
            return (int32_t)i + 1;
        }
        x[i] = number_divide(x[i], a[i + i * m]);
    }
    return 0;
}

void library_gels_run(struct library_work *w)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1];
    uint64_t columns = (uint64_t)w->call->n[2];
    struct number *a = number_array_new(w, 0, m * n), *tau = g_new0(struct number, n + 1);
    struct number *b = number_array_new(w, 1, m * columns);
    int32_t info = 0;

    matrix_factor(a, m, n, tau);
    reflectors_apply(a, tau, m, n, b, columns, true);
    for (uint64_t j = 0; j < columns && n > 0; j++) {
        info = upper_solve(a, m, n, b + j * m);
        for (uint64_t i = 0; i < n; i++) {
            number_put(w, 2, i + j * n, b[i + j * m]);
        }
    }
    dense_info_put(w, 3, info);
    number_cost(w, 2 * m * n * n);
    g_free(a);
    g_free(tau);
    g_free(b);
}

/* --- the same in place, as cuBLAS has it: A's factors, and X above Q^H B's other rows --- */

const char *library_gels_batch_check(const struct library_call *c)
{
    return c->n[0] >= c->n[1] && dense_has(&c->operand[0], c->n[0], c->n[1], false) &&
                   dense_has(&c->operand[1], c->n[0], c->n[2], false) &&
                   dense_info_has(&c->operand[2])
               ? NULL
               : dense_wrong_size;
}

void library_gels_batch_run(struct library_work *w)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1];
    uint64_t columns = (uint64_t)w->call->n[2];
    struct number *a = number_array_new(w, 0, m * n), *tau = g_new0(struct number, n + 1);
    struct number *b = number_array_new(w, 1, m * columns);
    int32_t info = 0;

    matrix_factor(a, m, n, tau);
    reflectors_apply(a, tau, m, n, b, columns, true);
    for (uint64_t j = 0; j < columns && n > 0; j++) {
        info = upper_solve(a, m, n, b + j * m);
    }
    number_array_put(w, 0, a, m * n);
    number_array_put(w, 1, b, m * columns);
    dense_info_put(w, 2, info);
    number_cost(w, 2 * m * n * n);
    g_free(a);
    g_free(tau);
    g_free(b);
}
