/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Stream Ordered Memory Allocator. Structures and numbers are the driver's. */
#include "runtime/api/cudart/rt.h"

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

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    CUdevice dev;

    RT_TRY(rt_device_check(device, &dev));
    return RT_DRIVER(cuDeviceGetDefaultMemPool, memPool, dev);
}

/* Measured: of the current pool a device that is not there is a wrong value. */
static cudaError_t device_check(int device, CUdevice *dev)
{
    cudaError_t error = rt_device_check(device, dev);

    return error == cudaErrorInvalidDevice ? cudaErrorInvalidValue : error;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    CUdevice dev;

    RT_TRY(device_check(device, &dev));
    return RT_DRIVER(cuDeviceGetMemPool, memPool, dev);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
    CUdevice dev;

    RT_TRY(device_check(device, &dev));
    return RT_DRIVER(cuDeviceSetMemPool, dev, memPool);
}
