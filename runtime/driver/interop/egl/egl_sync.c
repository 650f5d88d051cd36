/* SPDX-License-Identifier: MIT */
/* EGLSyncs and events, CUDA for Tegra 5.3: an event that stands for a fence of GL, and the point of
 * an event for GL to wait for. With the order come the pixels of EGLImages (egl_image.c). */
#include <string.h>

#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/interop/egl/egl_internal.h"
#include "runtime/driver/stream/event.h"
#include "runtime/driver/stream/stream.h"

struct rt_egl_point {
    struct context *context;
    struct egl_point at;
};

static const struct rt_egl_syncs *calls;

void rt_egl_syncs_set(const struct rt_egl_syncs *c)
{
    egl_lock();
    calls = c;
    egl_unlock();
}

/* --- GL's fence as an event --- */

static bool egl_sync_shot(void *held, void *image, void *pixels, size_t bytes)
{
    return calls->shot(held, image, pixels, bytes);
}

/* CUDA Driver API, cuEventCreateFromEGLSync: "Once the eglSync gets destroyed, cuEventDestroy is
 * the only API that can be invoked on the event." */
static void destroyed_report(void *held)
{
    if (calls->destroyed(held)) {
        report_finding(&check_rules[CHECK_RULE_EGL_SYNC_DESTROYED], 0, 0, 0, NULL,
                       "the EGLSync that the event was made from is destroyed: from then on the "
                       "event can only be destroyed, too");
    }
}

static CUresult fence_join(struct stream *s, void *held)
{
    destroyed_report(held);
    return egl_images_join(s, egl_sync_shot, held);
}

/* GL runs on this CPU, and has drawn all of it when the fence was made. */
static CUresult fence_wait(struct context *c, void *held, bool poll)
{
    (void)poll;
    destroyed_report(held);
    egl_images_meet(egl_sync_shot, held);
    return context_error(c);
}

static void fence_gone(void *held)
{
    calls->drop(held);
}

static const struct event_source gl_fence = { fence_join, fence_wait, fence_gone };

CUresult rt_event_from_egl_sync(CUevent *event, void *sync, unsigned flags)
{
    static const char api[] = "cuEventCreateFromEGLSync";
    void *held;
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!event || (flags & ~(unsigned)CU_EVENT_BLOCKING_SYNC)) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, api, "CUDA for Tegra 5.3.3",
                                       "flags are 0x%x: only CU_EVENT_DEFAULT and "
                                       "CU_EVENT_BLOCKING_SYNC are allowed",
                                       flags));
    }
    error = rule_check(api);
    if (error) {
        return core_leave(error);
    }
    held = calls && sync ? calls->hold(sync) : NULL;
    if (!held) {
        return core_leave(report_error(CUDA_ERROR_INVALID_HANDLE, api, "CUDA for Tegra 5.3.3",
                                       "no EGLSync of the type EGL_SYNC_FENCE_KHR"));
    }
    core_leave(CUDA_SUCCESS);
    error = event_new_of(&gl_fence, held, flags, event);
    if (error) {
        calls->drop(held);
    }
    return error;
}

/* --- an event's point for GL --- */

static GPtrArray *points; /* struct rt_egl_point */

static void context_gone(struct context *c)
{
    for (guint i = 0; i < points->len; i++) {
        struct rt_egl_point *p = g_ptr_array_index(points, i);

        if (p->context == c) { /* what was waited for is over */
            p->context = NULL;
            egl_point_clear(&p->at);
        }
    }
}

void rt_egl_loaded(void)
{
    event_sites_keep();
}

static void rerecorded_report(CUevent event)
{
    struct check_caller sites[2];
    g_autofree char *newest = NULL, *before = NULL;

    if (!event_overwritten(event, sites)) {
        return;
    }
    newest = check_called_at(core_check(), &sites[0]);
    before = check_called_at(core_check(), &sites[1]);
    report_finding(
        &check_rules[CHECK_RULE_EGL_SYNC_RERECORDED], 0, 0, 0, NULL,
        "the event was recorded again (%s) before an EGLSync was made of it: OpenGL waits "
        "for that record, and for the one before it (%s) only if that comes first",
        newest ? newest : "?", before ? before : "?");
}

CUresult rt_egl_point_capture(void *event, struct rt_egl_point **point)
{
    static const char api[] = "eglCreateSync";
    struct rt_egl_point p = { 0 };
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    error = rule_check(api); /* EGL_KHR_fence_sync: of a type that is not supported */
    if (error) {
        return core_leave(error);
    }
    rerecorded_report(event);
    p.context = event_point(event, &p.at.fence, &p.at.known);
    if (!p.context) {
        return core_leave(report_error(CUDA_ERROR_INVALID_HANDLE, api, "EGL_NV_cuda_event",
                                       "EGL_CUDA_EVENT_HANDLE_NV is no CUDA event"));
    }
    if (!p.at.fence.id) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, api, "CUDA for Tegra 5.3.2",
                                       "the event was never recorded: cudaEventRecord() comes "
                                       "first"));
    }
    if (!points) {
        points = g_ptr_array_new();
        notify_context_gone_add(context_gone);
    }
    *point = g_memdup2(&p, sizeof(p));
    g_ptr_array_add(points, *point);
    return core_leave(CUDA_SUCCESS);
}

bool rt_egl_point_reached(struct rt_egl_point *p)
{
    bool reached = true;

    if (!core_enter()) {
        if (p->context && !fence_reached(p->at.fence)) {
            wait_poll(true);
            reached = !p->context || fence_reached(p->at.fence);
        }
        core_leave(CUDA_SUCCESS);
    }
    return reached;
}

CUresult rt_egl_point_join(struct rt_egl_point *p)
{
    CUresult error = core_enter();

    if (error || !p->context) {
        return error ? error : core_leave(CUDA_SUCCESS);
    }
    error = context_error(p->context);
    error = error ? error : egl_point_wait(stream_service(p->context), &p->at);
    error = error ? error : wait_fence(p->context, p->at.fence);
    if (!error) {
        egl_images_waited(&p->at);
        egl_images_give();
    }
    return core_leave(error);
}

void rt_egl_point_free(struct rt_egl_point *p)
{
    if (!core_enter()) {
        g_ptr_array_remove(points, p);
        core_leave(CUDA_SUCCESS);
    }
    egl_point_clear(&p->at);
    g_free(p);
}
