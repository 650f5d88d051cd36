/* SPDX-License-Identifier: MIT */
/* Events: a fence, what was known there, and a time stamp that the channel writes. */
#include "runtime/driver/stream/event_internal.h"

#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/ipc_event.h"
#include "runtime/driver/stream/rt_event.h"
#include "runtime/driver/stream/rt_stream.h"
#include "runtime/driver/stream/stream_internal.h"

CUresult rt_event_create(CUevent *event, unsigned flags)
{
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    struct ipc_event *ipc = NULL;
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!event || (flags & ~known) ||
        ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = object_room("cuEventCreate", 1, "event");
    if (error) {
        return core_leave(error);
    }
    if (flags & CU_EVENT_INTERPROCESS) {
        error = rule_check("cuEventCreate:interprocess");
        ipc = error ? NULL : ipc_event_new();
        error = error || ipc ? error : CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!error) {
        *event = event_new_ipc(c, ipc, flags);
        cost_pass(COST_EVENT, 1);
    }
    return core_leave(error);
}

/* What is not for events that a stream does not record. */
static CUresult event_refuse(const struct event *e, const char *api)
{
    return e->source ? report_error(CUDA_ERROR_NOT_SUPPORTED, api, "CUDA for Tegra 5.3.3",
                                    "the event was made from an EGLSync")
                     : CUDA_SUCCESS;
}

/* The calling thread is in, the event exists and its context has not failed. No context need be
 * current (measured). */
static CUresult event_enter(CUevent handle, struct event **e)
{
    struct context *c;
    CUresult error = core_enter_context(&c);
    bool none = error == CUDA_ERROR_INVALID_CONTEXT;

    error = none ? core_enter() : error;
    if (error) {
        return error;
    }
    *e = handle_find(HANDLE_EVENT, handle);
    error = *e     ? context_error((*e)->base.context)
            : none ? CUDA_ERROR_INVALID_CONTEXT
                   : CUDA_ERROR_INVALID_HANDLE;
    return error ? core_leave(error) : CUDA_SUCCESS;
}

CUresult rt_event_destroy(CUevent event)
{
    struct event *e;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    e = handle_find(HANDLE_EVENT, event);
    if (!e) {
        return core_leave(CUDA_ERROR_INVALID_HANDLE);
    }
    error = context_error(e->base.context);
    capture_event_forget(event);
    event_remove(e);
    return core_leave(error);
}

static CUresult record_work(struct stream *s, const struct work *work)
{
    struct event *e = handle_find(HANDLE_EVENT, work->event);
    uint64_t number = 0;
    struct push *p;
    CUresult error;

    if (!e) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    capture_event_forget(work->event); /* by a graph: what a capture has made of it is over */
    if (!(e->flags & CU_EVENT_DISABLE_TIMING) && !e->stamp.va) {
        e->stamp = event_stamp_new(e->base.context);
        if (!e->stamp.va) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    error = e->ipc ? ipc_event_map(e->ipc, s->base.context) : CUDA_SUCCESS;
    error = error ? error : stream_begin(s, &p);
    if (error) {
        return error;
    }
    if (e->ipc) {
        number = ipc_event_push(e->ipc, p);
    }
    if (e->stamp.va) {
        push_method(p, 0, HOST_WFI, 0);
        push_semaphore(p, e->stamp.va, 1, SEM_OP_RELEASE | SEM_EXECUTE_TIMESTAMP);
    }
    e->fence = stream_end(s, p);
    if (e->ipc) {
        ipc_event_publish(e->ipc, number, e->fence);
    }
    report_event(e->fence, s);
    event_site_keep(e);
    e->recorded = true;
    e->not_ready = 0;
    if (e->known) {
        g_array_set_size(e->known, 0);
    }
    clock_add(&e->known, e->fence);
    clock_merge(&e->known, s->known);
    if (e->ipc) {
        clock_publish(e->fence, e->known);
    }
    return CUDA_SUCCESS;
}

const struct work_kind work_event_record = { CU_GRAPH_NODE_TYPE_EVENT_RECORD, record_work };

/* A default stream is the current context's. */
static bool is_default(CUstream stream)
{
    return !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

static bool is_of_other(CUstream stream, const struct context *c)
{
    CUresult error;
    const struct context *current = is_default(stream) ? core_context(NULL, &error) : NULL;

    return current && current != c;
}

CUresult rt_event_record(CUevent event, CUstream stream, unsigned flags)
{
    struct event *e;
    struct stream *s;
    bool done = false;
    CUresult error = event_enter(event, &e);

    if (error) {
        return error;
    }
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (is_default(stream) && !core_context(NULL, &error)) {
        return core_leave(error);
    }
    error = event_refuse(e, "cuEventRecord");
    error = error ? error : stream_resolve(e->base.context, stream, &s);
    if (!error && (s->base.context != e->base.context || is_of_other(stream, e->base.context))) {
        error = CUDA_ERROR_INVALID_HANDLE;
    }
    error = error ? error : capture_event_record(s, event, flags, &done);
    if (!error && !done) {
        cost_pass(COST_EVENT, 1);
    }
    return core_leave(error || done ? error
                                    : stream_submit(s, &(struct work){ .kind = &work_event_record,
                                                                       .event = event }));
}

/* Once reached, as good as a synchronise of the stream up to there. */
static CUresult event_covered(struct event *e)
{
    clock_synced(e->known);
    sync_covered(e->base.context);
    return CUDA_SUCCESS;
}

CUresult rt_event_query(CUevent event)
{
    struct event *e;
    CUresult error = event_enter(event, &e);

    if (error) {
        return error;
    }
    error = capture_event_sync(event);
    if (error) {
        return core_leave(error);
    }
    if (e->source) {
        return core_leave(e->source->wait(e->base.context, e->opaque, true));
    }
    e->used = true;
    error = event_look(e, "cuEventQuery");
    if (error) {
        return core_leave(error);
    }
    if (e->recorded && !fence_reached(e->fence)) {
        wait_poll(e->not_ready++ > 0);
        e = handle_find(HANDLE_EVENT, event);
        if (!e) {
            return core_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        if (context_error(e->base.context)) {
            return core_leave(context_error(e->base.context));
        }
    }
    if (e->recorded && !fence_reached(e->fence)) {
        return core_leave(CUDA_ERROR_NOT_READY);
    }
    return core_leave(event_covered(e));
}

CUresult rt_event_synchronize(CUevent event)
{
    struct event *e;
    CUresult error = event_enter(event, &e);

    if (error) {
        return error;
    }
    error = capture_event_sync(event);
    e->used = true;
    if (!error && e->source) {
        error = e->source->wait(e->base.context, e->opaque, false);
    } else if (!error && !(error = event_look(e, "cuEventSynchronize")) && e->recorded) {
        GArray *known = g_array_copy(e->known);
        struct context *c = e->base.context;
        bool sleeps = e->flags & CU_EVENT_BLOCKING_SYNC;
        uint64_t began = cost_now();

        error = wait_fence(c, e->fence);
        cost_waited(sleeps ? COST_SYNC_BLOCK : COST_SYNC, began, sleeps);
        if (!error) {
            clock_synced(known);
            sync_covered(c);
        }
        g_array_free(known, TRUE);
    }
    return core_leave(error);
}

CUresult rt_event_elapsed(float *milliseconds, CUevent start, CUevent end)
{
    struct context *c;
    struct event *e[2];
    uint64_t ns[2];
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = capture_event_times(start);
    error = error ? error : capture_event_times(end);
    if (error) {
        return core_leave(error);
    }
    e[0] = handle_find(HANDLE_EVENT, start);
    e[1] = handle_find(HANDLE_EVENT, end);
    for (unsigned i = 0; i < 2; i++) {
        if (e[i] && e[i]->source) {
            return core_leave(event_refuse(e[i], "cuEventElapsedTime"));
        }
        if (!e[i] || !e[i]->recorded || !e[i]->stamp.va) {
            return core_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        e[i]->used = true;
    }
    if (context_device(e[0]->base.context) != context_device(e[1]->base.context)) {
        return core_leave(CUDA_ERROR_INVALID_HANDLE);
    }
    if (!milliseconds) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (!fence_reached(e[i]->fence)) {
            return core_leave(CUDA_ERROR_NOT_READY);
        }
        memcpy(&ns[i], e[i]->stamp.cpu + 8, sizeof(ns[i]));
    }
    *milliseconds = (float)((double)(int64_t)(ns[1] - ns[0]) / 1e6);
    return core_leave(CUDA_SUCCESS);
}

static CUresult wait_work(struct stream *s, const struct work *work)
{
    struct event *e = handle_find(HANDLE_EVENT, work->event);
    struct push *p;
    CUresult error;

    if (!e) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    e->used = true;
    if (e->source) {
        return e->source->join(s, e->opaque);
    }
    error = event_look(e, "cuStreamWaitEvent");
    if (error || !e->recorded) {
        return error;
    }
    error = stream_begin(s, &p);
    if (!error) {
        stream_join(s, p, e->fence, e->known);
        report_event_wait(e->fence);
        stream_end(s, p);
    }
    return error;
}

const struct work_kind work_event_wait = { CU_GRAPH_NODE_TYPE_WAIT_EVENT, wait_work };

static CUresult wait_event(struct stream *s, CUevent event)
{
    return stream_submit(s, &(struct work){ .kind = &work_event_wait, .event = event });
}

CUresult rt_stream_wait_event(CUstream stream, CUevent event, unsigned flags)
{
    struct event *e;
    struct context *c;
    struct stream *s;
    bool done = false;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    e = handle_find(HANDLE_EVENT, event);
    if (!error && !e) {
        error = CUDA_ERROR_INVALID_HANDLE;
    }
    if (!error && (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL)) {
        error = CUDA_ERROR_INVALID_VALUE;
    }
    error = error ? error : event_look(e, "cuStreamWaitEvent");
    error = error ? error : capture_event_wait(s, event, e->recorded || e->source, flags, &done);
    if (!error && !done) {
        cost_pass(COST_EVENT, 1);
    }
    return core_leave(error || done ? error : wait_event(s, event));
}

/* After every stream, non-blocking ones included. */
static CUresult record_after_all(struct context *c, CUevent event)
{
    GArray *after = g_array_new(FALSE, FALSE, sizeof(struct work_after));
    struct work work = { .kind = &work_event_record, .event = event };
    CUresult error;

    for (const struct stream *s = object_first(&streams_of(c)->all); s;
         s = object_after(&s->base)) {
        /* Referenced: the stream may go while this one waits for room. */
        struct work_after a = { stream_fence(s), s->known ? g_array_ref(s->known) : NULL };

        g_array_append_val(after, a);
    }
    work.after = (const void *)after->data;
    work.n_after = after->len;
    error = stream_submit(stream_legacy(c), &work);
    for (guint i = 0; i < after->len; i++) {
        g_clear_pointer(&g_array_index(after, struct work_after, i).known, g_array_unref);
    }
    g_array_unref(after);
    return error;
}

/* An event of a whole context: recorded in the legacy stream. */
CUresult rt_ctx_record_event(CUcontext context, CUevent event)
{
    struct event *e;
    CUresult error = event_enter(event, &e);
    struct context *c;

    if (error) {
        return error;
    }
    c = core_context(context, &error);
    error = error ? error : event_refuse(e, "cuCtxRecordEvent");
    if (!error && c != e->base.context) {
        error = CUDA_ERROR_INVALID_HANDLE;
    }
    error = error ? error : capture_sync_context(c);
    return core_leave(error ? error : record_after_all(c, event));
}

/* By handle: another thread may destroy streams while one waits for room. */
static CUresult wait_event_in_all(struct context *c, CUevent event)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(CUstream));
    CUresult error = CUDA_SUCCESS;

    for (struct stream *s = object_first(&streams_of(c)->all); s; s = object_after(&s->base)) {
        if (s != stream_service(c)) {
            g_array_append_val(all, s->base.handle);
        }
    }
    for (guint i = 0; !error && i < all->len; i++) {
        struct stream *s = handle_find(HANDLE_STREAM, g_array_index(all, CUstream, i));

        error = s ? wait_event(s, event) : CUDA_SUCCESS;
    }
    g_array_unref(all);
    return error;
}

CUresult rt_ctx_wait_event(CUcontext context, CUevent event)
{
    struct event *e;
    CUresult error = event_enter(event, &e);
    struct context *c;

    if (error) {
        return error;
    }
    c = core_context(context, &error);
    error = error ? error : capture_sync_context(c);
    return core_leave(error ? error : wait_event_in_all(c, event));
}
