/* SPDX-License-Identifier: MIT */
/* Contexts: made of an address space, two streams and what the application adds. */
#include "runtime/driver/device/context_internal.h"

#include "runtime/driver/array/array.h"
#include "runtime/driver/array/texture.h"
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/device_internal.h"
#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/module/module.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/event.h"

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

static void context_end(void *object)
{
    struct context *c = object;

    streams_end(c);
    modules_end(c);
    arrays_end(c);
    as_free(c);
    hal_release(core_hal(), HAL_CLAIM_CONTEXT, c->index);
}

static const struct object_kind context_kind = {
    .name = "context", .type = HANDLE_CONTEXT, .end = context_end, .free = core_bury
};

static uint64_t last_id; /* of contexts */

static struct context *context_make(struct device *device, unsigned flags)
{
    struct context *c;
    uint32_t index = device_first_channel(device);

    if (hal_claim(core_hal(), HAL_CLAIM_CONTEXT, &index)) {
        return NULL;
    }
    c = object_new(&context_kind, sizeof(*c), NULL);
    c->device = device;
    c->index = index;
    c->id = ++last_id;
    c->flags = flags;
    streams_begin(c);
    events_begin(c);
    modules_begin(c);
    arrays_begin(c);
    object_open(&c->base);
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
        events_end(c);
        object_unref(&c->base);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    context_list_add(c);
    error = streams_make(c);
    if (error) {
        context_destroy(c);
        return error;
    }
    *out = c;
    return CUDA_SUCCESS;
}

/* Of a kernel. */
static bool is_fault(CUresult error)
{
    return error >= CUDA_ERROR_ILLEGAL_ADDRESS && error <= CUDA_ERROR_LAUNCH_FAILED &&
           error != CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

void context_destroy(struct context *c)
{
    CUresult status;

    notify_context_gone(c);
    if (!c->error && stream_legacy(c)) {
        context_wait(c);
    }
    status = c->error ? c->error : CUDA_ERROR_CONTEXT_IS_DESTROYED;
    c->device->fault = is_fault(c->error) ? c->error : c->device->fault;
    for (unsigned i = 0; i < channel_count(); i++) {
        struct channel *ch = channel_nth(i);

        if (channel_context(ch) == c) {
            hostop_drop(ch, status);
        }
    }
    c->error = CUDA_ERROR_CONTEXT_IS_DESTROYED; /* for threads that still wait in it */
    event_free_all(c);
    module_free_all(c);
    array_free_all(c);
    textures_free_all(c);
    streams_free_all(c);
    channel_free_all(c);
    pool_drop_context(c);
    region_free_all(c);
    printf_close(c);
    staging_free(c);
    events_end(c);
    context_list_remove(c);
    object_unref(&c->base);
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
    if (!d->primary.context && d->fault) {
        return core_leave(d->fault);
    }
    if (!d->primary.context) {
        error = context_new(d, d->primary.flags, &d->primary.context);
        if (error) {
            return core_leave(error);
        }
        d->primary.context->primary = true;
    }
    d->primary.refs++;
    *context = d->primary.context->base.handle;
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
    error = d->fault ? d->fault : context_new(d, flags, &c);
    if (!error) {
        core_context_push(c->base.handle);
        *context = c->base.handle;
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
    uint64_t began;
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
        began = cost_now();
        error = context_wait(c);
        cost_waited(context_sleeps(c) ? COST_SYNC_BLOCK : COST_SYNC, began, context_sleeps(c));
    }
    return core_leave(error);
}
