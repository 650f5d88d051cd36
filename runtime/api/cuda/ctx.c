/* SPDX-License-Identifier: MIT */
/* Contexts. */
#include "runtime/api/cuda/api.h"

CUresult cuCtxDestroy(CUcontext ctx)
{
    return ctx ? rt_ctx_destroy(ctx) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuCtxPushCurrent(CUcontext ctx)
{
    return ctx ? rt_ctx_push(ctx) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    return device ? rt_ctx_device(device, NULL) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

/* A context has all SMs. */
CUresult cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type)
{
    CUdevice device = 0;
    int sm_count = 0;
    CUresult rc = rt_ctx_device(&device, NULL);

    if (rc != CUDA_SUCCESS) {
        return rc;
    }
    if (!pExecAffinity || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    rc = rt_device_attribute(&sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    if (rc == CUDA_SUCCESS) {
        pExecAffinity->type = type;
        pExecAffinity->param.smCount.val = (unsigned)sm_count;
    }
    return rc;
}
