/* SPDX-License-Identifier: MIT */
/* From NVIDIA's descriptors to the header that the texture unit reads; bad ones are found here. */
#include <string.h>

#include "runtime/driver/array/array_internal.h"
#include "runtime/driver/array/texture_internal.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/device/rt_device.h"
#include "runtime/driver/memory/memory.h"

#define FLAGS_KNOWN                                                            \
    (CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB | \
     CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP)

static bool channel_of(CUarray_format format, uint8_t *channel)
{
    static const struct {
        CUarray_format format;
        uint8_t channel;
    } rows[] = {
        { CU_AD_FORMAT_UNSIGNED_INT8, TEX_U8 },   { CU_AD_FORMAT_SIGNED_INT8, TEX_S8 },
        { CU_AD_FORMAT_UNSIGNED_INT16, TEX_U16 }, { CU_AD_FORMAT_SIGNED_INT16, TEX_S16 },
        { CU_AD_FORMAT_UNSIGNED_INT32, TEX_U32 }, { CU_AD_FORMAT_SIGNED_INT32, TEX_S32 },
        { CU_AD_FORMAT_HALF, TEX_F16 },           { CU_AD_FORMAT_FLOAT, TEX_F32 },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].format == format) {
            *channel = rows[i].channel;
            return true;
        }
    }
    return false;
}

static bool texture_header_elements(struct tex_header *h, CUarray_format format, unsigned channels)
{
    h->channels = (uint8_t)channels;
    return channel_of(format, &h->channel) && (channels == 1 || channels == 2 || channels == 4);
}

static unsigned texel_bytes(const struct tex_header *h)
{
    static const uint8_t bytes[] = { [TEX_U8] = 1,  [TEX_S8] = 1,  [TEX_U16] = 2, [TEX_S16] = 2,
                                     [TEX_U32] = 4, [TEX_S32] = 4, [TEX_F16] = 2, [TEX_F32] = 4 };

    return bytes[h->channel] * (unsigned)h->channels;
}

static void take_array(struct tex_header *h, const struct array *a, unsigned levels)
{
    const CUDA_ARRAY3D_DESCRIPTOR *d = &a->desc;
    bool layers = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);

    texture_header_elements(h, d->Format, d->NumChannels);
    h->width = (uint32_t)d->Width;
    h->height = (uint32_t)array_rows(d);
    h->depth = (uint32_t)array_slices(d);
    h->layers = layers ? h->depth : 1;
    h->flags |= (d->Flags & CUDA_ARRAY3D_LAYERED ? TEX_LAYERED : 0) |
                (d->Flags & CUDA_ARRAY3D_CUBEMAP ? TEX_CUBE : 0) | (d->Height ? 0 : TEX_ROW);
    h->pitch = (uint32_t)a->pitch;
    h->pitch_align = ARRAY_PITCH;
    h->slice = a->slice;
    h->levels = (uint8_t)levels;
}

static CUresult resource_array(const CUDA_RESOURCE_DESC *r, struct tex_header *h)
{
    const struct array *a = array_find(r->res.array.hArray);

    if (!a) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    take_array(h, a, 1);
    h->level[0] = a->va;
    return CUDA_SUCCESS;
}

static CUresult resource_mipmap(const CUDA_RESOURCE_DESC *r, struct tex_header *h)
{
    const struct mipmap *m = mipmap_find(r->res.mipmap.hMipmappedArray);

    if (!m) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    take_array(h, m->level[0], m->levels);
    for (unsigned i = 0; i < m->levels; i++) {
        h->level[i] = m->level[i]->va;
    }
    return CUDA_SUCCESS;
}

static bool memory_valid(CUdeviceptr p)
{
    const struct device *d = device_current();

    return p && p % device_profile(d)->texture.alignment_bytes == 0 &&
           (region_at(p) || device_pageable(d));
}

static CUresult resource_linear(const CUDA_RESOURCE_DESC *r, struct tex_header *h)
{
    size_t bytes;

    if (!texture_header_elements(h, r->res.linear.format, r->res.linear.numChannels) ||
        !memory_valid(r->res.linear.devPtr)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    bytes = (size_t)array_channel_bytes(r->res.linear.format) * r->res.linear.numChannels;
    /* cuDeviceGetTexture1DLinearMaxWidth(): the attribute counts elements of 16 bytes (measured).
     */
    if (r->res.linear.sizeInBytes / bytes >
        (uint64_t)device_profile(device_current())->texture.max_1d_linear * 16 / bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    h->flags |= TEX_BUFFER;
    h->width = (uint32_t)MIN(r->res.linear.sizeInBytes / bytes, UINT32_MAX);
    h->height = h->depth = h->layers = h->levels = 1;
    h->pitch_align = 1;
    h->level[0] = r->res.linear.devPtr;
    return CUDA_SUCCESS;
}

static CUresult resource_pitch(const CUDA_RESOURCE_DESC *r, struct tex_header *h)
{
    const struct soc_profile *p = device_profile(device_current());

    if (!texture_header_elements(h, r->res.pitch2D.format, r->res.pitch2D.numChannels) ||
        !memory_valid(r->res.pitch2D.devPtr) ||
        r->res.pitch2D.pitchInBytes % p->texture.pitch_alignment_bytes ||
        r->res.pitch2D.pitchInBytes > p->gpu.pitch_max_bytes ||
        r->res.pitch2D.width > p->texture.max_2d_x || r->res.pitch2D.height > p->texture.max_2d_y) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    h->width = (uint32_t)MAX(r->res.pitch2D.width, 1);
    h->height = (uint32_t)MAX(r->res.pitch2D.height, 1);
    h->depth = h->layers = h->levels = 1;
    h->pitch = (uint32_t)r->res.pitch2D.pitchInBytes;
    h->pitch_align = 1;
    h->slice = (uint64_t)h->pitch * h->height;
    h->level[0] = r->res.pitch2D.devPtr;
    return CUDA_SUCCESS;
}

static CUresult resource_take(const CUDA_RESOURCE_DESC *r, struct tex_header *h)
{
    *h = (struct tex_header){ .magic = TEX_MAGIC };
    if (r->flags) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return resource_array(r, h);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return resource_mipmap(r, h);
    case CU_RESOURCE_TYPE_LINEAR:
        return resource_linear(r, h);
    case CU_RESOURCE_TYPE_PITCH2D:
        return resource_pitch(r, h);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static bool desc_take(const CUDA_TEXTURE_DESC *d, struct tex_header *h)
{
    if ((d->flags & ~(unsigned)FLAGS_KNOWN) || (unsigned)d->filterMode > CU_TR_FILTER_MODE_LINEAR ||
        (unsigned)d->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR) {
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        if ((unsigned)d->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER) {
            return false;
        }
        h->address[i] = (uint8_t)d->addressMode[i]; /* the same numbers */
    }
    h->flags |= (d->flags & CU_TRSF_READ_AS_INTEGER ? 0 : TEX_FLOATS) |
                (d->flags & CU_TRSF_NORMALIZED_COORDINATES ? TEX_NORMALIZED : 0) |
                (d->flags & CU_TRSF_SRGB ? TEX_SRGB : 0) |
                (d->flags & CU_TRSF_SEAMLESS_CUBEMAP ? TEX_SEAMLESS : 0) |
                (d->filterMode == CU_TR_FILTER_MODE_LINEAR ? TEX_LINEAR : 0) |
                (d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR ? TEX_MIP_LINEAR : 0);
    h->bias = d->mipmapLevelBias;
    h->min = d->minMipmapLevelClamp;
    h->max = d->maxMipmapLevelClamp;
    memcpy(h->border, d->borderColor, sizeof(h->border));
    return true;
}

/* Formats of views: channels 1, 2, 4 of each kind, in the order of CUresourceViewFormat. */
static bool view_format(CUresourceViewFormat f, struct tex_header *h)
{
    static const uint8_t kinds[] = { TEX_U8,  TEX_S8,  TEX_U16, TEX_S16,
                                     TEX_U32, TEX_S32, TEX_F16, TEX_F32 };
    static const uint8_t bytes[] = { 1, 1, 2, 2, 4, 4, 2, 4 };
    unsigned i = (unsigned)f - CU_RES_VIEW_FORMAT_UINT_1X8, channels = 1u << i % 3;

    if (i / 3 >= G_N_ELEMENTS(kinds) ||
        bytes[kinds[i / 3]] * channels != (unsigned)bytes[h->channel] * h->channels) {
        return false;
    }
    h->channel = kinds[i / 3];
    h->channels = (uint8_t)channels;
    return true;
}

/* A view has the extent of the whole; levels and layers are a part of it (measured). */
static CUresult view_take(const CUDA_RESOURCE_VIEW_DESC *v, CUresourcetype type,
                          const CUDA_ARRAY3D_DESCRIPTOR *d, struct tex_header *h)
{
    unsigned first, last;

    if (v->format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1 &&
        v->format <= CU_RES_VIEW_FORMAT_UNSIGNED_BC7) {
        return report_error(CUDA_ERROR_NOT_SUPPORTED, "cuTexObjectCreate", "vtegra",
                            "vtegra's texture unit reads no block-compressed views");
    }
    if ((type != CU_RESOURCE_TYPE_ARRAY && type != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) ||
        (v->format && !view_format(v->format, h)) || v->width != d->Width ||
        v->height != d->Height || v->depth != d->Depth) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    first = MIN(v->firstMipmapLevel, h->levels - 1u);
    last = CLAMP(v->lastMipmapLevel, first, h->levels - 1u);
    if (first) {
        h->min += (float)first;
    }
    h->max = MIN(h->max + (float)first, (float)last);
    h->bias += (float)first;
    if (v->lastLayer && v->firstLayer <= v->lastLayer && v->lastLayer < h->layers) {
        for (unsigned i = 0; i < h->levels; i++) {
            h->level[i] += v->firstLayer * h->slice;
        }
        h->layers = v->lastLayer - v->firstLayer + 1;
    }
    return CUDA_SUCCESS;
}

static const CUDA_ARRAY3D_DESCRIPTOR *shape_of(const CUDA_RESOURCE_DESC *r)
{
    const struct array *a =
        r->resType == CU_RESOURCE_TYPE_ARRAY ? array_find(r->res.array.hArray) : NULL;
    const struct mipmap *m = r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
                                 ? mipmap_find(r->res.mipmap.hMipmappedArray)
                                 : NULL;

    return a ? &a->desc : m ? &m->desc : NULL;
}

CUresult texture_header(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *d,
                        const CUDA_RESOURCE_VIEW_DESC *v, struct tex_header *h)
{
    CUresult error = resource_take(r, h);

    if (error) {
        return error;
    }
    if (!desc_take(d, h)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return v ? view_take(v, r->resType, shape_of(r), h) : CUDA_SUCCESS;
}

CUresult texture_format(struct tex_header *h, CUarray_format format, unsigned channels)
{
    struct tex_header other = *h;

    if (!texture_header_elements(&other, format, channels) ||
        texel_bytes(&other) != texel_bytes(h)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *h = other;
    return CUDA_SUCCESS;
}

/* Inferred: NVIDIA's sample cudaNvSciNvMedia, which is for Tegra alone, makes surfaces of arrays of
 * cudaMallocArray() and of NvSciBufs without the flag. */
CUresult surface_header(const CUDA_RESOURCE_DESC *r, struct tex_header *h)
{
    const struct array *a = array_find(r->res.array.hArray);
    CUresult error;

    if (r->resType != CU_RESOURCE_TYPE_ARRAY || !a ||
        (!(a->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST) && !rt_gpu_integrated())) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    error = resource_take(r, h);
    h->flags |= TEX_SURFACE;
    return error;
}
