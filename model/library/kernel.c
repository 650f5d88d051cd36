/* SPDX-License-Identifier: MIT */
/* Compiled once for each of the host's instruction sets: LIBRARY_ISA names it. */
#include "model/library/kernel.h"

#include <string.h>

#define JOIN(isa) library_kernels_##isa
#define NAME(isa) JOIN(isa)

/* The sums of a tile stay in registers; each is one chain. */
#define TILE(T, FMA, ROWS, name)                                                                \
    static void name(uint64_t k, const T *restrict a, const T *restrict b, T *restrict sums,    \
                     size_t stride)                                                             \
    {                                                                                           \
        T s[LIBRARY_TILE_COLUMNS][ROWS];                                                        \
                                                                                                \
        for (unsigned j = 0; j < LIBRARY_TILE_COLUMNS; j++) {                                   \
            memcpy(s[j], sums + j * stride, sizeof(s[j]));                                      \
        }                                                                                       \
        for (uint64_t p = 0; p < k; p++) {                                                      \
            for (unsigned j = 0; j < LIBRARY_TILE_COLUMNS; j++) {                               \
                for (unsigned i = 0; i < (ROWS); i++) {                                         \
                    s[j][i] = FMA(a[p * (ROWS) + i], b[p * LIBRARY_TILE_COLUMNS + j], s[j][i]); \
                }                                                                               \
            }                                                                                   \
        }                                                                                       \
        for (unsigned j = 0; j < LIBRARY_TILE_COLUMNS; j++) {                                   \
            memcpy(sums + j * stride, s[j], sizeof(s[j]));                                      \
        }                                                                                       \
    }

TILE(float, __builtin_fmaf, LIBRARY_TILE_32, tile32)
TILE(double, __builtin_fma, LIBRARY_TILE_64, tile64)

#define AXPY(T, FMA, name)                                                    \
    static void name(uint64_t n, T alpha, const T *restrict x, T *restrict y) \
    {                                                                         \
        for (uint64_t i = 0; i < n; i++) {                                    \
            y[i] = FMA(alpha, x[i], y[i]);                                    \
        }                                                                     \
    }

AXPY(float, __builtin_fmaf, axpy32)
AXPY(double, __builtin_fma, axpy64)

#define DOT(T, name)                                                                              \
    static void name(uint64_t n, const T *restrict x, const T *restrict y, double *restrict sums) \
    {                                                                                             \
        double s[LIBRARY_CHAINS];                                                                 \
        uint64_t i = 0;                                                                           \
                                                                                                  \
        memcpy(s, sums, sizeof(s));                                                               \
        for (; i + LIBRARY_CHAINS <= n; i += LIBRARY_CHAINS) {                                    \
            for (unsigned c = 0; c < LIBRARY_CHAINS; c++) {                                       \
                s[c] = __builtin_fma((double)x[i + c], (double)y[i + c], s[c]);                   \
            }                                                                                     \
        }                                                                                         \
        for (unsigned c = 0; i + c < n; c++) {                                                    \
            s[c] = __builtin_fma((double)x[i + c], (double)y[i + c], s[c]);                       \
        }                                                                                         \
        memcpy(sums, s, sizeof(s));                                                               \
    }

DOT(float, dot32)
DOT(double, dot64)

extern const struct library_kernels NAME(LIBRARY_ISA);
const struct library_kernels NAME(LIBRARY_ISA) = { tile32, tile64, axpy32, axpy64, dot32, dot64 };
