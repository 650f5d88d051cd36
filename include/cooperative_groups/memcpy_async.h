/* SPDX-License-Identifier: MIT */
/*
 * memcpy_async(group, to, from, bytes): the threads of a group copy together; wait(group) ends it.
 * From sm_80 on copies from global to shared memory are cp.async instructions, elsewhere loads and
 * stores.
 */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cooperative_groups/memcpy_async.h>
#else
#ifndef VTEGRA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define VTEGRA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda_pipeline.h"

#if defined(__clang__) && defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups
{

template <class Group>
__device__ void vtegra_copy(const Group &group, char *to, const char *from, size_t bytes)
{
    size_t part = ((size_t)to | (size_t)from | bytes) % 16 == 0  ? 16
                  : ((size_t)to | (size_t)from | bytes) % 8 == 0 ? 8
                  : ((size_t)to | (size_t)from | bytes) % 4 == 0 ? 4
                                                                 : 1;

    for (size_t at = group.thread_rank() * part; at < bytes; at += group.size() * part) {
        if (part == 1) {
            to[at] = from[at];
        } else {
            __pipeline_memcpy_async(to + at, from + at, part);
        }
    }
    __pipeline_commit();
}

/* @bytes: a number, or cuda::aligned_size_t */
template <class Group, class T, class U, class Size>
__device__ void memcpy_async(const Group &group, T *to, const U *from, const Size &bytes)
{
    vtegra_copy(group, (char *)to, (const char *)from, (size_t)bytes);
}

/* Sizes in elements: the smaller of the two is copied. */
template <class Group, class T, class ToSize, class FromSize>
__device__ void memcpy_async(const Group &group, T *to, const ToSize &to_count, const T *from,
                             const FromSize &from_count)
{
    size_t count = (size_t)to_count < (size_t)from_count ? (size_t)to_count : (size_t)from_count;

    vtegra_copy(group, (char *)to, (const char *)from, count * sizeof(T));
}

/* All but the last @Stages copies are done. */
template <unsigned int Stages, class Group> __device__ void wait_prior(const Group &group)
{
    __pipeline_wait_prior(Stages);
    group.sync();
}

template <class Group> __device__ void wait(const Group &group)
{
    wait_prior<0>(group);
}

} // namespace cooperative_groups

#endif
#endif
#endif
