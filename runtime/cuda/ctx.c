/* SPDX-License-Identifier: MIT */
/* Contexts. */
#include "runtime/cuda/api.h"

CUresult cuCtxCreate(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                     CUdevice dev)
{
    return rt_ctx_create(pctx, ctxCreateParams, flags, dev);
}

CUresult cuCtxDestroy(CUcontext ctx)
{
    return ctx ? rt_ctx_destroy(ctx) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuCtxPushCurrent(CUcontext ctx)
{
    return ctx ? rt_ctx_push(ctx) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuCtxPopCurrent(CUcontext *pctx)
{
    return rt_ctx_pop(pctx);
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
    return rt_ctx_set(ctx);
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
    return rt_ctx_get(pctx);
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    return device ? rt_ctx_device(device, NULL) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    return rt_ctx_device(device, ctx);
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    return rt_ctx_flags(flags);
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    return rt_ctx_set_flags(flags);
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    return rt_ctx_id(ctx, ctxId);
}

CUresult cuCtxSynchronize(void)
{
    return rt_ctx_synchronize(NULL);
}

CUresult cuCtxSynchronize_v2(CUcontext ctx)
{
    return rt_ctx_synchronize(ctx);
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    return rt_ctx_set_limit(limit, value);
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    return rt_ctx_get_limit(pvalue, limit);
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    return rt_ctx_cache_config(pconfig);
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    return rt_ctx_set_cache_config(config);
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    return rt_ctx_shared_config(pConfig);
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    return rt_ctx_set_shared_config(config);
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    return rt_ctx_api_version(ctx, version);
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    return rt_ctx_stream_priority_range(leastPriority, greatestPriority);
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    return rt_ctx_reset_persisting_l2();
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

CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent)
{
    return rt_ctx_record_event(hCtx, hEvent);
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent)
{
    return rt_ctx_wait_event(hCtx, hEvent);
}
