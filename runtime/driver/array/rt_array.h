/* SPDX-License-Identifier: MIT */
/* CUDA arrays and mipmapped arrays. Rules: runtime/driver/driver.h.
 *
 * The layout of an array is opaque to programs (CUDA Programming Guide, texture memory). NVIDIA's
 * is block linear; vtegra's choice is rows, one behind the other: each row starts at a multiple of
 * ARRAY_PITCH bytes, then slices or layers, then the next mipmap level. No result depends on it;
 * only which lines of the L2 a fetch touches does. */
#ifndef RUNTIME_DRIVER_ARRAY_RT_ARRAY_H
#define RUNTIME_DRIVER_ARRAY_RT_ARRAY_H

#include <stdint.h>

#include "include/cuda.h"
#include "runtime/driver/memory/rt_copy.h"

CUresult rt_array_create(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc);
CUresult rt_array_create_2d(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc);
CUresult rt_array_descriptor(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array);
CUresult rt_array_descriptor_2d(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array);
/* Waits for the context's work first, as rt_mem_free(). */
CUresult rt_array_destroy(CUarray array);

/* @levels: clamped to what the extent has, at least 1. */
CUresult rt_mipmap_create(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *desc,
                          unsigned levels);
/* The same handle each time; it lives as long as @mipmap. */
CUresult rt_mipmap_level(CUarray *array, CUmipmappedArray mipmap, unsigned level);
CUresult rt_mipmap_destroy(CUmipmappedArray mipmap);

/* One end of a linear copy: @at is an address, or an offset in bytes into an array's first row. */
struct rt_copy_end {
    CUmemorytype type;
    CUarray array;
    uint64_t at;
};
CUresult rt_copy_array(struct rt_copy_end dst, struct rt_copy_end src, size_t bytes,
                       CUstream stream, enum rt_when sync);

static inline struct rt_copy_end rt_end_array(CUarray array, size_t offset)
{
    return (struct rt_copy_end){ CU_MEMORYTYPE_ARRAY, array, offset };
}

static inline struct rt_copy_end rt_end_device(CUdeviceptr at)
{
    return (struct rt_copy_end){ CU_MEMORYTYPE_DEVICE, NULL, at };
}

static inline struct rt_copy_end rt_end_host(const void *at)
{
    return (struct rt_copy_end){ CU_MEMORYTYPE_HOST, NULL, (uintptr_t)at };
}

#endif
