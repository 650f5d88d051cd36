/* SPDX-License-Identifier: MIT */
/* Part of cuda_runtime.h; include that. Warp matches, sleeping, index conversions. */
#ifndef VTEGRA_DEVICE_SYNC_H
#define VTEGRA_DEVICE_SYNC_H

#include "device_spaces.h"

#if __CUDA_ARCH__ >= 700
/* Lanes of mask whose value equals the caller's; _all: mask if all are equal, else 0. */
#define VTEGRA_MATCH(type, bits, carrier)                                                 \
    VTEGRA_DEVICE unsigned int __match_any_sync(unsigned int mask, type value)            \
    {                                                                                     \
        carrier c = 0;                                                                    \
        __builtin_memcpy(&c, &value, sizeof(value));                                      \
        return __match##bits##_any_sync(mask, c);                                         \
    }                                                                                     \
    VTEGRA_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int *pred) \
    {                                                                                     \
        carrier c = 0;                                                                    \
        __builtin_memcpy(&c, &value, sizeof(value));                                      \
        return __match##bits##_all_sync(mask, c, pred);                                   \
    }
VTEGRA_MATCH(int, 32, unsigned int)
VTEGRA_MATCH(unsigned int, 32, unsigned int)
VTEGRA_MATCH(float, 32, unsigned int)
VTEGRA_MATCH(long, 64, unsigned long long)
VTEGRA_MATCH(unsigned long, 64, unsigned long long)
VTEGRA_MATCH(long long, 64, unsigned long long)
VTEGRA_MATCH(unsigned long long, 64, unsigned long long)
VTEGRA_MATCH(double, 64, unsigned long long)

VTEGRA_DEVICE void __nanosleep(unsigned int ns)
{
    __asm__ volatile("nanosleep.u32 %0;" : : "r"(ns));
}
#endif

/* The index registers as values. */
__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const
{
    return { x, y, z };
}
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const
{
    return { x, y, z };
}
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const
{
    return { x, y, z };
}
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const
{
    return { x, y, z };
}

#endif
