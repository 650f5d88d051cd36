/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Stream Ordered Memory Allocator. Structures and numbers are the driver's. */
#include "runtime/cudart/rt.h"

_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "passed on as it is");
_Static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "passed on as it is");
_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation), "passed on as it is");
_Static_assert(sizeof(struct cudaMemPoolPtrExportData) == sizeof(CUmemPoolPtrExportData),
               "passed on as it is");

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
    RT_TRY(rt_context());
    RT_REQUIRE(devPtr, cudaErrorInvalidValue);
    return RT_DRIVER(cuMemAllocAsync, (CUdeviceptr *)devPtr, size, hStream);
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream)
{
    RT_TRY(rt_context());
    RT_REQUIRE(ptr, cudaErrorInvalidValue);
    return RT_DRIVER(cuMemAllocFromPoolAsync, (CUdeviceptr *)ptr, size, memPool, stream);
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemFreeAsync, RT_PTR(devPtr), hStream);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolCreate, memPool, (const CUmemPoolProps *)poolProps);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolDestroy, memPool);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolTrimTo, memPool, minBytesToKeep);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolSetAttribute, memPool, (CUmemPool_attribute)attr, value);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolGetAttribute, memPool, (CUmemPool_attribute)attr, value);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                 size_t count)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolSetAccess, memPool, (const CUmemAccessDesc *)descList, count);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                 struct cudaMemLocation *location)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolGetAccess, (CUmemAccess_flags *)flags, memPool,
                     (CUmemLocation *)location);
}

cudaError_t cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                               enum cudaMemAllocationHandleType handleType,
                                               unsigned int flags)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolExportToShareableHandle, shareableHandle, memPool,
                     (CUmemAllocationHandleType)handleType, flags);
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                 enum cudaMemAllocationHandleType handleType,
                                                 unsigned int flags)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolImportFromShareableHandle, memPool, shareableHandle,
                     (CUmemAllocationHandleType)handleType, flags);
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolExportPointer, (CUmemPoolPtrExportData *)exportData, RT_PTR(ptr));
}

cudaError_t cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                     struct cudaMemPoolPtrExportData *exportData)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPoolImportPointer, (CUdeviceptr *)ptr, memPool,
                     (CUmemPoolPtrExportData *)exportData);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    CUdevice dev;

    RT_TRY(rt_device_check(device, &dev));
    return RT_DRIVER(cuDeviceGetDefaultMemPool, memPool, dev);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    CUdevice dev;

    RT_TRY(rt_device_check(device, &dev));
    return RT_DRIVER(cuDeviceGetMemPool, memPool, dev);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
    CUdevice dev;

    RT_TRY(rt_device_check(device, &dev));
    return RT_DRIVER(cuDeviceSetMemPool, dev, memPool);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemGetDefaultMemPool, memPool, (CUmemLocation *)location,
                     (CUmemAllocationType)type);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemGetMemPool, memPool, (CUmemLocation *)location,
                     (CUmemAllocationType)type);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t memPool)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemSetMemPool, (CUmemLocation *)location, (CUmemAllocationType)type,
                     memPool);
}
