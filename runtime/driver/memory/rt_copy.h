/* SPDX-License-Identifier: MIT */
/* Copies and fills. Rules: runtime/driver/driver.h.
 *
 * When a call returns follows NVIDIA's driver reference, "API synchronization behavior":
 *
 *   RT_SYNC   pageable to device: after staging, work before it in the stream is done
 *             device or pinned to host: after the copy is complete
 *             device to device: not waited for
 *             host to host: complete
 *   RT_ASYNC  pageable memory on one side: may be as RT_SYNC; else not waited for
 *   fills     of pinned host memory and RT_SYNC: complete; else not waited for
 *
 * RT_SYNC on memory with CU_POINTER_ATTRIBUTE_SYNC_MEMOPS returns when all is complete.
 *
 * Addresses may be device, managed, pinned or registered memory, or any memory of the application
 * (pageable) where the kind allows it. An address that is neither is CUDA_ERROR_INVALID_VALUE, and
 * so is a range that leaves its allocation. 0 bytes succeed. */
#ifndef RUNTIME_DRIVER_MEMORY_RT_COPY_H
#define RUNTIME_DRIVER_MEMORY_RT_COPY_H

#include "include/cuda.h"

enum rt_when { RT_SYNC, RT_ASYNC };

/* What the entry point says of its two addresses; DEFAULT: find out (cuMemcpy, cuMemcpyAsync). */
enum rt_copy_kind { RT_COPY_DEFAULT, RT_COPY_HTOD, RT_COPY_DTOH, RT_COPY_DTOD, RT_COPY_PEER };

CUresult rt_copy(CUdeviceptr dst, CUdeviceptr src, size_t bytes, enum rt_copy_kind kind,
                 CUstream stream, enum rt_when sync);
/* Pitched copies of host, device and unified memory and arrays, whose pitch is their own. */
CUresult rt_copy_2d(const CUDA_MEMCPY2D *copy, CUstream stream, enum rt_when sync);
CUresult rt_copy_3d(const CUDA_MEMCPY3D *copy, CUstream stream, enum rt_when sync);

/**
 * struct rt_batch - copies from @src[i] to @dst[i], @count of them
 * @attrs: entry k holds for the copies from @first[k] to before @first[k + 1], @n entries
 */
struct rt_batch {
    const CUdeviceptr *dst, *src;
    const size_t *bytes;
    size_t count;
    const CUmemcpyAttributes *attrs;
    const size_t *first;
    size_t n;
};

/**
 * rt_copy_batch, rt_copy_batch_3d - cuMemcpyBatchAsync, cuMemcpy3DBatchAsync
 * @fail: which copy an error is of, SIZE_MAX: of none alone; may be NULL
 */
CUresult rt_copy_batch(const struct rt_batch *batch, size_t *fail, CUstream stream);
CUresult rt_copy_batch_3d(size_t count, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t *fail,
                          unsigned long long flags, CUstream stream);

/**
 * rt_fill - cuMemsetD*, all of them
 * @element: 1, 2 or 4 bytes of @value, an element; @dst and @pitch are multiples of it
 * @width: elements a row; @height: rows, 1 for the linear fills, whose @pitch is ignored
 */
CUresult rt_fill(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width,
                 size_t height, CUstream stream, enum rt_when sync);

#endif
