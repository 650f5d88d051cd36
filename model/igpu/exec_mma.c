/* SPDX-License-Identifier: MIT */
/* mma and wmma.mma: PTX ISA 9.7.14.
 *
 * What the manual leaves open, floating point other than f64, is as published measurements have it
 * (inferred; P. Xie et al., "MMA-Sim", arXiv 2511.10909; F. Khattak, M. Mikaitis, arXiv
 * 2512.07004): the products of a block of the depth and the accumulator are exact, are cut to @frac
 * bits below the highest of their exponents, are added exactly and rounded once: towards zero to
 * f32, to nearest to f16. A zero has no exponent. f64 is a chain of fused multiply-adds along the
 * depth.
 */
#include "model/igpu/sm_half.h"
#include "model/igpu/sm_matrix.h"

#define ELEMS 1024u /* of the largest operand that is not of single bits: m16n8k64 */
#define COLUMNS 32u

struct rule {
    u32 block, frac;
};

static struct rule rule_of(u32 sm, enum ptx_elem e)
{
    u32 narrow = e == PTX_ELEM_TF32 ? 2 : 1;

    if (sm < 75) {
        return (struct rule){ 4, 23 };
    }
    if (sm < 80) {
        return (struct rule){ 4, 24 };
    }
    return sm < 90 ? (struct rule){ 8 / narrow, 24 } : (struct rule){ 16 / narrow, 25 };
}

static f64 value_of(enum ptx_elem e, u32 bits)
{
    switch (e) {
    case PTX_ELEM_F16:
        return half_get((u16)bits, PTX_HALF_F16, false);
    case PTX_ELEM_BF16:
        return f32_from(bits << 16);
    case PTX_ELEM_TF32: /* the lower 13 bits are not looked at */
        return f32_from(bits & 0xffffe000u);
    default:
        return f32_from(bits);
    }
}

/* A fragment as a matrix, outer rows of inner elements; with @across, inner rows of outer ones */
static void floats_take(const struct ptx_uop *u, uint8_t *rf, u32 slot, enum ptx_elem e,
                        const struct fragment_map *f, bool across, f64 *to)
{
    for (u32 i = 0; i < f->elems; i++) {
        const u32 *reg = SLOT(const u32, matrix_slot(u, slot + i / f->per_reg));
        u32 shift = f->per_reg == 2 ? i % 2 * 16 : 0;

        for (u32 l = 0; l < 32; l++) {
            u32 at = fragment_index(f, i, l);

            at = across ? at % f->inner * f->outer + at / f->inner : at;
            to[at] = value_of(e, shift ? reg[l] >> 16 : f->per_reg == 2 ? reg[l] & 0xffff : reg[l]);
        }
    }
}

static void floats_give(const struct ptx_uop *u, uint8_t *rf, u32 m, u32 slot, enum ptx_elem e,
                        const struct fragment_map *f, const f64 *from)
{
    for (u32 i = 0; i < f->elems; i++) {
        u32 *reg = SLOT(u32, matrix_slot(u, slot + i / f->per_reg));

        LANES_OF(m)
        {
            f64 v = from[fragment_index(f, i, l)];

            if (e == PTX_ELEM_F32) {
                reg[l] = f32_bits(F32_CANON((f32)v));
            } else {
                u32 h = half_put(v, PTX_HALF_F16);

                reg[l] = i % 2 ? (reg[l] & 0xffff) | h << 16 : (reg[l] & 0xffff0000u) | h;
            }
        }
    }
}

/* 2 to the exponent of each, at least @least; 0 of 0 */
static void exponents(const f64 *v, u32 n, f64 least, f64 *to)
{
    for (u32 i = 0; i < n; i++) {
        f64 p = f64_from(f64_bits(v[i]) & UINT64_C(0x7ff0000000000000));

        p = p < least ? least : p;
        to[i] = v[i] == 0.0 ? 0.0 : p;
    }
}

/* Infinities and NaNs become 0. Return: whether there were any */
static bool finite_only(f64 *v, u32 n)
{
    bool any = false;

    for (u32 i = 0; i < n; i++) {
        bool bad = !(fabs(v[i]) < (f64)INFINITY);

        any |= bad;
        v[i] = bad ? 0.0 : v[i];
    }
    return any;
}

/* What is not finite comes from sums of infinities and NaNs alone. */
static void specials(const f64 *a, const f64 *b, const f64 *c, u32 rows, u32 columns, u32 depth,
                     f64 *to)
{
    for (u32 i = 0; i < rows * columns; i++) {
        f64 s = c[i];

        for (u32 k = 0; k < depth; k++) {
            s += a[i / columns * depth + k] * b[k * columns + i % columns];
        }
        to[i] = s - s == 0.0 ? 0.0 : s;
    }
}

/* Towards zero to f32, also below its smallest normal number */
static inline f64 round_f32(f64 v)
{
    bool small = fabs(v) < 0x1p-126;
    f64 units = small ? v * 0x1p149 : 0.0;
    f64 cut = f64_from(f64_bits(v) & ~(UINT64_C(0x1fffffff)));

    return small             ? (f64)(s32)units * 0x1p-149
           : cut >= 0x1p128  ? (f64)INFINITY
           : cut <= -0x1p128 ? -(f64)INFINITY
                             : cut;
}

/* One row of D: @c is the accumulator and the result, @over what went over the largest number. The
 * inner loops run over columns, which is where the host has vectors. */
static inline __attribute__((always_inline)) void
row_accumulate(const f64 *restrict a, const f64 *restrict ea, const f64 *restrict b,
               const f64 *restrict eb, f64 *restrict c, f64 *restrict over, u32 columns, u32 depth,
               struct rule rule, bool to_f16)
{
    f64 unit = (f64)(1u << rule.frac);

    for (u32 from = 0; from < depth; from += rule.block) {
        u32 end = from + rule.block < depth ? from + rule.block : depth;
        f64 top[COLUMNS], scale[COLUMNS], sum[COLUMNS];

        exponents(c, columns, to_f16 ? 0x1p-14 : 0x1p-126, top);
        for (u32 k = from; k < end; k++) {
            for (u32 j = 0; j < columns; j++) {
                f64 p = ea[k] * eb[k * columns + j];

                top[j] = p > top[j] ? p : top[j];
            }
        }
        for (u32 j = 0; j < columns; j++) {
            top[j] = top[j] == 0.0 ? 1.0 : top[j];
            scale[j] = unit / top[j];
            sum[j] = (f64)(s32)(c[j] * scale[j]);
        }
        for (u32 k = from; k < end; k++) {
            for (u32 j = 0; j < columns; j++) {
                sum[j] += (f64)(s32)(a[k] * b[k * columns + j] * scale[j]);
            }
        }
        for (u32 j = 0; j < columns; j++) {
            f64 v = sum[j] * (top[j] / unit);

            v = to_f16 ? half_get(half_put(v, PTX_HALF_F16), PTX_HALF_F16, false) : round_f32(v);
            over[j] += v - v == 0.0 ? 0.0 : v;
            c[j] = v - v == 0.0 ? v : 0.0;
        }
    }
}

#define ROWS(n)                                                                              \
    for (u32 i = 0; i < rows; i++) {                                                         \
        row_accumulate(a + i * depth, ea + i * depth, b, eb, c + i * (n), over + i * (n), n, \
                       depth, rule, to_f16);                                                 \
    }

static void rows_accumulate(const f64 *a, const f64 *ea, const f64 *b, const f64 *eb, f64 *c,
                            f64 *over, u32 rows, u32 columns, u32 depth, struct rule rule,
                            bool to_f16)
{
    if (columns == 8) {
        ROWS(8)
    } else if (columns == 16) {
        ROWS(16)
    } else {
        ROWS(32)
    }
}

static void mma_float(const struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m,
                      const struct fragment_map f[4], const u32 slot[4])
{
    f64 a[512], b[512], c[256], ea[512], eb[512], over[256] = { 0 };
    enum ptx_elem e = (enum ptx_elem)u->size, ed = (enum ptx_elem)(u->sub & 15);
    u32 rows = f[0].outer, columns = f[1].outer, depth = f[0].inner;
    f64 least = e == PTX_ELEM_F16 ? 0x1p-14 : 0x1p-126;
    struct rule rule = rule_of(w->grid->desc.sm_version, e);

    if (e == PTX_ELEM_TF32 && columns == 16) { /* wmma: two of depth 4, measured on an H200 */
        rule.block = 4;
    }
    floats_take(u, rf, slot[0], e, &f[0], false, a);
    floats_take(u, rf, slot[1], e, &f[1], true, b);
    floats_take(u, rf, slot[2], (enum ptx_elem)(u->sub >> 4), &f[2], false, c);
    memcpy(ea, a, sizeof(a[0]) * rows * depth);
    memcpy(eb, b, sizeof(b[0]) * columns * depth);
    if (finite_only(ea, rows * depth) | finite_only(eb, columns * depth)) {
        specials(a, b, c, rows, columns, depth, over);
        memcpy(a, ea, sizeof(a[0]) * rows * depth);
        memcpy(b, eb, sizeof(b[0]) * columns * depth);
        finite_only(c, rows * columns);
    } else {
        memcpy(ea, c, sizeof(c[0]) * rows * columns);
        if (finite_only(ea, rows * columns)) {
            specials(a, b, c, rows, columns, depth, over);
            memcpy(c, ea, sizeof(c[0]) * rows * columns);
        }
    }
    exponents(a, rows * depth, least, ea);
    exponents(b, columns * depth, least, eb);
    rows_accumulate(a, ea, b, eb, c, over, rows, columns, depth, rule, ed == PTX_ELEM_F16);
    for (u32 i = 0; i < rows * columns; i++) {
        c[i] = over[i] != 0.0 ? over[i] : c[i];
    }
    floats_give(u, rf, m, slot[3], ed, &f[3], c);
}

/* A fragment of f64 as a matrix */
static void doubles_take(const struct ptx_uop *u, uint8_t *rf, u32 slot,
                         const struct fragment_map *f, f64 *to)
{
    for (u32 i = 0; i < f->elems; i++) {
        const f64 *reg = SLOT(const f64, matrix_slot(u, slot + i));

        for (u32 l = 0; l < 32; l++) {
            to[fragment_index(f, i, l)] = reg[l];
        }
    }
}

/* Rounded to nearest even, one product after the other along the depth */
static void mma_double(const struct ptx_uop *u, uint8_t *rf, u32 m, const struct fragment_map f[4],
                       const u32 slot[4])
{
    f64 a[256], b[128], c[128];
    const u32 depth = f[0].inner, columns = f[1].outer;

    doubles_take(u, rf, slot[0], &f[0], a);
    doubles_take(u, rf, slot[1], &f[1], b);
    doubles_take(u, rf, slot[2], &f[2], c);
    for (u32 i = 0; i < f[0].outer * columns; i++) {
        for (u32 k = 0; k < depth; k++) {
            const f64 x = a[i / columns * depth + k], y = b[i % columns * depth + k], z = c[i];

            c[i] = fma(x, y, z);
            c[i] = F64_NAN3(c[i], x, y, z);
        }
    }
    for (u32 i = 0; i < f[3].elems; i++) {
        f64 *d = SLOT(f64, matrix_slot(u, slot[3] + i));

        LANES_OF(m)
        {
            d[l] = c[fragment_index(&f[3], i, l)];
        }
    }
}

static s32 integer_of(enum ptx_elem e, u32 word, u32 i)
{
    switch (e) {
    case PTX_ELEM_S8:
        return (s8)(word >> i * 8);
    case PTX_ELEM_U8:
        return (u8)(word >> i * 8);
    case PTX_ELEM_S4:
        return (s32)(word << (28 - i * 4)) >> 28;
    default:
        return (s32)(word >> i * 4 & 15);
    }
}

/* As floats_take() */
static void integers_take(const struct ptx_uop *u, uint8_t *rf, u32 slot, enum ptx_elem e,
                          const struct fragment_map *f, bool across, s32 *to)
{
    for (u32 i = 0; i < f->elems; i++) {
        const u32 *reg = SLOT(const u32, matrix_slot(u, slot + i / f->per_reg));

        for (u32 l = 0; l < 32; l++) {
            u32 at = fragment_index(f, i, l);

            at = across ? at % f->inner * f->outer + at / f->inner : at;
            to[at] = integer_of(e, reg[l], i % f->per_reg);
        }
    }
}

/* The sum is exact; beyond 32 bits it wraps, or with .satfinite stops at the border. */
static u32 integer_sum(s32 c, s64 sum, u32 flags)
{
    s64 v = c + sum;

    if (flags & PTX_MATRIX_SAT) {
        v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
    }
    return (u32)v;
}

static void sums_take(const struct ptx_uop *u, uint8_t *rf, u32 slot, const struct fragment_map *f,
                      s32 *to)
{
    for (u32 i = 0; i < f->elems; i++) {
        const s32 *reg = SLOT(const s32, matrix_slot(u, slot + i));

        for (u32 l = 0; l < 32; l++) {
            to[fragment_index(f, i, l)] = reg[l];
        }
    }
}

/* C as a whole is read before D is written: D may have its registers, in another order. */
static void integers_give(const struct ptx_uop *u, uint8_t *rf, u32 m, const struct fragment_map *f,
                          const u32 slot[4], const s32 *sum)
{
    s32 c[256];

    sums_take(u, rf, slot[2], f, c);
    for (u32 i = 0; i < f->elems; i++) {
        u32 *d = SLOT(u32, matrix_slot(u, slot[3] + i));

        LANES_OF(m)
        {
            u32 at = fragment_index(f, i, l);

            d[l] = integer_sum(c[at], sum[at], u->flags);
        }
    }
}

static void mma_integer(const struct ptx_uop *u, uint8_t *rf, u32 m, const struct fragment_map f[4],
                        const u32 slot[4])
{
    s32 a[ELEMS], b[ELEMS], sum[256] = { 0 };
    u32 columns = f[1].outer, depth = f[0].inner;

    integers_take(u, rf, slot[0], (enum ptx_elem)u->size, &f[0], false, a);
    integers_take(u, rf, slot[1], (enum ptx_elem)u->vec, &f[1], true, b);
    for (u32 i = 0; i < f[0].outer; i++) {
        for (u32 k = 0; k < depth; k++) {
            s32 x = a[i * depth + k];

            for (u32 j = 0; j < columns; j++) {
                sum[i * columns + j] += x * b[k * columns + j];
            }
        }
    }
    integers_give(u, rf, m, &f[2], slot, sum);
}

/* Single bits: 32 of them in a register of one lane, so a register is one column of words. */
static void mma_bits(const struct ptx_uop *u, uint8_t *rf, u32 m, const struct fragment_map f[4],
                     const u32 slot[4])
{
    u32 words = f[0].inner / 32;
    s32 sum[256] = { 0 };
    u32 a[16 * 8], b[16 * 8];

    for (u32 r = 0; r < f[0].elems / 32; r++) {
        for (u32 l = 0; l < 32; l++) {
            a[fragment_index(&f[0], r * 32, l) / 32] =
                SLOT(const u32, matrix_slot(u, slot[0] + r))[l];
        }
    }
    for (u32 r = 0; r < f[1].elems / 32; r++) {
        for (u32 l = 0; l < 32; l++) {
            b[fragment_index(&f[1], r * 32, l) / 32] =
                SLOT(const u32, matrix_slot(u, slot[1] + r))[l];
        }
    }
    for (u32 i = 0; i < f[2].outer * f[2].inner; i++) {
        for (u32 k = 0; k < words; k++) {
            u32 x = a[i / f[2].inner * words + k], y = b[i % f[2].inner * words + k];

            sum[i] += __builtin_popcount(u->flags & PTX_MATRIX_XOR ? x ^ y : x & y);
        }
    }
    integers_give(u, rf, m, &f[2], slot, sum);
}

/* 9.7.9.22: to 10 bits of fraction, nearest, halves away from zero. A tf32 is the upper part of an
 * f32; of a NaN, too (measured, H200). */
EACH1(CVT_RNA_TF32_F32, u32, u32, u32,
      (a + ((a & 0x7f800000u) == 0x7f800000u ? 0 : 0x1000u)) & 0xffffe000u)

/* --- m8n8k4 of f16: four products, of lanes 4q to 4q + 3 and 16 above, 9.7.14.5.1 --- */

/* Element @i of a lane in A (C and D of f16: its row is whole), as row and column */
static u32 quad_at(bool row_major, u32 i, u32 l, u32 columns)
{
    u32 high = l >= 16 ? 4 : 0;

    return row_major ? (l % 4 + high) * columns + i : (i + high) * columns + l % 4;
}

static u32 quad_at_f32(u32 i, u32 l)
{
    u32 row = (l & 1) + (i & 2) + (l >= 16 ? 4 : 0);

    return row * 8 + (i & 4) + (l & 2) + (i & 1);
}

/* The lanes of product @q */
#define QUAD_LANES(q) LANES if ((u32)l % 16 / 4 == (q))

static void quad_halves(const struct ptx_uop *u, uint8_t *rf, u32 slot, u32 q, u32 n,
                        bool row_major, u32 columns, f32 *to)
{
    for (u32 i = 0; i < n; i++) {
        const u32 *reg = SLOT(const u32, matrix_slot(u, slot + i / 2));

        QUAD_LANES(q)
        {
            to[quad_at(row_major, i, l, columns)] =
                (f32)half_get((u16)(reg[l] >> i % 2 * 16), PTX_HALF_F16, false);
        }
    }
}

static void quad_sums(const struct ptx_uop *u, uint8_t *rf, u32 slot, u32 q, f32 *to)
{
    for (u32 i = 0; i < 8; i++) {
        const f32 *reg = SLOT(const f32, matrix_slot(u, slot + i));

        QUAD_LANES(q)
        {
            to[quad_at_f32(i, l)] = reg[l];
        }
    }
}

static void quad_give(const struct ptx_uop *u, uint8_t *rf, u32 slot, u32 q, bool half,
                      const f32 *from)
{
    for (u32 i = 0; i < 8; i++) {
        u32 *reg = SLOT(u32, matrix_slot(u, slot + (half ? i / 2 : i)));

        QUAD_LANES(q)
        {
            if (half) {
                u32 h = half_put(from[quad_at(true, i, l, 8)], PTX_HALF_F16);

                reg[l] = i % 2 ? (reg[l] & 0xffff) | h << 16 : (reg[l] & 0xffff0000u) | h;
            } else {
                reg[l] = f32_bits(F32_CANON(from[quad_at_f32(i, l)]));
            }
        }
    }
}

/* In f32, one product after the other, C last: measured on an H200. */
static const struct ptx_uop *mma_quads(const struct ptx_uop *u, uint8_t *rf)
{
    const bool half_c = u->sub >> 4 == PTX_ELEM_F16, half_d = (u->sub & 15) == PTX_ELEM_F16;
    const u32 at_d = half_c ? 8 : 12;
    f32 a[4][32], b[4][32], c[4][64];

    for (u32 q = 0; q < 4; q++) {
        quad_halves(u, rf, 0, q, 4, !(u->scope & 1), 4, a[q]);
        quad_halves(u, rf, 2, q, 4, u->scope >> 1 & 1, 4, b[q]); /* by columns: as A's rows */
        if (half_c) {
            quad_halves(u, rf, 4, q, 8, true, 8, c[q]);
        } else {
            quad_sums(u, rf, 4, q, c[q]);
        }
    }
    for (u32 q = 0; q < 4; q++) {
        for (u32 i = 0; i < 64; i++) {
            const f32 *x = a[q] + i / 8 * 4, *y = b[q] + i % 8 * 4;

            c[q][i] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + c[q][i];
        }
        quad_give(u, rf, at_d, q, half_d, c[q]);
    }
    return u + (at_d + (half_d ? 4u : 8u) + 5) / 6;
}

HANDLER(MATRIX_MMA)
{
    const enum ptx_elem elem[4] = { (enum ptx_elem)u->size, (enum ptx_elem)u->vec,
                                    (enum ptx_elem)(u->sub >> 4), (enum ptx_elem)(u->sub & 15) };
    struct fragment_map f[4];
    u32 slot[5] = { 0 };

    if (elem[0] == PTX_ELEM_F16 && u->imm == PTX_MATRIX_SHAPE(8, 8, 4)) {
        const bool half_c = elem[2] == PTX_ELEM_F16, half_d = elem[3] == PTX_ELEM_F16;

        return matrix_ready(w, m) ? mma_quads(u, rf)
                                  : matrix_wait(w, u, m, (half_c ? 8u : 12u) + (half_d ? 4u : 8u));
    }
    for (u32 p = 0; p < 4; p++) {
        f[p] = fragment_map((enum ptx_matrix_part)p, elem[p], u->imm);
        slot[p + 1] = slot[p] + f[p].elems / f[p].per_reg;
    }
    if (!matrix_ready(w, m)) {
        return matrix_wait(w, u, m, slot[4]);
    }
    if (elem[0] <= PTX_ELEM_TF32) {
        mma_float(w, u, rf, m, f, slot);
    } else if (elem[0] == PTX_ELEM_F64) {
        mma_double(u, rf, m, f, slot);
    } else if (elem[0] == PTX_ELEM_B1) {
        mma_bits(u, rf, m, f, slot);
    } else {
        mma_integer(u, rf, m, f, slot);
    }
    return u + (slot[4] + 5) / 6;
}
