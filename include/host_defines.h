/* SPDX-License-Identifier: MIT */
/* Where code runs and where data lives. Without a CUDA compiler the words mean nothing. */
/* nvcc reads its own; the second name is that of its last pass. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <host_defines.h>
#else
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
#define __builtin_align__(n) __align__(n)

#if defined(__CUDACC__) || defined(__CUDA__)
#define VTEGRA_CUDA_ATTRIBUTE(a) __attribute__((a))
#else
#define VTEGRA_CUDA_ATTRIBUTE(a)
#endif

#define __host__ VTEGRA_CUDA_ATTRIBUTE(host)
#define __device__ VTEGRA_CUDA_ATTRIBUTE(device)
#define __global__ VTEGRA_CUDA_ATTRIBUTE(global)
#define __shared__ VTEGRA_CUDA_ATTRIBUTE(shared)
#define __constant__ VTEGRA_CUDA_ATTRIBUTE(constant)
#define __launch_bounds__(...) VTEGRA_CUDA_ATTRIBUTE(launch_bounds(__VA_ARGS__))
#define __grid_constant__ VTEGRA_CUDA_ATTRIBUTE(grid_constant)
#define __device_builtin__
#define __cudart_builtin__
#define __forceinline__ __inline__ __attribute__((always_inline))

/* clang 19 knows managed variables for HIP alone: refuse them where they stand, not at run time. */
#if defined(__clang__) && defined(__CUDA__)
#define __managed__ \
    _Pragma("GCC error \"__managed__ variables need nvcc; use cudaMallocManaged with clang\"")
#else
#define __managed__ VTEGRA_CUDA_ATTRIBUTE(managed)
#endif

#endif
#endif
