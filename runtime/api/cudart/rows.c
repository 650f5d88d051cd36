/* SPDX-License-Identifier: MIT */
/* The functions of cudart.def that only pass on: CONTEXT_THEN. */
#include "runtime/api/cudart/array.h"

/* Structures and numbers are the driver's. */
_Static_assert(sizeof(cudaLaunchAttributeValue) == sizeof(CUstreamAttrValue), "passed on as it is");
_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "passed on as it is");
_Static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "passed on as it is");
_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation), "passed on as it is");
_Static_assert(sizeof(struct cudaMemPoolPtrExportData) == sizeof(CUmemPoolPtrExportData),
               "passed on as it is");

_Static_assert(sizeof(struct cudaArrayMemoryRequirements) == sizeof(CUDA_ARRAY_MEMORY_REQUIREMENTS),
               "passed on as it is");
_Static_assert(sizeof(struct cudaArraySparseProperties) == sizeof(CUDA_ARRAY_SPARSE_PROPERTIES),
               "passed on as it is");

#define STREAM(stream) ((stream) ? (stream) : stream_0)

#define FUNCTION(name, zero, parameters, call)                          \
    __attribute__((visibility("default"))) cudaError_t name parameters; \
    cudaError_t name parameters                                         \
    {                                                                   \
        const cudaStream_t stream_0 __attribute__((unused)) = zero;     \
        RT_TRY(rt_context());                                           \
        return rt_result(rt_drv.call);                                  \
    }
#define FUNCTION_ONE(name, parameters, call) FUNCTION(name, NULL, parameters, call)
#define FUNCTION_PTDS FUNCTION_ONE /* the other form is in ptsz.c */
#define FUNCTION_PTSZ(name, parameters, call) \
    FUNCTION(name, NULL, parameters, call)    \
    FUNCTION(name##_ptsz, cudaStreamPerThread, parameters, call)

#define CONTEXT_THEN(name, streams, parameters, call) FUNCTION_##streams(name, parameters, call)
#include "runtime/api/cudart/cudart.def"
