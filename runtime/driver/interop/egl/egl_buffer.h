/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: EGLImages of pictures in shared memory. The lock is held. */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_EGL_BUFFER_H
#define RUNTIME_DRIVER_INTEROP_EGL_EGL_BUFFER_H

#include "runtime/driver/core/object.h"
#include "runtime/driver/interop/egl/egl.h"
#include "runtime/driver/interop/egl/rt_egl_buffer.h"

struct egl_buffer_image {
    struct object base;
    struct rt_egl_buffer buffer;
};

/* graphics.c */
CUresult graphics_buffer_register(struct context *context, const struct egl_buffer_image *image,
                                  CUgraphicsResource *resource);
/* It is about to go. Return: CUDA has it registered, and keeps its memory. */
bool graphics_buffer_gone(const struct egl_buffer_image *image);

#endif
