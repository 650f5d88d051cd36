/* SPDX-License-Identifier: MIT */
/* reduce(tile, value, operation): one result for every lane of a tile. */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cooperative_groups/reduce.h>
#else
#ifndef VTEGRA_COOPERATIVE_GROUPS_REDUCE_H
#define VTEGRA_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__clang__) && defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups
{

#define VTEGRA_OPERATION(name, expression)      \
    template <class T> struct name {            \
        __device__ T operator()(T a, T b) const \
        {                                       \
            return expression;                  \
        }                                       \
    };
VTEGRA_OPERATION(plus, a + b)
VTEGRA_OPERATION(less, b < a ? b : a)
VTEGRA_OPERATION(greater, a < b ? b : a)
VTEGRA_OPERATION(bit_and, a &b)
VTEGRA_OPERATION(bit_or, a | b)
VTEGRA_OPERATION(bit_xor, a ^ b)

template <unsigned int Size, class Parent, class T, class Operation>
__device__ T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation operation)
{
    for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2) {
        value = operation(value, tile.shfl_xor(value, lanes));
    }
    return value;
}

} // namespace cooperative_groups

#endif
#endif
#endif
