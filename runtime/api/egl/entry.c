/* SPDX-License-Identifier: MIT */
/* The entry of the library: what libglvnd asks, ours first, then Mesa's. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/api/egl/vendor.h"
#include "runtime/driver/interop/egl/rt_egl.h"

#define MESA "libEGL_mesa.so.0"

static const struct vendor_function *const lists[] = {
    vendor_stream_functions,  vendor_device_functions, vendor_second_functions,
    vendor_image_functions,   vendor_sync_functions,   vendor_texture_functions,
    vendor_surface_functions, vendor_gl_functions,
};
#define LISTS (sizeof(lists) / sizeof(lists[0]))

static void *entry_ours(const char *name)
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

static void *get_proc_address(const char *name)
{
    void *address = entry_ours(name);

    return address ? address : vendor_mesa(name);
}

/* Ours need no dispatch: with this library no other vendor's is loaded. */
static void *get_dispatch_address(const char *name)
{
    void *address = entry_ours(name);

    return address || !vendor_mesa_imports.getDispatchAddress
               ? address
               : vendor_mesa_imports.getDispatchAddress(name);
}

static EGLDisplay get_platform_display(EGLenum platform, void *native, const EGLAttrib *attributes)
{
    EGLDisplay second = vendor_second_display(platform, native);

    return second ? second : vendor_mesa_imports.getPlatformDisplay(platform, native, attributes);
}

static void set_dispatch_index(const char *name, int index)
{
    if (!entry_ours(name) && vendor_mesa_imports.setDispatchIndex) {
        vendor_mesa_imports.setDispatchIndex(name, index);
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
    vendor_mesa_imports = *imports;
    if (!mesa_main(version, exports, vendor, &vendor_mesa_imports)) {
        return EGL_FALSE;
    }
    vendor_glvnd = exports;
    vendor_begin();
    rt_egl_loaded();
    vendor_interop_begin();
    *imports = vendor_mesa_imports;
    imports->getPlatformDisplay = get_platform_display;
    imports->getProcAddress = get_proc_address;
    imports->getDispatchAddress = get_dispatch_address;
    imports->setDispatchIndex = set_dispatch_index;
    return EGL_TRUE;
}
