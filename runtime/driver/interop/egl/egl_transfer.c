/* SPDX-License-Identifier: MIT */
/* Frames go to the stream and come back: present, acquire, release, return. What may be when is the
 * state machine's business (egl_stream.c), what waits for what on the GPU egl_frame.c's. A
 * submission may let the lock go: the end is looked up again after each. */
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/interop/egl/egl_share.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

#define A_FRAME "a frame of an EGLStream"
#define RETURN_LIMIT_US 1000u /* measured: how long ReturnFrame waits for one */

struct look {
    CUeglStreamConnection conn;
    uint64_t frame;
    bool (*now)(const struct egl_stream *s, uint64_t frame);
};

static struct egl_end *end_of(CUeglStreamConnection conn)
{
    return handle_find(HANDLE_EGL_END, conn);
}

static bool look_ready(void *opaque)
{
    const struct look *look = opaque;
    const struct egl_end *end = end_of(look->conn);

    if (end) {
        egl_state_look(end->object);
    }
    return !end || end->object->s.base == EGL_STREAM_DISCONNECTED ||
           look->now(&end->object->s, look->frame);
}

/* Return: the end, if it is there still. */
static struct egl_end *wait_for(CUeglStreamConnection conn, uint64_t frame, unsigned limit_us,
                                bool (*now)(const struct egl_stream *, uint64_t))
{
    struct look look = { conn, frame, now };
    bool shared = end_of(conn)->object->share;

    (shared ? wait_elsewhere : wait_others)(look_ready, &look, A_FRAME, limit_us);
    return end_of(conn);
}

static CUresult stream_of(const struct egl_end *end, const CUstream *stream, struct stream **s)
{
    return stream_resolve(end->base.context, stream ? *stream : NULL, s);
}

/* --- present ---------------------------------------------------------------------------------- */

static bool has_room(const struct egl_stream *s, uint64_t frame)
{
    return egl_stream_may_insert(s, frame) != EGL_STREAM_WAIT;
}

/* CUDA for Tegra 5.1.2: a mismatch is undefined. A sample of NVIDIA's gives the width in bytes. */
static void size_check(const struct egl_end *end, const CUeglFrame *f)
{
    unsigned width = (unsigned)end->width;

    if (!end->width || ((f->width == width || f->width == width * f->numChannels) &&
                        f->height == (unsigned)end->height)) {
        return;
    }
    report_finding(&check_rules[CHECK_RULE_EGL_FRAME_SIZE], 0, 0, 0, NULL,
                   "a frame of %u x %u is presented, the producer has connected with %d x %d",
                   f->width, f->height, end->width, end->height);
}

static struct egl_frame *frame_new(struct egl_object *o, const CUeglFrame *desc,
                                   const struct stream *s)
{
    struct egl_frame *f = g_new0(struct egl_frame, 1);
    struct region *regions[MAX_PLANES];

    f->id = egl_frame_id(desc);
    f->desc = *desc;
    f->producer_stream = stream_ordinal(s);
    f->producer_channel = channel_index(stream_channel(s));
    egl_frame_regions(desc, regions);
    for (unsigned i = 0; i < MAX_PLANES; i++) {
        f->region[i] = regions[i] ? region_id(regions[i]) : 0;
    }
    g_ptr_array_add(o->frames, f);
    return f;
}

CUresult rt_egl_present(CUeglStreamConnection *conn, const CUeglFrame *frame,
                        const CUstream *stream)
{
    static const char api[] = "cuEGLStreamProducerPresentFrame";
    struct egl_far *far[MAX_PLANES] = { 0 };
    struct egl_point point = { 0 };
    struct egl_object *o;
    struct egl_end *end;
    struct egl_frame *f;
    struct stream *s;
    enum egl_stream_result result;
    CUresult error = egl_end_enter(conn, true, &end);

    if (error) {
        return error;
    }
    cost_pass(COST_EVENT, 1);
    error = egl_frame_check(frame);
    error = error ? error : stream_of(end, stream, &s);
    error = error ? error : egl_end_current(end, s, api);
    error = error ? error : egl_far_own(end, frame, api);
    if (error) {
        return core_leave(error);
    }
    egl_state_look(end->object);
    if (egl_stream_may_insert(&end->object->s, egl_frame_id(frame)) == EGL_STREAM_WAIT) {
        end = wait_for(*conn, egl_frame_id(frame), UINT32_MAX, has_room);
        error = end ? stream_of(end, stream, &s) : CUDA_ERROR_INVALID_HANDLE;
    }
    if (error) {
        return core_leave(error);
    }
    result = egl_stream_may_insert(&end->object->s, egl_frame_id(frame));
    if (result == EGL_STREAM_WAIT) {
        return core_leave(report_error(CUDA_ERROR_LAUNCH_TIMEOUT, api,
                                       "EGL_KHR_stream_fifo 3.10.5.2",
                                       "the FIFO is full, and no other thread is there that could "
                                       "take a frame out of it: a board waits for ever"));
    }
    if (result) {
        return core_leave(egl_refuse(api, result, end->object));
    }
    error = egl_far_check(end->object, frame, api);
    if (error) {
        return core_leave(error);
    }
    size_check(end, frame);
    egl_object_hold(end->object);
    o = end->object;
    error = egl_far_present(o, frame, s, far, api);
    error = error ? error : egl_point_make(s, &point);
    end = end_of(*conn);
    if (!error && (!end || egl_stream_may_insert(&end->object->s, egl_frame_id(frame)))) {
        error = CUDA_ERROR_UNKNOWN; /* another thread has been faster */
    }
    if (error) {
        egl_far_put(far);
        egl_object_release(o);
        egl_point_clear(&point);
        return core_leave(error);
    }
    egl_object_release(o);
    f = frame_new(end->object, frame, s);
    egl_frame_taken(f, api, s);
    f->presented = point;
    egl_far_presented(f, far);
    error = egl_frame_insert(end->object, f);
    end->timeouts = 0;
    return core_leave(error);
}

/* --- return ----------------------------------------------------------------------------------- */

static bool has_returned(const struct egl_stream *s, uint64_t frame)
{
    (void)frame;
    return s->returned.len > 0;
}

/* CUDA for Tegra 5.1.2: reuse "prevents the removal of the last frame". Once may be a question. */
static void pinned_report(struct egl_end *end)
{
    if (egl_stream_pinned(&end->object->s) && ++end->timeouts == 2) {
        report_finding(&check_rules[CHECK_RULE_EGL_FRAME_PINNED], 0, 0, 0, NULL,
                       "ReturnFrame is asked for the last frame again and again: the stream keeps "
                       "it for reuse (EGL_SUPPORT_REUSE_NV is EGL_TRUE) until a newer one is "
                       "presented");
    }
}

CUresult rt_egl_return(CUeglStreamConnection *conn, CUeglFrame *frame, const CUstream *stream)
{
    static const char api[] = "cuEGLStreamProducerReturnFrame";
    struct egl_end *end = NULL;
    struct egl_frame *f;
    struct stream *s;
    enum egl_stream_result result;
    uint64_t id;
    CUresult error = egl_end_enter(conn, true, &end);

    if (error == CUDA_ERROR_INVALID_HANDLE && end) {
        return CUDA_ERROR_UNKNOWN; /* the consumer's connection (measured) */
    }
    if (error) {
        return error;
    }
    cost_pass(COST_EVENT, 1);
    error = frame ? egl_end_current(end, NULL, api) : CUDA_ERROR_INVALID_HANDLE; /* measured */
    if (error) {
        return core_leave(error);
    }
    egl_state_look(end->object);
    if (!has_returned(&end->object->s, 0)) {
        end = wait_for(*conn, 0, RETURN_LIMIT_US, has_returned);
    }
    error = end ? stream_of(end, stream, &s) : CUDA_ERROR_INVALID_HANDLE;
    if (error) {
        return core_leave(error);
    }
    egl_state_take(end->object);
    result = egl_stream_return(&end->object->s, true, &id);
    f = result ? NULL : egl_frame_find(end->object, id);
    if (f) {
        egl_pass_returned(end->object, f);
    }
    egl_state_give(end->object);
    if (result == EGL_STREAM_TIMEOUT && egl_stream_outstanding(&end->object->s)) {
        pinned_report(end);
        return core_leave(report_known(CUDA_ERROR_LAUNCH_TIMEOUT));
    }
    if (!f) {
        return core_leave(
            result == EGL_STREAM_TIMEOUT /* measured: another code than while some are out */
                ? report_error(CUDA_ERROR_UNKNOWN, api, "CUDA Driver API, EGL interoperability",
                               "no frame is with the stream")
                : egl_refuse(api, EGL_STREAM_BAD_STATE, end->object));
    }
    *frame = f->desc;
    egl_frame_owner(f, FRAME_PRODUCER, 0);
    egl_frame_given(f, api, s);
    if (f->released.fence.id) {
        struct egl_point point = f->released;

        egl_far_released(f, &point);
        f->released = (struct egl_point){ 0 };
        egl_frame_drop(end->object, f);
        error = egl_point_wait(s, &point);
        egl_point_clear(&point);
    } else {
        egl_frame_drop(end->object, f);
    }
    return core_leave(error);
}

bool rt_egl_returnable(CUeglStreamConnection *conn)
{
    struct egl_end *end;
    bool is;

    if (egl_end_enter(conn, true, &end)) {
        return false;
    }
    is = has_returned(&end->object->s, 0);
    core_leave(CUDA_SUCCESS);
    return is;
}

/* --- acquire ---------------------------------------------------------------------------------- */

static bool has_new(const struct egl_stream *s, uint64_t frame)
{
    (void)frame;
    return s->queue.len > 0 || s->held.frame;
}

static void repeated_report(struct egl_end *end, const struct egl_frame *f, uint64_t number,
                            uint64_t before)
{
    if (number == before && !end->repeated) {
        end->repeated = true;
        report_finding(&check_rules[CHECK_RULE_EGL_FRAME_REPEATED], f->region[0], 0, 0, NULL,
                       "the time limit was over, and the acquire got frame %" G_GUINT64_FORMAT
                       " a second time",
                       number);
    }
}

/* A frame of another process that has ended cannot be had: it is released. */
static struct egl_frame *frame_acquire(struct egl_end *end, struct egl_stream_slot *slot,
                                       enum egl_stream_result *result)
{
    struct egl_object *o = end->object;
    struct egl_frame *f = NULL;

    egl_state_take(o);
    *result = egl_stream_acquire(&o->s, true, slot);
    if (*result == EGL_STREAM_DONE) {
        f = egl_pass_get(o, slot->frame, end->base.context);
        if (!f) {
            egl_stream_release(&o->s, slot->frame);
        }
    }
    egl_state_give(o);
    return f;
}

static rt_egl_feeder *feeder;

void rt_egl_feeder_set(rt_egl_feeder *set)
{
    feeder = set;
}

static void acquire_feed(CUeglStreamConnection *conn, unsigned timeout_us)
{
    struct egl_end *end;
    void *stream;
    bool has;

    if (!feeder || egl_end_enter(conn, false, &end)) {
        return;
    }
    stream = end->object->base.handle;
    has = has_new(&end->object->s, 0);
    core_leave(CUDA_SUCCESS);
    feeder(stream, has, timeout_us);
}

CUresult rt_egl_acquire(CUeglStreamConnection *conn, CUgraphicsResource *resource,
                        const CUstream *stream, unsigned timeout_us)
{
    static const char api[] = "cuEGLStreamConsumerAcquireFrame";
    struct egl_stream_slot slot;
    struct egl_end *end;
    struct egl_frame *f;
    struct stream *s;
    uint64_t before;
    enum egl_stream_result result;
    CUresult error;

    acquire_feed(conn, timeout_us);
    error = egl_end_enter(conn, false, &end);
    if (error) {
        return error;
    }
    cost_pass(COST_EVENT, 1);
    error = resource ? egl_end_current(end, NULL, api) : CUDA_ERROR_INVALID_HANDLE; /* measured */
    if (error) {
        return core_leave(error);
    }
    egl_pass_reap();
    egl_state_look(end->object);
    if (egl_stream_state(&end->object->s) >= EGL_STREAM_EMPTY &&
        end->object->s.base != EGL_STREAM_DISCONNECTED && !has_new(&end->object->s, 0)) {
        end = wait_for(*conn, 0, timeout_us, has_new);
    }
    error = end ? stream_of(end, stream, &s) : CUDA_ERROR_INVALID_HANDLE;
    if (error) {
        return core_leave(error);
    }
    before = end->object->s.consumer_frame;
    f = frame_acquire(end, &slot, &result);
    if (!f) {
        return core_leave(egl_refuse(api, result ? result : EGL_STREAM_BAD_STATE, end->object));
    }
    repeated_report(end, f, slot.number, before);
    error = egl_far_apart(end->object) ? egl_far_place(end->object, f, end->base.context, api)
            : f->pixels                ? egl_gl_upload(f, end->base.context)
            : f->serial[0]             ? CUDA_SUCCESS
                                       : egl_frame_map(f, end->base.context);
    if (error == CUDA_ERROR_NOT_SUPPORTED) { /* a surface's frame for the other GPU */
        egl_state_take(end->object);
        egl_stream_release(&end->object->s, slot.frame);
        egl_state_give(end->object);
    }
    end = end_of(*conn);
    f = end ? egl_frame_find(end->object, slot.frame) : NULL;
    if (!f) {
        return core_leave(error ? error : CUDA_ERROR_INVALID_HANDLE);
    }
    if (!error) {
        f->resource = f->resource ? f->resource : graphics_new(end->base.context, egl_far_seen(f));
        *resource = graphics_handle(f->resource);
        egl_frame_owner(f, FRAME_CONSUMER, slot.number);
        egl_frame_given(f, api, s);
        error = f->presented.fence.id ? egl_point_wait(s, &f->presented) : CUDA_SUCCESS;
        end = end_of(*conn);
        f = end ? egl_frame_find(end->object, slot.frame) : NULL;
        error = error || !f ? error : egl_far_fetch(end->object, f, s, api);
    }
    return core_leave(error);
}

/* --- release ---------------------------------------------------------------------------------- */

static struct egl_frame *frame_held(const struct egl_end *end, CUgraphicsResource resource)
{
    const struct graphics *g = graphics_find(resource);
    const struct egl_object *o = end->object;
    struct egl_frame *f = o->s.held.frame ? egl_frame_find(o, o->s.held.frame) : NULL;

    return f && g && f->resource == g ? f : NULL;
}

CUresult rt_egl_release(CUeglStreamConnection *conn, CUgraphicsResource resource,
                        const CUstream *stream)
{
    static const char api[] = "cuEGLStreamConsumerReleaseFrame";
    struct egl_point point = { 0 };
    struct egl_end *end;
    struct egl_frame *f;
    struct stream *s;
    CUresult error = egl_end_enter(conn, false, &end);

    if (error) {
        return error;
    }
    cost_pass(COST_EVENT, 1);
    error = resource ? stream_of(end, stream, &s) : CUDA_ERROR_INVALID_HANDLE; /* measured */
    if (!error && !frame_held(end, resource)) {
        error = report_error(CUDA_ERROR_UNKNOWN, api, "CUDA Driver API, EGL interoperability",
                             "the consumer does not hold this frame: it was released before, or "
                             "never acquired");
    }
    if (!error) {
        egl_frame_taken(frame_held(end, resource), api, s);
    }
    error = error ? error : egl_point_make(s, &point);
    end = end_of(*conn);
    f = error || !end ? NULL : frame_held(end, resource);
    if (!f) {
        egl_point_clear(&point);
        return core_leave(error ? error : CUDA_ERROR_UNKNOWN);
    }
    egl_point_clear(&f->released);
    f->released = point;
    egl_far_released(f, &point);
    egl_state_take(end->object);
    error = egl_pass_released(end->object, f->id, point.fence);
    egl_stream_release(&end->object->s, f->id);
    egl_state_give(end->object);
    egl_frame_owner(f, FRAME_RELEASED, end->object->s.consumer_frame);
    return core_leave(error);
}
