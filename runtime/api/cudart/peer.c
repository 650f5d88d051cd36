/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Peer Device Memory Access; copies between devices; inter-process handles. */
#include <string.h>

#include "runtime/api/cudart/rt.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle), "passed on as it is");
_Static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle), "passed on as it is");

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    CUdevice dev, peer;

    RT_TRY(rt_device_check(device, &dev));
    RT_TRY(rt_device_check(peerDevice, &peer));
    return RT_DRIVER(cuDeviceCanAccessPeer, canAccessPeer, dev, peer);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                      int dstDevice)
{
    CUdevice src, dst;

    RT_TRY(rt_device_check(srcDevice, &src));
    RT_TRY(rt_device_check(dstDevice, &dst));
    return RT_DRIVER(cuDeviceGetP2PAttribute, value, (CUdevice_P2PAttribute)attr, src, dst);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    CUcontext peer;

    RT_TRY(rt_context());
    RT_TRY(rt_primary_context(peerDevice, &peer));
    return RT_DRIVER(cuCtxEnablePeerAccess, peer, flags);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
    CUcontext peer;

    RT_TRY(rt_context());
    RT_TRY(rt_primary_context(peerDevice, &peer));
    return RT_DRIVER(cuCtxDisablePeerAccess, peer);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
    CUcontext to, from;

    RT_TRY(rt_context());
    RT_TRY(rt_primary_context(dstDevice, &to));
    RT_TRY(rt_primary_context(srcDevice, &from));
    return RT_DRIVER(cuMemcpyPeer, RT_PTR(dst), to, RT_PTR(src), from, count);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream)
{
    CUcontext to, from;

    RT_TRY(rt_context());
    RT_TRY(rt_primary_context(dstDevice, &to));
    RT_TRY(rt_primary_context(srcDevice, &from));
    return RT_DRIVER(cuMemcpyPeerAsync, RT_PTR(dst), to, RT_PTR(src), from, count, stream);
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, CUDA_MEMCPY3D_PEER *c)
{
    static bool said;
    CUcontext to = NULL, from = NULL;

    if (p->srcArray || p->dstArray) {
        return rt_missing("cudaMemcpy3DPeer with arrays", &said);
    }
    cudaError_t err = rt_primary_context(p->dstDevice, &to);
    if (err == cudaSuccess) {
        err = rt_primary_context(p->srcDevice, &from);
    }
    *c = (CUDA_MEMCPY3D_PEER){
        .srcXInBytes = p->srcPos.x,
        .srcY = p->srcPos.y,
        .srcZ = p->srcPos.z,
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = RT_PTR(p->srcPtr.ptr),
        .srcContext = from,
        .srcPitch = p->srcPtr.pitch,
        .srcHeight = p->srcPtr.ysize,
        .dstXInBytes = p->dstPos.x,
        .dstY = p->dstPos.y,
        .dstZ = p->dstPos.z,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = RT_PTR(p->dstPtr.ptr),
        .dstContext = to,
        .dstPitch = p->dstPtr.pitch,
        .dstHeight = p->dstPtr.ysize,
        .WidthInBytes = p->extent.width,
        .Height = p->extent.height,
        .Depth = p->extent.depth,
    };
    return err;
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    CUDA_MEMCPY3D_PEER c;

    RT_TRY(rt_context());
    RT_REQUIRE(p, cudaErrorInvalidValue);
    RT_TRY(copy_3d_peer(p, &c));
    return RT_DRIVER(cuMemcpy3DPeer, &c);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    CUDA_MEMCPY3D_PEER c;

    RT_TRY(rt_context());
    RT_REQUIRE(p, cudaErrorInvalidValue);
    RT_TRY(copy_3d_peer(p, &c));
    return RT_DRIVER(cuMemcpy3DPeerAsync, &c, stream);
}

/* Inter-process handles. */

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    CUipcEventHandle h;

    RT_TRY(rt_context());
    memcpy(&h, &handle, sizeof(h));
    return RT_DRIVER(cuIpcOpenEventHandle, event, h);
}

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags)
{
    CUipcMemHandle h;

    RT_TRY(rt_context());
    memcpy(&h, &handle, sizeof(h));
    return RT_DRIVER(cuIpcOpenMemHandle, (CUdeviceptr *)devPtr, h, flags);
}
