/* SPDX-License-Identifier: MIT */
/* Part of cooperative_groups.h; include that. Lanes of a warp in any number, and the ways to divide
 * a group. */
#ifndef VTEGRA_CG_COALESCED_H
#define VTEGRA_CG_COALESCED_H

namespace cooperative_groups
{

/* Lanes of a warp; ranks count them from the lowest. */
class coalesced_group : public thread_group
{
    unsigned int meta_rank, meta_size; /* of the groups that one partition made */

    /* The lane of a rank. */
    __device__ int lane_of(unsigned int rank) const
    {
        return lanes == 0xffffffffu ? (int)rank : (int)__fns(lanes, 0, (int)rank + 1);
    }

  public:
    explicit __device__ coalesced_group(unsigned int mask, unsigned int rank = 0,
                                        unsigned int size = 1)
        : thread_group(mask), meta_rank(rank), meta_size(size)
    {
    }
    template <unsigned int Size, class Parent>
    __device__ coalesced_group(const thread_block_tile<Size, Parent> &tile)
        : thread_group(tile.vtegra_lanes()), meta_rank(tile.meta_group_rank()),
          meta_size(tile.meta_group_size())
    {
    }
    __device__ unsigned int meta_group_rank() const
    {
        return meta_rank;
    }
    __device__ unsigned int meta_group_size() const
    {
        return meta_size;
    }
    __device__ int any(int predicate) const
    {
        return __any_sync(lanes, predicate);
    }
    __device__ int all(int predicate) const
    {
        return __all_sync(lanes, predicate);
    }
    /* A mask of lanes as a mask of ranks. */
    __device__ unsigned int vtegra_ranks(unsigned int mask) const
    {
        unsigned int packed = 0, rank = 0;

        for (unsigned int left = lanes; left; left &= left - 1, rank++) {
            packed |= (mask >> (__ffs((int)left) - 1) & 1) << rank;
        }
        return packed;
    }
    __device__ unsigned int ballot(int predicate) const
    {
        return vtegra_ranks(__ballot_sync(lanes, predicate));
    }
    template <class T> __device__ T shfl(T value, unsigned int rank) const
    {
        return vtegra_shuffle(lanes, value, lane_of(rank));
    }
    /* Beyond the group: the caller's own value. */
    template <class T> __device__ T shfl_down(T value, unsigned int ranks_away) const
    {
        unsigned int rank = thread_rank();

        return shfl(value, rank + ranks_away < size() ? rank + ranks_away : rank);
    }
    template <class T> __device__ T shfl_up(T value, unsigned int ranks_away) const
    {
        unsigned int rank = thread_rank();

        return shfl(value, rank >= ranks_away ? rank - ranks_away : rank);
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    template <class T> __device__ unsigned int match_any(T value) const
    {
        return vtegra_ranks(__match_any_sync(lanes, value));
    }
    template <class T> __device__ unsigned int match_all(T value, int &predicate) const
    {
        return vtegra_ranks(__match_all_sync(lanes, value, &predicate));
    }
#endif
};

/* The lanes that came here together. */
static __device__ inline coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* The group whose lanes have the caller's value; groups are numbered by their lowest lanes. */
template <class T>
static __device__ inline coalesced_group vtegra_partition(unsigned int mask, T label)
{
    unsigned int mine = 0, my_number = 0, number = 0;

    for (unsigned int left = mask, same; left; left &= ~same, number++) {
        T first = vtegra_shuffle(mask, label, __ffs((int)left) - 1);
        bool is_mine = label == first;

        same = __ballot_sync(mask, is_mine) & mask;
        if (is_mine) {
            mine = same;
            my_number = number;
        }
    }
    return coalesced_group(mine, my_number, number);
}

template <class T>
static __device__ inline coalesced_group labeled_partition(const coalesced_group &g, T label)
{
    return vtegra_partition(g.vtegra_lanes(), label);
}

template <unsigned int Size, class Parent, class T>
static __device__ inline coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &g,
                                                           T label)
{
    return vtegra_partition(g.vtegra_lanes(), label);
}

/* The lanes with the caller's answer: number 1 those that say yes. */
static __device__ inline coalesced_group binary_partition(const coalesced_group &g, bool predicate)
{
    unsigned int mask = g.vtegra_lanes(), yes = __ballot_sync(mask, predicate) & mask;

    return predicate ? coalesced_group(yes, 1, 2) : coalesced_group(mask & ~yes, 0, 2);
}

template <unsigned int Size, class Parent>
static __device__ inline coalesced_group binary_partition(const thread_block_tile<Size, Parent> &g,
                                                          bool predicate)
{
    return binary_partition(coalesced_group(g), predicate);
}

/* Groups of @size neighbours by rank; the last one may have fewer. */
static __device__ inline coalesced_group tiled_partition(const coalesced_group &g,
                                                         unsigned int size)
{
    unsigned int mask = g.vtegra_lanes(), first = g.thread_rank() / size * size, rank = 0, mine = 0;

    for (unsigned int left = mask; left; left &= left - 1, rank++) {
        mine |= rank >= first && rank < first + size ? left & -left : 0;
    }
    return coalesced_group(mine, first / size, (g.size() + size - 1) / size);
}

static __device__ inline thread_group tiled_partition(const thread_group &g, unsigned int size)
{
    unsigned int lane = thread_block::thread_rank() % 32, first = lane / size * size;

    if (size == 0 || size > 32 || (size & (size - 1))) {
        __trap(); /* Programming Guide: a power of two up to 32 */
    }
    if (g.vtegra_lanes()) {
        return tiled_partition(coalesced_group(g.vtegra_lanes()), size);
    }
    return coalesced_group((unsigned int)((1ull << size) - 1) << first);
}

static __device__ inline thread_group tiled_partition(const thread_block &g, unsigned int size)
{
    return tiled_partition(static_cast<const thread_group &>(g), size);
}

/* One thread of the group, the lowest, calls the function. */
template <class Group, class Function, class... Arguments>
static __device__ inline void invoke_one(const Group &g, Function &&function,
                                         Arguments &&...arguments)
{
    if (g.thread_rank() == 0) {
        function(arguments...);
    }
}

template <class Group, class Function, class... Arguments>
static __device__ inline auto invoke_one_broadcast(const Group &g, Function &&function,
                                                   Arguments &&...arguments)
    -> decltype(function(arguments...))
{
    decltype(function(arguments...)) value{};

    if (g.thread_rank() == 0) {
        value = function(arguments...);
    }
    return g.shfl(value, 0);
}

} // namespace cooperative_groups

#endif
