/* SPDX-License-Identifier: MIT */
/* cuSOLVER, LU and Cholesky: what is factored, and what is solved with it. */
#include "runtime/api/cusolver/dense.h"

/* n pivots; NULL: none */
static struct library_operand pivots_of(const void *pivots, int64_t n, uint32_t width)
{
    return library_vector(pivots, pivots ? n : 0, 1, width);
}

/* NVIDIA's says which argument is wrong in the device's info, and returns success. */
static cusolverStatus_t wrong_argument(cusolverDnHandle_t h, int *info, int argument)
{
    CUresult e = library_enter(&h->handle);
    int code = -argument;

    if (e == CUDA_SUCCESS) {
        e = info ? library_driver.cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)info, &code,
                                                    sizeof(code), h->handle.stream)
                 : CUDA_SUCCESS;
        library_leave();
    }
    return dense_status(e);
}

cusolverStatus_t dense_getrf(cusolverDnHandle_t h, const char *name, uint32_t type, int64_t m,
                             int64_t n, void *a, int64_t lda, void *pivots, uint32_t width,
                             int *info)
{
    struct library_call c = library_call_of(LIBRARY_GETRF, type);

    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE_TYPE(type);
    DENSE_REQUIRE(m >= 0 && n >= 0);
    if (lda < dense_least(m)) {
        return wrong_argument(h, info, 4);
    }
    c.n[0] = m;
    c.n[1] = n;
    c.operand[0] = library_matrix(a, m, n, lda, type);
    c.operand[1] = pivots_of(pivots, m < n ? m : n, width);
    c.operand[2] = dense_info_of(info);
    return dense_launch(h, name, &c);
}

/* @conjugate: real numbers take the conjugate transpose as the transpose */
static uint32_t mode_of(cublasOperation_t trans)
{
    return trans == CUBLAS_OP_N   ? 0
           : trans == CUBLAS_OP_T ? LIBRARY_TRANSPOSED
                                  : LIBRARY_TRANSPOSED | LIBRARY_CONJUGATED;
}

cusolverStatus_t dense_getrs(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cublasOperation_t trans, int64_t n, int64_t columns, const void *a,
                             int64_t lda, const void *pivots, uint32_t width, void *b, int64_t ldb,
                             int *info)
{
    struct library_call c = library_call_of(LIBRARY_GETRS, type);

    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE_TYPE(type);
    DENSE_REQUIRE((unsigned)trans <= CUBLAS_OP_C && n >= 0 && columns >= 0);
    DENSE_REQUIRE(lda >= dense_least(n) && ldb >= dense_least(n));
    c.n[0] = n;
    c.n[1] = columns;
    c.mode[1] = mode_of(trans);
    c.operand[0] = library_matrix(a, n, n, lda, type);
    c.operand[1] = pivots_of(pivots, n, width);
    c.operand[2] = library_matrix(b, n, columns, ldb, type);
    c.operand[3] = dense_info_of(info);
    return dense_launch(h, name, &c);
}

static cusolverStatus_t triangle_check(cusolverDnHandle_t h, uint32_t type, cublasFillMode_t uplo,
                                       int64_t n, int64_t lda)
{
    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE_TYPE(type);
    DENSE_REQUIRE(dense_uplo_known(uplo) && n >= 0 && lda >= dense_least(n));
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t dense_triangle(cusolverDnHandle_t h, const char *name, uint32_t op, uint32_t type,
                                cublasFillMode_t uplo, bool unit, int64_t n, void *a, int64_t lda,
                                int *info)
{
    struct library_call c = library_call_of(op, type);
    cusolverStatus_t s = triangle_check(h, type, uplo, n, lda);

    if (s != CUSOLVER_STATUS_SUCCESS) {
        return s;
    }
    c.n[0] = n;
    c.mode[1] = unit;
    c.operand[0] = dense_triangle_of(a, n, lda, type, uplo);
    c.operand[1] = dense_info_of(info);
    return dense_launch(h, name, &c);
}

static struct library_call solve_call(uint32_t type, cublasFillMode_t uplo, int64_t n,
                                      int64_t columns, const void *a, int64_t lda, const void *b,
                                      int64_t ldb, const int *info)
{
    struct library_call c = library_call_of(LIBRARY_POTRS, type);

    c.n[0] = n;
    c.n[1] = columns;
    c.operand[0] = dense_triangle_of(a, n, lda, type, uplo);
    c.operand[1] = library_matrix(b, n, columns, ldb, type);
    c.operand[2] = dense_info_of(info);
    return c;
}

cusolverStatus_t dense_potrs(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cublasFillMode_t uplo, int64_t n, int64_t columns, const void *a,
                             int64_t lda, void *b, int64_t ldb, int *info)
{
    struct library_call c;
    cusolverStatus_t s = triangle_check(h, type, uplo, n, lda);

    if (s != CUSOLVER_STATUS_SUCCESS) {
        return s;
    }
    DENSE_REQUIRE(columns >= 0 && ldb >= dense_least(n));
    c = solve_call(type, uplo, n, columns, a, lda, b, ldb, info);
    return dense_launch(h, name, &c);
}

cusolverStatus_t dense_potrf_batch(cusolverDnHandle_t h, const char *name, uint32_t type,
                                   cublasFillMode_t uplo, int64_t n, const void *a, int64_t lda,
                                   int *info, int64_t batches)
{
    struct library_call c = library_call_of(LIBRARY_POTRF, type);
    cusolverStatus_t s = triangle_check(h, type, uplo, n, lda);

    if (s != CUSOLVER_STATUS_SUCCESS) {
        return s;
    }
    DENSE_REQUIRE(batches > 0);
    c.n[0] = n;
    c.batches = (uint64_t)batches;
    c.operand[0] = dense_triangle_of(a, n, lda, type, uplo);
    c.operand[0].flags |= LIBRARY_INDIRECT;
    c.operand[1] = dense_info_of(info);
    c.operand[1].batch_pitch = sizeof(int);
    return dense_launch(h, name, &c);
}

/* One info for all of them */
cusolverStatus_t dense_potrs_batch(cusolverDnHandle_t h, const char *name, uint32_t type,
                                   cublasFillMode_t uplo, int64_t n, int64_t columns, const void *a,
                                   int64_t lda, const void *b, int64_t ldb, int *info,
                                   int64_t batches)
{
    struct library_call c;
    cusolverStatus_t s = triangle_check(h, type, uplo, n, lda);

    if (s != CUSOLVER_STATUS_SUCCESS) {
        return s;
    }
    DENSE_REQUIRE(batches > 0 && columns >= 0 && ldb >= dense_least(n));
    c = solve_call(type, uplo, n, columns, a, lda, b, ldb, info);
    c.batches = (uint64_t)batches;
    c.operand[0].flags |= LIBRARY_INDIRECT;
    c.operand[1].flags |= LIBRARY_INDIRECT;
    return dense_launch(h, name, &c);
}
