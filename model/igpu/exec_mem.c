/* SPDX-License-Identifier: MIT */
/* Loads and stores. A warp's global access is cut into lines: for each line, in the order of the
 * lowest lane that needs it, one call of the port with the 32-byte sectors that are touched. When
 * several lanes store to one byte the highest lane wins (PTX leaves it open).
 */
#include "model/igpu/sm_dense.h"
#include "model/igpu/sm_lanes.h"
#include "model/igpu/sm_row.h"

/* The addresses of the active lanes, and whether they are aligned to @align (a power of two) */
struct addresses {
    u64 va[32] __attribute__((aligned(64)));
    u64 misaligned; /* mask */
};

static inline void addresses_take(const struct ptx_uop *u, uint8_t *rf, u32 m, u32 align,
                                  struct addresses *a)
{
    u64 bad = 0, imm = (u64)u->imm;

    if (u->flags & PTX_MEM_A32) {
        const u32 *s = SLOT(const u32, u->a);

        LANES a->va[l] = (u32)(s[l] + (u32)imm);
    } else {
        const u64 *s = SLOT(const u64, u->a);

        LANES a->va[l] = s[l] + imm;
    }
    LANES bad |= a->va[l] & (align - 1) ? (u64)lane_bit[l] : 0;
    a->misaligned = bad & m;
}

static const struct ptx_uop *fault_misaligned(struct warp *w, const struct ptx_uop *u, u32 bad,
                                              const struct addresses *a, u32 size, bool write)
{
    u32 lane = lane_first(bad);

    return sm_fault(w, u, GRID_FAULT_MISALIGNED, lane, a->va[lane], size, write,
                    "address is not a multiple of the access size");
}

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

/* Values of a vector register list: lanes of 4 or 8 bytes */
static inline u32 value_slot(const struct ptx_uop *u, unsigned i)
{
    return i == 0 ? u->d : i == 1 ? u->b : i == 2 ? u->c : u->e;
}

static inline void value_put(const struct ptx_uop *u, uint8_t *rf, unsigned i, u32 l, u64 v)
{
    if (u->flags & PTX_MEM_SIGNED && u->size < 8) {
        unsigned up = 64 - 8 * u->size;

        v = (u64)((s64)(v << up) >> up);
    }
    if (u->flags & PTX_MEM_WIDE) {
        SLOT(u64, value_slot(u, i))[l] = v;
    } else {
        SLOT(u32, value_slot(u, i))[l] = (u32)v;
    }
}

/* One value for all lanes of @m */
static void value_splat(const struct ptx_uop *u, uint8_t *rf, unsigned i, u32 m, u64 v)
{
    if (u->flags & PTX_MEM_SIGNED && u->size < 8) {
        unsigned up = 64 - 8 * u->size;

        v = (u64)((s64)(v << up) >> up);
    }
    if (u->flags & PTX_MEM_WIDE) {
        u64 *d = SLOT(u64, value_slot(u, i));

        LANES d[l] = m & lane_bit[l] ? v : d[l];
    } else {
        u32 *d = SLOT(u32, value_slot(u, i)), v32 = (u32)v;

        LANES d[l] = m & lane_bit[l] ? v32 : d[l];
    }
}

static inline u64 value_get(const struct ptx_uop *u, uint8_t *rf, unsigned i, u32 l)
{
    return u->flags & PTX_MEM_WIDE ? SLOT(u64, value_slot(u, i))[l]
                                   : SLOT(u32, value_slot(u, i))[l];
}

/* memcpy() of a size the compiler knows is one instruction. */
static inline u64 bytes_get(const uint8_t *p, unsigned size)
{
    u64 v = 0;

    switch (size) {
    case 1:
        return *p;
    case 2:
        memcpy(&v, p, 2);
        return v;
    case 4:
        memcpy(&v, p, 4);
        return v;
    default:
        memcpy(&v, p, 8);
        return v;
    }
}

static inline void bytes_put(uint8_t *p, u64 v, unsigned size)
{
    switch (size) {
    case 1:
        *p = (uint8_t)v;
        break;
    case 2:
        memcpy(p, &v, 2);
        break;
    case 4:
        memcpy(p, &v, 4);
        break;
    default:
        memcpy(p, &v, 8);
    }
}

/* One lane's elements from and to bytes; little-endian as the GPU is */
static inline void lane_load(const struct ptx_uop *u, uint8_t *rf, u32 l, const uint8_t *p)
{
    for (unsigned i = 0; i < u->vec; i++) {
        value_put(u, rf, i, l, bytes_get(p + i * u->size, u->size));
    }
}

static inline void lane_store(const struct ptx_uop *u, uint8_t *rf, u32 l, uint8_t *p)
{
    for (unsigned i = 0; i < u->vec; i++) {
        bytes_put(p + i * u->size, value_get(u, rf, i, l), u->size);
    }
}

static inline bool lane_store_changes(const struct ptx_uop *u, uint8_t *rf, u32 l, uint8_t *p)
{
    u64 changed = 0;

    for (unsigned i = 0; i < u->vec; i++) {
        u64 old = bytes_get(p + i * u->size, u->size);

        bytes_put(p + i * u->size, value_get(u, rf, i, l), u->size);
        changed |= old ^ bytes_get(p + i * u->size, u->size);
    }
    return changed;
}

/* Most accesses to on-chip memory: one 32-bit register, four bytes each. */
static inline bool is_word(const struct ptx_uop *u)
{
    return u->vec == 1 && u->size == 4 && !(u->flags & PTX_MEM_WIDE);
}

static void words_load(const struct ptx_uop *u, uint8_t *rf, u32 m, const uint8_t *base,
                       const u64 *va)
{
    u32 *d = SLOT(u32, u->d);

    if (m == UINT32_MAX) {
        LANES memcpy(&d[l], base + va[l], 4);
    } else {
        LANES_OF(m) memcpy(&d[l], base + va[l], 4);
    }
}

/* In lane order: of lanes that store to the same word the highest wins. */
static void words_store(const struct ptx_uop *u, uint8_t *rf, u32 m, uint8_t *base, const u64 *va)
{
    const u32 *d = SLOT(const u32, u->d);

    LANES_OF(m) memcpy(base + va[l], &d[l], 4);
}

static inline u32 access_bytes(const struct ptx_uop *u)
{
    return (u32)u->vec * u->size;
}

/* Which bytes of a line the lanes of @same load, @at of it as in line_lanes(); for an observer. */
static __attribute__((noinline)) void port_tell_bytes(struct bus_port *port, u32 same,
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

/* All elements of the lanes of @mask from one line; for few lanes one by one is quicker. */
#define LOOK_UP_LANES 4u

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

    if (port->observed) {
        sm_tell_place(w, u);
        port->bytes = bus_mask_range(at, n * bytes);
    }
    dense_slots(u, rf, slot);
    for (unsigned l = 0; l < 32; l += n, va += n * bytes) {
        unsigned sectors = ((2u << (n * bytes - 1) / BUS_SECTOR) - 1) << at / BUS_SECTOR;
        const uint8_t *data;
        enum bus_status status =
            port->ops->load(port, va - at, sectors, (enum bus_scope)u->scope, &data);

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
        sm_tell_place(w, u);
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
static const struct ptx_uop *load_lines(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m,
                                        const u64 *va)
{
    struct bus_port *port = w->grid->port;
    u32 todo = m, at[32] __attribute__((aligned(64)));

    if (m == LANES_ALL && dense_is(u, va)) {
        return dense_load(w, u, rf, va[0]);
    }
    if (port->observed) {
        sm_tell_place(w, u);
    }
    while (todo) {
        u32 first = lane_first(todo), same;
        u64 line = va[first] & ~(u64)(BUS_LINE - 1);
        unsigned sectors;
        const uint8_t *data;
        enum bus_status status;

        same = line_lanes(va, line, todo, at, &sectors);
        if (port->observed) {
            port_tell_bytes(port, same, at, access_bytes(u));
        }
        status = port->ops->load(port, line, sectors, (enum bus_scope)u->scope, &data);
        w->grid->stats.mem_lines++;
        if (status != BUS_OK) {
            return sm_fault_port(w, u, status, first, va[first], access_bytes(u), false);
        }
        if (lanes_count(same) >= LOOK_UP_LANES) {
            look_up_elements(u, data, at, same, rf);
        } else {
            LANES_OF(same) lane_load(u, rf, l, data + (va[l] - line));
        }
        todo &= ~same;
    }
    return u + 1;
}

static const struct ptx_uop *store_lines(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                         u32 m, const u64 *va)
{
    struct bus_port *port = w->grid->port;
    u32 todo = m, bytes = access_bytes(u), at[32] __attribute__((aligned(64)));

    if (m == LANES_ALL && dense_is(u, va)) {
        return dense_store(w, u, rf, va[0]);
    }
    if (port->observed) {
        sm_tell_place(w, u);
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

/* Has the slot one 64-bit address for all lanes, there or not? Nearly always: it is a constant. */
static inline bool address_is_one(const struct ptx_uop *u, uint8_t *rf)
{
    const u64 *as = SLOT(const u64, u->a);
    u64 other = 0;

    if (u->flags & PTX_MEM_A32) {
        return false;
    }
    LANES other |= as[l] ^ as[0];
    return other == 0;
}

/* All lanes load from one place, of one line: nothing is looked up for each. */
static const struct ptx_uop *load_one(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m,
                                      u64 va)
{
    struct bus_port *port = w->grid->port;
    unsigned at = va % BUS_LINE, bytes = access_bytes(u);
    const uint8_t *data;
    enum bus_status status;

    if (port->observed) {
        sm_tell_place(w, u);
        port->bytes = bus_mask_range(at, bytes);
    }
    status = port->ops->load(port, va - at, 1u << at / BUS_SECTOR, (enum bus_scope)u->scope, &data);
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
    return load_lines(w, u, rf, m, a.va);
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
    addresses_take(u, rf, m, access_bytes(u), &a);
    if (a.misaligned) {
        return fault_misaligned(w, u, (u32)a.misaligned, &a, access_bytes(u), true);
    }
    return store_lines(w, u, rf, m, a.va);
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
    if (port->observed) {
        sm_tell_place(w, u);
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
        if (port->observed) {
            port_tell_bytes(port, same, at, size);
        }
        status = port->ops->load(port, line, sectors, (enum bus_scope)u->scope, &data);
        g->stats.mem_lines++;
        if (status != BUS_OK) {
            return sm_fault_port(w, u, status, first, va, size, false);
        }
        look_up(data, at, same, rf, u->d, size);
        todo &= ~same;
    }
    return u + 1;
}

static void port_tell_halves(struct bus_port *port, const struct half *h, bool both)
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
    if (port->observed) {
        sm_tell_place(w, u);
    }
    for (unsigned i = 0; i < 2; i++) {
        unsigned sectors = h[i].sectors | (same ? h[1].sectors : 0);
        const uint8_t *data;
        enum bus_status status;

        if (port->observed) {
            port_tell_halves(port, &h[i], same);
        }
        status = port->ops->load(port, h[i].line, sectors, (enum bus_scope)u->scope, &data);

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
    if (port->observed) {
        sm_tell_place(w, u);
        port->bytes = bus_mask_range(0, BUS_LINE);
    }
    status = port->ops->load(port, line, BUS_SECTORS_ALL, (enum bus_scope)u->scope, &data);
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
        sm_tell_place(w, u);
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
    return store_lines(w, u, rf, m, a.va);
}

HANDLER(ST_GLOBAL_32)
{
    const u64 *as = SLOT(const u64, u->a);

    w->grid->stats.mem_insts++;
    if (m == LANES_ALL && is_consecutive(as, (u64)u->imm)) {
        return store_line(w, u, rf, as[0] + (u64)u->imm);
    }
    return store_words(w, u, rf, m);
}

/* Memory on the SM: base, limit, and the fault that is due outside it */
struct on_chip {
    enum grid_fault_kind kind;
    const char *reason;
};

static const struct on_chip shared_space = { GRID_FAULT_SHARED_RANGE,
                                             "outside the block's shared memory" };
static const struct on_chip local_space = { GRID_FAULT_LOCAL_RANGE,
                                            "outside the thread's local memory" };
static const struct on_chip param_space = { GRID_FAULT_LOCAL_RANGE,
                                            "outside the kernel's parameters" };

static u32 lanes_outside(const u64 *va, u32 m, u64 size, u32 bytes)
{
    u64 limit = size < bytes ? 0 : size - bytes + 1, bad = 0;

    LANES bad |= va[l] >= limit ? (u64)lane_bit[l] : 0;
    return (u32)bad & m;
}

static const struct ptx_uop *check_on_chip(struct warp *w, const struct ptx_uop *u, u32 m,
                                           const struct addresses *a, u64 size, bool write,
                                           const struct on_chip *space)
{
    u32 bad = (u32)a->misaligned, bytes = access_bytes(u);

    if (bad) {
        return fault_misaligned(w, u, bad, a, bytes, write);
    }
    bad = lanes_outside(a->va, m, size, bytes);
    if (bad) {
        u32 lane = lane_first(bad);

        return sm_fault(w, u, space->kind, lane, a->va[lane], bytes, write, space->reason);
    }
    return NULL;
}

static const struct ptx_uop *shared_access(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                           u32 m, const struct addresses *a, bool write)
{
    const struct ptx_uop *fault =
        check_on_chip(w, u, m, a, w->grid->shared_bytes, write, &shared_space);

    if (fault) {
        return fault;
    }
    w->grid->stats.shared_insts++;
    if (write) {
        w->effects++;
        w->grid->effects++;
    }
    if (is_word(u)) {
        if (write) {
            words_store(u, rf, m, w->shared, a->va);
        } else {
            words_load(u, rf, m, w->shared, a->va);
        }
        return u + 1;
    }
    LANES_OF(m)
    {
        if (write) {
            lane_store(u, rf, l, w->shared + a->va[l]);
        } else {
            lane_load(u, rf, l, w->shared + a->va[l]);
        }
    }
    return u + 1;
}

static const struct ptx_uop *local_access(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                          u32 m, const struct addresses *a, bool write)
{
    const struct ptx_uop *fault = check_on_chip(w, u, m, a, w->local_stride, write, &local_space);

    if (fault) {
        return fault;
    }
    LANES_OF(m)
    {
        uint8_t *p = warp_lane_local(w, l) + a->va[l];

        if (write && lane_store_changes(u, rf, l, p)) { /* only a change is progress */
            w->effects++;
            w->grid->effects++;
        } else if (!write) {
            lane_load(u, rf, l, p);
        }
    }
    return u + 1;
}

static const struct ptx_uop *param_access(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                          u32 m, const struct addresses *a)
{
    const struct ptx_uop *fault =
        check_on_chip(w, u, m, a, w->grid->desc.param_bytes, false, &param_space);

    if (fault) {
        return fault;
    }
    if (u->vec == 1) { /* nearly always one address for all */
        u64 first = a->va[lane_first(m)], v = 0, other = 0;

        LANES other |= m & lane_bit[l] ? a->va[l] ^ first : 0;
        if (!other) {
            memcpy(&v, w->grid->param + first, u->size);
            value_splat(u, rf, 0, m, v);
            return u + 1;
        }
    }
    LANES_OF(m)
    {
        lane_load(u, rf, l, w->grid->param + a->va[l]);
    }
    return u + 1;
}

#define ON_CHIP(name, call)                            \
    HANDLER(name)                                      \
    {                                                  \
        struct addresses a;                            \
        addresses_take(u, rf, m, access_bytes(u), &a); \
        return call;                                   \
    }

ON_CHIP(LD_SHARED, shared_access(w, u, rf, m, &a, false))
ON_CHIP(ST_SHARED, shared_access(w, u, rf, m, &a, true))
ON_CHIP(LD_LOCAL, local_access(w, u, rf, m, &a, false))
ON_CHIP(ST_LOCAL, local_access(w, u, rf, m, &a, true))

HANDLER(LD_PARAM)
{
    const struct grid_desc *desc = &w->grid->desc;
    u32 bytes = access_bytes(u);
    struct addresses a;

    if (address_is_one(u, rf)) {
        u64 at = SLOT(const u64, u->a)[0] + (u64)u->imm;

        if (at <= desc->param_bytes && desc->param_bytes - at >= bytes && !(at & (bytes - 1))) {
            for (unsigned i = 0; i < u->vec; i++) {
                value_splat(u, rf, i, m, bytes_get(w->grid->param + at + i * u->size, u->size));
            }
            return u + 1;
        }
    }
    addresses_take(u, rf, m, bytes, &a);
    return param_access(w, u, rf, m, &a);
}

/* One register of 4 bytes in shared memory: where, for each lane. A 64-bit address (clang has them)
 * counts by its lower half once the upper one is known to be 0. Inactive lanes look at address 0.
 */
static inline bool shared_offsets(const struct ptx_uop *u, uint8_t *rf, u32 m, u32 size, u32 *at)
{
    u32 limit = size < 4 ? 0 : size - 3;
    u32 bad[32] __attribute__((aligned(64)));

    if (u->flags & PTX_MEM_A32) {
        const u32 *as = SLOT(const u32, u->a);

        LANES at[l] = as[l] + (u32)u->imm;
    } else {
        const u64 *as = SLOT(const u64, u->a);

        LANES
        {
            u64 v = as[l] + (u64)u->imm;

            at[l] = v >> 32 ? UINT32_MAX : (u32)v;
        }
    }
    LANES bad[l] = at[l] << 30 | (at[l] >= limit ? UINT32_MAX : 0);
    if (m != LANES_ALL) {
        u32 out = (lanes_top_bits(bad) | lanes_bits(bad, 30)) & m;

        LANES at[l] = m & lane_bit[l] ? at[l] : 0;
        return out == 0;
    }
    return (lanes_top_bits(bad) | lanes_bits(bad, 30)) == 0;
}

/* All lanes within 128 bytes from the first one's on: a row, a broadcast. Worth asking where such a
 * look-up is cheaper than 32 loads. */
static inline bool shared_window(const u32 *at, u32 m)
{
#if defined(__AVX2__)
    u32 first = at[lane_first(m)], out[32] __attribute__((aligned(64)));

    LANES out[l] = at[l] - first < BUS_LINE ? 0 : UINT32_MAX;
    return (lanes_top_bits(out) & m) == 0;
#else
    (void)at;
    (void)m;
    return false;
#endif
}

/* Consecutive words, which 128 bytes and a copy are */
static inline bool shared_row(const u32 *at)
{
    u32 off = 0;

    if (at[31] - at[0] != BUS_LINE - 4) { /* nearly always, where it is not */
        return false;
    }
    LANES off |= at[l] ^ (at[0] + 4 * (u32)l);
    return off == 0;
}

HANDLER(LD_SHARED_32)
{
    u32 at[32] __attribute__((aligned(64)));
    u32 *d = SLOT(u32, u->d);
    const uint8_t *base = w->shared;

    if (!shared_offsets(u, rf, m, w->grid->shared_bytes, at)) {
        struct addresses a;

        addresses_take(u, rf, m, 4, &a);
        return shared_access(w, u, rf, m, &a, false);
    }
    w->grid->stats.shared_insts++;
    if (m == LANES_ALL && shared_row(at)) {
        memcpy(d, base + at[0], BUS_LINE);
    } else if (shared_window(at, m)) {
        u32 first = at[lane_first(m)];

        LANES at[l] -= first;
        lanes_look_up(base + first, at, m, d);
    } else if (m == LANES_ALL) {
        for (int l = 0; l < 32; l++) { /* as it stands: a gather is slower */
            d[l] = *(const u32 *)(const void *)(base + at[l]);
        }
    } else {
        LANES_OF(m)
        {
            d[l] = *(const u32 *)(const void *)(base + at[l]);
        }
    }
    return u + 1;
}

HANDLER(ST_SHARED_32)
{
    u32 at[32] __attribute__((aligned(64)));
    const u32 *d = SLOT(const u32, u->d);
    uint8_t *base = w->shared;

    if (!shared_offsets(u, rf, m, w->grid->shared_bytes, at)) {
        struct addresses a;

        addresses_take(u, rf, m, 4, &a);
        return shared_access(w, u, rf, m, &a, true);
    }
    w->grid->stats.shared_insts++;
    w->effects++;
    w->grid->effects++;
    if (m == LANES_ALL && shared_row(at)) {
        memcpy(base + at[0], d, BUS_LINE);
        return u + 1;
    }
    LANES_OF(m)
    {
        memcpy(base + at[l], &d[l], 4);
    }
    return u + 1;
}

/* Generic: each lane's address says where; the lanes of each space go together. */
static void split_spaces(const struct grid *g, struct addresses *a, u32 m, u32 spaces[4])
{
    LANES_OF(m)
    {
        u64 va = a->va[l];

        if (va - g->desc.shared_window < WINDOW_BYTES) {
            spaces[1] |= 1u << l;
            a->va[l] = va - g->desc.shared_window;
        } else if (va - g->desc.local_window < PARAM_WINDOW_OFFSET) {
            spaces[2] |= 1u << l;
            a->va[l] = va - g->desc.local_window;
        } else if (va - g->desc.local_window < WINDOW_BYTES) {
            spaces[3] |= 1u << l;
            a->va[l] = va - g->desc.local_window - PARAM_WINDOW_OFFSET;
        } else {
            spaces[0] |= 1u << l;
        }
    }
}

static const struct ptx_uop *generic_access(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                            u32 m, bool write)
{
    struct addresses a;
    u32 spaces[4] = { 0, 0, 0, 0 };
    const struct ptx_uop *next = u + 1;

    w->grid->stats.mem_insts++;
    addresses_take(u, rf, m, access_bytes(u), &a);
    if (a.misaligned) {
        return fault_misaligned(w, u, (u32)a.misaligned, &a, access_bytes(u), write);
    }
    split_spaces(w->grid, &a, m, spaces);
    if (spaces[0]) {
        next =
            write ? store_lines(w, u, rf, spaces[0], a.va) : load_lines(w, u, rf, spaces[0], a.va);
    }
    if (spaces[1] && w->event != EVENT_FAULT) {
        next = shared_access(w, u, rf, spaces[1], &a, write);
    }
    if (spaces[2] && w->event != EVENT_FAULT) {
        next = local_access(w, u, rf, spaces[2], &a, write);
    }
    if (spaces[3] && w->event != EVENT_FAULT) {
        u32 lane = lane_first(spaces[3]);

        next = write ? sm_fault(w, u, GRID_FAULT_LOCAL_RANGE, lane, a.va[lane], access_bytes(u),
                                true, "kernel parameters cannot be written")
                     : param_access(w, u, rf, spaces[3], &a);
    }
    return next;
}

HANDLER(LD_GENERIC)
{
    return generic_access(w, u, rf, m, false);
}

HANDLER(ST_GENERIC)
{
    return generic_access(w, u, rf, m, true);
}

/* No cache to warm before the L2 knows of it: counted as issued, nothing else. */
HANDLER(PREFETCH)
{
    return u + 1;
}

/* A warp's accesses happen in program order here, so a fence has nothing to wait for. */
HANDLER(FENCE)
{
    return u + 1;
}

/* alloca, 9.7.17: the local frame grows upwards, per warp; lanes ask for sizes of their own, and
 * all get the largest. */
HANDLER(ALLOCA)
{
    u64 most = 0, top, align = (u64)u->imm;

    LANES_OF(m)
    {
        u64 v = SLOT(u64, u->a)[l];

        most = v > most ? v : most;
    }
    top = (w->frame->local_top + align - 1) & ~(align - 1);
    if (most > LOCAL_BYTES_MAX || top + most > LOCAL_BYTES_MAX ||
        !warp_local_grow(w, (u32)(top + most))) {
        return sm_fault(w, u, GRID_FAULT_STACK, lane_first(m), top, (u32)most, false,
                        "alloca exceeds the thread's local memory");
    }
    w->frame->local_top = (u32)((top + most + 15) & ~UINT64_C(15));
    LANES_OF(m)
    {
        SLOT(u64, u->d)[l] = top;
    }
    return u + 1;
}

HANDLER(STACKSAVE)
{
    LANES_OF(m)
    {
        SLOT(u64, u->d)[l] = w->frame->local_top;
    }
    return u + 1;
}

HANDLER(STACKRESTORE)
{
    u64 v = SLOT(u64, u->d)[lane_first(m)];

    if (v >= w->frame->local_base + w->frame->code->local_bytes && v <= w->frame->local_top) {
        w->frame->local_top = (u32)v;
    }
    return u + 1;
}
