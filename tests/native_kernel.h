/* SPDX-License-Identifier: MIT */
/* Random kernels, from a seed: arithmetic, divergence, loops, calls, shared and global memory,
 * atomics, barriers, warp operations, faults. Entry k(.u64 out, .u64 buf): @out has NATIVE_OUT
 * bytes a thread, buf NATIVE_BUF bytes. */
#ifndef TESTS_NATIVE_KERNEL_H
#define TESTS_NATIVE_KERNEL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define NATIVE_OUT 64u
#define NATIVE_BUF 4096u

/**
 * struct native_kernel
 * @block, @grid: its launch; @text: g_free() it
 */
struct native_kernel {
    char *text;
    unsigned block, grid;
};

void native_kernel_make(struct native_kernel *k, uint32_t seed);

#endif
