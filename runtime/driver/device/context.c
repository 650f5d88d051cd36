/* SPDX-License-Identifier: MIT */
/* Contexts: made of an address space, two streams and what the application adds. */
#include "runtime/driver/device/context.h"

#include "runtime/driver/array/array.h"
#include "runtime/driver/array/texture.h"
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/device_internal.h"
#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/module/module.h"
#include "runtime/driver/stream/capture.h"

/* Measured defaults of NVIDIA's driver (cuCtxGetLimit on a fresh context); persisting L2 is off. */
static void limits_default(struct context *c)
{
    c->limit[CU_LIMIT_STACK_SIZE] = 1024;
    c->limit[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
    c->limit[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
    c->limit[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
    c->limit[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
    c->limit[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
}

static void context_free(struct context *c)
{
    g_hash_table_destroy(c->thread_streams);
    g_ptr_array_free(c->streams, TRUE);
    g_ptr_array_free(c->events, TRUE);
    g_ptr_array_free(c->modules, TRUE);
    g_ptr_array_free(c->arrays, TRUE);
    g_ptr_array_free(c->mipmaps, TRUE);
    g_ptr_array_free(c->texture_chunks, TRUE);
    g_hash_table_destroy(c->textures);
    g_ptr_array_free(c->stamp_chunks, TRUE);
    g_array_free(c->stamps_free, TRUE);
    as_free(c);
    hal_release(core_hal(), HAL_CLAIM_CONTEXT, c->index);
    handle_free(c->handle);
    core_bury(c);
}

static uint64_t last_id; /* of contexts */

static struct context *context_make(struct device *device, unsigned flags)
{
    struct context *c;
    uint32_t index;

    if (hal_claim(core_hal(), HAL_CLAIM_CONTEXT, &index)) {
        return NULL;
    }
    c = g_new0(struct context, 1);
    c->device = device;
    c->index = index;
    c->id = ++last_id;
    c->flags = flags;
    c->thread_streams = g_hash_table_new(NULL, NULL);
    c->streams = g_ptr_array_new();
    c->events = g_ptr_array_new();
    c->modules = g_ptr_array_new();
    c->arrays = g_ptr_array_new();
    c->mipmaps = g_ptr_array_new();
    c->texture_chunks = g_ptr_array_new();
    c->textures = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, texture_forget);
    c->stamp_chunks = g_ptr_array_new();
    c->stamps_free = g_array_new(FALSE, FALSE, sizeof(struct stamp));
    c->handle = handle_new(HANDLE_CONTEXT, c);
    limits_default(c);
    return c;
}

CUresult context_new(struct device *device, unsigned flags, struct context **out)
{
    struct context *c = context_make(device, flags);
    CUresult error;

    if (!c) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (as_init(c) || region_map_all(c)) {
        context_free(c);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    context_list_add(c);
    error = stream_new(c, CU_STREAM_DEFAULT, 0, &c->legacy);
    if (!error) {
        c->legacy->is_default = true;
        error = stream_new(c, CU_STREAM_NON_BLOCKING, 0, &c->service);
    }
    if (error) {
        context_destroy(c);
        return error;
    }
    c->service->is_default = true; /* nobody may destroy it */
    *out = c;
    return CUDA_SUCCESS;
}

/* Device and managed memory go with their context; so does pinned memory (CUDA Driver API,
 * cuCtxDestroy: all resources). */
static void regions_free(struct context *c)
{
    struct check_caller caller = check_caller_get();
    g_autoptr(GPtrArray) mine = g_ptr_array_new();

    for (struct region *r = region_above(0); r; r = region_above((uintptr_t)r->mem.cpu)) {
        if (r->context == c) {
            g_ptr_array_add(mine, r);
        }
    }
    for (guint i = 0; i < mine->len; i++) {
        struct region *r = g_ptr_array_index(mine, i);

        if (!r->shared) {
            check_region_remove(core_check(), r->mem.id, &caller);
        }
        region_free(r);
    }
}

/* struct hal_mem: time stamps of events, headers of textures */
static void chunks_free(struct context *c, GPtrArray *chunks)
{
    for (guint i = 0; i < chunks->len; i++) {
        kernel_free(c, g_ptr_array_index(chunks, i));
        g_free(g_ptr_array_index(chunks, i));
    }
    g_ptr_array_set_size(chunks, 0);
}

void context_destroy(struct context *c)
{
    CUresult status;

    notify_context_gone(c);
    if (!c->error && c->legacy) {
        context_wait(c);
    }
    status = c->error ? c->error : CUDA_ERROR_CONTEXT_IS_DESTROYED;
    for (unsigned i = 0; i < channel_count(); i++) {
        struct channel *ch = channel_nth(i);

        if (ch->context == c) {
            hostop_drop(ch, status);
        }
    }
    c->error = CUDA_ERROR_CONTEXT_IS_DESTROYED; /* for threads that still wait in it */
    event_free_all(c);
    module_free_all(c);
    array_free_all(c);
    chunks_free(c, c->texture_chunks);
    while (c->streams->len) {
        stream_free(g_ptr_array_index(c->streams, 0));
    }
    channel_free_all(c);
    pool_drop_context(c);
    regions_free(c);
    printf_close(c);
    staging_free(c);
    chunks_free(c, c->stamp_chunks);
    context_list_remove(c);
    context_free(c);
}

static bool flags_valid(unsigned flags)
{
    unsigned sched = flags & CU_CTX_SCHED_MASK;

    return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) &&
           (sched == CU_CTX_SCHED_AUTO || sched == CU_CTX_SCHED_SPIN ||
            sched == CU_CTX_SCHED_YIELD || sched == CU_CTX_SCHED_BLOCKING_SYNC);
}

/* core_enter() for functions of a device. */
static CUresult enter_device(CUdevice ordinal, struct device **device)
{
    CUresult error = core_enter();

    *device = device_of(ordinal);
    return !error && !*device ? core_leave(CUDA_ERROR_INVALID_DEVICE) : error;
}

CUresult rt_primary_retain(CUcontext *context, CUdevice device)
{
    struct device *d;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!context) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    d = device_of(device);
    if (!d) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    if (!d->primary.context) {
        error = context_new(d, d->primary.flags, &d->primary.context);
        if (error) {
            return core_leave(error);
        }
        d->primary.context->primary = true;
    }
    d->primary.refs++;
    *context = d->primary.context->handle;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_primary_release(CUdevice device)
{
    struct device *d;
    CUresult error = enter_device(device, &d);

    if (error) {
        return error;
    }
    if (!d->primary.refs) {
        return core_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    if (--d->primary.refs == 0 && d->primary.context) {
        context_destroy(d->primary.context);
        d->primary.context = NULL;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_primary_set_flags(CUdevice device, unsigned flags)
{
    struct device *d;
    CUresult error = enter_device(device, &d);

    if (error) {
        return error;
    }
    if (!flags_valid(flags)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    d->primary.flags = flags;
    if (d->primary.context) {
        d->primary.context->flags = flags;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_primary_state(CUdevice device, unsigned *flags, int *active)
{
    struct device *d;
    CUresult error = enter_device(device, &d);

    if (error) {
        return error;
    }
    if (!flags || !active) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *flags = d->primary.flags;
    *active = d->primary.context != NULL;
    return core_leave(CUDA_SUCCESS);
}

/* Who holds it has to retain it anew: its handle is stale now (cudaDeviceReset does). */
CUresult rt_primary_reset(CUdevice device)
{
    struct device *d;
    CUresult error = enter_device(device, &d);

    if (error) {
        return error;
    }
    if (d->primary.context) {
        context_destroy(d->primary.context);
        d->primary.context = NULL;
        d->primary.refs = 0;
        d->primary.flags = 0;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_create(CUcontext *context, const CUctxCreateParams *params, unsigned flags,
                       CUdevice device)
{
    struct context *c;
    struct device *d = device_of(device);
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!context || !flags_valid(flags)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!d) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    if (params && params->numExecAffinityParams) {
        return core_leave(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    }
    if (params && params->cigParams) {
        return core_leave(CUDA_ERROR_NOT_SUPPORTED);
    }
    error = context_new(d, flags, &c);
    if (!error) {
        core_context_push(c->handle);
        *context = c->handle;
    }
    return core_leave(error);
}

CUresult rt_ctx_destroy(CUcontext context)
{
    struct context *c;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    c = context ? handle_find(HANDLE_CONTEXT, context) : NULL;
    if (!c || c->primary) {
        return core_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    if (core_context_top() == context) {
        core_context_pop(&context);
    }
    context_destroy(c);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_push(CUcontext context)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!context) {
        return core_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    core_context_push(context); /* measured: the first use finds out whether it exists */
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_pop(CUcontext *context)
{
    CUcontext top;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!core_context_pop(&top)) {
        return core_leave(CUDA_ERROR_INVALID_CONTEXT);
    }
    if (context) {
        *context = top;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_set(CUcontext context)
{
    CUcontext top;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    core_context_pop(&top);
    if (context) {
        core_context_push(context);
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_get(CUcontext *context)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!context) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *context = core_context_top();
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_ctx_synchronize(CUcontext context)
{
    struct context *c;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    c = core_context(context, &error);
    if (!error) {
        error = c->error;
    }
    error = error ? error : capture_sync_context(c);
    if (!error) {
        report_note(CHECK_NOTE_SYNC, "cuCtxSynchronize", NULL, NULL, 0, NULL);
        error = context_wait(c);
    }
    return core_leave(error);
}
