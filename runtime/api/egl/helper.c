/* SPDX-License-Identifier: MIT */
/* A GLES context of our own, which reads and writes pixels without touching the program's state. */
#include <pthread.h>

#include "runtime/api/egl/vendor.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool vendor_helper_begin(EGLDisplay display, EGLSurface surface, struct vendor_before *b)
{
    static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    static EGLContext helper;
    static EGLDisplay helper_display;

    pthread_mutex_lock(&lock);
    *b = (struct vendor_before){ vendor_glvnd->getCurrentDisplay(),
                                 vendor_glvnd->getCurrentContext(),
                                 vendor_glvnd->getCurrentSurface(EGL_DRAW),
                                 vendor_glvnd->getCurrentSurface(EGL_READ),
                                 VENDOR_MESA(eglQueryAPI)() };
    if (!b->context) {
        b->display = display;
    }
    VENDOR_MESA(eglBindAPI)(EGL_OPENGL_ES_API);
    if (!helper || helper_display != display) {
        helper =
            VENDOR_MESA(eglCreateContext)(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
        helper_display = display;
    }
    return VENDOR_MESA(eglMakeCurrent)(display, surface, surface, helper);
}

void vendor_helper_end(const struct vendor_before *b)
{
    VENDOR_MESA(eglBindAPI)(b->api);
    VENDOR_MESA(eglMakeCurrent)(b->display, b->draw, b->read, b->context);
    pthread_mutex_unlock(&lock);
}
