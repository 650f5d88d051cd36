/* SPDX-License-Identifier: MIT */
/* Arrays by handle, and what they are. */
#include "runtime/driver/array/array_internal.h"

#include "runtime/driver/core/handle.h"

struct array *array_find(CUarray handle)
{
    return handle_find(HANDLE_ARRAY, handle);
}

struct mipmap *mipmap_find(CUmipmappedArray handle)
{
    return handle_find(HANDLE_MIPMAP, handle);
}

const CUDA_ARRAY3D_DESCRIPTOR *array_desc(const struct array *a)
{
    return &a->desc;
}

uint64_t array_va(const struct array *a)
{
    return a->va;
}

size_t array_pitch(const struct array *a)
{
    return a->pitch;
}

size_t array_texel(const struct array *a)
{
    return a->texel;
}
