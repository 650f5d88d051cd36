/* SPDX-License-Identifier: MIT */
/* What libnvbufsurface.so, libnvbufsurftransform.so and libnvbuf_utils.so share: buffers behind
 * NvBufSurface's structs, found by the address of their NvBufSurfaceParams. A program may copy an
 * NvBufSurface and point surfaceList at one buffer of a batch, as DeepStream's plugins do.
 *
 * libnvbufcommon.so.1 exports the functions here; programs call none of them. */
#ifndef RUNTIME_API_NVBUF_NVBUF_H
#define RUNTIME_API_NVBUF_NVBUF_H

#include <stdbool.h>
#include <stdint.h>

#define VTEGRA_NO_EGL_HEADERS
#include "include/cudaEGL.h"
#include "include/nvbufsurface.h"
#include "runtime/driver/memory/rt_planes.h"

#define NVBUF_COMMON __attribute__((visibility("default")))
#define NVBUF_BATCH_MAX 1024u
#define NVBUF_SIZE_MAX 32768u /* pixels of a side */

/**
 * struct nvbuf_format - a row of formats.def
 * @egl: -1: no EGLImage
 */
struct nvbuf_format {
    NvBufSurfaceColorFormat color;
    unsigned planes, sub_x, sub_y, bytes[2];
    uint32_t vic, standard;
    bool swapped;
    int egl;
    CUarray_format channel;
};
/* NULL: it cannot be allocated. */
NVBUF_COMMON const struct nvbuf_format *nvbuf_format_of(NvBufSurfaceColorFormat color);
/* Which plane is V's where the VIC wants U, V: 0 1 2, or 0 2 1. */
NVBUF_COMMON unsigned nvbuf_plane_order(const struct nvbuf_format *format, unsigned plane);

/**
 * struct nvbuf_shape - planes of a picture of that size
 * @dense: rows without padding
 */
NVBUF_COMMON void nvbuf_shape(const struct nvbuf_format *format, const NvBufSurfaceCreateParams *p,
                              bool dense, NvBufSurfaceParams *out);

/**
 * struct nvbuf_buffer - one buffer
 * @memory: of SURFACE_ARRAY and HANDLE; @file: the descriptor's device and inode
 * @token: @shared: other processes of the board may import it
 * @image: its EGLImage; @mapped: planes
 * @gpu: where CUDA has it for NvBufSurfTransform
 */
struct nvbuf_buffer {
    struct nvbuf_surface *surface;
    NvBufSurfaceParams *params;
    struct rt_shared *memory;
    uint64_t file[2], token[2];
    bool shared, mapped[NVBUF_MAX_PLANES];
    void *image;
    struct nvbuf_gpu {
        CUcontext context;
        CUgraphicsResource resource;
        void *image;
    } gpu;
};

/* @surf: what the program has; its surfaceList is our list. @device: whose primary context memory
 * of CUDA is in; -1: none. */
struct nvbuf_surface {
    NvBufSurface surf;
    NvBufSurfaceParams *list;
    NvBufSurfaceParamsEx *more;
    struct nvbuf_buffer *buffer;
    uint32_t count;
    int device;
};

/* object.c. NULL: it is none, or was destroyed. */
NVBUF_COMMON struct nvbuf_surface *nvbuf_surface_of(const NvBufSurface *surf);
NVBUF_COMMON struct nvbuf_buffer *nvbuf_buffer_of(const NvBufSurfaceParams *params);
NVBUF_COMMON struct nvbuf_buffer *nvbuf_buffer_of_fd(int fd);
/* Has NvBufSurfaceMap() mapped that plane of a surface's memory? */
NVBUF_COMMON bool nvbuf_memory_mapped(const struct rt_shared *memory, unsigned plane);
NVBUF_COMMON struct nvbuf_buffer *nvbuf_buffer_of_image(const void *image);
/* What @surf holds, ours or the program's copy. false: it cannot be read, or is none. */
NVBUF_COMMON bool nvbuf_read(const NvBufSurface *surf, NvBufSurface *out);
/* A new one, without memory; then its end, with all that it has. */
NVBUF_COMMON struct nvbuf_surface *nvbuf_surface_new(uint32_t count, NvBufSurfaceMemType type);
NVBUF_COMMON void nvbuf_surface_free(struct nvbuf_surface *s);
NVBUF_COMMON void nvbuf_gpu_forget(struct nvbuf_buffer *b);
NVBUF_COMMON void nvbuf_buffer_planes(struct nvbuf_buffer *b); /* for reports */

/* share.c: the descriptor of a buffer with memory. false: none is left. */
NVBUF_COMMON bool nvbuf_fd_make(struct nvbuf_buffer *b);
/* Has it the seals of one? Takes no lock. */
NVBUF_COMMON bool nvbuf_fd_sealed(int fd);
/* The buffer of a descriptor that another process of the board has made. NULL: it is none; @why */
NVBUF_COMMON struct nvbuf_surface *nvbuf_fd_import(int fd, const NvBufSurfaceMapParams *params,
                                                   const char **why);
NVBUF_COMMON void nvbuf_map_params(const struct nvbuf_buffer *b, NvBufSurfaceMapParams *out);

/* @code: "-1"; Return: -1 */
NVBUF_COMMON int nvbuf_error(const char *api, const char *why);

/* Buffers and planes that a call names: -1 for all. false: there are none such; @why. */
struct nvbuf_range {
    NvBufSurface surf;
    uint32_t first, end; /* buffers */
    int plane;
};
NVBUF_COMMON bool nvbuf_range(const NvBufSurface *surf, int index, int plane,
                              struct nvbuf_range *out, const char **why);
NVBUF_COMMON bool nvbuf_in_range(const struct nvbuf_range *r, unsigned plane);

#endif
