/* SPDX-License-Identifier: MIT */
/* Part of cooperative_groups.h; include that. A group of any kind, known at run time. */
#ifndef VTEGRA_CG_THREAD_GROUP_H
#define VTEGRA_CG_THREAD_GROUP_H

namespace cooperative_groups
{

/* The block, or lanes of a warp. */
class thread_group
{
  protected:
    unsigned int lanes; /* a mask; 0: the whole block */

    explicit __device__ thread_group(unsigned int mask) : lanes(mask)
    {
    }
    static __device__ unsigned int block_rank_of_thread()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }

  public:
    __device__ void sync() const
    {
        if (lanes) {
            __syncwarp(lanes);
        } else {
            __syncthreads();
        }
    }
    __device__ unsigned int size() const
    {
        return lanes ? (unsigned int)__popc(lanes) : blockDim.x * blockDim.y * blockDim.z;
    }
    __device__ unsigned int num_threads() const
    {
        return size();
    }
    __device__ unsigned int thread_rank() const
    {
        unsigned int rank = block_rank_of_thread();

        return lanes ? (unsigned int)__popc(lanes & ((1u << rank % 32) - 1)) : rank;
    }
    __device__ unsigned int vtegra_lanes() const
    {
        return lanes;
    }
};

/*
 * The value of another lane, for any type that can be copied byte by byte: 4 bytes at a time.
 * @lane: which lane's, as
 * __shfl_sync() counts with @width.
 */
template <class T>
static __device__ inline T vtegra_shuffle(unsigned int mask, T value, int lane, int width = 32)
{
    static_assert(sizeof(T) <= 32, "a value of at most 32 bytes");
    unsigned int words[(sizeof(T) + 3) / 4] = {};
    T other = value;

    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned int &word : words) {
        word = __shfl_sync(mask, word, lane, width);
    }
    __builtin_memcpy(&other, words, sizeof(T));
    return other;
}

} // namespace cooperative_groups

#endif
