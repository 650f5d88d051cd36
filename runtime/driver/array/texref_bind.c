/* SPDX-License-Identifier: MIT */
/* Texture and surface references: making them, and binding memory and arrays to them. Answers are
 * measured (H200, driver 580.159.04; tests/golden/gen/texref_codes.txt). */
#include "runtime/driver/array/rt_texref.h"
#include "runtime/driver/array/texref_internal.h"

#include "runtime/driver/array/array_internal.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"

static CUresult ref_enter(enum handle_type type, const void *handle, struct texref **r)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *r = handle_find(type, handle);
    return *r ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_HANDLE);
}

CUresult rt_texref_create(CUtexref *ref)
{
    struct context *c;
    struct texref *r;
    CUresult error;

    if (!ref) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    error = core_enter_context(&c);
    if (error) {
        return error;
    }
    error = object_room("cuTexRefCreate", 1, "texture reference");
    if (!error) {
        r = texref_new(c, false);
        r->own = true;
        object_list_add(&arrays_of(c)->texrefs, &r->ref.base);
        *ref = r->ref.base.handle;
    }
    return core_leave(error);
}

/* One of a module's stays until the module goes (measured: success). */
CUresult rt_texref_destroy(CUtexref ref)
{
    struct texref *r;
    CUresult error = ref_enter(HANDLE_TEXREF, ref, &r);

    if (error) {
        return error;
    }
    if (r->own) {
        texref_free(r);
    }
    return core_leave(CUDA_SUCCESS);
}

static const struct soc_profile *profile_of(const struct texref *r)
{
    return device_profile(context_device(r->ref.base.context));
}

CUresult rt_texref_set_address(size_t *offset, CUtexref ref, CUdeviceptr ptr, size_t bytes)
{
    CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_LINEAR };
    struct texref *r;
    CUresult error = ref_enter(HANDLE_TEXREF, ref, &r);
    size_t off;

    if (error) {
        return error;
    }
    off = ptr % profile_of(r)->texture.alignment_bytes;
    if ((off && !offset) || bytes > (uint64_t)profile_of(r)->texture.max_1d_linear * 16) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    resource.res.linear.devPtr = ptr - off;
    resource.res.linear.sizeInBytes = bytes + off;
    r->address = ptr;
    texref_bind(r, ptr ? &resource : NULL);
    if (offset) {
        *offset = off;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texref_set_address_2d(CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr ptr,
                                  size_t pitch)
{
    CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_PITCH2D };
    struct texref *r;
    CUresult error = ref_enter(HANDLE_TEXREF, ref, &r);
    const struct soc_profile *p;

    if (error) {
        return error;
    }
    p = profile_of(r);
    if (!desc || ptr % p->texture.alignment_bytes || pitch % p->texture.pitch_alignment_bytes ||
        pitch > p->gpu.pitch_max_bytes || desc->Width > p->texture.max_2d_x ||
        desc->Height > p->texture.max_2d_y) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    resource.res.pitch2D.devPtr = ptr;
    resource.res.pitch2D.width = desc->Width;
    resource.res.pitch2D.height = desc->Height;
    resource.res.pitch2D.pitchInBytes = pitch;
    r->format = desc->Format;
    r->channels = (int)desc->NumChannels;
    r->address = ptr;
    texref_bind(r, ptr ? &resource : NULL);
    return core_leave(CUDA_SUCCESS);
}

static void bind_shape(struct texref *r, const CUDA_RESOURCE_DESC *resource,
                       const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    r->format = shape->Format;
    r->channels = (int)shape->NumChannels;
    texref_bind(r, resource);
}

CUresult rt_texref_set_array(CUtexref ref, CUarray array, unsigned flags)
{
    CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_ARRAY };
    const struct array *a;
    struct texref *r;
    CUresult error = ref_enter(HANDLE_TEXREF, ref, &r);

    if (error) {
        return error;
    }
    a = array_find(array);
    if (!a || (flags & ~(unsigned)CU_TRSA_OVERRIDE_FORMAT)) {
        return core_leave(a ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    }
    resource.res.array.hArray = array;
    bind_shape(r, &resource, &a->desc);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texref_set_mipmap(CUtexref ref, CUmipmappedArray mipmap, unsigned flags)
{
    CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY };
    const struct mipmap *m;
    struct texref *r;
    CUresult error = ref_enter(HANDLE_TEXREF, ref, &r);

    if (error) {
        return error;
    }
    m = mipmap_find(mipmap);
    if (!m || (flags & ~(unsigned)CU_TRSA_OVERRIDE_FORMAT)) {
        return core_leave(m ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    }
    resource.res.mipmap.hMipmappedArray = mipmap;
    bind_shape(r, &resource, &m->desc);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texref_address(CUdeviceptr *ptr, CUtexref ref)
{
    struct texref *r;
    CUresult error = ref_enter(HANDLE_TEXREF, ref, &r);

    if (error) {
        return error;
    }
    if (!ptr || (!texref_is_bound(r, CU_RESOURCE_TYPE_LINEAR) &&
                 !texref_is_bound(r, CU_RESOURCE_TYPE_PITCH2D))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *ptr = r->address;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texref_array(CUarray *array, CUtexref ref)
{
    struct texref *r;
    CUresult error = ref_enter(HANDLE_TEXREF, ref, &r);

    if (error) {
        return error;
    }
    if (!array || !texref_is_bound(r, CU_RESOURCE_TYPE_ARRAY)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *array = r->resource.res.array.hArray;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texref_mipmap(CUmipmappedArray *mipmap, CUtexref ref)
{
    struct texref *r;
    CUresult error = ref_enter(HANDLE_TEXREF, ref, &r);

    if (error) {
        return error;
    }
    if (!mipmap || !texref_is_bound(r, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *mipmap = r->resource.res.mipmap.hMipmappedArray;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_surfref_set_array(CUsurfref ref, CUarray array, unsigned flags)
{
    CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_ARRAY };
    const struct array *a;
    struct texref *r;
    CUresult error = ref_enter(HANDLE_SURFREF, ref, &r);

    if (error) {
        return error;
    }
    a = array_find(array);
    if (!a) {
        return core_leave(CUDA_ERROR_INVALID_HANDLE);
    }
    if (flags || !(a->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    resource.res.array.hArray = array;
    texref_bind(r, &resource);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_surfref_array(CUarray *array, CUsurfref ref)
{
    struct texref *r;
    CUresult error = ref_enter(HANDLE_SURFREF, ref, &r);

    if (error) {
        return error;
    }
    if (!array || !texref_is_bound(r, CU_RESOURCE_TYPE_ARRAY)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *array = r->resource.res.array.hArray;
    return core_leave(CUDA_SUCCESS);
}
