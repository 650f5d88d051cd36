/* SPDX-License-Identifier: MIT */
/* First forms of functions whose later ones differ in name or signature, for programs built with an
 * older CUDA, or that ask cuGetProcAddress for its version. Those with 32-bit addresses or sizes
 * (before CUDA 3.2) are stubs: no address fits. Compiled twice (api.h). */
#include "runtime/api/cuda/api.h"

/* The plain names themselves from here on. */
#undef cuCtxDestroy
#undef cuCtxPushCurrent
#undef cuStreamDestroy

#undef cuMemcpy3DBatchAsync
#undef cuMemcpyBatchAsync
#undef cuStreamBatchMemOp

CUresult API_PTSZ(cuMemcpyBatchAsync)(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                                      size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
                                      size_t numAttrs, size_t *failIdx, CUstream hStream);
CUresult API_PTSZ(cuMemcpyBatchAsync)(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                                      size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
                                      size_t numAttrs, size_t *failIdx, CUstream hStream)
{
    return rt_copy_batch(&(struct rt_batch){ dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs },
                         failIdx, api_stream(hStream));
}

CUresult API_PTSZ(cuMemcpy3DBatchAsync)(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                                        size_t *failIdx, unsigned long long flags,
                                        CUstream hStream);
CUresult API_PTSZ(cuMemcpy3DBatchAsync)(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                                        size_t *failIdx, unsigned long long flags, CUstream hStream)
{
    return rt_copy_batch_3d(numOps, opList, failIdx, flags, api_stream(hStream));
}

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
