/* SPDX-License-Identifier: MIT */
/* What an address is; hints and attributes of ranges of managed memory. */
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/memory/virtual_internal.h"

static CUmemorytype type_of(const struct region *r)
{
    return r->mem.kind == HAL_MEM_PINNED ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

/* Of virtual memory: the reservation's (measured). */
static void reserved_range(const struct region *r, CUpointer_attribute attribute, void *data)
{
    uint64_t base = r->host ? (uintptr_t)r->host : (uintptr_t)r->mem.cpu;
    size_t size = r->bytes;

    if (r->physical) {
        virtual_reservation(base, &base, &size);
    }
    if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE) {
        *(size_t *)data = size;
    } else {
        *(CUdeviceptr *)data = base;
    }
}

/* Host addresses exist for all but device memory, device addresses for all. */
static CUresult pointer_get(const struct region *r, CUpointer_attribute attribute, CUdeviceptr ptr,
                            void *data)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = r->context ? context_handle(r->context) : NULL;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = type_of(r);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        if (region_elsewhere(r, device_current())) { /* measured with two GPUs */
            return CUDA_ERROR_INVALID_VALUE;
        }
        *(CUdeviceptr *)data = ptr;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (hal_mem_is_device(r->mem.kind) || r->shared) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        *(void **)data = (void *)(uintptr_t)ptr;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)data = r->sync_memops;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        *(unsigned long long *)data = r->serial;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = r->mem.kind == HAL_MEM_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = region_device(r) ? device_ordinal(region_device(r)) : 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: /* note 3.6: no CUDA IPC, no RDMA */
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        *(unsigned *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        reserved_range(r, attribute, data);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        *(CUdeviceptr *)data = r->host ? (uintptr_t)r->host : (uintptr_t)r->mem.cpu;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        *(size_t *)data = r->bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)data = 1;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *(uint64_t *)data = r->physical ? r->physical->prop.requestedHandleTypes : 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(unsigned *)data = r->physical ? r->access
                            : r->flags & CU_MEMHOSTREGISTER_READ_ONLY && r->mem.registered
                                ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)data = r->pool ? pool_handle(r->pool) : NULL;
        return CUDA_SUCCESS;
    default: /* P2P tokens: no peers */
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult rt_pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    struct region *r;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    r = region_range(ptr, 1);
    if (!data || !r) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(pointer_get(r, attribute, ptr, data));
}

/* Zeros for what does not hold, of the size that belongs to the attribute. */
static bool pointer_zero(CUpointer_attribute attribute, void *data)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        memset(data, 0, sizeof(uint64_t));
        return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = -2; /* CU_DEVICE_INVALID */
        return true;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        memset(data, 0, sizeof(unsigned));
        return true;
    default:
        return false;
    }
}

CUresult rt_pointer_attributes(unsigned count, CUpointer_attribute *attributes, void **data,
                               CUdeviceptr ptr)
{
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!count || !attributes || !data) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    r = region_range(ptr, 1);
    for (unsigned i = 0; i < count; i++) {
        if (!data[i] || !pointer_zero(attributes[i], data[i])) {
            return core_leave(CUDA_ERROR_INVALID_VALUE);
        }
        if (r) {
            pointer_get(r, attributes[i], ptr, data[i]);
        }
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_pointer_set_attribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    r = region_range(ptr, 1);
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !r) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    r->sync_memops = *(const unsigned *)value != 0;
    return core_leave(CUDA_SUCCESS);
}

CUresult managed_range_check(CUdeviceptr ptr, size_t count, struct region **r)
{
    *r = region_range(ptr, count);
    if (count && ptr && device_pageable(device_current()) && !region_at(ptr) &&
        !region_freed_at(ptr)) {
        return CUDA_SUCCESS;
    }
    return count && *r && (*r)->mem.kind == HAL_MEM_MANAGED ? CUDA_SUCCESS
                                                            : CUDA_ERROR_INVALID_VALUE;
}

CUresult managed_location_check(CUmemLocation location)
{
    switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return device_of(location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Where it exists (Thor), memory does not move: one DRAM. The hint has no effect. */
CUresult rt_mem_prefetch(CUdeviceptr ptr, size_t count, CUmemLocation location, unsigned flags,
                         CUstream stream)
{
    struct context *c;
    struct stream *s;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = flags ? CUDA_ERROR_INVALID_VALUE : managed_range_check(ptr, count, &r);
    error = error ? error : managed_location_check(location);
    error = error ? error : stream_resolve(c, stream, &s);
    return core_leave(error ? error : rule_check("cuMemPrefetchAsync"));
}

CUresult rt_mem_advise(CUdeviceptr ptr, size_t count, CUmem_advise advice, CUmemLocation location)
{
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = managed_range_check(ptr, count, &r);
    if (!error &&
        (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)) {
        error = CUDA_ERROR_INVALID_VALUE;
    }
    if (!error && advice > CU_MEM_ADVISE_UNSET_READ_MOSTLY &&
        advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION) {
        error = managed_location_check(location);
    }
    return core_leave(error ? error : rule_check("cuMemAdvise"));
}

static CUresult range_get(void *data, size_t size, CUmem_range_attribute attribute)
{
    int *out = data;

    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        if (size != sizeof(int)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        *out = 0;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        if (size != sizeof(int)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        *out = CU_DEVICE_INVALID;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        if (!size || size % sizeof(int)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        for (size_t i = 0; i < size / sizeof(int); i++) {
            out[i] = CU_DEVICE_INVALID;
        }
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        if (size != sizeof(int)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        *out = CU_MEM_LOCATION_TYPE_INVALID;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult rt_range_attributes(void **data, size_t *sizes, CUmem_range_attribute *attributes,
                             size_t n_attributes, CUdeviceptr ptr, size_t count)
{
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = !data || !sizes || !attributes || !n_attributes ? CUDA_ERROR_INVALID_VALUE
                                                            : managed_range_check(ptr, count, &r);
    for (size_t i = 0; !error && i < n_attributes; i++) {
        error = data[i] ? range_get(data[i], sizes[i], attributes[i]) : CUDA_ERROR_INVALID_VALUE;
    }
    return core_leave(error);
}

CUresult rt_range_attribute(void *data, size_t size, CUmem_range_attribute attribute,
                            CUdeviceptr ptr, size_t count)
{
    return rt_range_attributes(&data, &size, &attribute, 1, ptr, count);
}
