/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Event Management. A cudaEvent_t is the driver's CUevent. */
#include "runtime/api/cudart/rt.h"

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

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    RT_TRY(rt_context());
    RT_REQUIRE(ms, cudaErrorInvalidValue);
    return RT_DRIVER(cuEventElapsedTime, ms, start, end);
}
