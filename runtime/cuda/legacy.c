/* SPDX-License-Identifier: MIT */
/* First forms of functions whose later ones differ in name or signature, for programs built with an
 * older CUDA, or that ask cuGetProcAddress for its version. Those with 32-bit addresses or sizes
 * (before CUDA 3.2) are stubs: no address fits. Compiled twice (api.h). */
#include "runtime/cuda/api.h"

/* The plain names themselves from here on. */
#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuDeviceGetUuid
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuEventDestroy
#undef cuEventElapsedTime
#undef cuLinkAddData
#undef cuLinkAddFile
#undef cuLinkCreate
#undef cuMemAdvise
#undef cuMemHostRegister
#undef cuStreamDestroy

#undef cuMemPrefetchAsync
#undef cuStreamBatchMemOp
#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64

/* A device ordinal, or CU_DEVICE_CPU, as a location. */
static CUmemLocation location_of(CUdevice device)
{
    CUmemLocation location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device };

    if (device == CU_DEVICE_CPU) {
        location.type = CU_MEM_LOCATION_TYPE_HOST;
        location.id = 0;
    }
    return location;
}

CUresult API_PTSZ(cuMemPrefetchAsync)(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                                      CUstream hStream);
CUresult API_PTSZ(cuMemPrefetchAsync)(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                                      CUstream hStream)
{
    return rt_mem_prefetch(devPtr, count, location_of(dstDevice), 0, api_stream(hStream));
}

CUresult API_PTSZ(cuStreamWaitValue32)(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                       unsigned int flags);
CUresult API_PTSZ(cuStreamWaitValue32)(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                       unsigned int flags)
{
    return rt_stream_wait_value(api_stream(stream), addr, value, 32, flags);
}

CUresult API_PTSZ(cuStreamWaitValue64)(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                       unsigned int flags);
CUresult API_PTSZ(cuStreamWaitValue64)(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                       unsigned int flags)
{
    return rt_stream_wait_value(api_stream(stream), addr, value, 64, flags);
}

CUresult API_PTSZ(cuStreamWriteValue32)(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                        unsigned int flags);
CUresult API_PTSZ(cuStreamWriteValue32)(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                        unsigned int flags)
{
    return rt_stream_write_value(api_stream(stream), addr, value, 32, flags);
}

CUresult API_PTSZ(cuStreamWriteValue64)(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                        unsigned int flags);
CUresult API_PTSZ(cuStreamWriteValue64)(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                        unsigned int flags)
{
    return rt_stream_write_value(api_stream(stream), addr, value, 64, flags);
}

CUresult API_PTSZ(cuStreamBatchMemOp)(CUstream stream, unsigned int count,
                                      CUstreamBatchMemOpParams *paramArray, unsigned int flags);
CUresult API_PTSZ(cuStreamBatchMemOp)(CUstream stream, unsigned int count,
                                      CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return count ? rt_stream_batch_mem_op(api_stream(stream), count, paramArray, flags)
                 : api_fail(CUDA_SUCCESS);
}

CUresult API_PTSZ(cuStreamBeginCapture)(CUstream hStream);
CUresult API_PTSZ(cuStreamBeginCapture)(CUstream hStream)
{
    return rt_stream_begin_capture(api_stream(hStream), CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult API_PTSZ(cuStreamGetCaptureInfo)(CUstream hStream,
                                          CUstreamCaptureStatus *captureStatus_out,
                                          cuuint64_t *id_out);
CUresult API_PTSZ(cuStreamGetCaptureInfo)(CUstream hStream,
                                          CUstreamCaptureStatus *captureStatus_out,
                                          cuuint64_t *id_out)
{
    (void)id_out;
    return rt_stream_capture_status(api_stream(hStream), captureStatus_out);
}

CUresult API_PTSZ(cuStreamGetCaptureInfo_v2)(CUstream hStream,
                                             CUstreamCaptureStatus *captureStatus_out,
                                             cuuint64_t *id_out, CUgraph *graph_out,
                                             const CUgraphNode **dependencies_out,
                                             size_t *numDependencies_out);
CUresult API_PTSZ(cuStreamGetCaptureInfo_v2)(CUstream hStream,
                                             CUstreamCaptureStatus *captureStatus_out,
                                             cuuint64_t *id_out, CUgraph *graph_out,
                                             const CUgraphNode **dependencies_out,
                                             size_t *numDependencies_out)
{
    (void)id_out;
    (void)graph_out;
    (void)dependencies_out;
    (void)numDependencies_out;
    return rt_stream_capture_status(api_stream(hStream), captureStatus_out);
}

#if API_ONCE
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    return rt_device_uuid(uuid, dev);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev);
CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
    return rt_primary_release(dev);
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev);
CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
    return rt_primary_reset(dev);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
    return rt_primary_set_flags(dev, flags);
}

CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev);
CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return rt_ctx_create(pctx, NULL, flags, dev);
}

CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return rt_ctx_create(pctx, NULL, flags, dev);
}

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

CUresult cuCtxPopCurrent(CUcontext *pctx);
CUresult cuCtxPopCurrent(CUcontext *pctx)
{
    return rt_ctx_pop(pctx);
}

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                      CUlinkState *stateOut);
CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                      CUlinkState *stateOut)
{
    return rt_link_create(numOptions, options, optionValues, stateOut);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int numOptions, CUjit_option *options,
                       void **optionValues);
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int numOptions, CUjit_option *options,
                       void **optionValues)
{
    return cuLinkAddData_v2(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int numOptions, CUjit_option *options, void **optionValues);
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    return cuLinkAddFile_v2(state, type, path, numOptions, options, optionValues);
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);
CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
    return rt_mem_advise(devPtr, count, advice, location_of(device));
}

CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags);
CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
    return rt_host_register(p, bytesize, Flags);
}

CUresult cuStreamDestroy(CUstream hStream);
CUresult cuStreamDestroy(CUstream hStream)
{
    return hStream ? rt_stream_destroy(hStream) : api_fail(CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuEventDestroy(CUevent hEvent);
CUresult cuEventDestroy(CUevent hEvent)
{
    return rt_event_destroy(hEvent);
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);
CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return rt_event_elapsed(pMilliseconds, hStart, hEnd);
}
#endif
