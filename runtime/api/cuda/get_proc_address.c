/* SPDX-License-Identifier: MIT */
/* Finding entry points by name; needs no cuInit. */
#include <string.h>

#include "runtime/api/cuda/api.h"
#include "runtime/api/cuda/proc_address.h"

#define PROC_FLAGS                                    \
    ((cuuint64_t)(CU_GET_PROC_ADDRESS_LEGACY_STREAM | \
                  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))

static CUresult proc_find(const char *symbol, void **pfn, int version, cuuint64_t flags,
                          enum proc_answer *answer)
{
    void (*address)(void);

    if (!symbol || !pfn || (flags & ~PROC_FLAGS) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *answer = proc_address_find(
        symbol, version, (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0, &address);
    memcpy(pfn, &address, sizeof(address)); /* C has no cast from function to void pointer */
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *symbolStatus)
{
    static const CUdriverProcAddressQueryResult status[] = {
        [PROC_FOUND] = CU_GET_PROC_ADDRESS_SUCCESS,
        [PROC_UNKNOWN] = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
        [PROC_TOO_NEW] = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT,
    };
    enum proc_answer answer;
    CUresult rc = proc_find(symbol, pfn, cudaVersion, flags, &answer);

    if (rc == CUDA_SUCCESS && symbolStatus) {
        *symbolStatus = status[answer];
    }
    return rc;
}

/* Before CUDA 12.0 there was no status, and a missing function was an error. */
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags);

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    enum proc_answer answer;
    CUresult rc = proc_find(symbol, pfn, cudaVersion, flags, &answer);

    return rc == CUDA_SUCCESS && answer != PROC_FOUND ? CUDA_ERROR_NOT_FOUND : rc;
}
