/* SPDX-License-Identifier: MIT */
/* cuBLAS library, "cuBLAS Level-2 Function Reference": products in which one side is a vector. */
#include "runtime/api/cublas/blas.h"

static void one_set(struct library_scalar *s)
{
    *s = (struct library_scalar){ .type = CUDA_R_64F, .value = { 1, 0 } };
}

cublasStatus_t blas_gemv(cublasHandle_t h, const char *name, uint32_t type, cublasOperation_t trans,
                         int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                         const void *x, int64_t incx, const void *beta, void *y, int64_t incy)
{
    struct library_call c = library_call_of(LIBRARY_GEMM, type);

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!blas_op_known(trans) || m < 0 || n < 0 || lda < blas_least(m) || incy == 0 || !alpha ||
        !beta) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (m == 0 || n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    c.n[0] = trans == CUBLAS_OP_N ? m : n;
    c.n[1] = 1;
    c.n[2] = trans == CUBLAS_OP_N ? n : m;
    c.mode[1] = blas_mode(trans);
    c.operand[0] = library_matrix(a, m, n, lda, type);
    c.operand[1] = library_vector(x, c.n[2], incx, type);
    c.operand[2] = library_vector(y, c.n[0], incy, type);
    blas_scalar(h, &c, 0, alpha, type);
    blas_scalar(h, &c, 1, beta, type);
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_ger(cublasHandle_t h, const char *name, uint32_t type, bool conjugated,
                        int64_t m, int64_t n, const void *alpha, const void *x, int64_t incx,
                        const void *y, int64_t incy, void *a, int64_t lda)
{
    struct library_call c = library_call_of(LIBRARY_GEMM, type);

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (m < 0 || n < 0 || incx == 0 || incy == 0 || lda < blas_least(m) || !alpha) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (m == 0 || n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    c.n[0] = m;
    c.n[1] = n;
    c.n[2] = 1;
    c.mode[2] = LIBRARY_TRANSPOSED | (conjugated ? LIBRARY_CONJUGATED : 0);
    c.operand[0] = library_vector(x, m, incx, type);
    c.operand[1] = library_vector(y, n, incy, type);
    c.operand[2] = library_matrix(a, m, n, lda, type);
    blas_scalar(h, &c, 0, alpha, type);
    one_set(&c.scalar[1]);
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_symv(cublasHandle_t h, const char *name, uint32_t type, bool hermitian,
                         cublasFillMode_t uplo, int64_t n, const void *alpha, const void *a,
                         int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                         int64_t incy)
{
    struct library_call c = library_call_of(LIBRARY_GEMM, type);

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!blas_half_known(uplo) || n < 0 || lda < blas_least(n) || incx == 0 || incy == 0 ||
        !alpha || !beta) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    c.n[0] = n;
    c.n[1] = 1;
    c.n[2] = n;
    c.mode[1] = hermitian ? LIBRARY_HERMITIAN : LIBRARY_SYMMETRIC;
    c.operand[0] = library_matrix(a, n, n, lda, type);
    c.operand[0].flags = blas_half(uplo);
    c.operand[1] = library_vector(x, n, incx, type);
    c.operand[2] = library_vector(y, n, incy, type);
    blas_scalar(h, &c, 0, alpha, type);
    blas_scalar(h, &c, 1, beta, type);
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_syr(cublasHandle_t h, const char *name, uint32_t type, bool hermitian,
                        cublasFillMode_t uplo, int64_t n, const void *alpha, uint32_t ta,
                        const void *x, int64_t incx, void *a, int64_t lda)
{
    struct library_call c = library_call_of(LIBRARY_GEMM, type);

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!blas_half_known(uplo) || n < 0 || incx == 0 || lda < blas_least(n) || !alpha) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    c.n[0] = n;
    c.n[1] = n;
    c.n[2] = 1;
    c.mode[2] = LIBRARY_TRANSPOSED | (hermitian ? LIBRARY_CONJUGATED : 0);
    c.mode[3] = hermitian ? LIBRARY_HERMITIAN : 0;
    c.operand[0] = library_vector(x, n, incx, type);
    c.operand[1] = c.operand[0];
    c.operand[2] = library_matrix(a, n, n, lda, type);
    c.operand[2].flags = blas_half(uplo);
    blas_scalar(h, &c, 0, alpha, ta);
    one_set(&c.scalar[1]);
    return blas_launch(h, name, &c);
}
