/* SPDX-License-Identifier: MIT */
/* CUDA connects to an EGLStream and leaves it. CUDA Driver API, EGL interoperability; CUDA for
 * Tegra 5.1.3: a context that is destroyed disconnects its streams. */
#include "runtime/driver/array/array.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/interop/egl/egl_share.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

/* What has to come first, or has been. */
static const char *state_hint(const struct egl_object *o)
{
    switch (egl_stream_state(&o->s)) {
    case EGL_STREAM_CREATED:
        return "no consumer has connected yet, which has to come first";
    case EGL_STREAM_CONNECTING:
        return "a consumer has connected, and no producer yet: wait until EGL_STREAM_STATE_KHR is "
               "EGL_STREAM_STATE_EMPTY_KHR or later";
    case EGL_STREAM_DISCONNECTED:
        return "an end has left, or its process has ended, which cannot be undone";
    default:
        return "both ends have connected";
    }
}

CUresult egl_refuse(const char *api, enum egl_stream_result result, const struct egl_object *o)
{
    const char *state = egl_state_name(o);

    switch (result) {
    case EGL_STREAM_DONE:
        return CUDA_SUCCESS;
    case EGL_STREAM_TIMEOUT:
    case EGL_STREAM_WAIT: /* measured: the code depends on whether there was a frame ever */
        return report_error(o->s.producer_frame ? CUDA_ERROR_LAUNCH_TIMEOUT : CUDA_ERROR_UNKNOWN,
                            api, "CUDA Driver API, EGL interoperability",
                            "no frame came within the time limit, and there is no old one (the "
                            "stream is %s)",
                            state);
    case EGL_STREAM_BAD_ACCESS:
        return report_error(CUDA_ERROR_UNKNOWN, api, "CUDA Driver API, EGL interoperability",
                            "the consumer holds a frame already: release it first");
    case EGL_STREAM_BAD_FRAME:
        return report_error(CUDA_ERROR_UNKNOWN, api, "CUDA Driver API, EGL interoperability",
                            "the frame is with the stream already: wait until ReturnFrame gives it "
                            "back");
    case EGL_STREAM_FULL:
        return report_error(CUDA_ERROR_UNKNOWN, api, "CUDA for Tegra 5.1.2",
                            "%u frames were presented and not returned, which is the most that "
                            "CUDA can: numbers %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                            egl_stream_outstanding(&o->s),
                            o->s.producer_frame + 1 - egl_stream_outstanding(&o->s),
                            o->s.producer_frame);
    default:
        return report_error(CUDA_ERROR_UNKNOWN, api, "EGL_KHR_stream 3.10.4.3",
                            "the stream is in state %s, which does not allow it: %s", state,
                            state_hint(o));
    }
}

CUresult egl_end_enter(CUeglStreamConnection *conn, bool producer, struct egl_end **end)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    *end = conn ? handle_find(HANDLE_EGL_END, *conn) : NULL;
    if (!*end || (*end)->producer != producer) {
        return core_leave(report_error(CUDA_ERROR_INVALID_HANDLE, NULL,
                                       "CUDA Driver API, EGL interoperability",
                                       "the connection is none: never made, disconnected, or its "
                                       "context is gone"));
    }
    return CUDA_SUCCESS;
}

CUresult egl_end_current(const struct egl_end *end, const struct stream *s, const char *api)
{
    const struct device *own = context_device(end->base.context);

    return own == device_current() || (s && context_device(stream_context(s)) == own)
               ? CUDA_SUCCESS
               : report_error(CUDA_ERROR_INVALID_CONTEXT, api,
                              "CUDA Driver API, EGL interoperability",
                              "the %s has connected on device %d, and device %d is current: make "
                              "the end's device current before the call",
                              end->producer ? "producer" : "consumer", device_ordinal(own),
                              device_ordinal(device_current()));
}

static void end_leave(void *object)
{
    struct egl_end *end = object;
    struct egl_object *o = end->object;

    *(end->producer ? &o->producer : &o->consumer) = NULL;
    object_close(&end->base);
    egl_object_left(o, end->producer);
    egl_far_leave(o, end->producer, end->base.context);
    if (o->share) {
        egl_state_take(o);
        egl_pass_leave(o, end->producer, end->base.context);
        egl_state_give(o);
    }
    egl_object_release(o);
}

static const struct object_kind end_kind = { .name = "end of an EGLStream",
                                             .type = HANDLE_EGL_END,
                                             .end = end_leave };

static struct egl_end *newest_of(const struct context *c)
{
    struct egl_end *end = object_last(&egl_ends);

    while (end && end->base.context != c) {
        end = object_before(&end->base);
    }
    return end;
}

static void context_gone(struct context *c)
{
    struct egl_end *end;

    while ((end = newest_of(c)) != NULL) { /* anew: to drop a frame may let the lock go */
        report_finding(&check_rules[CHECK_RULE_EGL_CONTEXT_GONE], 0, 0, 0, NULL,
                       "the context of a stream's %s is destroyed while it is connected: the "
                       "stream is disconnected for both ends, and the connection's handle is "
                       "invalid from now on",
                       end->producer ? "producer" : "consumer");
        object_unref(&end->base);
    }
    egl_pass_context_gone(c);
}

static bool frame_overlaps(const struct egl_frame *f, uint64_t at, size_t bytes)
{
    uint64_t first = f->id, size = (uint64_t)f->desc.pitch * f->desc.height;

    if (f->desc.frameType == CU_EGL_FRAME_TYPE_ARRAY) {
        const struct array *a = array_find(f->desc.frame.pArray[0]);

        first = a ? array_va(a) : 0;
        size = a ? array_bytes(a) : 0;
    }
    return at < first + size && first < at + bytes;
}

static void store_report(const struct egl_object *o, const struct egl_frame *f,
                         const struct channel *channel)
{
    bool held = o->s.held.frame == f->id;
    bool consumers = held && channel_ordinal(channel) != f->producer_stream;

    report_finding(
        &check_rules[consumers ? CHECK_RULE_EGL_FRAME_WRITTEN : CHECK_RULE_EGL_FRAME_REWRITTEN],
        f->region[0], 0, 0, NULL, "a copy or fill writes to a frame that %s",
        held ? "the consumer holds" : "was presented and not returned");
}

/* What kernels store is seen when they have run: checker/rules/frame_rule.c. */
static void egl_end_stored(uint64_t dst, size_t bytes, const struct channel *channel)
{
    for (const struct egl_end *end = object_first(&egl_ends); end; end = object_after(&end->base)) {
        const struct egl_object *o = end->object;

        for (guint n = 0; end->producer && n < o->frames->len; n++) {
            const struct egl_frame *f = g_ptr_array_index(o->frames, n);

            if (frame_overlaps(f, dst, bytes)) {
                store_report(o, f, channel);
                return;
            }
        }
    }
}

void egl_ends_init(void)
{
    notify_context_gone_add(context_gone);
    egl_freed_init();
    notify_stored_add(egl_end_stored);
}

static CUresult egl_end_connect(CUeglStreamConnection *conn, void *stream, bool producer, int width,
                                int height, const char *api)
{
    struct context *c;
    struct egl_object *o;
    struct egl_end *end;
    enum egl_stream_result result;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!conn) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    o = egl_object_find(NULL, stream);
    if (!o) {
        return core_leave(CUDA_ERROR_INVALID_HANDLE);
    }
    egl_pass_reap();
    egl_state_take(o);
    result =
        producer ? egl_stream_connect_producer(&o->s) : egl_stream_connect_consumer(&o->s, true);
    if (!result) {
        egl_state_connected(o, producer);
        egl_far_connected(o, producer, c);
    }
    egl_state_give(o);
    if (result) {
        return core_leave(egl_refuse(api, result, o));
    }
    egl_ends_init();
    end = object_new(&end_kind, sizeof(*end), c);
    end->object = o;
    end->producer = producer;
    end->width = width;
    end->height = height;
    object_list_add(&egl_ends, &end->base);
    *(producer ? &o->producer : &o->consumer) = end;
    egl_object_hold(o);
    *conn = object_open(&end->base);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_egl_consumer_connect(CUeglStreamConnection *conn, void *stream, unsigned flags)
{
    /* An integrated GPU has one memory: where frames are to lie makes no difference. For a discrete
     * one it is a hint: with NVIDIA's driver the frame is device memory in either case (measured
     * with two GPUs), as here. */
    if (flags != CU_EGL_RESOURCE_LOCATION_SYSMEM && flags != CU_EGL_RESOURCE_LOCATION_VIDMEM) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return egl_end_connect(conn, stream, false, 0, 0, "cuEGLStreamConsumerConnect");
}

/* Measured: any size will do, 0 too. */
CUresult rt_egl_producer_connect(CUeglStreamConnection *conn, void *stream, int width, int height)
{
    return egl_end_connect(conn, stream, true, width, height, "cuEGLStreamProducerConnect");
}

CUresult rt_egl_disconnect(CUeglStreamConnection *conn, bool producer)
{
    struct egl_end *end;
    CUresult error = egl_end_enter(conn, producer, &end);

    if (error) {
        return error;
    }
    object_unref(&end->base);
    return core_leave(CUDA_SUCCESS);
}
