/* SPDX-License-Identifier: MIT */
/* cuSOLVER, "cuSolverDN Helper Function Reference", and what its functions share. */
#include <stdlib.h>

#include "runtime/api/cusolver/dense.h"

#define BUFFER 32 /* elements, and bytes: what programs allocate stays untouched */

cusolverStatus_t dense_live(cusolverDnHandle_t h)
{
    return library_live(h, LIBRARY_KIND_CUSOLVER) ? CUSOLVER_STATUS_SUCCESS
                                                  : CUSOLVER_STATUS_NOT_INITIALIZED;
}

cusolverStatus_t dense_status(CUresult e)
{
    return e == CUDA_SUCCESS               ? CUSOLVER_STATUS_SUCCESS
           : e == CUDA_ERROR_OUT_OF_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED
                                           : CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t dense_launch(cusolverDnHandle_t h, const char *name, const struct library_call *c)
{
    return dense_status(library_launch(&h->handle, name, c));
}

bool dense_type_known(uint32_t type)
{
    return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_C_32F || type == CUDA_C_64F;
}

uint32_t dense_type_real(uint32_t type)
{
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

bool dense_uplo_known(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}

int64_t dense_least(int64_t rows)
{
    return rows > 1 ? rows : 1;
}

struct library_operand dense_triangle_of(const void *a, int64_t n, int64_t ld, uint32_t type,
                                         cublasFillMode_t uplo)
{
    struct library_operand o = library_matrix(a, n, n, ld, type);

    o.flags = uplo == CUBLAS_FILL_MODE_UPPER ? LIBRARY_UPPER : LIBRARY_LOWER;
    return o;
}

struct library_operand dense_info_of(const int *info)
{
    return library_vector(info, info ? 1 : 0, 1, CUDA_R_32I);
}

cusolverStatus_t dense_size(cusolverDnHandle_t h, int *elements)
{
    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE(elements);
    *elements = BUFFER;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t dense_size_half(cusolverDnHandle_t h, cublasFillMode_t uplo, int *elements)
{
    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE(dense_uplo_known(uplo));
    return dense_size(h, elements);
}

cusolverStatus_t dense_size_order(cusolverDnHandle_t h, int64_t n, int *elements)
{
    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE(n >= 0);
    return dense_size(h, elements);
}

cusolverStatus_t dense_size_wide(cusolverDnHandle_t h, size_t *device, size_t *host)
{
    DENSE_REQUIRE_HANDLE(h);
    DENSE_REQUIRE(device && host);
    *device = BUFFER;
    *host = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    struct library_handle *h;
    CUresult e;

    DENSE_REQUIRE(handle);
    e = library_open(LIBRARY_KIND_CUSOLVER, sizeof(struct cusolverDnContext), &h);
    if (e != CUDA_SUCCESS) {
        return e == CUDA_ERROR_OUT_OF_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED
                                             : CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    *handle = (struct cusolverDnContext *)(void *)h;
    (*handle)->deterministic = CUSOLVER_DETERMINISTIC_RESULTS;
    (*handle)->math = CUSOLVER_DEFAULT_MATH;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    DENSE_REQUIRE_HANDLE(handle);
    library_close(&handle->handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId)
{
    DENSE_REQUIRE_HANDLE(handle);
    handle->handle.stream = streamId;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *streamId)
{
    DENSE_REQUIRE_HANDLE(handle);
    DENSE_REQUIRE(streamId);
    *streamId = handle->handle.stream;
    return CUSOLVER_STATUS_SUCCESS;
}

/* Modes are kept and change nothing: results are the same each time. */
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t mode)
{
    DENSE_REQUIRE_HANDLE(handle);
    DENSE_REQUIRE(mode == CUSOLVER_DETERMINISTIC_RESULTS ||
                  mode == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS);
    handle->deterministic = mode;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t *mode)
{
    DENSE_REQUIRE_HANDLE(handle);
    DENSE_REQUIRE(mode);
    *mode = handle->deterministic;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t mode)
{
    DENSE_REQUIRE_HANDLE(handle);
    DENSE_REQUIRE(mode == CUSOLVER_DEFAULT_MATH || mode == CUSOLVER_FP32_EMULATED_BF16X9_MATH);
    handle->math = mode;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t *mode)
{
    DENSE_REQUIRE_HANDLE(handle);
    DENSE_REQUIRE(mode);
    *mode = handle->math;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = { CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH };

    DENSE_REQUIRE(value && (unsigned)type <= PATCH_LEVEL);
    *value = parts[type];
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetVersion(int *version)
{
    DENSE_REQUIRE(version);
    *version = CUSOLVER_VERSION;
    return CUSOLVER_STATUS_SUCCESS;
}

/* --- parameters of the 64-bit forms: algorithms, which give the same results here --- */

struct cusolverDnParams {
    cusolverAlgMode_t algorithm[CUSOLVERDN_SYEVBATCHED + 1];
};

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params)
{
    DENSE_REQUIRE(params);
    *params = calloc(1, sizeof(**params));
    return *params ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
    free(params);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algo)
{
    DENSE_REQUIRE(params && (unsigned)function <= CUSOLVERDN_SYEVBATCHED &&
                  (unsigned)algo <= CUSOLVER_ALG_2);
    params->algorithm[function] = algo;
    return CUSOLVER_STATUS_SUCCESS;
}
