/* SPDX-License-Identifier: MIT */
/* cuSPARSE's handles and descriptors, and the core that rows of cusparse.def call. A descriptor is
 * memory of the host that names memory of the device.
 */
#ifndef RUNTIME_API_CUSPARSE_SPARSE_H
#define RUNTIME_API_CUSPARSE_SPARSE_H

/* What the header declares is exported, all else is not. */
#pragma GCC visibility push(default)
#include "include/cusparse.h"
#pragma GCC visibility pop
#include "runtime/api/library/library.h"
#include "runtime/api/library/mat_descr.h"

struct cusparseContext {
    struct library_handle handle; /* first */
    cusparsePointerMode_t pointers;
};

struct cusparseSpVecDescr {
    int64_t size, count;
    void *indices, *values;
    cusparseIndexType_t index;
    cusparseIndexBase_t base;
    cudaDataType type;
};

struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    cudaDataType type;
};

/**
 * struct cusparseSpMatDescr
 * @offsets, @indices: of COO rows and columns; of CSC offsets of columns, and rows
 * @batches: with @offset_stride and @stride elements between two; 0: one, of no batch
 */
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, columns, count;
    void *offsets, *indices, *values;
    cusparseIndexType_t offset_type, index_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    int batches;
    int64_t offset_stride, stride;
};

struct cusparseDnMatDescr {
    int64_t rows, columns, ld;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
    int batches;
    int64_t stride;
};

/* @analysed: by the library's analysis function; a solve needs that */
struct cusparseSpSVDescr {
    bool analysed;
};

struct cusparseSpSMDescr {
    bool analysed;
};

/**
 * struct sparse_factor - csrilu02Info and csric02Info
 * @position: of device memory: the first zero pivot; made by the analysis
 * @context: where @position lies
 */
struct sparse_factor {
    CUdeviceptr position;
    struct library_handle *owner;
};

struct csrilu02Info {
    struct sparse_factor factor;
};

struct csric02Info {
    struct sparse_factor factor;
};

/* A matrix as the first API has it */
struct sparse_csr {
    int64_t n, count;
    const struct cusparseMatDescr *descr;
    const void *values;
    const int *offsets, *indices;
    cudaDataType type;
};

/* handle.c */
bool sparse_live(cusparseHandle_t h);
cusparseStatus_t sparse_status(CUresult e);
cusparseStatus_t sparse_launch(cusparseHandle_t h, const char *name, const struct library_call *c);
void sparse_scalar(cusparseHandle_t h, struct library_call *c, unsigned i, const void *value,
                   cudaDataType type);

/* operand.c: descriptors as operands of a call */
uint32_t sparse_index_type(cusparseIndexType_t type);
uint32_t sparse_mode(cusparseOperation_t op);
/* Real numbers have no conjugate transpose. */
bool sparse_op_fits(cusparseOperation_t op, cudaDataType type);
bool sparse_type_known(cudaDataType type);
unsigned sparse_type_bytes(cudaDataType type);
bool sparse_index_known(cusparseIndexType_t type);
/* @count integers or elements side by side */
struct library_operand sparse_array(const void *p, int64_t count, uint32_t type);
struct library_operand sparse_dense(const struct cusparseDnMatDescr *m);
/* Operands 0 to 2, n[0] to n[2], n[7], and what mode[1] needs. A matrix by columns is the transpose
 * of one by rows: *turned */
void sparse_matrix_set(struct library_call *c, const struct cusparseSpMatDescr *m, bool *turned);
/* Can products of these be added in @compute? */
bool sparse_types_known(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType compute);

/* factor.c */
cusparseStatus_t factor_size(cusparseHandle_t h, const void *info, int n, int count, int *bytes);
cusparseStatus_t factor_analysis(cusparseHandle_t h, const char *name, struct sparse_csr a,
                                 void *info, const void *buffer);
cusparseStatus_t factor_run(cusparseHandle_t h, const char *name, struct sparse_csr a, void *values,
                            bool cholesky, void *info, const void *buffer);

/* bands.c */
cusparseStatus_t bands_size(cusparseHandle_t h, int64_t m, int64_t n, int64_t ld, size_t *bytes);
cusparseStatus_t bands_solve(cusparseHandle_t h, const char *name, cudaDataType type, int m, int n,
                             const void *dl, const void *d, const void *du, void *b, int ld);
cusparseStatus_t bands_batch(cusparseHandle_t h, const char *name, cudaDataType type, int m,
                             const void *dl, const void *d, const void *du, void *x, int batches,
                             int stride);

/* sort.c: elements of a dense matrix, by @direction and in all */
cusparseStatus_t sort_count(cusparseHandle_t h, const char *name, cudaDataType type,
                            cusparseDirection_t direction, int m, int n,
                            const struct cusparseMatDescr *descr, const void *a, int lda,
                            int *lines, int *total);

/* sum.c: C = alpha A + beta B */
cusparseStatus_t sum_size(cusparseHandle_t h, int m, int n, const void *alpha, struct sparse_csr a,
                          const void *beta, struct sparse_csr b,
                          const struct cusparseMatDescr *descr, size_t *bytes);
cusparseStatus_t sum_run(cusparseHandle_t h, const char *name, int m, int n, const void *alpha,
                         struct sparse_csr a, const void *beta, struct sparse_csr b,
                         const struct cusparseMatDescr *descr, void *values, const int *offsets,
                         int *columns);

#define SPARSE_REQUIRE(good)                      \
    do {                                          \
        if (!(good)) {                            \
            return CUSPARSE_STATUS_INVALID_VALUE; \
        }                                         \
    } while (0)
/* NULL is a wrong argument like any other (tests/golden/cusparse_12.6.txt). */
#define SPARSE_REQUIRE_HANDLE(h)                    \
    do {                                            \
        SPARSE_REQUIRE(h);                          \
        if (!sparse_live(h)) {                      \
            return CUSPARSE_STATUS_NOT_INITIALIZED; \
        }                                           \
    } while (0)

/* Our operations need no buffer; programs get a size that they can allocate. */
#define SPARSE_BUFFER 8u

#endif
