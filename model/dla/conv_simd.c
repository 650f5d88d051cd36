/* SPDX-License-Identifier: MIT */
/* The inner loops: of int8, pairs of elements times pairs of weights of 16 kernels; of fp16,
 * elements times weights of 8 kernels. The sums are exact, so every version gives the same numbers.
 */
#include "model/dla/conv.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <string.h>

static void dla_mac_block_any(const int16_t *const *d, const int16_t *w, uint32_t pairs,
                              int32_t *acc, size_t stride, bool add)
{
    for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++, acc += stride) {
        if (!add) {
            memset(acc, 0, DLA_BLOCK_KERNELS * sizeof(*acc));
        }
        for (uint32_t i = 0; i < pairs; i++) {
            const int16_t *v = w + 2 * (size_t)i * DLA_BLOCK_KERNELS;
            int32_t a = d[p][2 * (size_t)i], b = d[p][2 * (size_t)i + 1];

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

/* @DOT(sums, a, b): sums + products of pairs, in 32 bits. */
#define MAC_BLOCK(NAME, TARGET, DOT)                                                              \
    __attribute__((target(TARGET))) static void NAME(const int16_t *const *at, const int16_t *w,  \
                                                     uint32_t pairs, int32_t *acc, size_t stride, \
                                                     bool add)                                    \
    {                                                                                             \
        const int16_t *d = at[0], *e = at[1], *f = at[2], *g = at[3];                             \
        __m256i s[8];                                                                             \
                                                                                                  \
        for (int i = 0; i < 8; i++) {                                                             \
            __m256i *from = (__m256i *)(acc + (size_t)(i / 2) * stride) + i % 2;                  \
                                                                                                  \
            s[i] = add ? _mm256_loadu_si256(from) : _mm256_setzero_si256();                       \
        }                                                                                         \
        for (size_t i = 0; i < 2 * (size_t)pairs; i += 2, w += 2 * DLA_BLOCK_KERNELS) {           \
            __m256i low = _mm256_loadu_si256((const __m256i *)w);                                 \
            __m256i high = _mm256_loadu_si256((const __m256i *)w + 1);                            \
            __m256i x = dla_pair(d + i), y = dla_pair(e + i);                                     \
            __m256i z = dla_pair(f + i), v = dla_pair(g + i);                                     \
                                                                                                  \
            s[0] = DOT(s[0], x, low);                                                             \
            s[1] = DOT(s[1], x, high);                                                            \
            s[2] = DOT(s[2], y, low);                                                             \
            s[3] = DOT(s[3], y, high);                                                            \
            s[4] = DOT(s[4], z, low);                                                             \
            s[5] = DOT(s[5], z, high);                                                            \
            s[6] = DOT(s[6], v, low);                                                             \
            s[7] = DOT(s[7], v, high);                                                            \
        }                                                                                         \
        for (int i = 0; i < 8; i++) {                                                             \
            _mm256_storeu_si256((__m256i *)(acc + (size_t)(i / 2) * stride) + i % 2, s[i]);       \
        }                                                                                         \
    }

#define DOT_AVX2(s, a, b) _mm256_add_epi32(s, _mm256_madd_epi16(a, b))
MAC_BLOCK(dla_mac_block_avx2, "avx2", DOT_AVX2)
/* vpdpwssd does both, and does not saturate either. */
MAC_BLOCK(dla_mac_block_vnni, "avx2,avx512vl,avx512vnni", _mm256_dpwssd_epi32)

/* Rows 0 .. 7 of 8 pairs each: pair j of all rows, as 16 bits a number, to @to + 32 * j. */
__attribute__((target("avx2"))) static void dla_pack_8(const uint8_t *b, size_t stride, int16_t *to)
{
    __m128i r[8], s[8], t[8];

    for (int i = 0; i < 8; i++) {
        r[i] = _mm_loadu_si128((const __m128i *)(const void *)(b + (size_t)i * stride));
    }
    for (int i = 0; i < 4; i++) { /* two rows side by side, in 16 bits */
        s[i] = _mm_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
        s[i + 4] = _mm_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
    }
    for (int h = 0; h < 8; h += 4) { /* four */
        for (int i = 0; i < 2; i++) {
            t[h + i] = _mm_unpacklo_epi32(s[h + 2 * i], s[h + 2 * i + 1]);
            t[h + i + 2] = _mm_unpackhi_epi32(s[h + 2 * i], s[h + 2 * i + 1]);
        }
    }
    for (int i = 0; i < 4; i++) { /* eight */
        __m128i low = _mm_unpacklo_epi64(t[2 * i], t[2 * i + 1]);
        __m128i high = _mm_unpackhi_epi64(t[2 * i], t[2 * i + 1]);
        __m256i *at = (__m256i *)(void *)(to + 64 * (size_t)i);

        _mm256_storeu_si256(at, _mm256_cvtepi8_epi16(low));
        _mm256_storeu_si256(at + 2, _mm256_cvtepi8_epi16(high));
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

bool dla_pack_16x16(const uint8_t *b, size_t stride, int16_t *to)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        dla_pack_8(b, stride, to);
        dla_pack_8(b + 8 * stride, stride, to + 16);
        return true;
    }
#endif
    (void)b;
    (void)stride;
    (void)to;
    return false;
}

dla_mac_block *dla_mac_block_at(unsigned i)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        dla_mac_block *const versions[] = { dla_mac_block_vnni, dla_mac_block_avx2,
                                            dla_mac_block_any };
        unsigned first =
            !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512vnni");

        return first + i < 3 ? versions[first + i] : NULL;
    }
#endif
    return i < 1 ? dla_mac_block_any : NULL;
}
