/* SPDX-License-Identifier: MIT */
/* Devices. */
#include "runtime/api/cuda/api.h"

CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev);

/* A LUID names a device of Windows: there is none. The code is inferred. */
CUresult cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev)
{
    int value;
    CUresult rc = rt_device_attribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev);

    if (rc == CUDA_SUCCESS && (!luid || !deviceNodeMask)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return rc == CUDA_SUCCESS ? CUDA_ERROR_NOT_SUPPORTED : rc;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    if (!major || !minor) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    int found = 0;
    CUresult rc = rt_device_attribute(&found, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev);
    if (rc != CUDA_SUCCESS) {
        return rc;
    }
    *major = found;
    return rt_device_attribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev);
}

/* Shares of the SMs are a matter of MPS, which Tegra does not have (CUDA for Tegra 3.6). */
CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    int value;

    (void)type;
    if (!pi) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    CUresult rc = rt_device_attribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev);
    if (rc == CUDA_SUCCESS) {
        *pi = 0;
    }
    return rc;
}
