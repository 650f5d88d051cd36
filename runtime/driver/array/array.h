/* SPDX-License-Identifier: MIT */
/* Inside the driver core: what an array is to copies, textures and surfaces. */
#ifndef RUNTIME_DRIVER_ARRAY_ARRAY_H
#define RUNTIME_DRIVER_ARRAY_ARRAY_H

#include "runtime/driver/core/core.h"

#define ARRAY_PITCH 64u
#define ARRAY_LEVELS_MAX 16u

struct mipmap;

/**
 * struct array
 * @mipmap: whose level it is, NULL: an array of its own
 * @desc: as created; a level's has its own extent
 * @va: first byte; @pitch, @slice: bytes between rows, between slices and
 *      layers
 * @texel: bytes of an element
 * @lent: the program has it of a resource, which alone ends it
 */
struct array {
    CUarray handle;
    struct context *context;
    struct mipmap *mipmap;
    CUDA_ARRAY3D_DESCRIPTOR desc;
    uint64_t va;
    size_t pitch, slice;
    unsigned texel;
    bool lent;
};

struct mipmap {
    CUmipmappedArray handle;
    struct context *context;
    CUDA_ARRAY3D_DESCRIPTOR desc;
    unsigned levels;
    struct array *level[ARRAY_LEVELS_MAX];
};

/* The lock is held. NULL: stale or foreign. */
struct array *array_find(CUarray handle);
struct mipmap *mipmap_find(CUmipmappedArray handle);
/* Bytes of one channel; 0: a format that arrays here do not have. */
unsigned array_channel_bytes(CUarray_format format);
CUresult array_desc_check(const CUDA_ARRAY3D_DESCRIPTOR *desc, const char *api);
/* Rows and slices that memory has: at least 1. */
size_t array_rows(const CUDA_ARRAY3D_DESCRIPTOR *desc);
size_t array_slices(const CUDA_ARRAY3D_DESCRIPTOR *desc);

/* A checked @desc. The lock is held; array_discard() may let it go, as it waits for the context. A
 * stale handle is CUDA_SUCCESS. */
CUresult array_new(struct context *context, const CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray *array);
CUresult array_discard(CUarray array);
/* The same of an allocation that is no array's. */
CUresult array_memory_discard(struct context *context, uint64_t va);

/* Without memory and handle. */
struct array *array_make(struct context *context, const CUDA_ARRAY3D_DESCRIPTOR *desc);
size_t array_bytes(const struct array *array);
void array_give(struct array *array);
unsigned mipmap_levels_max(const CUDA_ARRAY3D_DESCRIPTOR *desc);
/* Each level's @va is its offset until there is memory. @bytes: of all */
struct mipmap *mipmap_make(struct context *context, const CUDA_ARRAY3D_DESCRIPTOR *desc,
                           unsigned levels, size_t *bytes);
void mipmap_give(struct mipmap *mipmap);
/* Their memory goes with the context's other regions. */
void array_free_all(struct context *context);

#endif
