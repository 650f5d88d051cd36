/* SPDX-License-Identifier: MIT */
/* Peer access: Tegra has no peer to peer communication, also between two GPUs of a board (CUDA for
 * Tegra 3.6). Codes as NVIDIA's driver gives them where a device is asked about itself. */
#include "runtime/api/cuda/api.h"

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice)
{
    int n = 0;
    CUresult rc = rt_device_count(&n);

    if (rc != CUDA_SUCCESS || !value) {
        return rc != CUDA_SUCCESS ? rc : api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    if (srcDevice == dstDevice || srcDevice < 0 || dstDevice < 0 || srcDevice >= n ||
        dstDevice >= n) {
        return api_fail(CUDA_ERROR_INVALID_DEVICE);
    }
    if (attrib < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ||
        attrib > CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    *value = 0;
    return CUDA_SUCCESS;
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
