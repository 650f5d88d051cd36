/* SPDX-License-Identifier: MIT */
/* The functions of cuda.def that only pass on: FORWARD and CONTEXT_THEN. */
#include "runtime/api/cuda/api.h"

/* The first forms' own names, which cuda.h gives to later ones. Without its row here the compiler
 * finds two prototypes. */
#undef cuCtxCreate
#undef cuCtxPopCurrent
#undef cuDeviceGetUuid
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuEventDestroy
#undef cuEventElapsedTime
#undef cuGLGetDevices
#undef cuGraphicsResourceGetMappedPointer
#undef cuGraphicsResourceSetMapFlags
#undef cuGraphAddDependencies
#undef cuGraphAddNode
#undef cuGraphGetEdges
#undef cuGraphInstantiate
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphRemoveDependencies
#undef cuIpcOpenMemHandle
#undef cuLinkAddData
#undef cuLinkAddFile
#undef cuLinkCreate
#undef cuMemAdvise
#undef cuMemHostRegister
#undef cuMemPrefetchAsync
#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo
#undef cuStreamUpdateCaptureDependencies
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64
#undef cuTexRefGetAddress
#undef cuTexRefSetAddress
#undef cuTexRefSetAddress2D

#pragma GCC diagnostic ignored "-Wunused-parameter" /* a call need not pass on everything */

#define STREAM_0 stream_0
#define STREAM(stream) ((stream) ? (stream) : stream_0)

/* @first: what has to succeed before @call. */
#define FUNCTION(name, zero, first, parameters, call)           \
    CUresult name parameters;                                   \
    CUresult name parameters                                    \
    {                                                           \
        const CUstream stream_0 __attribute__((unused)) = zero; \
        const CUresult error = first;                           \
        return error != CUDA_SUCCESS ? error : call;            \
    }
#define FUNCTION_ONE(name, ...) FUNCTION(name, CU_STREAM_LEGACY, __VA_ARGS__)
#define FUNCTION_PTDS(name, ...)                  \
    FUNCTION(name, CU_STREAM_LEGACY, __VA_ARGS__) \
    FUNCTION(name##_ptds, CU_STREAM_PER_THREAD, __VA_ARGS__)
#define FUNCTION_PTSZ(name, ...)                  \
    FUNCTION(name, CU_STREAM_LEGACY, __VA_ARGS__) \
    FUNCTION(name##_ptsz, CU_STREAM_PER_THREAD, __VA_ARGS__)

static CUresult context_find(void)
{
    CUdevice device;

    return rt_ctx_device(&device, NULL);
}

#define FORWARD(name, since, streams, parameters, call) \
    FUNCTION_##streams(name, CUDA_SUCCESS, parameters, call)
#define CONTEXT_THEN(name, since, streams, parameters, call) \
    FUNCTION_##streams(name, context_find(), parameters, call)
#include "runtime/api/cuda/cuda.def"
