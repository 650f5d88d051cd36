/* SPDX-License-Identifier: MIT */
/* mma and wmma.mma: PTX ISA 9.7.14. Floating point other than f64 has its rule in mma_float.h; f64
 * is a chain of fused multiply-adds along the depth.
 */
#include "model/igpu/matrix/mma_float.h"
#include "model/igpu/matrix/mma_quad.h"

/* A fragment of f64 as a matrix, outer rows of inner elements; with @across, inner rows of outer
 * ones */
static void doubles_take(const struct ptx_uop *u, uint8_t *rf, u32 slot,
                         const struct fragment_map *f, bool across, f64 *to)
{
    for (u32 i = 0; i < f->elems; i++) {
        const f64 *reg = SLOT(const f64, matrix_slot(u, slot + i));

        for (u32 l = 0; l < 32; l++) {
            u32 at = fragment_index(f, i, l);

            to[across ? at % f->inner * f->outer + at / f->inner : at] = reg[l];
        }
    }
}

/* Rounded to nearest even, one product after the other along the depth; the lanes are columns. */
static void mma_double(const struct ptx_uop *u, uint8_t *rf, u32 m, const struct fragment_map f[4],
                       const u32 slot[4])
{
    f64 a[256], b[128], c[128];
    const u32 depth = f[0].inner;

    doubles_take(u, rf, slot[0], &f[0], false, a);
    doubles_take(u, rf, slot[1], &f[1], true, b);
    doubles_take(u, rf, slot[2], &f[2], false, c);
    for (u32 i = 0; i < f[0].outer; i++) {
        for (u32 k = 0; k < depth; k++) {
            for (u32 j = 0; j < CORE_COLUMNS; j++) { /* eight columns in every shape */
                const f64 x = a[i * depth + k], y = b[k * 8 + j], z = c[i * 8 + j];
                const f64 v = fma(x, y, z);

                c[i * 8 + j] = F64_NAN3(v, x, y, z);
            }
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

/* The sum is exact; beyond 32 bits it wraps, or with .satfinite stops at the border. C as a whole
 * is read before D is written: D may have its registers, in another order. */
static void integers_give(const struct ptx_uop *u, uint8_t *rf, u32 m, const struct fragment_map *f,
                          const u32 slot[4], const s32 *sum)
{
    s32 c[CORE_C];
    u32 n = f->outer * f->inner;

    core_take_words(u, rf, slot[2], f, (u32 *)c);
    if (u->flags & PTX_MATRIX_SAT) {
        for (u32 i = 0; i < n; i++) {
            s64 v = (s64)c[i] + sum[i];

            c[i] = (s32)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
        }
    } else {
        for (u32 i = 0; i < n; i++) {
            c[i] = (s32)((u32)c[i] + (u32)sum[i]);
        }
    }
    core_give_words(u, rf, m, slot[3], f, (const u32 *)c);
}

static void mma_integer(const struct ptx_uop *u, uint8_t *rf, u32 m, const struct fragment_map f[4],
                        const u32 slot[4])
{
    f32 a[CORE_A], b[CORE_B] __attribute__((aligned(64)));
    f32 sum[CORE_C] __attribute__((aligned(64)));
    s32 exact[CORE_C];

    core_take_a(u, rf, slot[0], (enum ptx_elem)u->size, &f[0], a, NULL);
    core_take_b(u, rf, slot[1], (enum ptx_elem)u->vec, &f[1], b, NULL);
    mma_integer_sums(a, (const f32x8 *)b, (f32x8 *)sum, f[0].outer, f[1].outer, f[0].inner);
    for (u32 i = 0; i < f[2].outer * f[2].inner; i++) {
        exact[i] = (s32)sum[i];
    }
    integers_give(u, rf, m, &f[2], slot, exact);
}

/* Single bits: words of 32, A's by rows, B's as eight columns side by side */
static void mma_bits(const struct ptx_uop *u, uint8_t *rf, u32 m, const struct fragment_map f[4],
                     const u32 slot[4])
{
    const u32 words = f[0].inner / 32, rows = f[0].outer;
    u32 a[16 * 8], b[8 * 8], o, in;
    s32 sum[CORE_C] = { 0 };

    for (u32 r = 0; r < core_regs(&f[0]); r++) {
        core_place(&f[0], r, &o, &in);
        for (u32 g = 0; g < 8; g++) {
            memcpy(a + (o * 8 + g) * words + in * 4,
                   SLOT(const u32, matrix_slot(u, slot[0] + r)) + g * 4, 16);
        }
    }
    for (u32 r = 0; r < core_regs(&f[1]); r++) { /* eight columns in every shape */
        core_turn(SLOT(const u32, matrix_slot(u, slot[1] + r)), b + r * 32);
    }
    for (u32 i = 0; i < rows; i++) {
        for (u32 k = 0; k < words; k++) {
            for (u32 j = 0; j < CORE_COLUMNS; j++) {
                u32 x = a[i * words + k], y = b[k * 8 + j];

                sum[i * 8 + j] += (s32)bus_bits_count(u->flags & PTX_MATRIX_XOR ? x ^ y : x & y);
            }
        }
    }
    integers_give(u, rf, m, &f[2], slot, sum);
}

/* 9.7.9.22: to 10 bits of fraction, nearest, halves away from zero. A tf32 is the upper part of an
 * f32; of a NaN, too (measured, H200). */
EACH1(CVT_RNA_TF32_F32, u32, u32, u32,
      (a + ((a & 0x7f800000u) == 0x7f800000u ? 0 : 0x1000u)) & 0xffffe000u)

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
