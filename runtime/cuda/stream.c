/* SPDX-License-Identifier: MIT */
/* Streams and what there is of capture. Compiled twice (api.h). */
#include "runtime/cuda/api.h"

CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
    return rt_stream_priority(api_stream(hStream), priority);
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
    return rt_stream_device(api_stream(hStream), device);
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    return rt_stream_flags(api_stream(hStream), flags);
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    return rt_stream_id(api_stream(hStream), streamId);
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    return rt_stream_context(api_stream(hStream), pctx);
}

/* No stream belongs to a green context: there are none. */
CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    CUresult rc = rt_stream_context(api_stream(hStream), pCtx);

    if (rc == CUDA_SUCCESS && pGreenCtx) {
        *pGreenCtx = NULL;
    }
    return rc;
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    return rt_stream_wait_event(api_stream(hStream), hEvent, Flags);
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                             unsigned int flags)
{
    return rt_stream_callback(api_stream(hStream), callback, userData, flags);
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                unsigned int flags)
{
    return rt_stream_attach(api_stream(hStream), dptr, length, flags);
}

CUresult cuStreamQuery(CUstream hStream)
{
    return rt_stream_query(api_stream(hStream));
}

CUresult cuStreamSynchronize(CUstream hStream)
{
    return rt_stream_synchronize(api_stream(hStream));
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    return rt_stream_copy_attributes(api_stream(dst), api_stream(src));
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out)
{
    return rt_stream_attribute(api_stream(hStream), attr, value_out);
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value)
{
    return rt_stream_set_attribute(api_stream(hStream), attr, value);
}

/* The legacy stream cannot be captured (driver reference). */
CUresult cuStreamBeginCapture(CUstream hStream, CUstreamCaptureMode mode)
{
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    if (api_stream(hStream) == CU_STREAM_LEGACY) {
        return api_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return rt_stream_begin_capture(api_stream(hStream), mode);
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    return rt_stream_end_capture(api_stream(hStream), phGraph);
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    return rt_stream_capture_status(api_stream(hStream), captureStatus);
}

/* The status is NONE, and then the reference writes nothing else. */
CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                cuuint64_t *id_out, CUgraph *graph_out,
                                const CUgraphNode **dependencies_out,
                                const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
    (void)id_out;
    (void)graph_out;
    (void)dependencies_out;
    (void)edgeData_out;
    (void)numDependencies_out;
    return rt_stream_capture_status(api_stream(hStream), captureStatus_out);
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

/* A thread's mode says what its own captures forbid; nothing is ever captured. */
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    static _Thread_local CUstreamCaptureMode current = CU_STREAM_CAPTURE_MODE_GLOBAL;

    if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    CUstreamCaptureMode before = current;
    current = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
#endif
