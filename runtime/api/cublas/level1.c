/* SPDX-License-Identifier: MIT */
/* cuBLAS library, "cuBLAS Level-1 Function Reference" */
#include <string.h>

#include "runtime/api/cublas/blas.h"

bool blas_type_known(uint32_t type)
{
    return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_C_32F || type == CUDA_C_64F ||
           type == CUDA_R_16F || type == CUDA_R_16BF;
}

unsigned blas_type_bytes(uint32_t type)
{
    switch (type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_64F:
    case CUDA_C_32F:
    case CUDA_R_64I:
        return 8;
    case CUDA_C_64F:
        return 16;
    default:
        return 4;
    }
}

cublasStatus_t blas_launch(cublasHandle_t h, const char *name, const struct library_call *c)
{
    return blas_status(library_launch(&h->handle, name, c));
}

void blas_scalar(cublasHandle_t h, struct library_call *c, unsigned i, const void *value,
                 uint32_t type)
{
    library_scalar_set(&c->scalar[i], value, type, h->pointers == CUBLAS_POINTER_MODE_DEVICE);
}

cublasStatus_t blas_result(cublasHandle_t h, const char *name, struct library_call *c, unsigned o,
                           void *result, uint32_t type)
{
    bool device = h->pointers == CUBLAS_POINTER_MODE_DEVICE;
    const void *to = device ? result : (const void *)(uintptr_t)h->handle.scratch;
    cublasStatus_t s;

    CUresult e;

    c->operand[o] = library_vector(to, 1, 1, type);
    s = blas_launch(h, name, c);
    if (s || device) {
        return s;
    }
    e = library_fetch(&h->handle, result, 0, blas_type_bytes(type));
    return e == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED ? CUBLAS_STATUS_INTERNAL_ERROR
                                                      : blas_status(e);
}

/* What all of these check first: @go: there is something to do. */
static cublasStatus_t vectors_check(cublasHandle_t h, int64_t n, uint32_t tx, uint32_t ty, bool *go)
{
    *go = false;
    if (!blas_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!blas_type_known(tx) || !blas_type_known(ty)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    *go = n > 0;
    return CUBLAS_STATUS_SUCCESS;
}

static struct library_call vectors_call(uint32_t op, uint32_t compute, int64_t n, const void *x,
                                        uint32_t tx, int64_t incx)
{
    struct library_call c = library_call_of(op, compute);

    c.n[0] = n;
    c.operand[0] = library_vector(x, n, incx, tx);
    return c;
}

cublasStatus_t blas_copy(cublasHandle_t h, const char *name, int64_t n, const void *x, uint32_t tx,
                         int64_t incx, void *y, uint32_t ty, int64_t incy)
{
    bool go;
    cublasStatus_t s = vectors_check(h, n, tx, ty, &go);
    struct library_call c;

    if (!go || tx != ty) {
        return s ? s : tx != ty ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
    }
    c = vectors_call(LIBRARY_COPY, tx, n, x, tx, incx);
    c.operand[1] = library_vector(y, n, incy, ty);
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_swap(cublasHandle_t h, const char *name, int64_t n, void *x, uint32_t tx,
                         int64_t incx, void *y, uint32_t ty, int64_t incy)
{
    bool go;
    cublasStatus_t s = vectors_check(h, n, tx, ty, &go);
    struct library_call c;

    if (!go || tx != ty) {
        return s ? s : tx != ty ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
    }
    c = vectors_call(LIBRARY_SWAP, tx, n, x, tx, incx);
    c.operand[1] = library_vector(y, n, incy, ty);
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_scal(cublasHandle_t h, const char *name, int64_t n, const void *alpha,
                         uint32_t ta, void *x, uint32_t tx, int64_t incx, uint32_t compute)
{
    bool go;
    cublasStatus_t s = vectors_check(h, n, tx, ta, &go);
    struct library_call c;

    if (!go || incx <= 0) {
        return s;
    }
    if (!alpha || !blas_type_known(compute)) {
        return alpha ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_INVALID_VALUE;
    }
    c = vectors_call(LIBRARY_SCAL, compute, n, x, tx, incx);
    blas_scalar(h, &c, 0, alpha, ta);
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_axpy(cublasHandle_t h, const char *name, int64_t n, const void *alpha,
                         uint32_t ta, const void *x, uint32_t tx, int64_t incx, void *y,
                         uint32_t ty, int64_t incy, uint32_t compute)
{
    bool go;
    cublasStatus_t s = vectors_check(h, n, tx, ty, &go);
    struct library_call c;

    if (!go) {
        return s;
    }
    if (!alpha || !blas_type_known(ta) || !blas_type_known(compute)) {
        return alpha ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_INVALID_VALUE;
    }
    c = vectors_call(LIBRARY_AXPY, compute, n, x, tx, incx);
    c.operand[1] = library_vector(y, n, incy, ty);
    blas_scalar(h, &c, 0, alpha, ta);
    return blas_launch(h, name, &c);
}

cublasStatus_t blas_rot(cublasHandle_t h, const char *name, int64_t n, void *x, uint32_t type,
                        int64_t incx, void *y, int64_t incy, const void *cosine, uint32_t tc,
                        const void *sine, uint32_t ts)
{
    bool go;
    cublasStatus_t s = vectors_check(h, n, type, type, &go);
    struct library_call c;

    if (!go) {
        return s;
    }
    if (!cosine || !sine) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    c = vectors_call(LIBRARY_ROT, type, n, x, type, incx);
    c.operand[1] = library_vector(y, n, incy, type);
    blas_scalar(h, &c, 0, cosine, tc);
    blas_scalar(h, &c, 1, sine, ts);
    return blas_launch(h, name, &c);
}

/* The answer for no elements: @zero, without a launch if it goes to the host */
static cublasStatus_t result_none(cublasHandle_t h, const char *name, struct library_call *c,
                                  unsigned o, void *result, uint32_t type)
{
    if (h->pointers == CUBLAS_POINTER_MODE_HOST) {
        memset(result, 0, blas_type_bytes(type));
        return CUBLAS_STATUS_SUCCESS;
    }
    return blas_result(h, name, c, o, result, type);
}

cublasStatus_t blas_dot(cublasHandle_t h, const char *name, bool conjugated, int64_t n,
                        const void *x, uint32_t tx, int64_t incx, const void *y, uint32_t ty,
                        int64_t incy, void *result, uint32_t tr, uint32_t compute)
{
    bool go;
    cublasStatus_t s = vectors_check(h, n, tx, ty, &go);
    struct library_call c;

    if (s || !result || !blas_type_known(tr)) {
        return s ? s : result ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_MAPPING_ERROR;
    }
    n = go ? n : 0;
    c = vectors_call(LIBRARY_DOT, compute, n, x, tx, incx);
    c.operand[1] = library_vector(y, n, incy, ty);
    c.mode[1] = conjugated;
    return go ? blas_result(h, name, &c, 2, result, tr) : result_none(h, name, &c, 2, result, tr);
}

cublasStatus_t blas_norm(cublasHandle_t h, const char *name, bool euclidean, int64_t n,
                         const void *x, uint32_t tx, int64_t incx, void *result, uint32_t tr,
                         uint32_t compute)
{
    bool go;
    cublasStatus_t s = vectors_check(h, n, tx, tr, &go);
    struct library_call c;

    if (s || !result) {
        return s ? s : CUBLAS_STATUS_MAPPING_ERROR;
    }
    go = go && incx > 0;
    c = vectors_call(LIBRARY_NORM, compute, go ? n : 0, x, tx, incx);
    c.mode[1] = euclidean;
    return go ? blas_result(h, name, &c, 1, result, tr) : result_none(h, name, &c, 1, result, tr);
}

cublasStatus_t blas_extreme(cublasHandle_t h, const char *name, bool least, int64_t n,
                            const void *x, uint32_t tx, int64_t incx, void *result, bool wide)
{
    bool go;
    cublasStatus_t s = vectors_check(h, n, tx, tx, &go);
    uint32_t tr = wide ? CUDA_R_64I : CUDA_R_32I;
    struct library_call c;

    if (s || !result) {
        return s ? s : CUBLAS_STATUS_MAPPING_ERROR;
    }
    go = go && incx > 0;
    c = vectors_call(LIBRARY_EXTREME, tx, go ? n : 0, x, tx, incx);
    c.mode[1] = least;
    return go ? blas_result(h, name, &c, 1, result, tr) : result_none(h, name, &c, 1, result, tr);
}
