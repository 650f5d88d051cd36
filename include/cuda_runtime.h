/* SPDX-License-Identifier: MIT */
/*
 * The CUDA runtime for programs: the C functions, typed C++ forms of them, and, under clang -x
 * cuda, the language of kernels.
 */
/* nvcc reads its own; the second name is that of its last pass. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cuda_runtime.h>
#else
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

/* clang's device mathematics must be seen before <cmath>. */
#if defined(__clang__) && defined(__CUDA__) && defined(__cplusplus)
#include "vtegra/device_begin.h"
#endif

#include "builtin_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "driver_functions.h"
#include "host_defines.h"
#include "vector_functions.h"

#ifdef __cplusplus
#include "vtegra/rt_occupancy.h"
#include "vtegra/rt_templates.h"
#endif

#if defined(__clang__) && defined(__CUDA__) && defined(__cplusplus)
#include "vtegra/device.h"
#include <new> /* clang's own, with new and delete for kernels */
#endif

#endif
#endif
