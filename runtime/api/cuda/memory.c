/* SPDX-License-Identifier: MIT */
/* Memory: allocation, pinned and registered host memory. */
#include "runtime/api/cuda/api.h"

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

CUresult cuMemHostUnregister(void *p)
{
    return p ? rt_host_unregister(p) : api_fail(CUDA_ERROR_INVALID_VALUE);
}
