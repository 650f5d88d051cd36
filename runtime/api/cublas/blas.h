/* SPDX-License-Identifier: MIT */
/* The core of cuBLAS: one function an operation, for every type of element. Sizes are 64 bits wide;
 * rows of cublas.def give the types. Types are numbers of cudaDataType, as enum library_type has
 * them.
 */
#ifndef RUNTIME_API_CUBLAS_BLAS_H
#define RUNTIME_API_CUBLAS_BLAS_H

/* What the header declares is exported, all else is not. */
#pragma GCC visibility push(default)
#include "include/cublas_api.h"
#pragma GCC visibility pop
#include "runtime/api/library/library.h"

/**
 * struct cublasContext
 * @workspace: of the program, @workspace_bytes of it; NULL: the library's own
 */
struct cublasContext {
    struct library_handle handle; /* first */
    void *workspace;
    size_t workspace_bytes;
    cublasPointerMode_t pointers;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    int sm_count;
};

bool blas_live(cublasHandle_t h);
bool blas_type_known(uint32_t type);
unsigned blas_type_bytes(uint32_t type);
cublasStatus_t blas_status(CUresult e);
cublasStatus_t blas_launch(cublasHandle_t h, const char *name, const struct library_call *c);
/* As blas_launch(); the call's operand @o is the result: of the program, which is waited for if it
 * is the host's */
cublasStatus_t blas_result(cublasHandle_t h, const char *name, struct library_call *c, unsigned o,
                           void *result, uint32_t type);
void blas_scalar(cublasHandle_t h, struct library_call *c, unsigned i, const void *value,
                 uint32_t type);

/* level1.c: vectors. Nothing happens for n <= 0, but that results are 0. */
cublasStatus_t blas_copy(cublasHandle_t h, const char *name, int64_t n, const void *x, uint32_t tx,
                         int64_t incx, void *y, uint32_t ty, int64_t incy);
cublasStatus_t blas_swap(cublasHandle_t h, const char *name, int64_t n, void *x, uint32_t tx,
                         int64_t incx, void *y, uint32_t ty, int64_t incy);
cublasStatus_t blas_scal(cublasHandle_t h, const char *name, int64_t n, const void *alpha,
                         uint32_t ta, void *x, uint32_t tx, int64_t incx, uint32_t compute);
cublasStatus_t blas_axpy(cublasHandle_t h, const char *name, int64_t n, const void *alpha,
                         uint32_t ta, const void *x, uint32_t tx, int64_t incx, void *y,
                         uint32_t ty, int64_t incy, uint32_t compute);
cublasStatus_t blas_rot(cublasHandle_t h, const char *name, int64_t n, void *x, uint32_t type,
                        int64_t incx, void *y, int64_t incy, const void *c, uint32_t tc,
                        const void *s, uint32_t ts);
cublasStatus_t blas_dot(cublasHandle_t h, const char *name, bool conjugated, int64_t n,
                        const void *x, uint32_t tx, int64_t incx, const void *y, uint32_t ty,
                        int64_t incy, void *result, uint32_t tr, uint32_t compute);
/* The Euclidean norm, or the sum of absolute values */
cublasStatus_t blas_norm(cublasHandle_t h, const char *name, bool euclidean, int64_t n,
                         const void *x, uint32_t tx, int64_t incx, void *result, uint32_t tr,
                         uint32_t compute);
/* @wide: the result has 64 bits */
cublasStatus_t blas_extreme(cublasHandle_t h, const char *name, bool least, int64_t n,
                            const void *x, uint32_t tx, int64_t incx, void *result, bool wide);

/* level2.c */
cublasStatus_t blas_gemv(cublasHandle_t h, const char *name, uint32_t type, cublasOperation_t trans,
                         int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                         const void *x, int64_t incx, const void *beta, void *y, int64_t incy);
cublasStatus_t blas_ger(cublasHandle_t h, const char *name, uint32_t type, bool conjugated,
                        int64_t m, int64_t n, const void *alpha, const void *x, int64_t incx,
                        const void *y, int64_t incy, void *a, int64_t lda);
cublasStatus_t blas_symv(cublasHandle_t h, const char *name, uint32_t type, bool hermitian,
                         cublasFillMode_t uplo, int64_t n, const void *alpha, const void *a,
                         int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                         int64_t incy);
cublasStatus_t blas_syr(cublasHandle_t h, const char *name, uint32_t type, bool hermitian,
                        cublasFillMode_t uplo, int64_t n, const void *alpha, uint32_t ta,
                        const void *x, int64_t incx, void *a, int64_t lda);

/**
 * struct blas_gemm - C = alpha op(A) op(B) + beta C
 * @stride_a: elements from one batch to the next; @indirect: arrays of addresses instead
 * @scale: type of alpha and beta; @compute: in which sums are kept
 */
#define BLAS_ONE INT64_MIN /* batches of a call that has no such parameter */

struct blas_gemm {
    cublasOperation_t ta, tb;
    int64_t m, n, k;
    const void *alpha, *a, *b, *beta;
    void *c;
    int64_t lda, ldb, ldc;
    long long stride_a, stride_b, stride_c;
    int64_t batches;
    bool indirect;
    uint32_t type_a, type_b, type_c, scale, compute;
};

/* level3.c */
cublasStatus_t blas_gemm(cublasHandle_t h, const char *name, struct blas_gemm g);
/* Types and @compute of the program */
cublasStatus_t blas_gemm_ex(cublasHandle_t h, const char *name, cublasComputeType_t compute,
                            cublasGemmAlgo_t algo, struct blas_gemm g);
cublasStatus_t blas_symm(cublasHandle_t h, const char *name, uint32_t type, bool hermitian,
                         cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n,
                         const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                         const void *beta, void *c, int64_t ldc);
cublasStatus_t blas_syrk(cublasHandle_t h, const char *name, uint32_t type, bool hermitian,
                         cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
                         const void *alpha, uint32_t scale, const void *a, int64_t lda,
                         const void *beta, void *c, int64_t ldc);

/**
 * struct blas_triangle - what trsm, trmm take; fields as of NVIDIA's parameters
 * @indirect: @a and @b are arrays of addresses, one a batch
 */
struct blas_triangle {
    cublasSideMode_t side;
    cublasFillMode_t uplo;
    cublasOperation_t trans;
    cublasDiagType_t diag;
    int64_t m, n;
    const void *alpha, *a;
    const void *b;
    void *c;
    int64_t lda, ldb, ldc, batches;
    bool indirect;
};

/* extension.c */
cublasStatus_t blas_trsm(cublasHandle_t h, const char *name, uint32_t type, struct blas_triangle t);
cublasStatus_t blas_trmm(cublasHandle_t h, const char *name, uint32_t type, struct blas_triangle t);
cublasStatus_t blas_trsv(cublasHandle_t h, const char *name, uint32_t type, cublasFillMode_t uplo,
                         cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const void *a,
                         int64_t lda, void *x, int64_t incx);
cublasStatus_t blas_trmv(cublasHandle_t h, const char *name, uint32_t type, cublasFillMode_t uplo,
                         cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const void *a,
                         int64_t lda, void *x, int64_t incx);
cublasStatus_t blas_geam(cublasHandle_t h, const char *name, uint32_t type, cublasOperation_t ta,
                         cublasOperation_t tb, int64_t m, int64_t n, const void *alpha,
                         const void *a, int64_t lda, const void *beta, const void *b, int64_t ldb,
                         void *c, int64_t ldc);
cublasStatus_t blas_dgmm(cublasHandle_t h, const char *name, uint32_t type, cublasSideMode_t side,
                         int64_t m, int64_t n, const void *a, int64_t lda, const void *x,
                         int64_t incx, void *c, int64_t ldc);
/* Matrices are arrays of addresses; pivots lie n a batch, info one. */
cublasStatus_t blas_getrf(cublasHandle_t h, const char *name, uint32_t type, int64_t n, void *a,
                          int64_t lda, int *pivots, int *info, int64_t batches);
cublasStatus_t blas_getrs(cublasHandle_t h, const char *name, uint32_t type,
                          cublasOperation_t trans, int64_t n, int64_t columns, const void *a,
                          int64_t lda, const int *pivots, void *b, int64_t ldb, int *info,
                          int64_t batches);
cublasStatus_t blas_getri(cublasHandle_t h, const char *name, uint32_t type, int64_t n,
                          const void *a, int64_t lda, const int *pivots, void *c, int64_t ldc,
                          int *info, int64_t batches);
/* The same of A and tau, and of A and C; *@info, on the host, is about the parameters. */
cublasStatus_t blas_geqrf(cublasHandle_t h, const char *name, uint32_t type, int64_t m, int64_t n,
                          const void *a, int64_t lda, const void *tau, int *info, int64_t batches);
cublasStatus_t blas_gels(cublasHandle_t h, const char *name, uint32_t type, cublasOperation_t trans,
                         int64_t m, int64_t n, int64_t columns, const void *a, int64_t lda,
                         const void *c, int64_t ldc, int *info, int *device_info, int64_t batches);

/* --- for these files --- */

static inline bool blas_op_known(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

static inline bool blas_half_known(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}

static inline uint32_t blas_half(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_UPPER ? LIBRARY_UPPER : LIBRARY_LOWER;
}

/* mode of an operand that is turned so */
static inline uint32_t blas_mode(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? 0
                             : LIBRARY_TRANSPOSED | (op == CUBLAS_OP_C ? LIBRARY_CONJUGATED : 0);
}

static inline int64_t blas_least(int64_t rows)
{
    return rows > 1 ? rows : 1;
}

#endif
