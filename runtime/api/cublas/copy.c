/* SPDX-License-Identifier: MIT */
/* cuBLAS library, cublasSetVector() to cublasGetMatrixAsync(): an element of a vector, or a column
 * of a matrix, is a row of a copy. Copies of the driver, so that its rules on pageable memory hold.
 */
#include "runtime/api/cublas/blas.h"

/**
 * struct copy - rows of @bytes; pitches in bytes
 * @up: to the device; @async: on @stream
 */
struct copy {
    const void *from;
    void *to;
    size_t bytes, rows, from_pitch, to_pitch;
    bool up, async;
    CUstream stream;
};

static CUresult copy_lines(const struct copy *c)
{
    CUdeviceptr device = c->up ? (CUdeviceptr)(uintptr_t)c->to : (CUdeviceptr)(uintptr_t)c->from;
    size_t bytes = c->bytes * c->rows;

    if (c->up) {
        return c->async ? library_driver.cuMemcpyHtoDAsync(device, c->from, bytes, c->stream)
                        : library_driver.cuMemcpyHtoD(device, c->from, bytes);
    }
    return c->async ? library_driver.cuMemcpyDtoHAsync(c->to, device, bytes, c->stream)
                    : library_driver.cuMemcpyDtoH(c->to, device, bytes);
}

static CUresult copy_rows(const struct copy *c)
{
    CUDA_MEMCPY2D m = { .srcMemoryType = c->up ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                        .dstMemoryType = c->up ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                        .srcHost = c->from,
                        .dstHost = c->to,
                        .srcDevice = (CUdeviceptr)(uintptr_t)c->from,
                        .dstDevice = (CUdeviceptr)(uintptr_t)c->to,
                        .srcPitch = c->from_pitch,
                        .dstPitch = c->to_pitch,
                        .WidthInBytes = c->bytes,
                        .Height = c->rows };

    return c->async ? library_driver.cuMemcpy2DAsync(&m, c->stream)
                    : library_driver.cuMemcpy2DUnaligned(&m);
}

static cublasStatus_t copy_run(const struct copy *c)
{
    CUcontext context;
    CUresult e = library_init();

    e = e ? e : library_driver.cuCtxGetCurrent(&context);
    if (e != CUDA_SUCCESS || !context) { /* the runtime's context is made by its first call */
        struct library_handle *h;

        e = e ? e : library_open(LIBRARY_KIND_CUBLAS, sizeof(*h), &h);
        if (e != CUDA_SUCCESS) {
            return CUBLAS_STATUS_NOT_INITIALIZED;
        }
        library_close(h);
    }
    if (c->rows == 0 || c->bytes == 0) {
        return CUBLAS_STATUS_SUCCESS;
    }
    e = c->from_pitch == c->bytes && c->to_pitch == c->bytes ? copy_lines(c) : copy_rows(c);
    return e == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

static cublasStatus_t vector_copy(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
                                  int64_t incy, bool up, bool async, CUstream stream)
{
    if (size <= 0 || incx <= 0 || incy <= 0) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (n < 0) {
        return CUBLAS_STATUS_MAPPING_ERROR;
    }
    return copy_run(&(struct copy){ x, y, (size_t)size, (size_t)n, (size_t)(incx * size),
                                    (size_t)(incy * size), up, async, stream });
}

static cublasStatus_t matrix_copy(int64_t rows, int64_t cols, int64_t size, const void *a,
                                  int64_t lda, void *b, int64_t ldb, bool up, bool async,
                                  CUstream stream)
{
    if (rows < 0 || cols < 0 || size <= 0 || lda <= 0 || ldb <= 0) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (lda < rows || ldb < rows) {
        return CUBLAS_STATUS_MAPPING_ERROR;
    }
    return copy_run(&(struct copy){ a, b, (size_t)(rows * size), (size_t)cols, (size_t)(lda * size),
                                    (size_t)(ldb * size), up, async, stream });
}

#define VECTOR(name, I, up)                                                      \
    cublasStatus_t name(I n, I elemSize, const void *x, I incx, void *y, I incy) \
    {                                                                            \
        return vector_copy(n, elemSize, x, incx, y, incy, up, false, NULL);      \
    }
#define VECTOR_ASYNC(name, I, up)                                                \
    cublasStatus_t name(I n, I elemSize, const void *x, I incx, void *y, I incy, \
                        cudaStream_t stream)                                     \
    {                                                                            \
        return vector_copy(n, elemSize, x, incx, y, incy, up, true, stream);     \
    }
#define MATRIX(name, I, up)                                                               \
    cublasStatus_t name(I rows, I cols, I elemSize, const void *A, I lda, void *B, I ldb) \
    {                                                                                     \
        return matrix_copy(rows, cols, elemSize, A, lda, B, ldb, up, false, NULL);        \
    }
#define MATRIX_ASYNC(name, I, up)                                                         \
    cublasStatus_t name(I rows, I cols, I elemSize, const void *A, I lda, void *B, I ldb, \
                        cudaStream_t stream)                                              \
    {                                                                                     \
        return matrix_copy(rows, cols, elemSize, A, lda, B, ldb, up, true, stream);       \
    }

VECTOR(cublasSetVector, int, true)
VECTOR(cublasSetVector_64, int64_t, true)
VECTOR(cublasGetVector, int, false)
VECTOR(cublasGetVector_64, int64_t, false)
VECTOR_ASYNC(cublasSetVectorAsync, int, true)
VECTOR_ASYNC(cublasSetVectorAsync_64, int64_t, true)
VECTOR_ASYNC(cublasGetVectorAsync, int, false)
VECTOR_ASYNC(cublasGetVectorAsync_64, int64_t, false)
MATRIX(cublasSetMatrix, int, true)
MATRIX(cublasSetMatrix_64, int64_t, true)
MATRIX(cublasGetMatrix, int, false)
MATRIX(cublasGetMatrix_64, int64_t, false)
MATRIX_ASYNC(cublasSetMatrixAsync, int, true)
MATRIX_ASYNC(cublasSetMatrixAsync_64, int64_t, true)
MATRIX_ASYNC(cublasGetMatrixAsync, int, false)
MATRIX_ASYNC(cublasGetMatrixAsync_64, int64_t, false)
