/* SPDX-License-Identifier: MIT */
/* mma.m8n8k4 of f16: four products, of lanes 4q to 4q + 3 and 16 above, PTX ISA 9.7.14.5.1 */
#ifndef MODEL_IGPU_MATRIX_MMA_QUAD_H
#define MODEL_IGPU_MATRIX_MMA_QUAD_H

#include "model/igpu/matrix/sm_matrix.h"
#include "model/igpu/sm_half.h"

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

#endif
