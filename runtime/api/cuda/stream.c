/* SPDX-License-Identifier: MIT */
/* Streams. Compiled twice (api.h). */
#include "runtime/api/cuda/api.h"

/* No stream belongs to a green context: there are none. */
CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    CUresult rc = rt_stream_context(api_stream(hStream), pCtx);

    if (rc == CUDA_SUCCESS && pGreenCtx) {
        *pGreenCtx = NULL;
    }
    return rc;
}

CUresult cuStreamBeginCapture(CUstream hStream, CUstreamCaptureMode mode)
{
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    return rt_stream_begin_capture(api_stream(hStream), mode);
}

#if API_ONCE
CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return phStream ? rt_stream_create(phStream, Flags, 0) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    return phStream ? rt_stream_create(phStream, flags, priority)
                    : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuStreamDestroy(CUstream hStream)
{
    return hStream ? rt_stream_destroy(hStream) : api_fail(CUDA_ERROR_INVALID_HANDLE);
}
#endif
