/* SPDX-License-Identifier: MIT */
/* cuBLAS library, 2.4 "Helper Functions" but for copies. */
#include <stdio.h>

#include "runtime/api/cublas/blas.h"

#define WORKSPACE_ALIGN 256u /* bytes ("cublasSetWorkspace()") */

bool blas_live(cublasHandle_t h)
{
    return library_live(h, LIBRARY_KIND_CUBLAS);
}

cublasStatus_t blas_status(CUresult e)
{
    return e == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    struct library_handle *h;
    CUresult e;

    if (!handle) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    e = library_open(LIBRARY_KIND_CUBLAS, sizeof(struct cublasContext), &h);
    if (e != CUDA_SUCCESS) {
        return e == CUDA_ERROR_OUT_OF_MEMORY ? CUBLAS_STATUS_ALLOC_FAILED
                                             : CUBLAS_STATUS_NOT_INITIALIZED;
    }
    *handle = (struct cublasContext *)(void *)h;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!blas_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    library_close(&handle->handle);
    return CUBLAS_STATUS_SUCCESS;
}

/* A setting: *out or the field gets the other's value. */
#define GET(function, type, field)                            \
    cublasStatus_t function(cublasHandle_t handle, type *out) \
    {                                                         \
        if (!blas_live(handle)) {                             \
            return CUBLAS_STATUS_NOT_INITIALIZED;             \
        }                                                     \
        if (!out) {                                           \
            return CUBLAS_STATUS_INVALID_VALUE;               \
        }                                                     \
        *out = handle->field;                                 \
        return CUBLAS_STATUS_SUCCESS;                         \
    }
#define SET(function, type, field, good)                   \
    cublasStatus_t function(cublasHandle_t handle, type v) \
    {                                                      \
        if (!blas_live(handle)) {                          \
            return CUBLAS_STATUS_NOT_INITIALIZED;          \
        }                                                  \
        if (!(good)) {                                     \
            return CUBLAS_STATUS_INVALID_VALUE;            \
        }                                                  \
        handle->field = v;                                 \
        return CUBLAS_STATUS_SUCCESS;                      \
    }

GET(cublasGetStream_v2, cudaStream_t, handle.stream)
GET(cublasGetPointerMode_v2, cublasPointerMode_t, pointers)
SET(cublasSetPointerMode_v2, cublasPointerMode_t, pointers, (unsigned)v <= 1)
GET(cublasGetAtomicsMode, cublasAtomicsMode_t, atomics)
SET(cublasSetAtomicsMode, cublasAtomicsMode_t, atomics, (unsigned)v <= 1)
GET(cublasGetMathMode, cublasMath_t, math)
SET(cublasSetMathMode, cublasMath_t, math, (unsigned)v < 32)
GET(cublasGetSmCountTarget, int, sm_count)
SET(cublasSetSmCountTarget, int, sm_count, v >= 0)

/* The library's own workspace is used again from here on ("cublasSetStream()"). */
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId)
{
    if (!blas_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    handle->handle.stream = streamId;
    handle->workspace = NULL;
    handle->workspace_bytes = 0;
    return CUBLAS_STATUS_SUCCESS;
}

/* A misaligned one is taken, too (tests/golden/cublas_codes.txt), and not used. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace,
                                     size_t workspaceSizeInBytes)
{
    if (!blas_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    handle->workspace = (uintptr_t)workspace % WORKSPACE_ALIGN ? NULL : workspace;
    handle->workspace_bytes = workspaceSizeInBytes;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle; /* NVIDIA's needs none */
    if (!version) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = { CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH };

    if (!value || (unsigned)type > PATCH_LEVEL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *value = parts[type];
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void)
{
    return CUDA_VERSION;
}

#define STATUS(name, text) { CUBLAS_STATUS_##name, "CUBLAS_STATUS_" #name, text }
static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
    STATUS(SUCCESS, "success"),
    STATUS(NOT_INITIALIZED, "the library was not initialized"),
    STATUS(ALLOC_FAILED, "the resource allocation failed"),
    STATUS(INVALID_VALUE, "an unsupported value or parameter was passed to the function"),
    STATUS(ARCH_MISMATCH, "the function requires a feature absent from the device architecture"),
    STATUS(MAPPING_ERROR, "an access to GPU memory space failed"),
    STATUS(EXECUTION_FAILED, "the function failed to launch on the GPU"),
    STATUS(INTERNAL_ERROR, "an internal operation failed"),
    STATUS(NOT_SUPPORTED, "the functionality requested is not supported"),
    STATUS(LICENSE_ERROR, "the functionality requested requires some license and an error was "
                          "detected when trying to check the current licensing"),
};

const char *cublasGetStatusName(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        if (statuses[i].status == status) {
            return statuses[i].name;
        }
    }
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        if (statuses[i].status == status) {
            return statuses[i].text;
        }
    }
    return "unknown status";
}

static cublasLogCallback log_callback;

cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr,
                                     const char *logFileName)
{
    (void)logIsOn; /* nothing is logged: the report has the calls */
    (void)logToStdOut;
    (void)logToStdErr;
    (void)logFileName;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback)
{
    log_callback = userCallback;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback)
{
    if (!userCallback) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *userCallback = log_callback;
    return CUBLAS_STATUS_SUCCESS;
}

void cublasXerbla(const char *srName, int info)
{
    fprintf(stderr, "On entry to %s parameter number %d had an illegal value\n",
            srName ? srName : "?", info);
}
