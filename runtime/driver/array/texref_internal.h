/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what a reference is. */
#ifndef RUNTIME_DRIVER_ARRAY_TEXREF_INTERNAL_H
#define RUNTIME_DRIVER_ARRAY_TEXREF_INTERNAL_H

#include "include/cuda.h"
#include "runtime/driver/array/texref.h"
#include "runtime/driver/array/texture_internal.h"
#include "runtime/driver/module/module_ref.h"

/**
 * struct texref
 * @bound: is @resource valid? Of memory @address is what the program gave
 * @own: made by cuTexRefCreate(), which alone cuTexRefDestroy() ends
 * @format, @channels: those that a fetch of memory has; of an array they are the array's until set
 * @object: made for the last launch; NULL: none. @dirty: the next one needs another
 */
struct texref {
    struct module_ref ref;
    bool surface, bound, own, dirty;
    CUarray_format format;
    int channels;
    CUdeviceptr address;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC desc;
    struct texture *object;
};

/* From now on; NULL: nothing */
void texref_bind(struct texref *r, const CUDA_RESOURCE_DESC *resource);
/* Is something bound that is still there? */
bool texref_is_bound(const struct texref *r, CUresourcetype type);

#endif
