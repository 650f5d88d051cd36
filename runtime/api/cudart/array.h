/* SPDX-License-Identifier: MIT */
/* Elements of arrays and textures as the two APIs describe them. */
#ifndef RUNTIME_CUDART_ARRAY_H
#define RUNTIME_CUDART_ARRAY_H

#include "runtime/api/cudart/rt.h"

/* false: no such elements (cudaErrorInvalidChannelDescriptor). */
bool rt_format_of(const struct cudaChannelFormatDesc *desc, CUarray_format *format,
                  unsigned int *channels);
struct cudaChannelFormatDesc rt_format_desc(CUarray_format format, unsigned int channels);

static inline CUarray rt_array(cudaArray_const_t array)
{
    return (CUarray)(size_t)array;
}

static inline CUmipmappedArray rt_mipmap(cudaMipmappedArray_const_t mipmap)
{
    return (CUmipmappedArray)(size_t)mipmap;
}

#endif
