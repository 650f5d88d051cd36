/* SPDX-License-Identifier: MIT */
/* EGL_KHR_stream_producer_eglsurface: a surface whose eglSwapBuffers() puts its pixels into a
 * stream. Behind it is a pbuffer of Mesa's, and a configuration that has pbuffers has these. */
#include <GLES3/gl32.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/api/egl/vendor.h"
#include "runtime/driver/interop/egl/rt_egl.h"
#include "runtime/driver/interop/egl/rt_egl_gl.h"

struct surface {
    struct surface *next;
    EGLDisplay display;
    EGLSurface surface;
    struct rt_egl_gl_end *end;
    EGLint width, height;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct surface *surfaces;

static struct surface *surface_find(EGLDisplay display, EGLSurface handle)
{
    struct surface *s;

    pthread_mutex_lock(&lock);
    for (s = surfaces; s && (s->display != display || s->surface != handle); s = s->next) {
    }
    pthread_mutex_unlock(&lock);
    return s;
}

/* @handle: EGL_NO_SURFACE: all of @display. */
static void surface_forget(EGLDisplay display, EGLSurface handle)
{
    struct surface *gone = NULL;

    pthread_mutex_lock(&lock);
    for (struct surface **at = &surfaces; *at;) {
        struct surface *s = *at;

        if (s->display == display && (handle == EGL_NO_SURFACE || s->surface == handle)) {
            *at = s->next;
            s->next = gone;
            gone = s;
        } else {
            at = &s->next;
        }
    }
    pthread_mutex_unlock(&lock);
    while (gone) {
        struct surface *next = gone->next;

        rt_egl_gl_leave(gone->end);
        free(gone);
        gone = next;
    }
}

void vendor_surfaces_forget(EGLDisplay display)
{
    surface_forget(display, EGL_NO_SURFACE);
}

/* --- configurations --- */

#define PAIRS_MAX 64u

static EGLBoolean choose_config(EGLDisplay display, const EGLint *list, EGLConfig *configs,
                                EGLint size, EGLint *n)
{
    EGLint changed[2 * PAIRS_MAX + 1];
    size_t i = 0;

    if (vendor_second_is(display)) {
        return vendor_second_configs(display, n);
    }
    for (; list && list[i] != EGL_NONE && i < 2 * (size_t)PAIRS_MAX; i += 2) {
        changed[i] = list[i];
        changed[i + 1] = list[i + 1];
        if (list[i] == EGL_SURFACE_TYPE && list[i + 1] != EGL_DONT_CARE &&
            (list[i + 1] & EGL_STREAM_BIT_KHR)) {
            changed[i + 1] = (list[i + 1] & ~EGL_STREAM_BIT_KHR) | EGL_PBUFFER_BIT;
        }
    }
    changed[i] = EGL_NONE;
    return vendor_passed(
        VENDOR_MESA(eglChooseConfig)(display, list ? changed : NULL, configs, size, n));
}

static EGLBoolean get_config_attrib(EGLDisplay display, EGLConfig config, EGLint attribute,
                                    EGLint *value)
{
    bool ok = vendor_passed(VENDOR_MESA(eglGetConfigAttrib)(display, config, attribute, value));

    if (ok && attribute == EGL_SURFACE_TYPE && (*value & EGL_PBUFFER_BIT)) {
        *value |= EGL_STREAM_BIT_KHR;
    }
    return ok;
}

/* --- the surface --- */

/* Width and height are needed, and are 1 at least; others are no attributes of such a surface. */
static EGLint attributes_read(const EGLint *list, EGLint *width, EGLint *height)
{
    *width = *height = 0;
    for (; list && list[0] != EGL_NONE; list += 2) {
        if (list[0] != EGL_WIDTH && list[0] != EGL_HEIGHT) {
            return EGL_BAD_ATTRIBUTE;
        }
        *(list[0] == EGL_WIDTH ? width : height) = list[1];
    }
    return *width < 1 || *height < 1 ? EGL_BAD_PARAMETER : EGL_SUCCESS;
}

static EGLSurface pbuffer_new(EGLDisplay display, EGLConfig config, EGLint width, EGLint height)
{
    const EGLint attributes[] = { EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE };
    EGLSurface surface = VENDOR_MESA(eglCreatePbufferSurface)(display, config, attributes);

    vendor_passed(surface != EGL_NO_SURFACE);
    return surface;
}

static EGLSurface surface_create(EGLDisplay display, EGLConfig config, EGLStreamKHR stream,
                                 const EGLint *list)
{
    struct surface s = { .display = display }, *made;
    EGLint type = 0, error;

    if (!vendor_enter(display)) {
        return EGL_NO_SURFACE;
    }
    error = attributes_read(list, &s.width, &s.height);
    if (!rt_egl_stream_exists(display, stream)) {
        error = EGL_BAD_STREAM_KHR;
    } else if (!VENDOR_MESA(eglGetConfigAttrib)(display, config, EGL_SURFACE_TYPE, &type)) {
        VENDOR_MESA(eglGetError)();
        error = EGL_BAD_CONFIG;
    } else if (error == EGL_SUCCESS) {
        error = type & EGL_PBUFFER_BIT ? EGL_SUCCESS : EGL_BAD_MATCH;
    }
    if (error != EGL_SUCCESS) {
        vendor_fail(error);
        return EGL_NO_SURFACE;
    }
    s.surface = pbuffer_new(display, config, s.width, s.height);
    if (s.surface == EGL_NO_SURFACE) {
        return EGL_NO_SURFACE;
    }
    if (!vendor_answer(rt_egl_gl_producer_connect(display, stream, (unsigned)s.width,
                                                  (unsigned)s.height, &s.end))) {
        VENDOR_MESA(eglDestroySurface)(display, s.surface);
        return EGL_NO_SURFACE;
    }
    made = malloc(sizeof(*made));
    *made = s;
    pthread_mutex_lock(&lock);
    made->next = surfaces;
    surfaces = made;
    pthread_mutex_unlock(&lock);
    return s.surface;
}

/* In the helper's context: the program's framebuffers and pixel store modes do not matter. */
static uint8_t *pixels_read(const struct surface *s)
{
    uint8_t *pixels = malloc((size_t)s->width * (size_t)s->height * 4);
    struct vendor_before before;

    VENDOR_MESA(glFinish)();
    if (vendor_helper_begin(s->display, s->surface, &before)) {
        VENDOR_MESA(glReadPixels)(0, 0, s->width, s->height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        VENDOR_MESA(glFinish)();
    } else {
        free(pixels);
        pixels = NULL;
    }
    vendor_helper_end(&before);
    return pixels;
}

/* EGL_KHR_stream_producer_eglsurface, 3.10.3.1: a stream without two ends is
 * EGL_BAD_CURRENT_SURFACE; 3.9.4: one that was destroyed EGL_BAD_STREAM_KHR. */
static EGLBoolean swap_buffers(EGLDisplay display, EGLSurface handle)
{
    const struct surface *s = surface_find(display, handle);
    enum egl_stream_result result;
    uint8_t *pixels;

    if (!s) {
        return vendor_passed(VENDOR_MESA(eglSwapBuffers)(display, handle));
    }
    if (!vendor_enter(display)) {
        return EGL_FALSE;
    }
    if (!vendor_glvnd->getCurrentContext() || vendor_glvnd->getCurrentSurface(EGL_DRAW) != handle) {
        return vendor_fail(EGL_BAD_SURFACE);
    }
    pixels = pixels_read(s);
    if (!pixels) {
        return vendor_fail(EGL_BAD_ALLOC);
    }
    result = rt_egl_gl_present(s->end, pixels);
    free(pixels);
    return result == EGL_STREAM_BAD_STATE ? vendor_fail(EGL_BAD_CURRENT_SURFACE)
                                          : vendor_answer(result);
}

static EGLBoolean destroy_surface(EGLDisplay display, EGLSurface handle)
{
    if (surface_find(display, handle)) {
        surface_forget(display, handle);
    }
    return vendor_passed(VENDOR_MESA(eglDestroySurface)(display, handle));
}

const struct vendor_function vendor_surface_functions[] = {
    VENDOR_FUNCTION("eglChooseConfig", choose_config),
    VENDOR_FUNCTION("eglGetConfigAttrib", get_config_attrib),
    VENDOR_FUNCTION("eglCreateStreamProducerSurfaceKHR", surface_create),
    VENDOR_FUNCTION("eglSwapBuffers", swap_buffers),
    VENDOR_FUNCTION("eglDestroySurface", destroy_surface),
    { 0 },
};
