/* SPDX-License-Identifier: MIT */
/*
 * Copies from global to shared memory that run beside a thread's other work (Programming Guide,
 * "Asynchronous Data Copies"): cp.async from sm_80 on; before it, as with nvcc, loads and stores.
 */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <cuda_pipeline.h>
#else
#ifndef VTEGRA_CUDA_PIPELINE_H
#define VTEGRA_CUDA_PIPELINE_H

#include "cuda_runtime.h"

#if defined(__clang__) && defined(__CUDA__) && defined(__cplusplus)

/* @bytes: 4, 8 or 16, to and from aligned to it; the last @zeros of them become 0. Without debug
 * information: its accesses are at the line of the call. */
__attribute__((nodebug)) VTEGRA_DEVICE void __pipeline_memcpy_async(void *__restrict__ to,
                                                                    const void *__restrict__ from,
                                                                    size_t bytes, size_t zeros = 0)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (__isShared(to) && __isGlobal(from)) {
        unsigned int at = (unsigned int)__cvta_generic_to_shared(to),
                     wanted = (unsigned int)(bytes - zeros);

        if (bytes == 4) {
            __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                             :
                             : "r"(at), "l"(from), "r"(wanted)
                             : "memory");
        } else if (bytes == 8) {
            __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                             :
                             : "r"(at), "l"(from), "r"(wanted)
                             : "memory");
        } else {
            __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                             :
                             : "r"(at), "l"(from), "r"(wanted)
                             : "memory");
        }
        return;
    }
#endif
    for (size_t i = 0; i < bytes; i += 4) {
        for (size_t k = i; k < i + 4; k++) {
            ((char *)to)[k] = k < bytes - zeros ? ((const char *)from)[k] : 0;
        }
    }
}

/* What was copied since the last commit is one stage. */
VTEGRA_DEVICE void __pipeline_commit()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __asm__ volatile("cp.async.commit_group;" : : : "memory");
#endif
}

/* All but the last @stages are done. The instruction takes a constant: more than 8 wait for what 8
 * wait for. */
VTEGRA_DEVICE void __pipeline_wait_prior(size_t stages)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define VTEGRA_WAIT(n)                                                  \
    case n:                                                             \
        __asm__ volatile("cp.async.wait_group " #n ";" : : : "memory"); \
        break;
    switch (stages) {
        VTEGRA_WAIT(0)
        VTEGRA_WAIT(1)
        VTEGRA_WAIT(2)
        VTEGRA_WAIT(3)
        VTEGRA_WAIT(4)
        VTEGRA_WAIT(5)
        VTEGRA_WAIT(6)
        VTEGRA_WAIT(7)
    default:
        __asm__ volatile("cp.async.wait_group 8;" : : : "memory");
    }
#undef VTEGRA_WAIT
#else
    (void)stages;
#endif
}

namespace nvcuda
{
namespace experimental
{

class pipeline
{
  public:
    __device__ void commit()
    {
        __pipeline_commit();
    }
    template <unsigned int Stages> __device__ void wait_prior()
    {
        __pipeline_wait_prior(Stages);
    }
    __device__ void commit_and_wait()
    {
        commit();
        wait_prior<0>();
    }
};

template <class T> __device__ void memcpy_async(T &to, const T &from, pipeline &)
{
    static_assert(sizeof(T) % 4 == 0, "copies have 4, 8 or 16 bytes, or several of these");
    constexpr size_t part = sizeof(T) % 16 == 0 ? 16 : sizeof(T) % 8 == 0 ? 8 : 4;

    for (size_t at = 0; at < sizeof(T); at += part) {
        __pipeline_memcpy_async((char *)&to + at, (const char *)&from + at, part);
    }
}

} // namespace experimental
} // namespace nvcuda

#endif
#endif
#endif
