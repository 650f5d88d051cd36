/* SPDX-License-Identifier: MIT */
/* cuSPARSE, matrices from one form into another. */
#include "runtime/api/cusparse/sparse.h"

/* --- generic API: dense and sparse --- */

static cusparseStatus_t pair_check(cusparseHandle_t h, const struct cusparseSpMatDescr *s,
                                   const struct cusparseDnMatDescr *d)
{
    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(s && d && s->rows == d->rows && s->columns == d->columns && s->type == d->type);
    SPARSE_REQUIRE(s->index_type != CUSPARSE_INDEX_16U);
    return CUSPARSE_STATUS_SUCCESS;
}

/* By rows, seen from a matrix that may be turned */
static uint32_t dense_mode(const struct cusparseDnMatDescr *d, bool turned)
{
    return (d->order == CUSPARSE_ORDER_ROW) != turned ? LIBRARY_TRANSPOSED : 0;
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstSpMatDescr_t matA,
                                                  cusparseDnMatDescr_t matB,
                                                  cusparseSparseToDenseAlg_t alg,
                                                  size_t *bufferSize)
{
    cusparseStatus_t s = pair_check(handle, matA, matB);

    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || (bufferSize && alg == 0));
    if (s == CUSPARSE_STATUS_SUCCESS) {
        *bufferSize = SPARSE_BUFFER;
    }
    return s;
}

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                       cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                       void *externalBuffer)
{
    struct library_call c = library_call_of(LIBRARY_TO_DENSE, LIBRARY_R_32F);
    cusparseStatus_t s = pair_check(handle, matA, matB);
    bool turned;

    (void)externalBuffer;
    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || alg == 0);
    if (s != CUSPARSE_STATUS_SUCCESS || matB->rows == 0 || matB->columns == 0) {
        return s;
    }
    sparse_matrix_set(&c, matA, &turned);
    c.mode[3] = dense_mode(matB, turned);
    c.operand[3] = sparse_dense(matB);
    return sparse_launch(handle, __func__, &c);
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstDnMatDescr_t matA,
                                                  cusparseSpMatDescr_t matB,
                                                  cusparseDenseToSparseAlg_t alg,
                                                  size_t *bufferSize)
{
    cusparseStatus_t s = pair_check(handle, matB, matA);

    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || (bufferSize && alg == 0));
    if (s == CUSPARSE_STATUS_SUCCESS) {
        *bufferSize = SPARSE_BUFFER;
    }
    return s;
}

static struct library_call from_dense(const struct cusparseDnMatDescr *d,
                                      const struct cusparseSpMatDescr *s, int64_t count)
{
    struct library_call c = library_call_of(LIBRARY_FROM_DENSE, LIBRARY_R_32F);
    bool turned;

    sparse_matrix_set(&c, s, &turned);
    c.n[2] = count;
    c.mode[3] = dense_mode(d, turned);
    c.operand[3] = c.operand[2];
    c.operand[2] = c.operand[1];
    c.operand[1] = c.operand[0];
    c.operand[0] = sparse_dense(d);
    return c;
}

/* The number of elements comes into the descriptor, so the call waits. */
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                cusparseConstDnMatDescr_t matA,
                                                cusparseSpMatDescr_t matB,
                                                cusparseDenseToSparseAlg_t alg,
                                                void *externalBuffer)
{
    cusparseStatus_t s = pair_check(handle, matB, matA);
    struct library_call c;
    int64_t count = 0;
    CUresult e;

    (void)externalBuffer;
    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || alg == 0);
    if (s != CUSPARSE_STATUS_SUCCESS) {
        return s;
    }
    c = from_dense(matA, matB, 0);
    c.operand[1] =
        matB->format == CUSPARSE_FORMAT_COO ? sparse_array(NULL, 0, LIBRARY_R_32I) : c.operand[1];
    c.operand[2] = sparse_array(NULL, 0, LIBRARY_R_32I);
    c.operand[3] = sparse_array(NULL, 0, matB->type);
    c.operand[4] = sparse_array((const void *)(uintptr_t)handle->handle.scratch, 1, LIBRARY_R_64I);
    e = library_launch(&handle->handle, __func__, &c);
    e = e ? e : library_fetch(&handle->handle, &count, 0, sizeof(count));
    if (e == CUDA_SUCCESS) {
        matB->count = count;
    }
    return sparse_status(e);
}

cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                               cusparseConstDnMatDescr_t matA,
                                               cusparseSpMatDescr_t matB,
                                               cusparseDenseToSparseAlg_t alg, void *externalBuffer)
{
    cusparseStatus_t s = pair_check(handle, matB, matA);
    struct library_call c;

    (void)externalBuffer;
    SPARSE_REQUIRE(s != CUSPARSE_STATUS_SUCCESS || alg == 0);
    if (s != CUSPARSE_STATUS_SUCCESS || matB->count == 0) {
        return s;
    }
    c = from_dense(matA, matB, matB->count);
    if (matB->format != CUSPARSE_FORMAT_COO) { /* the analysis wrote the offsets */
        c.operand[1] = sparse_array(NULL, 0, LIBRARY_R_32I);
    }
    c.operand[4] = sparse_array(NULL, 0, LIBRARY_R_64I);
    return sparse_launch(handle, __func__, &c);
}

/* --- the first API --- */

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
                                               const void *csrVal, const int *csrRowPtr,
                                               const int *csrColInd, void *cscVal, int *cscColPtr,
                                               int *cscRowInd, cudaDataType valType,
                                               cusparseAction_t copyValues,
                                               cusparseIndexBase_t idxBase,
                                               cusparseCsr2CscAlg_t alg, size_t *bufferSize)
{
    (void)csrVal;
    (void)csrRowPtr;
    (void)csrColInd;
    (void)cscVal;
    (void)cscColPtr;
    (void)cscRowInd;
    (void)valType;
    (void)alg;
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0 && bufferSize);
    SPARSE_REQUIRE((unsigned)copyValues <= 1 && (unsigned)idxBase <= 1);
    *bufferSize = SPARSE_BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz,
                                    const void *csrVal, const int *csrRowPtr, const int *csrColInd,
                                    void *cscVal, int *cscColPtr, int *cscRowInd,
                                    cudaDataType valType, cusparseAction_t copyValues,
                                    cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg,
                                    void *buffer)
{
    struct library_call c = library_call_of(LIBRARY_CSR2CSC, LIBRARY_R_32F);
    int values = copyValues == CUSPARSE_ACTION_NUMERIC ? nnz : 0;

    (void)alg;
    (void)buffer;
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0);
    SPARSE_REQUIRE((unsigned)copyValues <= 1 && (unsigned)idxBase <= 1);
    if (n == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    c.n[0] = m;
    c.n[1] = n;
    c.n[2] = nnz;
    c.n[7] = idxBase;
    c.operand[0] = sparse_array(csrRowPtr, m + 1, LIBRARY_R_32I);
    c.operand[1] = sparse_array(csrColInd, nnz, LIBRARY_R_32I);
    c.operand[2] = sparse_array(csrVal, values, valType);
    c.operand[3] = sparse_array(cscColPtr, n + 1, LIBRARY_R_32I);
    c.operand[4] = sparse_array(cscRowInd, nnz, LIBRARY_R_32I);
    c.operand[5] = sparse_array(cscVal, values, valType);
    return sparse_launch(handle, __func__, &c);
}

static cusparseStatus_t offsets_call(cusparseHandle_t h, const char *name, bool expand,
                                     const int *from, int *to, int nnz, int m,
                                     cusparseIndexBase_t base)
{
    struct library_call c = library_call_of(LIBRARY_OFFSETS, LIBRARY_R_32F);

    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(m >= 0 && nnz >= 0 && (unsigned)base <= 1);
    if (m == 0 || (expand && nnz == 0)) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    c.n[0] = m;
    c.n[2] = nnz;
    c.n[7] = base;
    c.mode[1] = expand;
    c.operand[0] = sparse_array(from, expand ? m + 1 : nnz, LIBRARY_R_32I);
    c.operand[1] = sparse_array(to, expand ? nnz : m + 1, LIBRARY_R_32I);
    return sparse_launch(h, name, &c);
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m,
                                  int *csrSortedRowPtr, cusparseIndexBase_t idxBase)
{
    return offsets_call(handle, __func__, false, cooRowInd, csrSortedRowPtr, nnz, m, idxBase);
}

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrSortedRowPtr, int nnz,
                                  int m, int *cooRowInd, cusparseIndexBase_t idxBase)
{
    return offsets_call(handle, __func__, true, csrSortedRowPtr, cooRowInd, nnz, m, idxBase);
}
