/* SPDX-License-Identifier: MIT */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* c = a * b, n x n floats, rows contiguous */
void loop_matmul(const float *a, const float *b, float *c, int n);
/* @n rounds of eight vpmaddwd and vpaddd on registers and a few lines of L1.
 * Return: how many multiply-accumulates that were; 0 where there is no AVX2. */
uint64_t loop_madd(uint32_t n);

#ifdef __cplusplus
}
#endif

#endif
