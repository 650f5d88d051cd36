/* SPDX-License-Identifier: MIT */
/*
 * inclusive_scan(group, value, operation): the result over the ranks up to the caller's;
 * exclusive_scan: those below it, T() for rank 0. Without an operation: sums.
 */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cooperative_groups/scan.h>
#else
#ifndef VTEGRA_COOPERATIVE_GROUPS_SCAN_H
#define VTEGRA_COOPERATIVE_GROUPS_SCAN_H

#include "../cooperative_groups.h"

#if defined(__clang__) && defined(__CUDA__) && defined(__cplusplus)
#include "../vtegra/cg_operations.h"

namespace cooperative_groups
{

template <class Group, class T, class Operation>
__device__ T inclusive_scan(const Group &group, T value, Operation operation)
{
    for (unsigned int ranks = 1; ranks < group.size(); ranks *= 2) {
        T other = group.shfl_up(value, ranks);

        if (group.thread_rank() >= ranks) {
            value = operation(other, value);
        }
    }
    return value;
}

template <class Group, class T> __device__ T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}

template <class Group, class T, class Operation>
__device__ T exclusive_scan(const Group &group, T value, Operation operation)
{
    T below = group.shfl_up(inclusive_scan(group, value, operation), 1);

    return group.thread_rank() ? below : T();
}

template <class Group, class T> __device__ T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif
#endif
#endif
