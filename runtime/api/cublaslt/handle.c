/* SPDX-License-Identifier: MIT */
/* cuBLASLt, handles and what the library says of itself. Its codes are cuBLAS'. */
#include "runtime/api/cublaslt/lt.h"

cublasStatus_t cublasLtCreate(cublasLtHandle_t *lightHandle)
{
    struct library_handle *h;
    CUresult e;

    LT_REQUIRE(lightHandle);
    e = library_open(LIBRARY_KIND_CUBLASLT, sizeof(struct cublasLtContext), &h);
    if (e != CUDA_SUCCESS) {
        return e == CUDA_ERROR_OUT_OF_MEMORY ? CUBLAS_STATUS_ALLOC_FAILED
                                             : CUBLAS_STATUS_NOT_INITIALIZED;
    }
    *lightHandle = (struct cublasLtContext *)(void *)h;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t lightHandle)
{
    LT_REQUIRE(lightHandle); /* tests/golden/cublasLt_13.1.txt */
    if (!library_live(lightHandle, LIBRARY_KIND_CUBLASLT)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    library_close(&lightHandle->handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = { CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH };

    LT_REQUIRE(value && (unsigned)type <= PATCH_LEVEL);
    *value = parts[type];
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
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
    STATUS(EXECUTION_FAILED, "the function failed to launch on the GPU"),
    STATUS(INTERNAL_ERROR, "an internal operation failed"),
    STATUS(NOT_SUPPORTED, "the functionality requested is not supported"),
};

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        if (statuses[i].status == status) {
            return statuses[i].name;
        }
    }
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        if (statuses[i].status == status) {
            return statuses[i].text;
        }
    }
    return "unknown status";
}

/* --- nothing is logged: the report has the calls --- */

cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback)
{
    (void)callback;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetFile(FILE *file)
{
    (void)file;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerOpenFile(const char *logFile)
{
    (void)logFile;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetLevel(int level)
{
    LT_REQUIRE(level >= 0);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetMask(int mask)
{
    LT_REQUIRE(mask >= 0);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerForceDisable(void)
{
    return CUBLAS_STATUS_SUCCESS;
}
