/* SPDX-License-Identifier: MIT */
/* EGL_NV_stream_sync: a reusable sync object that is signalled whenever a new frame is there for
 * the consumer. eglSignalSyncKHR() resets it: nothing else does. */
#include "runtime/driver/interop/egl/egl_internal.h"
#include "runtime/driver/stream/stream.h"

enum egl_stream_result rt_egl_stream_sync_create(const void *display, void *stream,
                                                 struct rt_egl_stream_sync **sync)
{
    enum egl_stream_result result = EGL_STREAM_BAD_FRAME;
    struct egl_object *o;

    egl_lock();
    o = egl_object_find(display, stream);
    if (o && o->share && !o->consumer &&
        !o->gl_consumer) { /* EGL_KHR_stream_cross_process_fd, interactions */
        result = EGL_STREAM_BAD_ACCESS;
    } else if (o) {
        egl_state_take(o);
        result = egl_stream_sync(&o->s);
        egl_state_give(o);
    }
    if (!result) {
        *sync = o->sync = g_new0(struct rt_egl_stream_sync, 1);
        o->sync->object = o;
        egl_object_hold(o);
    }
    egl_unlock();
    return result;
}

void rt_egl_stream_sync_set(struct rt_egl_stream_sync *sync, bool signaled)
{
    egl_lock();
    sync->signaled = signaled;
    if (signaled) {
        wait_acted();
    }
    egl_unlock();
}

static bool look_signaled(void *opaque)
{
    const struct rt_egl_stream_sync *sync = opaque;

    egl_state_look(sync->object);
    return sync->signaled;
}

bool rt_egl_stream_sync_wait(struct rt_egl_stream_sync *sync, uint32_t limit_us)
{
    bool signaled;

    egl_lock();
    signaled = (sync->object->share ? wait_elsewhere : wait_others)(
        look_signaled, sync, "a new frame in an EGLStream", limit_us);
    egl_unlock();
    return signaled;
}

/* A stream that lost its sync may get another. */
void rt_egl_stream_sync_free(struct rt_egl_stream_sync *sync)
{
    egl_lock();
    sync->object->sync = NULL;
    egl_state_take(sync->object);
    sync->object->s.has_sync = false;
    egl_state_give(sync->object);
    egl_object_release(sync->object);
    egl_unlock();
    g_free(sync);
}
