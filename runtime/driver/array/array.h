/* SPDX-License-Identifier: MIT */
/* Inside the driver core: what an array is to copies, textures and surfaces. */
#ifndef RUNTIME_DRIVER_ARRAY_ARRAY_H
#define RUNTIME_DRIVER_ARRAY_ARRAY_H

#include "runtime/driver/core/core.h"

#define ARRAY_PITCH 64u
#define ARRAY_LEVELS_MAX 16u

struct array;
struct mipmap;

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

/* What it is: as created (a level has its own extent), its first byte, bytes between rows and of an
 * element. */
const CUDA_ARRAY3D_DESCRIPTOR *array_desc(const struct array *array);
uint64_t array_va(const struct array *array);
size_t array_pitch(const struct array *array);
size_t array_texel(const struct array *array);
void array_lend(CUarray array, bool lent); /* of a resource, which alone ends it */

/* One in memory that is there and has @bytes; NULL: it does not fit, or @desc is no array's (a line
 * in @api's name says so). @pitch: 0: as a new array has it. array_drop() leaves the memory. */
CUarray array_new_at(struct context *context, const CUDA_ARRAY3D_DESCRIPTOR *desc, uint64_t va,
                     uint64_t bytes, uint64_t pitch, const char *api);
void array_drop(CUarray array);
/* A mipmapped array of one level that gets its memory later; the level's pitch, and what it then
 * needs. */
struct mipmap *mipmap_new_flat(struct context *context, const CUDA_ARRAY3D_DESCRIPTOR *desc);
void mipmap_flat_pitch(struct mipmap *mipmap, size_t pitch);
size_t mipmap_flat_row(const struct mipmap *mipmap); /* bytes of a row, without a gap */
size_t mipmap_flat_bytes(const struct mipmap *mipmap);
CUmipmappedArray mipmap_place(struct mipmap *mipmap, uint64_t va);

/* A context: its part, the end of its arrays and of its textures, that of its part. */
void arrays_begin(struct context *context);
void textures_free_all(struct context *context);
void arrays_end(struct context *context);

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
