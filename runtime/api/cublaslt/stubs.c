/* SPDX-License-Identifier: MIT */
/* What of cuBLASLt is not supported, and what it says of itself. Its codes are cuBLAS'. */
#include "include/cublas_api.h"
#include "runtime/api/library/stub.h"

#define STUB(name) LIBRARY_STUB(name, CUBLAS_STATUS_NOT_SUPPORTED)
#include "runtime/api/cublaslt/cublaslt.def"

LIBRARY_EXPORT const char *cublasLtGetStatusName(cublasStatus_t status);
LIBRARY_EXPORT const char *cublasLtGetStatusString(cublasStatus_t status);
LIBRARY_EXPORT size_t cublasLtGetVersion(void);
LIBRARY_EXPORT size_t cublasLtGetCudartVersion(void);

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS         ? "CUBLAS_STATUS_SUCCESS"
           : status == CUBLAS_STATUS_NOT_SUPPORTED ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                                   : "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS         ? "success"
           : status == CUBLAS_STATUS_NOT_SUPPORTED ? "the functionality requested is not supported"
                                                   : "unknown status";
}

size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    return CUDA_VERSION;
}
