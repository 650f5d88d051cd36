/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Unified Addressing; and the hints for managed memory. */
#include "runtime/api/cudart/rt.h"

/* cudaMemoryTypeUnregistered is no memory type of the driver, which answers 0 for such an address.
 */
static enum cudaMemoryType memory_type(unsigned int type, bool managed)
{
    if (managed) {
        return cudaMemoryTypeManaged;
    }
    return type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
           : type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED
               ? cudaMemoryTypeDevice
               : cudaMemoryTypeUnregistered;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    unsigned int type = 0;
    unsigned char managed[4] = { 0 }; /* the driver writes one or four bytes, by its version */
    int device = 0;
    CUdeviceptr device_ptr = 0;
    void *host_ptr = NULL;
    CUpointer_attribute wanted[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                     CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                     CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                     CU_POINTER_ATTRIBUTE_HOST_POINTER };
    void *values[] = { &type, managed, &device, &device_ptr, &host_ptr };

    RT_TRY(rt_context());
    RT_REQUIRE(attributes, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuPointerGetAttributes(5, wanted, values, RT_PTR(ptr))));
    *attributes = (struct cudaPointerAttributes){
        .type = memory_type(type, managed[0]),
        .device = device,
        .devicePointer = (void *)(size_t)device_ptr,
        .hostPointer = host_ptr,
    };
    if (attributes->type == cudaMemoryTypeUnregistered) {
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = (void *)ptr; /* the CPU may use what CUDA does not know */
    }
    return cudaSuccess;
}

static CUmemLocation location_of(struct cudaMemLocation l)
{
    return (CUmemLocation){ .type = (CUmemLocationType)l.type, .id = l.id };
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemPrefetchAsync, RT_PTR(devPtr), count, location_of(location), flags,
                     stream);
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuMemAdvise, RT_PTR(devPtr), count, (CUmem_advise)advice,
                     location_of(location));
}
