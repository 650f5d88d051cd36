/* SPDX-License-Identifier: MIT */
/*
 * Part of cuda_runtime.h; include that. Second half of the kernel language under clang: mathematics
 * and warp operations from clang's own headers, and on top of them the names CUDA programs use.
 * Mathematics ends in calls of __nv_* functions: NVIDIA's libdevice is not here, vtegra's GPU model
 * has them built in.
 */
#ifndef VTEGRA_DEVICE_H
#define VTEGRA_DEVICE_H

#include <stdint.h>

typedef uint32_t cuuint32_t;

/* The host pass reads the same declarations as a device pass for a new GPU would. */
#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 9999
#endif

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>

#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

#include "device_print.h"
#include "device_spaces.h"

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_complex_builtins.h>
#include <__clang_cuda_intrinsics.h>

/* clang declares it and has no body. */
static __device__ __forceinline__ double nan(const char *)
{
    return __builtin_nan("");
}

#include "device_atomics.h"
#include "device_minmax.h"
#include "device_sync.h"
#include "device_texture.h"

/* Launches by kernels, of libcudadevrt elsewhere: Thrust names them. The virtual SoC has no launch
 * from kernels. */
extern "C" __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
extern "C" __device__ cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer,
                                                   dim3 gridDimension, dim3 blockDimension,
                                                   unsigned int sharedMemSize, cudaStream_t stream);

/* Conditional graph nodes (CUDA Programming Guide); of libcudadevrt elsewhere. */
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
                                                   unsigned int value);

#pragma pop_macro("__CUDA_ARCH__")

/* The host pass of clang reads the bodies of kernels, too, and nvcc's does not: there the name
 * stands for a number in them, while #if still finds no macro. */
#ifndef __CUDA_ARCH__
enum { __CUDA_ARCH__ = 870 };
#endif

/* Called by the code that clang makes of kernel<<<grid, block, shared, stream>>>(...). */
extern "C" unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim,
                                                    size_t sharedMem = 0, void *stream = nullptr);

#endif
