/* SPDX-License-Identifier: MIT */
/* The few things that compilers do not find in a loop over lanes: a comparison as a bit a lane, and
 * a look-up of 32 words in a line. Plain C says what they do; vectors do the same faster.
 */
#ifndef MODEL_IGPU_SM_VEC_H
#define MODEL_IGPU_SM_VEC_H

#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Bit l: the top bit of @v[l]. @v is 64-byte aligned. */
static inline __attribute__((unused)) uint32_t lanes_top_bits(const uint32_t *v)
{
#if defined(__AVX512DQ__)
    uint32_t low = _mm512_movepi32_mask(_mm512_load_si512(v));
    uint32_t high = _mm512_movepi32_mask(_mm512_load_si512(v + 16));

    return low | high << 16;
#elif defined(__AVX2__)
    uint32_t r = 0;

    for (int i = 0; i < 4; i++) {
        r |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)(const void *)(v + 8 * i)))
             << (8 * i);
    }
    return r;
#elif defined(__SSE2__)
    uint32_t r = 0;

    for (int i = 0; i < 8; i++) {
        r |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)(const void *)(v + 4 * i)))
             << (4 * i);
    }
    return r;
#else
    uint32_t r = 0;

    for (int l = 0; l < 32; l++) {
        r |= v[l] >> 31 << l;
    }
    return r;
#endif
}

/* Bit l: bit @bit of @v[l] */
static inline __attribute__((unused)) uint32_t lanes_bits(const uint32_t *v, int bit)
{
#if defined(__AVX512F__)
    __m512i want = _mm512_set1_epi32((int)(1u << bit));
    uint32_t low = _mm512_test_epi32_mask(_mm512_load_si512(v), want);
    uint32_t high = _mm512_test_epi32_mask(_mm512_load_si512(v + 16), want);

    return low | high << 16;
#elif defined(__AVX2__)
    uint32_t r = 0;

    for (int i = 0; i < 4; i++) {
        __m256i x = _mm256_slli_epi32(_mm256_load_si256((const __m256i *)(const void *)(v + 8 * i)),
                                      31 - bit);

        r |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(x)) << (8 * i);
    }
    return r;
#elif defined(__SSE2__)
    uint32_t r = 0;

    for (int i = 0; i < 8; i++) {
        __m128i x =
            _mm_slli_epi32(_mm_load_si128((const __m128i *)(const void *)(v + 4 * i)), 31 - bit);

        r |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(x)) << (4 * i);
    }
    return r;
#else
    uint32_t r = 0;

    for (int l = 0; l < 32; l++) {
        r |= (v[l] >> bit & 1) << l;
    }
    return r;
#endif
}

/* @out[l] = min(@va[l] - @base, 128) - 128: negative, so bit 31, for lanes in the line at @base. */
static inline __attribute__((unused)) void lanes_in_line(const uint64_t *va, uint64_t base,
                                                         uint32_t *out)
{
#if defined(__AVX512F__)
    __m512i b = _mm512_set1_epi64((long long)base), most = _mm512_set1_epi64(128);

    for (int i = 0; i < 2; i++) { /* stores as wide as the loads that follow */
        __m512i x = _mm512_sub_epi64(_mm512_load_si512(va + 16 * i), b);
        __m512i y = _mm512_sub_epi64(_mm512_load_si512(va + 16 * i + 8), b);
        __m512i d = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_min_epu64(x, most)));

        d = _mm512_inserti64x4(d, _mm512_cvtepi64_epi32(_mm512_min_epu64(y, most)), 1);
        _mm512_store_si512(out + 16 * i, _mm512_sub_epi32(d, _mm512_set1_epi32(128)));
    }
#elif defined(__AVX2__)
    const __m256i *v = (const __m256i *)(const void *)va;
    __m256i b = _mm256_set1_epi64x((long long)base), most = _mm256_set1_epi64x(128);

    for (int i = 0; i < 4; i++) {
        __m256i x = _mm256_sub_epi64(_mm256_load_si256(v + 2 * i), b);
        __m256i y = _mm256_sub_epi64(_mm256_load_si256(v + 2 * i + 1), b);
        __m256i in_x = _mm256_cmpeq_epi64(_mm256_srli_epi64(x, 7), _mm256_setzero_si256());
        __m256i in_y = _mm256_cmpeq_epi64(_mm256_srli_epi64(y, 7), _mm256_setzero_si256());
        __m256 low = _mm256_castsi256_ps(_mm256_and_si256(_mm256_sub_epi64(x, most), in_x));
        __m256 high = _mm256_castsi256_ps(_mm256_and_si256(_mm256_sub_epi64(y, most), in_y));
        __m256i even = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88)); /* lower words */

        _mm256_store_si256((__m256i *)(void *)(out + 8 * i), _mm256_permute4x64_epi64(even, 0xd8));
    }
#else
    for (int l = 0; l < 32; l++) {
        uint64_t d = va[l] - base;

        out[l] = (d < 128 ? (uint32_t)d : 128) - 128;
    }
#endif
}

/* @out[l] = the word at byte (@at[l] & 124) of the 128 bytes at @line, for lanes of @mask */
static inline __attribute__((unused)) void lanes_look_up(const uint8_t *line, const uint32_t *at,
                                                         uint32_t mask, uint32_t *out)
{
#if defined(__AVX512F__)
    __m512i low = _mm512_loadu_si512(line), high = _mm512_loadu_si512(line + 64);

    for (int i = 0; i < 2; i++) {
        __m512i index = _mm512_srli_epi32(_mm512_load_si512(at + 16 * i), 2);
        __m512i v = _mm512_permutex2var_epi32(low, index, high); /* five bits of the index count */

        _mm512_mask_store_epi32(out + 16 * i, (__mmask16)(mask >> (16 * i)), v);
    }
#elif defined(__AVX2__)
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i *words = (const __m256i *)(const void *)line;
    __m256i w0 = _mm256_loadu_si256(words), w1 = _mm256_loadu_si256(words + 1);
    __m256i w2 = _mm256_loadu_si256(words + 2), w3 = _mm256_loadu_si256(words + 3);

    for (int i = 0; i < 4; i++) {
        __m256i *to = (__m256i *)(void *)(out + 8 * i);
        __m256i byte = _mm256_load_si256((const __m256i *)(const void *)(at + 8 * i));
        __m256i index = _mm256_srli_epi32(byte, 2); /* three bits of it count for a permutation */
        __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(byte, 31 - 5));
        __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(byte, 31 - 6));
        __m256 low =
            _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_permutevar8x32_epi32(w0, index)),
                             _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(w1, index)), odd);
        __m256 high =
            _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_permutevar8x32_epi32(w2, index)),
                             _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(w3, index)), odd);
        __m256i have = _mm256_and_si256(_mm256_set1_epi32((int)(mask >> (8 * i))), bits);
        __m256i v = _mm256_castps_si256(_mm256_blendv_ps(low, high, upper));

        _mm256_store_si256(
            to, _mm256_blendv_epi8(_mm256_load_si256(to), v, _mm256_cmpeq_epi32(have, bits)));
    }
#else
    for (int l = 0; l < 32; l++) {
        if (mask >> l & 1) {
            memcpy(&out[l], line + (at[l] & 124), 4);
        }
    }
#endif
}

/* Are the 16 addresses a row: each @step, 0 or 4, more than the one before? */
static inline __attribute__((unused)) int lanes_row(const uint64_t *va, uint64_t step)
{
#if defined(__AVX2__)
    static const uint64_t ramps[2][16] __attribute__((
        aligned(64))) = { { 0 }, { 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60 } };
    const uint64_t *ramp = ramps[step / 4];
#endif
#if defined(__AVX512F__)
    __m512i first = _mm512_set1_epi64((long long)va[0]);
    __m512i low = _mm512_add_epi64(first, _mm512_load_si512(ramp));
    __m512i high = _mm512_add_epi64(first, _mm512_load_si512(ramp + 8));

    return !(_mm512_cmpneq_epi64_mask(_mm512_load_si512(va), low) |
             _mm512_cmpneq_epi64_mask(_mm512_load_si512(va + 8), high));
#elif defined(__AVX2__)
    __m256i first = _mm256_set1_epi64x((long long)va[0]), other = _mm256_setzero_si256();

    for (unsigned l = 0; l < 16; l += 4) {
        __m256i row = _mm256_add_epi64(first, _mm256_load_si256((const __m256i *)(ramp + l)));

        other = _mm256_or_si256(
            other, _mm256_xor_si256(_mm256_load_si256((const __m256i *)(va + l)), row));
    }
    return _mm256_testz_si256(other, other);
#else
    uint64_t other = 0;

    for (unsigned l = 0; l < 16; l++) {
        other |= va[l] ^ (va[0] + step * l);
    }
    return other == 0;
#endif
}

/* 16 words from anywhere to half a slot. A copy of 64 bytes becomes a string instruction where gcc
 * thinks it rare. */
static inline __attribute__((unused)) void lanes_copy_half(uint32_t *d, const uint8_t *s)
{
#if defined(__AVX2__)
    __m256i low = _mm256_loadu_si256((const __m256i *)s);
    __m256i high = _mm256_loadu_si256((const __m256i *)(s + 32));

    _mm256_store_si256((__m256i *)d, low);
    _mm256_store_si256((__m256i *)(d + 8), high);
#else
    memcpy(d, s, 64);
#endif
}

/* d[l] = a[l] * b[l] in the lanes of @m: one instruction for eight, where compilers multiply 64
 * bits by 64. A masked store is not forwarded to the load that follows at once. */
static inline __attribute__((unused)) void lanes_mul_wide(int64_t *d, const int32_t *a,
                                                          const int32_t *b, uint32_t m)
{
#if defined(__AVX512F__)
    for (int i = 0; i < 32; i += 8) {
        __m512i x =
            _mm512_cvtepi32_epi64(_mm256_load_si256((const __m256i *)(const void *)(a + i)));
        __m512i y =
            _mm512_cvtepi32_epi64(_mm256_load_si256((const __m256i *)(const void *)(b + i)));

        if (m == UINT32_MAX) {
            _mm512_store_si512(d + i, _mm512_mul_epi32(x, y));
        } else {
            _mm512_mask_store_epi64(d + i, (__mmask8)(m >> i), _mm512_mul_epi32(x, y));
        }
    }
#else
    for (int l = 0; l < 32; l++) {
        d[l] = m >> l & 1 ? (int64_t)a[l] * b[l] : d[l];
    }
#endif
}

#endif
