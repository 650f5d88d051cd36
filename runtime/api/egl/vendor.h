/* SPDX-License-Identifier: MIT */
/* Shared by the files of libEGL_vtegra.so.0.
 *
 * It is a vendor library of libglvnd (glvnd/libeglabi.h) that stands on Mesa's: Mesa does all that
 * it can do (EGL 1.5, GLES, OpenGL, by llvmpipe), and this library adds what only NVIDIA's has:
 * EGLStreams, CUDA devices, CUDA events as sync objects, and the link between EGLImages and CUDA.
 * Where there is no OpenGL, no_gl.c stands for libglvnd and Mesa.
 * The objects themselves are the driver core's (runtime/driver/interop/egl/rt_egl*.h). */
#ifndef RUNTIME_EGL_VENDOR_H
#define RUNTIME_EGL_VENDOR_H

#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <glvnd/libeglabi.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/driver/interop/egl/egl_values.h"

extern const __EGLapiExports *vendor_glvnd;
extern __EGLapiImports vendor_mesa_imports; /* set by entry.c */

/* Mesa is there: once. */
void vendor_begin(void);
/* Of Mesa; NULL: it has none. The error of a call of Mesa's before is lost, but for
 * vendor_passed(). */
void *vendor_mesa(const char *name);
/* VENDOR_MESA(eglQueryString)(display, name) calls Mesa's. */
#define VENDOR_MESA(name) ((__typeof__(&name))vendor_mesa(#name))

/* The calling thread's next eglGetError(). Return: false, for the caller to return. */
bool vendor_fail(EGLint error);
/* Mesa has answered: its error is the call's. Return: @ok. */
bool vendor_passed(bool ok);
/* A call begins: no error; @display is initialised, or vendor_fail() was called. */
bool vendor_enter(EGLDisplay display);

/**
 * struct vendor_function - a function of ours
 * @name: as eglGetProcAddress() is asked for it
 */
struct vendor_function {
    const char *name;
    void *address;
};
#define VENDOR_FUNCTION(name, function) { name, (void *)(function) }

/* Lists that end with a NULL name. */
extern const struct vendor_function vendor_stream_functions[];
extern const struct vendor_function vendor_device_functions[];
extern const struct vendor_function vendor_second_functions[];
extern const struct vendor_function vendor_image_functions[];
extern const struct vendor_function vendor_sync_functions[];
extern const struct vendor_function vendor_texture_functions[];
extern const struct vendor_function vendor_surface_functions[];
extern const struct vendor_function vendor_gl_functions[];

/* helper.c: a GLES context of our own is current, with @surface, until vendor_helper_end(), which
 * makes the program's current again. One thread at a time. Return: false: EGL refuses; end it all
 * the same. */
struct vendor_before {
    EGLDisplay display;
    EGLContext context;
    EGLSurface draw, read;
    EGLenum api;
};
bool vendor_helper_begin(EGLDisplay display, EGLSurface surface, struct vendor_before *before);
void vendor_helper_end(const struct vendor_before *before);

/* interop.c: CUDA may have OpenGL's objects. */
void vendor_interop_begin(void);
/* texture.c: those of displays that need OpenGL; "" where there is none. */
extern const char vendor_gl_extensions[];
/* device.c: Mesa's text and @more. */
const char *vendor_joined(const char *text, const char *more);
/* second.c: the discrete GPU of a board with two: its device, its display, whether that is
 * initialised, its end. */
bool vendor_second_device(const void *device);
bool vendor_second_is(EGLDisplay display);
bool vendor_second_up(void);
EGLDisplay vendor_second_display(EGLenum platform, const void *native);
EGLBoolean vendor_second_attrib(EGLint attribute, EGLAttrib *value);
EGLBoolean vendor_second_configs(EGLDisplay display, EGLint *count);
EGLBoolean vendor_second_terminate(void);
/* stream.c: the error of a call on a stream. Return: @result is EGL_STREAM_DONE. */
bool vendor_answer(enum egl_stream_result result);
/* surface.c: the display is terminated. */
void vendor_surfaces_forget(EGLDisplay display);
/* texture.c: the stream is destroyed, and its texture with it. */
void vendor_texture_forget(const void *stream);

/* image.c: what every image holds now; NULL: there is none. */
struct vendor_shot;
struct vendor_shot *vendor_shot_take(void);
bool vendor_shot_copy(const struct vendor_shot *shot, const void *image, void *pixels,
                      size_t bytes);
/* The CPU has waited until here; not @registered: of images that CUDA does not have only. Return:
 * an image was there then, and is. */
bool vendor_shot_seen(const struct vendor_shot *shot, bool registered);
void vendor_shot_free(struct vendor_shot *shot);
/* The image whose pixels the current context's texture or renderbuffer has; NULL: none. */
void *vendor_image_of(unsigned name, bool renderbuffer);
bool vendor_images_any(void);
void vendor_images_forget(EGLDisplay display);

/* gl_calls.c: how many commands have drawn so far, in any context; @call: the newest one's name. */
unsigned vendor_drawn(const char **call);

#endif
