/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Execution Control; and the two halves of kernel<<<...>>>. */
#include <stdlib.h>

#include "runtime/api/cudart/module.h"

_Static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "passed on as they are");

/*
 * kernel<<<grid, block, shared, stream>>>(args): the program pushes the configuration, evaluates
 * the arguments (which may launch, too), then the stub pops it.
 */
struct call {
    struct dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};

static _Thread_local struct {
    struct call *call;
    size_t used, size;
} calls;

/* 0 lets the program call the stub; anything else makes it skip the launch. */
unsigned int __cudaPushCallConfiguration(struct dim3 gridDim, struct dim3 blockDim,
                                         size_t sharedMem, struct CUstream_st *stream)
{
    if (calls.used == calls.size) {
        size_t size = calls.size ? calls.size * 2 : 8;
        struct call *more = realloc(calls.call, size * sizeof(*more));
        if (!more) {
            return (unsigned int)rt_record(cudaErrorMemoryAllocation);
        }
        calls.call = more;
        calls.size = size;
    }
    calls.call[calls.used++] = (struct call){ gridDim, blockDim, sharedMem, stream };
    return 0;
}

cudaError_t __cudaPopCallConfiguration(struct dim3 *gridDim, struct dim3 *blockDim,
                                       size_t *sharedMem, void *stream)
{
    struct call *c;

    RT_REQUIRE(calls.used, cudaErrorMissingConfiguration);
    c = &calls.call[--calls.used];
    *gridDim = c->grid;
    *blockDim = c->block;
    *sharedMem = c->shared;
    *(cudaStream_t *)stream = c->stream;
    if (!calls.used) { /* threads end without notice: keep nothing between launches */
        free(calls.call);
        calls.call = NULL;
        calls.size = 0;
    }
    return cudaSuccess;
}

/* The upper half is lost, as in the runtime of CUDA 13.0 (measured): 8 GiB mean 0. */
static unsigned int shared_bytes(size_t bytes)
{
    return (unsigned int)bytes;
}

/* The driver's answer as it is: a bad grid or block is cudaErrorInvalidValue (measured, 13.0). */
cudaError_t cudaLaunchKernel(const void *func, struct dim3 gridDim, struct dim3 blockDim,
                             void **args, size_t sharedMem, cudaStream_t stream)
{
    CUkernel k;

    RT_TRY(rt_launchable(func, &k));
    return RT_DRIVER(cuLaunchKernel, (CUfunction)k, gridDim.x, gridDim.y, gridDim.z, blockDim.x,
                     blockDim.y, blockDim.z, shared_bytes(sharedMem), stream, args, NULL);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, struct dim3 gridDim, struct dim3 blockDim,
                               void **args, size_t sharedMem, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, struct dim3 gridDim, struct dim3 blockDim,
                                        void **args, size_t sharedMem, cudaStream_t stream)
{
    CUkernel k;

    RT_TRY(rt_launchable(func, &k));
    return RT_DRIVER(cuLaunchCooperativeKernel, (CUfunction)k, gridDim.x, gridDim.y, gridDim.z,
                     blockDim.x, blockDim.y, blockDim.z, shared_bytes(sharedMem), stream, args);
}

static CUlaunchConfig launch_config(const cudaLaunchConfig_t *c)
{
    return (CUlaunchConfig){
        .gridDimX = c->gridDim.x,
        .gridDimY = c->gridDim.y,
        .gridDimZ = c->gridDim.z,
        .blockDimX = c->blockDim.x,
        .blockDimY = c->blockDim.y,
        .blockDimZ = c->blockDim.z,
        .sharedMemBytes = shared_bytes(c->dynamicSmemBytes),
        .hStream = c->stream,
        .attrs = (CUlaunchAttribute *)c->attrs,
        .numAttrs = c->numAttrs,
    };
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    CUkernel k;

    RT_TRY(rt_context());
    RT_REQUIRE(config, cudaErrorInvalidConfiguration);
    RT_TRY(rt_launchable(func, &k));
    CUlaunchConfig c = launch_config(config);
    return RT_DRIVER(cuLaunchKernelEx, &c, (CUfunction)k, args, NULL);
}

/* A kernel and the device of the calling thread: what the attribute functions are about. */
static cudaError_t kernel_and_device(const void *func, CUkernel *k, CUdevice *dev)
{
    cudaError_t err = rt_launchable(func, k);

    return err == cudaSuccess ? rt_error(rt_drv.cuCtxGetDevice(dev)) : err;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    struct cudaFuncAttributes a = { 0 };
    int shared = 0, constant = 0, local = 0;
    CUkernel k;
    CUdevice dev;

    RT_TRY(rt_context());
    RT_REQUIRE(attr, cudaErrorInvalidValue);
    RT_TRY(kernel_and_device(func, &k, &dev));
    const struct {
        CUfunction_attribute attr;
        int *value;
    } wanted[] = {
        { CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &shared },
        { CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &constant },
        { CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &local },
        { CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &a.maxThreadsPerBlock },
        { CU_FUNC_ATTRIBUTE_NUM_REGS, &a.numRegs },
        { CU_FUNC_ATTRIBUTE_PTX_VERSION, &a.ptxVersion },
        { CU_FUNC_ATTRIBUTE_BINARY_VERSION, &a.binaryVersion },
        { CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &a.cacheModeCA },
        { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &a.maxDynamicSharedSizeBytes },
        { CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &a.preferredShmemCarveout },
        { CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, &a.clusterDimMustBeSet },
        { CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, &a.requiredClusterWidth },
        { CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, &a.requiredClusterHeight },
        { CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, &a.requiredClusterDepth },
        { CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
          &a.clusterSchedulingPolicyPreference },
        { CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, &a.nonPortableClusterSizeAllowed },
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        RT_TRY(rt_error(rt_drv.cuKernelGetAttribute(wanted[i].value, wanted[i].attr, k, dev)));
    }
    a.sharedSizeBytes = (size_t)shared;
    a.constSizeBytes = (size_t)constant;
    a.localSizeBytes = (size_t)local;
    *attr = a;
    return cudaSuccess;
}

/* The numbers of cudaFuncAttribute are those of CUfunction_attribute. */
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    CUkernel k;
    CUdevice dev;

    RT_TRY(kernel_and_device(func, &k, &dev));
    RT_REQUIRE((unsigned int)attr < cudaFuncAttributeMax, cudaErrorInvalidValue);
    return RT_DRIVER(cuKernelSetAttribute, (CUfunction_attribute)attr, value, k, dev);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    CUkernel k;
    CUdevice dev;

    RT_TRY(kernel_and_device(func, &k, &dev));
    return RT_DRIVER(cuKernelSetCacheConfig, k, (CUfunc_cache)cacheConfig, dev);
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    CUkernel k;

    RT_TRY(rt_context());
    RT_REQUIRE(name, cudaErrorInvalidValue);
    RT_TRY(rt_launchable(func, &k));
    return RT_DRIVER(cuKernelGetName, name, k);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize)
{
    CUkernel k;

    RT_TRY(rt_launchable(func, &k));
    return RT_DRIVER(cuKernelGetParamInfo, k, paramIndex, paramOffset, paramSize);
}
