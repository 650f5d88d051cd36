/* SPDX-License-Identifier: MIT */
/* The second EGL device of a board with two GPUs: the discrete one, "a CUDA co-processor" without
 * OpenGL and display (DriveWorks SDK reference, Choosing the GPU for Execution). Its display has
 * EGLStreams and no configuration, context or surface. eglQueryDevicesEXT lists it behind the
 * integrated one (DRIVE 5.0 Linux SDK Development Guide, Tegra to dGPU Communication). */
#include <stdint.h>

#include "runtime/api/egl/vendor.h"
#include "runtime/driver/device/rt_device.h"

static char second_device, second_display; /* their addresses are the handles */
static bool second_initialized;

bool vendor_second_device(const void *device)
{
    return device == &second_device;
}

bool vendor_second_is(EGLDisplay display)
{
    return display == (EGLDisplay)&second_display;
}

bool vendor_second_up(void)
{
    return __atomic_load_n(&second_initialized, __ATOMIC_ACQUIRE);
}

static EGLBoolean query_devices(EGLint max, EGLDeviceEXT *devices, EGLint *count)
{
    EGLint mesa = 0;

    if (!VENDOR_MESA(eglQueryDevicesEXT)(max, devices, count ? count : &mesa) || rt_gpus() < 2 ||
        !count) {
        return vendor_passed(count != NULL);
    }
    if (!devices) {
        ++*count;
    } else if (*count < max) {
        devices[(*count)++] = (EGLDeviceEXT)&second_device;
    }
    return EGL_TRUE;
}

EGLBoolean vendor_second_attrib(EGLint attribute, EGLAttrib *value)
{
    int ordinal = rt_gpu_ordinal(true);

    vendor_glvnd->threadInit();
    if (attribute != EGL_CUDA_DEVICE_NV || ordinal < 0) {
        return vendor_fail(EGL_BAD_ATTRIBUTE);
    }
    *value = ordinal;
    return EGL_TRUE;
}

EGLDisplay vendor_second_display(EGLenum platform, const void *native)
{
    return platform == EGL_PLATFORM_DEVICE_EXT && native == &second_device
               ? (EGLDisplay)&second_display
               : EGL_NO_DISPLAY;
}

EGLBoolean vendor_second_terminate(void)
{
    vendor_glvnd->threadInit();
    vendor_glvnd->setEGLError(EGL_SUCCESS);
    __atomic_store_n(&second_initialized, false, __ATOMIC_RELEASE);
    return EGL_TRUE;
}

static EGLBoolean second_initialize(EGLDisplay display, EGLint *major, EGLint *minor)
{
    if (!vendor_second_is(display)) {
        return vendor_passed(VENDOR_MESA(eglInitialize)(display, major, minor));
    }
    vendor_glvnd->threadInit();
    vendor_glvnd->setEGLError(EGL_SUCCESS);
    __atomic_store_n(&second_initialized, true, __ATOMIC_RELEASE);
    if (major) {
        *major = 1;
    }
    if (minor) {
        *minor = 5;
    }
    return EGL_TRUE;
}

/* There are none, which is no error (EGL 1.5, 3.4.1). */
EGLBoolean vendor_second_configs(EGLDisplay display, EGLint *count)
{
    if (!vendor_enter(display)) {
        return EGL_FALSE;
    }
    if (!count) {
        return vendor_fail(EGL_BAD_PARAMETER);
    }
    *count = 0;
    return EGL_TRUE;
}

static EGLBoolean get_configs(EGLDisplay display, EGLConfig *configs, EGLint max, EGLint *count)
{
    return vendor_second_is(display)
               ? vendor_second_configs(display, count)
               : vendor_passed(VENDOR_MESA(eglGetConfigs)(display, configs, max, count));
}

static EGLBoolean query_display_attrib(EGLDisplay display, EGLint attribute, EGLAttrib *value)
{
    if (!vendor_second_is(display)) {
        return vendor_passed(VENDOR_MESA(eglQueryDisplayAttribEXT)(display, attribute, value));
    }
    if (!vendor_enter(display)) {
        return EGL_FALSE;
    }
    if (attribute != EGL_DEVICE_EXT || !value) {
        return vendor_fail(value ? EGL_BAD_ATTRIBUTE : EGL_BAD_PARAMETER);
    }
    *value = (EGLAttrib)(uintptr_t)&second_device;
    return EGL_TRUE;
}

const struct vendor_function vendor_second_functions[] = {
    VENDOR_FUNCTION("eglQueryDevicesEXT", query_devices),
    VENDOR_FUNCTION("eglInitialize", second_initialize),
    VENDOR_FUNCTION("eglGetConfigs", get_configs),
    VENDOR_FUNCTION("eglQueryDisplayAttribEXT", query_display_attrib),
    { 0 },
};
