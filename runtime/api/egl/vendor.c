/* SPDX-License-Identifier: MIT */
/* The entry of the library: what libglvnd asks, ours first, then Mesa's. */
#include "runtime/api/egl/vendor.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define MESA "libEGL_mesa.so.0"

const __EGLapiExports *vendor_glvnd;
static __EGLapiImports mesa;

static const struct vendor_function *const lists[] = {
    vendor_stream_functions, vendor_device_functions,  vendor_image_functions,
    vendor_sync_functions,   vendor_texture_functions, vendor_surface_functions,
};
#define LISTS (sizeof(lists) / sizeof(lists[0]))

static void *ours(const char *name)
{
    for (size_t i = 0; i < LISTS; i++) {
        for (const struct vendor_function *f = lists[i]; f->name; f++) {
            if (strcmp(f->name, name) == 0) {
                return f->address;
            }
        }
    }
    return NULL;
}

void *vendor_mesa(const char *name)
{
    return mesa.getProcAddress(name);
}

bool vendor_fail(EGLint error)
{
    vendor_glvnd->setEGLError(error);
    return false;
}

bool vendor_passed(bool ok)
{
    vendor_glvnd->threadInit();
    vendor_glvnd->setEGLError(ok ? EGL_SUCCESS : VENDOR_MESA(eglGetError)());
    return ok;
}

bool vendor_enter(EGLDisplay display)
{
    vendor_glvnd->threadInit();
    if (display == EGL_NO_DISPLAY || !vendor_glvnd->getVendorFromDisplay(display)) {
        return vendor_fail(EGL_BAD_DISPLAY);
    }
    if (!VENDOR_MESA(eglQueryString)(display, EGL_VERSION)) {
        VENDOR_MESA(eglGetError)();
        return vendor_fail(EGL_NOT_INITIALIZED);
    }
    vendor_glvnd->setEGLError(EGL_SUCCESS);
    return true;
}

static void *get_proc_address(const char *name)
{
    void *address = ours(name);

    return address ? address : vendor_mesa(name);
}

/* Ours need no dispatch: with this library no other vendor's is loaded. */
static void *get_dispatch_address(const char *name)
{
    void *address = ours(name);

    return address || !mesa.getDispatchAddress ? address : mesa.getDispatchAddress(name);
}

static void set_dispatch_index(const char *name, int index)
{
    if (!ours(name) && mesa.setDispatchIndex) {
        mesa.setDispatchIndex(name, index);
    }
}

typedef EGLBoolean main_fn(uint32_t version, const __EGLapiExports *exports,
                           __EGLvendorInfo *vendor, __EGLapiImports *imports);
__attribute__((visibility("default"))) main_fn __egl_Main;

EGLBoolean __egl_Main(uint32_t version, const __EGLapiExports *exports, __EGLvendorInfo *vendor,
                      __EGLapiImports *imports)
{
    void *library = dlopen(MESA, RTLD_NOW | RTLD_LOCAL);
    main_fn *mesa_main = library ? (main_fn *)dlsym(library, "__egl_Main") : NULL;

    if (!mesa_main) {
        fprintf(stderr, "vtegra: EGL needs Mesa's " MESA " (Debian: libegl-mesa0): %s\n",
                dlerror());
        return EGL_FALSE;
    }
    mesa = *imports;
    if (!mesa_main(version, exports, vendor, &mesa)) {
        return EGL_FALSE;
    }
    vendor_glvnd = exports;
    *imports = mesa;
    imports->getProcAddress = get_proc_address;
    imports->getDispatchAddress = get_dispatch_address;
    imports->setDispatchIndex = set_dispatch_index;
    return EGL_TRUE;
}
