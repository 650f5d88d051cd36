/* SPDX-License-Identifier: MIT */
/* The ruler: one thread, gcc -O2, sizes known only at run time. */
#include "bench/loop.h"

void loop_matmul(const float *a, const float *b, float *c, int n)
{
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            float sum = 0;

            for (int k = 0; k < n; k++) {
                sum += a[y * n + k] * b[k * n + x];
            }
            c[y * n + x] = sum;
        }
    }
}
