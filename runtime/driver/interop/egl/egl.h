/* SPDX-License-Identifier: MIT */
/* Inside the driver core: what EGL and OpenGL (interop/gl) have of each other, and graphics
 * resources. */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_EGL_H
#define RUNTIME_DRIVER_INTEROP_EGL_EGL_H

#include <glib.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/interop/egl/rt_egl.h"

struct graphics;
struct stream;

/* egl_lock.c */
void egl_lock(void); /* for EGL's calls, which may come before rt_init() */
void egl_unlock(void);

/* egl_frame.c */
/* @s waits for @fence and for all that @known says (a GArray of struct fence; may be NULL), and
 * reads memory anew. No wait of the CPU. */
CUresult egl_fence_wait(struct stream *s, struct fence fence, const GArray *known);

/* gl_interop.c: it is OpenGL's, and not mapped. */
bool gl_interop_unmapped(const struct graphics *g);
/* If it is OpenGL's, it goes, when its context's work is done. Return: it was. */
bool gl_interop_unregister(const struct graphics *g, CUresult *error);

/* graphics.c */
struct graphics *graphics_new(struct context *context, const CUeglFrame *frame);
void graphics_free(struct graphics *g);
CUgraphicsResource graphics_handle(const struct graphics *g);
struct graphics *graphics_find(CUgraphicsResource resource);

#endif
