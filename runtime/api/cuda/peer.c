/* SPDX-License-Identifier: MIT */
/* Peer access: there is one device, and Tegra has no peer to peer communication (CUDA for
 * Tegra 3.6). Codes as NVIDIA's driver gives them where a device is asked about itself. */
#include "runtime/api/cuda/api.h"

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice)
{
    (void)attrib;
    (void)srcDevice;
    (void)dstDevice;
    return api_fail(value ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    CUcontext current = NULL;
    CUresult rc = rt_ctx_get(&current);
    unsigned version;

    if (rc != CUDA_SUCCESS) {
        return rc;
    }
    if (Flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!current || !peerContext) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    rc = rt_ctx_api_version(peerContext, &version);
    return rc == CUDA_SUCCESS ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : rc;
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
    CUcontext current = NULL;
    CUresult rc = rt_ctx_get(&current);

    if (rc != CUDA_SUCCESS) {
        return rc;
    }
    return current && peerContext ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}
