/* SPDX-License-Identifier: MIT */
/* Matrices for vector code, from and to the registers of a warp.
 *
 * A register of a fragment is one core: 8 rows of 4 words (of B: 8 columns), lane by lane in memory
 * order. So A's elements are copied row by row, B's are turned to have 8 columns side by side, and
 * two registers of a C of 32 bits, or one of f16, are 8 rows of 8 columns. In vector code, A is
 * [row][depth], B is [columns / 8][depth][8], C and D are [columns / 8][row][8].
 */
#ifndef MODEL_IGPU_MATRIX_CORE_H
#define MODEL_IGPU_MATRIX_CORE_H

#include "model/igpu/matrix/sm_matrix.h"

#define CORE_COLUMNS 8u
#define CORE_A 1024u /* elements of the largest A that is not of single bits: m16n8k64 */
#define CORE_B 512u
#define CORE_C 256u

/* to[t][g] = from[g][t]: 8 rows of 4 words */
static inline void core_turn(const u32 *restrict from, u32 *restrict to)
{
#if defined(__AVX512F__)
    const __m512i at = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 16);

    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(low, at, high));
    _mm512_storeu_si512(
        to + 16, _mm512_permutex2var_epi32(low, _mm512_add_epi32(at, _mm512_set1_epi32(2)), high));
#elif defined(__SSE2__)
    for (unsigned i = 0; i < 2; i++) {
        const __m128i *p = (const __m128i *)(const void *)(from + 16 * i);
        __m128i a = _mm_loadu_si128(p), b = _mm_loadu_si128(p + 1);
        __m128i c = _mm_loadu_si128(p + 2), d = _mm_loadu_si128(p + 3);
        __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
        __m128i ab2 = _mm_unpackhi_epi32(a, b), cd2 = _mm_unpackhi_epi32(c, d);
        __m128i *q = (__m128i *)(void *)(to + 4 * i);

        _mm_storeu_si128(q, _mm_unpacklo_epi64(ab, cd));
        _mm_storeu_si128(q + 2, _mm_unpackhi_epi64(ab, cd));
        _mm_storeu_si128(q + 4, _mm_unpacklo_epi64(ab2, cd2));
        _mm_storeu_si128(q + 6, _mm_unpackhi_epi64(ab2, cd2));
    }
#else
    for (unsigned t = 0; t < 4; t++) {
        for (unsigned g = 0; g < 8; g++) {
            to[t * 8 + g] = from[g * 4 + t];
        }
    }
#endif
}

/* The other way: to[g][t] = from[t][g], rows of @stride words */
static inline void core_turn_back(const u32 *restrict from, u32 stride, u32 *restrict to)
{
#if defined(__SSE2__)
    for (unsigned i = 0; i < 2; i++) {
        const u32 *p = from + 4 * i;
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(p + stride));
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + 2 * (size_t)stride));
        __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(p + 3 * (size_t)stride));
        __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
        __m128i ab2 = _mm_unpackhi_epi32(a, b), cd2 = _mm_unpackhi_epi32(c, d);
        __m128i *q = (__m128i *)(void *)(to + 16 * i);

        _mm_storeu_si128(q, _mm_unpacklo_epi64(ab, cd));
        _mm_storeu_si128(q + 1, _mm_unpackhi_epi64(ab, cd));
        _mm_storeu_si128(q + 2, _mm_unpacklo_epi64(ab2, cd2));
        _mm_storeu_si128(q + 3, _mm_unpackhi_epi64(ab2, cd2));
    }
#else
    for (unsigned t = 0; t < 4; t++) {
        for (unsigned g = 0; g < 8; g++) {
            to[g * 4 + t] = from[t * stride + g];
        }
    }
#endif
}

/* Register @r of a fragment: where its core's row (of B: column) and depth begin, in cores */
static inline void core_place(const struct fragment_map *f, u32 r, u32 *o, u32 *in)
{
    u32 n = f->depth_first ? f->inner / (4 * f->run) : f->outer / 8;

    *o = f->depth_first ? r / n : r % n;
    *in = f->depth_first ? r % n : r / n;
}

static inline u32 core_regs(const struct fragment_map *f)
{
    return f->elems / f->per_reg;
}

/* The elements of a register of A, @bits wide, in the order of memory; 32 / @bits x 32 of them */
static inline void core_elements(const u32 *reg, u32 bits, u32 *restrict to)
{
    switch (bits) {
    case 32:
        memcpy(to, reg, 128);
        return;
    case 16:
        for (unsigned i = 0; i < 64; i++) {
            to[i] = ((const u16 *)reg)[i];
        }
        return;
    case 8:
        for (unsigned i = 0; i < 128; i++) {
            to[i] = ((const u8 *)reg)[i];
        }
        return;
    default:
        for (unsigned i = 0; i < 128; i++) {
            to[2 * i] = ((const u8 *)reg)[i] & 15;
            to[2 * i + 1] = ((const u8 *)reg)[i] >> 4;
        }
    }
}

/* Values of 32 raw elements. Return: something is of no use to exact products in f32: infinity,
 * NaN, an exponent so far from 0 that a product leaves the normal numbers
 * @e: exponents plus @bias, CORE_NONE of zero */
#define CORE_NONE (-8192)
#define CORE_MOST 60
#define CORE_LEAST (-50)

static inline bool core_halves(const u32 *restrict raw, s32 bias, f32 *restrict v, s32 *restrict e)
{
    u32 top = 0;

    for (unsigned i = 0; i < 32; i++) {
        u32 size = raw[i] & 0x7fff;
        s32 field = (s32)(size >> 10);
        f32 x = f32_from(size << 13) * 0x1p112f;

        top = size > top ? size : top;
        field = field < 1 ? 1 : field;
        e[i] = size == 0 ? CORE_NONE : field - 15 + bias;
        v[i] = f32_from(f32_bits(x) | (raw[i] & 0x8000) << 16);
    }
    return top >= 0x7c00;
}

static inline bool core_singles(const u32 *restrict raw, u32 shift, u32 mask, s32 bias,
                                f32 *restrict v, s32 *restrict e)
{
    u32 bad = 0;

    for (unsigned i = 0; i < 32; i++) {
        u32 w = raw[i] << shift & mask, size = w & 0x7fffffff;
        s32 field = (s32)(size >> 23) - 127;
        u32 out = (u32)(field - CORE_LEAST) > CORE_MOST - CORE_LEAST ? 1 : 0;

        bad |= size == 0 ? 0 : out;
        e[i] = size == 0 ? CORE_NONE : field + bias;
        v[i] = f32_from(w);
    }
    return bad;
}

static inline bool core_values(enum ptx_elem t, const u32 *restrict raw, s32 bias, f32 *restrict v,
                               s32 *restrict e)
{
    switch (t) {
    case PTX_ELEM_F16:
        return core_halves(raw, bias, v, e);
    case PTX_ELEM_BF16:
        return core_singles(raw, 16, UINT32_MAX, bias, v, e);
    default: /* tf32: the lower 13 bits are not looked at */
        return core_singles(raw, 0, 0xffffe000u, bias, v, e);
    }
}

/* Small integers are exact in f32, and so are the sums of their products. */
static inline void core_integers(enum ptx_elem t, const u32 *restrict raw, f32 *restrict v)
{
    u32 bits = ptx_elem_bits(t), up = 32 - bits;

    if (t == PTX_ELEM_S8 || t == PTX_ELEM_S4) {
        for (unsigned i = 0; i < 32; i++) {
            v[i] = (f32)((s32)(raw[i] << up) >> up);
        }
    } else {
        for (unsigned i = 0; i < 32; i++) {
            v[i] = (f32)(s32)raw[i];
        }
    }
}

/* A register of bytes into rows, the values as they are */
static inline void core_bytes(const u32 *reg, bool is_signed, u32 stride, f32 *restrict v)
{
    for (u32 g = 0; g < 8; g++, v += stride) {
        if (is_signed) {
            for (unsigned i = 0; i < 16; i++) {
                v[i] = (f32)((const s8 *)reg)[g * 16 + i];
            }
        } else {
            for (unsigned i = 0; i < 16; i++) {
                v[i] = (f32)((const u8 *)reg)[g * 16 + i];
            }
        }
    }
}

/* A into rows; @e: NULL of integers. Return: as core_halves() */
static inline bool core_take_a(const struct ptx_uop *u, uint8_t *rf, u32 slot, enum ptx_elem t,
                               const struct fragment_map *f, f32 *restrict v, s32 *restrict e)
{
    u32 raw[256], width = 4 * f->per_reg, o, in;
    f32 value[256];
    s32 exponent[256];
    bool bad = false;

    for (u32 r = 0; r < core_regs(f); r++) {
        const u32 *reg = SLOT(const u32, matrix_slot(u, slot + r));

        core_place(f, r, &o, &in);
        if (t == PTX_ELEM_S8 || t == PTX_ELEM_U8) {
            core_bytes(reg, t == PTX_ELEM_S8, f->inner, v + o * 8 * f->inner + in * width);
            continue;
        }
        core_elements(reg, 32 / f->per_reg, raw);
        for (u32 i = 0; i < f->per_reg; i++) {
            if (e) {
                bad |= core_values(t, raw + i * 32, 127, value + i * 32, exponent + i * 32);
            } else {
                core_integers(t, raw + i * 32, value + i * 32);
            }
        }
        for (u32 g = 0; g < 8; g++) {
            u32 to = (o * 8 + g) * f->inner + in * width;

            for (u32 i = 0; i < width; i += 4) {
                memcpy(v + to + i, value + g * width + i, 16);
                if (e) {
                    memcpy(e + to + i, exponent + g * width + i, 16);
                }
            }
        }
    }
    return bad;
}

/* B into columns of eight, the same */
static inline bool core_take_b(const struct ptx_uop *u, uint8_t *rf, u32 slot, enum ptx_elem t,
                               const struct fragment_map *f, f32 *restrict v, s32 *restrict e)
{
    u32 word[32], raw[32], bits = 32 / f->per_reg, o, in;
    u32 mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    f32 value[32];
    s32 exponent[32];
    bool bad = false;

    for (u32 r = 0; r < core_regs(f); r++) {
        core_turn(SLOT(const u32, matrix_slot(u, slot + r)), word);
        core_place(f, r, &o, &in);
        for (u32 x = 0; x < f->per_reg; x++) {
            u32 to = (o * f->inner + in * 4 * f->per_reg + x) * 8, step = 8 * f->per_reg;

            for (unsigned i = 0; i < 32; i++) {
                raw[i] = word[i] >> x * bits & mask;
            }
            if (e) {
                bad |= core_values(t, raw, 0, value, exponent);
            } else {
                core_integers(t, raw, value);
            }
            for (u32 k = 0; k < 4; k++) {
                memcpy(v + to + k * step, value + k * 8, 32);
                if (e) {
                    memcpy(e + to + k * step, exponent + k * 8, 32);
                }
            }
        }
    }
    return bad;
}

/* Where the 64 elements of C's registers @r (and the next, if an element has 32 bits) begin */
static inline u32 core_sums_at(const struct fragment_map *f, u32 r)
{
    u32 o, in;

    core_place(f, r / (2 / f->per_reg), &o, &in);
    return (in * f->outer + o * 8) * 8;
}

/* C of 32-bit elements, any type */
static inline void core_take_words(const struct ptx_uop *u, uint8_t *rf, u32 slot,
                                   const struct fragment_map *f, u32 *restrict to)
{
    for (u32 r = 0; r < f->elems; r += 2) {
        const u32 *low = SLOT(const u32, matrix_slot(u, slot + r));
        const u32 *high = SLOT(const u32, matrix_slot(u, slot + r + 1));
        u32 *restrict sum = to + core_sums_at(f, r);

        for (unsigned l = 0; l < 32; l++) {
            sum[2 * l] = low[l];
            sum[2 * l + 1] = high[l];
        }
    }
}

static inline void core_give_words(const struct ptx_uop *u, uint8_t *rf, u32 m, u32 slot,
                                   const struct fragment_map *f, const u32 *restrict from)
{
    for (u32 r = 0; r < f->elems; r++) {
        u32 *restrict d = SLOT(u32, matrix_slot(u, slot + r));
        const u32 *sum = from + core_sums_at(f, r) + r % 2;

        if (m == LANES_ALL) {
            for (unsigned l = 0; l < 32; l++) {
                d[l] = sum[2 * l];
            }
        } else {
            LANES_OF(m)
            {
                d[l] = sum[2 * l];
            }
        }
    }
}

/* C of f16 as f32. Return: there is an infinity or a NaN */
static inline bool core_take_halves(const struct ptx_uop *u, uint8_t *rf, u32 slot,
                                    const struct fragment_map *f, f32 *restrict to)
{
    u32 raw[64];
    s32 e[32];
    bool bad = false;

    for (u32 r = 0; r < core_regs(f); r++) {
        f32 *sum = to + core_sums_at(f, r);

        core_elements(SLOT(const u32, matrix_slot(u, slot + r)), 16, raw);
        bad |= core_halves(raw, 0, sum, e);
        bad |= core_halves(raw + 32, 0, sum + 32, e);
    }
    return bad;
}

/* D of f16 from f32 that are values of f16 */
static inline void core_give_halves(const struct ptx_uop *u, uint8_t *rf, u32 m, u32 slot,
                                    const struct fragment_map *f, const f32 *restrict from)
{
    for (u32 r = 0; r < core_regs(f); r++) {
        u32 *d = SLOT(u32, matrix_slot(u, slot + r)), packed[32];
        const f32 *sum = from + core_sums_at(f, r);
        u16 *restrict half = (u16 *)packed;

        for (unsigned i = 0; i < 64; i++) {
            u32 w = f32_bits(sum[i]);

            half[i] = (u16)(w >> 16 & 0x8000) |
                      (u16)(f32_bits(f32_from(w & 0x7fffffff) * 0x1p-112f) >> 13);
        }
        LANES_OF(m)
        {
            d[l] = packed[l];
        }
    }
}

#endif
