/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Texture Object Management, Surface Object Management. */
#include <string.h>

#include "runtime/api/cudart/array.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}

/* The driver's numbers. */
_Static_assert((int)cudaResourceTypePitch2D == (int)CU_RESOURCE_TYPE_PITCH2D, "passed on");
_Static_assert((int)cudaAddressModeBorder == (int)CU_TR_ADDRESS_MODE_BORDER, "passed on");
_Static_assert((int)cudaResViewFormatFloat4 == (int)CU_RES_VIEW_FORMAT_FLOAT_4X32, "passed on");

static cudaError_t resource_to(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *out)
{
    bool ok = true;

    *out = (CUDA_RESOURCE_DESC){ .resType = (CUresourcetype)r->resType };
    switch (r->resType) {
    case cudaResourceTypeArray:
        out->res.array.hArray = rt_array(r->res.array.array);
        break;
    case cudaResourceTypeMipmappedArray:
        out->res.mipmap.hMipmappedArray = rt_mipmap(r->res.mipmap.mipmap);
        break;
    case cudaResourceTypeLinear:
        out->res.linear.devPtr = RT_PTR(r->res.linear.devPtr);
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        ok = rt_format_of(&r->res.linear.desc, &out->res.linear.format,
                          &out->res.linear.numChannels);
        break;
    case cudaResourceTypePitch2D:
        out->res.pitch2D.devPtr = RT_PTR(r->res.pitch2D.devPtr);
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        ok = rt_format_of(&r->res.pitch2D.desc, &out->res.pitch2D.format,
                          &out->res.pitch2D.numChannels);
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return ok ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

static struct cudaResourceDesc resource_from(const CUDA_RESOURCE_DESC *r)
{
    struct cudaResourceDesc out = { .resType = (enum cudaResourceType)r->resType };

    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        out.res.array.array = (cudaArray_t)r->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        out.res.mipmap.mipmap = (cudaMipmappedArray_t)r->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        out.res.linear.devPtr = (void *)(size_t)r->res.linear.devPtr;
        out.res.linear.desc = rt_format_desc(r->res.linear.format, r->res.linear.numChannels);
        out.res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        break;
    default:
        out.res.pitch2D.devPtr = (void *)(size_t)r->res.pitch2D.devPtr;
        out.res.pitch2D.desc = rt_format_desc(r->res.pitch2D.format, r->res.pitch2D.numChannels);
        out.res.pitch2D.width = r->res.pitch2D.width;
        out.res.pitch2D.height = r->res.pitch2D.height;
        out.res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        break;
    }
    return out;
}

/* @small: the elements are integers of 8 or 16 bits. Others are read as they are, and no flag says
 * so: a view of other elements then reads fractions (measured). */
static CUDA_TEXTURE_DESC desc_to(const struct cudaTextureDesc *d, bool small)
{
    CUDA_TEXTURE_DESC out = {
        .filterMode = (CUfilter_mode)d->filterMode,
        .flags = (d->readMode == cudaReadModeElementType && small ? CU_TRSF_READ_AS_INTEGER : 0) |
                 (d->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
                 (d->sRGB ? CU_TRSF_SRGB : 0) |
                 (d->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
                 (d->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0),
        .maxAnisotropy = d->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)d->mipmapFilterMode,
        .mipmapLevelBias = d->mipmapLevelBias,
        .minMipmapLevelClamp = d->minMipmapLevelClamp,
        .maxMipmapLevelClamp = d->maxMipmapLevelClamp,
    };

    for (int i = 0; i < 3; i++) {
        out.addressMode[i] = (CUaddress_mode)d->addressMode[i];
    }
    memcpy(out.borderColor, d->borderColor, sizeof(out.borderColor));
    return out;
}

static struct cudaTextureDesc desc_from(const CUDA_TEXTURE_DESC *d)
{
    struct cudaTextureDesc out = {
        .filterMode = (enum cudaTextureFilterMode)d->filterMode,
        .readMode = d->flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType
                                                       : cudaReadModeNormalizedFloat,
        .sRGB = (d->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = d->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)d->mipmapFilterMode,
        .mipmapLevelBias = d->mipmapLevelBias,
        .minMipmapLevelClamp = d->minMipmapLevelClamp,
        .maxMipmapLevelClamp = d->maxMipmapLevelClamp,
        .disableTrilinearOptimization = (d->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
        .seamlessCubemap = (d->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
    };

    for (int i = 0; i < 3; i++) {
        out.addressMode[i] = (enum cudaTextureAddressMode)d->addressMode[i];
    }
    memcpy(out.borderColor, d->borderColor, sizeof(out.borderColor));
    return out;
}

static CUDA_RESOURCE_VIEW_DESC view_to(const struct cudaResourceViewDesc *v)
{
    return (CUDA_RESOURCE_VIEW_DESC){ .format = (CUresourceViewFormat)v->format,
                                      .width = v->width,
                                      .height = v->height,
                                      .depth = v->depth,
                                      .firstMipmapLevel = v->firstMipmapLevel,
                                      .lastMipmapLevel = v->lastMipmapLevel,
                                      .firstLayer = v->firstLayer,
                                      .lastLayer = v->lastLayer };
}

/* Elements of a resource, for what the runtime checks of them. */
static cudaError_t resource_format(const CUDA_RESOURCE_DESC *r, CUarray_format *format)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUarray a = r->res.array.hArray;
    cudaError_t err = cudaSuccess;

    if (r->resType == CU_RESOURCE_TYPE_LINEAR) {
        *format = r->res.linear.format;
        return cudaSuccess;
    }
    if (r->resType == CU_RESOURCE_TYPE_PITCH2D) {
        *format = r->res.pitch2D.format;
        return cudaSuccess;
    }
    if (r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
        err = rt_error(rt_drv.cuMipmappedArrayGetLevel(&a, r->res.mipmap.hMipmappedArray, 0));
    }
    if (err == cudaSuccess) {
        err = rt_error(rt_drv.cuArray3DGetDescriptor(&d, a));
    }
    *format = err == cudaSuccess ? d.Format : CU_AD_FORMAT_FLOAT;
    return err;
}

/* cudaCreateTextureObject: fractions exist of 8- and 16-bit integers, filters of fractions and
 * floats. */
static cudaError_t desc_check(const CUDA_RESOURCE_DESC *r, const struct cudaTextureDesc *d,
                              bool *small)
{
    CUarray_format f;
    cudaError_t err = resource_format(r, &f);
    bool floats = f == CU_AD_FORMAT_HALF || f == CU_AD_FORMAT_FLOAT;
    bool wide = f == CU_AD_FORMAT_UNSIGNED_INT32 || f == CU_AD_FORMAT_SIGNED_INT32;
    bool is_array =
        r->resType == CU_RESOURCE_TYPE_ARRAY || r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;

    *small = !floats && !wide;
    if (err != cudaSuccess) {
        return cudaErrorInvalidValue;
    }
    if (!floats && (d->readMode == cudaReadModeElementType || wide) &&
        d->filterMode == cudaFilterModeLinear && r->resType != CU_RESOURCE_TYPE_LINEAR) {
        return cudaErrorInvalidFilterSetting;
    }
    if ((wide || (floats && is_array)) && d->readMode == cudaReadModeNormalizedFloat) {
        return cudaErrorInvalidNormSetting;
    }
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                    const struct cudaResourceDesc *pResDesc,
                                    const struct cudaTextureDesc *pTexDesc,
                                    const struct cudaResourceViewDesc *pResViewDesc)
{
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    CUDA_RESOURCE_VIEW_DESC v;
    bool small;

    RT_TRY(rt_context());
    RT_REQUIRE(pTexObject && pResDesc && pTexDesc, cudaErrorInvalidValue);
    RT_TRY(resource_to(pResDesc, &r));
    RT_TRY(desc_check(&r, pTexDesc, &small));
    t = desc_to(pTexDesc, small);
    if (pResViewDesc) {
        v = view_to(pResViewDesc);
    }
    return RT_DRIVER(cuTexObjectCreate, (CUtexObject *)pTexObject, &r, &t,
                     pResViewDesc ? &v : NULL);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaTextureObject_t texObject)
{
    CUDA_RESOURCE_DESC r;

    RT_TRY(rt_context());
    RT_REQUIRE(pResDesc, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuTexObjectGetResourceDesc(&r, texObject)));
    *pResDesc = resource_from(&r);
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                            cudaTextureObject_t texObject)
{
    CUDA_TEXTURE_DESC t;

    RT_TRY(rt_context());
    RT_REQUIRE(pTexDesc, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuTexObjectGetTextureDesc(&t, texObject)));
    *pTexDesc = desc_from(&t);
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                 cudaTextureObject_t texObject)
{
    CUDA_RESOURCE_VIEW_DESC v;

    RT_TRY(rt_context());
    RT_REQUIRE(pResViewDesc, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuTexObjectGetResourceViewDesc(&v, texObject)));
    *pResViewDesc = (struct cudaResourceViewDesc){
        .format = (enum cudaResourceViewFormat)v.format,
        .width = v.width,
        .height = v.height,
        .depth = v.depth,
        .firstMipmapLevel = v.firstMipmapLevel,
        .lastMipmapLevel = v.lastMipmapLevel,
        .firstLayer = v.firstLayer,
        .lastLayer = v.lastLayer,
    };
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                    const struct cudaResourceDesc *pResDesc)
{
    CUDA_RESOURCE_DESC r;

    RT_TRY(rt_context());
    RT_REQUIRE(pSurfObject && pResDesc, cudaErrorInvalidValue);
    RT_TRY(resource_to(pResDesc, &r));
    return RT_DRIVER(cuSurfObjectCreate, (CUsurfObject *)pSurfObject, &r);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaSurfaceObject_t surfObject)
{
    CUDA_RESOURCE_DESC r;

    RT_TRY(rt_context());
    RT_REQUIRE(pResDesc, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuSurfObjectGetResourceDesc(&r, surfObject)));
    *pResDesc = resource_from(&r);
    return cudaSuccess;
}
