/* SPDX-License-Identifier: MIT */
/* P A = L U with partial pivoting, and what is solved with it: small matrices, many of them. In
 * double precision, rounded once. Pivots are rows from 1 on, as LAPACK's getrf has them; a call
 * without pivots has an operand of none.
 */
#include <glib.h>
#include <math.h>

#include "model/library/dense.h"

static bool square_has(const struct library_operand *o, int64_t n, int64_t columns)
{
    uint64_t want;

    return n >= 0 && n <= INT32_MAX && columns >= 0 &&
           !__builtin_mul_overflow((uint64_t)n, (uint64_t)columns, &want) &&
           library_operand_count(o) == want && library_type_float(o->type) &&
           !(o->flags & (LIBRARY_UPPER | LIBRARY_LOWER));
}

static bool integers_has(const struct library_operand *o, uint64_t n)
{
    return library_operand_count(o) == n && o->type == LIBRARY_R_32I;
}

/* 64 bits wide, too: the wide forms of cuSOLVER */
static bool pivots_has(const struct library_operand *o, int64_t n)
{
    return (o->type == LIBRARY_R_32I || o->type == LIBRARY_R_64I) &&
           (library_operand_count(o) == 0 || library_operand_count(o) == (uint64_t)n);
}

static const char wrong_size[] = "library call: a matrix of another size";

const char *library_getrf_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;

    return square_has(&o[0], c->n[0], c->n[1]) &&
                   pivots_has(&o[1], c->n[0] < c->n[1] ? c->n[0] : c->n[1]) && dense_info_has(&o[2])
               ? NULL
               : wrong_size;
}

const char *library_getrs_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;

    return square_has(&o[0], c->n[0], c->n[0]) && pivots_has(&o[1], c->n[0]) &&
                   square_has(&o[2], c->n[0], c->n[1]) && dense_info_has(&o[3])
               ? NULL
               : wrong_size;
}

const char *library_getri_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;

    return square_has(&o[0], c->n[0], c->n[0]) && pivots_has(&o[1], c->n[0]) &&
                   square_has(&o[2], c->n[0], c->n[0]) && integers_has(&o[3], 1)
               ? NULL
               : wrong_size;
}

static void rows_swap(struct number *a, uint64_t n, uint64_t columns, uint64_t i, uint64_t k)
{
    for (uint64_t j = 0; j < columns && i != k; j++) {
        struct number v = a[i + j * n];

        a[i + j * n] = a[k + j * n];
        a[k + j * n] = v;
    }
}

static uint64_t pivot_find(const struct number *a, uint64_t m, uint64_t k)
{
    uint64_t best = k;

    for (uint64_t i = k + 1; i < m; i++) {
        if (fabs(a[i + k * m].re) + fabs(a[i + k * m].im) >
            fabs(a[best + k * m].re) + fabs(a[best + k * m].im)) {
            best = i;
        }
    }
    return best;
}

static void column_eliminate(struct number *a, uint64_t m, uint64_t n, uint64_t k)
{
    for (uint64_t i = k + 1; i < m; i++) {
        a[i + k * m] = number_divide(a[i + k * m], a[k + k * m]);
    }
    for (uint64_t j = k + 1; j < n; j++) {
        for (uint64_t i = k + 1; i < m; i++) {
            a[i + j * m] = number_subtract(a[i + j * m], a[i + k * m], a[k + j * m]);
        }
    }
}

static void pivot_put(struct library_work *w, unsigned o, uint64_t k, uint64_t row)
{
    if (w->call->operand[o].type == LIBRARY_R_64I) {
        ((int64_t *)w->data[o])[k] = (int64_t)row + 1;
    } else {
        ((int32_t *)w->data[o])[k] = (int32_t)row + 1;
    }
}

/* The row from 0 on; a value that is none is large */
static uint64_t pivot_get(const struct library_work *w, unsigned o, uint64_t k)
{
    return (w->call->operand[o].type == LIBRARY_R_64I
                ? (uint64_t)((const int64_t *)w->data[o])[k]
                : (uint64_t)((const int32_t *)w->data[o])[k]) -
           1;
}

/* m x n, pivots into operand @o unless it has none. Return: info: the first pivot that is zero,
 * from 1 on; the factors are complete all the same. */
static int32_t matrix_factor(struct library_work *w, struct number *a, uint64_t m, uint64_t n,
                             unsigned o)
{
    bool pivoting = library_operand_count(&w->call->operand[o]) != 0;
    int32_t info = 0;

    for (uint64_t k = 0; k < m && k < n; k++) {
        uint64_t p = pivoting ? pivot_find(a, m, k) : k;

        if (pivoting) {
            pivot_put(w, o, k, p);
            rows_swap(a, m, n, k, p);
        }
        if (number_zero(a[k + k * m])) {
            info = info ? info : (int32_t)k + 1;
        } else {
            column_eliminate(a, m, n, k);
        }
    }
    return info;
}

void library_getrf_run(struct library_work *w)
{
    uint64_t m = (uint64_t)w->call->n[0], n = (uint64_t)w->call->n[1];
    struct number *a = number_array_new(w, 0, m * n);
    int32_t info = matrix_factor(w, a, m, n, 1);

    number_array_put(w, 0, a, m * n);
    dense_info_put(w, 2, info);
    number_cost(w, m * n * (m < n ? m : n) / 3);
    g_free(a);
}

/* Swaps of getrf on columns of B; backwards for a transpose. A pivot that is no row: false */
static bool pivots_apply(struct library_work *w, struct number *b, uint64_t n, uint64_t columns,
                         bool back)
{
    if (library_operand_count(&w->call->operand[1]) == 0) {
        return true;
    }
    for (uint64_t s = 0; s < n; s++) {
        uint64_t i = back ? n - 1 - s : s, row = pivot_get(w, 1, i);

        if (row >= n) {
            return false;
        }
        rows_swap(b, n, columns, i, row);
    }
    return true;
}

static struct number factor_get(const struct number *lu, uint64_t n, uint64_t i, uint64_t p,
                                uint32_t mode)
{
    struct number v = mode & LIBRARY_TRANSPOSED ? lu[p + i * n] : lu[i + p * n];

    v.im = mode & LIBRARY_CONJUGATED ? -v.im : v.im;
    return v;
}

/* One triangle of the factors: rows up or down */
static void factor_solve(const struct number *lu, uint64_t n, struct number *b, uint64_t columns,
                         uint32_t mode, bool lower, bool unit)
{
    for (uint64_t j = 0; j < columns; j++) {
        for (uint64_t s = 0; s < n; s++) {
            uint64_t i = lower ? s : n - 1 - s;
            struct number v = b[i + j * n];

            for (uint64_t p = lower ? 0 : i + 1; p < (lower ? i : n); p++) {
                v = number_subtract(v, factor_get(lu, n, i, p, mode), b[p + j * n]);
            }
            b[i + j * n] = unit ? v : number_divide(v, factor_get(lu, n, i, i, mode));
        }
    }
}

static bool system_solve(struct library_work *w, const struct number *lu, struct number *b,
                         uint64_t columns, uint32_t mode)
{
    uint64_t n = (uint64_t)w->call->n[0];

    if (mode & LIBRARY_TRANSPOSED) {
        factor_solve(lu, n, b, columns, mode, true, false);
        factor_solve(lu, n, b, columns, mode, false, true);
        return pivots_apply(w, b, n, columns, true);
    }
    if (!pivots_apply(w, b, n, columns, false)) {
        return false;
    }
    factor_solve(lu, n, b, columns, mode, true, true);
    factor_solve(lu, n, b, columns, mode, false, false);
    return true;
}

void library_getrs_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0], columns = (uint64_t)w->call->n[1];
    struct number *lu = number_array_new(w, 0, n * n), *b = number_array_new(w, 2, n * columns);

    if (n > 0 && columns > 0 && !system_solve(w, lu, b, columns, w->call->mode[1])) {
        w->why = "library call: a pivot that is no row";
    }
    for (uint64_t i = 0; i < n * columns; i++) {
        number_put(w, 2, i, b[i]);
    }
    dense_info_put(w, 3, 0);
    number_cost(w, n * n * columns);
    g_free(lu);
    g_free(b);
}

void library_getri_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0];
    struct number *lu = number_array_new(w, 0, n * n), *b = g_new0(struct number, n * n + 1);
    int32_t info = 0;

    for (uint64_t i = 0; i < n; i++) {
        b[i + i * n].re = 1;
        if (!info && lu[i + i * n].re == 0 && lu[i + i * n].im == 0) {
            info = (int32_t)i + 1;
        }
    }
    if (!info && !system_solve(w, lu, b, n, 0)) {
        w->why = "library call: a pivot that is no row";
    }
    for (uint64_t i = 0; i < n * n; i++) {
        number_put(w, 2, i, b[i]);
    }
    *(int32_t *)w->data[3] = info;
    number_cost(w, n * n * n);
    g_free(lu);
    g_free(b);
}

/* --- A X = B, all at once; A stays --- */

const char *library_gesv_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;

    return square_has(&o[0], c->n[0], c->n[0]) && pivots_has(&o[1], c->n[0]) &&
                   square_has(&o[2], c->n[0], c->n[1]) && square_has(&o[3], c->n[0], c->n[1]) &&
                   dense_info_has(&o[4])
               ? NULL
               : wrong_size;
}

void library_gesv_run(struct library_work *w)
{
    uint64_t n = (uint64_t)w->call->n[0], columns = (uint64_t)w->call->n[1];
    struct number *a = number_array_new(w, 0, n * n), *b = number_array_new(w, 2, n * columns);
    int32_t info = matrix_factor(w, a, n, n, 1);

    if (!info) {
        system_solve(w, a, b, columns, 0);
    }
    number_array_put(w, 3, b, n * columns);
    dense_info_put(w, 4, info);
    number_cost(w, n * n * n / 3);
    g_free(a);
    g_free(b);
}
