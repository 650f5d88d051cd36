/* SPDX-License-Identifier: MIT */
/* Headers of texture and surface objects: chunks of the context's kernel memory. */
#include "runtime/driver/array/array_internal.h"
#include "runtime/driver/array/texture_internal.h"

#include <string.h>

#include "runtime/driver/core/fence.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/stream/stream.h"

#define CHUNK_HEADERS 64u

static struct texture *texture_at(struct context *c, const struct hal_mem *mem, unsigned i)
{
    struct texture *x = g_new0(struct texture, 1);

    x->handle = as_va(mem) + i * TEX_HEADER_BYTES;
    x->at = (struct tex_header *)((uint8_t *)mem->cpu + (size_t)i * TEX_HEADER_BYTES);
    g_hash_table_insert(arrays_of(c)->textures, &x->handle, x);
    return x;
}

void texture_forget(void *texture)
{
    struct texture *x = texture;

    if (x->until) {
        g_array_free(x->until, TRUE);
    }
    g_free(x);
}

/* Is it destroyed, and has all that may use it run? Then its header is gone. */
static gboolean is_over(void *key, void *value, void *data)
{
    struct texture *x = value;

    (void)key;
    (void)data;
    for (guint i = 0; x->until && i < x->until->len; i++) {
        if (!fence_reached(g_array_index(x->until, struct fence, i))) {
            return FALSE;
        }
    }
    if (x->until) {
        memset(x->at, 0, sizeof(*x->at)); /* a kernel that uses it afterwards finds no object */
    }
    return x->until != NULL;
}

static void texture_pool_reap(struct context *c)
{
    g_hash_table_foreach_remove(arrays_of(c)->textures, is_over, NULL);
}

struct texture *texture_new(struct context *c)
{
    struct hal_mem *mem;

    texture_pool_reap(c);

    for (guint n = 0; n < arrays_of(c)->chunks->len; n++) {
        mem = g_ptr_array_index(arrays_of(c)->chunks, n);
        for (unsigned i = 0; i < CHUNK_HEADERS; i++) {
            uint64_t handle = as_va(mem) + i * TEX_HEADER_BYTES;

            if (!g_hash_table_contains(arrays_of(c)->textures, &handle)) {
                return texture_at(c, mem, i);
            }
        }
    }
    mem = g_new0(struct hal_mem, 1);
    if (kernel_alloc(c, (size_t)CHUNK_HEADERS * TEX_HEADER_BYTES, mem)) {
        g_free(mem);
        return NULL;
    }
    g_ptr_array_add(arrays_of(c)->chunks, mem);
    return texture_at(c, mem, 0);
}

struct texture *texture_find(struct context *c, uint64_t handle, bool surface)
{
    struct texture *x = g_hash_table_lookup(arrays_of(c)->textures, &handle);

    return x && x->surface == surface && !x->until ? x : NULL;
}

void texture_free(struct context *c, struct texture *x)
{
    x->until = context_fences(c);
    texture_pool_reap(c);
}

/* Bytes of the memory that the object is of; of an array's those up to its end. */
static uint64_t texture_bytes(const CUDA_RESOURCE_DESC *r)
{
    switch (r->resType) {
    case CU_RESOURCE_TYPE_LINEAR:
        return r->res.linear.sizeInBytes;
    case CU_RESOURCE_TYPE_PITCH2D:
        return r->res.pitch2D.pitchInBytes * r->res.pitch2D.height;
    default:
        return UINT64_MAX;
    }
}

void texture_used(struct context *c, uint64_t word, struct fence fence)
{
    const struct texture *x = g_hash_table_lookup(arrays_of(c)->textures, &word);

    if (x && !x->until) {
        pending_kernel_range(x->at->level[0], texture_bytes(&x->resource), x->surface, fence);
    }
}

void textures_free_all(struct context *c)
{
    kernel_free_chunks(c, arrays_of(c)->chunks);
}
