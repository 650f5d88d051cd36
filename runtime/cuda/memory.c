/* SPDX-License-Identifier: MIT */
/* Memory: allocation, pinned and registered host memory. */
#include "runtime/cuda/api.h"

CUresult cuMemGetInfo(size_t *free, size_t *total)
{
    return rt_mem_info(free, total);
}

CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize)
{
    return rt_mem_alloc(dptr, bytesize);
}

CUresult cuMemAllocPitch(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                         unsigned int ElementSizeBytes)
{
    return rt_mem_alloc_pitch(dptr, pPitch, WidthInBytes, Height, ElementSizeBytes);
}

CUresult cuMemFree(CUdeviceptr dptr)
{
    return rt_mem_free(dptr);
}

CUresult cuMemGetAddressRange(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    return rt_mem_address_range(pbase, psize, dptr);
}

/* No bytes of pinned memory are a success that gives nothing, unlike those of device memory. */
static CUresult host_alloc(void **pp, size_t bytesize, unsigned int flags)
{
    const unsigned known =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    CUdevice device;

    if (bytesize || !pp || (flags & ~known)) {
        return rt_host_alloc(pp, bytesize, flags);
    }
    CUresult rc = rt_ctx_device(&device, NULL);
    if (rc == CUDA_SUCCESS) {
        *pp = NULL;
    }
    return rc;
}

CUresult cuMemAllocHost(void **pp, size_t bytesize)
{
    return host_alloc(pp, bytesize, 0);
}

CUresult cuMemFreeHost(void *p)
{
    return p ? rt_host_free(p) : api_fail(CUDA_SUCCESS);
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    return host_alloc(pp, bytesize, Flags);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    return rt_host_device_pointer(pdptr, p, Flags);
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    return rt_host_flags(pFlags, p);
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    return rt_mem_alloc_managed(dptr, bytesize, flags);
}

CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
    return rt_host_register(p, bytesize, Flags);
}

CUresult cuMemHostUnregister(void *p)
{
    return p ? rt_host_unregister(p) : api_fail(CUDA_ERROR_INVALID_VALUE);
}
