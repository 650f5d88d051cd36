/* SPDX-License-Identifier: MIT */
/* cuSOLVER, systems with sparse matrices in the host's memory: in one call, and step by step. */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/cusolver/sp.h"

#define WORKSPACE 512 /* bytes: what programs allocate stays untouched */

/* Rows that end before the next begins are moved together. */
static bool rows_copy(const struct sp_matrix *a, int base, const struct number *values,
                      struct direct_matrix *m)
{
    int *begin = direct_new((uint64_t)a->m + 1, sizeof(*begin)), at = 0;
    int *column = direct_new((uint64_t)a->count, sizeof(*column));
    struct number *packed = direct_new((uint64_t)a->count, sizeof(*packed));
    bool good = true;

    for (int i = 0; i < a->m && good; i++) {
        begin[i] = at + base;
        good = a->begin[i] >= base && a->end[i] >= a->begin[i] && a->end[i] - base <= a->count &&
               a->end[i] - a->begin[i] <= a->count - at;
        for (int k = a->begin[i] - base; good && k < a->end[i] - base; k++, at++) {
            column[at] = a->column[k];
            packed[at] = values[k];
        }
    }
    begin[a->m] = at + base;
    good =
        good && direct_matrix_init(m, (uint32_t)a->m, (uint32_t)a->n, begin, column, base, packed);
    free(begin);
    free(column);
    free(packed);
    return good;
}

cusolverStatus_t sp_matrix_read(const struct sp_matrix *a, struct direct_matrix *m)
{
    struct number *values;
    bool good;
    int base = a->descr->base == CUSPARSE_INDEX_BASE_ONE;

    if (!a->end && a->begin[a->m] - base != a->count) {
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    }
    values = direct_new((uint64_t)a->count, sizeof(*values));
    for (int i = 0; a->value && i < a->count; i++) {
        values[i] = sp_get(a->value, a->type, (size_t)i);
    }
    good = a->end ? rows_copy(a, base, values, m)
                  : direct_matrix_init(m, (uint32_t)a->m, (uint32_t)a->n, a->begin, a->column, base,
                                       values);
    free(values);
    return good ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INTERNAL_ERROR;
}

/* x := what factors make of b; @order: of rows and columns, or NULL */
static void vector_solve(struct direct_factors *f, uint32_t type, const void *b, void *x,
                         const uint32_t *order)
{
    struct number *from = direct_new(f->rows, sizeof(*from)), *to = direct_new(f->n, sizeof(*to));

    for (uint32_t i = 0; i < f->rows; i++) {
        from[i] = sp_get(b, type, order ? order[i] : i);
    }
    direct_solve(f, from, to);
    for (uint32_t i = 0; i < f->n; i++) {
        sp_put(x, type, order ? order[i] : i, to[i]);
    }
    free(from);
    free(to);
}

cusolverStatus_t sp_solve_host(cusolverSpHandle_t h, enum direct_method method, struct sp_matrix a,
                               const void *b, double tolerance, int reorder, void *x,
                               int *singularity)
{
    struct direct_matrix m, moved;
    struct direct_factors f;
    uint32_t *order;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(a.value && b && x && singularity && reorder >= DIRECT_NATURAL &&
               reorder <= DIRECT_METISND);
    SP_TRY(sp_matrix_read(&a, &m));
    order = direct_new(m.rows, sizeof(*order));
    direct_order_find((enum direct_order)reorder, &m, order);
    moved = direct_matrix_permuted(&m, order, order, NULL);
    direct_factor(&f, method, &moved, 1);
    *singularity = direct_zero_pivot(&f, tolerance);
    vector_solve(&f, a.type, b, x, order);
    direct_factors_free(&f);
    direct_matrix_free(&m);
    direct_matrix_free(&moved);
    free(order);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sp_eigen_host(cusolverSpHandle_t h, struct sp_matrix a, const void *shift,
                               const void *x0, int steps, double tolerance, void *mu, void *x)
{
    struct direct_matrix m;
    struct number *v, value;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(a.value && x0 && mu && x && steps >= 0);
    SP_TRY(sp_matrix_read(&a, &m));
    v = direct_new(m.rows, sizeof(*v));
    for (uint32_t i = 0; i < m.rows; i++) {
        v[i] = sp_get(x0, a.type, i);
    }
    direct_eigen(&m, sp_get(shift, a.type, 0), (uint32_t)steps, tolerance, v, &value);
    sp_put(mu, a.type, 0, value);
    for (uint32_t i = 0; i < m.rows; i++) {
        sp_put(x, a.type, i, v[i]);
    }
    free(v);
    direct_matrix_free(&m);
    return CUSOLVER_STATUS_SUCCESS;
}

/* --- step by step --- */

cusolverStatus_t sp_analyze_host(cusolverSpHandle_t h, struct sp_matrix a, struct sp_host *info)
{
    struct direct_matrix m;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(info);
    SP_TRY(sp_matrix_read(&a, &m));
    direct_matrix_free(&m);
    info->m = a.m;
    info->n = a.n;
    info->count = a.count;
    info->stage = SP_ANALYZED;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sp_analyze_cholesky_host(cusolverSpHandle_t h, struct sp_matrix a,
                                          struct sp_host *info)
{
    cusolverStatus_t s = sp_analyze_host(h, a, info);

    return s == CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED ? CUSOLVER_STATUS_INVALID_VALUE : s;
}

/* Is it the matrix that was analyzed? */
static bool info_fits(const struct sp_host *info, int m, int n, int count)
{
    return info->stage >= SP_ANALYZED && info->m == m && info->n == n && info->count == count;
}

cusolverStatus_t sp_buffer_host(cusolverSpHandle_t h, struct sp_matrix a, struct sp_host *info,
                                size_t *internal, size_t *workspace)
{
    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(info && internal && workspace && info_fits(info, a.m, a.n, a.count));
    *internal = WORKSPACE;
    *workspace = WORKSPACE;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sp_factor_host(cusolverSpHandle_t h, enum direct_method method, struct sp_matrix a,
                                double threshold, struct sp_host *info)
{
    struct direct_matrix m;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(info && a.value && info_fits(info, a.m, a.n, a.count));
    SP_TRY(sp_matrix_read(&a, &m));
    direct_factors_free(&info->factors);
    direct_factor(&info->factors, method, &m, threshold);
    direct_matrix_free(&m);
    info->stage = SP_FACTORED;
    return CUSOLVER_STATUS_SUCCESS;
}

/* QR is of A - shift. */
cusolverStatus_t sp_setup_host(cusolverSpHandle_t h, struct sp_matrix a, const void *shift,
                               struct sp_host *info)
{
    struct number by = sp_get(shift, a.type, 0);
    struct direct_matrix m;

    SP_TRY(sp_matrix_check(h, &a));
    SP_REQUIRE(info && a.value && info_fits(info, a.m, a.n, a.count));
    SP_TRY(sp_matrix_read(&a, &m));
    direct_matrix_free(&info->a);
    info->a = number_zero(by) ? m : direct_matrix_shifted(&m, by);
    if (!number_zero(by)) {
        direct_matrix_free(&m);
    }
    info->stage = SP_SET_UP;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sp_factor_qr_host(cusolverSpHandle_t h, uint32_t type, int m, int n, int count,
                                   const void *b, void *x, struct sp_host *info)
{
    SP_REQUIRE_HANDLE(h);
    SP_REQUIRE(info && info->stage >= SP_SET_UP && info_fits(info, m, n, count));
    direct_factors_free(&info->factors);
    direct_factor(&info->factors, DIRECT_QR, &info->a, 0);
    info->stage = SP_FACTORED;
    if (b && x) {
        vector_solve(&info->factors, type, b, x, NULL);
    }
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sp_zero_pivot_host(cusolverSpHandle_t h, struct sp_host *info, double tolerance,
                                    int *position)
{
    SP_REQUIRE_HANDLE(h);
    SP_REQUIRE(info && position && info->stage == SP_FACTORED);
    *position = direct_zero_pivot(&info->factors, tolerance);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t sp_factored_host(cusolverSpHandle_t h, uint32_t type, int m, int n, const void *b,
                                  void *x, struct sp_host *info)
{
    SP_REQUIRE_HANDLE(h);
    SP_REQUIRE(info && b && x && info->stage == SP_FACTORED && info->m == m && info->n == n);
    vector_solve(&info->factors, type, b, x, NULL);
    return CUSOLVER_STATUS_SUCCESS;
}

/* --- the factors of LU: A Q = L U here, so that P is the identity --- */

cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *nnzLRef, int *nnzURef,
                                         csrluInfoHost_t info)
{
    SP_REQUIRE_HANDLE(handle);
    SP_REQUIRE(info && nnzLRef && nnzURef && info->host.stage == SP_FACTORED);
    *nnzLRef = (int)info->host.factors.lower.begin[info->host.n];
    *nnzURef = (int)info->host.factors.upper.begin[info->host.n];
    return CUSOLVER_STATUS_SUCCESS;
}

/* Columns ascend in each row; @place: the new number of a column, or NULL. */
static void factor_write(const struct direct_matrix *m, const uint32_t *order, uint32_t type,
                         const struct sp_factor *to)
{
    uint32_t *same = direct_new(m->rows, sizeof(*same));
    int base = to->descr->base == CUSPARSE_INDEX_BASE_ONE;
    struct direct_matrix sorted;

    for (uint32_t i = 0; i < m->rows; i++) {
        same[i] = i;
    }
    sorted = direct_matrix_permuted(m, same, order ? order : same, NULL);
    for (uint32_t i = 0; i <= m->rows; i++) {
        to->begin[i] = (int)sorted.begin[i] + base;
    }
    for (uint32_t k = 0; k < sorted.begin[m->rows]; k++) {
        to->column[k] = (int)sorted.column[k] + base;
        sp_put(to->value, type, k, sorted.value[k]);
    }
    direct_matrix_free(&sorted);
    free(same);
}

static bool factor_asked(const struct sp_factor *f)
{
    return f->descr && f->value && f->begin && f->column;
}

cusolverStatus_t sp_extract(cusolverSpHandle_t h, uint32_t type, int *p, int *q, struct sp_factor l,
                            struct sp_factor u, struct sp_host *info)
{
    SP_REQUIRE_HANDLE(h);
    SP_REQUIRE(p && q && factor_asked(&l) && factor_asked(&u) && info &&
               info->stage == SP_FACTORED);
    for (int i = 0; i < info->n; i++) {
        p[i] = i;
        q[i] = (int)info->factors.order[i];
    }
    factor_write(&info->factors.lower, NULL, type, &l);
    factor_write(&info->factors.upper, info->factors.order, type, &u);
    return CUSOLVER_STATUS_SUCCESS;
}
