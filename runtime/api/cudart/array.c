/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Memory Management: arrays and mipmapped arrays. */
#include <string.h>

#include "runtime/api/cudart/array.h"

static const struct {
    enum cudaChannelFormatKind kind;
    int bits;
    CUarray_format format;
} formats[] = {
    { cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8 },
    { cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16 },
    { cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32 },
    { cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8 },
    { cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16 },
    { cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32 },
    { cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF },
    { cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT },
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

/* 1, 2 or 4 channels of one size, from x on. */
bool rt_format_of(const struct cudaChannelFormatDesc *d, CUarray_format *format,
                  unsigned int *channels)
{
    unsigned int n = d->w ? 4 : d->z ? 3 : d->y ? 2 : 1;

    if (n == 3 || (n > 1 && d->y != d->x) || (n > 2 && (d->z != d->x || d->w != d->x))) {
        return false;
    }
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i].kind == d->f && formats[i].bits == d->x) {
            *format = formats[i].format;
            *channels = n;
            return true;
        }
    }
    return false;
}

struct cudaChannelFormatDesc rt_format_desc(CUarray_format format, unsigned int n)
{
    for (size_t i = 0; i < FORMATS; i++) {
        int bits = formats[i].bits;

        if (formats[i].format == format) {
            return (struct cudaChannelFormatDesc){ bits, n > 1 ? bits : 0, n > 2 ? bits : 0,
                                                   n > 3 ? bits : 0, formats[i].kind };
        }
    }
    return (struct cudaChannelFormatDesc){ .f = cudaChannelFormatKindNone };
}

/* Flags have the driver's numbers. */
_Static_assert(cudaArrayLayered == CUDA_ARRAY3D_LAYERED, "passed on as they are");
_Static_assert(cudaArraySurfaceLoadStore == CUDA_ARRAY3D_SURFACE_LDST, "passed on as they are");
_Static_assert(cudaArrayCubemap == CUDA_ARRAY3D_CUBEMAP, "passed on as they are");
_Static_assert(cudaArrayTextureGather == CUDA_ARRAY3D_TEXTURE_GATHER, "passed on as they are");

static cudaError_t desc_of(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                           unsigned int flags, CUDA_ARRAY3D_DESCRIPTOR *out)
{
    *out = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags
    };
    return rt_format_of(desc, &out->Format, &out->NumChannels) ? cudaSuccess
                                                               : cudaErrorInvalidChannelDescriptor;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUarray a;

    RT_TRY(rt_context());
    RT_REQUIRE(array && desc, cudaErrorInvalidValue);
    RT_TRY(desc_of(desc, extent, flags, &d));
    RT_TRY(rt_error(rt_drv.cuArray3DCreate(&a, &d)));
    *array = (cudaArray_t)a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags)
{
    return cudaMalloc3DArray(array, desc, (struct cudaExtent){ width, height, 0 }, flags);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int numLevels,
                                     unsigned int flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUmipmappedArray m;

    RT_TRY(rt_context());
    RT_REQUIRE(mipmappedArray && desc, cudaErrorInvalidValue);
    RT_TRY(desc_of(desc, extent, flags, &d));
    RT_TRY(rt_error(rt_drv.cuMipmappedArrayCreate(&m, &d, numLevels)));
    *mipmappedArray = (cudaMipmappedArray_t)m;
    return cudaSuccess;
}

cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
                                          const struct cudaExternalMemoryMipmappedArrayDesc *desc)
{
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC d = { 0 };
    CUmipmappedArray m;

    RT_TRY(rt_context());
    RT_REQUIRE(mipmap && desc, cudaErrorInvalidValue);
    RT_TRY(desc_of(&desc->formatDesc, desc->extent, desc->flags, &d.arrayDesc));
    d.offset = desc->offset;
    d.numLevels = desc->numLevels;
    memcpy(d.reserved, desc->reserved, sizeof(d.reserved));
    RT_TRY(
        rt_error(rt_drv.cuExternalMemoryGetMappedMipmappedArray(&m, (CUexternalMemory)extMem, &d)));
    *mipmap = (cudaMipmappedArray_t)m;
    return cudaSuccess;
}

/* 0 is no array: nothing is done (cudaFreeArray). */
cudaError_t cudaFreeArray(cudaArray_t array)
{
    RT_TRY(rt_context());
    return array ? RT_DRIVER(cuArrayDestroy, rt_array(array)) : cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
    RT_TRY(rt_context());
    return mipmappedArray ? RT_DRIVER(cuMipmappedArrayDestroy, rt_mipmap(mipmappedArray))
                          : cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;

    RT_TRY(rt_context());
    RT_TRY(rt_error(rt_drv.cuArray3DGetDescriptor(&d, rt_array(array))));
    if (desc) {
        *desc = rt_format_desc(d.Format, d.NumChannels);
    }
    if (extent) {
        *extent = (struct cudaExtent){ d.Width, d.Height, d.Depth };
    }
    if (flags) {
        *flags = d.Flags;
    }
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    RT_REQUIRE(desc, cudaErrorInvalidValue);
    return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(size_t)array);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                 const struct cudaChannelFormatDesc *fmtDesc,
                                                 int device)
{
    CUarray_format format;
    unsigned int channels;
    CUdevice dev;

    RT_TRY(rt_init());
    RT_TRY(rt_device_check(device, &dev));
    RT_REQUIRE(maxWidthInElements && fmtDesc, cudaErrorInvalidValue);
    RT_REQUIRE(rt_format_of(fmtDesc, &format, &channels), cudaErrorInvalidChannelDescriptor);
    return RT_DRIVER(cuDeviceGetTexture1DLinearMaxWidth, maxWidthInElements, format, channels, dev);
}
