/* SPDX-License-Identifier: MIT */
/* Fragments from and to memory, and between registers: wmma.load, wmma.store, ldmatrix, movmatrix.
 * PTX ISA 9.7.14.4.3, 9.7.14.4.4, 9.7.14.5.15, 9.7.14.5.17. */
#include "model/igpu/matrix/sm_matrix.h"

/* The register at @i of lane @l, in a tile that lies in @bytes without gaps */
static u32 tile_word(const struct fragment_map *f, const struct tile *t, const uint8_t *bytes,
                     u32 i, u32 l)
{
    u32 v = 0;

    if (!t->across) {
        memcpy(&v, bytes + fragment_index(f, i, l) * t->bits / 8, t->bits * f->per_reg / 8);
        return v;
    }
    for (u32 k = 0; k < f->per_reg; k++) {
        u32 at = fragment_index(f, i + k, l), part = 0;

        memcpy(&part, bytes + (at % f->inner * f->outer + at / f->inner) * t->bits / 8,
               t->bits / 8);
        v |= part << k * t->bits % 32;
    }
    return v;
}

static u64 tile_double(const struct fragment_map *f, const struct tile *t, const uint8_t *bytes,
                       u32 i, u32 l)
{
    u32 at = fragment_index(f, i, l);
    u64 v;

    at = t->across ? at % f->inner * f->outer + at / f->inner : at;
    memcpy(&v, bytes + at * 8, 8);
    return v;
}

HANDLER(MATRIX_LOAD)
{
    struct fragment_map f =
        fragment_map((enum ptx_matrix_part)u->scope, (enum ptx_elem)u->size, u->imm);
    u32 n = u->vec + 2u, lane = lane_first(m);
    uint8_t bytes[1024];
    struct tile t;

    if (!matrix_ready(w, m)) {
        return matrix_wait(w, u, m, n);
    }
    t = tile_of(w, u, rf, lane, &f);
    w->grid->stats.mem_insts++;
    for (u32 i = 0; i < t.lines; i++) {
        if (!sm_read(w, u, lane, t.va + (u64)(t.stride * (s64)i), bytes + i * t.bytes, t.bytes)) {
            return u;
        }
    }
    for (u32 r = 0; r < u->vec; r++) {
        u32 slot = matrix_slot(u, 2 + r);

        LANES_OF(m)
        {
            if (t.bits == 64) {
                SLOT(u64, slot)[l] = tile_double(&f, &t, bytes, r, l);
            } else {
                SLOT(u32, slot)[l] = tile_word(&f, &t, bytes, r * f.per_reg, l);
            }
        }
    }
    return u + (n + 5) / 6;
}

HANDLER(MATRIX_STORE)
{
    struct fragment_map f = fragment_map(PTX_MATRIX_D, (enum ptx_elem)u->size, u->imm);
    u32 n = u->vec + 2u, lane = lane_first(m);
    uint8_t bytes[1024];
    struct tile t;

    if (!matrix_ready(w, m)) {
        return matrix_wait(w, u, m, n);
    }
    t = tile_of(w, u, rf, lane, &f);
    w->grid->stats.mem_insts++;
    for (u32 i = 0; i < f.elems; i++) {
        u32 slot = matrix_slot(u, 2 + i / f.per_reg);

        for (u32 l = 0; l < 32; l++) {
            u32 at = fragment_index(&f, i, l);
            u64 v = t.bits == 64 ? SLOT(const u64, slot)[l]
                                 : SLOT(const u32, slot)[l] >> (t.bits == 16 ? i % 2 * 16 : 0);

            at = t.across ? at % f.inner * f.outer + at / f.inner : at;
            memcpy(bytes + at * t.bits / 8, &v, t.bits / 8);
        }
    }
    for (u32 i = 0; i < t.lines; i++) {
        if (!sm_write(w, u, lane, t.va + (u64)(t.stride * (s64)i), bytes + i * t.bytes, t.bytes)) {
            return u;
        }
    }
    return u + (n + 5) / 6;
}

/* Matrix r has its rows at the addresses of lanes 8r to 8r + 7; lane l gets two elements of row
 * l/4, or transposed of column l/4. */
HANDLER(LDMATRIX)
{
    u32 n = u->vec + 1u;
    u16 rows[32][8];

    if (!matrix_ready(w, m)) {
        return matrix_wait(w, u, m, n);
    }
    w->grid->stats.shared_insts++;
    for (u32 l = 0; l < u->vec * 8u; l++) {
        u64 va = u->flags & PTX_MATRIX_A32 ? SLOT(const u32, u->d)[l] : SLOT(const u64, u->d)[l];

        va += u->flags & PTX_MATRIX_SHARED ? w->grid->desc.shared_window : 0;
        if (va & 15) {
            return sm_fault(w, u, GRID_FAULT_MISALIGNED, l, va, 16, false,
                            "address is not a multiple of the access size");
        }
        if (!sm_read(w, u, l, va, rows[l], 16)) {
            return u;
        }
    }
    for (u32 r = 0; r < u->vec; r++) {
        u32 *d = SLOT(u32, matrix_slot(u, 1 + r));

        LANES_OF(m)
        {
            u32 i = l / 4, k = l % 4 * 2;

            d[l] = u->sub ? rows[r * 8 + k][i] | (u32)rows[r * 8 + k + 1][i] << 16
                          : rows[r * 8 + i][k] | (u32)rows[r * 8 + i][k + 1] << 16;
        }
    }
    return u + (n + 5) / 6;
}

/* The same in the other direction: PTX ISA 9.7.14.5.16 */
HANDLER(STMATRIX)
{
    u32 n = u->vec + 1u;
    u16 rows[32][8];

    if (!matrix_ready(w, m)) {
        return matrix_wait(w, u, m, n);
    }
    w->grid->stats.shared_insts++;
    for (u32 r = 0; r < u->vec; r++) {
        const u32 *d = SLOT(const u32, matrix_slot(u, 1 + r));

        for (u32 l = 0; l < 32; l++) {
            u32 i = l / 4, k = l % 4 * 2;

            *(u->sub ? &rows[r * 8 + k][i] : &rows[r * 8 + i][k]) = (u16)d[l];
            *(u->sub ? &rows[r * 8 + k + 1][i] : &rows[r * 8 + i][k + 1]) = (u16)(d[l] >> 16);
        }
    }
    for (u32 l = 0; l < u->vec * 8u; l++) {
        u64 va = u->flags & PTX_MATRIX_A32 ? SLOT(const u32, u->d)[l] : SLOT(const u64, u->d)[l];

        va += u->flags & PTX_MATRIX_SHARED ? w->grid->desc.shared_window : 0;
        if (va & 15) {
            return sm_fault(w, u, GRID_FAULT_MISALIGNED, l, va, 16, true,
                            "address is not a multiple of the access size");
        }
        if (!sm_write(w, u, l, va, rows[l], 16)) {
            return u;
        }
    }
    return u + (n + 5) / 6;
}

HANDLER(MOVMATRIX)
{
    u32 in[32], *d = SLOT(u32, u->d);

    if (!matrix_ready(w, m)) {
        return matrix_wait(w, u, m, 2);
    }
    memcpy(in, SLOT(const u32, u->a), sizeof(in));
    LANES_OF(m)
    {
        u32 row = l / 4, k = l % 4 * 2, shift = row % 2 * 16, from = row / 2;

        d[l] = (in[k * 4 + from] >> shift & 0xffff) | (in[(k + 1) * 4 + from] >> shift & 0xffff)
                                                          << 16;
    }
    return u + 1;
}
