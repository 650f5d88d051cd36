/* SPDX-License-Identifier: MIT */
/* Frames as OpenGL's textures have them: RGBA of 8 bits. */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_EGL_PIXELS_H
#define RUNTIME_DRIVER_INTEROP_EGL_EGL_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTEGRA_NO_EGL_HEADERS
#include "include/cudaEGL.h"

/**
 * struct egl_plane - one plane of a frame
 * @width: bytes of a row that are pixels; @pitch: bytes between rows of pitch linear memory
 * @bytes: rows without gaps
 */
struct egl_plane {
    size_t width, rows, pitch;
    uint8_t *bytes;
};

/* Shapes of the planes of @frame, whose width is in pixels, without their bytes. false: a format
 * that is not known here: 8 bits a channel, RGB or one channel, or YUV 4:2:0 in two or three
 * planes. */
bool egl_pixels_planes(const CUeglFrame *frame, struct egl_plane planes[MAX_PLANES]);
/* @rgba: width * height * 4 bytes. */
void egl_pixels_rgba(const CUeglFrame *frame, const struct egl_plane planes[MAX_PLANES],
                     uint8_t *rgba);

#endif
