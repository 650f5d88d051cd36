/* SPDX-License-Identifier: MIT */
/* cuSOLVER, orders of sparse matrices in the host's memory, and least squares. */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/cusolver/sp.h"

cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnz,
                                         const cusparseMatDescr_t descrA, const int *csrRowPtr,
                                         const int *csrEndPtr, const int *csrColInd, int *issym)
{
    struct sp_matrix a = SP_PATTERN(m, m);
    struct direct_matrix matrix;

    (void)handle; /* NVIDIA's looks at none, either */
    a.end = csrEndPtr;
    SP_REQUIRE(m > 0 && nnz >= 0 && descrA && descrA->type == CUSPARSE_MATRIX_TYPE_GENERAL &&
               csrRowPtr && csrEndPtr && csrColInd && issym);
    SP_TRY(sp_matrix_read(&a, &matrix));
    *issym = direct_matrix_symmetric(&matrix);
    direct_matrix_free(&matrix);
    return CUSOLVER_STATUS_SUCCESS;
}

static void order_write(const uint32_t *order, uint32_t n, int *p)
{
    for (uint32_t i = 0; i < n; i++) {
        p[i] = (int)order[i];
    }
}

cusolverStatus_t sp_order(cusolverSpHandle_t h, enum direct_order kind, struct sp_matrix a, int *p)
{
    struct direct_matrix m;
    uint32_t *order;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(p);
    SP_TRY(sp_matrix_read(&a, &m));
    order = direct_new(m.rows, sizeof(*order));
    direct_order_find(kind, &m, order);
    order_write(order, m.rows, p);
    free(order);
    direct_matrix_free(&m);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sp_diagonal_rows(cusolverSpHandle_t h, struct sp_matrix a, int *p, int *found)
{
    struct direct_matrix m;
    uint32_t *order;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(a.value && p && found);
    SP_TRY(sp_matrix_read(&a, &m));
    order = direct_new(m.rows, sizeof(*order));
    *found = (int)direct_order_diagonal(&m, order);
    order_write(order, m.rows, p);
    free(order);
    direct_matrix_free(&m);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                                   const cusparseMatDescr_t descrA,
                                                   const int *csrRowPtr, const int *csrColInd,
                                                   const int *p, const int *q,
                                                   size_t *bufferSizeInBytes)
{
    (void)handle;
    (void)m;
    (void)n;
    (void)nnz;
    (void)descrA;
    (void)csrRowPtr;
    (void)csrColInd;
    (void)p;
    (void)q;
    SP_REQUIRE(bufferSizeInBytes);
    *bufferSizeInBytes = 512; /* stays untouched */
    return CUSOLVER_STATUS_SUCCESS;
}

/* A choice of n numbers, from 0 on. NULL: it is none */
static uint32_t *choice_new(const int *p, uint32_t n)
{
    uint32_t *choice = direct_new(n, sizeof(*choice));
    bool *seen = direct_new(n, sizeof(*seen)), good = true;

    for (uint32_t i = 0; i < n && good; i++) {
        choice[i] = (uint32_t)p[i];
        good = choice[i] < n && !seen[choice[i]];
        if (good) {
            seen[choice[i]] = true;
        }
    }
    free(seen);
    if (!good) {
        free(choice);
    }
    return good ? choice : NULL;
}

static void pattern_write(const struct direct_matrix *m, int base, int *begin, int *column)
{
    for (uint32_t i = 0; i <= m->rows; i++) {
        begin[i] = (int)m->begin[i] + base;
    }
    for (uint32_t k = 0; k < m->begin[m->rows]; k++) {
        column[k] = (int)m->column[k] + base;
    }
}

cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                        const cusparseMatDescr_t descrA, int *csrRowPtr,
                                        int *csrColInd, const int *p, const int *q, int *map,
                                        void *pBuffer)
{
    struct sp_matrix a = SP_PATTERN(m, n);
    struct direct_matrix matrix, moved;
    uint32_t *rows, *columns, *from;
    int *old;

    SP_TRY(sp_matrix_check(handle, &a));
    SP_REQUIRE(p && q && map && pBuffer);
    SP_TRY(sp_matrix_read(&a, &matrix));
    rows = choice_new(p, (uint32_t)m);
    columns = choice_new(q, (uint32_t)n);
    if (rows && columns) {
        from = direct_new((uint64_t)nnz, sizeof(*from));
        old = direct_new((uint64_t)nnz, sizeof(*old));
        moved = direct_matrix_permuted(&matrix, rows, columns, from);
        memcpy(old, map, (size_t)nnz * sizeof(*old));
        for (int k = 0; k < nnz; k++) {
            map[k] = old[from[k]];
        }
        pattern_write(&moved, descrA->base == CUSPARSE_INDEX_BASE_ONE, csrRowPtr, csrColInd);
        direct_matrix_free(&moved);
        free(from);
        free(old);
    }
    direct_matrix_free(&matrix);
    n = rows && columns; /* from here on: was it done? */
    free(rows);
    free(columns);
    return n ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

/* --- least squares --- */

/* Columns @order to @order + @count of a matrix */
static struct direct_matrix columns_chosen(const struct direct_matrix *a, const uint32_t *order,
                                           uint32_t count)
{
    uint32_t *place = direct_new(a->columns, sizeof(*place)), at = 0;
    struct direct_matrix m = { .rows = a->rows,
                               .columns = count,
                               .begin = direct_new((uint64_t)a->rows + 1, sizeof(*m.begin)) };

    direct_matrix_reserve(&m, 0, a->begin[a->rows]);
    memset(place, 0xff, a->columns * sizeof(*place));
    for (uint32_t j = 0; j < count; j++) {
        place[order[j]] = j;
    }
    for (uint32_t i = 0; i < a->rows; i++) {
        for (uint32_t k = a->begin[i]; k < a->begin[i + 1]; k++) {
            if (place[a->column[k]] != UINT32_MAX) {
                m.column[at] = place[a->column[k]];
                m.value[at++] = a->value[k];
            }
        }
        m.begin[i + 1] = at;
    }
    free(place);
    return m;
}

/* Columns that depend on those before them come last. Return: how many do not */
static uint32_t columns_rank(const struct direct_matrix *a, double tolerance, uint32_t *order)
{
    uint32_t rank = 0, last = a->columns;
    struct direct_factors f;

    direct_factor(&f, DIRECT_QR, a, 0);
    for (uint32_t j = 0; j < a->columns; j++) {
        if (direct_length(f.diagonal[j].re, f.diagonal[j].im) > tolerance) {
            order[rank++] = j;
        } else {
            order[--last] = j;
        }
    }
    direct_factors_free(&f);
    return rank;
}

/* |b - A x|, x of the columns in order */
static double residual_length(const struct direct_matrix *a, uint32_t type, const void *b,
                              const struct number *x)
{
    struct number *y = direct_new(a->rows, sizeof(*y));
    double length = 0;

    direct_matrix_multiply(a, x, y);
    for (uint32_t i = 0; i < a->rows; i++) {
        struct number rest = number_subtract(sp_get(b, type, i), y[i], (struct number){ 1, 0 });

        length = direct_length(length, direct_length(rest.re, rest.im));
    }
    free(y);
    return length;
}

cusolverStatus_t sp_least_squares(cusolverSpHandle_t h, struct sp_matrix a, const void *b,
                                  double tolerance, int *rank, void *x, int *p, void *norm)
{
    struct direct_matrix m, chosen;
    struct direct_factors f;
    struct number *from, *to;
    uint32_t *order, count;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(a.value && b && rank && x && p && norm);
    SP_TRY(sp_matrix_read(&a, &m));
    order = direct_new(m.columns, sizeof(*order));
    count = columns_rank(&m, tolerance, order);
    chosen = columns_chosen(&m, order, count);
    from = direct_new(m.rows, sizeof(*from));
    to = direct_new(m.columns, sizeof(*to));
    for (uint32_t i = 0; i < m.rows; i++) {
        from[i] = sp_get(b, a.type, i);
    }
    direct_factor(&f, DIRECT_QR, &chosen, 0);
    direct_solve(&f, from, to);
    for (uint32_t j = 0; j < m.columns; j++) {
        sp_put(x, a.type, order[j], j < count ? to[j] : (struct number){ 0, 0 });
    }
    sp_put(norm, sp_type_real(a.type), 0,
           (struct number){ residual_length(&chosen, a.type, b, to), 0 });
    *rank = (int)count;
    order_write(order, m.columns, p);
    direct_factors_free(&f);
    direct_matrix_free(&m);
    direct_matrix_free(&chosen);
    free(order);
    free(from);
    free(to);
    return CUSOLVER_STATUS_SUCCESS;
}
