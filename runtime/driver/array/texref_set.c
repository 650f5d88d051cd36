/* SPDX-License-Identifier: MIT */
/* The settings of texture references. Answers are measured (H200, driver 580.159.04;
 * tests/golden/gen/texref_codes.txt): numbers that mean nothing are taken, too. */
#include "runtime/driver/array/rt_texref.h"
#include "runtime/driver/array/texref_internal.h"

#include <string.h>

#define FLAGS_KNOWN 0x3fu

static CUresult texref_enter(CUtexref handle, struct texref **r)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *r = handle_find(HANDLE_TEXREF, handle);
    return *r ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_HANDLE);
}

/* core_leave() of a call whose arguments were @good; the next launch has what it set. */
static CUresult leave_set(struct texref *r, bool good)
{
    r->dirty |= good;
    return core_leave(good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_texref_set_format(CUtexref ref, CUarray_format format, int channels)
{
    bool good = channels == 0 || channels == 1 || channels == 2 || channels == 4;
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    if (good) {
        r->format = format;
        r->channels = channels;
    }
    return leave_set(r, good);
}

CUresult rt_texref_set_mode(CUtexref ref, int dim, CUaddress_mode mode)
{
    bool good = dim >= 0 && dim < 3;
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    if (good) {
        r->desc.addressMode[dim] =
            (unsigned)mode > CU_TR_ADDRESS_MODE_BORDER ? CU_TR_ADDRESS_MODE_CLAMP : mode;
    }
    return leave_set(r, good);
}

CUresult rt_texref_set_filter(CUtexref ref, CUfilter_mode mode)
{
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    r->desc.filterMode = mode;
    return leave_set(r, true);
}

CUresult rt_texref_set_mip_filter(CUtexref ref, CUfilter_mode mode)
{
    bool good = mode == CU_TR_FILTER_MODE_POINT || mode == CU_TR_FILTER_MODE_LINEAR;
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    if (good) {
        r->desc.mipmapFilterMode = mode;
    }
    return leave_set(r, good);
}

CUresult rt_texref_set_bias(CUtexref ref, float bias)
{
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    r->desc.mipmapLevelBias = bias;
    return leave_set(r, true);
}

CUresult rt_texref_set_clamp(CUtexref ref, float min, float max)
{
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    r->desc.minMipmapLevelClamp = min;
    r->desc.maxMipmapLevelClamp = max;
    return leave_set(r, true);
}

CUresult rt_texref_set_anisotropy(CUtexref ref, unsigned most)
{
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    r->desc.maxAnisotropy = most;
    return leave_set(r, true);
}

CUresult rt_texref_set_border(CUtexref ref, const float *color)
{
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    if (color) {
        memcpy(r->desc.borderColor, color, sizeof(r->desc.borderColor));
    }
    return leave_set(r, color != NULL);
}

CUresult rt_texref_set_flags(CUtexref ref, unsigned flags)
{
    bool good = !(flags & ~FLAGS_KNOWN);
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    if (good) {
        r->desc.flags = flags;
    }
    return leave_set(r, good);
}

/* A result may be NULL here alone (measured). */
CUresult rt_texref_format(CUarray_format *format, int *channels, CUtexref ref)
{
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    if (format) {
        *format = r->format;
    }
    if (channels) {
        *channels = r->channels;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texref_mode(CUaddress_mode *mode, CUtexref ref, int dim)
{
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    if (!mode || dim < 0 || dim > 2) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *mode = r->desc.addressMode[dim];
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texref_clamp(float *min, float *max, CUtexref ref)
{
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    if (!min || !max) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *min = r->desc.minMipmapLevelClamp;
    *max = r->desc.maxMipmapLevelClamp;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_texref_border(float *color, CUtexref ref)
{
    struct texref *r;
    CUresult error = texref_enter(ref, &r);

    if (error) {
        return error;
    }
    if (!color) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    memcpy(color, r->desc.borderColor, sizeof(r->desc.borderColor));
    return core_leave(CUDA_SUCCESS);
}

/* One number of the description */
#define TEXREF_GET(call, type, field)                    \
    CUresult call(type *result, CUtexref ref)            \
    {                                                    \
        struct texref *r;                                \
        CUresult error = texref_enter(ref, &r);          \
                                                         \
        if (error) {                                     \
            return error;                                \
        }                                                \
        if (!result) {                                   \
            return core_leave(CUDA_ERROR_INVALID_VALUE); \
        }                                                \
        *result = (type)r->desc.field;                   \
        return core_leave(CUDA_SUCCESS);                 \
    }

TEXREF_GET(rt_texref_filter, CUfilter_mode, filterMode)
TEXREF_GET(rt_texref_mip_filter, CUfilter_mode, mipmapFilterMode)
TEXREF_GET(rt_texref_bias, float, mipmapLevelBias)
TEXREF_GET(rt_texref_anisotropy, int, maxAnisotropy)
TEXREF_GET(rt_texref_flags, unsigned, flags)
