/* SPDX-License-Identifier: MIT */
/* EGLImages of pictures in shared memory (NvBufSurfaceMapEglImage): CUDA's frame of one is the
 * picture itself, without a copy. Rules: runtime/driver/driver.h; no context has to be current. */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_RT_EGL_BUFFER_H
#define RUNTIME_DRIVER_INTEROP_EGL_RT_EGL_BUFFER_H

#include "runtime/driver/interop/egl/rt_egl.h"
#include "runtime/driver/memory/rt_external.h"

/**
 * struct rt_egl_buffer - a picture
 * @frame: as cuGraphicsResourceGetMappedEglFrame gives it, but for addresses and arrays
 * @offset: of its planes in @memory
 * @width, @height, @channels: of arrays, where the frame has these: of each plane
 */
struct rt_egl_buffer {
    struct rt_shared *memory;
    CUeglFrame frame;
    uint64_t offset[MAX_PLANES];
    unsigned width[MAX_PLANES], height[MAX_PLANES], channels[MAX_PLANES];
};

/* The EGLImage, for cuGraphicsEGLRegisterImage(). NULL: there is no board. */
void *rt_egl_buffer_image(const struct rt_egl_buffer *buffer);
/* false: there is no such image. CUDA keeps the memory as long as it has it registered; a finding
 * says so. @api: the program's call, constant text */
bool rt_egl_buffer_image_free(void *image, const char *api);
/* Is it one of these? */
bool rt_egl_buffer_image_is(const void *image);

#endif
