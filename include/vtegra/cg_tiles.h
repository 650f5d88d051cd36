/* SPDX-License-Identifier: MIT */
/* Part of cooperative_groups.h; include that. Parts of a warp with a size known to the compiler. */
#ifndef VTEGRA_CG_TILES_H
#define VTEGRA_CG_TILES_H

namespace cooperative_groups
{

/* Size lanes of a warp, a power of two up to 32, side by side. */
template <unsigned int Size, class Parent = void> class thread_block_tile : public thread_group
{
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "1, 2, 4, 8, 16 or 32 lanes; larger tiles need nvcc");

    static __device__ unsigned int first_lane()
    {
        return thread_block::thread_rank() % 32 / Size * Size;
    }
    static __device__ unsigned int mask()
    {
        return (unsigned int)((1ull << Size) - 1) << first_lane();
    }

  public:
    __device__ thread_block_tile() : thread_group(mask())
    {
    }
    /* A variable need not name what the tile is a part of. */
    template <class OtherParent>
    __device__ thread_block_tile(const thread_block_tile<Size, OtherParent> &)
        : thread_group(mask())
    {
    }
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
    template <class T> static __device__ T shfl(T value, int rank)
    {
        return vtegra_shuffle(mask(), value, rank, Size);
    }
    /* Beyond the tile: the caller's own value. */
    template <class T> static __device__ T shfl_down(T value, unsigned int ranks_away)
    {
        unsigned int rank = thread_rank();

        return shfl(value, (int)(ranks_away < Size - rank ? rank + ranks_away : rank));
    }
    template <class T> static __device__ T shfl_up(T value, unsigned int ranks_away)
    {
        unsigned int rank = thread_rank();

        return shfl(value, (int)(rank >= ranks_away ? rank - ranks_away : rank));
    }
    template <class T> static __device__ T shfl_xor(T value, unsigned int ranks_away)
    {
        unsigned int rank = thread_rank() ^ ranks_away;

        return shfl(value, (int)(rank < Size ? rank : thread_rank()));
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
        return (__ballot_sync(mask(), predicate) & mask()) >> first_lane();
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    template <class T> static __device__ unsigned int match_any(T value)
    {
        return __match_any_sync(mask(), value) >> first_lane();
    }
    template <class T> static __device__ unsigned int match_all(T value, int &predicate)
    {
        return __match_all_sync(mask(), value, &predicate) >> first_lane();
    }
#endif
};

template <unsigned int Size, class Parent>
static __device__ inline thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

static __device__ inline thread_block_tile<1> this_thread()
{
    return thread_block_tile<1>();
}

} // namespace cooperative_groups

#endif
