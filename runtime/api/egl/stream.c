/* SPDX-License-Identifier: MIT */
/* EGL_KHR_stream and its family: arguments and error codes; the streams are the driver core's. */
#include <stdlib.h>

#include "runtime/api/egl/vendor.h"
#include "runtime/driver/interop/egl/rt_egl.h"

static EGLint error_of(enum egl_stream_result result)
{
    switch (result) {
    case EGL_STREAM_DONE:
        return EGL_SUCCESS;
    case EGL_STREAM_BAD_ACCESS:
        return EGL_BAD_ACCESS;
    case EGL_STREAM_BAD_ATTRIBUTE:
        return EGL_BAD_ATTRIBUTE;
    case EGL_STREAM_BAD_PARAMETER:
        return EGL_BAD_PARAMETER;
    case EGL_STREAM_BAD_MATCH:
        return EGL_BAD_MATCH;
    case EGL_STREAM_BAD_ALLOC:
        return EGL_BAD_ALLOC;
    case EGL_STREAM_BAD_FRAME: /* rt_egl.h: there is no such stream */
        return EGL_BAD_STREAM_KHR;
    default:
        return EGL_BAD_STATE_KHR;
    }
}

bool vendor_answer(enum egl_stream_result result)
{
    return result == EGL_STREAM_DONE || vendor_fail(error_of(result));
}

static EGLStreamKHR stream_create(EGLDisplay display, const int64_t *attributes)
{
    enum egl_stream_result result;
    void *stream;

    if (!vendor_enter(display)) {
        return EGL_NO_STREAM_KHR;
    }
    result = rt_egl_stream_create(display, attributes, &stream);
    return vendor_answer(result) ? stream : EGL_NO_STREAM_KHR;
}

#define PAIRS_MAX 64u

static EGLStreamKHR create_stream(EGLDisplay display, const EGLint *list)
{
    int64_t wide[2 * PAIRS_MAX + 1];
    size_t n = 0;

    for (; list && list[n] != EGL_NONE && n < 2 * (size_t)PAIRS_MAX; n += 2) {
        wide[n] = list[n];
        wide[n + 1] = list[n + 1];
    }
    wide[n] = EGL_NONE;
    return stream_create(display, wide);
}

static EGLStreamKHR create_stream_attrib(EGLDisplay display, const EGLAttrib *list)
{
    _Static_assert(sizeof(EGLAttrib) == sizeof(int64_t), "passed on as it is");
    return stream_create(display, (const int64_t *)list);
}

static EGLBoolean destroy_stream(EGLDisplay display, EGLStreamKHR stream)
{
    if (!vendor_enter(display) || !vendor_answer(rt_egl_stream_destroy(display, stream))) {
        return EGL_FALSE;
    }
    vendor_texture_forget(stream);
    return EGL_TRUE;
}

static EGLBoolean stream_attrib(EGLDisplay display, EGLStreamKHR stream, EGLenum attribute,
                                EGLint value)
{
    return vendor_enter(display) &&
           vendor_answer(rt_egl_stream_attribute(display, stream, attribute, value));
}

static EGLBoolean set_stream_attrib(EGLDisplay display, EGLStreamKHR stream, EGLenum attribute,
                                    EGLAttrib value)
{
    return vendor_enter(display) &&
           vendor_answer(rt_egl_stream_attribute(display, stream, attribute, value));
}

static EGLBoolean query_stream(EGLDisplay display, EGLStreamKHR stream, EGLenum attribute,
                               EGLint *value)
{
    if (!vendor_enter(display)) {
        return EGL_FALSE;
    }
    return value ? vendor_answer(rt_egl_stream_query(display, stream, attribute, value))
                 : vendor_fail(EGL_BAD_PARAMETER);
}

static EGLBoolean query_stream_attrib(EGLDisplay display, EGLStreamKHR stream, EGLenum attribute,
                                      EGLAttrib *value)
{
    EGLint narrow;

    if (!value || !query_stream(display, stream, attribute, &narrow)) {
        return value ? EGL_FALSE : vendor_fail(EGL_BAD_PARAMETER);
    }
    *value = narrow;
    return EGL_TRUE;
}

static EGLBoolean query_stream_u64(EGLDisplay display, EGLStreamKHR stream, EGLenum attribute,
                                   EGLuint64KHR *value)
{
    uint64_t count = 0;
    EGLBoolean ok = vendor_enter(display) &&
                    vendor_answer(rt_egl_stream_query_u64(display, stream, attribute, &count));

    if (ok && value) {
        *value = count;
    }
    return ok;
}

static EGLBoolean query_stream_time(EGLDisplay display, EGLStreamKHR stream, EGLenum attribute,
                                    EGLTimeKHR *value)
{
    uint64_t time = 0;
    EGLBoolean ok = vendor_enter(display) &&
                    vendor_answer(rt_egl_stream_query_time(display, stream, attribute, &time));

    if (ok && value) {
        *value = time;
    }
    return ok;
}

static EGLBoolean reset_stream(EGLDisplay display, EGLStreamKHR stream)
{
    return vendor_enter(display) && vendor_answer(rt_egl_stream_reset(display, stream));
}

/* --- EGL_KHR_stream_cross_process_fd --- */

static EGLNativeFileDescriptorKHR get_stream_file_descriptor(EGLDisplay display,
                                                             EGLStreamKHR stream)
{
    int fd;

    if (!vendor_enter(display)) {
        return EGL_NO_FILE_DESCRIPTOR_KHR;
    }
    return vendor_answer(rt_egl_stream_fd(display, stream, &fd)) ? fd : EGL_NO_FILE_DESCRIPTOR_KHR;
}

static EGLStreamKHR create_stream_from_file_descriptor(EGLDisplay display,
                                                       EGLNativeFileDescriptorKHR fd)
{
    void *stream;

    if (!vendor_enter(display)) {
        return EGL_NO_STREAM_KHR;
    }
    return vendor_answer(rt_egl_stream_from_fd(display, fd, &stream)) ? stream : EGL_NO_STREAM_KHR;
}

const struct vendor_function vendor_stream_functions[] = {
    VENDOR_FUNCTION("eglCreateStreamKHR", create_stream),
    VENDOR_FUNCTION("eglCreateStreamAttribKHR", create_stream_attrib),
    VENDOR_FUNCTION("eglDestroyStreamKHR", destroy_stream),
    VENDOR_FUNCTION("eglStreamAttribKHR", stream_attrib),
    VENDOR_FUNCTION("eglSetStreamAttribKHR", set_stream_attrib),
    VENDOR_FUNCTION("eglQueryStreamKHR", query_stream),
    VENDOR_FUNCTION("eglQueryStreamAttribKHR", query_stream_attrib),
    VENDOR_FUNCTION("eglQueryStreamu64KHR", query_stream_u64),
    VENDOR_FUNCTION("eglQueryStreamTimeKHR", query_stream_time),
    VENDOR_FUNCTION("eglResetStreamNV", reset_stream),
    VENDOR_FUNCTION("eglGetStreamFileDescriptorKHR", get_stream_file_descriptor),
    VENDOR_FUNCTION("eglCreateStreamFromFileDescriptorKHR", create_stream_from_file_descriptor),
    { 0 },
};
