/* SPDX-License-Identifier: MIT */
/* Memory: copies. Compiled twice (api.h). */
#include "runtime/api/cuda/api.h"

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
