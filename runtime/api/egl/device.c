/* SPDX-License-Identifier: MIT */
/* EGL devices and displays: extensions by name, and EGL_NV_device_cuda. Mesa's one device, the
 * software one, stands for the GPU with OpenGL; a discrete GPU beside it: second.c. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/api/egl/vendor.h"
#include "runtime/driver/device/rt_device.h"

static const char display_extensions[] =
    "EGL_KHR_stream EGL_KHR_stream_attrib EGL_KHR_stream_fifo EGL_KHR_stream_cross_process_fd "
    "EGL_NV_stream_reset EGL_NV_stream_sync";
/* NVIDIA's driver 580.159.04 has it on Tegra alone. */
static const char tegra_extensions[] = "EGL_NV_cuda_event";
static const char device_extensions[] = "EGL_NV_device_cuda";

/* Kept for ever: one for each of Mesa's texts, which are few. */
const char *vendor_joined(const char *text, const char *more)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        const char *text;
        char *joined;
    } known[16];
    const char *found = text;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!known[i].text && asprintf(&known[i].joined, "%s %s", text, more) > 0) {
            known[i].text = text;
        }
        if (known[i].text == text) {
            found = known[i].joined;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static const char *second_string(EGLDisplay display, EGLint name)
{
    if (!vendor_enter(display)) {
        return NULL;
    }
    switch (name) {
    case EGL_VENDOR:
        return "vtegra";
    case EGL_VERSION:
        return "1.5";
    case EGL_CLIENT_APIS:
        return "";
    case EGL_EXTENSIONS:
        return display_extensions;
    default:
        vendor_fail(EGL_BAD_PARAMETER);
        return NULL;
    }
}

static const char *query_string(EGLDisplay display, EGLint name)
{
    const char *text;

    if (vendor_second_is(display)) {
        return second_string(display, name);
    }
    text = VENDOR_MESA(eglQueryString)(display, name);
    if (!text || name != EGL_EXTENSIONS || display == EGL_NO_DISPLAY) {
        return text;
    }
    text = vendor_joined(text, display_extensions);
    if (*vendor_gl_extensions) {
        text = vendor_joined(text, vendor_gl_extensions);
    }
    return rt_gpu_integrated() ? vendor_joined(text, tegra_extensions) : text;
}

static const char *query_device_string(EGLDeviceEXT device, EGLint name)
{
    const char *text;

    if (vendor_second_device(device)) {
        if (name != EGL_EXTENSIONS) {
            vendor_fail(EGL_BAD_PARAMETER);
        }
        return name == EGL_EXTENSIONS ? device_extensions : NULL;
    }
    text = VENDOR_MESA(eglQueryDeviceStringEXT)(device, name);
    return text && name == EGL_EXTENSIONS ? vendor_joined(text, device_extensions) : text;
}

static EGLBoolean query_device_attrib(EGLDeviceEXT device, EGLint attribute, EGLAttrib *value)
{
    int ordinal;

    if (vendor_second_device(device)) {
        return vendor_second_attrib(attribute, value);
    }
    if (attribute == EGL_CUDA_DEVICE_NV) {
        if (!VENDOR_MESA(eglQueryDeviceStringEXT)(device, EGL_EXTENSIONS)) {
            return EGL_FALSE; /* Mesa has set EGL_BAD_DEVICE_EXT */
        }
        ordinal = rt_gpu_ordinal(false);
        if (ordinal < 0) { /* CUDA_VISIBLE_DEVICES hides it */
            return vendor_fail(EGL_BAD_ATTRIBUTE);
        }
        *value = ordinal;
        return EGL_TRUE;
    }
    return VENDOR_MESA(eglQueryDeviceAttribEXT)(device, attribute, value);
}

const struct vendor_function vendor_device_functions[] = {
    VENDOR_FUNCTION("eglQueryString", query_string),
    VENDOR_FUNCTION("eglQueryDeviceStringEXT", query_device_string),
    VENDOR_FUNCTION("eglQueryDeviceAttribEXT", query_device_attrib),
    { 0 },
};
