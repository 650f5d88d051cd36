/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Occupancy. */
#include "runtime/api/cudart/module.h"

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags)
{
    CUkernel k;

    RT_TRY(rt_launchable(func, &k));
    return RT_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, numBlocks, (CUfunction)k,
                     blockSize, dynamicSMemSize, flags);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                          int blockSize, size_t dynamicSMemSize)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
                                                      int numBlocks, int blockSize)
{
    CUkernel k;

    RT_TRY(rt_launchable(func, &k));
    return RT_DRIVER(cuOccupancyAvailableDynamicSMemPerBlock, dynamicSmemSize, (CUfunction)k,
                     numBlocks, blockSize);
}

static CUlaunchConfig occupancy_config(const cudaLaunchConfig_t *c)
{
    return (CUlaunchConfig){ c->gridDim.x,
                             c->gridDim.y,
                             c->gridDim.z,
                             c->blockDim.x,
                             c->blockDim.y,
                             c->blockDim.z,
                             (unsigned int)c->dynamicSmemBytes,
                             c->stream,
                             (CUlaunchAttribute *)c->attrs,
                             c->numAttrs };
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                 const cudaLaunchConfig_t *launchConfig)
{
    CUkernel k;

    RT_TRY(rt_context());
    RT_REQUIRE(launchConfig, cudaErrorInvalidValue);
    RT_TRY(rt_launchable(func, &k));
    CUlaunchConfig c = occupancy_config(launchConfig);
    return RT_DRIVER(cuOccupancyMaxPotentialClusterSize, clusterSize, (CUfunction)k, &c);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                           const cudaLaunchConfig_t *launchConfig)
{
    CUkernel k;

    RT_TRY(rt_context());
    RT_REQUIRE(launchConfig, cudaErrorInvalidValue);
    RT_TRY(rt_launchable(func, &k));
    CUlaunchConfig c = occupancy_config(launchConfig);
    return RT_DRIVER(cuOccupancyMaxActiveClusters, numClusters, (CUfunction)k, &c);
}
