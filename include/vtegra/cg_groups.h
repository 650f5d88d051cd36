/* SPDX-License-Identifier: MIT */
/* Part of cooperative_groups.h; include that. The block and the grid. */
#ifndef VTEGRA_CG_GROUPS_H
#define VTEGRA_CG_GROUPS_H

#include "cg_thread_group.h"

namespace cooperative_groups
{

class thread_block : public thread_group
{
  public:
    __device__ thread_block() : thread_group(0)
    {
    }
    static __device__ void sync()
    {
        __syncthreads();
    }
    static __device__ unsigned int size()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static __device__ unsigned int num_threads()
    {
        return size();
    }
    static __device__ unsigned int thread_rank()
    {
        return block_rank_of_thread();
    }
    static __device__ dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static __device__ dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static __device__ dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static __device__ dim3 dim_threads()
    {
        return group_dim();
    }
};

/*
 * A cooperative launch keeps all blocks resident and gives them a word of zeroed memory to meet at:
 * byte 4 of the workspace whose address is in %envreg1 (high) and %envreg2 (low), as code of nvcc
 * 13 reads it. An ordinary launch has none.
 */
class grid_group
{
    unsigned int *word;

    static __device__ unsigned int *workspace_word()
    {
        unsigned int high, low;

        __asm__("mov.u32 %0, %%envreg1;" : "=r"(high));
        __asm__("mov.u32 %0, %%envreg2;" : "=r"(low));
        unsigned long long base = (unsigned long long)high << 32 | low;
        return base ? (unsigned int *)(base + 4) : nullptr;
    }

  public:
    __device__ grid_group() : word(workspace_word())
    {
    }
    __device__ bool is_valid() const
    {
        return word != nullptr;
    }
    /*
     * The word's top bit flips when the last block arrives: one block adds what is missing to 2^31,
     * the others add 1, and the lower bits are 0 again.
     */
    __device__ void sync() const
    {
        if (!is_valid()) {
            __trap();
        }
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            unsigned int mine =
                block_rank() == 0 ? 0x80000000u - (unsigned int)(num_blocks() - 1) : 1;
            __threadfence();
            unsigned int before = atomicAdd(word, mine);
            while (!((*(volatile unsigned int *)word ^ before) & 0x80000000u)) {
            }
            __threadfence();
        }
        __syncthreads();
    }
    static __device__ unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static __device__ unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static __device__ unsigned long long size()
    {
        return num_blocks() * thread_block::size();
    }
    static __device__ unsigned long long num_threads()
    {
        return size();
    }
    static __device__ unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static __device__ dim3 group_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    static __device__ dim3 dim_blocks()
    {
        return group_dim();
    }
    static __device__ dim3 block_index()
    {
        return thread_block::group_index();
    }
};

static __device__ inline thread_block this_thread_block()
{
    return thread_block();
}

static __device__ inline grid_group this_grid()
{
    return grid_group();
}

template <class Group> static __device__ inline void sync(const Group &g)
{
    g.sync();
}

template <class Group> static __device__ inline auto thread_rank(const Group &g)
{
    return g.thread_rank();
}

template <class Group> static __device__ inline auto group_size(const Group &g)
{
    return g.size();
}

} // namespace cooperative_groups

#endif
