/* SPDX-License-Identifier: MIT */
/*
 * Cooperative groups for kernels built with clang: blocks, grids, tiles of a warp, the lanes that
 * are active together. nvcc has its own header, which is taken instead. Programming Guide,
 * "Cooperative Groups".
 */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cooperative_groups.h>
#else
#ifndef VTEGRA_COOPERATIVE_GROUPS_H
#define VTEGRA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#if defined(__clang__) && defined(__CUDA__) && defined(__cplusplus)
#include "vtegra/cg_groups.h"
#include "vtegra/cg_tiles.h"

#include "vtegra/cg_coalesced.h"
#endif

#endif
#endif
