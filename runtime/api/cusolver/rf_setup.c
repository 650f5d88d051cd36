/* SPDX-License-Identifier: MIT */
/* cuSOLVER, "cuSolverRF Reference": the pattern of the factors, and A's values in it. */
#include <stdlib.h>

#include "runtime/api/cusolver/rf.h"

static bool matrix_right(const struct rf_matrix *m)
{
    if (!m->begin || !m->column || m->count < 0 || m->begin[0] != 0 || m->begin[m->n] != m->count) {
        return false;
    }
    for (int i = 0; i < m->n; i++) {
        if (m->begin[i + 1] < m->begin[i] || m->begin[i + 1] > m->count) {
            return false;
        }
    }
    for (int k = 0; k < m->count; k++) {
        if (m->column[k] < 0 || m->column[k] >= m->n) {
            return false;
        }
    }
    return true;
}

static int column_order(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/* Row i of M: L's columns below i, U's from i on; ascending. Return: its end */
static int row_join(const struct rf_matrix *l, const struct rf_matrix *u, int i, int *column,
                    int at)
{
    int from = at;

    for (int k = l->begin[i]; k < l->begin[i + 1]; k++) {
        if (l->column[k] < i) {
            column[at++] = l->column[k];
        }
    }
    for (int k = u->begin[i]; k < u->begin[i + 1]; k++) {
        if (u->column[k] >= i) {
            column[at++] = u->column[k];
        }
    }
    qsort(column + from, (size_t)(at - from), sizeof(*column), column_order);
    return at;
}

static cusolverStatus_t pattern_set(cusolverRfHandle_t h, const struct rf_matrix *l,
                                    const struct rf_matrix *u)
{
    int at = 0;

    rf_free(h);
    h->begin = calloc((size_t)l->n + 1, sizeof(*h->begin));
    h->column = calloc((size_t)l->count + (size_t)u->count + 1, sizeof(*h->column));
    if (!h->begin || !h->column) {
        return CUSOLVER_STATUS_ALLOC_FAILED;
    }
    for (int i = 0; i < l->n; i++) {
        at = row_join(l, u, i, h->column, at);
        h->begin[i + 1] = at;
    }
    h->n = l->n;
    h->count = at;
    return CUSOLVER_STATUS_SUCCESS;
}

/* Room for M in the device, and its pattern; the handle's context is current. */
static CUresult pattern_upload(cusolverRfHandle_t h, int batches)
{
    size_t n = (size_t)h->n + 1, count = (size_t)h->count, times = (size_t)batches;
    CUresult e = library_driver.cuMemAlloc(&h->m_begin, n * sizeof(int));

    e = e ? e : library_driver.cuMemAlloc(&h->m_column, (count + 1) * sizeof(int));
    e = e ? e : library_driver.cuMemAlloc(&h->m_value, (count * times + 1) * sizeof(double));
    e = e ? e : library_driver.cuMemAlloc(&h->pivots, times * sizeof(int));
    e = e ? e : library_driver.cuMemcpyHtoD(h->m_begin, h->begin, n * sizeof(int));
    return e || count == 0
               ? e
               : library_driver.cuMemcpyHtoD(h->m_column, h->column, count * sizeof(int));
}

cusolverStatus_t rf_place(cusolverRfHandle_t h, const char *name, const int *begin,
                          const int *column, const void *value, bool indirect, const int *p,
                          const int *q)
{
    struct library_call c = library_call_of(LIBRARY_SPPLACE, CUDA_R_64F);

    c.batches = h->batches > 0 ? (uint64_t)h->batches : 1;
    c.n[0] = c.n[1] = h->n;
    c.n[2] = h->a_count;
    c.n[3] = h->count;
    c.operand[0] = library_vector(begin, h->n + 1, 1, CUDA_R_32I);
    c.operand[1] = library_vector(column, h->a_count, 1, CUDA_R_32I);
    c.operand[2] = library_vector(value, h->a_count, 1, CUDA_R_64F);
    c.operand[2].batch_pitch = (int64_t)h->a_count * 8;
    c.operand[2].flags = indirect ? LIBRARY_INDIRECT : 0;
    c.operand[3] = library_vector(p, h->n, 1, CUDA_R_32I);
    c.operand[4] = library_vector(q, h->n, 1, CUDA_R_32I);
    c.operand[5] = library_vector((void *)(uintptr_t)h->m_begin, h->n + 1, 1, CUDA_R_32I);
    c.operand[6] = library_vector((void *)(uintptr_t)h->m_column, h->count, 1, CUDA_R_32I);
    c.operand[7] = library_vector((void *)(uintptr_t)h->m_value, h->count, 1, CUDA_R_64F);
    c.operand[7].batch_pitch = (int64_t)h->count * 8;
    return rf_status(library_launch(&h->handle, name, &c));
}

/**
 * struct rf_source - A, P and Q of a setup, in the host's memory; @value: one array a batch
 */
struct rf_source {
    struct rf_matrix a;
    const double *const *value;
    const int *p, *q;
};

/* A, P and Q for as long as it takes to put A's values in their places. */
static cusolverStatus_t source_place(cusolverRfHandle_t h, const char *name,
                                     const struct rf_source *s, int batches)
{
    size_t n = (size_t)h->n, count = (size_t)s->a.count;
    size_t integers = (3 * n + 2 + count) * sizeof(int);
    CUdeviceptr whole = 0, values;
    cusolverStatus_t status;
    CUresult e = library_driver.cuMemAlloc(&whole, integers + 8 + count * (size_t)batches * 8);

    values = whole + (integers + 7) / 8 * 8;
    e = e ? e : library_driver.cuMemcpyHtoD(whole, s->a.begin, (n + 1) * sizeof(int));
    e = e || n == 0 ? e : library_driver.cuMemcpyHtoD(whole + (n + 1) * 4, s->p, n * sizeof(int));
    e = e || n == 0 ? e
                    : library_driver.cuMemcpyHtoD(whole + (2 * n + 1) * 4, s->q, n * sizeof(int));
    e = e || count == 0 ? e
                        : library_driver.cuMemcpyHtoD(whole + (3 * n + 1) * 4, s->a.column,
                                                      count * sizeof(int));
    for (int i = 0; i < batches && count > 0; i++) {
        e = e ? e
              : library_driver.cuMemcpyHtoD(values + (size_t)i * count * 8, s->value[i], count * 8);
    }
    status = rf_status(e);
    if (e == CUDA_SUCCESS) {
        status = rf_place(h, name, (void *)(uintptr_t)whole,
                          (void *)(uintptr_t)(whole + (3 * n + 1) * 4), (void *)(uintptr_t)values,
                          false, (void *)(uintptr_t)(whole + (n + 1) * 4),
                          (void *)(uintptr_t)(whole + (2 * n + 1) * 4));
    }
    if (status == CUSOLVER_STATUS_SUCCESS) {
        status = rf_status(library_driver.cuStreamSynchronize(h->handle.stream));
    }
    library_driver.cuMemFree(whole);
    return status;
}

/* @batches: 0: one that the functions without batches mean */
static cusolverStatus_t rf_setup(cusolverRfHandle_t h, const char *name, const struct rf_source *s,
                                 const struct rf_matrix *l, const struct rf_matrix *u, int batches)
{
    cusolverStatus_t status;
    CUresult e;

    RF_REQUIRE(s->p && s->q && s->a.n > 0 && matrix_right(&s->a) && matrix_right(l) &&
               matrix_right(u));
    status = pattern_set(h, l, u);
    if (status != CUSOLVER_STATUS_SUCCESS) {
        return status;
    }
    h->a_count = s->a.count;
    h->batches = batches;
    e = library_enter(&h->handle);
    if (e == CUDA_SUCCESS) {
        batches = batches > 0 ? batches : 1;
        e = pattern_upload(h, batches);
        status = e ? rf_status(e) : source_place(h, name, s, batches);
        library_leave();
    }
    h->stage = status == CUSOLVER_STATUS_SUCCESS ? RF_SET_UP : RF_EMPTY;
    return e ? rf_status(e) : status;
}

cusolverStatus_t cusolverRfSetupHost(int n, int nnzA, int *h_csrRowPtrA, int *h_csrColIndA,
                                     double *h_csrValA, int nnzL, int *h_csrRowPtrL,
                                     int *h_csrColIndL, double *h_csrValL, int nnzU,
                                     int *h_csrRowPtrU, int *h_csrColIndU, double *h_csrValU,
                                     int *h_P, int *h_Q, cusolverRfHandle_t handle)
{
    const double *value = h_csrValA;
    struct rf_source s = { { n, nnzA, h_csrRowPtrA, h_csrColIndA }, &value, h_P, h_Q };
    struct rf_matrix l = { n, nnzL, h_csrRowPtrL, h_csrColIndL };
    struct rf_matrix u = { n, nnzU, h_csrRowPtrU, h_csrColIndU };

    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(h_csrValA && h_csrValL && h_csrValU);
    return rf_setup(handle, __func__, &s, &l, &u, 0);
}

cusolverStatus_t cusolverRfBatchSetupHost(int batchSize, int n, int nnzA, int *h_csrRowPtrA,
                                          int *h_csrColIndA, double *h_csrValA_array[], int nnzL,
                                          int *h_csrRowPtrL, int *h_csrColIndL, double *h_csrValL,
                                          int nnzU, int *h_csrRowPtrU, int *h_csrColIndU,
                                          double *h_csrValU, int *h_P, int *h_Q,
                                          cusolverRfHandle_t handle)
{
    struct rf_source s = {
        { n, nnzA, h_csrRowPtrA, h_csrColIndA }, (const double *const *)h_csrValA_array, h_P, h_Q
    };
    struct rf_matrix l = { n, nnzL, h_csrRowPtrL, h_csrColIndL };
    struct rf_matrix u = { n, nnzU, h_csrRowPtrU, h_csrColIndU };

    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(batchSize > 0 && h_csrValA_array && h_csrValL && h_csrValU);
    for (int i = 0; i < batchSize; i++) {
        RF_REQUIRE(h_csrValA_array[i]);
    }
    return rf_setup(handle, __func__, &s, &l, &u, batchSize);
}

/* --- from the device's memory: copies in the host's --- */

/* @count elements of @bytes; NULL: no memory, or no such address */
static void *copy_new(const void *from, int count, size_t bytes)
{
    void *to = from && count >= 0 ? calloc((size_t)count + 1, bytes) : NULL;

    if (to && count > 0 &&
        library_driver.cuMemcpyDtoH(to, (uintptr_t)from, (size_t)count * bytes) != CUDA_SUCCESS) {
        free(to);
        return NULL;
    }
    return to;
}

cusolverStatus_t cusolverRfSetupDevice(int n, int nnzA, int *csrRowPtrA, int *csrColIndA,
                                       double *csrValA, int nnzL, int *csrRowPtrL, int *csrColIndL,
                                       double *csrValL, int nnzU, int *csrRowPtrU, int *csrColIndU,
                                       double *csrValU, int *P, int *Q, cusolverRfHandle_t handle)
{
    const void *from[] = { csrRowPtrA, csrColIndA, csrValA, csrRowPtrL, csrColIndL,
                           csrRowPtrU, csrColIndU, P,       Q };
    const int count[] = { n + 1, nnzA, nnzA, n + 1, nnzL, n + 1, nnzU, n, n };
    cusolverStatus_t status = CUSOLVER_STATUS_INVALID_VALUE;
    void *to[9] = { 0 };
    bool good = true;

    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(n > 0 && csrValL && csrValU);
    if (library_enter(&handle->handle) != CUDA_SUCCESS) {
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    }
    for (unsigned i = 0; i < 9 && good; i++) {
        to[i] = copy_new(from[i], count[i], i == 2 ? sizeof(double) : sizeof(int));
        good = to[i];
    }
    library_leave();
    if (good) {
        status = cusolverRfSetupHost(n, nnzA, to[0], to[1], to[2], nnzL, to[3], to[4], csrValL,
                                     nnzU, to[5], to[6], csrValU, to[7], to[8], handle);
    }
    for (unsigned i = 0; i < 9; i++) {
        free(to[i]);
    }
    return status;
}
