/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Device Management. */
#include <string.h>

#include "runtime/api/cudart/context.h"

_Static_assert(sizeof(struct cudaDeviceProp) == 1008, "CUDA 13.0");

cudaError_t cudaGetDeviceCount(int *count)
{
    int n = 0;

    RT_TRY(rt_init());
    RT_REQUIRE(count, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuDeviceGetCount(&n)));
    *count = n;
    RT_REQUIRE(n > 0, cudaErrorNoDevice);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    CUdevice dev;

    RT_TRY(rt_init());
    RT_REQUIRE(value, cudaErrorInvalidValue);
    RT_TRY(rt_device_check(device, &dev));
    return RT_DRIVER(cuDeviceGetAttribute, value, (CUdevice_attribute)attr, dev);
}

/* PROP(field, attribute): fields that are one attribute, whatever their type. */
#define PROPS                                                                            \
    PROP(sharedMemPerBlock, MaxSharedMemoryPerBlock)                                     \
    PROP(regsPerBlock, MaxRegistersPerBlock)                                             \
    PROP(warpSize, WarpSize)                                                             \
    PROP(memPitch, MaxPitch)                                                             \
    PROP(maxThreadsPerBlock, MaxThreadsPerBlock)                                         \
    PROP(maxThreadsDim[0], MaxBlockDimX)                                                 \
    PROP(maxThreadsDim[1], MaxBlockDimY)                                                 \
    PROP(maxThreadsDim[2], MaxBlockDimZ)                                                 \
    PROP(maxGridSize[0], MaxGridDimX)                                                    \
    PROP(maxGridSize[1], MaxGridDimY)                                                    \
    PROP(maxGridSize[2], MaxGridDimZ)                                                    \
    PROP(totalConstMem, TotalConstantMemory)                                             \
    PROP(major, ComputeCapabilityMajor)                                                  \
    PROP(minor, ComputeCapabilityMinor)                                                  \
    PROP(textureAlignment, TextureAlignment)                                             \
    PROP(texturePitchAlignment, TexturePitchAlignment)                                   \
    PROP(multiProcessorCount, MultiProcessorCount)                                       \
    PROP(integrated, Integrated)                                                         \
    PROP(canMapHostMemory, CanMapHostMemory)                                             \
    PROP(maxTexture1D, MaxTexture1DWidth)                                                \
    PROP(maxTexture1DMipmap, MaxTexture1DMipmappedWidth)                                 \
    PROP(maxTexture2D[0], MaxTexture2DWidth)                                             \
    PROP(maxTexture2D[1], MaxTexture2DHeight)                                            \
    PROP(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth)                              \
    PROP(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight)                             \
    PROP(maxTexture2DLinear[0], MaxTexture2DLinearWidth)                                 \
    PROP(maxTexture2DLinear[1], MaxTexture2DLinearHeight)                                \
    PROP(maxTexture2DLinear[2], MaxTexture2DLinearPitch)                                 \
    PROP(maxTexture2DGather[0], MaxTexture2DGatherWidth)                                 \
    PROP(maxTexture2DGather[1], MaxTexture2DGatherHeight)                                \
    PROP(maxTexture3D[0], MaxTexture3DWidth)                                             \
    PROP(maxTexture3D[1], MaxTexture3DHeight)                                            \
    PROP(maxTexture3D[2], MaxTexture3DDepth)                                             \
    PROP(maxTexture3DAlt[0], MaxTexture3DWidthAlt)                                       \
    PROP(maxTexture3DAlt[1], MaxTexture3DHeightAlt)                                      \
    PROP(maxTexture3DAlt[2], MaxTexture3DDepthAlt)                                       \
    PROP(maxTextureCubemap, MaxTextureCubemapWidth)                                      \
    PROP(maxTexture1DLayered[0], MaxTexture1DLayeredWidth)                               \
    PROP(maxTexture1DLayered[1], MaxTexture1DLayeredLayers)                              \
    PROP(maxTexture2DLayered[0], MaxTexture2DLayeredWidth)                               \
    PROP(maxTexture2DLayered[1], MaxTexture2DLayeredHeight)                              \
    PROP(maxTexture2DLayered[2], MaxTexture2DLayeredLayers)                              \
    PROP(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth)                     \
    PROP(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers)                    \
    PROP(maxSurface1D, MaxSurface1DWidth)                                                \
    PROP(maxSurface2D[0], MaxSurface2DWidth)                                             \
    PROP(maxSurface2D[1], MaxSurface2DHeight)                                            \
    PROP(maxSurface3D[0], MaxSurface3DWidth)                                             \
    PROP(maxSurface3D[1], MaxSurface3DHeight)                                            \
    PROP(maxSurface3D[2], MaxSurface3DDepth)                                             \
    PROP(maxSurface1DLayered[0], MaxSurface1DLayeredWidth)                               \
    PROP(maxSurface1DLayered[1], MaxSurface1DLayeredLayers)                              \
    PROP(maxSurface2DLayered[0], MaxSurface2DLayeredWidth)                               \
    PROP(maxSurface2DLayered[1], MaxSurface2DLayeredHeight)                              \
    PROP(maxSurface2DLayered[2], MaxSurface2DLayeredLayers)                              \
    PROP(maxSurfaceCubemap, MaxSurfaceCubemapWidth)                                      \
    PROP(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth)                     \
    PROP(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers)                    \
    PROP(surfaceAlignment, SurfaceAlignment)                                             \
    PROP(concurrentKernels, ConcurrentKernels)                                           \
    PROP(ECCEnabled, EccEnabled)                                                         \
    PROP(pciBusID, PciBusId)                                                             \
    PROP(pciDeviceID, PciDeviceId)                                                       \
    PROP(pciDomainID, PciDomainId)                                                       \
    PROP(tccDriver, TccDriver)                                                           \
    PROP(asyncEngineCount, AsyncEngineCount)                                             \
    PROP(unifiedAddressing, UnifiedAddressing)                                           \
    PROP(memoryBusWidth, GlobalMemoryBusWidth)                                           \
    PROP(l2CacheSize, L2CacheSize)                                                       \
    PROP(persistingL2CacheMaxSize, MaxPersistingL2CacheSize)                             \
    PROP(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor)                       \
    PROP(streamPrioritiesSupported, StreamPrioritiesSupported)                           \
    PROP(globalL1CacheSupported, GlobalL1CacheSupported)                                 \
    PROP(localL1CacheSupported, LocalL1CacheSupported)                                   \
    PROP(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor)                   \
    PROP(regsPerMultiprocessor, MaxRegistersPerMultiprocessor)                           \
    PROP(managedMemory, ManagedMemory)                                                   \
    PROP(isMultiGpuBoard, IsMultiGpuBoard)                                               \
    PROP(multiGpuBoardGroupID, MultiGpuBoardGroupID)                                     \
    PROP(hostNativeAtomicSupported, HostNativeAtomicSupported)                           \
    PROP(pageableMemoryAccess, PageableMemoryAccess)                                     \
    PROP(concurrentManagedAccess, ConcurrentManagedAccess)                               \
    PROP(computePreemptionSupported, ComputePreemptionSupported)                         \
    PROP(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem)           \
    PROP(cooperativeLaunch, CooperativeLaunch)                                           \
    PROP(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin)                           \
    PROP(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables) \
    PROP(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost)                 \
    PROP(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor)                         \
    PROP(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize)                           \
    PROP(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock)                        \
    PROP(hostRegisterSupported, HostRegisterSupported)                                   \
    PROP(sparseCudaArraySupported, SparseCudaArraySupported)                             \
    PROP(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported)                   \
    PROP(timelineSemaphoreInteropSupported, TimelineSemaphoreInteropSupported)           \
    PROP(memoryPoolsSupported, MemoryPoolsSupported)                                     \
    PROP(gpuDirectRDMASupported, GPUDirectRDMASupported)                                 \
    PROP(gpuDirectRDMAFlushWritesOptions, GPUDirectRDMAFlushWritesOptions)               \
    PROP(gpuDirectRDMAWritesOrdering, GPUDirectRDMAWritesOrdering)                       \
    PROP(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes)                 \
    PROP(deferredMappingCudaArraySupported, DeferredMappingCudaArraySupported)           \
    PROP(ipcEventSupported, IpcEventSupport)                                             \
    PROP(clusterLaunch, ClusterLaunch)                                                   \
    PROP(deviceNumaConfig, NumaConfig)                                                   \
    PROP(deviceNumaId, NumaId)                                                           \
    PROP(mpsEnabled, MpsEnabled)                                                         \
    PROP(hostNumaId, HostNumaId)                                                         \
    PROP(gpuPciDeviceID, GpuPciDeviceId)                                                 \
    PROP(gpuPciSubsystemID, GpuPciSubsystemId)                                           \
    PROP(hostNumaMultinodeIpcSupported, HostNumaMultinodeIpcSupported)

/* An attribute that this driver does not know leaves its field 0. */
static void device_props_fill(struct cudaDeviceProp *p, CUdevice dev)
{
    int value;

#define PROP(field, attribute)                                                                  \
    value = 0;                                                                                  \
    if (rt_drv.cuDeviceGetAttribute(&value, (CUdevice_attribute)cudaDevAttr##attribute, dev) == \
        CUDA_SUCCESS) {                                                                         \
        p->field = (__typeof__(p->field))value;                                                 \
    }
    PROPS
#undef PROP
    /* The runtime has no name for this attribute. */
    if (rt_drv.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, dev) ==
        CUDA_SUCCESS) {
        p->unifiedFunctionPointers = value;
    }
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    CUdevice dev;

    RT_TRY(rt_init());
    RT_REQUIRE(prop, cudaErrorInvalidValue);
    RT_TRY(rt_device_check(device, &dev));
    memset(prop, 0, offsetof(struct cudaDeviceProp, reserved));
    RT_TRY(rt_error(rt_drv.cuDeviceGetName(prop->name, sizeof(prop->name), dev)));
    RT_TRY(rt_error(rt_drv.cuDeviceTotalMem(&prop->totalGlobalMem, dev)));
    /* Older or smaller drivers have no identifiers; the LUID exists on Windows alone. */
    rt_drv.cuDeviceGetUuid(&prop->uuid, dev);
    rt_drv.cuDeviceGetLuid(prop->luid, &prop->luidDeviceNodeMask, dev);
    device_props_fill(prop, dev);
    return cudaSuccess;
}

/* How many of the wishes a device fulfils; a wish is a field that is not 0. */
static int device_score(const struct cudaDeviceProp *want, const struct cudaDeviceProp *have)
{
    int score = 0;

    score += want->name[0] && !strcmp(want->name, have->name);
    score += want->major && have->major >= want->major;
    score += want->major && have->major == want->major && have->minor >= want->minor;
    score += want->totalGlobalMem && have->totalGlobalMem >= want->totalGlobalMem;
    score += want->multiProcessorCount && have->multiProcessorCount >= want->multiProcessorCount;
    score += want->sharedMemPerBlock && have->sharedMemPerBlock >= want->sharedMemPerBlock;
    score += want->maxThreadsPerBlock && have->maxThreadsPerBlock >= want->maxThreadsPerBlock;
    score += want->integrated && have->integrated;
    score += want->canMapHostMemory && have->canMapHostMemory;
    return score;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    struct cudaDeviceProp have;
    int count = 0, best = -1, chosen = 0;

    RT_TRY(rt_init());
    RT_REQUIRE(device && prop, cudaErrorInvalidValue);
    RT_TRY(cudaGetDeviceCount(&count));
    for (int i = 0; i < count; i++) {
        RT_TRY(cudaGetDeviceProperties(&have, i));
        int score = device_score(prop, &have);
        if (score > best) {
            best = score;
            chosen = i;
        }
    }
    *device = chosen;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    RT_TRY(rt_init());
    return rt_record(rt_device_set(device));
}

cudaError_t cudaGetDevice(int *device)
{
    int current;

    RT_TRY(rt_init());
    RT_REQUIRE(device, cudaErrorInvalidValue);
    RT_TRY(rt_device_current(&current));
    *device = current;
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    CUdevice dev;
    CUcontext ctx;

    RT_TRY(rt_device_check(device, &dev));
    if (flags & cudaInitDeviceFlagsAreValid) {
        RT_TRY(rt_error(rt_drv.cuDevicePrimaryCtxSetFlags(dev, deviceFlags & ~cudaDeviceMapHost)));
    }
    return rt_record(rt_primary_context(device, &ctx));
}

cudaError_t cudaSetValidDevices(int *device_arr, int len)
{
    CUdevice dev;

    RT_TRY(rt_init());
    RT_REQUIRE(len >= 0 && (device_arr || !len), cudaErrorInvalidValue);
    for (int i = 0; i < len; i++) {
        RT_TRY(rt_device_check(device_arr[i], &dev));
    }
    rt_device_prefer(len ? device_arr[0] : 0);
    return cudaSuccess;
}

/* Mapping host memory is always on: the driver has no such flag for primary contexts under UVA. */
cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    int device;
    CUdevice dev;

    RT_TRY(rt_init());
    RT_REQUIRE(!(flags & ~(unsigned int)cudaDeviceMask), cudaErrorInvalidValue);
    RT_TRY(rt_device_current(&device));
    RT_TRY(rt_device_check(device, &dev));
    return RT_DRIVER(cuDevicePrimaryCtxSetFlags, dev, flags & ~(unsigned int)cudaDeviceMapHost);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    int device, active = 0;
    CUdevice dev;
    CUcontext ctx = NULL;
    unsigned int f = 0;

    RT_TRY(rt_init());
    RT_REQUIRE(flags, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuCtxGetCurrent(&ctx)));
    if (ctx) {
        RT_TRY(rt_error(rt_drv.cuCtxGetFlags(&f)));
    } else {
        RT_TRY(rt_device_current(&device));
        RT_TRY(rt_device_check(device, &dev));
        RT_TRY(rt_error(rt_drv.cuDevicePrimaryCtxGetState(dev, &f, &active)));
    }
    *flags = f | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    int device;

    RT_TRY(rt_device_current(&device));
    return rt_record(rt_device_reset(device));
}

cudaError_t cudaDeviceSynchronize(void)
{
    RT_TRY(rt_context());
    return rt_result(rt_drv.cuCtxSynchronize());
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    RT_TRY(rt_context());
    RT_REQUIRE(pCacheConfig, cudaErrorInvalidValue);
    return RT_DRIVER(cuCtxGetCacheConfig, (CUfunc_cache *)pCacheConfig);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    RT_TRY(rt_context());
    return rt_result(rt_drv.cuCtxResetPersistingL2Cache());
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    RT_TRY(rt_init());
    RT_REQUIRE(device && pciBusId, cudaErrorInvalidValue);
    return RT_DRIVER(cuDeviceGetByPCIBusId, device, pciBusId);
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    CUdevice dev;

    RT_TRY(rt_init());
    RT_REQUIRE(pciBusId && len >= (int)sizeof("0000:00:00.0"),
               cudaErrorInvalidValue); /* measured: 5 */
    RT_TRY(rt_device_check(device, &dev));
    return RT_DRIVER(cuDeviceGetPCIBusId, pciBusId, len, dev);
}
