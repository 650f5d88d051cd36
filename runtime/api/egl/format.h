/* SPDX-License-Identifier: MIT */
/* Formats of OpenGL's pixels that CUDA can be given as arrays. */
#ifndef RUNTIME_EGL_FORMAT_H
#define RUNTIME_EGL_FORMAT_H

#include <GLES3/gl32.h>

#include "runtime/driver/rt_egl.h"

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

#endif
