/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Stream Management. A cudaStream_t is the driver's CUstream. */
#include <stdlib.h>

#include "runtime/api/cudart/rt.h"

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
