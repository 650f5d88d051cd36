/* SPDX-License-Identifier: MIT */
/* Part of cuda_runtime.h; include that. How many blocks of a kernel fit on a multiprocessor. */
#ifndef VTEGRA_RT_OCCUPANCY_H
#define VTEGRA_RT_OCCUPANCY_H

#include "../cuda_runtime_api.h"

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T func,
                                                                        int blockSize,
                                                                        size_t dynamicSMemSize)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void *)func, blockSize,
                                                           dynamicSMemSize);
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, T func, int blockSize,
                                                       size_t dynamicSMemSize, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, (const void *)func, blockSize, dynamicSMemSize, flags);
}

template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, T func,
                                                                    int numBlocks, int blockSize)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void *)func,
                                                       numBlocks, blockSize);
}

/* What the search below needs to know about the current device and the kernel. */
struct vtegra_occupancy_limits {
    int threads_per_multiprocessor;
    int threads_per_block;
    int warp_threads;
    int multiprocessors;
};

static inline cudaError_t vtegra_occupancy_limits_get(vtegra_occupancy_limits *l, const void *func)
{
    int device = 0;
    cudaFuncAttributes attr;
    cudaError_t err = ::cudaGetDevice(&device);

    if (err == cudaSuccess) {
        err = ::cudaDeviceGetAttribute(&l->threads_per_multiprocessor,
                                       cudaDevAttrMaxThreadsPerMultiProcessor, device);
    }
    if (err == cudaSuccess) {
        err = ::cudaDeviceGetAttribute(&l->warp_threads, cudaDevAttrWarpSize, device);
    }
    if (err == cudaSuccess) {
        err = ::cudaDeviceGetAttribute(&l->multiprocessors, cudaDevAttrMultiProcessorCount, device);
    }
    if (err == cudaSuccess) {
        err = ::cudaFuncGetAttributes(&attr, func);
        l->threads_per_block = attr.maxThreadsPerBlock;
    }
    return err;
}

/*
 * The block size with the most resident threads per multiprocessor; of equals, the largest. The
 * dynamic shared memory of a block may depend on its size. minGridSize fills every multiprocessor
 * once.
 */
template <class UnaryFunction, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *minGridSize, int *blockSize, T func, UnaryFunction blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0, unsigned int flags = 0)
{
    vtegra_occupancy_limits l;
    int best_threads = 0, best_block = 0, best_blocks = 0;

    if (!minGridSize || !blockSize || !func) {
        return cudaErrorInvalidValue;
    }
    cudaError_t err = vtegra_occupancy_limits_get(&l, (const void *)func);
    if (err != cudaSuccess) {
        return err;
    }
    int limit = l.threads_per_block;
    if (blockSizeLimit > 0 && blockSizeLimit < limit) {
        limit = blockSizeLimit;
    }
    int top = (limit + l.warp_threads - 1) / l.warp_threads * l.warp_threads;
    for (int size = top; size > 0; size -= l.warp_threads) {
        int block = size < limit ? size : limit;
        int blocks = 0;
        err = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, (const void *)func, block, blockSizeToDynamicSMemSize(block), flags);
        if (err != cudaSuccess) {
            return err;
        }
        if (block * blocks > best_threads) {
            best_threads = block * blocks;
            best_block = block;
            best_blocks = blocks;
        }
        if (best_threads == l.threads_per_multiprocessor) {
            break;
        }
    }
    *minGridSize = best_blocks * l.multiprocessors;
    *blockSize = best_block;
    return cudaSuccess;
}

template <class UnaryFunction, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, T func,
                                               UnaryFunction blockSizeToDynamicSMemSize,
                                               int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit);
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, T func,
                                            size_t dynamicSMemSize = 0, int blockSizeLimit = 0,
                                            unsigned int flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, [dynamicSMemSize](int) { return dynamicSMemSize; },
        blockSizeLimit, flags);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                                             T func, size_t dynamicSMemSize = 0,
                                                             int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func,
                                                       dynamicSMemSize, blockSizeLimit);
}

#endif
