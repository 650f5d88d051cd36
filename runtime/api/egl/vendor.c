/* SPDX-License-Identifier: MIT */
/* What the library's functions begin and end with: Mesa's functions, and errors. */
#include "runtime/api/egl/vendor.h"

const __EGLapiExports *vendor_glvnd;
__EGLapiImports vendor_mesa_imports;

void *vendor_mesa(const char *name)
{
    return vendor_mesa_imports.getProcAddress(name);
}

bool vendor_fail(EGLint error)
{
    vendor_glvnd->setEGLError(error);
    return false;
}

/* Mesa's eglGetProcAddress() is a call of its own, whose success is the thread's last error. */
static __typeof__(&eglGetError) mesa_error;

void vendor_begin(void)
{
    mesa_error = VENDOR_MESA(eglGetError);
}

bool vendor_passed(bool ok)
{
    vendor_glvnd->threadInit();
    vendor_glvnd->setEGLError(ok ? EGL_SUCCESS : mesa_error());
    return ok;
}

bool vendor_enter(EGLDisplay display)
{
    vendor_glvnd->threadInit();
    if (display == EGL_NO_DISPLAY || !vendor_glvnd->getVendorFromDisplay(display)) {
        return vendor_fail(EGL_BAD_DISPLAY);
    }
    if (vendor_second_is(display)) {
        vendor_glvnd->setEGLError(vendor_second_up() ? EGL_SUCCESS : EGL_NOT_INITIALIZED);
        return vendor_second_up();
    }
    if (!VENDOR_MESA(eglQueryString)(display, EGL_VERSION)) {
        VENDOR_MESA(eglGetError)();
        return vendor_fail(EGL_NOT_INITIALIZED);
    }
    vendor_glvnd->setEGLError(EGL_SUCCESS);
    return true;
}
