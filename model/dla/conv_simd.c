/* SPDX-License-Identifier: MIT */
/* The inner loops: of int8, pairs of elements times pairs of weights of 16 kernels; of fp16,
 * elements times weights of 8 kernels. The sums are exact, so every version gives the same numbers.
 */
#include "model/dla/conv.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <string.h>

static void dla_mac_block_any(const int16_t *d, size_t step, unsigned pixels, const int16_t *w,
                              uint32_t pairs, int32_t *acc)
{
    for (unsigned p = 0; p < pixels; p++, d += step, acc += DLA_BLOCK_KERNELS) {
        for (uint32_t i = 0; i < pairs; i++) {
            const int16_t *v = w + 2 * (size_t)i * DLA_BLOCK_KERNELS;
            int32_t a = d[2 * (size_t)i], b = d[2 * (size_t)i + 1];

            for (unsigned k = 0; k < DLA_BLOCK_KERNELS; k++) {
                acc[k] += a * v[2 * k] + b * v[2 * k + 1];
            }
        }
    }
}

#if defined(__x86_64__)
/* Two elements of a pixel in every lane: one load of four bytes. */
__attribute__((target("avx2"))) static inline __m256i dla_pair(const int16_t *d)
{
    int32_t pair;

    memcpy(&pair, d, sizeof(pair));
    return _mm256_set1_epi32(pair);
}

__attribute__((target("avx2"))) static void
dla_mac_4_avx2(const int16_t *d, size_t step, const int16_t *w, uint32_t pairs, int32_t *acc)
{
    const int16_t *e = d + step, *f = e + step, *g = f + step;
    __m256i *a = (__m256i *)acc, s[8];

    for (int i = 0; i < 8; i++) {
        s[i] = _mm256_loadu_si256(a + i);
    }
    for (size_t i = 0; i < 2 * (size_t)pairs; i += 2, w += 2 * DLA_BLOCK_KERNELS) {
        __m256i low = _mm256_loadu_si256((const __m256i *)w);
        __m256i high = _mm256_loadu_si256((const __m256i *)w + 1);
        __m256i x = dla_pair(d + i), y = dla_pair(e + i);
        __m256i z = dla_pair(f + i), v = dla_pair(g + i);

        s[0] = _mm256_add_epi32(s[0], _mm256_madd_epi16(x, low));
        s[1] = _mm256_add_epi32(s[1], _mm256_madd_epi16(x, high));
        s[2] = _mm256_add_epi32(s[2], _mm256_madd_epi16(y, low));
        s[3] = _mm256_add_epi32(s[3], _mm256_madd_epi16(y, high));
        s[4] = _mm256_add_epi32(s[4], _mm256_madd_epi16(z, low));
        s[5] = _mm256_add_epi32(s[5], _mm256_madd_epi16(z, high));
        s[6] = _mm256_add_epi32(s[6], _mm256_madd_epi16(v, low));
        s[7] = _mm256_add_epi32(s[7], _mm256_madd_epi16(v, high));
    }
    for (int i = 0; i < 8; i++) {
        _mm256_storeu_si256(a + i, s[i]);
    }
}

__attribute__((target("avx2"))) static void dla_mac_1_avx2(const int16_t *d, const int16_t *w,
                                                           uint32_t pairs, int32_t *acc)
{
    __m256i *a = (__m256i *)acc, s = _mm256_loadu_si256(a), t = _mm256_loadu_si256(a + 1);

    for (size_t i = 0; i < 2 * (size_t)pairs; i += 2, w += 2 * DLA_BLOCK_KERNELS) {
        __m256i x = dla_pair(d + i);

        s = _mm256_add_epi32(s, _mm256_madd_epi16(x, _mm256_loadu_si256((const __m256i *)w)));
        t = _mm256_add_epi32(t, _mm256_madd_epi16(x, _mm256_loadu_si256((const __m256i *)w + 1)));
    }
    _mm256_storeu_si256(a, s);
    _mm256_storeu_si256(a + 1, t);
}

static void dla_mac_block_avx2(const int16_t *d, size_t step, unsigned pixels, const int16_t *w,
                               uint32_t pairs, int32_t *acc)
{
    if (pixels == DLA_BLOCK_PIXELS) {
        dla_mac_4_avx2(d, step, w, pairs, acc);
        return;
    }
    for (unsigned p = 0; p < pixels; p++) {
        dla_mac_1_avx2(d + p * step, w, pairs, acc + (size_t)p * DLA_BLOCK_KERNELS);
    }
}

/* vpmuldq multiplies the low halves of 64-bit lanes: kernels 0 to 3, and shifted down 4 to 7. */
__attribute__((target("avx2"))) static void dla_fixed_avx2(const int32_t *const *d,
                                                           const uint32_t *offset, const int32_t *w,
                                                           uint32_t rows, int64_t *acc)
{
    const int32_t *e = d[0], *f = d[1], *g = d[2], *h = d[3];
    __m256i *a = (__m256i *)acc, s[8];

    for (int i = 0; i < 8; i++) {
        s[i] = _mm256_setzero_si256();
    }
    for (uint32_t i = 0; i < rows; i++, w += DLA_FIXED_KERNELS) {
        uint32_t o = offset[i];
        __m256i low = _mm256_loadu_si256((const __m256i *)w);
        __m256i high = _mm256_srli_epi64(low, 32);
        __m256i x = _mm256_set1_epi32(e[o]), y = _mm256_set1_epi32(f[o]);
        __m256i z = _mm256_set1_epi32(g[o]), v = _mm256_set1_epi32(h[o]);

        s[0] = _mm256_add_epi64(s[0], _mm256_mul_epi32(x, low));
        s[1] = _mm256_add_epi64(s[1], _mm256_mul_epi32(x, high));
        s[2] = _mm256_add_epi64(s[2], _mm256_mul_epi32(y, low));
        s[3] = _mm256_add_epi64(s[3], _mm256_mul_epi32(y, high));
        s[4] = _mm256_add_epi64(s[4], _mm256_mul_epi32(z, low));
        s[5] = _mm256_add_epi64(s[5], _mm256_mul_epi32(z, high));
        s[6] = _mm256_add_epi64(s[6], _mm256_mul_epi32(v, low));
        s[7] = _mm256_add_epi64(s[7], _mm256_mul_epi32(v, high));
    }
    for (int i = 0; i < 8; i++) {
        _mm256_storeu_si256(a + i, s[i]);
    }
}
#endif

static void dla_fixed_any(const int32_t *const *d, const uint32_t *offset, const int32_t *w,
                          uint32_t rows, int64_t *acc)
{
    for (unsigned p = 0; p < DLA_FIXED_PIXELS; p++, acc += DLA_FIXED_KERNELS) {
        memset(acc, 0, DLA_FIXED_KERNELS * sizeof(*acc));
        for (uint32_t i = 0; i < rows; i++) {
            const int32_t *v = w + (size_t)i * DLA_FIXED_KERNELS;
            int64_t x = d[p][offset[i]];

            for (unsigned k = 0; k < DLA_FIXED_KERNELS; k++) {
                acc[k] += x * v[k % 4 * 2 + k / 4];
            }
        }
    }
}

dla_fixed_mac *dla_fixed_mac_at(unsigned i)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        dla_fixed_mac *const versions[] = { dla_fixed_avx2, dla_fixed_any };

        return i < 2 ? versions[i] : NULL;
    }
#endif
    return i < 1 ? dla_fixed_any : NULL;
}

dla_mac_block *dla_mac_block_at(unsigned i)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        dla_mac_block *const versions[] = { dla_mac_block_avx2, dla_mac_block_any };

        return i < 2 ? versions[i] : NULL;
    }
#endif
    return i < 1 ? dla_mac_block_any : NULL;
}
