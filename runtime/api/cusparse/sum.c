/* SPDX-License-Identifier: MIT */
/* cuSPARSE, sums of sparse matrices: csrgeam2. */
#include "runtime/api/cusparse/sparse.h"

enum { SUM_OFFSETS, SUM_ELEMENTS };

static cusparseStatus_t sum_check(cusparseHandle_t h, int m, int n, const struct sparse_csr *a,
                                  const struct sparse_csr *b, const struct cusparseMatDescr *descr)
{
    SPARSE_REQUIRE_HANDLE(h);
    SPARSE_REQUIRE(m >= 0 && n >= 0 && a->count >= 0 && b->count >= 0);
    SPARSE_REQUIRE(a->descr && b->descr && descr);
    return a->descr->type == CUSPARSE_MATRIX_TYPE_GENERAL &&
                   b->descr->type == CUSPARSE_MATRIX_TYPE_GENERAL &&
                   descr->type == CUSPARSE_MATRIX_TYPE_GENERAL
               ? CUSPARSE_STATUS_SUCCESS
               : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

static void sum_operand(struct library_call *c, unsigned o, int m, const struct sparse_csr *a,
                        bool values)
{
    c->operand[o] = sparse_array(a->offsets, m + 1, LIBRARY_R_32I);
    c->operand[o + 1] = sparse_array(a->indices, a->count, LIBRARY_R_32I);
    c->operand[o + 2] = sparse_array(a->values, values ? a->count : 0, a->type);
}

static struct library_call sum_call(unsigned phase, int m, int n, const struct sparse_csr *a,
                                    const struct sparse_csr *b,
                                    const struct cusparseMatDescr *descr)
{
    struct library_call c = library_call_of(LIBRARY_SPGEAM, a->type);

    c.n[0] = m;
    c.n[1] = n;
    c.n[2] = a->count;
    c.n[4] = b->count;
    c.n[6] = b->descr->base;
    c.n[7] = a->descr->base;
    c.mode[2] = phase;
    c.mode[3] = descr->base;
    sum_operand(&c, 0, m, a, phase == SUM_ELEMENTS);
    sum_operand(&c, 3, m, b, phase == SUM_ELEMENTS);
    return c;
}

cusparseStatus_t sum_size(cusparseHandle_t h, int m, int n, const void *alpha, struct sparse_csr a,
                          const void *beta, struct sparse_csr b,
                          const struct cusparseMatDescr *descr, size_t *bytes)
{
    cusparseStatus_t s = sum_check(h, m, n, &a, &b, descr);

    if (s == CUSPARSE_STATUS_SUCCESS) {
        SPARSE_REQUIRE(alpha && beta && bytes);
        *bytes = SPARSE_BUFFER;
    }
    return s;
}

/* The number of elements may be the host's: then the call waits. */
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n,
                                      const cusparseMatDescr_t descrA, int nnzA,
                                      const int *csrSortedRowPtrA, const int *csrSortedColIndA,
                                      const cusparseMatDescr_t descrB, int nnzB,
                                      const int *csrSortedRowPtrB, const int *csrSortedColIndB,
                                      const cusparseMatDescr_t descrC, int *csrSortedRowPtrC,
                                      int *nnzTotalDevHostPtr, void *workspace)
{
    struct sparse_csr a = { m, nnzA, descrA, NULL, csrSortedRowPtrA, csrSortedColIndA, CUDA_R_32F };
    struct sparse_csr b = { m, nnzB, descrB, NULL, csrSortedRowPtrB, csrSortedColIndB, CUDA_R_32F };
    cusparseStatus_t s = sum_check(handle, m, n, &a, &b, descrC);
    struct library_call c;
    CUresult e;

    (void)workspace;
    if (s != CUSPARSE_STATUS_SUCCESS) {
        return s;
    }
    SPARSE_REQUIRE(csrSortedRowPtrC && nnzTotalDevHostPtr);
    c = sum_call(SUM_OFFSETS, m, n, &a, &b, descrC);
    c.operand[6] = sparse_array(csrSortedRowPtrC, m + 1, LIBRARY_R_32I);
    c.operand[7] = sparse_array(nnzTotalDevHostPtr, 1, LIBRARY_R_32I);
    if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE) {
        return sparse_launch(handle, __func__, &c);
    }
    c.operand[7].va = handle->handle.scratch;
    e = library_launch(&handle->handle, __func__, &c);
    e = e ? e : library_fetch(&handle->handle, nnzTotalDevHostPtr, 0, sizeof(*nnzTotalDevHostPtr));
    return sparse_status(e);
}

/* How many elements C has is known on the device alone: at most as many as A and B. */
cusparseStatus_t sum_run(cusparseHandle_t h, const char *name, int m, int n, const void *alpha,
                         struct sparse_csr a, const void *beta, struct sparse_csr b,
                         const struct cusparseMatDescr *descr, void *values, const int *offsets,
                         int *columns)
{
    cusparseStatus_t s = sum_check(h, m, n, &a, &b, descr);
    int64_t count = a.count + b.count;
    struct library_call c;

    if (s != CUSPARSE_STATUS_SUCCESS) {
        return s;
    }
    SPARSE_REQUIRE(alpha && beta && offsets);
    if (m == 0 || n == 0 || count == 0) {
        return CUSPARSE_STATUS_SUCCESS;
    }
    c = sum_call(SUM_ELEMENTS, m, n, &a, &b, descr);
    c.n[5] = count;
    c.operand[6] = sparse_array(columns, count, LIBRARY_R_32I);
    c.operand[7] = sparse_array(values, count, a.type);
    sparse_scalar(h, &c, 0, alpha, a.type);
    sparse_scalar(h, &c, 1, beta, a.type);
    return sparse_launch(h, name, &c);
}
