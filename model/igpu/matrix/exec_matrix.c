/* SPDX-License-Identifier: MIT */
/* Fragments from and to memory, and between registers: wmma.load, wmma.store, ldmatrix, movmatrix.
 * PTX ISA 9.7.14.4.3, 9.7.14.4.4, 9.7.14.5.15, 9.7.14.5.17. */
#include "model/igpu/matrix/core.h"

/* Words of a core whose lines run across it: word t of row g holds an element of each of its lines,
 * which are @pitch apart; @at elements lie before row 0. */
static void across_words(const uint8_t *line, u32 pitch, u32 bits, u32 at, u32 *restrict word)
{
    for (u32 t = 0; t < 4; t++) {
        u32 *restrict to = word + t * 8;

        if (bits == 32) {
            memcpy(to, line + t * pitch + at * 4, 32);
        } else if (bits == 16) {
            u16 low[8], high[8];

            memcpy(low, line + 2 * t * pitch + at * 2, 16);
            memcpy(high, line + (2 * t + 1) * pitch + at * 2, 16);
            for (u32 g = 0; g < 8; g++) {
                to[g] = low[g] | (u32)high[g] << 16;
            }
        } else {
            u8 part[4][8];

            for (u32 i = 0; i < 4; i++) {
                memcpy(part[i], line + (4 * t + i) * pitch + at, 8);
            }
            for (u32 g = 0; g < 8; g++) {
                to[g] = part[0][g] | (u32)part[1][g] << 8 | (u32)part[2][g] << 16 |
                        (u32)part[3][g] << 24;
            }
        }
    }
}

/* Register @r of a fragment of words, from a tile that lies in @bytes without gaps */
static void tile_register(const struct fragment_map *f, const struct tile *t, const uint8_t *bytes,
                          u32 r, u32 *restrict to)
{
    u32 pair = f->run / f->per_reg, o, in, word[32], row = f->inner * t->bits / 8;

    r %= core_regs(f);
    core_place(f, r / pair, &o, &in);
    if (t->across) {
        u32 step = t->bits == 32 ? pair * t->bytes : t->bytes; /* C: every second line */
        const uint8_t *line = bytes + (in * 4 * f->run + r % pair) * t->bytes;

        across_words(line, step, t->bits, o * 8, word);
        core_turn_back(word, 8, to);
    } else if (pair == 1) {
        for (u32 g = 0; g < 8; g++) {
            memcpy(to + g * 4, bytes + (o * 8 + g) * row + in * 16, 16);
        }
    } else {
        for (u32 g = 0; g < 8; g++) {
            u32 eight[8];

            memcpy(eight, bytes + (o * 8 + g) * row + in * 32, 32);
            for (u32 k = 0; k < 4; k++) {
                to[g * 4 + k] = eight[2 * k + r % 2];
            }
        }
    }
}

/* The other way, of D's elements of 16 or 32 bits */
static void tile_store_register(const struct fragment_map *f, const struct tile *t, uint8_t *bytes,
                                u32 r, const u32 *from)
{
    u32 pair = f->run / f->per_reg, o, in, word[32], row = f->inner * t->bits / 8;

    core_place(f, r / pair, &o, &in);
    if (t->across) {
        uint8_t *line = bytes + (in * 8 + r % pair) * t->bytes + o * 8 * t->bits / 8;

        core_turn(from, word);
        for (u32 k = 0; k < 4; k++, line += 2 * t->bytes) {
            u16 low[8], high[8];

            for (u32 g = 0; g < 8; g++) {
                low[g] = (u16)word[k * 8 + g];
                high[g] = (u16)(word[k * 8 + g] >> 16);
            }
            if (t->bits == 32) {
                memcpy(line, word + k * 8, 32);
            } else {
                memcpy(line, low, 16);
                memcpy(line + t->bytes, high, 16);
            }
        }
    } else {
        for (u32 g = 0; g < 8; g++) {
            uint8_t *to = bytes + (o * 8 + g) * row + in * 16 * pair;

            if (pair == 1) {
                memcpy(to, from + g * 4, 16);
                continue;
            }
            for (u32 k = 0; k < 4; k++) {
                memcpy(to + 8 * k + r % 2 * 4, from + g * 4 + k, 4);
            }
        }
    }
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

/* A line of a tile to or from @bytes, without a call where its length is a usual one */
static inline void line_copy(uint8_t *to, const uint8_t *from, u32 bytes)
{
    switch (bytes) {
    case 16:
        memcpy(to, from, 16);
        return;
    case 32:
        memcpy(to, from, 32);
        return;
    case 64:
        memcpy(to, from, 64);
        return;
    default:
        memcpy(to, from, bytes);
    }
}

/* Line @i of a tile in global memory, as bus_port_read() would. Return: false: nothing is done, ask
 * that */
static inline bool tile_line(struct warp *w, const struct tile *t, u32 i, uint8_t *bytes)
{
    struct bus_port *port = w->grid->port;
    u64 va = t->va + (u64)(t->stride * (s64)i);
    u32 first = va % BUS_LINE;
    const uint8_t *line;

    if (first + t->bytes > BUS_LINE || va - w->grid->desc.shared_window < WINDOW_BYTES ||
        va - w->grid->desc.local_window < WINDOW_BYTES) {
        return false;
    }
    if (port->observed) {
        port->bytes = bus_mask_range(first, t->bytes);
    } else if (port->ops->read && port->ops->read(port, va, bytes, t->bytes) == t->bytes) {
        return true;
    }
    if (port->ops->load(port, va - first,
                        ((2u << (first + t->bytes - 1) / BUS_SECTOR) - 1) &
                            ~((1u << first / BUS_SECTOR) - 1),
                        BUS_HOW_PAST, &line) != BUS_OK) {
        return false; /* again, for the fault: a load that is refused changes nothing */
    }
    line_copy(bytes, line + first, t->bytes);
    return true;
}

/* The lines of a tile. Return: false after sm_fault() */
static bool tile_read(struct warp *w, const struct ptx_uop *u, u32 lane, const struct tile *t,
                      uint8_t *bytes)
{
    for (u32 i = 0; i < t->lines; i++) { /* the first one also names the place in the source */
        if (i > 0 && tile_line(w, t, i, bytes + i * t->bytes)) {
            continue;
        }
        if (!sm_read(w, u, lane, t->va + (u64)(t->stride * (s64)i), bytes + i * t->bytes,
                     t->bytes)) {
            return false;
        }
    }
    return true;
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
    if (!tile_read(w, u, lane, &t, bytes)) {
        return u;
    }
    for (u32 r = 0; r < u->vec; r++) {
        u32 slot = matrix_slot(u, 2 + r), word[32];

        if (t.bits == 64) {
            LANES_OF(m) SLOT(u64, slot)[l] = tile_double(&f, &t, bytes, r, l);
        } else if (m == LANES_ALL) {
            tile_register(&f, &t, bytes, r, SLOT(u32, slot));
        } else {
            tile_register(&f, &t, bytes, r, word);
            LANES_OF(m) SLOT(u32, slot)[l] = word[l];
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
    w->grid->stats.store_insts++;
    for (u32 r = 0; r < core_regs(&f); r++) {
        u32 slot = matrix_slot(u, 2 + r);

        if (t.bits < 64) {
            tile_store_register(&f, &t, bytes, r, SLOT(const u32, slot));
            continue;
        }
        for (u32 l = 0; l < 32; l++) {
            u32 at = fragment_index(&f, r, l);

            at = t.across ? at % f.inner * f.outer + at / f.inner : at;
            memcpy(bytes + at * 8, SLOT(const u64, slot) + l, 8);
        }
    }
    for (u32 i = 0; i < t.lines; i++) {
        if (!sm_write(w, u, lane, t.va + (u64)(t.stride * (s64)i), bytes + i * t.bytes, t.bytes)) {
            return u;
        }
    }
    return u + (n + 5) / 6;
}

/* --- ldmatrix, stmatrix: matrix r has its rows at the addresses of lanes 8r to 8r + 7; lane l has
 * two elements of row l / 4, or transposed of column l / 4 --- */

static u64 row_va(const struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 l)
{
    u64 va = u->flags & PTX_MATRIX_A32 ? SLOT(const u32, u->d)[l] : SLOT(const u64, u->d)[l];

    return va + (u->flags & PTX_MATRIX_SHARED ? w->grid->desc.shared_window : 0);
}

/* Where the rows of @n lanes lie, if all are in shared memory and aligned */
static bool rows_shared(const struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 n, u64 *at)
{
    u64 size = w->grid->shared_bytes, bad = 0;

    for (u32 l = 0; l < n; l++) {
        at[l] = row_va(w, u, rf, l) - w->grid->desc.shared_window;
        bad |= (at[l] & 15) | (at[l] + 16 > size) | (at[l] >> 32);
    }
    return bad == 0;
}

/* Row @l is read or written. Return: false after sm_fault() */
static bool row_move(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 l, u16 *row,
                     bool write)
{
    u64 va = row_va(w, u, rf, l);

    if (va & 15) {
        sm_fault(w, u, GRID_FAULT_MISALIGNED, l, va, 16, write,
                 "address is not a multiple of the access size");
        return false;
    }
    return write ? sm_write(w, u, l, va, row, 16) : sm_read(w, u, l, va, row, 16);
}

HANDLER(LDMATRIX)
{
    u32 n = u->vec + 1u;
    u16 rows[32][8];
    u64 at[32];

    if (!matrix_ready(w, m)) {
        return matrix_wait(w, u, m, n);
    }
    w->grid->stats.shared_insts++;
    if (rows_shared(w, u, rf, u->vec * 8u, at)) {
        for (u32 l = 0; l < u->vec * 8u; l++) {
            memcpy(rows[l], w->shared + at[l], 16);
        }
    } else {
        for (u32 l = 0; l < u->vec * 8u; l++) {
            if (!row_move(w, u, rf, l, rows[l], false)) {
                return u;
            }
        }
    }
    for (u32 r = 0; r < u->vec; r++) {
        u32 *d = SLOT(u32, matrix_slot(u, 1 + r)), word[32], lanes[32];

        if (u->sub) {
            across_words((const uint8_t *)rows[r * 8], 16, 16, 0, word);
            core_turn_back(word, 8, lanes);
        } else {
            memcpy(lanes, rows[r * 8], sizeof(lanes));
        }
        if (m == LANES_ALL) {
            memcpy(d, lanes, sizeof(lanes));
        } else {
            LANES_OF(m) d[l] = lanes[l];
        }
    }
    return u + (n + 5) / 6;
}

/* The same in the other direction: PTX ISA 9.7.14.5.16 */
HANDLER(STMATRIX)
{
    u32 n = u->vec + 1u;
    u16 rows[32][8];
    u64 at[32];

    if (!matrix_ready(w, m)) {
        return matrix_wait(w, u, m, n);
    }
    w->grid->stats.shared_insts++;
    for (u32 r = 0; r < u->vec; r++) {
        const u32 *d = SLOT(const u32, matrix_slot(u, 1 + r));
        u32 word[32];

        if (!u->sub) {
            memcpy(rows[r * 8], d, sizeof(word));
            continue;
        }
        core_turn(d, word);
        for (u32 i = 0; i < 32; i++) {
            rows[r * 8 + i / 8 * 2][i % 8] = (u16)word[i];
            rows[r * 8 + i / 8 * 2 + 1][i % 8] = (u16)(word[i] >> 16);
        }
    }
    if (rows_shared(w, u, rf, u->vec * 8u, at)) {
        for (u32 l = 0; l < u->vec * 8u; l++) {
            memcpy(w->shared + at[l], rows[l], 16);
        }
        w->effects += u->vec * 8u;
        w->grid->effects += u->vec * 8u;
    } else {
        for (u32 l = 0; l < u->vec * 8u; l++) {
            if (!row_move(w, u, rf, l, rows[l], true)) {
                return u;
            }
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
