/* SPDX-License-Identifier: MIT */
/* The ruler: one thread, gcc -O2, sizes known only at run time. */
#include "bench/loop.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint64_t madd_avx2(uint32_t n)
{
    static int16_t weights[2048]; /* 4 KiB */
    static volatile int32_t sink;
    __m256i s[8] = { 0 }, x[4];
    int32_t out[8];

    for (int i = 0; i < 4; i++) {
        x[i] = _mm256_set1_epi32(sink + i);
    }
    for (uint32_t i = 0; i < n; i++) {
        const __m256i *w = (const __m256i *)(const void *)(weights + i % 64 * 32);
        __m256i low = _mm256_loadu_si256(w), high = _mm256_loadu_si256(w + 1);

        /* Written out: gcc -O2 would keep the sums of a loop in memory. */
        s[0] = _mm256_add_epi32(s[0], _mm256_madd_epi16(x[0], low));
        s[1] = _mm256_add_epi32(s[1], _mm256_madd_epi16(x[0], high));
        s[2] = _mm256_add_epi32(s[2], _mm256_madd_epi16(x[1], low));
        s[3] = _mm256_add_epi32(s[3], _mm256_madd_epi16(x[1], high));
        s[4] = _mm256_add_epi32(s[4], _mm256_madd_epi16(x[2], low));
        s[5] = _mm256_add_epi32(s[5], _mm256_madd_epi16(x[2], high));
        s[6] = _mm256_add_epi32(s[6], _mm256_madd_epi16(x[3], low));
        s[7] = _mm256_add_epi32(s[7], _mm256_madd_epi16(x[3], high));
    }
    for (int i = 1; i < 8; i++) {
        s[0] = _mm256_add_epi32(s[0], s[i]);
    }
    _mm256_storeu_si256((__m256i *)(void *)out, s[0]);
    sink = out[0];
    return (uint64_t)n * 8 * 16;
}
#endif

uint64_t loop_madd(uint32_t n)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return madd_avx2(n);
    }
#endif
    (void)n;
    return 0;
}
