/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Event Management. A cudaEvent_t is the driver's CUevent. */
#include "runtime/cudart/rt.h"

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    RT_TRY(rt_context());
    RT_REQUIRE(event, cudaErrorInvalidValue);
    return RT_DRIVER(cuEventCreate, event, flags);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuEventRecord, event, stream);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuEventRecordWithFlags, event, stream, flags);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuEventQuery, event);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuEventSynchronize, event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuEventDestroy, event);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    RT_TRY(rt_context());
    RT_REQUIRE(ms, cudaErrorInvalidValue);
    return RT_DRIVER(cuEventElapsedTime, ms, start, end);
}
