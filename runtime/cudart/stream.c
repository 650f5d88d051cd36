/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Stream Management. A cudaStream_t is the driver's CUstream. */
#include <stdlib.h>

#include "runtime/cudart/rt.h"

_Static_assert(sizeof(cudaLaunchAttributeValue) == sizeof(CUstreamAttrValue), "passed on as it is");

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    RT_TRY(rt_context());
    RT_REQUIRE(pStream, cudaErrorInvalidValue);
    return RT_DRIVER(cuStreamCreate, pStream, flags);
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
    return cudaStreamCreateWithFlags(pStream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
    RT_TRY(rt_context());
    RT_REQUIRE(pStream, cudaErrorInvalidValue);
    return RT_DRIVER(cuStreamCreateWithPriority, pStream, flags, priority);
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamGetPriority, hStream, priority);
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamGetFlags, hStream, flags);
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamGetId, hStream, streamId);
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamGetDevice, hStream, device);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamDestroy, stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamQuery, stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamSynchronize, stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamWaitEvent, stream, event, flags);
}

/* The program's function takes a cudaError_t where the driver gives a CUresult. */
struct callback {
    cudaStreamCallback_t function;
    void *user;
};

static void CUDA_CB callback_call(CUstream stream, CUresult status, void *data)
{
    struct callback c = *(struct callback *)data;

    free(data);
    c.function(stream, rt_error(status), c.user);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags)
{
    RT_TRY(rt_context());
    RT_REQUIRE(callback, cudaErrorInvalidValue);
    struct callback *c = malloc(sizeof(*c));
    RT_REQUIRE(c, cudaErrorMemoryAllocation);
    *c = (struct callback){ callback, userData };
    CUresult result = rt_drv.cuStreamAddCallback(stream, callback_call, c, flags);
    if (result != CUDA_SUCCESS) {
        free(c);
    }
    return rt_result(result);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length,
                                     unsigned int flags)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamAttachMemAsync, stream, RT_PTR(devPtr), length, flags);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamCopyAttributes, dst, src);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue *value_out)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamGetAttribute, hStream, (CUstreamAttrID)attr,
                     (CUstreamAttrValue *)value_out);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue *value)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamSetAttribute, hStream, (CUstreamAttrID)attr,
                     (const CUstreamAttrValue *)value);
}

/* Capture: the numbers of mode and status are the driver's. */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamBeginCapture, stream, (CUstreamCaptureMode)mode);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamEndCapture, stream, pGraph);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuStreamIsCapturing, stream, (CUstreamCaptureStatus *)pCaptureStatus);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode *)mode);
}
