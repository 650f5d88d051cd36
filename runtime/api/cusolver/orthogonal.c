/* SPDX-License-Identifier: MIT */
/* cuSOLVER, QR; and systems solved in one call. */
#include "runtime/api/cusolver/dense.h"

cusolverStatus_t dense_geqrf(cusolverDnHandle_t h, const char *name, uint32_t type, int64_t m,
                             int64_t n, void *a, int64_t lda, void *tau, int *info)
{
    struct library_call c = library_call_of(LIBRARY_GEQRF, type);

    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE_TYPE(type);
    DENSE_REQUIRE(m >= 0 && n >= 0 && lda >= dense_least(m));
    c.n[0] = m;
    c.n[1] = n;
    c.operand[0] = library_matrix(a, m, n, lda, type);
    c.operand[1] = library_vector(tau, m < n ? m : n, 1, type);
    c.operand[2] = dense_info_of(info);
    return dense_launch(h, name, &c);
}

/* Real numbers have a transpose, complex ones a conjugate transpose. */
static bool side_known(uint32_t type, cublasSideMode_t side, cublasOperation_t trans)
{
    bool real = dense_type_real(type) == type;

    return (unsigned)side <= CUBLAS_SIDE_RIGHT &&
           (trans == CUBLAS_OP_N || trans == (real ? CUBLAS_OP_T : CUBLAS_OP_C));
}

cusolverStatus_t dense_ormqr(cusolverDnHandle_t h, const char *name, uint32_t type,
                             cublasSideMode_t side, cublasOperation_t trans, int64_t m, int64_t n,
                             int64_t k, const void *a, int64_t lda, const void *tau, void *c,
                             int64_t ldc, int *info)
{
    struct library_call call = library_call_of(LIBRARY_ORMQR, type);
    int64_t order = side == CUBLAS_SIDE_RIGHT ? n : m;

    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE_TYPE(type);
    DENSE_REQUIRE(side_known(type, side, trans) && m >= 0 && n >= 0 && k >= 0 && k <= order);
    DENSE_REQUIRE(lda >= dense_least(order) && ldc >= dense_least(m));
    call.n[0] = m;
    call.n[1] = n;
    call.n[2] = k;
    call.mode[1] = trans == CUBLAS_OP_N ? 0 : LIBRARY_TRANSPOSED | LIBRARY_CONJUGATED;
    call.mode[2] = side == CUBLAS_SIDE_RIGHT;
    call.operand[0] = library_matrix(a, order, k, lda, type);
    call.operand[1] = library_vector(tau, k, 1, type);
    call.operand[2] = library_matrix(c, m, n, ldc, type);
    call.operand[3] = dense_info_of(info);
    return dense_launch(h, name, &call);
}

cusolverStatus_t dense_orgqr(cusolverDnHandle_t h, const char *name, uint32_t type, int64_t m,
                             int64_t n, int64_t k, void *a, int64_t lda, const void *tau, int *info)
{
    struct library_call c = library_call_of(LIBRARY_ORGQR, type);

    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE_TYPE(type);
    DENSE_REQUIRE(m >= 0 && n >= 0 && n <= m && k >= 0 && k <= n && lda >= dense_least(m));
    c.n[0] = m;
    c.n[1] = n;
    c.n[2] = k;
    c.operand[0] = library_matrix(a, m, n, lda, type);
    c.operand[1] = library_vector(tau, k, 1, type);
    c.operand[2] = dense_info_of(info);
    return dense_launch(h, name, &c);
}

/* --- systems in one call: solved in double precision, so nothing needs a refinement --- */

#define SYSTEM_BYTES 256 /* of the buffer; more than 0: NVIDIA's refuse one that is too small */

static cusolverStatus_t system_check(const struct dense_system *s)
{
    DENSE_REQUIRE_HANDLE(s->h);
    return s->n >= 0 && s->m >= s->n && s->columns >= 0 && s->lda >= dense_least(s->m) &&
                   s->ldb >= dense_least(s->m) && s->ldx >= dense_least(s->n)
               ? CUSOLVER_STATUS_SUCCESS
               : CUSOLVER_STATUS_IRS_PARAMS_INVALID;
}

cusolverStatus_t dense_system_size(struct dense_system s, size_t *bytes)
{
    cusolverStatus_t status = system_check(&s);

    DENSE_REQUIRE(bytes);
    if (status == CUSOLVER_STATUS_SUCCESS) {
        *bytes = SYSTEM_BYTES;
    }
    return status;
}

static cusolverStatus_t system_begin(const struct dense_system *s, size_t bytes)
{
    cusolverStatus_t status = system_check(s);

    return status != CUSOLVER_STATUS_SUCCESS ? status
           : bytes < SYSTEM_BYTES            ? CUSOLVER_STATUS_INVALID_WORKSPACE
                                             : CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t dense_gesv(struct dense_system s, int *pivots, size_t bytes, int *iterations,
                            int *info)
{
    struct library_call c = library_call_of(LIBRARY_GESV, s.type);
    cusolverStatus_t status = system_begin(&s, bytes);

    if (status != CUSOLVER_STATUS_SUCCESS) {
        return status;
    }
    DENSE_REQUIRE(iterations);
    *iterations = 1;
    c.n[0] = s.n;
    c.n[1] = s.columns;
    c.operand[0] = library_matrix(s.a, s.n, s.n, s.lda, s.type);
    c.operand[1] = library_vector(pivots, pivots ? s.n : 0, 1, CUDA_R_32I);
    c.operand[2] = library_matrix(s.b, s.n, s.columns, s.ldb, s.type);
    c.operand[3] = library_matrix(s.x, s.n, s.columns, s.ldx, s.type);
    c.operand[4] = dense_info_of(info);
    return dense_launch(s.h, s.name, &c);
}

cusolverStatus_t dense_gels(struct dense_system s, size_t bytes, int *iterations, int *info)
{
    struct library_call c = library_call_of(LIBRARY_GELS, s.type);
    cusolverStatus_t status = system_begin(&s, bytes);

    if (status != CUSOLVER_STATUS_SUCCESS) {
        return status;
    }
    DENSE_REQUIRE(iterations);
    *iterations = 1;
    c.n[0] = s.m;
    c.n[1] = s.n;
    c.n[2] = s.columns;
    c.operand[0] = library_matrix(s.a, s.m, s.n, s.lda, s.type);
    c.operand[1] = library_matrix(s.b, s.m, s.columns, s.ldb, s.type);
    c.operand[2] = library_matrix(s.x, s.n, s.columns, s.ldx, s.type);
    c.operand[3] = dense_info_of(info);
    return dense_launch(s.h, s.name, &c);
}
