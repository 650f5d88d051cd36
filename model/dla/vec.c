/* SPDX-License-Identifier: MIT */
#include "model/dla/vec.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
#endif

static int32_t dla_x_one(const struct dla_stage *s, int64_t v, int32_t alu, int32_t mul)
{
    if (s->alu) {
        int64_t o = dla_shl((int16_t)alu, s->alu_shift & 63, 32);

        v = s->algo == DLA_ALU_MAX   ? (v > o ? v : o)
            : s->algo == DLA_ALU_MIN ? (v < o ? v : o)
                                     : v + o;
    }
    if (s->mul && s->prelu && v >= 0) {
        v = dla_sat(v, 32);
    } else {
        v = dla_shr(s->mul ? v * (dla_wide)(int16_t)mul : v, s->truncate & 63, 32);
    }
    return (int32_t)(s->relu && v < 0 ? 0 : v);
}

static void dla_vec_x_any(const struct dla_stage *stage, int32_t *v, size_t n, const int32_t *alu,
                          const int32_t *mul)
{
    /* A copy of our own: stores to v[] cannot change it, so the loop keeps it in registers. */
    const struct dla_stage s = *stage;

    for (size_t i = 0; i < n; i++) {
        v[i] = dla_x_one(&s, v[i], s.alu && s.alu_from_memory ? alu[i] : s.alu_value,
                         s.mul && s.mul_from_memory ? mul[i] : s.mul_value);
    }
}

static uint32_t dla_vec_c_any(const struct dla_cvt *converter, unsigned bits, int32_t *v, size_t n)
{
    const struct dla_cvt cvt = *converter;
    uint32_t saturated = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t t =
            dla_shr((dla_wide)(((int64_t)v[i] - cvt.offset) * cvt.scale), cvt.truncate & 63, 60);

        v[i] = (int32_t)dla_sat(t, bits);
        saturated += t != v[i];
    }
    return saturated;
}

#if defined(__x86_64__)
/* 2^e, for any e that a shift of 6 bits makes. */
static double dla_power(int e)
{
    return e < 0 ? 1.0 / (double)(UINT64_C(1) << -e) : (double)(UINT64_C(1) << e);
}

/* x * 2^-shift, half away from zero; @scale is 2^-shift. */
AVX2 static inline __m256d dla_pd_shr(__m256d x, __m256d scale)
{
    __m256d sign = _mm256_and_pd(x, _mm256_set1_pd(-0.0));

    x = _mm256_mul_pd(x, scale);
    x = _mm256_add_pd(x, _mm256_or_pd(sign, _mm256_set1_pd(0.5)));
    return _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

AVX2 static inline __m256d dla_pd_load(const int32_t *v)
{
    return _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)v));
}

AVX2 static inline __m256d dla_pd_clamp(__m256d x, __m256d low, __m256d high)
{
    return _mm256_min_pd(_mm256_max_pd(x, low), high);
}

/* A stage that only adds, compares, or cuts off below zero: its numbers fit into 32 bits. The
 * operand has 16 bits. */
static bool dla_vec_x_is_plain(const struct dla_stage *s)
{
    return s->alu && !s->mul && (s->truncate & 63) == 0 && (s->alu_shift & 63) <= 15;
}

AVX2 static void dla_vec_x_plain(const struct dla_stage *stage, int32_t *v, size_t n,
                                 const int32_t *alu)
{
    const struct dla_stage s = *stage;
    const __m128i left = _mm_cvtsi32_si128(s.alu_shift & 63);
    const __m256i max = _mm256_set1_epi32(INT32_MAX), low = _mm256_setzero_si256();
    const __m256i value = _mm256_set1_epi32((int16_t)s.alu_value);

    for (size_t i = 0; i < n; i += 8) {
        __m256i *at = (__m256i *)(void *)(v + i), x = _mm256_loadu_si256(at), o = value, y, over;

        if (s.alu_from_memory) {
            o = _mm256_loadu_si256((const __m256i *)(const void *)(alu + i));
        }
        o = _mm256_sll_epi32(o, left);
        if (s.algo == DLA_ALU_MAX) {
            y = _mm256_max_epi32(x, o);
        } else if (s.algo == DLA_ALU_MIN) {
            y = _mm256_min_epi32(x, o);
        } else { /* equal signs whose sum has the other one: the end of the range */
            y = _mm256_add_epi32(x, o);
            over = _mm256_andnot_si256(_mm256_xor_si256(x, o), _mm256_xor_si256(x, y));
            y = _mm256_blendv_epi8(y, _mm256_xor_si256(_mm256_srai_epi32(x, 31), max),
                                   _mm256_srai_epi32(over, 31));
        }
        _mm256_storeu_si256(at, s.relu ? _mm256_max_epi32(y, low) : y);
    }
}

/* Whole groups of four; what is left over is for the plain version. */
AVX2 static void dla_vec_x_avx2(const struct dla_stage *stage, int32_t *v, size_t n,
                                const int32_t *alu, const int32_t *mul)
{
    const struct dla_stage s = *stage;
    const __m256d low = _mm256_set1_pd(INT32_MIN), high = _mm256_set1_pd(INT32_MAX);
    const __m256d left = _mm256_set1_pd(dla_power(s.alu_shift & 63));
    const __m256d right = _mm256_set1_pd(dla_power(-(s.truncate & 63)));
    __m256d zero = _mm256_setzero_pd();
    __m256d a = _mm256_set1_pd((int16_t)s.alu_value), m = _mm256_set1_pd((int16_t)s.mul_value);
    size_t i = 0;

    if (dla_vec_x_is_plain(stage)) {
        i = n / 8 * 8;
        dla_vec_x_plain(stage, v, i, alu);
    }
    for (; i + 4 <= n; i += 4) {
        __m256d x = dla_pd_load(v + i), y;

        if (s.alu) {
            __m256d o = s.alu_from_memory ? dla_pd_load(alu + i) : a;

            o = dla_pd_clamp(_mm256_mul_pd(o, left), low, high);
            x = s.algo == DLA_ALU_MAX   ? _mm256_max_pd(x, o)
                : s.algo == DLA_ALU_MIN ? _mm256_min_pd(x, o)
                                        : _mm256_add_pd(x, o);
        }
        y = x;
        if (s.mul) {
            y = _mm256_mul_pd(y, s.mul_from_memory ? dla_pd_load(mul + i) : m);
        }
        if (s.truncate & 63) {
            y = dla_pd_shr(y, right);
        }
        if (s.mul && s.prelu) {
            y = _mm256_blendv_pd(y, x, _mm256_cmp_pd(x, zero, _CMP_GE_OQ));
        }
        y = dla_pd_clamp(y, s.relu ? zero : low, high);
        _mm_storeu_si128((__m128i *)(void *)(v + i), _mm256_cvttpd_epi32(y));
    }
    dla_vec_x_any(stage, v + i, n - i, s.alu && s.alu_from_memory ? alu + i : alu,
                  s.mul && s.mul_from_memory ? mul + i : mul);
}

/* A converter that only shifts. */
AVX2 static uint32_t dla_vec_c_shift(unsigned shift, unsigned bits, int32_t *v, size_t n)
{
    const __m256i most = _mm256_set1_epi32((1 << (bits - 1)) - 1), least = ~most;
    const __m256i half = _mm256_set1_epi32(shift ? 1 << (shift - 1) : 0);
    const __m128i right = _mm_cvtsi32_si128((int)shift);
    uint32_t kept = 0;

    for (size_t i = 0; i < n; i += 8) {
        __m256i *at = (__m256i *)(void *)(v + i), x = _mm256_loadu_si256(at), y = x;

        if (shift) { /* a magnitude of up to 2^31 and a half of up to 2^30, without sign */
            y = _mm256_srl_epi32(_mm256_add_epi32(_mm256_abs_epi32(x), half), right);
            y = _mm256_sign_epi32(y, x);
        }
        x = _mm256_min_epi32(_mm256_max_epi32(y, least), most);
        kept += (uint32_t)__builtin_popcount(
            (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(x, y))));
        _mm256_storeu_si256(at, x);
    }
    return (uint32_t)n - kept;
}

AVX2 static uint32_t dla_vec_c_avx2(const struct dla_cvt *cvt, unsigned bits, int32_t *v, size_t n)
{
    double max = dla_power((int)bits - 1) - 1;
    const __m256d low = _mm256_set1_pd(-max - 1), high = _mm256_set1_pd(max);
    const __m256d offset = _mm256_set1_pd(cvt->offset), scale = _mm256_set1_pd(cvt->scale);
    const __m256d right = _mm256_set1_pd(dla_power(-(cvt->truncate & 63)));
    uint32_t saturated = 0;
    size_t i = 0;

    if (cvt->scale == 1 && cvt->offset == 0 && (cvt->truncate & 63) <= 31) {
        i = n / 8 * 8;
        saturated = dla_vec_c_shift(cvt->truncate & 63, bits, v, i);
    }
    for (; i + 4 <= n; i += 4) {
        __m256d x = _mm256_mul_pd(_mm256_sub_pd(dla_pd_load(v + i), offset), scale), y;

        x = dla_pd_shr(x, right);
        y = dla_pd_clamp(x, low, high);
        saturated += (uint32_t)__builtin_popcount(
            (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x, y, _CMP_NEQ_OQ)));
        _mm_storeu_si128((__m128i *)(void *)(v + i), _mm256_cvttpd_epi32(y));
    }
    return saturated + dla_vec_c_any(cvt, bits, v + i, n - i);
}

AVX2 static size_t dla_widen8_avx2(const uint8_t *b, size_t n, int32_t *out)
{
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        __m128i x = _mm_loadl_epi64((const __m128i *)(const void *)(b + i));

        _mm256_storeu_si256((__m256i *)(void *)(out + i), _mm256_cvtepi8_epi32(x));
    }
    return i;
}

AVX2 static size_t dla_widen8_16_avx2(const uint8_t *b, size_t n, int16_t *out)
{
    size_t i = 0;

    for (; i + 16 <= n; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(b + i));

        _mm256_storeu_si256((__m256i *)(void *)(out + i), _mm256_cvtepi8_epi16(x));
    }
    return i;
}

AVX2 static size_t dla_narrow8_avx2(const int32_t *v, size_t n, uint8_t *out)
{
    const __m256i bytes =
        _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i words = _mm256_setr_epi32(0, 4, 0, 0, 0, 0, 0, 0);
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(v + i));

        x = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(x, bytes), words);
        _mm_storel_epi64((__m128i *)(void *)(out + i), _mm256_castsi256_si128(x));
    }
    return i;
}

AVX2 static size_t dla_max_avx2(int32_t *out, const int32_t *v, size_t n, bool smaller)
{
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        __m256i *o = (__m256i *)(void *)(out + i);
        __m256i a = _mm256_loadu_si256(o),
                b = _mm256_loadu_si256((const __m256i *)(const void *)(v + i));

        _mm256_storeu_si256(o, smaller ? _mm256_min_epi32(a, b) : _mm256_max_epi32(a, b));
    }
    return i;
}
/* How many a fast version has done. */
#define FAST(call) (__builtin_cpu_supports("avx2") ? (call) : 0)
#else
#define FAST(call) 0
#endif

void dla_vec_widen8(const uint8_t *b, size_t n, int32_t *out)
{
    for (size_t i = FAST(dla_widen8_avx2(b, n, out)); i < n; i++) {
        out[i] = (int8_t)b[i];
    }
}

void dla_vec_widen8_16(const uint8_t *b, size_t n, int16_t *out)
{
    for (size_t i = FAST(dla_widen8_16_avx2(b, n, out)); i < n; i++) {
        out[i] = (int8_t)b[i];
    }
}

void dla_vec_narrow8(const int32_t *v, size_t n, uint8_t *out)
{
    for (size_t i = FAST(dla_narrow8_avx2(v, n, out)); i < n; i++) {
        out[i] = (uint8_t)v[i];
    }
}

void dla_vec_max(int32_t *out, const int32_t *v, size_t n)
{
    for (size_t i = FAST(dla_max_avx2(out, v, n, false)); i < n; i++) {
        out[i] = v[i] > out[i] ? v[i] : out[i];
    }
}

void dla_vec_min(int32_t *out, const int32_t *v, size_t n)
{
    for (size_t i = FAST(dla_max_avx2(out, v, n, true)); i < n; i++) {
        out[i] = v[i] < out[i] ? v[i] : out[i];
    }
}

dla_vec_x *dla_vec_x_at(unsigned i)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        dla_vec_x *const versions[] = { dla_vec_x_avx2, dla_vec_x_any };

        return i < 2 ? versions[i] : NULL;
    }
#endif
    return i < 1 ? dla_vec_x_any : NULL;
}

dla_vec_c *dla_vec_c_at(unsigned i)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        dla_vec_c *const versions[] = { dla_vec_c_avx2, dla_vec_c_any };

        return i < 2 ? versions[i] : NULL;
    }
#endif
    return i < 1 ? dla_vec_c_any : NULL;
}
