/* SPDX-License-Identifier: MIT */
/* Part of cuda_runtime.h; include that. printf, assert and the heap inside kernels. */
#ifndef VTEGRA_DEVICE_PRINT_H
#define VTEGRA_DEVICE_PRINT_H

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...); /* clang packs the arguments and calls vprintf */
__device__ void free(void *p) __attribute((nothrow));
__device__ void *malloc(size_t size) __attribute((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line,
                             const char *function, size_t char_size);

/* What the C library's assert() calls. Without lines of its own, so that a failure is at the line of the assert(). */
__device__ __attribute__((nodebug)) static inline void __assert_fail(const char *message, const char *file,
                                                                     unsigned line, const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
}

namespace std
{
__device__ static inline void free(void *p)
{
    ::free(p);
}
__device__ static inline void *malloc(size_t size)
{
    return ::malloc(size);
}
} // namespace std

#endif
