/* SPDX-License-Identifier: MIT */
/* Virtual memory management (CUDA Driver API, same name). Rules: runtime/driver/driver.h.
 * Nothing here needs a current context. Codes are NVIDIA's as measured (tests/golden). */
#ifndef RUNTIME_DRIVER_MEMORY_RT_VIRTUAL_H
#define RUNTIME_DRIVER_MEMORY_RT_VIRTUAL_H

#include "include/cuda.h"

CUresult rt_virtual_granularity(size_t *granularity, const CUmemAllocationProp *prop,
                                CUmemAllocationGranularity_flags option);
CUresult rt_virtual_reserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr address,
                            unsigned long long flags);
CUresult rt_virtual_free(CUdeviceptr ptr, size_t size); /* a whole reservation, nothing mapped */
CUresult rt_virtual_create(CUmemGenericAllocationHandle *handle, size_t size,
                           const CUmemAllocationProp *prop, unsigned long long flags);
CUresult rt_virtual_release(CUmemGenericAllocationHandle handle);
/* A handle is mapped whole: @offset other than 0, or another @size, is CUDA_ERROR_NOT_SUPPORTED. */
CUresult rt_virtual_map(CUdeviceptr ptr, size_t size, size_t offset,
                        CUmemGenericAllocationHandle handle, unsigned long long flags);
CUresult rt_virtual_unmap(CUdeviceptr ptr, size_t size); /* waits like rt_mem_free() */
CUresult rt_virtual_set_access(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc,
                               size_t count);
CUresult rt_virtual_access(unsigned long long *flags, const CUmemLocation *location,
                           CUdeviceptr ptr);
CUresult rt_virtual_retain(CUmemGenericAllocationHandle *handle, void *addr);
CUresult rt_virtual_properties(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle);
/* Between processes of one board, as long as the exporter has the memory. A descriptor that is none
 * of these is CUDA_ERROR_UNKNOWN (measured). */
CUresult rt_virtual_export(void *shareable, CUmemGenericAllocationHandle handle,
                           CUmemAllocationHandleType type, unsigned long long flags);
CUresult rt_virtual_import(CUmemGenericAllocationHandle *handle, void *os_handle,
                           CUmemAllocationHandleType type);

#endif
