/* SPDX-License-Identifier: MIT */
/* cuSPARSE, elements sorted, the permutation to begin with, and elements of dense matrices counted.
 */
#include "runtime/api/cusparse/sparse.h"

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
    struct library_call c = library_call_of(LIBRARY_IOTA, LIBRARY_R_32F);

    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(n >= 0 && p);
    if (n == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    c.n[2] = n;
    c.operand[0] = sparse_array(p, n, LIBRARY_R_32I);
    return sparse_launch(handle, __func__, &c);
}

static cusparseStatus_t sort_size(cusparseHandle_t h, int m, int n, int nnz, size_t *bytes)
{
    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0 && bytes);
    *bytes = SPARSE_BUFFER;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *cooRowsA, const int *cooColsA,
                                                size_t *pBufferSizeInBytes)
{
    (void)cooRowsA;
    (void)cooColsA;
    return sort_size(handle, m, n, nnz, pBufferSizeInBytes);
}

cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *csrRowPtrA, const int *csrColIndA,
                                                size_t *pBufferSizeInBytes)
{
    (void)csrRowPtrA;
    (void)csrColIndA;
    return sort_size(handle, m, n, nnz, pBufferSizeInBytes);
}

cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *cscColPtrA, const int *cscRowIndA,
                                                size_t *pBufferSizeInBytes)
{
    (void)cscColPtrA;
    (void)cscRowIndA;
    return sort_size(handle, m, n, nnz, pBufferSizeInBytes);
}

/* @rows: none if @offsets are there; @p: may be none */
static cusparseStatus_t sort_launch(cusparseHandle_t h, const char *name, int64_t lines, int nnz,
                                    cusparseIndexBase_t base, const int *offsets, int *rows,
                                    int *columns, int *p)
{
    struct library_call c = library_call_of(LIBRARY_SPSORT, LIBRARY_R_32F);

    if (nnz == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    c.n[0] = c.n[1] = lines;
    c.n[2] = nnz;
    c.n[7] = base;
    c.mode[1] = offsets ? 0 : LIBRARY_COORDINATES;
    c.operand[0] = sparse_array(offsets, offsets ? lines + 1 : 0, LIBRARY_R_32I);
    c.operand[1] = sparse_array(rows, offsets ? 0 : nnz, LIBRARY_R_32I);
    c.operand[2] = sparse_array(columns, nnz, LIBRARY_R_32I);
    c.operand[3] = sparse_array(p, p ? nnz : 0, LIBRARY_R_32I);
    return sparse_launch(h, name, &c);
}

cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz,
                                       int *cooRowsA, int *cooColsA, int *P, void *pBuffer)
{
    (void)pBuffer;
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0 && (nnz == 0 || (cooRowsA && cooColsA)));
    return sort_launch(handle, __func__, m, nnz, CUSPARSE_INDEX_BASE_ZERO, NULL, cooRowsA, cooColsA,
                       P);
}

cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz,
                                          int *cooRowsA, int *cooColsA, int *P, void *pBuffer)
{
    (void)pBuffer;
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0 && (nnz == 0 || (cooRowsA && cooColsA)));
    return sort_launch(handle, __func__, n, nnz, CUSPARSE_INDEX_BASE_ZERO, NULL, cooColsA, cooRowsA,
                       P);
}

cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                  int *csrColIndA, int *P, void *pBuffer)
{
    (void)pBuffer;
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0 && descrA);
    SPARSE_REQUIRE(nnz == 0 || (csrRowPtrA && csrColIndA));
    return sort_launch(handle, __func__, m, nnz, descrA->base, csrRowPtrA, NULL, csrColIndA, P);
}

cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *cscColPtrA,
                                  int *cscRowIndA, int *P, void *pBuffer)
{
    (void)pBuffer;
    SPARSE_REQUIRE_HANDLE(handle);
    SPARSE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0 && descrA);
    SPARSE_REQUIRE(nnz == 0 || (cscColPtrA && cscRowIndA));
    return sort_launch(handle, __func__, n, nnz, descrA->base, cscColPtrA, NULL, cscRowIndA, P);
}

/* The number in all may be the host's: then the call waits. */
cusparseStatus_t sort_count(cusparseHandle_t h, const char *name, cudaDataType type,
                            cusparseDirection_t direction, int m, int n,
                            const struct cusparseMatDescr *descr, const void *a, int lda,
                            int *lines, int *total)
{
    struct library_call c = library_call_of(LIBRARY_NNZ, type);
    CUresult e;

    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE((unsigned)direction <= CUSPARSE_DIRECTION_COLUMN && m >= 0 && n >= 0 && descr &&
                   lda >= (m > 1 ? m : 1) && total);
    c.n[0] = m;
    c.n[1] = n;
    c.mode[1] = direction == CUSPARSE_DIRECTION_COLUMN;
    c.operand[0] = library_matrix(a, m, n, lda, type);
    c.operand[1] = sparse_array(lines, c.mode[1] ? n : m, LIBRARY_R_32I);
    c.operand[2] = sparse_array(total, 1, LIBRARY_R_32I);
    if (h->pointers == CUSPARSE_POINTER_MODE_DEVICE) {
        return sparse_launch(h, name, &c);
    }
    c.operand[2].va = h->handle.scratch;
    e = library_launch(&h->handle, name, &c);
    e = e ? e : library_fetch(&h->handle, total, 0, sizeof(*total));
    return sparse_status(e);
}
