/* SPDX-License-Identifier: MIT */
/* A libcuda.so.1 that stands in for NVIDIA's: what tests/compare/app.c calls, and no more. It
 * answers what a driver would, and gives any amount of memory. */
#include <cuda.h>
#include <stdio.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE CUresult cuInit(unsigned int flags)
{
    return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

VISIBLE CUresult cuDeviceGetCount(int *count)
{
    *count = 1;
    return CUDA_SUCCESS;
}

VISIBLE CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}

VISIBLE CUresult cuDeviceGetName(char *name, int len, CUdevice device)
{
    (void)device;
    snprintf(name, (size_t)len, "stand-in");
    return CUDA_SUCCESS;
}

VISIBLE CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = NULL;
    return CUDA_SUCCESS;
}

VISIBLE CUresult cuCtxSetCurrent(CUcontext context)
{
    (void)context;
    return CUDA_SUCCESS;
}

VISIBLE CUresult cuMemAlloc(CUdeviceptr *memory, size_t bytes)
{
    *memory = 0x700000000 + bytes % 4096;
    return CUDA_SUCCESS;
}

VISIBLE CUresult cuMemFree(CUdeviceptr memory)
{
    (void)memory;
    return CUDA_SUCCESS;
}
