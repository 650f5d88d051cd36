/* SPDX-License-Identifier: MIT */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#ifdef __cplusplus
extern "C" {
#endif

/* c = a * b, n x n floats, rows contiguous */
void loop_matmul(const float *a, const float *b, float *c, int n);

#ifdef __cplusplus
}
#endif

#endif
