/* SPDX-License-Identifier: MIT */
/* Texture and surface references: what is bound to one becomes an object at a launch. CUDA Driver
 * API, texture reference management. */
#include "runtime/driver/array/texref_internal.h"

#include "runtime/driver/array/array_internal.h"

/* No address of a header: a fetch through it is a fault, as on a board one from memory that is
 * gone. */
#define TEXREF_BROKEN 1u

static void texref_end(void *object)
{
    struct texref *r = object;

    if (r->object) {
        texture_free(r->ref.base.context, r->object);
    }
}

static const struct object_kind texref_kind = { .name = "texture reference",
                                                .type = HANDLE_TEXREF,
                                                .end = texref_end };
static const struct object_kind surfref_kind = { .name = "surface reference",
                                                 .type = HANDLE_SURFREF,
                                                 .end = texref_end };

void texref_bind(struct texref *r, const CUDA_RESOURCE_DESC *resource)
{
    r->bound = resource != NULL;
    if (resource) {
        r->resource = *resource;
    }
    r->dirty = true;
}

bool texref_is_bound(const struct texref *r, CUresourcetype type)
{
    return r->bound && r->resource.resType == type &&
           (type == CU_RESOURCE_TYPE_ARRAY ? array_find(r->resource.res.array.hArray) != NULL
            : type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
                ? mipmap_find(r->resource.res.mipmap.hMipmappedArray) != NULL
                : true);
}

static CUresult header_of(const struct texref *r, struct tex_header *h)
{
    CUDA_TEXTURE_DESC desc = r->desc;
    CUDA_RESOURCE_DESC resource = r->resource;
    CUresult error;

    if (r->surface) {
        return surface_header(&resource, h);
    }
    desc.filterMode &= CU_TR_FILTER_MODE_LINEAR; /* any number may be set (measured) */
    if (resource.resType == CU_RESOURCE_TYPE_LINEAR) {
        resource.res.linear.format = r->format;
        resource.res.linear.numChannels = (unsigned)r->channels;
    } else if (resource.resType == CU_RESOURCE_TYPE_PITCH2D) {
        resource.res.pitch2D.format = r->format;
        resource.res.pitch2D.numChannels = (unsigned)r->channels;
    }
    error = texture_header(&resource, &desc, NULL, h);
    return error ? error : texture_format(h, r->format, (unsigned)r->channels);
}

/* See struct module_ref. */
static uint64_t texref_value(struct module_ref *ref)
{
    struct texref *r = (struct texref *)ref;
    struct tex_header h;

    if (!texref_is_bound(r, r->resource.resType)) {
        return 0;
    }
    if (r->dirty && r->object) {
        texture_free(r->ref.base.context, r->object);
        r->object = NULL;
    }
    if (!r->object && !header_of(r, &h)) {
        r->object = texture_new(r->ref.base.context);
        if (r->object) {
            *r->object->at = h;
        }
    }
    r->dirty = !r->object;
    return r->object ? r->object->handle : TEXREF_BROKEN;
}

/* Settings at first: measured (H200, driver 580.159.04; tests/golden/gen/texref_codes.txt). */
struct texref *texref_new(struct context *c, bool surface)
{
    struct texref *r = object_new(surface ? &surfref_kind : &texref_kind, sizeof(*r), c);

    r->ref.value = texref_value;
    r->surface = surface;
    r->format = CU_AD_FORMAT_FLOAT;
    r->channels = 1;
    for (unsigned i = 0; i < G_N_ELEMENTS(r->desc.addressMode); i++) {
        r->desc.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    }
    object_open(&r->ref.base);
    return r;
}

void texref_free(struct texref *r)
{
    object_unref(&r->ref.base);
}
