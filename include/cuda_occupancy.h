/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's header of this name computes occupancy on the host from a device's properties. Ours has
 * the runtime's functions for it (cudaOccupancyMaxActiveBlocksPerMultiprocessor and its like), for
 * headers that include it without a use.
 */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cuda_occupancy.h>
#else
#ifndef VTEGRA_CUDA_OCCUPANCY_H
#define VTEGRA_CUDA_OCCUPANCY_H

#include "cuda_runtime.h"

#endif
#endif
