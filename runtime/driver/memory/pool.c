/* SPDX-License-Identifier: MIT */
/* Stream-ordered memory. An allocation is made at once and freed when its stream has reached the
 * free. Nothing is kept for reuse, whatever the release threshold: each buffer has addresses of its
 * own, so a use after the free is a fault with a name and not silent sharing. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/pool_internal.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/stream.h"

/* Of one device. @normal: that it has from the beginning (cuDeviceGetDefaultMemPool); @current:
 * that cuMemAllocAsync takes from */
struct device_pools {
    struct pool *normal, *current;
};

static GArray *of_device; /* struct device_pools, by ordinal */

static struct pool *pool_make(CUdevice device, size_t max_bytes)
{
    struct pool *p = object_new(&pool_kind, sizeof(*p), NULL);

    p->device = device;
    p->max_bytes = max_bytes;
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    p->lines = g_array_new(FALSE, FALSE, sizeof(struct pool_line));
    object_open(&p->base);
    object_list_add(&pool_all, &p->base);
    return p;
}

static struct device_pools *pools_of(CUdevice device)
{
    for (CUdevice i = (CUdevice)of_device->len; i <= device; i++) {
        struct device_pools own;

        own.normal = own.current = pool_make(i, 0);
        own.normal->is_default = true;
        g_array_append_val(of_device, own);
    }
    return &g_array_index(of_device, struct device_pools, device);
}

void pool_init(void)
{
    pool_reap_init();
    of_device = g_array_new(FALSE, FALSE, sizeof(struct device_pools));
    for (unsigned i = 0; i < device_count(); i++) {
        pools_of((CUdevice)i);
    }
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
    struct push *p;
    CUresult error = r ? stream_begin(s, &p) : CUDA_ERROR_INVALID_HANDLE;

    if (error) {
        return error;
    }
    if (r->owner) {
        r->owner->allocated(r);
    }
    report_region(r, "cuMemAllocAsync");
    report_note(CHECK_NOTE_ALLOC, "cuMemAllocAsync", r, NULL, 0, s);
    stream_end(s, p);
    return CUDA_SUCCESS;
}

const struct work_kind work_alloc = { CU_GRAPH_NODE_TYPE_MEM_ALLOC, alloc_work };

/* Of the pool's GPU, whose memory it is: the stream's, or any. NULL: it has none. */
static struct context *context_for(const struct pool *p, const struct stream *s)
{
    struct context *c = stream_context(s);

    for (unsigned i = 0; device_ordinal(context_device(c)) != p->device; i++) {
        if (i == context_count()) {
            return NULL;
        }
        c = context_nth(i);
    }
    return c;
}

static CUresult pool_alloc(struct stream *s, struct pool *p, size_t bytes, CUdeviceptr *ptr)
{
    struct context *c = context_for(p, s);
    struct region *r;
    CUresult error;

    pool_reap();
    if (p->max_bytes && (bytes > p->max_bytes || p->used > p->max_bytes - bytes)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!c) {
        return CUDA_ERROR_INVALID_CONTEXT; /* inferred: NVIDIA's pool has memory without one */
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
    object_ref(&p->base);
    p->used += r->mem.size;
    p->used_high = MAX(p->used_high, p->used);
    p->asked += r->bytes;
    p->asked_high = MAX(p->asked_high, p->asked);
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
    p = handle ? handle_find(HANDLE_POOL, *handle)
               : pools_of(device_ordinal(context_device(stream_context(s))))->current;
    if (p && !bytes) { /* measured: succeeds, with no memory */
        *ptr = 0;
        return core_leave(CUDA_SUCCESS);
    }
    if (p && stream_captured(s)) {
        return core_leave(capture_alloc(s, bytes, ptr));
    }
    error = capture_elsewhere(s);
    if (error) {
        return core_leave(error);
    }
    return core_leave(p ? pool_alloc(s, p, bytes, ptr) : CUDA_ERROR_INVALID_VALUE);
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
    struct fence fence;
    struct push *p;
    CUresult error = r ? stream_begin(s, &p) : CUDA_ERROR_INVALID_HANDLE;

    if (error) {
        return error;
    }
    report_note(CHECK_NOTE_FREE, "cuMemFreeAsync", r, NULL, 0, s);
    fence = stream_end(s, p);
    if (r->owner) {
        r->owner->freed(r);
        return CUDA_SUCCESS;
    }
    if (!r->pool) {
        r->pool = pools_of(device_ordinal(context_device(stream_context(s))))->normal;
        object_ref(&r->pool->base);
        r->pool->used += r->mem.size;
        r->pool->asked += r->bytes;
    }
    r->freed_async = true;
    pool_free_later(r->pool, r, fence);
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
    if (stream_captured(s)) {
        return core_leave(capture_free_memory(s, ptr));
    }
    error = capture_elsewhere(s);
    if (error) {
        return core_leave(error);
    }
    r = region_at(ptr);
    if (!r || (uintptr_t)r->mem.cpu != ptr || !hal_mem_is_device(r->mem.kind) || r->of_module) {
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
        props->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device_of(props->location.id)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = capture_unsafe();
    error = error ? error : rule_check("cuMemAllocAsync");
    if (!error && props->handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
        error = rule_check("cuIpcGetMemHandle"); /* a shareable pool is CUDA IPC */
    }
    error = error ? error : object_room("cuMemPoolCreate", 1, "memory pool");
    if (!error) {
        struct pool *p = pool_make(props->location.id, props->maxSize);

        p->shareable = props->handleTypes != CU_MEM_HANDLE_TYPE_NONE;
        *pool = p->base.handle;
    }
    return core_leave(error);
}

CUresult pool_enter(CUmemoryPool handle, struct pool **p)
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
    struct device_pools *own;
    struct pool *p;
    CUresult error = pool_enter(pool, &p);

    if (error) {
        return error;
    }
    if (p->is_default) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    own = pools_of(p->device);
    if (own->current == p) {
        own->current = own->normal;
    }
    object_close(&p->base);
    object_unref(&p->base);
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
    if (!device_of(device)) { /* measured */
        return core_leave(current ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE);
    }
    error = rule_check("cuMemAllocAsync");
    if (!error) {
        *pool = (current ? pools_of(device)->current : pools_of(device)->normal)->base.handle;
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
    CUresult error = pool_enter(pool, &p);

    if (error) {
        return error;
    }
    if (p->device != device) { /* CUDA Driver API, cuDeviceSetMemPool: local to the device; none
                                  of that number: measured */
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    pools_of(device)->current = p;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_pool_trim(CUmemoryPool pool, size_t keep_bytes)
{
    struct pool *p;
    CUresult error = pool_enter(pool, &p);

    (void)keep_bytes;
    if (error) {
        return error;
    }
    pool_reap_one(p);
    return core_leave(CUDA_SUCCESS);
}

CUmemoryPool pool_handle(const struct pool *p)
{
    return p->base.handle; /* NULL: it was destroyed */
}
