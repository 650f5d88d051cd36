/* SPDX-License-Identifier: MIT */
/* Part of cooperative_groups.h; include that. Parts of a warp. */
#ifndef VTEGRA_CG_TILES_H
#define VTEGRA_CG_TILES_H

namespace cooperative_groups
{

/* Size lanes of a warp, a power of two up to 32, side by side. */
template <unsigned int Size, class Parent = void> class thread_block_tile
{
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "1, 2, 4, 8, 16 or 32 lanes");

    static __device__ unsigned int first_lane()
    {
        return thread_block::thread_rank() % 32 / Size * Size;
    }
    static __device__ unsigned int mask()
    {
        return (unsigned int)((1ull << Size) - 1) << first_lane();
    }

  public:
    static __device__ void sync()
    {
        __syncwarp(mask());
    }
    static constexpr __device__ unsigned int size()
    {
        return Size;
    }
    static constexpr __device__ unsigned int num_threads()
    {
        return Size;
    }
    static __device__ unsigned int thread_rank()
    {
        return thread_block::thread_rank() % Size;
    }
    static __device__ unsigned int meta_group_rank()
    {
        return thread_block::thread_rank() / Size;
    }
    static __device__ unsigned int meta_group_size()
    {
        return (thread_block::size() + Size - 1) / Size;
    }
    template <class T> static __device__ T shfl(T value, unsigned int rank)
    {
        return __shfl_sync(mask(), value, rank, Size);
    }
    template <class T> static __device__ T shfl_down(T value, unsigned int lanes)
    {
        return __shfl_down_sync(mask(), value, lanes, Size);
    }
    template <class T> static __device__ T shfl_up(T value, unsigned int lanes)
    {
        return __shfl_up_sync(mask(), value, lanes, Size);
    }
    template <class T> static __device__ T shfl_xor(T value, unsigned int lanes)
    {
        return __shfl_xor_sync(mask(), value, lanes, Size);
    }
    static __device__ int any(int predicate)
    {
        return __any_sync(mask(), predicate);
    }
    static __device__ int all(int predicate)
    {
        return __all_sync(mask(), predicate);
    }
    static __device__ unsigned int ballot(int predicate)
    {
        return __ballot_sync(mask(), predicate) >> first_lane();
    }
};

template <unsigned int Size, class Parent>
static __device__ inline thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

/* The lanes that came here together; ranks count them from the lowest. */
class coalesced_group
{
    unsigned int mask;

  public:
    __device__ coalesced_group() : mask(__activemask())
    {
    }
    __device__ void sync() const
    {
        __syncwarp(mask);
    }
    __device__ unsigned int size() const
    {
        return __popc(mask);
    }
    __device__ unsigned int num_threads() const
    {
        return size();
    }
    __device__ unsigned int thread_rank() const
    {
        return __popc(mask & ((1u << thread_block::thread_rank() % 32) - 1));
    }
    __device__ int any(int predicate) const
    {
        return __any_sync(mask, predicate);
    }
    __device__ int all(int predicate) const
    {
        return __all_sync(mask, predicate);
    }
    /* rank 0 is the lowest lane of the group. */
    template <class T> __device__ T shfl(T value, unsigned int rank) const
    {
        return __shfl_sync(mask, value, __fns(mask, 0, rank + 1));
    }
};

static __device__ inline coalesced_group coalesced_threads()
{
    return coalesced_group();
}

} // namespace cooperative_groups

#endif
