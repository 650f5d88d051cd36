/* SPDX-License-Identifier: MIT */
/* Arrays and mipmapped arrays as objects: their shape in memory. */
#include "runtime/driver/array/array.h"

#include "runtime/driver/core/handle.h"
#include "runtime/driver/device/context.h"

#define LEVEL_ALIGN 512u

struct array *array_find(CUarray handle)
{
    return handle_find(HANDLE_ARRAY, handle);
}

struct mipmap *mipmap_find(CUmipmappedArray handle)
{
    return handle_find(HANDLE_MIPMAP, handle);
}

unsigned array_channel_bytes(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

size_t array_rows(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    return MAX(d->Height, 1);
}

size_t array_slices(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    return MAX(d->Depth, 1);
}

struct array *array_make(struct context *c, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    struct array *a = g_new0(struct array, 1);

    a->context = c;
    a->desc = *d;
    a->texel = array_channel_bytes(d->Format) * d->NumChannels;
    a->pitch = (d->Width * a->texel + ARRAY_PITCH - 1) & ~(size_t)(ARRAY_PITCH - 1);
    a->slice = a->pitch * array_rows(d);
    return a;
}

size_t array_bytes(const struct array *a)
{
    return a->slice * array_slices(&a->desc); /* extents are limited: at most 2^45 bytes */
}

void array_give(struct array *a)
{
    if (a->handle) {
        handle_free(a->handle);
    }
    g_free(a);
}

unsigned mipmap_levels_max(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    bool layers = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    size_t side = MAX(d->Width, MAX(d->Height, layers ? 0 : d->Depth));

    return MIN(64u - (unsigned)__builtin_clzll(side), ARRAY_LEVELS_MAX);
}

static size_t half(size_t n, unsigned level)
{
    return n ? MAX(n >> level, 1) : 0;
}

void mipmap_give(struct mipmap *m)
{
    for (unsigned i = 0; i < m->levels; i++) {
        array_give(m->level[i]);
    }
    if (m->handle) {
        handle_free(m->handle);
    }
    g_free(m);
}

/* Level by level; each one's @va is its offset until there is memory. */
struct mipmap *mipmap_make(struct context *c, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels,
                           size_t *bytes)
{
    bool layers = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    struct mipmap *m = g_new0(struct mipmap, 1);

    m->context = c;
    m->desc = *d;
    m->levels = levels;
    *bytes = 0;
    for (unsigned i = 0; i < levels; i++) {
        CUDA_ARRAY3D_DESCRIPTOR l = *d;

        l.Width = half(d->Width, i);
        l.Height = half(d->Height, i);
        l.Depth = layers ? d->Depth : half(d->Depth, i);
        m->level[i] = array_make(c, &l);
        m->level[i]->mipmap = m;
        m->level[i]->va = *bytes;
        *bytes += (array_bytes(m->level[i]) + LEVEL_ALIGN - 1) & ~(size_t)(LEVEL_ALIGN - 1);
    }
    return m;
}

/* Their memory goes with the context's other regions. */
void array_free_all(struct context *c)
{
    for (guint i = 0; i < c->arrays->len; i++) {
        array_give(g_ptr_array_index(c->arrays, i));
    }
    for (guint i = 0; i < c->mipmaps->len; i++) {
        mipmap_give(g_ptr_array_index(c->mipmaps, i));
    }
    g_ptr_array_set_size(c->arrays, 0);
    g_ptr_array_set_size(c->mipmaps, 0);
}
