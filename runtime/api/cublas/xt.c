/* SPDX-License-Identifier: MIT */
/* cuBLAS library, "Using the cuBLASXt API": products of matrices that lie in memory of the host or
 * of the device. Each operand is copied to device memory of the call's own as a whole, so tiles
 * change nothing; the result is there when the call returns.
 */
#include "runtime/api/cublas/blas.h"

#pragma GCC visibility push(default)
#include "include/cublasXt.h"
#pragma GCC visibility pop

#define XT_BLOCK 2048 /* rows of a tile, at first */
#define XT_SIZE_MAX INT32_MAX

struct cublasXtContext {
    struct library_handle handle; /* first */
    cublasHandle_t blas;
    int block;
    cublasXtPinnedMemMode_t pinning;
};

static bool xt_live(cublasXtHandle_t h)
{
    return library_live(h, LIBRARY_KIND_CUBLASXT);
}

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle)
{
    struct library_handle *h;
    cublasHandle_t blas;
    cublasStatus_t s;

    if (!handle) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    s = cublasCreate_v2(&blas);
    if (s != CUBLAS_STATUS_SUCCESS) {
        return s;
    }
    if (library_open(LIBRARY_KIND_CUBLASXT, sizeof(struct cublasXtContext), &h) != CUDA_SUCCESS) {
        cublasDestroy_v2(blas);
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    *handle = (struct cublasXtContext *)(void *)h;
    (*handle)->blas = blas;
    (*handle)->block = XT_BLOCK;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle)
{
    if (!xt_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    cublasDestroy_v2(handle->blas);
    library_close(&handle->handle);
    return CUBLAS_STATUS_SUCCESS;
}

/* The first device alone computes. */
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[])
{
    CUdevice device;

    if (!xt_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (nbDevices <= 0 || !deviceId) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    for (int i = 0; i < nbDevices; i++) {
        if (library_driver.cuDeviceGet(&device, deviceId[i]) != CUDA_SUCCESS) {
            return CUBLAS_STATUS_INVALID_VALUE;
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim)
{
    if (!xt_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (blockDim <= 0) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    handle->block = blockDim;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *blockDim)
{
    if (!xt_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!blockDim) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *blockDim = handle->block;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode)
{
    if (!xt_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if ((unsigned)mode > CUBLASXT_PINNING_ENABLED) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    handle->pinning = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode)
{
    if (!xt_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!mode) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *mode = handle->pinning;
    return CUBLAS_STATUS_SUCCESS;
}

/* Columns of @bytes between the program's matrix and one of the device; @up: to the device */
static CUresult xt_copy(const void *program, size_t pitch, CUdeviceptr own, size_t bytes,
                        size_t columns, bool up)
{
    CUmemorytype type;
    bool known =
        library_driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                             (CUdeviceptr)(uintptr_t)program) == CUDA_SUCCESS;
    CUmemorytype theirs = known ? CU_MEMORYTYPE_UNIFIED : CU_MEMORYTYPE_HOST;
    CUDA_MEMCPY2D m = { .srcMemoryType = up ? theirs : CU_MEMORYTYPE_DEVICE,
                        .dstMemoryType = up ? CU_MEMORYTYPE_DEVICE : theirs,
                        .srcHost = program,
                        .dstHost = (void *)(uintptr_t)program,
                        .srcDevice = up ? (CUdeviceptr)(uintptr_t)program : own,
                        .dstDevice = up ? own : (CUdeviceptr)(uintptr_t)program,
                        .srcPitch = up ? pitch : bytes,
                        .dstPitch = up ? bytes : pitch,
                        .WidthInBytes = bytes,
                        .Height = columns };

    return bytes && columns ? library_driver.cuMemcpy2DUnaligned(&m) : CUDA_SUCCESS;
}

/**
 * struct xt_matrix - of the program, and its copy
 */
struct xt_matrix {
    const void *data;
    size_t ld, rows, columns;
    CUdeviceptr own;
};

static CUresult xt_upload(struct xt_matrix *x, size_t element, bool filled)
{
    size_t bytes = x->rows * element, all = bytes * x->columns;
    CUresult e = library_driver.cuMemAlloc(&x->own, all != 0 ? all : element);

    return e || !filled ? e : xt_copy(x->data, x->ld * element, x->own, bytes, x->columns, true);
}

static bool xt_zero(const void *factor, uint32_t type)
{
    struct library_scalar s = { 0 };

    library_scalar_set(&s, factor, type, false);
    return s.value[0] == 0 && s.value[1] == 0;
}

/* Copies in, the product, and its result out */
static cublasStatus_t xt_product(cublasXtHandle_t h, const char *name, struct blas_gemm g,
                                 struct xt_matrix *x)
{
    size_t element = blas_type_bytes(g.type_a);
    CUresult e = xt_upload(&x[0], element, true);
    cublasStatus_t s;

    e = e ? e : xt_upload(&x[1], element, true);
    e = e ? e : xt_upload(&x[2], element, !xt_zero(g.beta, g.scale));
    if (e != CUDA_SUCCESS) {
        return e == CUDA_ERROR_OUT_OF_MEMORY ? CUBLAS_STATUS_ALLOC_FAILED
                                             : CUBLAS_STATUS_EXECUTION_FAILED;
    }
    g.a = (const void *)(uintptr_t)x[0].own;
    g.b = (const void *)(uintptr_t)x[1].own;
    g.c = (void *)(uintptr_t)x[2].own;
    g.lda = blas_least((int64_t)x[0].rows);
    g.ldb = blas_least((int64_t)x[1].rows);
    g.ldc = blas_least((int64_t)x[2].rows);
    s = blas_gemm(h->blas, name, g);
    if (s != CUBLAS_STATUS_SUCCESS) {
        return s;
    }
    e = library_driver.cuStreamSynchronize(h->blas->handle.stream);
    e = e ? e
          : xt_copy(x[2].data, x[2].ld * element, x[2].own, x[2].rows * element, x[2].columns,
                    false);
    return e == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

static cublasStatus_t xt_gemm(cublasXtHandle_t h, const char *name, struct blas_gemm g)
{
    bool ta = g.ta != CUBLAS_OP_N, tb = g.tb != CUBLAS_OP_N;
    size_t m = (size_t)g.m, n = (size_t)g.n, k = (size_t)g.k;
    struct xt_matrix x[3] = { { g.a, (size_t)g.lda, ta ? k : m, ta ? m : k, 0 },
                              { g.b, (size_t)g.ldb, tb ? n : k, tb ? k : n, 0 },
                              { g.c, (size_t)g.ldc, m, n, 0 } };
    cublasStatus_t s;

    if (!xt_live(h)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!blas_op_known(g.ta) || !blas_op_known(g.tb) || m > XT_SIZE_MAX || n > XT_SIZE_MAX ||
        k > XT_SIZE_MAX || !g.alpha || !g.beta) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (x[i].ld < (size_t)blas_least((int64_t)x[i].rows) || x[i].ld > XT_SIZE_MAX) {
            return CUBLAS_STATUS_INVALID_VALUE;
        }
    }
    if (m == 0 || n == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    if (library_enter(&h->handle) != CUDA_SUCCESS) {
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    s = xt_product(h, name, g, x);
    for (unsigned i = 0; i < 3; i++) {
        if (x[i].own) {
            library_driver.cuMemFree(x[i].own);
        }
    }
    library_leave();
    return s;
}

#define XT_GEMM(name, T, number)                                                                \
    cublasStatus_t name(cublasXtHandle_t handle, cublasOperation_t transa,                      \
                        cublasOperation_t transb, size_t m, size_t n, size_t k, const T *alpha, \
                        const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C,    \
                        size_t ldc)                                                             \
    {                                                                                           \
        return xt_gemm(handle, __func__,                                                        \
                       (struct blas_gemm){ .ta = transa,                                        \
                                           .tb = transb,                                        \
                                           .m = (int64_t)m,                                     \
                                           .n = (int64_t)n,                                     \
                                           .k = (int64_t)k,                                     \
                                           .alpha = alpha,                                      \
                                           .a = A,                                              \
                                           .b = B,                                              \
                                           .beta = beta,                                        \
                                           .c = C,                                              \
                                           .lda = (int64_t)lda,                                 \
                                           .ldb = (int64_t)ldb,                                 \
                                           .ldc = (int64_t)ldc,                                 \
                                           .batches = BLAS_ONE,                                 \
                                           .type_a = (number),                                  \
                                           .type_b = (number),                                  \
                                           .type_c = (number),                                  \
                                           .scale = (number),                                   \
                                           .compute = (number) });                              \
    }
XT_GEMM(cublasXtSgemm, float, CUDA_R_32F)
XT_GEMM(cublasXtDgemm, double, CUDA_R_64F)
XT_GEMM(cublasXtCgemm, cuComplex, CUDA_C_32F)
XT_GEMM(cublasXtZgemm, cuDoubleComplex, CUDA_C_64F)
