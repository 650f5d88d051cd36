/* SPDX-License-Identifier: MIT */
/* Kernel launch and occupancy. Rules: runtime/driver/driver.h. */
#ifndef RUNTIME_DRIVER_MODULE_RT_LAUNCH_H
#define RUNTIME_DRIVER_MODULE_RT_LAUNCH_H

#include "include/cuda.h"

/**
 * rt_launch - cuLaunchKernelEx, and all the others through it
 * @config: attributes: COOPERATIVE, PRIORITY, CLUSTER_DIMENSION, and hints without effect (access
 *          policy window, synchronisation policy, memory domains, carve-out); a cluster that does
 *          not fit is CUDA_ERROR_INVALID_CLUSTER_SIZE, programmatic launch CUDA_ERROR_NOT_SUPPORTED
 * @function: CUfunction or CUkernel
 * @params: one pointer a parameter; or NULL and @extra, CU_LAUNCH_PARAM_* pairs; both is
 *          CUDA_ERROR_INVALID_VALUE. Parameters are copied before the call returns
 *
 * Return: CUDA_ERROR_INVALID_VALUE (dimensions, shared memory beyond what the function may have),
 * CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (registers, if machine code says how many),
 * CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE; faults of the kernel come from a later call.
 */
CUresult rt_launch(const CUlaunchConfig *config, CUfunction function, void **params, void **extra);

/* @flags: CU_OCCUPANCY_*. @block_threads > 0. */
CUresult rt_occupancy_max_blocks(int *blocks, CUfunction function, int block_threads,
                                 size_t dynamic_shared, unsigned flags);
CUresult rt_occupancy_max_block_size(int *min_grid, int *block_threads, CUfunction function,
                                     CUoccupancyB2DSize shared_of_block, size_t dynamic_shared,
                                     int limit, unsigned flags);
CUresult rt_occupancy_available_shared(size_t *bytes, CUfunction function, int blocks,
                                       int block_threads);

CUresult rt_occupancy_max_active_clusters(int *clusters, CUfunction function,
                                          const CUlaunchConfig *config);
CUresult rt_occupancy_max_cluster_size(int *blocks, CUfunction function,
                                       const CUlaunchConfig *config);

#endif
