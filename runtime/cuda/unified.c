/* SPDX-License-Identifier: MIT */
/* Unified addressing and managed memory. Compiled twice (api.h). */
#include "runtime/cuda/api.h"

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                            unsigned int flags, CUstream hStream)
{
    return rt_mem_prefetch(devPtr, count, location, flags, api_stream(hStream));
}

#if API_ONCE
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    return rt_pointer_attribute(data, attribute, ptr);
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
                                void **data, CUdeviceptr ptr)
{
    return rt_pointer_attributes(numAttributes, attributes, data, ptr);
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    return rt_pointer_set_attribute(value, attribute, ptr);
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location)
{
    return rt_mem_advise(devPtr, count, advice, location);
}

CUresult cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count)
{
    return rt_range_attribute(data, dataSize, attribute, devPtr, count);
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count)
{
    return rt_range_attributes(data, dataSizes, attributes, numAttributes, devPtr, count);
}
#endif
