/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: texture and surface objects. */
#ifndef RUNTIME_DRIVER_ARRAY_TEXTURE_INTERNAL_H
#define RUNTIME_DRIVER_ARRAY_TEXTURE_INTERNAL_H

#include "runtime/driver/array/texture.h"

/**
 * struct texture - no struct object: kernels are given its handle, which is an address and no
 * number of core/handle.h
 * @handle: the GPU's address of its header (model/regs/texture.h); @at: the CPU's
 * @until: destroyed while this work was under way, which still reads the header; NULL: an object
 */
struct texture {
    uint64_t handle;
    struct tex_header *at;
    GArray *until; /* struct fence */
    bool surface;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC desc;
    CUDA_RESOURCE_VIEW_DESC view;
};

#endif
