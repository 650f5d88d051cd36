/* SPDX-License-Identifier: MIT */
/* exec_mma.c's rule for what is usual: every operand finite, exponents near enough to 0 that all
 * products are exact in f32. Eight columns at a time, addends as integers of the unit that they are
 * cut to. What is not usual shows before anything is written; then exec_mma.c's own text computes.
 */
#ifndef MODEL_IGPU_MATRIX_MMA_VEC_H
#define MODEL_IGPU_MATRIX_MMA_VEC_H

#include "model/igpu/matrix/core.h"
#include "model/igpu/matrix/mma_rule.h"

typedef f32 f32x8 __attribute__((vector_size(32), may_alias));
typedef s32 s32x8 __attribute__((vector_size(32), may_alias));
typedef u32 u32x8 __attribute__((vector_size(32), may_alias));

/* Macros, since a function's ABI for vectors depends on the instruction set. */
#define TO_INT(v) __builtin_convertvector(v, s32x8) /* towards zero */
#define TO_FLOAT(v) __builtin_convertvector(v, f32x8)
#define AS_INT(v) ((s32x8)(v))
#define SELECT(mask, yes, no) (((yes) & (mask)) | ((no) & ~(mask)))
#if defined(__AVX2__)
#define MAX_INT(a, b) ((s32x8)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#else
#define MAX_INT(a, b) SELECT((a) > (b), a, b)
#endif

#define TOP_LEAST 27                     /* biased: two of CORE_LEAST */
#define TOP_MOST 240                     /* no sum of 16 below it reaches infinity */
#define SUM_MOST ((1 << 30) - (1 << 27)) /* half of what 32 bits hold, less C's part */

/* One column of cores, 8 wide. Block and output are constants where it is inlined. Return: false:
 * something is unusual, and @c of no use. */
static inline __attribute__((always_inline)) bool
mma_columns(const f32 *restrict a, const s32 *restrict ea, const f32x8 *restrict b,
            const s32x8 *restrict eb, f32x8 *restrict c, u32 rows, u32 depth, u32 block, u32 frac,
            bool to_f16)
{
    const s32x8 zero = { 0 };
    s32x8 bad = zero;

    for (u32 from = 0; from < depth; from += block) {
        for (u32 i = 0; i < rows; i++) {
            const f32 *ai = a + i * depth + from;
            const s32 *ei = ea + i * depth + from;
            s32x8 ec = (s32x8)((u32x8)c[i] << 1 >> 24), products, top, unit, back, off;
            u32x8 n; /* of what is unusual it may overflow */
            f32x8 scale, v;

            products = zero + CORE_NONE;
            for (u32 k = 0; k < block; k++) {
                s32x8 e = eb[from + k] + ei[k];

                products = MAX_INT(products, e);
            }
            if (to_f16) { /* C's exponent is at least that of f16; zero has none */
                s32x8 least = zero + (127 - 14);

                least = MAX_INT(ec, least);
                ec = least & (c[i] != 0.0f);
            }
            top = MAX_INT(ec, products);
            bad |= top > TOP_MOST;
            top = MAX_INT(top, zero + TOP_LEAST);
            unit = (top - (s32)frac) << 23; /* 2 to it, as f32 */
            scale = (f32x8)((zero + (254 << 23)) - unit);
            n = (u32x8)TO_INT(c[i] * scale);
            if (block <= 8) {
                for (u32 k = 0; k < block; k++) {
                    f32x8 p = b[from + k] * ai[k] * scale;

                    n += (u32x8)TO_INT(p);
                }
            } else { /* the sum may need more than 32 bits: that is unusual */
                u32x8 low = (u32x8)zero, high = (u32x8)zero;

                for (u32 k = 0; k < 8; k++) {
                    f32x8 p = b[from + k] * ai[k] * scale, q = b[from + 8 + k] * ai[8 + k] * scale;

                    low += (u32x8)TO_INT(p);
                    high += (u32x8)TO_INT(q);
                }
                off = (s32x8)((u32x8)((s32x8)low >> 1) + (u32x8)((s32x8)high >> 1));
                off ^= off >> 31;
                bad |= off > SUM_MOST;
                n += low + high;
            }
            v = TO_FLOAT((s32x8)n); /* to nearest; one less where that is away from zero */
            back = (s32x8)((u32x8)TO_INT(v) - n);
            off = (back != 0) & ((back ^ (s32x8)n) >= 0);
            v = (f32x8)((u32x8)v + (u32x8)off);
            if (to_f16) { /* odd where anything is cut: a second rounding is as one */
                f32x8 magic, r;

                v = (f32x8)(AS_INT(v) | ((back != 0) & 1));
                v *= (f32x8)unit;
                magic = (f32x8)MAX_INT(AS_INT(v) & 0x7f800000, zero + ((127 - 14) << 23));
                magic = (f32x8)(((u32x8)magic + (13u << 23)) | 0x400000);
                r = (v + magic) - magic;
                c[i] = (f32x8)((AS_INT(r) & 0x7fffffff) | (AS_INT(v) & (s32)0x80000000));
                bad |= (AS_INT(r) & 0x7fffffff) > 0x477fe000; /* the largest number of f16 */
            } else {
                s32x8 none = products < 0;
                f32x8 same = c[i] + 0.0f; /* -0 and nothing else is +0 */

                v *= (f32x8)unit;
                c[i] = (f32x8)SELECT(none, AS_INT(same), AS_INT(v));
            }
        }
    }
    for (u32 i = 1; i < 8; i++) {
        bad[0] |= bad[i];
    }
    return bad[0] == 0;
}

#define MMA_COLUMNS(block, frac)                                           \
    (to_f16 ? mma_columns(a, ea, b, eb, c, rows, depth, block, frac, true) \
            : mma_columns(a, ea, b, eb, c, rows, depth, block, frac, false))

static inline bool mma_any_columns(const f32 *a, const s32 *ea, const f32x8 *b, const s32x8 *eb,
                                   f32x8 *c, u32 rows, u32 depth, struct mma_rule rule, bool to_f16)
{
    if (rule.block == 4) {
        return MMA_COLUMNS(4, rule.frac);
    }
    return rule.block == 8 ? MMA_COLUMNS(8, rule.frac) : MMA_COLUMNS(16, rule.frac);
}

/* D of floats. Return: false: it is not usual, and no register has changed */
static bool mma_float_usual(const struct ptx_uop *u, uint8_t *rf, u32 m,
                            const struct fragment_map f[4], const u32 slot[4], struct mma_rule rule)
{
    enum ptx_elem e = (enum ptx_elem)u->size;
    bool c_f16 = u->sub >> 4 == PTX_ELEM_F16, d_f16 = (u->sub & 15) == PTX_ELEM_F16;
    const u32 rows = f[0].outer, depth = f[0].inner;
    f32 a[CORE_B] __attribute__((aligned(64))), b[CORE_B] __attribute__((aligned(64)));
    s32 ea[CORE_B] __attribute__((aligned(64))), eb[CORE_B] __attribute__((aligned(64)));
    f32 c[CORE_C] __attribute__((aligned(64)));

    rule.block = rule.block < depth ? rule.block : depth;
    if (core_take_a(u, rf, slot[0], e, &f[0], a, ea) ||
        core_take_b(u, rf, slot[1], e, &f[1], b, eb)) {
        return false;
    }
    if (!c_f16) {
        core_take_words(u, rf, slot[2], &f[2], (u32 *)(void *)c);
    } else if (core_take_halves(u, rf, slot[2], &f[2], c)) {
        return false;
    }
    for (u32 j = 0; j < f[1].outer / CORE_COLUMNS; j++) {
        if (!mma_any_columns(a, ea, (const f32x8 *)(b + j * depth * 8),
                             (const s32x8 *)(eb + j * depth * 8), (f32x8 *)(c + j * rows * 8), rows,
                             depth, rule, d_f16)) {
            return false;
        }
    }
    if (d_f16) {
        core_give_halves(u, rf, m, slot[3], &f[3], c);
    } else {
        core_give_words(u, rf, m, slot[3], &f[3], (const u32 *)(const void *)c);
    }
    return true;
}

/* Sums of products of integers: [columns / 8][row][8] */
static void mma_integer_sums(const f32 *restrict a, const f32x8 *restrict b, f32x8 *restrict sum,
                             u32 rows, u32 columns, u32 depth)
{
    for (u32 j = 0; j < columns / CORE_COLUMNS; j++, b += depth, sum += rows) {
        for (u32 i = 0; i < rows; i++) {
            f32x8 s = { 0 };

            for (u32 k = 0; k < depth; k++) {
                s += b[k] * a[i * depth + k];
            }
            sum[i] = s;
        }
    }
}

#endif
