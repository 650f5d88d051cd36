/* SPDX-License-Identifier: MIT */
/* The FORWARD and STUB rows of cublas.def as functions. */
#include "runtime/api/cublas/blas.h"
#include "runtime/api/library/stub.h"

/* Parameters of products, by the names that NVIDIA gives them. */
#define GEMM_SIZES                                                                              \
    .ta = transa, .tb = transb, .m = m, .n = n, .k = k, .alpha = alpha, .lda = lda, .ldb = ldb, \
    .beta = beta, .ldc = ldc
#define GEMM_ARGS GEMM_SIZES, .a = A, .b = B, .c = C
#define GEMM_ONE .batches = BLAS_ONE
#define GEMM_STRIDES \
    .stride_a = strideA, .stride_b = strideB, .stride_c = strideC, .batches = batchCount
#define GEMM_ARRAYS                                                                        \
    GEMM_SIZES, .a = (const void *)Aarray, .b = (const void *)Barray, .c = (void *)Carray, \
        .indirect = true, .batches = batchCount
#define TRIANGLE_SIZES                                                                        \
    .side = side, .uplo = uplo, .trans = trans, .diag = diag, .m = m, .n = n, .alpha = alpha, \
    .lda = lda, .ldb = ldb
#define TRIANGLE_ARGS TRIANGLE_SIZES, .a = A, .b = B, .batches = BLAS_ONE
#define TRIANGLE_ARRAYS                                                           \
    TRIANGLE_SIZES, .a = (const void *)A, .b = (const void *)B, .indirect = true, \
        .batches = batchCount
#define GEMM_TYPES(T, sums) \
    .type_a = (T), .type_b = (T), .type_c = (T), .scale = (T), .compute = (sums)
#define GEMM_TYPES_EX .type_a = Atype, .type_b = Btype, .type_c = Ctype

#define FORWARD(name, parameters, ...) \
    cublasStatus_t name parameters     \
    {                                  \
        return __VA_ARGS__;            \
    }
#include "runtime/api/cublas/cublas.def"

#define STUB(name) LIBRARY_STUB(name, CUBLAS_STATUS_NOT_SUPPORTED)
#include "runtime/api/cublas/cublas.def"
