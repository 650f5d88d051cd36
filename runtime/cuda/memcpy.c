/* SPDX-License-Identifier: MIT */
/* Memory: copies. Compiled twice (api.h). */
#include "runtime/cuda/api.h"

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    return rt_copy(dst, src, ByteCount, RT_COPY_DEFAULT, API_STREAM_0, RT_SYNC);
}

CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return rt_copy(dstDevice, api_address(srcHost), ByteCount, RT_COPY_HTOD, API_STREAM_0, RT_SYNC);
}

CUresult cuMemcpyDtoH(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    return rt_copy(api_address(dstHost), srcDevice, ByteCount, RT_COPY_DTOH, API_STREAM_0, RT_SYNC);
}

CUresult cuMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    return rt_copy(dstDevice, srcDevice, ByteCount, RT_COPY_DTOD, API_STREAM_0, RT_SYNC);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return rt_copy(dst, src, ByteCount, RT_COPY_DEFAULT, api_stream(hStream), RT_ASYNC);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                           CUstream hStream)
{
    return rt_copy(dstDevice, api_address(srcHost), ByteCount, RT_COPY_HTOD, api_stream(hStream),
                   RT_ASYNC);
}

CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return rt_copy(api_address(dstHost), srcDevice, ByteCount, RT_COPY_DTOH, api_stream(hStream),
                   RT_ASYNC);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                           CUstream hStream)
{
    return rt_copy(dstDevice, srcDevice, ByteCount, RT_COPY_DTOD, api_stream(hStream), RT_ASYNC);
}

/* With one device both contexts see the same memory: NVIDIA's driver then looks at neither of them
 * closer either (a NULL one is fine). */
CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                      CUcontext srcContext, size_t ByteCount)
{
    (void)dstContext;
    (void)srcContext;
    return rt_copy(dstDevice, srcDevice, ByteCount, RT_COPY_DTOD, API_STREAM_0, RT_SYNC);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    (void)dstContext;
    (void)srcContext;
    return rt_copy(dstDevice, srcDevice, ByteCount, RT_COPY_DTOD, api_stream(hStream), RT_ASYNC);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *pCopy)
{
    return rt_copy_2d(pCopy, API_STREAM_0, RT_SYNC);
}

/* The strict one may refuse pitches beyond the device's largest; both take any here. */
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *pCopy)
{
    return rt_copy_2d(pCopy, API_STREAM_0, RT_SYNC);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    return rt_copy_2d(pCopy, api_stream(hStream), RT_ASYNC);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *pCopy)
{
    return rt_copy_3d(pCopy, API_STREAM_0, RT_SYNC);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    return rt_copy_3d(pCopy, api_stream(hStream), RT_ASYNC);
}

/* The same copy without its two contexts. */
static CUDA_MEMCPY3D peer_copy(const CUDA_MEMCPY3D_PEER *p)
{
    return (CUDA_MEMCPY3D){
        .srcXInBytes = p->srcXInBytes,
        .srcY = p->srcY,
        .srcZ = p->srcZ,
        .srcLOD = p->srcLOD,
        .srcMemoryType = p->srcMemoryType,
        .srcHost = p->srcHost,
        .srcDevice = p->srcDevice,
        .srcArray = p->srcArray,
        .srcPitch = p->srcPitch,
        .srcHeight = p->srcHeight,
        .dstXInBytes = p->dstXInBytes,
        .dstY = p->dstY,
        .dstZ = p->dstZ,
        .dstLOD = p->dstLOD,
        .dstMemoryType = p->dstMemoryType,
        .dstHost = p->dstHost,
        .dstDevice = p->dstDevice,
        .dstArray = p->dstArray,
        .dstPitch = p->dstPitch,
        .dstHeight = p->dstHeight,
        .WidthInBytes = p->WidthInBytes,
        .Height = p->Height,
        .Depth = p->Depth,
    };
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
    if (!pCopy) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    CUDA_MEMCPY3D copy = peer_copy(pCopy);
    return rt_copy_3d(&copy, API_STREAM_0, RT_SYNC);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    if (!pCopy) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    CUDA_MEMCPY3D copy = peer_copy(pCopy);
    return rt_copy_3d(&copy, api_stream(hStream), RT_ASYNC);
}
