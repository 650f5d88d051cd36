/* SPDX-License-Identifier: MIT */
/* OpenGL's buffers, textures and renderbuffers in CUDA: CUDA's side, for runtime/api/cuda, and
 * OpenGL's, which the library of EGL (runtime/api/egl) provides. Rules: runtime/driver/driver.h. */
#ifndef RUNTIME_DRIVER_INTEROP_GL_RT_GL_H
#define RUNTIME_DRIVER_INTEROP_GL_RT_GL_H

#include <stdbool.h>
#include <stddef.h>

#define VTEGRA_NO_GL_HEADERS
#include "include/cudaGL.h"
#include "runtime/driver/interop/egl/rt_egl.h"

/**
 * struct rt_gl_calls - of the calling thread's OpenGL; with the core's lock held
 * @current: a context is current
 * @finish: its commands have run
 * @buffer_size: false: no buffer of it
 * @buffer_copy: all of it, to (@write) or from @bytes; false: it has another size now, or is mapped
 * @image_open: a texture (@target GL_TEXTURE_2D) or renderbuffer of it; NULL: it is none, or CUDA
 * cannot have its format
 * @image_copy: rows without gaps
 */
struct rt_gl_calls {
    bool (*current)(void);
    void (*finish)(void);
    bool (*buffer_size)(unsigned buffer, size_t *bytes);
    bool (*buffer_copy)(unsigned buffer, void *bytes, size_t size, bool write);
    void *(*image_open)(unsigned name, unsigned target, struct rt_egl_shape *shape);
    bool (*image_copy)(void *image, void *pixels, bool write);
    void (*image_close)(void *image);
};
void rt_gl_calls_set(const struct rt_gl_calls *calls);

/* @flags: CU_GRAPHICS_REGISTER_FLAGS_*. CUDA_ERROR_INVALID_GRAPHICS_CONTEXT: none is current. */
CUresult rt_gl_register_buffer(CUgraphicsResource *resource, unsigned buffer, unsigned flags);
CUresult rt_gl_register_image(CUgraphicsResource *resource, unsigned image, unsigned target,
                              unsigned flags);
CUresult rt_gl_devices(unsigned *count, CUdevice *devices, unsigned most, unsigned list);

/* All or none of them. Map: OpenGL's commands so far come before the stream's next work; unmap: the
 * stream's work so far comes before OpenGL's next command, for which the CPU waits here: OpenGL
 * runs on it. */
CUresult rt_graphics_map(unsigned count, CUgraphicsResource *resources, CUstream stream);
CUresult rt_graphics_unmap(unsigned count, CUgraphicsResource *resources, CUstream stream);
/* @flags: CU_GRAPHICS_MAP_RESOURCE_FLAGS_*, from the next map on */
CUresult rt_graphics_map_flags(CUgraphicsResource resource, unsigned flags);

#endif
