/* SPDX-License-Identifier: MIT */
/* Memory: allocation by kind (Table 1), what an address belongs to, pools, managed memory's hints.
 * Rules: runtime/driver/driver.h.
 *
 * One address serves CPU and GPU (UVA). Each allocation is its own region of whole pages with an
 * unmapped page behind it, so faults and reports can name the buffer; all are page aligned. */
#ifndef RUNTIME_DRIVER_MEMORY_RT_MEMORY_H
#define RUNTIME_DRIVER_MEMORY_RT_MEMORY_H

#include <stdbool.h>

#include "include/cuda.h"

CUresult rt_mem_info(size_t *free_bytes, size_t *total_bytes); /* each may be NULL */

/* 0 bytes is CUDA_ERROR_INVALID_VALUE; no room CUDA_ERROR_OUT_OF_MEMORY. */
CUresult rt_mem_alloc(CUdeviceptr *ptr, size_t bytes);
/* @element: 4, 8 or 16 */
CUresult rt_mem_alloc_pitch(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height,
                            unsigned element);
/* @flags: CU_MEM_ATTACH_GLOBAL or _HOST */
CUresult rt_mem_alloc_managed(CUdeviceptr *ptr, size_t bytes, unsigned flags);
/* Waits for the context's work first. 0 is fine; an address that is no start of an allocation of
 * ours is CUDA_ERROR_INVALID_VALUE, and a finding when it was freed before. Device and managed. */
CUresult rt_mem_free(CUdeviceptr ptr);
CUresult rt_mem_address_range(CUdeviceptr *base, size_t *size,
                              CUdeviceptr ptr); /* results may be NULL */

/* Pinned memory. @flags: CU_MEMHOSTALLOC_*. cuMemAllocHost is @flags 0. */
CUresult rt_host_alloc(void **ptr, size_t bytes, unsigned flags);
CUresult rt_host_free(void *ptr); /* waits like rt_mem_free(); NULL is fine */
CUresult rt_host_device_pointer(CUdeviceptr *device, void *ptr, unsigned flags);
CUresult rt_host_flags(unsigned *flags, void *ptr);
/* CUDA_ERROR_NOT_SUPPORTED below cc 7.2 and on QNX (note 3.2, 3.6). */
CUresult rt_host_register(void *ptr, size_t bytes, unsigned flags);
CUresult rt_host_unregister(void *ptr);

CUresult rt_pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr);
/* Unknown addresses give zeros, as documented for cuPointerGetAttributes. */
CUresult rt_pointer_attributes(unsigned count, CUpointer_attribute *attributes, void **data,
                               CUdeviceptr ptr);
CUresult rt_pointer_set_attribute(const void *value, CUpointer_attribute attribute,
                                  CUdeviceptr ptr);

/* Managed memory's state. @length 0 means the whole allocation; a part is
 * CUDA_ERROR_INVALID_VALUE. @flags: one of CU_MEM_ATTACH_*. In stream order. */
CUresult rt_stream_attach(CUstream stream, CUdeviceptr ptr, size_t length, unsigned flags);
/* On an iGPU without concurrent managed access CUDA_ERROR_INVALID_DEVICE for a device location
 * (note 3.3, 3.6); arguments are checked first. */
CUresult rt_mem_prefetch(CUdeviceptr ptr, size_t count, CUmemLocation location, unsigned flags,
                         CUstream stream);
/**
 * struct rt_ranges - a batch of managed ranges
 * @prefetch: to @location[k], from range @first[k] on, @n entries; false: discarded only
 */
struct rt_ranges {
    const CUdeviceptr *ptr;
    const size_t *bytes;
    size_t count;
    bool prefetch;
    const CUmemLocation *location;
    const size_t *first;
    size_t n;
};

/* cuMemPrefetchBatchAsync and its like, by name: @api */
CUresult rt_mem_batch(const char *api, const struct rt_ranges *batch, unsigned long long flags,
                      CUstream stream);
CUresult rt_mem_advise(CUdeviceptr ptr, size_t count, CUmem_advise advice, CUmemLocation location);
CUresult rt_range_attribute(void *data, size_t size, CUmem_range_attribute attribute,
                            CUdeviceptr ptr, size_t count);
CUresult rt_range_attributes(void **data, size_t *sizes, CUmem_range_attribute *attributes,
                             size_t n_attributes, CUdeviceptr ptr, size_t count);

/* Stream-ordered memory. An allocation may be used once the stream has reached it, and is freed in
 * stream order. Nothing is kept for reuse, whatever a pool's release threshold. */
CUresult rt_mem_alloc_async(CUdeviceptr *ptr, size_t bytes, CUstream stream);
CUresult rt_mem_alloc_from_pool(CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream);
CUresult rt_mem_free_async(CUdeviceptr ptr, CUstream stream);
CUresult rt_pool_create(CUmemoryPool *pool, const CUmemPoolProps *props);
CUresult rt_pool_destroy(CUmemoryPool pool);
CUresult rt_pool_default(CUmemoryPool *pool, CUdevice device);
CUresult rt_pool_current(CUmemoryPool *pool, CUdevice device); /* cuDeviceGetMemPool */
CUresult rt_pool_set_current(CUdevice device, CUmemoryPool pool);
CUresult rt_pool_trim(CUmemoryPool pool, size_t keep_bytes);
CUresult rt_pool_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult rt_pool_set_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult rt_pool_access(CUmemAccess_flags *flags, CUmemoryPool pool, const CUmemLocation *location);
CUresult rt_pool_set_access(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count);
/* Between processes: refused with the reason, after the arguments. A pool that was not made with a
 * handle type is CUDA_ERROR_INVALID_VALUE (measured). */
CUresult rt_pool_export(void *handle, CUmemoryPool pool, CUmemAllocationHandleType type,
                        unsigned long long flags);
CUresult rt_pool_export_pointer(CUmemPoolPtrExportData *data, CUdeviceptr ptr);
CUresult rt_pool_import(CUmemoryPool *pool, CUmemAllocationHandleType type,
                        unsigned long long flags);
CUresult rt_pool_import_pointer(CUdeviceptr *ptr, CUmemoryPool pool,
                                const CUmemPoolPtrExportData *data);

#endif
