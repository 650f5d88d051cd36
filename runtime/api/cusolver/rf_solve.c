/* SPDX-License-Identifier: MIT */
/* cuSOLVER, "cuSolverRF Reference": new values, new factors, solutions. */
#include <stdlib.h>

#include "runtime/api/cusolver/rf.h"

/* Is it set up as the functions without batches, or with, expect? */
static bool handle_ready(cusolverRfHandle_t h, enum rf_stage stage, bool batched)
{
    return h->stage >= stage && batched == (h->batches > 0);
}

/* Before a setup the functions without batches do nothing, and say nothing of it. */
static bool handle_empty(const struct cusolverRfCommon *h, bool batched)
{
    return h->stage == RF_EMPTY && !batched;
}

static cusolverStatus_t rf_reset(cusolverRfHandle_t h, const char *name, int n, int count,
                                 const int *begin, const int *column, const void *value, int *p,
                                 int *q, bool batched)
{
    RF_REQUIRE_HANDLE(h);
    RF_REQUIRE(begin && column && value && p && q && handle_ready(h, RF_SET_UP, batched) &&
               n == h->n && count == h->a_count);
    return rf_place(h, name, begin, column, value, batched, p, q);
}

cusolverStatus_t cusolverRfResetValues(int n, int nnzA, int *csrRowPtrA, int *csrColIndA,
                                       double *csrValA, int *P, int *Q, cusolverRfHandle_t handle)
{
    return rf_reset(handle, __func__, n, nnzA, csrRowPtrA, csrColIndA, csrValA, P, Q, false);
}

cusolverStatus_t cusolverRfBatchResetValues(int batchSize, int n, int nnzA, int *csrRowPtrA,
                                            int *csrColIndA, double *csrValA_array[], int *P,
                                            int *Q, cusolverRfHandle_t handle)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(batchSize == handle->batches);
    return rf_reset(handle, __func__, n, nnzA, csrRowPtrA, csrColIndA, csrValA_array, P, Q, true);
}

static cusolverStatus_t rf_analyze(cusolverRfHandle_t h, bool batched)
{
    RF_REQUIRE_HANDLE(h);
    if (handle_empty(h, batched)) {
        return CUSOLVER_STATUS_SUCCESS;
    }
    if (!handle_ready(h, RF_SET_UP, batched)) {
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    }
    h->stage = h->stage == RF_SET_UP ? RF_ANALYZED : h->stage;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle)
{
    return rf_analyze(handle, false);
}

cusolverStatus_t cusolverRfBatchAnalyze(cusolverRfHandle_t handle)
{
    return rf_analyze(handle, true);
}

/* M in operands 0 to 2 */
static struct library_call factor_call(cusolverRfHandle_t h, uint32_t op)
{
    struct library_call c = library_call_of(op, CUDA_R_64F);

    c.batches = h->batches > 0 ? (uint64_t)h->batches : 1;
    c.n[0] = c.n[1] = h->n;
    c.n[2] = h->count;
    c.operand[0] = library_vector((void *)(uintptr_t)h->m_begin, h->n + 1, 1, CUDA_R_32I);
    c.operand[1] = library_vector((void *)(uintptr_t)h->m_column, h->count, 1, CUDA_R_32I);
    c.operand[2] = library_vector((void *)(uintptr_t)h->m_value, h->count, 1, CUDA_R_64F);
    c.operand[2].batch_pitch = (int64_t)h->count * 8;
    return c;
}

static cusolverStatus_t rf_refactor(cusolverRfHandle_t h, const char *name, bool batched)
{
    struct library_call c;

    RF_REQUIRE_HANDLE(h);
    if (!batched && h->stage < RF_ANALYZED) {
        return CUSOLVER_STATUS_SUCCESS; /* and nothing is done, as NVIDIA's */
    }
    RF_REQUIRE(handle_ready(h, RF_ANALYZED, batched));
    c = factor_call(h, LIBRARY_ILU0);
    c.operand[3] = library_vector((void *)(uintptr_t)h->pivots, 1, 1, CUDA_R_32I);
    c.operand[3].batch_pitch = sizeof(int);
    library_scalar_set(&c.scalar[0], &h->zero, CUDA_R_64F, false);
    library_scalar_set(&c.scalar[1], &h->boost, CUDA_R_64F, false);
    h->stage = RF_FACTORED;
    return rf_status(library_launch(&h->handle, name, &c));
}

cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle)
{
    return rf_refactor(handle, __func__, false);
}

cusolverStatus_t cusolverRfBatchRefactor(cusolverRfHandle_t handle)
{
    return rf_refactor(handle, __func__, true);
}

/* --- A x = b: (P A Q^T) (Q x) = P b --- */

/* One array a batch: @x, or where @x has its address */
static struct library_operand vectors_of(const struct cusolverRfCommon *h, const void *x,
                                         bool indirect)
{
    struct library_operand o = library_vector(x, h->n, 1, CUDA_R_64F);

    o.batch_pitch = (int64_t)h->n * 8;
    o.flags = indirect ? LIBRARY_INDIRECT : 0;
    return o;
}

/* Temp := XF[P], or XF[Q] := Temp */
static CUresult choice_launch(cusolverRfHandle_t h, const char *name, uint32_t op, const int *which,
                              const void *xf, void *temp)
{
    struct library_call c = factor_call(h, op);
    bool indirect = h->batches > 0;

    c.n[2] = h->n;
    c.operand[0] = vectors_of(h, temp, false);
    c.operand[1] = library_vector(which, h->n, 1, CUDA_R_32I);
    c.operand[2] = vectors_of(h, xf, indirect);
    return library_launch(&h->handle, name, &c);
}

static CUresult triangle_launch(cusolverRfHandle_t h, const char *name, int64_t triangle,
                                void *temp)
{
    static const double one = 1;
    struct library_call c = factor_call(h, LIBRARY_SPSM);

    c.n[3] = 1;
    c.n[4] = triangle;
    library_scalar_set(&c.scalar[0], &one, CUDA_R_64F, false);
    c.operand[3] = c.operand[4] = vectors_of(h, temp, false);
    return library_launch(&h->handle, name, &c);
}

static cusolverStatus_t rf_solve(cusolverRfHandle_t h, const char *name, const int *p, const int *q,
                                 int columns, void *temp, int ldt, void *xf, int ldxf, bool batched)
{
    CUresult e;

    RF_REQUIRE_HANDLE(h);
    if (handle_empty(h, batched)) {
        return CUSOLVER_STATUS_SUCCESS;
    }
    RF_REQUIRE(p && q && temp && xf && columns == 1 && ldt >= h->n && ldxf >= h->n &&
               handle_ready(h, RF_SET_UP, batched));
    e = choice_launch(h, name, LIBRARY_GATHER, p, xf, temp);
    e = e ? e : triangle_launch(h, name, LIBRARY_LOWER | LIBRARY_UNIT, temp);
    e = e ? e : triangle_launch(h, name, LIBRARY_UPPER, temp);
    e = e ? e : choice_launch(h, name, LIBRARY_SCATTER, q, xf, temp);
    return rf_status(e);
}

cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *P, int *Q, int nrhs, double *Temp,
                                 int ldt, double *XF, int ldxf)
{
    return rf_solve(handle, __func__, P, Q, nrhs, Temp, ldt, XF, ldxf, false);
}

cusolverStatus_t cusolverRfBatchSolve(cusolverRfHandle_t handle, int *P, int *Q, int nrhs,
                                      double *Temp, int ldt, double *XF_array[], int ldxf)
{
    return rf_solve(handle, __func__, P, Q, nrhs, Temp, ldt, XF_array, ldxf, true);
}

/* Bytes of the device, when all work before is done */
static cusolverStatus_t rf_fetch(cusolverRfHandle_t h, void *to, CUdeviceptr from, size_t bytes)
{
    CUresult e = library_enter(&h->handle);

    if (e == CUDA_SUCCESS) {
        e = library_driver.cuStreamSynchronize(h->handle.stream);
        e = e || bytes == 0 ? e : library_driver.cuMemcpyDtoH(to, from, bytes);
        library_leave();
    }
    return rf_status(e);
}

cusolverStatus_t cusolverRfBatchZeroPivot(cusolverRfHandle_t handle, int *position)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(position && handle_ready(handle, RF_FACTORED, true));
    return rf_fetch(handle, position, handle->pivots, (size_t)handle->batches * sizeof(int));
}

/* --- the factors --- */

cusolverStatus_t cusolverRfAccessBundledFactorsDevice(cusolverRfHandle_t handle, int *nnzM,
                                                      int **Mp, int **Mi, double **Mx)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(nnzM && Mp && Mi && Mx && handle_ready(handle, RF_SET_UP, false));
    *nnzM = handle->count;
    *Mp = (int *)(uintptr_t)handle->m_begin;
    *Mi = (int *)(uintptr_t)handle->m_column;
    *Mx = (double *)(uintptr_t)handle->m_value;
    return CUSOLVER_STATUS_SUCCESS;
}

/* Room for a matrix that the program frees. Return: false: there was none, and none is kept */
static bool factor_new(int n, int count, int **begin, int **column, double **value)
{
    *begin = calloc((size_t)n + 1, sizeof(**begin));
    *column = calloc((size_t)count + 1, sizeof(**column));
    *value = calloc((size_t)count + 1, sizeof(**value));
    if (!*begin || !*column || !*value) {
        free(*begin);
        free(*column);
        free(*value);
        return false;
    }
    return true;
}

cusolverStatus_t cusolverRfExtractBundledFactorsHost(cusolverRfHandle_t handle, int *h_nnzM,
                                                     int **h_Mp, int **h_Mi, double **h_Mx)
{
    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(h_nnzM && h_Mp && h_Mi && h_Mx && handle_ready(handle, RF_SET_UP, false));
    if (!factor_new(handle->n, handle->count, h_Mp, h_Mi, h_Mx)) {
        return CUSOLVER_STATUS_ALLOC_FAILED;
    }
    *h_nnzM = handle->count;
    for (int i = 0; i <= handle->n; i++) {
        (*h_Mp)[i] = handle->begin[i];
    }
    for (int k = 0; k < handle->count; k++) {
        (*h_Mi)[k] = handle->column[k];
    }
    return rf_fetch(handle, *h_Mx, handle->m_value, (size_t)handle->count * sizeof(double));
}

/* Elements of M on one side of the diagonal, which is U's. Return: how many */
static int side_copy(cusolverRfHandle_t h, bool upper, const double *from, int *begin, int *column,
                     double *value)
{
    int at = 0;

    for (int i = 0; i < h->n; i++) {
        for (int k = h->begin[i]; k < h->begin[i + 1]; k++) {
            if (upper == (h->column[k] >= i)) {
                column[at] = h->column[k];
                value[at++] = from[k];
            }
        }
        begin[i + 1] = at;
    }
    return at;
}

cusolverStatus_t cusolverRfExtractSplitFactorsHost(cusolverRfHandle_t handle, int *h_nnzL,
                                                   int **h_csrRowPtrL, int **h_csrColIndL,
                                                   double **h_csrValL, int *h_nnzU,
                                                   int **h_csrRowPtrU, int **h_csrColIndU,
                                                   double **h_csrValU)
{
    int count, *begin, *column;
    cusolverStatus_t status;
    double *value;

    RF_REQUIRE_HANDLE(handle);
    RF_REQUIRE(h_nnzL && h_csrRowPtrL && h_csrColIndL && h_csrValL && h_nnzU && h_csrRowPtrU &&
               h_csrColIndU && h_csrValU);
    status = cusolverRfExtractBundledFactorsHost(handle, &count, &begin, &column, &value);
    if (status != CUSOLVER_STATUS_SUCCESS) {
        return status;
    }
    if (factor_new(handle->n, count, h_csrRowPtrL, h_csrColIndL, h_csrValL) &&
        factor_new(handle->n, count, h_csrRowPtrU, h_csrColIndU, h_csrValU)) {
        *h_nnzL = side_copy(handle, false, value, *h_csrRowPtrL, *h_csrColIndL, *h_csrValL);
        *h_nnzU = side_copy(handle, true, value, *h_csrRowPtrU, *h_csrColIndU, *h_csrValU);
    } else {
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    }
    free(begin);
    free(column);
    free(value);
    return status;
}
