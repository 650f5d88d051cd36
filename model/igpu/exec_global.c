/* SPDX-License-Identifier: MIT */
/* Loads and stores of global memory. A warp's access is cut into lines: for each line, in the order
 * of the lowest lane that needs it, one call of the port with the 32-byte sectors that are touched.
 * When several lanes store to one byte the highest lane wins (PTX leaves it open).
 */
#include "model/igpu/sm_dense.h"
#include "model/igpu/sm_mem.h"
#include "model/igpu/sm_row.h"

/* Lanes of @todo in the line at @line, where in it (128 less), and the sectors they touch. Accesses
 * are aligned and at most 32 bytes, so none crosses a sector. */
static inline u32 line_lanes(const u64 *va, u64 line, u32 todo, u32 *at, unsigned *sectors)
{
    u32 same, odd, upper;

    lanes_in_line(va, line, at);
    same = lanes_top_bits(at) & todo;
    odd = lanes_bits(at, 5); /* taking 128 off leaves the low seven bits alone */
    upper = lanes_bits(at, 6);
    *sectors = ((same & ~upper & ~odd) != 0) | ((same & ~upper & odd) != 0) << 1 |
               ((same & upper & ~odd) != 0) << 2 | ((same & upper & odd) != 0) << 3;
    return same;
}

/* Which bytes of a line the lanes of @same load, @at of it as in line_lanes(); for an observer. */
static __attribute__((noinline)) void port_report_bytes(struct bus_port *port, u32 same,
                                                        const u32 *at, u32 bytes)
{
    u64 ones = (UINT64_C(1) << bytes) - 1; /* at most 32, within one word */
    u64 low = 0, high = 0;

    LANES
    {
        u64 bits = same & lane_bit[l] ? ones << (at[l] & 63) : 0;

        low |= at[l] & 64 ? 0 : bits;
        high |= at[l] & 64 ? bits : 0;
    }
    port->bytes = (struct bus_mask){ { low, high } };
}

/* Lanes of @mask take the value at byte @at of the line (less 128) into slot @d. */
static inline void look_up(const uint8_t *line, const u32 *at, u32 mask, uint8_t *rf, u32 d,
                           u32 size)
{
    if (size == 4) {
        lanes_look_up(line, at, mask, SLOT(u32, d));
        return;
    }
    for (int l = 0; l < 32; l++) {
        u64 v;

        memcpy(&v, line + (at[l] & 120), sizeof(v)); /* constants lie anywhere */
        SLOT(u64, d)[l] = mask & lane_bit[l] ? v : SLOT(u64, d)[l];
    }
}

/* Values of 1, 2 or 4 bytes that become 32 or 64 bits: the word that holds it, shifted and
 * extended. */
static inline void look_up_part(const struct ptx_uop *u, const uint8_t *line, const u32 *at,
                                u32 mask, uint8_t *rf, u32 d)
{
    u32 word[32] __attribute__((aligned(64))) = { 0 }, up = 32 - 8u * u->size;
    bool sign = u->flags & PTX_MEM_SIGNED;

    lanes_look_up(line, at, mask, word);
    LANES
    {
        u32 v = word[l] >> (at[l] & 3) * 8 << up;

        word[l] = sign ? (u32)((s32)v >> up) : v >> up;
    }
    if (u->flags & PTX_MEM_WIDE) {
        u64 *to = SLOT(u64, d);

        LANES to[l] = mask & lane_bit[l] ? (sign ? (u64)(s64)(s32)word[l] : word[l]) : to[l];
    } else {
        u32 *to = SLOT(u32, d);

        LANES to[l] = mask & lane_bit[l] ? word[l] : to[l];
    }
}

/* All elements of the lanes of @mask from one line */
static inline void look_up_elements(const struct ptx_uop *u, const uint8_t *line, const u32 *at,
                                    u32 mask, uint8_t *rf)
{
    bool wide = u->flags & PTX_MEM_WIDE;
    u32 next[32] __attribute__((aligned(64)));

    for (unsigned i = 0; i < u->vec; i++) {
        LANES next[l] = at[l] + i * u->size;
        if (u->size == 8 || (u->size == 4 && !wide)) {
            look_up(line, next, mask, rf, value_slot(u, i), u->size);
        } else {
            look_up_part(u, line, next, mask, rf, value_slot(u, i));
        }
    }
}

static void dense_slots(const struct ptx_uop *u, uint8_t *rf, uint8_t *slot[4])
{
    for (unsigned i = 0; i < 4; i++) {
        slot[i] = rf + value_slot(u, i < u->vec ? i : 0);
    }
}

/* The lines of a warp that is dense_is(), as load_lines() and store_lines() would take them */
static const struct ptx_uop *dense_load(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                        u64 va)
{
    struct bus_port *port = w->grid->port;
    unsigned bytes = access_bytes(u), n = dense_lanes(bytes), at = va % BUS_LINE;
    uint8_t *slot[4];

    port->moment = warp_moment(w, u);
    if (port->observed) {
        sm_note_place(w, u);
        port->bytes = bus_mask_range(at, n * bytes);
    }
    dense_slots(u, rf, slot);
    for (unsigned l = 0; l < 32; l += n, va += n * bytes) {
        unsigned sectors = ((2u << (n * bytes - 1) / BUS_SECTOR) - 1) << at / BUS_SECTOR;
        const uint8_t *data;
        enum bus_status status = port->ops->load(port, va - at, sectors, load_how(u), &data);

        w->grid->stats.mem_lines++;
        if (status != BUS_OK) {
            return sm_fault_port(w, u, status, l, va, bytes, false);
        }
        dense_get(u, data + at, slot, l);
    }
    return u + 1;
}

static const struct ptx_uop *dense_store(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                         u64 va)
{
    struct bus_port *port = w->grid->port;
    unsigned bytes = access_bytes(u), n = dense_lanes(bytes), at = va % BUS_LINE;
    struct bus_mask mask = bus_mask_range(at, n * bytes);
    uint8_t data[BUS_LINE] __attribute__((aligned(64))), *slot[4];

    if (port->observed) {
        sm_note_place(w, u);
    }
    w->effects++;
    w->grid->effects++;
    dense_slots(u, rf, slot);
    for (unsigned l = 0; l < 32; l += n, va += n * bytes) {
        enum bus_status status;

        dense_put(u, data + at, slot, l);
        status = port->ops->store(port, va - at, data, &mask, (enum bus_scope)u->scope);
        w->grid->stats.mem_lines++;
        if (status != BUS_OK) {
            return sm_fault_port(w, u, status, l, va, bytes, true);
        }
    }
    return u + 1;
}

/* Global, any shape */
const struct ptx_uop *SM_NAME(load_lines)(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                          u32 m, const u64 *va)
{
    struct bus_port *port = w->grid->port;
    u32 todo = m, at[32] __attribute__((aligned(64)));

    if (m == LANES_ALL && dense_is(u, va)) {
        return dense_load(w, u, rf, va[0]);
    }
    port->moment = warp_moment(w, u);
    if (port->observed) {
        sm_note_place(w, u);
    }
    while (todo) {
        u32 first = lane_first(todo), same;
        u64 line = va[first] & ~(u64)(BUS_LINE - 1);
        unsigned sectors;
        const uint8_t *data;
        enum bus_status status;

        same = line_lanes(va, line, todo, at, &sectors);
        if (todo == m) {
            scattered_ahead(port, va, 0, same, m, load_how(u), false);
        }
        if (port->observed) {
            port_report_bytes(port, same, at, access_bytes(u));
        }
        status = port->ops->load(port, line, sectors, load_how(u), &data);
        w->grid->stats.mem_lines++;
        if (status != BUS_OK) {
            return sm_fault_port(w, u, status, first, va[first], access_bytes(u), false);
        }
        if (lanes_count(same) >= SCATTERED_LANES) {
            look_up_elements(u, data, at, same, rf);
        } else {
            LANES_OF(same) lane_load(u, rf, l, data + (va[l] - line));
        }
        todo &= ~same;
    }
    return u + 1;
}

const struct ptx_uop *SM_NAME(store_lines)(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                           u32 m, const u64 *va)
{
    struct bus_port *port = w->grid->port;
    u32 todo = m, bytes = access_bytes(u), at[32] __attribute__((aligned(64)));

    if (m == LANES_ALL && dense_is(u, va)) {
        return dense_store(w, u, rf, va[0]);
    }
    if (port->observed) {
        sm_note_place(w, u);
    }
    w->effects++;
    w->grid->effects++;
    while (todo) {
        u32 first = lane_first(todo), same;
        u64 line = va[first] & ~(u64)(BUS_LINE - 1);
        unsigned sectors;
        uint8_t data[BUS_LINE];
        struct bus_mask mask = { { 0, 0 } };
        enum bus_status status;

        same = line_lanes(va, line, todo, at, &sectors);
        if (todo == m) {
            scattered_ahead(port, va, 0, same, m, u->scope, true);
        }
        LANES_OF(same)
        {
            unsigned off = (unsigned)(va[l] - line);
            u64 ones = (UINT64_C(1) << bytes) - 1; /* at most 32 bytes, within one word */

            lane_store(u, rf, l, data + off);
            mask.word[off / 64] |= ones << off % 64;
        }
        status = port->ops->store(port, line, data, &mask, (enum bus_scope)u->scope);
        w->grid->stats.mem_lines++;
        if (status != BUS_OK) {
            return sm_fault_port(w, u, status, first, va[first], bytes, true);
        }
        todo &= ~same;
    }
    return u + 1;
}

/* All lanes load from one place, of one line: nothing is looked up for each. */
static const struct ptx_uop *load_one(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m,
                                      u64 va)
{
    struct bus_port *port = w->grid->port;
    unsigned at = va % BUS_LINE, bytes = access_bytes(u);
    const uint8_t *data;
    enum bus_status status;

    port->moment = warp_moment(w, u);
    if (port->observed) {
        sm_note_place(w, u);
        port->bytes = bus_mask_range(at, bytes);
    }
    status = port->ops->load(port, va - at, 1u << at / BUS_SECTOR, load_how(u), &data);
    w->grid->stats.mem_lines++;
    if (status != BUS_OK) {
        return sm_fault_port(w, u, status, lane_first(m), va, bytes, false);
    }
    if (m == LANES_ALL && u->size == 4 && !(u->flags & PTX_MEM_WIDE)) { /* nearly always */
        for (unsigned i = 0; i < u->vec; i++) {
            u32 *d = SLOT(u32, value_slot(u, i)), v;

            memcpy(&v, data + at + 4 * i, sizeof(v));
            LANES d[l] = v;
        }
        return u + 1;
    }
    for (unsigned i = 0; i < u->vec; i++) {
        value_splat(u, rf, i, m, bytes_get(data + at + i * u->size, u->size));
    }
    return u + 1;
}

static __attribute__((noinline)) const struct ptx_uop *
load_each(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m)
{
    struct addresses a;

    addresses_take(u, rf, m, access_bytes(u), &a);
    if (a.misaligned) {
        return fault_misaligned(w, u, (u32)a.misaligned, &a, access_bytes(u), false);
    }
    return SM_NAME(load_lines)(w, u, rf, m, a.va);
}

HANDLER(LD_GLOBAL)
{
    w->grid->stats.mem_insts++;
    if (address_is_one(u, rf)) {
        u64 va = SLOT(const u64, u->a)[0] + (u64)u->imm;

        if ((va & (access_bytes(u) - 1)) == 0) { /* a power of two */
            return load_one(w, u, rf, m, va);
        }
    }
    return load_each(w, u, rf, m);
}

HANDLER(ST_GLOBAL)
{
    struct addresses a;

    w->grid->stats.mem_insts++;
    w->grid->stats.store_insts++;
    addresses_take(u, rf, m, access_bytes(u), &a);
    if (a.misaligned) {
        return fault_misaligned(w, u, (u32)a.misaligned, &a, access_bytes(u), true);
    }
    return SM_NAME(store_lines)(w, u, rf, m, a.va);
}

/* The same for one register of 4 or 8 bytes: the address slot is looked at as it is, less the
 * offset. */
static inline const struct ptx_uop *load_global(struct warp *w, const struct ptx_uop *u,
                                                uint8_t *rf, u32 m, u32 size)
{
    struct grid *g = w->grid;
    struct bus_port *port = g->port;
    const u64 *as = SLOT(const u64, u->a);
    u32 at[32] __attribute__((aligned(64))), todo = m;
    u64 addresses[32] __attribute__((aligned(64)));

    g->stats.mem_insts++;
    port->moment = warp_moment(w, u);
    if (port->observed) {
        sm_note_place(w, u);
    }
    if (u->a == u->d) { /* the result takes the place of the addresses */
        memcpy(addresses, as, sizeof(addresses));
        as = addresses;
    }
    while (todo) {
        u32 first = lane_first(todo), same, bad;
        u64 va = as[first] + (u64)u->imm, line = va & ~(u64)(BUS_LINE - 1);
        unsigned sectors;
        const uint8_t *data;
        enum bus_status status;

        same = line_lanes(as, line - (u64)u->imm, todo, at, &sectors);
        bad = lanes_bits(at, 0) | lanes_bits(at, 1) | (size == 8 ? lanes_bits(at, 2) : 0);
        if (bad & same) {
            u32 lane = lane_first(bad & same);

            return sm_fault(w, u, GRID_FAULT_MISALIGNED, lane, as[lane] + (u64)u->imm, size, false,
                            "address is not a multiple of the access size");
        }
        if (todo == m) {
            scattered_ahead(port, as, (u64)u->imm, same, m, load_how(u), false);
        }
        if (port->observed) {
            port_report_bytes(port, same, at, size);
        }
        status = port->ops->load(port, line, sectors, load_how(u), &data);
        g->stats.mem_lines++;
        if (status != BUS_OK) {
            return sm_fault_port(w, u, status, first, va, size, false);
        }
        if (lanes_count(same) < SCATTERED_LANES) {
            LANES_OF(same) lane_load(u, rf, l, data + (at[l] & (BUS_LINE - 1)));
        } else {
            look_up(data, at, same, rf, u->d, size);
        }
        todo &= ~same;
    }
    return u + 1;
}

static void port_report_halves(struct bus_port *port, const struct half *h, bool both)
{
    struct bus_mask other;

    port->bytes = half_bytes(&h[0]);
    if (both) {
        other = half_bytes(&h[1]);
        port->bytes.word[0] |= other.word[0];
        port->bytes.word[1] |= other.word[1];
    }
}

/* A whole warp of two halves: as load_global() would, in the order of its lines */
static const struct ptx_uop *load_halves(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                         const struct half *h)
{
    struct grid *g = w->grid;
    struct bus_port *port = g->port;
    bool same = h[0].line == h[1].line;

    g->stats.mem_insts++;
    port->moment = warp_moment(w, u);
    if (port->observed) {
        sm_note_place(w, u);
    }
    for (unsigned i = 0; i < 2; i++) {
        unsigned sectors = h[i].sectors | (same ? h[1].sectors : 0);
        const uint8_t *data;
        enum bus_status status;

        if (port->observed) {
            port_report_halves(port, &h[i], same);
        }
        status = port->ops->load(port, h[i].line, sectors, load_how(u), &data);

        g->stats.mem_lines++;
        if (status != BUS_OK) {
            return sm_fault_port(w, u, status, i * HALF, h[i].line + h[i].at, 4, false);
        }
        half_words(&h[i], data, SLOT(u32, u->d) + i * HALF);
        if (same) {
            half_words(&h[1], data, SLOT(u32, u->d) + HALF);
            break;
        }
    }
    return u + 1;
}

/* Out of the way of the usual load, which needs few registers */
static __attribute__((noinline)) const struct ptx_uop *
load_words(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m)
{
    return load_global(w, u, rf, m, 4);
}

/* Consecutive lanes in one whole line, the usual load and store, is a copy. */
static inline bool is_consecutive(const u64 *as, u64 imm)
{
    u64 off = (as[0] + imm) & (BUS_LINE - 1);

    if (off || as[31] - as[0] != BUS_LINE - 4) { /* nearly always, where it is not */
        return false;
    }
    return lanes_row(as, 4) && lanes_row(as + HALF, 4);
}

static inline const struct ptx_uop *load_line(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                              u64 line)
{
    struct bus_port *port = w->grid->port;
    const uint8_t *data;
    enum bus_status status;

    w->grid->stats.mem_insts++;
    w->grid->stats.mem_lines++;
    port->moment = warp_moment(w, u);
    if (port->observed) {
        sm_note_place(w, u);
        port->bytes = bus_mask_range(0, BUS_LINE);
    }
    status = port->ops->load(port, line, BUS_SECTORS_ALL, load_how(u), &data);
    if (status != BUS_OK) {
        return sm_fault_port(w, u, status, 0, line, 4, false);
    }
    memcpy(SLOT(uint8_t, u->d), data, BUS_LINE);
    return u + 1;
}

HANDLER(LD_GLOBAL_32)
{
    const u64 *as = SLOT(const u64, u->a);
    struct half h[2];

    if (m == LANES_ALL && is_consecutive(as, (u64)u->imm)) {
        return load_line(w, u, rf, as[0] + (u64)u->imm);
    }
    if (m == LANES_ALL && half_take(as, (u64)u->imm, &h[0]) &&
        half_take(as + HALF, (u64)u->imm, &h[1])) {
        return load_halves(w, u, rf, h);
    }
    return load_words(w, u, rf, m);
}

HANDLER(LD_GLOBAL_64)
{
    struct addresses a;

    if (m == LANES_ALL) {
        addresses_take(u, rf, m, 8, &a);
        if (dense_is(u, a.va)) {
            w->grid->stats.mem_insts++;
            return dense_load(w, u, rf, a.va[0]);
        }
    }
    return load_global(w, u, rf, m, 8);
}

static inline const struct ptx_uop *store_line(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                               u64 line)
{
    static const struct bus_mask whole = { { UINT64_MAX, UINT64_MAX } };
    struct bus_port *port = w->grid->port;
    enum bus_status status;

    w->effects++;
    w->grid->effects++;
    w->grid->stats.mem_lines++;
    if (port->observed) {
        sm_note_place(w, u);
    }
    status = port->ops->store(port, line, SLOT(uint8_t, u->d), &whole, (enum bus_scope)u->scope);
    return status == BUS_OK ? u + 1 : sm_fault_port(w, u, status, 0, line, 4, true);
}

static __attribute__((noinline)) const struct ptx_uop *
store_words(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m)
{
    struct addresses a;

    addresses_take(u, rf, m, 4, &a);
    if (a.misaligned) {
        return fault_misaligned(w, u, (u32)a.misaligned, &a, 4, true);
    }
    return SM_NAME(store_lines)(w, u, rf, m, a.va);
}

HANDLER(ST_GLOBAL_32)
{
    const u64 *as = SLOT(const u64, u->a);

    w->grid->stats.mem_insts++;
    w->grid->stats.store_insts++;
    if (m == LANES_ALL && is_consecutive(as, (u64)u->imm)) {
        return store_line(w, u, rf, as[0] + (u64)u->imm);
    }
    return store_words(w, u, rf, m);
}
