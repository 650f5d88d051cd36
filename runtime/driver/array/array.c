/* SPDX-License-Identifier: MIT */
/* Arrays and mipmapped arrays: device memory with a shape. CUDA Driver API, memory management. */
#include "runtime/driver/array/array_internal.h"
#include "runtime/driver/array/rt_array.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/stream.h"

#define FLAGS_KNOWN                                                                             \
    (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |                  \
     CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_COLOR_ATTACHMENT | \
     CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE)
#define FLAGS_MISSING                                                                   \
    (CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING | \
     CUDA_ARRAY3D_VIDEO_ENCODE_DECODE)

/* cuArray3DCreate, the table of extents: the limits are those of cuDeviceGetAttribute. */
static bool extent_valid(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const struct soc_profile *p = device_profile(device_current());
    const __typeof__(p->texture) *t = &p->texture;
    bool layered = d->Flags & CUDA_ARRAY3D_LAYERED;

    if (d->Flags & CUDA_ARRAY3D_CUBEMAP) {
        return d->Width == d->Height && d->Width <= t->max_2d_layered_x && d->Depth &&
               (layered ? d->Depth % 6 == 0 && d->Depth <= t->max_2d_layers : d->Depth == 6);
    }
    if (layered) {
        return d->Depth &&
               (d->Height ? d->Width <= t->max_2d_layered_x && d->Height <= t->max_2d_layered_y &&
                                d->Depth <= t->max_2d_layers
                          : d->Width <= t->max_1d_layered_x && d->Depth <= t->max_1d_layers);
    }
    if (d->Depth) {
        return d->Height && d->Width <= t->max_3d_x && d->Height <= t->max_3d_y &&
               d->Depth <= t->max_3d_z;
    }
    return d->Height ? d->Width <= t->max_2d_x && d->Height <= t->max_2d_y : d->Width <= t->max_1d;
}

CUresult array_desc_check(const CUDA_ARRAY3D_DESCRIPTOR *d, const char *api)
{
    bool flat =
        !(d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) && d->Height && !d->Depth;

    if (!d->Width || (d->Flags & ~(unsigned)FLAGS_KNOWN) ||
        (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4) || !extent_valid(d) ||
        (d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER && !flat)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!array_channel_bytes(d->Format)) {
        if (d->Format < CU_AD_FORMAT_BC1_UNORM) { /* none of the enumeration's below it */
            return CUDA_ERROR_INVALID_VALUE;
        }
        return report_error(CUDA_ERROR_NOT_SUPPORTED, api, "vtegra",
                            "vtegra's arrays have formats of 8, 16 and 32 bits a channel; %d is "
                            "not among them",
                            (int)d->Format);
    }
    if (d->Flags & FLAGS_MISSING) {
        return report_error(CUDA_ERROR_NOT_SUPPORTED, api, "vtegra",
                            "vtegra has no sparse, deferred, depth or video arrays (flags 0x%x)",
                            d->Flags & FLAGS_MISSING);
    }
    return CUDA_SUCCESS;
}

static CUresult memory_take(struct context *c, size_t bytes, const char *api, uint64_t *va)
{
    CUresult error;
    struct region *r = region_alloc(c, HAL_MEM_DEVICE, bytes, &error);

    if (!r) {
        return report_error(error, api, "CUDA for Tegra 2.2", "no room for %zu bytes", bytes);
    }
    region_keep(r); /* cuArrayDestroy() frees it, not cuMemFree() */
    report_region(r, api);
    *va = region_address(r);
    return CUDA_SUCCESS;
}

/* As cuMemFree(): after the context's work. @api: NULL: the driver's own array, no early free. */
static CUresult memory_give(struct context *c, uint64_t va, const char *api)
{
    g_autoptr(GArray) pending = inuse_pending();
    CUresult error = context_wait(c);
    struct region *r = region_at(va);
    struct check_caller caller;

    if (error || !r) {
        return error;
    }
    if (api) {
        inuse_report(pending, r, api);
    }
    caller = check_caller_get();
    if (!region_shared(r)) {
        check_region_remove(core_check(), region_id(r), &caller);
    }
    region_free(r);
    return CUDA_SUCCESS;
}

CUresult array_new(struct context *c, const CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray *array)
{
    struct array *a = array_make(c, desc);
    CUresult error = memory_take(c, array_bytes(a), "cuArray3DCreate", &a->va);

    if (error) {
        array_give(a);
        return error;
    }
    object_list_add(&arrays_of(c)->arrays, &a->base);
    *array = object_open(&a->base);
    return CUDA_SUCCESS;
}

static CUresult array_end(CUarray array, const char *api)
{
    struct array *a = array_find(array);
    CUresult error = a ? memory_give(a->base.context, a->va, api) : CUDA_SUCCESS;

    a = array_find(array); /* the wait may have let another thread in */
    if (a && !error) {
        array_give(a);
    }
    return error;
}

CUresult array_discard(CUarray array)
{
    return array_end(array, NULL);
}

CUresult array_memory_discard(struct context *c, uint64_t va)
{
    return memory_give(c, va, NULL);
}

CUresult rt_array_create(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!array || !desc) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = array_desc_check(desc, "cuArray3DCreate");
    error = error ? error : capture_unsafe();
    error = error ? error : object_room("cuArrayCreate", 1, "array");
    return core_leave(error ? error : array_new(c, desc, array));
}

CUresult rt_array_create_2d(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc)
{
    CUDA_ARRAY3D_DESCRIPTOR d = { 0 };

    if (desc) {
        d = (CUDA_ARRAY3D_DESCRIPTOR){ .Width = desc->Width,
                                       .Height = desc->Height,
                                       .Format = desc->Format,
                                       .NumChannels = desc->NumChannels };
    }
    return rt_array_create(array, desc ? &d : NULL);
}

/* core_enter() and the array; the lock is held on success only. */
static CUresult enter_array(CUarray handle, struct array **out)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    *out = array_find(handle);
    return *out ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_HANDLE);
}

static CUresult enter_mipmap(CUmipmappedArray handle, struct mipmap **out)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    *out = mipmap_find(handle);
    return *out ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_HANDLE);
}

CUresult rt_array_descriptor(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array)
{
    struct array *a;
    CUresult error = enter_array(array, &a);

    if (error) {
        return error;
    }
    if (!desc) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *desc = a->desc;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_array_descriptor_2d(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult error = rt_array_descriptor(desc ? &d : NULL, array);

    if (!error) {
        *desc = (CUDA_ARRAY_DESCRIPTOR){ d.Width, d.Height, d.Format, d.NumChannels };
    }
    return error;
}

CUresult rt_array_destroy(CUarray array)
{
    struct array *a;
    CUresult error = enter_array(array, &a);

    if (error) {
        return error;
    }
    if (a->mipmap) { /* a level goes with its mipmapped array */
        return core_leave(CUDA_ERROR_INVALID_HANDLE);
    }
    if (a->lent) {
        return core_leave(report_error(CUDA_ERROR_ARRAY_IS_MAPPED, "cuArrayDestroy",
                                       "CUDA Driver API, cuArrayDestroy",
                                       "the array is an EGLImage's: "
                                       "cuGraphicsUnregisterResource() ends both"));
    }
    error = capture_unsafe();
    return core_leave(error ? error : array_end(array, "cuArrayDestroy"));
}

/* Mipmapped arrays */

CUresult rt_mipmap_create(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *desc,
                          unsigned levels)
{
    struct context *c;
    struct mipmap *m;
    size_t bytes;
    uint64_t va = 0;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!mipmap || !desc) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = array_desc_check(desc, "cuMipmappedArrayCreate");
    error = error ? error : capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    /* "clamped to the range [1, 1 + floor(log2(max(width, height, depth)))]" */
    m = mipmap_make(c, desc, CLAMP(levels, 1, mipmap_levels_max(desc)), &bytes);
    error = memory_take(c, bytes, "cuMipmappedArrayCreate", &va);
    if (error) {
        mipmap_give(m);
        return core_leave(error);
    }
    *mipmap = mipmap_place(m, va);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_mipmap_level(CUarray *array, CUmipmappedArray mipmap, unsigned level)
{
    struct mipmap *m;
    CUresult error = enter_mipmap(mipmap, &m);

    if (error) {
        return error;
    }
    if (!array || level >= m->levels) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *array = m->level[level]->base.handle;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_mipmap_destroy(CUmipmappedArray mipmap)
{
    struct mipmap *m;
    CUresult error = enter_mipmap(mipmap, &m);

    if (error) {
        return error;
    }
    error = capture_unsafe();
    error =
        error ? error : memory_give(m->base.context, m->level[0]->va, "cuMipmappedArrayDestroy");
    if (!error && (m = mipmap_find(mipmap))) {
        mipmap_give(m);
    }
    return core_leave(error);
}
