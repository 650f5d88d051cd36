/* SPDX-License-Identifier: MIT */
/* reduce(group, value, operation): one result for every lane of a tile or coalesced group. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cooperative_groups/reduce.h>
#else
#ifndef VTEGRA_COOPERATIVE_GROUPS_REDUCE_H
#define VTEGRA_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__clang__) && defined(__CUDA__) && defined(__cplusplus)
#include "../vtegra/cg_operations.h"

namespace cooperative_groups
{

template <unsigned int Size, class Parent, class T, class Operation>
__device__ T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation operation)
{
    for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2) {
        value = operation(value, tile.shfl_xor(value, lanes));
    }
    return value;
}

/* Rank r collects r + 1, then what r + 2 has collected, and so on; rank 0 has all. */
template <class T, class Operation>
__device__ T reduce(const coalesced_group &group, T value, Operation operation)
{
    for (unsigned int ranks = 1; ranks < group.size(); ranks *= 2) {
        T other = group.shfl_down(value, ranks);

        if (group.thread_rank() + ranks < group.size()) {
            value = operation(value, other);
        }
    }
    return group.shfl(value, 0);
}

} // namespace cooperative_groups

#endif
#endif
#endif
