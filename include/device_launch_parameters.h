/* SPDX-License-Identifier: MIT */
/*
 * threadIdx, blockIdx, blockDim, gridDim, warpSize: clang declares them as objects that read PTX
 * special registers. Host code has none.
 */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#if defined(__clang__) && defined(__CUDA__)
#include <__clang_cuda_builtin_vars.h>
#endif

#endif
