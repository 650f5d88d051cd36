/* SPDX-License-Identifier: MIT */
/*
 * Types of the CUDA runtime API, as in CUDA 13.0.
 */
/* nvcc reads its own; the second name is that of its last pass. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <driver_types.h>
#else
#ifndef __DRIVER_TYPES_H__
#define __DRIVER_TYPES_H__

#include "host_defines.h"
#include "vector_types.h"

#include "vtegra/rt_device_attr.h"
#include "vtegra/rt_enums.h"
#include "vtegra/rt_error.h"
#include "vtegra/rt_flags.h"
#include "vtegra/rt_graph_types.h"
#include "vtegra/rt_types.h"

#endif
#endif
