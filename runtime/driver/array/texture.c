/* SPDX-License-Identifier: MIT */
/* Texture and surface objects. CUDA Driver API, texture object management, surface object
 * management. */
#include "runtime/driver/array/texture_internal.h"

#include "runtime/driver/array/array_internal.h"
#include "runtime/driver/array/rt_texture.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/stream/capture.h"

/* An array of another GPU, which is no peer: measured with two GPUs, also where they might be. */
static CUresult array_reach(const struct context *c, const CUDA_RESOURCE_DESC *resource)
{
    const struct context *owner = NULL;

    if (resource->resType == CU_RESOURCE_TYPE_ARRAY) {
        owner = array_find(resource->res.array.hArray)->base.context;
    } else if (resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
        owner = mipmap_find(resource->res.mipmap.hMipmappedArray)->base.context;
    }
    return owner && context_device(owner) != context_device(c) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
                                                               : CUDA_SUCCESS;
}

/* From a checked header to an object. */
static CUresult object_make(struct context *c, const struct tex_header *h, struct texture **out)
{
    struct texture *x = texture_new(c);

    if (!x) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *x->at = *h;
    *out = x;
    return CUDA_SUCCESS;
}

CUresult rt_texture_create(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct context *c;
    struct texture *x;
    struct tex_header h;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!texture || !resource || !desc) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = texture_header(resource, desc, view, &h);
    error = error ? error : array_reach(c, resource);
    error = error ? error : capture_unsafe();
    error = error ? error : object_make(c, &h, &x);
    if (!error) {
        x->resource = *resource;
        x->desc = *desc;
        x->view = view ? *view : (CUDA_RESOURCE_VIEW_DESC){ 0 };
        *texture = x->handle;
    }
    return core_leave(error);
}

CUresult rt_surface_create(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
    struct context *c;
    struct texture *x;
    struct tex_header h;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!surface || !resource) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = surface_header(resource, &h);
    error = error ? error : array_reach(c, resource);
    error = error ? error : capture_unsafe();
    error = error ? error : object_make(c, &h, &x);
    if (!error) {
        x->surface = true;
        x->resource = *resource;
        *surface = x->handle;
    }
    return core_leave(error);
}

static CUresult texture_destroy(uint64_t handle, bool surface)
{
    struct context *c;
    struct texture *x;
    CUresult error = core_enter_context(&c);

    if (error || !handle) {
        return error ? error : core_leave(CUDA_SUCCESS);
    }
    x = texture_find(c, handle, surface);
    if (!x) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = capture_unsafe();
    if (!error) {
        texture_free(c, x);
    }
    return core_leave(error);
}

CUresult rt_texture_destroy(CUtexObject texture)
{
    return texture_destroy(texture, false);
}

CUresult rt_surface_destroy(CUsurfObject surface)
{
    return texture_destroy(surface, true);
}

/* core_enter() and the object; the lock is held on success only. */
static CUresult enter_object(const void *result, uint64_t handle, bool surface,
                             struct texture **out)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    *out = texture_find(c, handle, surface);
    return result && *out ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_texture_resource(CUDA_RESOURCE_DESC *resource, CUtexObject texture)
{
    struct texture *x;
    CUresult error = enter_object(resource, texture, false, &x);

    if (error) {
        return error;
    }
    *resource = x->resource;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texture_desc(CUDA_TEXTURE_DESC *desc, CUtexObject texture)
{
    struct texture *x;
    CUresult error = enter_object(desc, texture, false, &x);

    if (error) {
        return error;
    }
    *desc = x->desc;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texture_view(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject texture)
{
    struct texture *x;
    CUresult error = enter_object(view, texture, false, &x);

    if (error) {
        return error;
    }
    *view = x->view;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_surface_resource(CUDA_RESOURCE_DESC *resource, CUsurfObject surface)
{
    struct texture *x;
    CUresult error = enter_object(resource, surface, true, &x);

    if (error) {
        return error;
    }
    *resource = x->resource;
    return core_leave(CUDA_SUCCESS);
}
