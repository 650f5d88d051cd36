/* SPDX-License-Identifier: MIT */
/* atom and red: PTX ISA 9.7.13.5. Lanes go one by one, the lowest first: the manual gives no order,
 * and a fixed one makes every run the same. */
#include "model/igpu/sm_half.h"
#include "model/igpu/sm_lanes.h"

static u64 exec_atom_operand(const struct ptx_uop *u, uint8_t *rf, u32 slot, u32 lane)
{
    return u->flags & PTX_MEM_WIDE ? SLOT(u64, slot)[lane] : SLOT(u32, slot)[lane];
}

static void exec_atom_result(const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 old)
{
    if (u->flags & PTX_MEM_RED) {
        return;
    }
    if (u->flags & PTX_MEM_WIDE) {
        SLOT(u64, u->d)[lane] = old;
    } else {
        SLOT(u32, u->d)[lane] = (u32)old;
    }
}

/* PTX's cas is (address, compare, new value); the bus has the new value as its operand. */
static void exec_atom_operands(const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 *value,
                               u64 *compare)
{
    bool cas = u->sub == PTX_ATOM_CAS;
    u64 size_mask = u->size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * u->size)) - 1;

    *value = exec_atom_operand(u, rf, cas ? u->c : u->b, lane) & size_mask;
    *compare = cas ? exec_atom_operand(u, rf, u->b, lane) & size_mask : 0;
}

/* --- what the bus has no operation for --- */

static u16 half_one(unsigned what, unsigned kind, u16 old, u16 operand)
{
    const f64 a = half_get(old, kind, false), b = half_get(operand, kind, false);

    if (what == 0) {
        return half_put(a + b, kind);
    }
    if (a != a || b != b) {
        return a == a ? old : b == b ? operand : 0x7fff;
    }
    if (a == b) {
        return signbit(a) == (what == PTX_ATOM_HALF_MAX) ? operand : old;
    }
    return (a > b) == (what == PTX_ATOM_HALF_MAX) ? old : operand;
}

/* add, min or max of halves: the new value */
static u64 half_apply(const struct ptx_uop *u, u64 old, u64 operand)
{
    const unsigned kind = u->sub & 3u, what = u->sub & 12u;
    u64 v = half_one(what, kind, (u16)old, (u16)operand);

    if (half_is_pair(kind)) {
        v |= (u64)half_one(what, kind, (u16)(old >> 16), (u16)(operand >> 16)) << 16;
    }
    return v;
}

static u64 apply_at(const struct ptx_uop *u, enum bus_atomic_place place, u64 old, u64 value,
                    u64 compare)
{
    return u->sub >= PTX_ATOM_HALF
               ? half_apply(u, old, value)
               : bus_atomic_apply((enum bus_atomic_op)u->sub, place, u->size, old, value, compare);
}

/* A read and an exchange, both where the atomic unit is; nothing else runs between them. */
static enum bus_status half_at_port(struct bus_port *port, const struct ptx_uop *u, u64 va,
                                    u64 value, unsigned how, u64 *old)
{
    u64 none;
    enum bus_status s = port->ops->atomic(port, va, BUS_ATOMIC_OR, u->size, 0, 0, how, old);

    return s != BUS_OK ? s
                       : port->ops->atomic(port, va, BUS_ATOMIC_EXCH, u->size,
                                           half_apply(u, *old, value), 0, how, &none);
}

static void note_effect(struct warp *w, u64 old, u64 now)
{
    if (now != old) {
        w->effects++;
        w->grid->effects++;
    }
}

/* enum bus_how */
static unsigned atom_how(const struct ptx_uop *u)
{
    bool acquires = u->order & PTX_ORDER_ACQUIRE && u->scope >= PTX_SCOPE_GPU;

    return u->scope | (acquires ? (unsigned)BUS_HOW_ACQUIRE : 0);
}

/* .b128: exch and cas, of halves whose upper operands are in the NOP behind (decode_mem.c) */
struct wide {
    u64 old[2], now[2];
};

static void wide_apply(const struct ptx_uop *u, uint8_t *rf, u32 lane, struct wide *x)
{
    const bool cas = u->sub == PTX_ATOM_CAS;
    const u64 b[2] = { SLOT(const u64, u->b)[lane], SLOT(const u64, u[1].b)[lane] };

    if (cas && (b[0] != x->old[0] || b[1] != x->old[1])) {
        memcpy(x->now, x->old, sizeof(x->now));
        return;
    }
    x->now[0] = cas ? SLOT(const u64, u->c)[lane] : b[0];
    x->now[1] = cas ? SLOT(const u64, u[1].c)[lane] : b[1];
}

static void wide_done(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane,
                      const struct wide *x)
{
    note_effect(w, x->old[0], x->now[0]);
    note_effect(w, x->old[1], x->now[1]);
    if (!(u->flags & PTX_MEM_RED)) {
        SLOT(u64, u->d)[lane] = x->old[0];
        SLOT(u64, u[1].d)[lane] = x->old[1];
    }
}

/* As half_at_port(): both halves are read before the first is written. */
static bool wide_global(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 va)
{
    struct bus_port *port = w->grid->port;
    enum bus_status status = BUS_OK;
    struct wide x = { .old = { 0 } };
    u64 none;

    if (port->observed) {
        sm_note_place(w, u);
    }
    for (unsigned n = 0; n < 2 && status == BUS_OK; n++) {
        status =
            port->ops->atomic(port, va + 8 * n, BUS_ATOMIC_OR, 8, 0, 0, atom_how(u), &x.old[n]);
    }
    wide_apply(u, rf, lane, &x);
    for (unsigned n = 0; n < 2 && status == BUS_OK; n++) {
        status = port->ops->atomic(port, va + 8 * n, BUS_ATOMIC_EXCH, 8, x.now[n], 0, atom_how(u),
                                   &none);
    }
    w->grid->stats.mem_lines++;
    if (status != BUS_OK) {
        sm_fault_port(w, u, status, lane, va, u->size, true);
        return false;
    }
    wide_done(w, u, rf, lane, &x);
    return true;
}

static void wide_on_chip(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane, uint8_t *p)
{
    struct wide x;

    memcpy(x.old, p, sizeof(x.old));
    wide_apply(u, rf, lane, &x);
    memcpy(p, x.now, sizeof(x.now));
    wide_done(w, u, rf, lane, &x);
}

static bool atom_global(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 va)
{
    struct bus_port *port = w->grid->port;
    u64 value, compare, old;
    enum bus_status status;

    if (u->size == 16) {
        return wide_global(w, u, rf, lane, va);
    }
    exec_atom_operands(u, rf, lane, &value, &compare);
    if (port->observed) {
        sm_note_place(w, u);
    }
    status = u->sub >= PTX_ATOM_HALF
                 ? half_at_port(port, u, va, value, atom_how(u), &old)
                 : port->ops->atomic(port, va, (enum bus_atomic_op)u->sub, u->size, value, compare,
                                     atom_how(u), &old);
    w->grid->stats.mem_lines++;
    if (status != BUS_OK) {
        sm_fault_port(w, u, status, lane, va, u->size, true);
        return false;
    }
    note_effect(w, old, apply_at(u, BUS_ATOMIC_AT_L2, old, value, compare));
    exec_atom_result(u, rf, lane, old);
    return true;
}

/* In memory on the SM, shared or local */
static void atom_on_chip(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane, uint8_t *p)
{
    u64 value, compare, old = 0, now;

    if (u->size == 16) {
        wide_on_chip(w, u, rf, lane, p);
        return;
    }
    exec_atom_operands(u, rf, lane, &value, &compare);
    memcpy(&old, p, u->size);
    now = apply_at(u, BUS_ATOMIC_AT_SM, old, value, compare);
    memcpy(p, &now, u->size);
    note_effect(w, old, now);
    exec_atom_result(u, rf, lane, old);
}

static bool atom_shared(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 at)
{
    uint8_t *p = cluster_place(w->block, at, u->size, NULL);

    if (!p) {
        sm_fault(w, u, GRID_FAULT_SHARED_RANGE, lane, at, u->size, true,
                 cluster_reason(w->block, at));
        return false;
    }
    atom_on_chip(w, u, rf, lane, p);
    return true;
}

static bool atom_local(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 at)
{
    if (at >= w->local_stride || w->local_stride - at < u->size) {
        sm_fault(w, u, GRID_FAULT_LOCAL_RANGE, lane, at, u->size, true,
                 "outside the thread's local memory");
        return false;
    }
    atom_on_chip(w, u, rf, lane, warp_lane_local(w, lane) + at);
    return true;
}

static bool atom_generic(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 va)
{
    const struct grid_desc *desc = &w->grid->desc;

    if (va - desc->shared_window < WINDOW_BYTES) {
        return atom_shared(w, u, rf, lane, va - desc->shared_window);
    }
    if (va - desc->local_window < WINDOW_BYTES) {
        return atom_local(w, u, rf, lane, va - desc->local_window);
    }
    return atom_global(w, u, rf, lane, va);
}

static u64 exec_atom_address(const struct ptx_uop *u, uint8_t *rf, u32 lane)
{
    return u->flags & PTX_MEM_A32 ? (u32)(SLOT(u32, u->a)[lane] + (u32)u->imm)
                                  : SLOT(u64, u->a)[lane] + (u64)u->imm;
}

/* Taken before global atomics whose first two lanes are in different lines: see bus_port_ops. */
static void atoms_ahead(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m)
{
    const u64 *as = SLOT(const u64, u->a);
    u32 rest = m & (m - 1);

    if (rest && !(u->flags & PTX_MEM_A32) &&
        (as[lane_first(m)] ^ as[lane_first(rest)]) >= BUS_LINE && w->grid->port->ops->ahead) {
        w->grid->port->ops->ahead(w->grid->port, as, (u64)u->imm, m, BUS_HOW_PAST, false);
    }
}

#define ATOM(head, access, ahead)                                                  \
    head                                                                           \
    {                                                                              \
        w->grid->stats.atomics++;                                                  \
        ahead;                                                                     \
        LANES_OF(m)                                                                \
        {                                                                          \
            u64 at = exec_atom_address(u, rf, l);                                  \
            if (at & (u->size * (u32)u->vec - 1u)) { /* of a vector: as a whole */ \
                return sm_fault(w, u, GRID_FAULT_MISALIGNED, l, at, u->size, true, \
                                "address is not a multiple of the access size");   \
            }                                                                      \
            if (!access(w, u, rf, l, at)) {                                        \
                return u;                                                          \
            }                                                                      \
        }                                                                          \
        return u + 1;                                                              \
    }

ATOM(HANDLER(ATOM_GLOBAL), atom_global, atoms_ahead(w, u, rf, m))
ATOM(HANDLER(ATOM_GENERIC), atom_generic, (void)0)
ATOM(static const struct ptx_uop *atom_shared_any(struct warp *w, const struct ptx_uop *u,
                                                  uint8_t *rf, u32 m),
     atom_shared, (void)0)

/* --- words in shared memory, the usual case: counters --- */

/* Where, of each lane of @m. Return: false if one of them is at fault. */
static inline bool word_offsets(const struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m,
                                u32 *at)
{
    u32 size = w->grid->shared_bytes, last = size < 4 ? 0 : size - 4;
    u64 bad = size < 4;

    LANES_OF(m)
    {
        u64 va = exec_atom_address(u, rf, l);

        bad |= (va & 3) | (va > last);
        at[l] = (u32)va;
    }
    return bad == 0;
}

/* Lane by lane, as two of them may have one word. Return: how many changed it. */
#define WORDS(expr)                                    \
    LANES_OF(m)                                        \
    {                                                  \
        __attribute__((unused)) u32 v = operand_of[l]; \
        u32 old, now;                                  \
        memcpy(&old, w->shared + at[l], 4);            \
        now = (expr);                                  \
        memcpy(w->shared + at[l], &now, 4);            \
        changed += now != old;                         \
        before[l] = old;                               \
    }                                                  \
    return changed

static u32 words_apply(const struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m,
                       const u32 *at, u32 *before)
{
    const u32 *operand_of = SLOT(const u32, u->b);
    u32 changed = 0;

    switch (u->sub) {
    case PTX_ATOM_ADD:
        WORDS(old + v);
    case PTX_ATOM_MIN_U:
        WORDS(v < old ? v : old);
    case PTX_ATOM_MAX_U:
        WORDS(v > old ? v : old);
    case PTX_ATOM_AND:
        WORDS(old & v);
    case PTX_ATOM_OR:
        WORDS(old | v);
    case PTX_ATOM_XOR:
        WORDS(old ^ v);
    case PTX_ATOM_EXCH:
        WORDS(v);
    default: /* cas: compare, then the new value */
        WORDS(old == v ? SLOT(const u32, u->c)[l] : old);
    }
}

static bool is_word_atom(const struct ptx_uop *u)
{
    return u->size == 4 && !(u->flags & PTX_MEM_WIDE) &&
           (u->sub == PTX_ATOM_ADD || u->sub == PTX_ATOM_MIN_U || u->sub == PTX_ATOM_MAX_U ||
            (u->sub >= PTX_ATOM_AND && u->sub <= PTX_ATOM_CAS));
}

HANDLER(ATOM_SHARED)
{
    u32 at[32] __attribute__((aligned(64))), before[32] __attribute__((aligned(64))), changed;
    u32 *d;

    if (!is_word_atom(u) || !word_offsets(w, u, rf, m, at)) {
        return atom_shared_any(w, u, rf, m);
    }
    changed = words_apply(w, u, rf, m, at, before);
    w->grid->stats.atomics++;
    w->effects += changed;
    w->grid->effects += changed;
    if (!(u->flags & PTX_MEM_RED)) {
        d = SLOT(u32, u->d);
        LANES d[l] = m & lane_bit[l] ? before[l] : d[l];
    }
    return u + 1;
}
