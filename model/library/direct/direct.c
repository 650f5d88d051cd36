/* SPDX-License-Identifier: MIT */
#include "model/library/direct/direct.h"

#include <stdlib.h>

static struct direct_matrix rows_new(uint32_t n)
{
    return (struct direct_matrix){ .rows = n,
                                   .columns = n,
                                   .begin = direct_new((uint64_t)n + 1, sizeof(uint32_t)) };
}

void direct_factor(struct direct_factors *f, enum direct_method method,
                   const struct direct_matrix *a, double threshold)
{
    *f = (struct direct_factors){ .method = method,
                                  .rows = a->rows,
                                  .n = a->columns,
                                  .lower = rows_new(a->columns),
                                  .upper = rows_new(a->columns),
                                  .diagonal = direct_new(a->columns, sizeof(struct number)),
                                  .failed = UINT32_MAX };
    switch (method) {
    case DIRECT_LU:
        direct_lu(f, a, threshold);
        break;
    case DIRECT_QR:
        direct_qr(f, a);
        break;
    case DIRECT_CHOLESKY:
        direct_cholesky(f, a);
        break;
    }
}

void direct_solve(struct direct_factors *f, struct number *b, struct number *x)
{
    switch (f->method) {
    case DIRECT_LU:
        direct_lu_solve(f, b, x);
        break;
    case DIRECT_QR:
        direct_qr_solve(f, b, x);
        break;
    case DIRECT_CHOLESKY:
        direct_cholesky_solve(f, b, x);
        break;
    }
}

int32_t direct_zero_pivot(const struct direct_factors *f, double tolerance)
{
    for (uint32_t i = 0; i < f->n; i++) {
        if (i == f->failed || !(direct_length(f->diagonal[i].re, f->diagonal[i].im) > tolerance)) {
            return (int32_t)i;
        }
    }
    return -1;
}

void direct_factors_free(struct direct_factors *f)
{
    direct_matrix_free(&f->lower);
    direct_matrix_free(&f->upper);
    free(f->order);
    free(f->place);
    free(f->rotations);
    free(f->first);
    free(f->diagonal);
    *f = (struct direct_factors){ 0 };
}

/* --- eigenvalues --- */

static double vector_length(const struct number *x, uint32_t n)
{
    double length = 0;

    for (uint32_t i = 0; i < n; i++) {
        length = direct_length(length, direct_length(x[i].re, x[i].im));
    }
    return length;
}

static void vector_scale(struct number *x, uint32_t n, double factor)
{
    for (uint32_t i = 0; i < n; i++) {
        x[i] = number_scaled(x[i], factor);
    }
}

struct direct_matrix direct_matrix_shifted(const struct direct_matrix *a, struct number shift)
{
    struct direct_matrix m = rows_new(a->rows);

    for (uint32_t i = 0; i < a->rows; i++) {
        uint32_t at = m.begin[i], count = a->begin[i + 1] - a->begin[i];

        direct_matrix_reserve(&m, i, count + 1);
        m.column[at] = i;
        m.value[at++] = number_negate(shift);
        for (uint32_t k = a->begin[i]; k < a->begin[i + 1]; k++) {
            if (a->column[k] == i) {
                m.value[m.begin[i]] =
                    number_add(m.value[m.begin[i]], a->value[k], (struct number){ 1, 0 });
            } else {
                m.column[at] = a->column[k];
                m.value[at++] = a->value[k];
            }
        }
        m.begin[i + 1] = at;
    }
    return m;
}

/* mu := x^H A x; |A x - mu x| */
static double eigen_rest(const struct direct_matrix *a, const struct number *x, struct number *y,
                         struct number *mu)
{
    *mu = (struct number){ 0, 0 };
    direct_matrix_multiply(a, x, y);
    for (uint32_t i = 0; i < a->rows; i++) {
        *mu = number_add(*mu, number_conjugate(x[i]), y[i]);
    }
    for (uint32_t i = 0; i < a->rows; i++) {
        y[i] = number_subtract(y[i], *mu, x[i]);
    }
    return vector_length(y, a->rows);
}

bool direct_eigen(const struct direct_matrix *a, struct number shift, uint32_t steps,
                  double tolerance, struct number *x, struct number *mu)
{
    struct direct_matrix m = direct_matrix_shifted(a, shift);
    struct number *y = direct_new(a->rows, sizeof(*y));
    double length = vector_length(x, a->rows), norm = vector_length(a->value, a->begin[a->rows]);
    struct direct_factors f;
    bool done = false;

    direct_factor(&f, DIRECT_LU, &m, 1);
    vector_scale(x, a->rows, 1 / length);
    *mu = shift;
    for (uint32_t i = 0; i < steps && !done && direct_zero_pivot(&f, 0) < 0; i++) {
        for (uint32_t j = 0; j < a->rows; j++) {
            y[j] = x[j];
        }
        direct_solve(&f, y, x);
        vector_scale(x, a->rows, 1 / vector_length(x, a->rows));
        done = eigen_rest(a, x, y, mu) <= tolerance * norm;
    }
    direct_factors_free(&f);
    direct_matrix_free(&m);
    free(y);
    return done;
}
