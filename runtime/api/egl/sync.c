/* SPDX-License-Identifier: MIT */
/* EGLSyncs. Fences of GL are Mesa's: what images held when one was made is kept for CUDA. Syncs of
 * the types EGL_SYNC_CUDA_EVENT_NV (EGL_NV_cuda_event) and EGL_SYNC_NEW_FRAME_NV
 * (EGL_NV_stream_sync) are ours. */
#include <pthread.h>
#include <stdlib.h>

#include "runtime/api/egl/vendor.h"
#include "runtime/driver/interop/egl/rt_egl.h"
#include "runtime/driver/interop/egl/rt_egl_gl.h"

/**
 * struct sync - as long as the program or an event holds it
 * @handle: as the program has it; NULL after eglDestroySync()
 * @shot: of each image at its creation; @point: CUDA's; @frames: a stream's; both NULL: a fence
 */
struct sync {
    struct sync *next;
    EGLSync handle;
    EGLDisplay display;
    struct vendor_shot *shot;
    struct rt_egl_point *point;
    struct rt_egl_stream_sync *frames;
    unsigned holders;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sync *syncs;

static struct sync *find(const void *handle)
{
    struct sync *s = syncs;

    while (s && (!handle || s->handle != handle)) {
        s = s->next;
    }
    return s;
}

/* One holder less, with the lock; the last one's is freed after it. */
static struct sync *sync_release(struct sync *s)
{
    struct sync **at = &syncs;

    if (--s->holders > 0) {
        return NULL;
    }
    while (*at != s) {
        at = &(*at)->next;
    }
    *at = s->next;
    return s;
}

static void sync_free(struct sync *s)
{
    if (s) {
        vendor_shot_free(s->shot);
        if (s->point) {
            rt_egl_point_free(s->point);
        }
        if (s->frames) {
            rt_egl_stream_sync_free(s->frames);
        }
        free(s);
    }
}

static bool is_fence(const struct sync *s)
{
    return !s->point && !s->frames;
}

static EGLSync sync_keep(const struct sync *as)
{
    struct sync *s = malloc(sizeof(*s));

    *s = *as;
    s->handle = as->handle ? as->handle : s;
    s->shot = is_fence(s) ? vendor_shot_take() : NULL;
    s->holders = 1;
    pthread_mutex_lock(&lock);
    s->next = syncs;
    syncs = s;
    pthread_mutex_unlock(&lock);
    return s->handle;
}

/* --- for the driver core --- */

static void *sync_hold(void *handle)
{
    struct sync *s;

    pthread_mutex_lock(&lock);
    s = find(handle);
    if (s && !is_fence(s)) {
        s = NULL;
    }
    if (s) {
        s->holders++;
    }
    pthread_mutex_unlock(&lock);
    if (s) { /* an image that is registered later begins with these pixels */
        vendor_shot_seen(s->shot, false);
    }
    return s;
}

static bool sync_shot(void *held, void *image, void *pixels, size_t bytes)
{
    return vendor_shot_copy(((const struct sync *)held)->shot, image, pixels, bytes);
}

static bool sync_destroyed(void *held)
{
    bool destroyed;

    pthread_mutex_lock(&lock);
    destroyed = !((const struct sync *)held)->handle;
    pthread_mutex_unlock(&lock);
    return destroyed;
}

static void sync_drop(void *held)
{
    pthread_mutex_lock(&lock);
    held = sync_release(held);
    pthread_mutex_unlock(&lock);
    sync_free(held);
}

static const struct rt_egl_syncs calls = { sync_hold, sync_shot, sync_destroyed, sync_drop };

/* --- for programs --- */

static EGLSync fence_keep(EGLDisplay display, EGLenum type, EGLSync handle)
{
    if (vendor_passed(handle) && type == EGL_SYNC_FENCE) {
        rt_egl_syncs_set(&calls);
        sync_keep(&(struct sync){ .display = display, .handle = handle });
    }
    return handle;
}

static EGLSync create_sync(EGLDisplay display, EGLenum type, const EGLAttrib *list)
{
    struct rt_egl_point *point = NULL;
    void *event = NULL;

    if (type != EGL_SYNC_CUDA_EVENT_NV) {
        return fence_keep(display, type, VENDOR_MESA(eglCreateSync)(display, type, list));
    }
    if (!vendor_enter(display)) {
        return EGL_NO_SYNC;
    }
    for (; list && list[0] != EGL_NONE; list += 2) {
        if (list[0] != EGL_CUDA_EVENT_HANDLE_NV) {
            vendor_fail(EGL_BAD_ATTRIBUTE);
            return EGL_NO_SYNC;
        }
        event = (void *)list[1];
    }
    if (rt_egl_point_capture(event, &point)) {
        vendor_fail(EGL_BAD_ATTRIBUTE);
        return EGL_NO_SYNC;
    }
    return sync_keep(&(struct sync){ .display = display, .point = point });
}

/* A handle does not fit into this one's attributes: EGL_NV_cuda_event has the other two. */
static EGLSyncKHR create_sync_khr(EGLDisplay display, EGLenum type, const EGLint *list)
{
    if (type == EGL_SYNC_CUDA_EVENT_NV) {
        if (vendor_enter(display)) {
            vendor_fail(EGL_BAD_ATTRIBUTE);
        }
        return EGL_NO_SYNC;
    }
    return fence_keep(display, type, VENDOR_MESA(eglCreateSyncKHR)(display, type, list));
}

/* EGL_NV_stream_sync. */
static EGLSyncKHR create_stream_sync(EGLDisplay display, EGLStreamKHR stream, EGLenum type,
                                     const EGLint *list)
{
    struct sync s = { .display = display };

    if (!vendor_enter(display)) {
        return EGL_NO_SYNC_KHR;
    }
    if (type != EGL_SYNC_NEW_FRAME_NV || (list && list[0] != EGL_NONE)) {
        vendor_fail(EGL_BAD_ATTRIBUTE);
        return EGL_NO_SYNC_KHR;
    }
    return vendor_answer(rt_egl_stream_sync_create(display, stream, &s.frames)) ? sync_keep(&s)
                                                                                : EGL_NO_SYNC_KHR;
}

/* The program's own sync that is not Mesa's: held until point_leave(). NULL: Mesa answers. */
static struct sync *point_enter(EGLDisplay display, EGLSync handle)
{
    struct sync *s;

    pthread_mutex_lock(&lock);
    s = find(handle);
    if (s && (is_fence(s) || s->display != display)) {
        s = NULL;
    }
    if (s) {
        s->holders++;
    }
    pthread_mutex_unlock(&lock);
    if (s) {
        vendor_glvnd->threadInit();
        vendor_glvnd->setEGLError(EGL_SUCCESS);
    }
    return s;
}

static EGLBoolean destroy_sync(EGLDisplay display, EGLSync handle)
{
    struct sync *s;
    bool ours = false;

    pthread_mutex_lock(&lock);
    s = find(handle);
    if (s && s->display == display) {
        ours = !is_fence(s);
        s->handle = NULL;
        s = sync_release(s);
    } else {
        s = NULL;
    }
    pthread_mutex_unlock(&lock);
    sync_free(s);
    if (ours) {
        vendor_glvnd->threadInit();
        vendor_glvnd->setEGLError(EGL_SUCCESS);
        return EGL_TRUE;
    }
    return vendor_passed(VENDOR_MESA(eglDestroySync)(display, handle));
}

/* The CPU has waited for GL's fence: what images held then is what CUDA may see. */
static void fence_seen(EGLDisplay display, EGLSync handle)
{
    const struct sync *s;
    bool any = false;

    pthread_mutex_lock(&lock);
    s = find(handle);
    if (s && is_fence(s) && s->display == display) {
        any = vendor_shot_seen(s->shot, true);
    }
    pthread_mutex_unlock(&lock);
    if (any) {
        rt_egl_images_finished();
    }
}

/* @timeout: in ns */
static uint32_t limit_of(EGLTime timeout)
{
    return timeout / 1000 < UINT32_MAX ? (uint32_t)((timeout + 999) / 1000) : UINT32_MAX;
}

static EGLint client_wait_sync(EGLDisplay display, EGLSync handle, EGLint flags, EGLTime timeout)
{
    struct sync *s = point_enter(display, handle);
    EGLint result = EGL_CONDITION_SATISFIED;

    if (!s) {
        result = VENDOR_MESA(eglClientWaitSync)(display, handle, flags, timeout);
        vendor_passed(result != EGL_FALSE);
        if (result == EGL_CONDITION_SATISFIED) {
            fence_seen(display, handle);
        }
        return result;
    }
    if (s->frames) {
        if (!rt_egl_stream_sync_wait(s->frames, limit_of(timeout))) {
            result = EGL_TIMEOUT_EXPIRED;
        }
    } else if (timeout == 0 && !rt_egl_point_reached(s->point)) {
        result = EGL_TIMEOUT_EXPIRED;
    } else if (rt_egl_point_join(s->point)) {
        vendor_fail(EGL_BAD_PARAMETER); /* the context has failed: nothing signals any more */
        result = EGL_FALSE;
    }
    sync_drop(s);
    return result;
}

/* GL's commands run on this CPU, so what is waited for is done here. */
static bool point_wait(struct sync *s, EGLint flags)
{
    bool ok = true;

    if (flags) {
        ok = vendor_fail(EGL_BAD_PARAMETER);
    } else if (!vendor_glvnd->getCurrentContext()) {
        ok = vendor_fail(EGL_BAD_MATCH);
    } else if (s->frames) {
        ok = rt_egl_stream_sync_wait(s->frames, UINT32_MAX) || vendor_fail(EGL_BAD_ALLOC);
    } else if (rt_egl_point_join(s->point)) {
        ok = vendor_fail(EGL_BAD_PARAMETER);
    }
    sync_drop(s);
    return ok;
}

/* EGL_KHR_reusable_sync; EGL_BAD_MATCH: the type is no reusable one. */
static EGLBoolean signal_sync(EGLDisplay display, EGLSyncKHR handle, EGLenum mode)
{
    struct sync *s = point_enter(display, handle);
    bool ok = true;

    if (!s) {
        return vendor_passed(VENDOR_MESA(eglSignalSyncKHR)(display, handle, mode));
    }
    if (mode != EGL_SIGNALED && mode != EGL_UNSIGNALED) {
        ok = vendor_fail(EGL_BAD_PARAMETER);
    } else if (!s->frames) {
        ok = vendor_fail(EGL_BAD_MATCH);
    } else {
        rt_egl_stream_sync_set(s->frames, mode == EGL_SIGNALED);
    }
    sync_drop(s);
    return ok;
}

static EGLBoolean wait_sync(EGLDisplay display, EGLSync handle, EGLint flags)
{
    struct sync *s = point_enter(display, handle);

    return s ? point_wait(s, flags)
             : vendor_passed(VENDOR_MESA(eglWaitSync)(display, handle, flags));
}

static EGLint wait_sync_khr(EGLDisplay display, EGLSyncKHR handle, EGLint flags)
{
    struct sync *s = point_enter(display, handle);

    return s ? point_wait(s, flags)
             : vendor_passed(VENDOR_MESA(eglWaitSyncKHR)(display, handle, flags));
}

/* false: there is no such attribute */
static bool point_attribute(struct sync *s, EGLint attribute, EGLAttrib *value)
{
    bool known = true;

    switch (attribute) {
    case EGL_SYNC_TYPE:
        *value = s->frames ? EGL_SYNC_NEW_FRAME_NV : EGL_SYNC_CUDA_EVENT_NV;
        break;
    case EGL_SYNC_STATUS:
        *value =
            (s->frames ? rt_egl_stream_sync_wait(s->frames, 0) : rt_egl_point_reached(s->point))
                ? EGL_SIGNALED
                : EGL_UNSIGNALED;
        break;
    case EGL_SYNC_CONDITION:
        *value = EGL_SYNC_CUDA_EVENT_COMPLETE_NV;
        if (s->frames) { /* a reusable sync has no condition */
            known = vendor_fail(EGL_BAD_ATTRIBUTE);
        }
        break;
    default:
        known = vendor_fail(EGL_BAD_ATTRIBUTE);
    }
    sync_drop(s);
    return known;
}

static EGLBoolean get_sync_attrib(EGLDisplay display, EGLSync handle, EGLint attribute,
                                  EGLAttrib *value)
{
    struct sync *s = value ? point_enter(display, handle) : NULL;

    return s ? point_attribute(s, attribute, value)
             : vendor_passed(VENDOR_MESA(eglGetSyncAttrib)(display, handle, attribute, value));
}

static EGLBoolean get_sync_attrib_khr(EGLDisplay display, EGLSyncKHR handle, EGLint attribute,
                                      EGLint *value)
{
    struct sync *s = value ? point_enter(display, handle) : NULL;
    EGLAttrib wide = 0;

    if (!s) {
        return vendor_passed(VENDOR_MESA(eglGetSyncAttribKHR)(display, handle, attribute, value));
    }
    if (!point_attribute(s, attribute, &wide)) {
        return EGL_FALSE;
    }
    *value = (EGLint)wide;
    return EGL_TRUE;
}

const struct vendor_function vendor_sync_functions[] = {
    VENDOR_FUNCTION("eglCreateSync", create_sync),
    VENDOR_FUNCTION("eglCreateSyncKHR", create_sync_khr),
    VENDOR_FUNCTION("eglCreateSync64KHR", create_sync),
    VENDOR_FUNCTION("eglCreateStreamSyncNV", create_stream_sync),
    VENDOR_FUNCTION("eglSignalSyncKHR", signal_sync),
    VENDOR_FUNCTION("eglDestroySync", destroy_sync),
    VENDOR_FUNCTION("eglDestroySyncKHR", destroy_sync),
    VENDOR_FUNCTION("eglClientWaitSync", client_wait_sync),
    VENDOR_FUNCTION("eglClientWaitSyncKHR", client_wait_sync),
    VENDOR_FUNCTION("eglWaitSync", wait_sync),
    VENDOR_FUNCTION("eglWaitSyncKHR", wait_sync_khr),
    VENDOR_FUNCTION("eglGetSyncAttrib", get_sync_attrib),
    VENDOR_FUNCTION("eglGetSyncAttribKHR", get_sync_attrib_khr),
    { 0 },
};
