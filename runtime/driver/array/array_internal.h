/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what an array is, and those of a context. */
#ifndef RUNTIME_DRIVER_ARRAY_ARRAY_INTERNAL_H
#define RUNTIME_DRIVER_ARRAY_ARRAY_INTERNAL_H

#include "runtime/driver/array/array.h"
#include "runtime/driver/core/object.h"
#include "runtime/driver/device/context.h"

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
    struct object base;
    struct mipmap *mipmap;
    CUDA_ARRAY3D_DESCRIPTOR desc;
    uint64_t va;
    size_t pitch, slice;
    unsigned texel;
    bool lent;
};

struct mipmap {
    struct object base;
    CUDA_ARRAY3D_DESCRIPTOR desc;
    unsigned levels;
    struct array *level[ARRAY_LEVELS_MAX];
};

/**
 * struct context_arrays - those of a context
 * @texrefs: texture references of no module
 * @chunks: struct hal_mem, of headers of textures (texture_pool.c)
 * @textures: &handle -> struct texture, owned
 */
struct context_arrays {
    struct object_list arrays, mipmaps, texrefs;
    GPtrArray *chunks;
    GHashTable *textures;
};

static inline struct context_arrays *arrays_of(const struct context *context)
{
    return context_part(context, CONTEXT_ARRAYS);
}

#endif
