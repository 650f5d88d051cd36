/* SPDX-License-Identifier: MIT */
/* Streams: a channel each, and the order that CUDA puts between them by itself.
 *
 * Legacy default stream (CUDA Driver API, "Stream synchronization behavior"): what it is given
 * waits for all blocking streams, and their next work waits for it. Streams made with
 * CU_STREAM_NON_BLOCKING stand apart. The per-thread default streams are blocking ones. */
#include "runtime/driver/stream/rt_stream.h"

#include "checker/run/run.h"
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/module/module.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/stream_internal.h"

/* Of the default stream: others come behind it. */
static uint32_t number_first(const struct context *c)
{
    return (uint32_t)device_ordinal(context_device(c)) << RUN_STREAM_DEVICE;
}

CUresult stream_new(struct context *context, unsigned flags, int priority, struct stream **out)
{
    struct channel *channel;
    struct stream *s;
    CUresult error = channel_new(context, priority, &channel);

    if (error) {
        return error;
    }
    s = object_new(&stream_kind, sizeof(*s), context);
    s->channel = channel;
    s->flags = flags;
    s->priority = priority;
    s->sync_policy = CU_SYNC_POLICY_AUTO;
    s->mem_domain_map.remote = 1;
    object_open(&s->base);
    object_list_add(&streams_of(context)->all, &s->base);
    stream_number(s, number_first(context));
    *out = s;
    return CUDA_SUCCESS;
}

void stream_number(struct stream *s, uint32_t ordinal)
{
    s->ordinal = ordinal;
    channel_ordinal_set(s->channel, ordinal);
}

void streams_begin(struct context *c)
{
    struct context_streams *own = g_new0(struct context_streams, 1);

    own->of_thread = g_hash_table_new(NULL, NULL);
    context_part_set(c, CONTEXT_STREAMS, own);
}

CUresult streams_make(struct context *c)
{
    struct context_streams *own = streams_of(c);
    CUresult error = stream_new(c, CU_STREAM_DEFAULT, 0, &own->legacy);

    if (!error) {
        own->legacy->is_default = true;
        error = stream_new(c, CU_STREAM_NON_BLOCKING, 0, &own->service);
    }
    if (!error) {
        own->service->is_default = true; /* the application must not destroy it */
    }
    return error;
}

void streams_free_all(struct context *c)
{
    const struct context_streams *own = streams_of(c);

    while (own->all.first) {
        stream_free(object_first(&own->all));
    }
}

void streams_end(struct context *c)
{
    struct context_streams *own = streams_of(c);

    g_hash_table_destroy(own->of_thread);
    core_bury(own);
}

static CUresult thread_stream(struct context *context, struct stream **out)
{
    struct context_streams *own = streams_of(context);
    void *key = GUINT_TO_POINTER(core_thread());
    CUresult error = CUDA_SUCCESS;

    *out = g_hash_table_lookup(own->of_thread, key);
    if (!*out) {
        error = stream_new(context, CU_STREAM_DEFAULT, 0, out);
        if (!error) {
            (*out)->is_default = true;
            stream_number(*out, number_first(context) + ++own->last_ordinal);
            g_hash_table_insert(own->of_thread, key, *out);
        }
    }
    return error;
}

CUresult stream_resolve(struct context *context, CUstream handle, struct stream **out)
{
    if (!handle || handle == CU_STREAM_LEGACY) {
        *out = stream_legacy(context);
        return CUDA_SUCCESS;
    }
    if (handle == CU_STREAM_PER_THREAD) {
        return thread_stream(context, out);
    }
    *out = handle_find(HANDLE_STREAM, handle);
    if (!*out) {
        return report_error(CUDA_ERROR_INVALID_HANDLE, NULL, "CUDA Driver API, stream management",
                            "the stream is none: never created, or destroyed before");
    }
    return context_error((*out)->base.context);
}

CUresult stream_enter(CUstream handle, struct context **context)
{
    CUresult error = core_enter_context(context);
    const struct stream *s;

    if (error != CUDA_ERROR_INVALID_CONTEXT || !handle || handle == CU_STREAM_LEGACY ||
        handle == CU_STREAM_PER_THREAD) {
        return error;
    }
    error = core_enter();
    if (error) {
        return error;
    }
    s = handle_find(HANDLE_STREAM, handle);
    error = s ? context_error(s->base.context) : CUDA_ERROR_INVALID_CONTEXT;
    if (error) {
        return core_leave(error);
    }
    *context = s->base.context;
    return CUDA_SUCCESS;
}

struct fence stream_fence(const struct stream *s)
{
    const struct channel *ch = s->channel;

    return channel_unused(ch) ? channel_before(ch) : channel_fence(ch);
}

void stream_known_published(struct stream *s)
{
    clock_add_published(&s->known);
}

void stream_known_merge(struct stream *s, const GArray *known)
{
    clock_merge(&s->known, known);
}

/* What comes after waits for @fence, and so for all that @known says. */
void stream_join(struct stream *s, struct push *p, struct fence fence, const GArray *known)
{
    if (fence.id && fence.id != channel_fence(s->channel).id && !clock_has(s->known, fence)) {
        if (!fence_waited(fence)) {
            push_wait(p, fence);
        } else { /* over: the channel need not wait, but the order is the application's wish */
            hal_note(core_hal(), HAL_NOTE_WAITED, fence.id, fence.threshold);
        }
    }
    clock_add(&s->known, fence);
    if (known != s->known) {
        clock_merge(&s->known, known);
    }
}

/* What the stream did on other hardware comes first. It is done; the order is the application's. */
static void stream_rebound(struct stream *s, struct push *p)
{
    struct fence before = channel_before_take(s->channel);

    if (!fence_waited(before)) {
        push_wait(p, before);
    } else if (before.id) {
        hal_note(core_hal(), HAL_NOTE_WAITED, before.id, before.threshold);
    }
    clock_add(&s->known, before);
}

static bool stream_blocking(const struct stream *s)
{
    return s != stream_legacy(s->base.context) && s != stream_service(s->base.context) &&
           !(s->flags & CU_STREAM_NON_BLOCKING);
}

static _Thread_local unsigned submitting; /* a work of this thread enters a stream */

CUresult stream_begin(struct stream *s, struct push **push)
{
    struct context *c = s->base.context;
    struct push *p;
    CUresult error;

    /* ours, whatever the program does: work enters by stream_submit() (test_driver_work.c) */
    g_assert(submitting || s == stream_service(c));
    error = push_begin(&p, s->channel);
    if (error) {
        return error;
    }
    stream_rebound(s, p);
    if (s == stream_legacy(c)) {
        for (struct stream *other = object_first(&streams_of(c)->all); other;
             other = object_after(&other->base)) {
            if (stream_blocking(other)) {
                error = push_go_on(&p);
                if (error) {
                    return error;
                }
                stream_join(s, p, stream_fence(other), other->known);
            }
        }
    } else if (stream_blocking(s)) {
        stream_join(s, p, stream_fence(stream_legacy(c)), stream_legacy(c)->known);
    }
    if (s->engine_pending) { /* GPU work behind engine work in one stream, or an event */
        s->engine_pending = false;
        coherency_push(p);
    }
    *push = p;
    return CUDA_SUCCESS;
}

struct fence stream_end(struct stream *s, struct push *p)
{
    (void)s;
    return push_submit(p);
}

static CUresult stream_wait_after(struct stream *s, const struct work *w)
{
    struct push *p;
    CUresult error = stream_begin(s, &p);

    if (error) {
        return error;
    }
    for (unsigned i = 0; i < w->n_after; i++) {
        error = push_go_on(&p);
        if (error) {
            return error;
        }
        stream_join(s, p, w->after[i].fence, w->after[i].known);
    }
    stream_end(s, p);
    return CUDA_SUCCESS;
}

/* Only its dependencies count. */
static CUresult empty_work(struct stream *s, const struct work *w)
{
    (void)s;
    (void)w;
    return CUDA_SUCCESS;
}

const struct work_kind work_empty = { CU_GRAPH_NODE_TYPE_EMPTY, empty_work };

CUresult stream_submit(struct stream *s, const struct work *w)
{
    CUresult error = capture_touch(s);

    if (error || s->capture) {
        return error ? error : capture_work(s, w);
    }
    submitting++;
    error = w->n_after ? stream_wait_after(s, w) : CUDA_SUCCESS;
    error = error ? error : w->kind->run(s, w);
    submitting--;
    return error;
}

static uint64_t launches; /* calls that gave a stream work */

void stream_launched(struct stream *s, uint32_t grid_id, const struct check_caller *caller)
{
    channel_launched_set(s->channel, grid_id, ++launches, caller);
}

/* fence_waited() says more: the points of the note (2.1, 3.3) at which data goes back to the CPU.
 */
void sync_covered(struct context *context)
{
    coherency_after_sync();
    managed_update();
    printf_drain(context, false);
    notify_covered();
}

/* A wait on the legacy stream is a marker in it, and so covers the blocking streams (inferred). */
CUresult stream_wait(struct stream *s)
{
    struct context *c = s->base.context;
    struct fence fence = stream_fence(s);
    GArray *known = NULL;
    CUresult error = CUDA_SUCCESS;

    clock_add(&known, fence);
    clock_merge(&known, s->known);
    for (struct stream *other = s == stream_legacy(c) ? object_first(&streams_of(c)->all) : NULL;
         other; other = object_after(&other->base)) {
        if (stream_blocking(other)) {
            clock_add(&known, stream_fence(other));
            clock_merge(&known, other->known);
        }
    }
    for (guint i = 0; !error && known && i < known->len; i++) {
        error = wait_fence(c, g_array_index(known, struct fence, i));
    }
    if (!error) {
        clock_synced(known);
        sync_covered(c);
    }
    if (known) {
        g_array_free(known, TRUE);
    }
    return error;
}

/* Channels of destroyed streams count too. */
GArray *context_fences(struct context *c)
{
    GArray *fences = g_array_new(FALSE, FALSE, sizeof(struct fence));

    for (unsigned i = 0; i < channel_count(); i++) {
        struct channel *ch = channel_nth(i);

        if (channel_context(ch) == c && !channel_unused(ch)) {
            clock_add(&fences, channel_fence(ch));
        }
    }
    channel_left(&fences);
    return fences;
}

CUresult context_wait(struct context *c)
{
    GArray *fences = context_fences(c);
    CUresult error = CUDA_SUCCESS;

    channel_left_waited();
    for (guint i = 0; !error && i < fences->len; i++) {
        error = wait_fence(c, g_array_index(fences, struct fence, i));
    }
    if (!error) {
        clock_synced(fences);
        sync_covered(c);
        channel_reap();
    }
    g_array_free(fences, TRUE);
    return error ? error : context_error(c);
}

bool stream_idle(const struct stream *s)
{
    const struct context *c = s->base.context;
    bool idle = fence_reached(stream_fence(s));

    for (struct stream *other = s == stream_legacy(c) ? object_first(&streams_of(c)->all) : NULL;
         idle && other; other = object_after(&other->base)) {
        idle = !stream_blocking(other) || fence_reached(stream_fence(other));
    }
    return idle;
}

void stream_init(void)
{
    stream_end_init();
}

CUresult rt_stream_create(CUstream *stream, unsigned flags, int priority)
{
    struct context *c;
    struct stream *s;
    CUresult error = core_state() ? core_state()
                     : stream     ? core_enter_context(&c)
                                  : CUDA_ERROR_INVALID_VALUE;

    if (error) {
        return error;
    }
    if (flags & ~(unsigned)CU_STREAM_NON_BLOCKING) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    priority =
        device_profile(context_device(c))->gpu.stream_priorities ? CLAMP(priority, -5, 0) : 0;
    error = stream_new(c, flags, priority, &s);
    if (!error) {
        stream_number(s, number_first(c) + ++streams_of(c)->last_ordinal);
        *stream = s->base.handle;
        if (!stream_blocking(s)) {
            report_nonblocking(s);
        }
    }
    return core_leave(error);
}

CUresult rt_stream_destroy(CUstream stream)
{
    struct context *c;
    struct stream *s;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    s = handle_find(HANDLE_STREAM, stream);
    if (!s || s->is_default) {
        return core_leave(CUDA_ERROR_INVALID_HANDLE);
    }
    stream_free(s);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_stream_synchronize(CUstream stream)
{
    struct context *c;
    struct stream *s;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    error = error ? error : capture_sync(s);
    if (!error) {
        bool sleeps = context_sleeps(s->base.context);
        uint64_t began = cost_now();

        report_note(CHECK_NOTE_SYNC, "cuStreamSynchronize", NULL, NULL, 0, s);
        error = stream_wait(s);
        cost_waited(sleeps ? COST_SYNC_BLOCK : COST_SYNC, began, sleeps);
    }
    return core_leave(error);
}

/* The first unsuccessful query changes nothing; a program that asks again and again must not hang,
 * so from the second on the board has to make progress. */
CUresult rt_stream_query(CUstream stream)
{
    struct context *c;
    struct stream *s;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    error = error ? error : capture_sync(s);
    if (!error && !stream_idle(s)) {
        CUstream handle = s->base.handle;

        wait_poll(s->not_ready++ > 0);
        s = handle_find(HANDLE_STREAM, handle);
        error = !s ? CUDA_ERROR_INVALID_HANDLE : context_error(s->base.context);
    }
    if (!error && stream_idle(s)) {
        s->not_ready = 0;
        error = stream_wait(s); /* as good as a synchronise (Programming Guide, managed memory) */
    } else if (!error) {
        error = CUDA_ERROR_NOT_READY;
    }
    return core_leave(error);
}
