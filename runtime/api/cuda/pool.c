/* SPDX-License-Identifier: MIT */
/* Stream-ordered memory and pools. Compiled twice (api.h). */
#include "runtime/api/cuda/api.h"

/* No bytes are a success that gives nothing, unlike those of cuMemAlloc. */
CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    CUcontext context;

    if (bytesize || !dptr) {
        return rt_mem_alloc_async(dptr, bytesize, api_stream(hStream));
    }
    CUresult rc = rt_stream_context(api_stream(hStream), &context);
    if (rc == CUDA_SUCCESS) {
        *dptr = 0;
    }
    return rc;
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    CUcontext context;

    return dptr ? rt_mem_free_async(dptr, api_stream(hStream))
                : rt_stream_context(api_stream(hStream), &context);
}

#if API_ONCE
/* Pools hold device memory only: CUDA_SUCCESS if @location and @type ask for that. Pools of host
 * and managed memory came with CUDA 13.0; no Tegra is documented to have them. */
static CUresult pool_of_device(const CUmemLocation *location, CUmemAllocationType type)
{
    if (!location) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    if (type != CU_MEM_ALLOCATION_TYPE_PINNED && type != CU_MEM_ALLOCATION_TYPE_MANAGED) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || type != CU_MEM_ALLOCATION_TYPE_PINNED) {
        return api_fail(CUDA_ERROR_NOT_SUPPORTED);
    }
    return CUDA_SUCCESS;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
                                CUmemAllocationType type)
{
    CUresult rc = pool_of_device(location, type);

    return rc == CUDA_SUCCESS ? rt_pool_default(pool_out, location->id) : rc;
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    CUresult rc = pool_of_device(location, type);

    return rc == CUDA_SUCCESS ? rt_pool_current(pool, location->id) : rc;
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    CUresult rc = pool_of_device(location, type);

    return rc == CUDA_SUCCESS ? rt_pool_set_current(location->id, pool) : rc;
}
#endif
