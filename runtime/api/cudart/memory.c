/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Memory Management: allocation and fills. copy.c has the copies. */
#include "runtime/api/cudart/rt.h"

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    RT_TRY(rt_context());
    RT_REQUIRE(devPtr, cudaErrorInvalidValue);
    if (size == 0) {
        *devPtr = NULL;
        return cudaSuccess;
    }
    return RT_DRIVER(cuMemAlloc, (CUdeviceptr *)devPtr, size);
}

/* Rows that any vector type of four bytes and more can be read from at once. */
#define PITCH_ELEMENT_BYTES 4

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    RT_TRY(rt_context());
    RT_REQUIRE(devPtr && pitch, cudaErrorInvalidValue);
    if (width == 0 || height == 0) {
        *devPtr = NULL;
        *pitch = 0;
        return cudaSuccess;
    }
    return RT_DRIVER(cuMemAllocPitch, (CUdeviceptr *)devPtr, pitch, width, height,
                     PITCH_ELEMENT_BYTES);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
    size_t rows;
    void *ptr = NULL;
    size_t pitch = 0;

    RT_TRY(rt_context());
    RT_REQUIRE(pitchedDevPtr, cudaErrorInvalidValue);
    RT_REQUIRE(!__builtin_mul_overflow(extent.height, extent.depth, &rows), cudaErrorInvalidValue);
    RT_TRY(cudaMallocPitch(&ptr, &pitch, extent.width, rows));
    *pitchedDevPtr = (struct cudaPitchedPtr){ ptr, pitch, extent.width, extent.height };
    return cudaSuccess;
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    RT_TRY(rt_context());
    RT_REQUIRE(devPtr, cudaErrorInvalidValue);
    if (size == 0) {
        *devPtr = NULL;
        return cudaSuccess;
    }
    return RT_DRIVER(cuMemAllocManaged, (CUdeviceptr *)devPtr, size, flags);
}

/* Flags of pinned memory have the driver's numbers. */
cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    RT_TRY(rt_context());
    RT_REQUIRE(pHost, cudaErrorInvalidValue);
    if (size == 0) {
        *pHost = NULL;
        return cudaSuccess;
    }
    return RT_DRIVER(cuMemHostAlloc, pHost, size, flags);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *ptr)
{
    RT_TRY(rt_context());
    return ptr ? RT_DRIVER(cuMemFreeHost, ptr) : cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    RT_TRY(rt_context());
    RT_REQUIRE(pDevice, cudaErrorInvalidValue);
    return RT_DRIVER(cuMemHostGetDevicePointer, (CUdeviceptr *)pDevice, pHost, flags);
}

/* Fills. */

/* The slices of a volume lie ysize rows apart: whole slices are one fill, parts of slices one each.
 */
static cudaError_t fill_3d(struct cudaPitchedPtr p, int value, struct cudaExtent e,
                           cudaStream_t stream, bool async)
{
    size_t slice_bytes, rows;

    RT_TRY(rt_context());
    if (!e.width || !e.height || !e.depth) {
        return cudaSuccess;
    }
    RT_REQUIRE(e.width <= p.pitch && e.height <= p.ysize, cudaErrorInvalidValue);
    RT_REQUIRE(!__builtin_mul_overflow(p.pitch, p.ysize, &slice_bytes) &&
                   !__builtin_mul_overflow(e.height, e.depth, &rows),
               cudaErrorInvalidValue);
    size_t fills = e.height == p.ysize ? 1 : e.depth;
    size_t rows_per_fill = e.height == p.ysize ? rows : e.height;
    for (size_t z = 0; z < fills; z++) {
        void *at = (char *)p.ptr + z * slice_bytes;
        RT_TRY(async ? cudaMemset2DAsync(at, p.pitch, value, e.width, rows_per_fill, stream)
                     : cudaMemset2D(at, p.pitch, value, e.width, rows_per_fill));
    }
    return cudaSuccess;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
    return fill_3d(pitchedDevPtr, value, extent, NULL, false);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent, cudaStream_t stream)
{
    return fill_3d(pitchedDevPtr, value, extent, stream, true);
}
