/* SPDX-License-Identifier: MIT */
/*
 * threadIdx, blockIdx, blockDim, gridDim, warpSize: clang declares them as objects that read PTX
 * special registers. Host code has none.
 */
/* nvcc reads its own; the second name is that of its last pass. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <device_launch_parameters.h>
#else
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#if defined(__clang__) && defined(__CUDA__)
#include <__clang_cuda_builtin_vars.h>
#endif

#endif
#endif
