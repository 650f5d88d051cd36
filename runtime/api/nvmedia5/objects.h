/* SPDX-License-Identifier: MIT */
/* libnvmedia.so inside: devices, images, blitters and ends of streams. A handle is the object's
 * address; which ones live is kept, so that a stale or foreign one is recognised. */
#ifndef RUNTIME_API_NVMEDIA5_OBJECTS_H
#define RUNTIME_API_NVMEDIA5_OBJECTS_H

#include <glib.h>
#include <stdbool.h>

#include "include/cuda.h"
#include "include/drive-os-5/nvmedia_2d.h"
#include "include/drive-os-5/nvmedia_image.h"
#include "runtime/api/nvmedia5/engine.h"

enum object_type { OBJECT_DEVICE, OBJECT_IMAGE, OBJECT_2D, OBJECT_PRODUCER, OBJECT_CONSUMER };

void objects_add(const void *object, enum object_type type);
bool objects_has(const void *object, enum object_type type); /* NULL: false */
bool objects_remove(const void *object, enum object_type type);
/* One of the type for which @match is true, or NULL. */
void *objects_find(enum object_type type, bool (*match)(const void *object, const void *what),
                   const void *what);

/* A line in the report; returns the code. */
NvMediaStatus refuse(NvMediaStatus status, const char *api, const char *why);

/* --- surface.c: formats ----------------------------------------------------------------------- */

#define FORMAT_PLANES 3u

/**
 * struct format - a surface type that vtegra's VIC has
 * @color: of the planes, by their order in memory; @sub: planes behind the first have half the size
 * @pairs: U and V share plane 1; @v_first: V stands before U
 */
struct format {
    unsigned planes, bytes;
    NvSciBufAttrValColorFmt color[FORMAT_PLANES];
    bool sub, pairs, v_first, rgba, blocks;
    unsigned egl; /* CUeglColorFormat */
};

/* false: no image of it can be had here. */
bool format_of(NvMediaSurfaceType type, struct format *out);

/* --- image.c ---------------------------------------------------------------------------------- */

struct image_plane {
    uint64_t offset;
    uint32_t pitch, width, height;
};

/* What CUDA has of an image that went through a stream. @owner: false: pointers of the producer's.
 */
struct image_cuda {
    CUcontext context;
    CUexternalMemory memory;
    CUdeviceptr at;
    CUmipmappedArray mip[FORMAT_PLANES];
    CUarray array[FORMAT_PLANES];
};

/**
 * struct NvMediaImagePriv_ - @owned: the buffer is freed with the image
 * @mapped: for the program (CPU access); @locks: of the program
 * @engines: that have the buffer registered
 */
struct NvMediaImagePriv_ {
    NvSciBufObj buf;
    bool owned, mapped;
    unsigned locks;
    uint64_t bytes;
    uint8_t *cpu;
    struct format format;
    struct image_plane plane[FORMAT_PLANES];
    GPtrArray *engines;
    struct image_cuda *cuda;
};

NvMediaStatus image_use(NvMediaImage *image, struct engine *e);
NvMediaStatus image_wait(const NvMediaImage *image, int64_t timeout_us, const char *api);
/* A blitter goes. */
void image_engine_gone(struct engine *e);

/* --- stream_cuda.c: an image as CUDA has it --------------------------------------------------- */

/* The GPU whose DRAM is that of NvMedia's engines: the integrated one. GPU 0 where none is there.
 */
CUdevice stream_gpu(void);
/* The primary context of stream_gpu() is current, until stream_leave(). */
bool stream_enter(void);
void stream_leave(void);
/* The same for an end that lives on: the context stays until stream_end_gone(). */
void stream_end_made(void);
void stream_end_gone(void);
bool image_cuda_make(NvMediaImage *image, const char *api);
void image_cuda_free(struct image_cuda *cuda);

#endif
