/* SPDX-License-Identifier: MIT */
/* What a pool says of itself: attributes, who may use it, and that no other process can. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/pool_internal.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/rt_memory.h"

CUresult rt_pool_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    struct pool *p;
    CUresult error = pool_enter(pool, &p);

    if (error) {
        return error;
    }
    if (!value) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(uint64_t *)value = p->threshold;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        *(uint64_t *)value = p->used;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(uint64_t *)value = p->asked;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        *(uint64_t *)value = p->used_high;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(uint64_t *)value = p->asked_high;
        break;
    default:
        error = CUDA_ERROR_INVALID_VALUE;
    }
    return core_leave(error);
}

CUresult rt_pool_set_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    struct pool *p;
    CUresult error = pool_enter(pool, &p);

    if (error) {
        return error;
    }
    if (!value) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] =
            *(const int *)value != 0;
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        p->threshold = *(const uint64_t *)value;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        if (*(const uint64_t *)value) { /* only back to zero, that is, to what is used now */
            error = CUDA_ERROR_INVALID_VALUE;
        } else if (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) {
            p->used_high = p->used;
        } else {
            p->asked_high = p->asked;
        }
        break;
    default:
        error = CUDA_ERROR_INVALID_VALUE;
    }
    return core_leave(error);
}

CUresult rt_pool_access(CUmemAccess_flags *flags, CUmemoryPool pool, const CUmemLocation *location)
{
    struct pool *p;
    CUresult error = pool_enter(pool, &p);

    if (error) {
        return error;
    }
    if (!flags || !location) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    if (!device_of(location->id)) { /* measured */
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    /* no device is a peer of another: cuDeviceCanAccessPeer() */
    *flags = location->id == p->device ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                       : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_pool_set_access(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    struct pool *p;
    CUresult error = pool_enter(pool, &p);

    if (error) {
        return error;
    }
    if (!map && count) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (size_t i = 0; i < count; i++) {
        if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            map[i].location.id != p->device) {
            return core_leave(CUDA_ERROR_INVALID_DEVICE);
        }
        if (map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) { /* its own device always may */
            return core_leave(map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE /* measured */
                                  ? CUDA_ERROR_INVALID_DEVICE
                                  : CUDA_ERROR_INVALID_VALUE);
        }
    }
    return core_leave(CUDA_SUCCESS);
}

/* Where the board has CUDA IPC of memory (Thor): a process of the virtual board sees its own memory
 * alone. */
static CUresult sharing_refuse(const char *api)
{
    CUresult error = rule_check("cuIpcGetMemHandle");

    return error ? error
                 : report_error(CUDA_ERROR_NOT_SUPPORTED, api, "vtegra, CUDA IPC",
                                "pools are not shared between processes here");
}

CUresult rt_pool_export(void *handle, CUmemoryPool pool, CUmemAllocationHandleType type,
                        unsigned long long flags)
{
    struct pool *p;
    CUresult error = pool_enter(pool, &p);

    if (error) {
        return error;
    }
    if (!handle || flags || type == CU_MEM_HANDLE_TYPE_NONE || !p->shareable) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(sharing_refuse("cuMemPoolExportToShareableHandle"));
}

CUresult rt_pool_export_pointer(CUmemPoolPtrExportData *data, CUdeviceptr ptr)
{
    struct region *r;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    r = region_at(ptr);
    if (!data || !r || !r->pool || !r->pool->shareable) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(sharing_refuse("cuMemPoolExportPointer"));
}

CUresult rt_pool_import(CUmemoryPool *pool, CUmemAllocationHandleType type,
                        unsigned long long flags)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!pool || flags || type == CU_MEM_HANDLE_TYPE_NONE) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(sharing_refuse("cuMemPoolImportFromShareableHandle"));
}

CUresult rt_pool_import_pointer(CUdeviceptr *ptr, CUmemoryPool pool,
                                const CUmemPoolPtrExportData *data)
{
    struct pool *p;
    CUresult error = pool_enter(pool, &p);

    if (error) {
        return error;
    }
    if (!ptr || !data || !p->shareable) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(sharing_refuse("cuMemPoolImportPointer"));
}
