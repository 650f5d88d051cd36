/* SPDX-License-Identifier: MIT */
/* Stream-ordered memory. An allocation is made at once and freed when its stream has reached the
 * free. Nothing is kept for reuse, whatever the release threshold: each buffer has addresses of its
 * own, so a use after the free is a fault with a name and not silent sharing. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/stream.h"

/* Of the device. @normal: that it has from the beginning (cuDeviceGetDefaultMemPool); @current:
 * that cuMemAllocAsync takes from; @all: struct pool */
static struct {
    struct pool *normal, *current;
    GPtrArray *all;
} pools;

struct pool {
    CUmemoryPool handle;
    bool is_default, destroyed, shareable;
    size_t max_bytes;
    int reuse[3];
    uint64_t threshold, used, used_high;
    GArray *waiting; /* struct waiting */
};

/* A region whose free the stream has not reached. */
struct waiting {
    uint64_t address, serial;
    struct fence fence;
};

static struct pool *pool_make(size_t max_bytes)
{
    struct pool *p = g_new0(struct pool, 1);

    p->max_bytes = max_bytes;
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    p->waiting = g_array_new(FALSE, FALSE, sizeof(struct waiting));
    p->handle = handle_new(HANDLE_POOL, p);
    return p;
}

static void pool_unmake(struct pool *p)
{
    g_ptr_array_remove(pools.all, p);
    g_array_free(p->waiting, TRUE);
    g_free(p);
}

/* A region of a pool is given back now. */
CUresult pool_free_now(struct region *r)
{
    struct pool *p = r->pool;

    for (guint i = p->waiting->len; i > 0; i--) {
        if (g_array_index(p->waiting, struct waiting, i - 1).serial == r->serial) {
            g_array_remove_index(p->waiting, i - 1);
        }
    }
    p->used -= r->mem.size;
    region_free(r);
    if (p->destroyed && !p->used) {
        pool_unmake(p);
    }
    return CUDA_SUCCESS;
}

static void reap(struct pool *p)
{
    struct check_caller caller = { 0 };

    for (guint i = 0; i < p->waiting->len;) {
        struct waiting w = g_array_index(p->waiting, struct waiting, i);
        struct region *r = region_at(w.address);
        bool last = p->waiting->len == 1;

        if (!fence_reached(w.fence)) {
            i++;
        } else if (!r || r->serial != w.serial) {
            g_array_remove_index(p->waiting, i);
        } else {
            check_region_remove(core_check(), r->mem.id, &caller);
            pool_free_now(r); /* takes the entry out; may end a destroyed pool */
            if (last) {
                return;
            }
        }
    }
}

void pool_reap(void)
{
    for (guint i = pools.all->len; i > 0; i--) {
        reap(g_ptr_array_index(pools.all, i - 1));
    }
}

void pool_init(void)
{
    static const struct notifier notifier = { .covered = pool_reap };

    pools.normal = pools.current = pool_make(0);
    pools.normal->is_default = true;
    pools.all = g_ptr_array_new();
    g_ptr_array_add(pools.all, pools.normal);
    notifier_add(&notifier);
}

void pool_drop_context(struct context *c)
{
    (void)c;
    pool_reap(); /* all its work is done or dropped */
}

/* The memory is there already, earlier than the stream promises. */
static CUresult alloc_work(struct stream *s, const struct work *work)
{
    struct region *r = region_at_absent(work->address);
    struct push p;
    CUresult error = r ? stream_begin(s, &p) : CUDA_ERROR_INVALID_HANDLE;

    if (error) {
        return error;
    }
    if (r->owner) {
        r->owner->allocated(r);
    }
    report_region(r, "cuMemAllocAsync");
    report_note(CHECK_NOTE_ALLOC, "cuMemAllocAsync", r, NULL, 0, s);
    stream_end(s, &p);
    return CUDA_SUCCESS;
}

const struct work_kind work_alloc = { CU_GRAPH_NODE_TYPE_MEM_ALLOC, alloc_work };

static CUresult alloc(struct context *c, struct stream *s, struct pool *p, size_t bytes,
                      CUdeviceptr *ptr)
{
    struct region *r;
    CUresult error;

    pool_reap();
    if (p->max_bytes && (bytes > p->max_bytes || p->used > p->max_bytes - bytes)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    r = region_alloc(c, HAL_MEM_DEVICE, bytes, &error);
    if (!r) {
        return report_error(error, "cuMemAllocAsync", "CUDA for Tegra 2.2", "no room for %zu bytes",
                            bytes);
    }
    error =
        stream_submit(s, &(struct work){ .kind = &work_alloc, .address = (uintptr_t)r->mem.cpu });
    if (error) {
        region_free(r);
        return error;
    }
    r->pool = p;
    p->used += r->mem.size;
    p->used_high = MAX(p->used_high, p->used);
    *ptr = (uintptr_t)r->mem.cpu;
    return CUDA_SUCCESS;
}

static CUresult alloc_from(CUdeviceptr *ptr, size_t bytes, const CUmemoryPool *handle,
                           CUstream stream)
{
    struct context *c;
    struct stream *s;
    struct pool *p;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!ptr) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = rule_check("cuMemAllocAsync");
    if (!error) {
        error = stream_resolve(c, stream, &s);
    }
    if (error) {
        return core_leave(error);
    }
    p = handle ? handle_find(HANDLE_POOL, *handle) : pools.current;
    if (p && !bytes) { /* measured: succeeds, with no memory */
        *ptr = 0;
        return core_leave(CUDA_SUCCESS);
    }
    if (p && s->capture) {
        return core_leave(capture_alloc(s, bytes, ptr));
    }
    error = capture_elsewhere(s);
    if (error) {
        return core_leave(error);
    }
    return core_leave(p ? alloc(c, s, p, bytes, ptr) : CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_mem_alloc_async(CUdeviceptr *ptr, size_t bytes, CUstream stream)
{
    return alloc_from(ptr, bytes, NULL, stream);
}

CUresult rt_mem_alloc_from_pool(CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    return alloc_from(ptr, bytes, &pool, stream);
}

/* Memory of cuMemAlloc may be freed so too; it belongs to the default pool from then on. */
static CUresult free_work(struct stream *s, const struct work *work)
{
    struct region *r = region_at(work->address);
    struct waiting w = { .address = work->address };
    struct push p;
    CUresult error = r ? stream_begin(s, &p) : CUDA_ERROR_INVALID_HANDLE;

    if (error) {
        return error;
    }
    w.serial = r->serial;
    report_note(CHECK_NOTE_FREE, "cuMemFreeAsync", r, NULL, 0, s);
    w.fence = stream_end(s, &p);
    if (r->owner) {
        r->owner->freed(r);
        return CUDA_SUCCESS;
    }
    if (!r->pool) {
        r->pool = pools.normal;
        r->pool->used += r->mem.size;
    }
    r->freed_async = true;
    g_array_append_val(r->pool->waiting, w);
    return CUDA_SUCCESS;
}

const struct work_kind work_free = { CU_GRAPH_NODE_TYPE_MEM_FREE, free_work };

CUresult rt_mem_free_async(CUdeviceptr ptr, CUstream stream)
{
    struct context *c;
    struct stream *s;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    if (error || !ptr) {
        return core_leave(error);
    }
    if (s->capture) {
        return core_leave(capture_free_memory(s, ptr));
    }
    error = capture_elsewhere(s);
    if (error) {
        return core_leave(error);
    }
    r = region_at(ptr);
    if (!r || (uintptr_t)r->mem.cpu != ptr || r->mem.kind != HAL_MEM_DEVICE || r->of_module) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuMemFreeAsync",
                                       "CUDA Driver API, cuMemFreeAsync",
                                       "the address is not the start of an allocation"));
    }
    if (r->freed_async) {
        report_finding(&check_rules[CHECK_RULE_DOUBLE_FREE_ASYNC], r->mem.id, 0, ptr, NULL,
                       "cuMemFreeAsync of memory that was freed before");
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(stream_submit(s, &(struct work){ .kind = &work_free, .address = ptr }));
}

CUresult rt_pool_create(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!pool || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        props->location.type != CU_MEM_LOCATION_TYPE_DEVICE || props->location.id != 0) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = capture_unsafe();
    error = error ? error : rule_check("cuMemAllocAsync");
    if (!error && props->handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
        error = rule_check("cuIpcGetMemHandle"); /* a shareable pool is CUDA IPC */
    }
    if (!error) {
        struct pool *p = pool_make(props->maxSize);

        p->shareable = props->handleTypes != CU_MEM_HANDLE_TYPE_NONE;
        g_ptr_array_add(pools.all, p);
        *pool = p->handle;
    }
    return core_leave(error);
}

/* core_enter() and the pool behind a handle. */
static CUresult enter(CUmemoryPool handle, struct pool **p)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *p = handle_find(HANDLE_POOL, handle);
    error = *p ? capture_unsafe() : CUDA_ERROR_INVALID_VALUE;
    return error ? core_leave(error) : CUDA_SUCCESS;
}

CUresult rt_pool_destroy(CUmemoryPool pool)
{
    struct pool *p;
    CUresult error = enter(pool, &p);

    if (error) {
        return error;
    }
    if (p->is_default) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (pools.current == p) {
        pools.current = pools.normal;
    }
    handle_free(p->handle);
    p->destroyed = true;
    if (!p->used) {
        pool_unmake(p);
    }
    return core_leave(CUDA_SUCCESS);
}

static CUresult pool_of_device(CUmemoryPool *pool, CUdevice device, bool current)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!pool) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (device != 0) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    error = rule_check("cuMemAllocAsync");
    if (!error) {
        *pool = (current ? pools.current : pools.normal)->handle;
    }
    return core_leave(error);
}

CUresult rt_pool_default(CUmemoryPool *pool, CUdevice device)
{
    return pool_of_device(pool, device, false);
}

CUresult rt_pool_current(CUmemoryPool *pool, CUdevice device)
{
    return pool_of_device(pool, device, true);
}

CUresult rt_pool_set_current(CUdevice device, CUmemoryPool pool)
{
    struct pool *p;
    CUresult error = enter(pool, &p);

    if (error) {
        return error;
    }
    if (device != 0) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    pools.current = p;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_pool_trim(CUmemoryPool pool, size_t keep_bytes)
{
    struct pool *p;
    CUresult error = enter(pool, &p);

    (void)keep_bytes;
    if (error) {
        return error;
    }
    reap(p);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_pool_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    struct pool *p;
    CUresult error = enter(pool, &p);

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
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(uint64_t *)value = p->used;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(uint64_t *)value = p->used_high;
        break;
    default:
        error = CUDA_ERROR_INVALID_VALUE;
    }
    return core_leave(error);
}

CUresult rt_pool_set_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    struct pool *p;
    CUresult error = enter(pool, &p);

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
        } else {
            p->used_high = p->used;
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
    CUresult error = enter(pool, &p);

    if (error) {
        return error;
    }
    if (!flags || !location) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || location->id != 0) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_pool_set_access(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    struct pool *p;
    CUresult error = enter(pool, &p);

    if (error) {
        return error;
    }
    if (!map && count) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (size_t i = 0; i < count; i++) {
        if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || map[i].location.id != 0) {
            return core_leave(CUDA_ERROR_INVALID_DEVICE);
        }
        if (map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) { /* its own device always may */
            return core_leave(CUDA_ERROR_INVALID_VALUE);
        }
    }
    return core_leave(CUDA_SUCCESS);
}

CUmemoryPool pool_handle(const struct pool *p)
{
    return p->destroyed ? NULL : p->handle;
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
    CUresult error = enter(pool, &p);

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
    CUresult error = enter(pool, &p);

    if (error) {
        return error;
    }
    if (!ptr || !data || !p->shareable) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(sharing_refuse("cuMemPoolImportPointer"));
}
