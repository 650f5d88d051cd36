/* SPDX-License-Identifier: MIT */
/* First forms of functions whose later ones differ in name or signature, for programs built with an
 * older CUDA, or that ask cuGetProcAddress for its version. Those with 32-bit addresses or sizes
 * (before CUDA 3.2) are stubs: no address fits. Compiled twice (api.h). */
#include "runtime/api/cuda/api.h"

/* The plain names themselves from here on. */
#undef cuCtxDestroy
#undef cuCtxPushCurrent
#undef cuStreamDestroy

#undef cuStreamBatchMemOp

CUresult API_PTSZ(cuStreamBatchMemOp)(CUstream stream, unsigned int count,
                                      CUstreamBatchMemOpParams *paramArray, unsigned int flags);
CUresult API_PTSZ(cuStreamBatchMemOp)(CUstream stream, unsigned int count,
                                      CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return count ? rt_stream_batch_mem_op(api_stream(stream), count, paramArray, flags)
                 : api_fail(CUDA_SUCCESS);
}

#if API_ONCE
CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                        unsigned int flags, CUdevice dev);
CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                        unsigned int flags, CUdevice dev)
{
    const CUctxCreateParams params = {
        .execAffinityParams = paramsArray,
        .numExecAffinityParams = numParams,
    };

    return rt_ctx_create(pctx, numParams ? &params : NULL, flags, dev);
}

CUresult cuCtxDestroy(CUcontext ctx);
CUresult cuCtxDestroy(CUcontext ctx)
{
    return ctx ? rt_ctx_destroy(ctx) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuCtxPushCurrent(CUcontext ctx);
CUresult cuCtxPushCurrent(CUcontext ctx)
{
    return ctx ? rt_ctx_push(ctx) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuStreamDestroy(CUstream hStream);
CUresult cuStreamDestroy(CUstream hStream)
{
    return hStream ? rt_stream_destroy(hStream) : api_fail(CUDA_ERROR_INVALID_HANDLE);
}
#endif
