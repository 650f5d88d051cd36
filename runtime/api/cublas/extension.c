/* SPDX-License-Identifier: MIT */
/* cuBLAS library: triangles of levels 2 and 3, and "BLAS-like Extension" but for products. */
#include "runtime/api/cublas/blas.h"

static uint32_t triangle_flags(cublasFillMode_t uplo, cublasDiagType_t diag)
{
    return blas_half(uplo) | (diag == CUBLAS_DIAG_UNIT ? LIBRARY_UNIT : 0);
}

static bool triangle_ok(const struct blas_triangle *t)
{
    return (unsigned)t->side <= CUBLAS_SIDE_RIGHT && blas_half_known(t->uplo) &&
           blas_op_known(t->trans) && (unsigned)t->diag <= CUBLAS_DIAG_UNIT && t->m >= 0 &&
           t->n >= 0 && t->batches >= 0 && t->alpha &&
           t->lda >= blas_least(t->side == CUBLAS_SIDE_LEFT ? t->m : t->n) &&
           t->ldb >= blas_least(t->m);
}

static struct library_call triangle_call(cublasHandle_t h, uint32_t op, uint32_t type,
                                         const struct blas_triangle *t)
{
    struct library_call c = library_call_of(op, type);
    int64_t order = t->side == CUBLAS_SIDE_LEFT ? t->m : t->n;
    uint32_t indirect = t->indirect ? LIBRARY_INDIRECT : 0;

    c.n[0] = t->m;
    c.n[1] = t->n;
    c.batches = (uint64_t)t->batches;
    c.mode[1] = blas_mode(t->trans);
    c.mode[2] = t->side == CUBLAS_SIDE_RIGHT;
    c.operand[0] = library_matrix(t->a, order, order, t->lda, type);
    c.operand[0].flags = triangle_flags(t->uplo, t->diag) | indirect;
    c.operand[1] = library_matrix(t->b, t->m, t->n, t->ldb, type);
    c.operand[1].flags = indirect;
    blas_scalar(h, &c, 0, t->alpha, type);
    return c;
}

cublasStatus_t blas_trsm(cublasHandle_t h, const char *name, uint32_t type, struct blas_triangle t)
{
    struct library_call c;

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    t.batches = t.batches == BLAS_ONE ? 1 : t.batches;
    if (!triangle_ok(&t)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (t.m == 0 || t.n == 0 || t.batches == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    c = triangle_call(h, LIBRARY_TRSM, type, &t);
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_trmm(cublasHandle_t h, const char *name, uint32_t type, struct blas_triangle t)
{
    struct library_call c;

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    t.batches = t.batches == BLAS_ONE ? 1 : t.batches;
    if (!triangle_ok(&t) || t.ldc < blas_least(t.m)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (t.m == 0 || t.n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    c = triangle_call(h, LIBRARY_TRMM, type, &t);
    c.operand[2] = library_matrix(t.c, t.m, t.n, t.ldc, type);
    return blas_launch(h, name, &c);
}

/* A vector as a matrix of one column: @op solves with it, or multiplies it in place. */
static cublasStatus_t triangle_vector(cublasHandle_t h, const char *name, uint32_t op,
                                      uint32_t type, cublasFillMode_t uplo, cublasOperation_t trans,
                                      cublasDiagType_t diag, int64_t n, const void *a, int64_t lda,
                                      void *x, int64_t incx)
{
    struct library_call c = library_call_of(op, type);

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!blas_half_known(uplo) || !blas_op_known(trans) || (unsigned)diag > CUBLAS_DIAG_UNIT ||
        n < 0 || lda < blas_least(n) || incx == 0) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    c.n[0] = n;
    c.n[1] = 1;
    c.mode[1] = blas_mode(trans);
    c.operand[0] = library_matrix(a, n, n, lda, type);
    c.operand[0].flags = triangle_flags(uplo, diag);
    c.operand[1] = library_vector(x, n, incx, type);
    c.operand[2] = c.operand[1];
    c.scalar[0] = (struct library_scalar){ .type = CUDA_R_64F, .value = { 1, 0 } };
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_trsv(cublasHandle_t h, const char *name, uint32_t type, cublasFillMode_t uplo,
                         cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const void *a,
                         int64_t lda, void *x, int64_t incx)
{
    return triangle_vector(h, name, LIBRARY_TRSM, type, uplo, trans, diag, n, a, lda, x, incx);
}

cublasStatus_t blas_trmv(cublasHandle_t h, const char *name, uint32_t type, cublasFillMode_t uplo,
                         cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const void *a,
                         int64_t lda, void *x, int64_t incx)
{
    return triangle_vector(h, name, LIBRARY_TRMM, type, uplo, trans, diag, n, a, lda, x, incx);
}

cublasStatus_t blas_geam(cublasHandle_t h, const char *name, uint32_t type, cublasOperation_t ta,
                         cublasOperation_t tb, int64_t m, int64_t n, const void *alpha,
                         const void *a, int64_t lda, const void *beta, const void *b, int64_t ldb,
                         void *c, int64_t ldc)
{
    struct library_call call = library_call_of(LIBRARY_GEAM, type);
    bool turned_a = ta != CUBLAS_OP_N, turned_b = tb != CUBLAS_OP_N;

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!blas_op_known(ta) || !blas_op_known(tb) || m < 0 || n < 0 || !alpha || !beta ||
        lda < blas_least(turned_a ? n : m) || ldb < blas_least(turned_b ? n : m) ||
        ldc < blas_least(m) || (a == c && (turned_a || lda != ldc)) ||
        (b == c && (turned_b || ldb != ldc))) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (m == 0 || n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    call.n[0] = m;
    call.n[1] = n;
    call.mode[1] = blas_mode(ta);
    call.mode[2] = blas_mode(tb);
    call.operand[0] = library_matrix(a, turned_a ? n : m, turned_a ? m : n, lda, type);
    call.operand[1] = library_matrix(b, turned_b ? n : m, turned_b ? m : n, ldb, type);
    call.operand[2] = library_matrix(c, m, n, ldc, type);
    blas_scalar(h, &call, 0, alpha, type);
    blas_scalar(h, &call, 1, beta, type);
    return blas_launch(h, name, &call);
}

cublasStatus_t blas_dgmm(cublasHandle_t h, const char *name, uint32_t type, cublasSideMode_t side,
                         int64_t m, int64_t n, const void *a, int64_t lda, const void *x,
                         int64_t incx, void *c, int64_t ldc)
{
    struct library_call call = library_call_of(LIBRARY_DGMM, type);
    bool right = side == CUBLAS_SIDE_RIGHT;

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if ((unsigned)side > CUBLAS_SIDE_RIGHT || m < 0 || n < 0 || lda < blas_least(m) ||
        ldc < blas_least(m)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (m == 0 || n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    call.n[0] = m;
    call.n[1] = n;
    call.mode[1] = right;
    call.operand[0] = library_matrix(a, m, n, lda, type);
    call.operand[1] = library_vector(x, right ? n : m, incx, type);
    call.operand[2] = library_matrix(c, m, n, ldc, type);
    return blas_launch(h, name, &call);
}

/* --- LU factors of many small matrices --- */

static struct library_operand array_of(const void *array, int64_t n, int64_t columns, int64_t ld,
                                       uint32_t type)
{
    struct library_operand o = library_matrix(array, n, columns, ld, type);

    o.flags = LIBRARY_INDIRECT;
    return o;
}

/* n integers a batch; NULL: none */
static struct library_operand integers_of(const int *p, int64_t n)
{
    struct library_operand o = library_vector(p, p ? n : 0, 1, CUDA_R_32I);

    o.batch_pitch = n * 4;
    return o;
}

/* @go: there is something to do */
static cublasStatus_t batch_check(cublasHandle_t h, int64_t n, int64_t lda, int64_t batches,
                                  bool *go)
{
    *go = false;
    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (n < 0 || batches < 0 || lda < blas_least(n)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *go = n > 0 && batches > 0;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_getrf(cublasHandle_t h, const char *name, uint32_t type, int64_t n, void *a,
                          int64_t lda, int *pivots, int *info, int64_t batches)
{
    struct library_call c = library_call_of(LIBRARY_GETRF, type);
    bool go;
    cublasStatus_t s = batch_check(h, n, lda, batches, &go);

    if (!go) {
        return s;
    }
    c.n[0] = c.n[1] = n;
    c.batches = (uint64_t)batches;
    c.operand[0] = array_of(a, n, n, lda, type);
    c.operand[1] = integers_of(pivots, n);
    c.operand[2] = integers_of(info, 1);
    return info ? blas_launch(h, name, &c) : CUBLAS_STATUS_INVALID_VALUE;
}

/* *info, on the host, is about the parameters alone. */
cublasStatus_t blas_getrs(cublasHandle_t h, const char *name, uint32_t type,
                          cublasOperation_t trans, int64_t n, int64_t columns, const void *a,
                          int64_t lda, const int *pivots, void *b, int64_t ldb, int *info,
                          int64_t batches)
{
    struct library_call c = library_call_of(LIBRARY_GETRS, type);
    bool go;
    cublasStatus_t s = batch_check(h, n, lda, batches, &go);

    if (s == CUBLAS_STATUS_NOT_INITIALIZED) {
        return s;
    }
    if (!info || !blas_op_known(trans) || columns < 0 || ldb < blas_least(n)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *info = 0;
    if (!go || columns == 0) {
        return s;
    }
    c.n[0] = n;
    c.n[1] = columns;
    c.batches = (uint64_t)batches;
    c.mode[1] = blas_mode(trans);
    c.operand[0] = array_of(a, n, n, lda, type);
    c.operand[1] = integers_of(pivots, n);
    c.operand[2] = array_of(b, n, columns, ldb, type);
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_getri(cublasHandle_t h, const char *name, uint32_t type, int64_t n,
                          const void *a, int64_t lda, const int *pivots, void *c, int64_t ldc,
                          int *info, int64_t batches)
{
    struct library_call call = library_call_of(LIBRARY_GETRI, type);
    bool go;
    cublasStatus_t s = batch_check(h, n, lda, batches, &go);

    if (!go || ldc < blas_least(n) || !info) {
        return s ? s : go ? CUBLAS_STATUS_INVALID_VALUE : s;
    }
    call.n[0] = n;
    call.batches = (uint64_t)batches;
    call.operand[0] = array_of(a, n, n, lda, type);
    call.operand[1] = integers_of(pivots, n);
    call.operand[2] = array_of(c, n, n, ldc, type);
    call.operand[3] = integers_of(info, 1);
    return blas_launch(h, name, &call);
}

/* --- QR factors and least squares of many small matrices --- */

cublasStatus_t blas_geqrf(cublasHandle_t h, const char *name, uint32_t type, int64_t m, int64_t n,
                          const void *a, int64_t lda, const void *tau, int *info, int64_t batches)
{
    struct library_call c = library_call_of(LIBRARY_GEQRF, type);

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!info) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *info = m < 0 ? -1 : n < 0 ? -2 : lda < blas_least(m) ? -4 : batches < 0 ? -7 : 0;
    if (*info) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (m == 0 || n == 0 || batches == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    c.n[0] = m;
    c.n[1] = n;
    c.batches = (uint64_t)batches;
    c.operand[0] = array_of(a, m, n, lda, type);
    c.operand[1] = array_of(tau, m < n ? m : n, 1, m < n ? m : n, type);
    c.operand[2] = integers_of(NULL, 1);
    return blas_launch(h, name, &c);
}

/* As NVIDIA's: only systems that are not turned and have at least as many rows as columns */
cublasStatus_t blas_gels(cublasHandle_t h, const char *name, uint32_t type, cublasOperation_t trans,
                         int64_t m, int64_t n, int64_t columns, const void *a, int64_t lda,
                         const void *c, int64_t ldc, int *info, int *device_info, int64_t batches)
{
    struct library_call call = library_call_of(LIBRARY_GELS_BATCH, type);

    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!info || !blas_op_known(trans)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *info = m < 0                 ? -2
            : n < 0               ? -3
            : columns < 0         ? -4
            : lda < blas_least(m) ? -6
            : ldc < blas_least(m) ? -8
            : batches < 0         ? -11
                                  : 0;
    if (*info) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (trans != CUBLAS_OP_N || m < n) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (n == 0 || columns == 0 || batches == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    call.n[0] = m;
    call.n[1] = n;
    call.n[2] = columns;
    call.batches = (uint64_t)batches;
    call.operand[0] = array_of(a, m, n, lda, type);
    call.operand[1] = array_of(c, m, columns, ldc, type);
    call.operand[2] = integers_of(device_info, 1);
    return blas_launch(h, name, &call);
}
