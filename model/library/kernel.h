/* SPDX-License-Identifier: MIT */
/* The inner loops, built once for each vector width of the host. Each fixes the order of its
 * additions, so all give the same bits: a chain of fused multiply-adds an element, or
 * LIBRARY_CHAINS chains.
 */
#ifndef MODEL_LIBRARY_KERNEL_H
#define MODEL_LIBRARY_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "model/library/work.h"

#define LIBRARY_TILE_32 32u /* rows of a tile, single precision */
#define LIBRARY_TILE_64 16u
#define LIBRARY_TILE_COLUMNS 4u

/**
 * struct library_kernels
 * @tile32, @tile64: sums[j * @stride + i] += a[p * TILE + i] * b[p * TILE_COLUMNS + j], p ascending
 * @axpy32, @axpy64: y += alpha x
 * @dot32, @dot64: sums[i % LIBRARY_CHAINS] += x[i] y[i]; @n: all slices but the last are multiples
 * of LIBRARY_CHAINS
 */
struct library_kernels {
    void (*tile32)(uint64_t k, const float *a, const float *b, float *sums, size_t stride);
    void (*tile64)(uint64_t k, const double *a, const double *b, double *sums, size_t stride);
    void (*axpy32)(uint64_t n, float alpha, const float *x, float *y);
    void (*axpy64)(uint64_t n, double alpha, const double *x, double *y);
    void (*dot32)(uint64_t n, const float *x, const float *y, double *sums);
    void (*dot64)(uint64_t n, const double *x, const double *y, double *sums);
};

const struct library_kernels *library_kernels_get(void);

#endif
