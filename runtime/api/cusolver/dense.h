/* SPDX-License-Identifier: MIT */
/* The core of cuSOLVER's dense part: one function an operation, for every type of element and both
 * widths of sizes; rows of cusolver.def give the types. Numbers of cudaDataType are types of
 * elements, as enum library_type has them.
 */
#ifndef RUNTIME_API_CUSOLVER_DENSE_H
#define RUNTIME_API_CUSOLVER_DENSE_H

/* What the header declares is exported, all else is not. */
#pragma GCC visibility push(default)
#include "include/cusolverDn.h"
#pragma GCC visibility pop
#include "runtime/api/library/library.h"

struct cusolverDnContext {
    struct library_handle handle; /* first */
    cusolverDeterministicMode_t deterministic;
    cusolverMathMode_t math;
};

/* handle.c */
cusolverStatus_t dense_status(CUresult e);
cusolverStatus_t dense_launch(cusolverDnHandle_t h, const char *name, const struct library_call *c);
/* NULL and destroyed handles */
cusolverStatus_t dense_live(cusolverDnHandle_t h);
bool dense_type_known(uint32_t type);
uint32_t dense_type_real(uint32_t type);
bool dense_uplo_known(cublasFillMode_t uplo);
int64_t dense_least(int64_t rows); /* a leading dimension that is just enough */
/* Operands: a matrix of @columns, and one of them from @rows to the next; a triangle; an integer,
 * or none of NULL */
struct library_operand dense_triangle_of(const void *a, int64_t n, int64_t ld, uint32_t type,
                                         cublasFillMode_t uplo);
struct library_operand dense_info_of(const int *info);

/* Sizes of buffers, which no operation here needs; @uplo, @n: what NVIDIA's look at */
cusolverStatus_t dense_size(cusolverDnHandle_t h, int *elements);
cusolverStatus_t dense_size_half(cusolverDnHandle_t h, cublasFillMode_t uplo, int *elements);
cusolverStatus_t dense_size_order(cusolverDnHandle_t h, int64_t n, int *elements);
cusolverStatus_t dense_size_wide(cusolverDnHandle_t h, size_t *device, size_t *host);

/* factor.c: LU, Cholesky. @width: type of the pivots */
cusolverStatus_t dense_getrf(cusolverDnHandle_t h, const char *name, uint32_t type, int64_t m,
                             int64_t n, void *a, int64_t lda, void *pivots, uint32_t width,
                             int *info);
cusolverStatus_t dense_getrs(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cublasOperation_t trans, int64_t n, int64_t columns, const void *a,
                             int64_t lda, const void *pivots, uint32_t width, void *b, int64_t ldb,
                             int *info);
/* One triangle that is computed in its place: @op */
cusolverStatus_t dense_triangle(cusolverDnHandle_t h, const char *name, uint32_t op, uint32_t type,
                                cublasFillMode_t uplo, bool unit, int64_t n, void *a, int64_t lda,
                                int *info);
cusolverStatus_t dense_potrs(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cublasFillMode_t uplo, int64_t n, int64_t columns, const void *a,
                             int64_t lda, void *b, int64_t ldb, int *info);
/* Arrays of addresses */
cusolverStatus_t dense_potrf_batch(cusolverDnHandle_t h, const char *name, uint32_t type,
                                   cublasFillMode_t uplo, int64_t n, const void *a, int64_t lda,
                                   int *info, int64_t batches);
cusolverStatus_t dense_potrs_batch(cusolverDnHandle_t h, const char *name, uint32_t type,
                                   cublasFillMode_t uplo, int64_t n, int64_t columns, const void *a,
                                   int64_t lda, const void *b, int64_t ldb, int *info,
                                   int64_t batches);

/* orthogonal.c: QR */
cusolverStatus_t dense_geqrf(cusolverDnHandle_t h, const char *name, uint32_t type, int64_t m,
                             int64_t n, void *a, int64_t lda, void *tau, int *info);
cusolverStatus_t dense_ormqr(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cublasSideMode_t side, cublasOperation_t trans, int64_t m, int64_t n,
                             int64_t k, const void *a, int64_t lda, const void *tau, void *c,
                             int64_t ldc, int *info);
cusolverStatus_t dense_orgqr(cusolverDnHandle_t h, const char *name, uint32_t type, int64_t m,
                             int64_t n, int64_t k, void *a, int64_t lda, const void *tau,
                             int *info);

/**
 * struct dense_system - A X = B, A is @m x @n; neither A nor B is written
 */
struct dense_system {
    cusolverDnHandle_t h;
    const char *name;
    uint32_t type;
    int64_t m, n, columns;
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    void *x;
    int64_t ldx;
};
cusolverStatus_t dense_system_size(struct dense_system s, size_t *bytes);
/* @iterations: of a refinement, which these need not */
cusolverStatus_t dense_gesv(struct dense_system s, int *pivots, size_t bytes, int *iterations,
                            int *info);
cusolverStatus_t dense_gels(struct dense_system s, size_t bytes, int *iterations, int *info);

/* spectrum.c: singular values and eigenvalues */
cusolverStatus_t dense_gesvd(cusolverDnHandle_t h, const char *name, uint32_t type,
                             signed char job_u, signed char job_v, int64_t m, int64_t n, void *a,
                             int64_t lda, void *s, void *u, int64_t ldu, void *vt, int64_t ldvt,
                             int *info);
cusolverStatus_t dense_gesvdj(cusolverDnHandle_t h, const char *name, uint32_t type,
                              cusolverEigMode_t job, int economy, int64_t m, int64_t n, void *a,
                              int64_t lda, void *s, void *u, int64_t ldu, void *v, int64_t ldv,
                              int *info, int64_t batches);
cusolverStatus_t dense_syevd(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cusolverEigMode_t job, cublasFillMode_t uplo, int64_t n, void *a,
                             int64_t lda, void *w, int *info, int64_t batches);
cusolverStatus_t dense_sygvd(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cusolverEigType_t kind, cusolverEigMode_t job, cublasFillMode_t uplo,
                             int64_t n, void *a, int64_t lda, void *b, int64_t ldb, void *w,
                             int *info);

#define DENSE_REQUIRE(good)                       \
    do {                                          \
        if (!(good)) {                            \
            return CUSOLVER_STATUS_INVALID_VALUE; \
        }                                         \
    } while (0)
#define DENSE_REQUIRE_HANDLE(h)                \
    do {                                       \
        cusolverStatus_t live = dense_live(h); \
                                               \
        if (live != CUSOLVER_STATUS_SUCCESS) { \
            return live;                       \
        }                                      \
    } while (0)
#define DENSE_REQUIRE_TYPE(type)                  \
    do {                                          \
        if (!dense_type_known(type)) {            \
            return CUSOLVER_STATUS_NOT_SUPPORTED; \
        }                                         \
    } while (0)

#endif
