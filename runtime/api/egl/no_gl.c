/* SPDX-License-Identifier: MIT */
/* libEGL.so.1 where there is no OpenGL, and so neither libglvnd nor Mesa: the Linux guest in QEMU
 * (qemu-plugin/). It has what CUDA needs of EGL: the device, displays of it, streams, and CUDA's
 * events as syncs. This file stands for both: the functions that libglvnd exports, of which ours
 * (vendor.h) come first, and Mesa's answers. There are no configurations, contexts and surfaces:
 * those functions answer as in an EGL without a client API (EGL 1.5, 3.7), and say so. */
#include <stdio.h>
#include <string.h>

#pragma GCC visibility push(default)
#include <EGL/egl.h>
#pragma GCC visibility pop

#include "runtime/api/egl/refused.h"
#include "runtime/api/egl/vendor.h"
#include "runtime/driver/interop/egl/rt_egl.h"

static _Thread_local EGLint last_error = EGL_SUCCESS;

intptr_t vtegra_egl_refuse(const char *name, int error, bool *reported)
{
    if (!__atomic_exchange_n(reported, true, __ATOMIC_RELAXED)) {
        fprintf(stderr,
                "vtegra: %s: there is no OpenGL in this guest (Mesa's libraries are none of its "
                "files). EGLStreams from CUDA to CUDA and CUDA's events as EGLSyncs are there; "
                "a program with OpenGL runs outside: vtegra run\n",
                name);
    }
    last_error = error;
    return 0;
}

static intptr_t no_gl_fail(EGLint error)
{
    last_error = error;
    return 0;
}

static EGLBoolean no_gl_done(void)
{
    last_error = EGL_SUCCESS;
    return EGL_TRUE;
}

/* --- what the parts that need OpenGL would have --- */

const char vendor_gl_extensions[] = "";

struct vendor_shot *vendor_shot_take(void)
{
    return NULL;
}

bool vendor_shot_copy(const struct vendor_shot *shot, const void *image, void *pixels, size_t bytes)
{
    (void)shot, (void)image, (void)pixels, (void)bytes;
    return false;
}

bool vendor_shot_seen(const struct vendor_shot *shot, bool registered)
{
    (void)shot, (void)registered;
    return false;
}

void vendor_shot_free(struct vendor_shot *shot)
{
    (void)shot;
}

void vendor_texture_forget(const void *stream)
{
    (void)stream;
}

/* --- the device and its displays --- */

static char device; /* its address is the handle, as those of the displays */
static struct display {
    bool initialised;
} displays[2]; /* of the device, and without a window system */

static struct display *display_of(EGLDisplay handle)
{
    for (size_t i = 0; i < sizeof(displays) / sizeof(displays[0]); i++) {
        if (handle == &displays[i]) {
            return &displays[i];
        }
    }
    return NULL;
}

static EGLDisplay get_platform_display(EGLenum platform, void *native)
{
    last_error = EGL_SUCCESS;
    if (platform == EGL_PLATFORM_DEVICE_EXT && (!native || native == &device)) {
        return &displays[0];
    }
    if (platform == EGL_PLATFORM_SURFACELESS_MESA && !native) {
        return &displays[1];
    }
    no_gl_fail(EGL_BAD_PARAMETER);
    return EGL_NO_DISPLAY;
}

EGLDisplay eglGetDisplay(EGLNativeDisplayType native)
{
    static bool reported;

    if (native != EGL_DEFAULT_DISPLAY) {
        vtegra_egl_refuse("eglGetDisplay() of a window system", EGL_SUCCESS, &reported);
        return EGL_NO_DISPLAY;
    }
    return get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, NULL);
}

EGLDisplay eglGetPlatformDisplay(EGLenum platform, void *native, const EGLAttrib *list)
{
    (void)list;
    return get_platform_display(platform, native);
}

static EGLDisplay get_platform_display_ext(EGLenum platform, void *native, const EGLint *list)
{
    (void)list;
    return get_platform_display(platform, native);
}

EGLBoolean eglInitialize(EGLDisplay handle, EGLint *major, EGLint *minor)
{
    struct display *d = display_of(handle);

    if (!d) {
        return (EGLBoolean)no_gl_fail(EGL_BAD_DISPLAY);
    }
    d->initialised = true;
    if (major) {
        *major = 1;
    }
    if (minor) {
        *minor = 5;
    }
    return no_gl_done();
}

EGLBoolean eglTerminate(EGLDisplay handle)
{
    struct display *d = display_of(handle);

    if (!d) {
        return (EGLBoolean)no_gl_fail(EGL_BAD_DISPLAY);
    }
    d->initialised = false;
    return no_gl_done();
}

/* vendor_enter() asks for EGL_VERSION: is the display initialised? */
static const char *base_query_string(EGLDisplay handle, EGLint name)
{
    const struct display *d = display_of(handle);

    if (handle == EGL_NO_DISPLAY && name == EGL_EXTENSIONS) {
        no_gl_done();
        return "EGL_EXT_client_extensions EGL_EXT_device_base EGL_EXT_device_enumeration "
               "EGL_EXT_device_query EGL_EXT_platform_base EGL_EXT_platform_device "
               "EGL_MESA_platform_surfaceless";
    }
    if (!d || !d->initialised) {
        no_gl_fail(d ? EGL_NOT_INITIALIZED : EGL_BAD_DISPLAY);
        return NULL;
    }
    no_gl_done();
    switch (name) {
    case EGL_VERSION:
        return "1.5";
    case EGL_VENDOR:
        return "vtegra, without OpenGL";
    case EGL_CLIENT_APIS:
        return "";
    case EGL_EXTENSIONS:
        return "EGL_KHR_fence_sync EGL_KHR_reusable_sync EGL_KHR_wait_sync";
    default:
        no_gl_fail(EGL_BAD_PARAMETER);
        return NULL;
    }
}

static EGLBoolean query_devices(EGLint max, EGLDeviceEXT *list, EGLint *n)
{
    if (!n || (list && max <= 0)) {
        return (EGLBoolean)no_gl_fail(EGL_BAD_PARAMETER);
    }
    if (list) {
        list[0] = &device;
    }
    *n = 1;
    return no_gl_done();
}

static const char *base_query_device_string(EGLDeviceEXT handle, EGLint name)
{
    if (handle != &device || name != EGL_EXTENSIONS) {
        no_gl_fail(handle != &device ? EGL_BAD_DEVICE_EXT : EGL_BAD_PARAMETER);
        return NULL;
    }
    no_gl_done();
    return "EGL_EXT_device_query";
}

static EGLBoolean base_query_device_attrib(EGLDeviceEXT handle, EGLint attribute, EGLAttrib *value)
{
    (void)attribute, (void)value;
    return (EGLBoolean)no_gl_fail(handle != &device ? EGL_BAD_DEVICE_EXT : EGL_BAD_ATTRIBUTE);
}

static EGLBoolean query_display_attrib(EGLDisplay handle, EGLint attribute, EGLAttrib *value)
{
    const struct display *d = display_of(handle);

    if (!d || !d->initialised) {
        return (EGLBoolean)no_gl_fail(d ? EGL_NOT_INITIALIZED : EGL_BAD_DISPLAY);
    }
    if (attribute != EGL_DEVICE_EXT || !value) {
        return (EGLBoolean)no_gl_fail(value ? EGL_BAD_ATTRIBUTE : EGL_BAD_PARAMETER);
    }
    *value = (EGLAttrib)&device;
    return no_gl_done();
}

/* --- the thread --- */

EGLint eglGetError(void)
{
    EGLint error = last_error;

    last_error = EGL_SUCCESS;
    return error;
}

EGLBoolean eglReleaseThread(void)
{
    return no_gl_done();
}

EGLenum eglQueryAPI(void)
{
    return EGL_NONE;
}

EGLContext eglGetCurrentContext(void)
{
    return EGL_NO_CONTEXT;
}

EGLDisplay eglGetCurrentDisplay(void)
{
    return EGL_NO_DISPLAY;
}

EGLSurface eglGetCurrentSurface(EGLint which)
{
    (void)which;
    return EGL_NO_SURFACE;
}

EGLBoolean eglWaitClient(void)
{
    return no_gl_done();
}

EGLBoolean eglWaitGL(void)
{
    return no_gl_done();
}

EGLBoolean eglWaitNative(EGLint engine)
{
    return engine == EGL_CORE_NATIVE_ENGINE ? no_gl_done()
                                            : (EGLBoolean)no_gl_fail(EGL_BAD_PARAMETER);
}

/* --- what needs OpenGL --- */

static EGLBoolean no_configs(EGLDisplay handle, EGLint *n, const char *name, bool *reported)
{
    const struct display *d = display_of(handle);

    if (!d || !d->initialised || !n) {
        return (EGLBoolean)no_gl_fail(!d                ? EGL_BAD_DISPLAY
                                      : !d->initialised ? EGL_NOT_INITIALIZED
                                                        : EGL_BAD_PARAMETER);
    }
    *n = 0;
    vtegra_egl_refuse(name, EGL_SUCCESS, reported);
    return EGL_TRUE;
}

EGLBoolean eglGetConfigs(EGLDisplay handle, EGLConfig *list, EGLint max, EGLint *n)
{
    static bool reported;

    (void)list, (void)max;
    return no_configs(handle, n, "eglGetConfigs", &reported);
}

EGLBoolean eglChooseConfig(EGLDisplay handle, const EGLint *wanted, EGLConfig *list, EGLint max,
                           EGLint *n)
{
    static bool reported;

    (void)wanted, (void)list, (void)max;
    return no_configs(handle, n, "eglChooseConfig", &reported);
}

/* To have nothing current is no mistake. */
EGLBoolean eglMakeCurrent(EGLDisplay handle, EGLSurface draw, EGLSurface read, EGLContext context)
{
    static bool reported;

    (void)handle;
    return !draw && !read && !context
               ? no_gl_done()
               : (EGLBoolean)vtegra_egl_refuse("eglMakeCurrent", EGL_BAD_CONTEXT, &reported);
}

#define REFUSED_LIST(R)                                 \
    R(eglBindAPI, EGL_BAD_PARAMETER)                    \
    R(eglCreateContext, EGL_BAD_MATCH)                  \
    R(eglDestroyContext, EGL_BAD_CONTEXT)               \
    R(eglQueryContext, EGL_BAD_CONTEXT)                 \
    R(eglGetConfigAttrib, EGL_BAD_CONFIG)               \
    R(eglCreatePbufferSurface, EGL_BAD_CONFIG)          \
    R(eglCreatePbufferFromClientBuffer, EGL_BAD_CONFIG) \
    R(eglCreatePixmapSurface, EGL_BAD_CONFIG)           \
    R(eglCreatePlatformPixmapSurface, EGL_BAD_CONFIG)   \
    R(eglCreatePlatformWindowSurface, EGL_BAD_CONFIG)   \
    R(eglCreateWindowSurface, EGL_BAD_CONFIG)           \
    R(eglDestroySurface, EGL_BAD_SURFACE)               \
    R(eglQuerySurface, EGL_BAD_SURFACE)                 \
    R(eglSurfaceAttrib, EGL_BAD_SURFACE)                \
    R(eglBindTexImage, EGL_BAD_SURFACE)                 \
    R(eglReleaseTexImage, EGL_BAD_SURFACE)              \
    R(eglCopyBuffers, EGL_BAD_SURFACE)                  \
    R(eglSwapBuffers, EGL_BAD_SURFACE)                  \
    R(eglSwapInterval, EGL_BAD_CONTEXT)                 \
    R(eglCreateImage, EGL_BAD_PARAMETER)                \
    R(eglDestroyImage, EGL_BAD_PARAMETER)
/* Of extensions: eglGetProcAddress() has them. */
#define REFUSED_MORE(R)                                            \
    R(eglCreateImageKHR, EGL_BAD_PARAMETER)                        \
    R(eglDestroyImageKHR, EGL_BAD_PARAMETER)                       \
    R(eglCreatePlatformWindowSurfaceEXT, EGL_BAD_CONFIG)           \
    R(eglCreatePlatformPixmapSurfaceEXT, EGL_BAD_CONFIG)           \
    R(eglCreateStreamProducerSurfaceKHR, EGL_BAD_CONFIG)           \
    R(eglStreamConsumerGLTextureExternalKHR, EGL_BAD_ACCESS)       \
    R(eglStreamConsumerGLTextureExternalAttribsNV, EGL_BAD_ACCESS) \
    R(eglStreamConsumerAcquireKHR, EGL_BAD_ACCESS)                 \
    R(eglStreamConsumerReleaseKHR, EGL_BAD_ACCESS)
REFUSED_LIST(REFUSED)
REFUSED_MORE(REFUSED)

/* Fences need a context's commands; a sync that is none of ours is none. */
static EGLSync base_create_sync(EGLDisplay handle, EGLenum type, const EGLAttrib *list)
{
    static bool reported;

    (void)handle, (void)list;
    if (type == EGL_SYNC_FENCE) {
        vtegra_egl_refuse("eglCreateSync(EGL_SYNC_FENCE)", EGL_BAD_MATCH, &reported);
    } else {
        no_gl_fail(EGL_BAD_ATTRIBUTE);
    }
    return EGL_NO_SYNC;
}

static EGLSync base_create_sync_khr(EGLDisplay handle, EGLenum type, const EGLint *list)
{
    (void)list;
    return base_create_sync(handle, type, NULL);
}

static intptr_t base_no_sync(void)
{
    return no_gl_fail(EGL_BAD_PARAMETER);
}

/* --- Mesa's side of vendor.h --- */

#define BASE_REFUSED(name, error) VENDOR_FUNCTION(#name, refused_##name),
static const struct vendor_function base[] = {
    VENDOR_FUNCTION("eglGetError", eglGetError),
    VENDOR_FUNCTION("eglQueryString", base_query_string),
    VENDOR_FUNCTION("eglQueryDevicesEXT", query_devices),
    VENDOR_FUNCTION("eglQueryDeviceStringEXT", base_query_device_string),
    VENDOR_FUNCTION("eglQueryDeviceAttribEXT", base_query_device_attrib),
    VENDOR_FUNCTION("eglQueryDisplayAttribEXT", query_display_attrib),
    VENDOR_FUNCTION("eglGetPlatformDisplayEXT", get_platform_display_ext),
    VENDOR_FUNCTION("eglCreateSync", base_create_sync),
    VENDOR_FUNCTION("eglCreateSyncKHR", base_create_sync_khr),
    VENDOR_FUNCTION("eglDestroySync", base_no_sync),
    VENDOR_FUNCTION("eglClientWaitSync", base_no_sync),
    VENDOR_FUNCTION("eglSignalSyncKHR", base_no_sync),
    VENDOR_FUNCTION("eglWaitSync", base_no_sync),
    VENDOR_FUNCTION("eglWaitSyncKHR", base_no_sync),
    VENDOR_FUNCTION("eglGetSyncAttrib", base_no_sync),
    VENDOR_FUNCTION("eglGetSyncAttribKHR", base_no_sync),
    VENDOR_FUNCTION("eglGetDisplay", eglGetDisplay),
    VENDOR_FUNCTION("eglGetPlatformDisplay", eglGetPlatformDisplay),
    VENDOR_FUNCTION("eglInitialize", eglInitialize),
    VENDOR_FUNCTION("eglTerminate", eglTerminate),
    VENDOR_FUNCTION("eglReleaseThread", eglReleaseThread),
    VENDOR_FUNCTION("eglQueryAPI", eglQueryAPI),
    VENDOR_FUNCTION("eglGetCurrentContext", eglGetCurrentContext),
    VENDOR_FUNCTION("eglGetCurrentDisplay", eglGetCurrentDisplay),
    VENDOR_FUNCTION("eglGetCurrentSurface", eglGetCurrentSurface),
    VENDOR_FUNCTION("eglWaitClient", eglWaitClient),
    VENDOR_FUNCTION("eglWaitGL", eglWaitGL),
    VENDOR_FUNCTION("eglWaitNative", eglWaitNative),
    VENDOR_FUNCTION("eglGetConfigs", eglGetConfigs),
    VENDOR_FUNCTION("eglChooseConfig", eglChooseConfig),
    VENDOR_FUNCTION("eglMakeCurrent", eglMakeCurrent),
    VENDOR_FUNCTION("eglGetProcAddress", eglGetProcAddress),
    REFUSED_LIST(BASE_REFUSED) REFUSED_MORE(BASE_REFUSED){ 0 },
};

static void *in_list(const struct vendor_function *f, const char *name)
{
    for (; f->name; f++) {
        if (strcmp(f->name, name) == 0) {
            return f->address;
        }
    }
    return NULL;
}

static void *base_address(const char *name)
{
    return in_list(base, name);
}

static void *no_gl_ours(const char *name)
{
    static const struct vendor_function *const lists[] = { vendor_stream_functions,
                                                           vendor_device_functions,
                                                           vendor_sync_functions };
    void *address = NULL;

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && !address; i++) {
        address = in_list(lists[i], name);
    }
    return address ? address : base_address(name);
}

__eglMustCastToProperFunctionPointerType eglGetProcAddress(const char *name)
{
    static bool reported;
    void *address = no_gl_ours(name);

    if (!address && strncmp(name, "gl", 2) == 0) {
        vtegra_egl_refuse(name, EGL_SUCCESS, &reported);
    }
    return (__eglMustCastToProperFunctionPointerType)address;
}

/* --- libglvnd's side --- */

static void thread_init(void)
{
}

static void set_error(EGLint error)
{
    last_error = error;
}

static __EGLvendorInfo *vendor_from_display(EGLDisplay handle)
{
    return (__EGLvendorInfo *)display_of(handle); /* is there one? */
}

static const __EGLapiExports exports = {
    .threadInit = thread_init,
    .getCurrentApi = eglQueryAPI,
    .getCurrentContext = eglGetCurrentContext,
    .getCurrentDisplay = eglGetCurrentDisplay,
    .getCurrentSurface = eglGetCurrentSurface,
    .setEGLError = set_error,
    .getVendorFromDisplay = vendor_from_display,
};

__attribute__((constructor)) static void begin(void)
{
    vendor_glvnd = &exports;
    vendor_mesa_imports.getProcAddress = base_address;
    vendor_begin();
    rt_egl_loaded();
}

/* --- functions of EGL 1.5 that ours stand for --- */

#define OURS(name) ((__typeof__(&name))no_gl_ours(#name))

const char *eglQueryString(EGLDisplay handle, EGLint name)
{
    return OURS(eglQueryString)(handle, name);
}

EGLSync eglCreateSync(EGLDisplay handle, EGLenum type, const EGLAttrib *list)
{
    return OURS(eglCreateSync)(handle, type, list);
}

EGLBoolean eglDestroySync(EGLDisplay handle, EGLSync sync)
{
    return OURS(eglDestroySync)(handle, sync);
}

EGLint eglClientWaitSync(EGLDisplay handle, EGLSync sync, EGLint flags, EGLTime timeout)
{
    return OURS(eglClientWaitSync)(handle, sync, flags, timeout);
}

EGLBoolean eglWaitSync(EGLDisplay handle, EGLSync sync, EGLint flags)
{
    return OURS(eglWaitSync)(handle, sync, flags);
}

EGLBoolean eglGetSyncAttrib(EGLDisplay handle, EGLSync sync, EGLint attribute, EGLAttrib *value)
{
    return OURS(eglGetSyncAttrib)(handle, sync, attribute, value);
}
