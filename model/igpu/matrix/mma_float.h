/* SPDX-License-Identifier: MIT */
/* mma of floating point other than f64, any operands.
 *
 * What the manual leaves open is as published measurements have it
 * (inferred; P. Xie et al., "MMA-Sim", arXiv 2511.10909; F. Khattak, M. Mikaitis, arXiv
 * 2512.07004): the products of a block of the depth and the accumulator are exact, are cut to @frac
 * bits below the highest of their exponents, are added exactly and rounded once: towards zero to
 * f32, to nearest to f16. A zero has no exponent.
 */
#ifndef MODEL_IGPU_MATRIX_MMA_FLOAT_H
#define MODEL_IGPU_MATRIX_MMA_FLOAT_H

#include "model/igpu/matrix/mma_vec.h"
#include "model/igpu/sm_half.h"

#define COLUMNS 32u

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

    return small             ? (f64)(s32)units * 0x1p-149 + 0.0
           : cut >= 0x1p128  ? (f64)INFINITY
           : cut <= -0x1p128 ? -(f64)INFINITY
                             : cut;
}

/* One row of D: @c is the accumulator and the result, @over what went over the largest number. The
 * inner loops run over columns, which is where the host has vectors. */
static inline __attribute__((always_inline)) void
row_accumulate(const f64 *restrict a, const f64 *restrict ea, const f64 *restrict b,
               const f64 *restrict eb, f64 *restrict c, f64 *restrict over, u32 columns, u32 depth,
               struct mma_rule rule, bool to_f16)
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
            f64 v =
                (sum[j] + 0.0) * (top[j] / unit); /* a compiler may leave the sign of (s32)-0.5 */

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
                            f64 *over, u32 rows, u32 columns, u32 depth, struct mma_rule rule,
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

static void mma_float_any(const struct ptx_uop *u, uint8_t *rf, u32 m,
                          const struct fragment_map f[4], const u32 slot[4], struct mma_rule rule)
{
    f64 a[512], b[512], c[256], ea[512], eb[512], over[256] = { 0 };
    enum ptx_elem e = (enum ptx_elem)u->size, ed = (enum ptx_elem)(u->sub & 15);
    u32 rows = f[0].outer, columns = f[1].outer, depth = f[0].inner;
    f64 least = e == PTX_ELEM_F16 ? 0x1p-14 : 0x1p-126;

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

static void mma_float(const struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m,
                      const struct fragment_map f[4], const u32 slot[4])
{
    enum ptx_elem e = (enum ptx_elem)u->size;
    struct mma_rule rule = mma_rule_of(w->grid->desc.sm_version, e);

    if (e == PTX_ELEM_TF32 && f[1].outer == 16) { /* wmma: two of depth 4, measured on an H200 */
        rule.block = 4;
    }
    if (!mma_float_usual(u, rf, m, f, slot, rule)) {
        mma_float_any(u, rf, m, f, slot, rule);
    }
}

#endif
