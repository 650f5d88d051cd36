/* SPDX-License-Identifier: MIT */
/* Formats of OpenGL's pixels that CUDA can be given as arrays. */
#ifndef RUNTIME_EGL_FORMAT_H
#define RUNTIME_EGL_FORMAT_H

#include <GLES3/gl32.h>

#include <EGL/egl.h>
#include <stdint.h>

#include "runtime/driver/interop/egl/rt_egl.h"

/**
 * struct vendor_format
 * @internal: of a texture or renderbuffer; @format, @type: of its pixels in memory
 * @cuda: what CUDA has there
 */
struct vendor_format {
    GLint internal;
    GLenum format, type;
    struct rt_egl_format cuda;
};

/* NULL: CUDA cannot have it. */
const struct vendor_format *vendor_format_of(GLint internal);

/* An EGLImage of @width x @height. */
struct vendor_pixels {
    EGLDisplay display;
    EGLImage image;
    const struct vendor_format *format;
    unsigned width, height;
};

/* Rows from @y on, to (@write) or from @pixels, where the image begins. Return: false: GL refuses.
 */
bool vendor_pixels_copy(const struct vendor_pixels *p, uint8_t *pixels, bool write, unsigned y,
                        unsigned rows);
/* Format and size of a texture or renderbuffer of the current context. Return: false: none that
 * CUDA can have. */
bool vendor_pixels_of(GLuint name, bool renderbuffer, struct vendor_pixels *p);

#endif
