/* SPDX-License-Identifier: MIT */
/* Devices. */
#include "runtime/cuda/api.h"

CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev);

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    return rt_device_get(device, ordinal);
}

CUresult cuDeviceGetCount(int *count)
{
    return rt_device_count(count);
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
    return rt_device_name(name, len, dev);
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    return rt_device_uuid(uuid, dev);
}

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

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
    return rt_device_total_mem(bytes, dev);
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                            unsigned int numChannels, CUdevice dev)
{
    return rt_device_tex1d_linear_max(maxWidthInElements, format, numChannels, dev);
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    return rt_device_attribute(pi, attrib, dev);
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    return rt_device_properties(prop, dev);
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

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    return rt_device_by_pci_bus_id(dev, pciBusId);
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    return rt_device_pci_bus_id(pciBusId, len, dev);
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    return rt_pool_set_current(dev, pool);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    return rt_pool_current(pool, dev);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    return rt_pool_default(pool_out, dev);
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
