/* SPDX-License-Identifier: MIT */
/* Arrays and mipmapped arrays as objects: their shape in memory. */
#include "runtime/driver/array/array_internal.h"

#include "runtime/driver/array/texref.h"
#include "runtime/driver/array/texture.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/memory/pending.h"

#define LEVEL_ALIGN 512u

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

static const struct object_kind array_kind = { .name = "array", .type = HANDLE_ARRAY };

struct array *array_make(struct context *c, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    struct array *a = object_new(&array_kind, sizeof(*a), c);

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
    object_unref(&a->base);
}

unsigned mipmap_levels_max(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    bool layers = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    size_t side = MAX(d->Width, MAX(d->Height, layers ? 0 : d->Depth));

    return MIN(64u - (unsigned)__builtin_clzll(side), ARRAY_LEVELS_MAX);
}

static size_t array_object_half(size_t n, unsigned level)
{
    return n ? MAX(n >> level, 1) : 0;
}

static void mipmap_end(void *object)
{
    const struct mipmap *m = object;

    for (unsigned i = 0; i < m->levels; i++) {
        array_give(m->level[i]);
    }
}

static const struct object_kind mipmap_kind = { .name = "mipmapped array",
                                                .type = HANDLE_MIPMAP,
                                                .end = mipmap_end };

void mipmap_give(struct mipmap *m)
{
    object_unref(&m->base);
}

/* Level by level; each one's @va is its offset until there is memory. */
struct mipmap *mipmap_make(struct context *c, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels,
                           size_t *bytes)
{
    bool layers = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    struct mipmap *m = object_new(&mipmap_kind, sizeof(*m), c);

    m->desc = *d;
    m->levels = levels;
    *bytes = 0;
    for (unsigned i = 0; i < levels; i++) {
        CUDA_ARRAY3D_DESCRIPTOR l = *d;

        l.Width = array_object_half(d->Width, i);
        l.Height = array_object_half(d->Height, i);
        l.Depth = layers ? d->Depth : array_object_half(d->Depth, i);
        m->level[i] = array_make(c, &l);
        m->level[i]->mipmap = m;
        m->level[i]->va = *bytes;
        *bytes += (array_bytes(m->level[i]) + LEVEL_ALIGN - 1) & ~(size_t)(LEVEL_ALIGN - 1);
    }
    return m;
}

void arrays_begin(struct context *c)
{
    struct context_arrays *own = g_new0(struct context_arrays, 1);

    own->chunks = g_ptr_array_new();
    own->textures = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, texture_forget);
    context_part_set(c, CONTEXT_ARRAYS, own);
    pending_lead_set(texture_used);
}

/* Their memory goes with the context's other regions. */
void array_free_all(struct context *c)
{
    struct context_arrays *own = arrays_of(c);

    while (own->texrefs.first) {
        texref_free(object_first(&own->texrefs));
    }
    while (own->arrays.first) {
        array_give(object_first(&own->arrays));
    }
    while (own->mipmaps.first) {
        mipmap_give(object_first(&own->mipmaps));
    }
}

void arrays_end(struct context *c)
{
    struct context_arrays *own = arrays_of(c);

    g_ptr_array_free(own->chunks, TRUE);
    g_hash_table_destroy(own->textures);
    core_bury(own);
}

void array_lend(CUarray array, bool lent)
{
    array_find(array)->lent = lent;
}

CUarray array_new_at(struct context *c, const CUDA_ARRAY3D_DESCRIPTOR *desc, uint64_t va,
                     uint64_t bytes, uint64_t pitch, const char *api)
{
    struct array *a;
    bool fits;

    if (array_desc_check(desc, api)) {
        return NULL;
    }
    a = array_make(c, desc);
    fits = !pitch || (pitch >= desc->Width * array_texel(a) && pitch <= bytes);
    if (fits && pitch) {
        a->pitch = pitch;
        a->slice = pitch * array_rows(&a->desc);
    }
    if (!fits || array_bytes(a) > bytes) {
        array_give(a);
        return NULL;
    }
    a->va = va;
    object_list_add(&arrays_of(c)->arrays, &a->base);
    return object_open(&a->base);
}

void array_drop(CUarray array)
{
    struct array *a = array_find(array);

    if (a) {
        array_give(a);
    }
}

struct mipmap *mipmap_new_flat(struct context *c, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    size_t bytes;

    return mipmap_make(c, desc, 1, &bytes);
}

size_t mipmap_flat_row(const struct mipmap *m)
{
    return m->desc.Width * m->level[0]->texel;
}

void mipmap_flat_pitch(struct mipmap *m, size_t pitch)
{
    struct array *a = m->level[0];

    a->pitch = pitch;
    a->slice = pitch * array_rows(&a->desc);
}

size_t mipmap_flat_bytes(const struct mipmap *m)
{
    return array_bytes(m->level[0]);
}

CUmipmappedArray mipmap_place(struct mipmap *m, uint64_t va)
{
    for (unsigned i = 0; i < m->levels; i++) {
        m->level[i]->va += va;
        object_open(&m->level[i]->base);
    }
    object_list_add(&arrays_of(m->base.context)->mipmaps, &m->base);
    return object_open(&m->base);
}
