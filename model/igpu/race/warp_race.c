/* SPDX-License-Identifier: MIT */
/* One instruction of a warp: its lanes' accesses to the shadow, and what it orders. */
#include <string.h>

#include "model/igpu/race/race_priv.h"

#define HALF_WARP 16u

/**
 * struct access - what a micro-op does
 * @bytes: a lane; @address: slot of addresses; @stores: its registers are what is stored
 */
struct access {
    uint32_t bytes, address, kind;
    bool shared, generic, stores;
};

/* Return: false: no access to memory that threads share */
static bool access_of(const struct ptx_uop *u, enum ptx_uop_op op, struct access *a)
{
    *a = (struct access){ .bytes = (uint32_t)u->vec * u->size, .address = u->a };
    switch (op) {
    case PTX_UOP_LD_GENERIC:
        a->generic = true;
        return true;
    case PTX_UOP_LD_SHARED:
    case PTX_UOP_LD_SHARED_32:
        a->shared = true;
        return true;
    case PTX_UOP_LD_GLOBAL:
    case PTX_UOP_LD_GLOBAL_32:
    case PTX_UOP_LD_GLOBAL_64:
        return true;
    case PTX_UOP_ST_GENERIC:
        a->generic = true;
        break;
    case PTX_UOP_ST_SHARED:
    case PTX_UOP_ST_SHARED_32:
        a->shared = true;
        break;
    case PTX_UOP_ST_GLOBAL:
    case PTX_UOP_ST_GLOBAL_32:
        break;
    case PTX_UOP_ATOM_GENERIC:
        a->generic = true;
        a->kind = SHADOW_ATOMIC;
        break;
    case PTX_UOP_ATOM_SHARED:
        a->shared = true;
        a->kind = SHADOW_ATOMIC;
        break;
    case PTX_UOP_ATOM_GLOBAL:
        a->kind = SHADOW_ATOMIC;
        break;
    case PTX_UOP_CP_ASYNC:
        a->shared = true;
        a->address = u->d;
        a->kind = SHADOW_ASYNC;
        break;
    default:
        return false;
    }
    a->bytes = a->kind ? u->size : a->bytes;
    a->stores = !a->kind;
    a->kind |= SHADOW_WRITE;
    return true;
}

/* --- what a lane stores --- */

static void value_take(const struct ptx_uop *u, const uint8_t *rf, uint32_t lane, uint8_t *value)
{
    const uint32_t slot[] = { u->d, u->b, u->c, u->e };
    uint32_t width = u->flags & PTX_MEM_WIDE ? 8 : 4;

    for (unsigned i = 0; i < u->vec; i++) {
        memcpy(value + i * u->size, rf + slot[i] + lane * width, u->size);
    }
}

/* Of as many lanes as a line has room for, from @first on */
static void values_take(const struct ptx_uop *u, const uint8_t *rf, uint32_t first, uint32_t bytes,
                        uint8_t *line)
{
    if (bytes == 4 && u->vec == 1 && !(u->flags & PTX_MEM_WIDE)) {
        memcpy(line, rf + u->d + first * 4, SHADOW_LINE);
        return;
    }
    for (uint32_t i = 0; i < SHADOW_LINE / bytes; i++) {
        value_take(u, rf, first + i, line + i * bytes);
    }
}

/* --- lanes --- */

/* A warp's instruction while its lanes are checked */
struct warp_access {
    struct race_access x;
    struct access a;
    struct warp *w;
    const struct ptx_uop *u;
    const uint8_t *rf;
    uint64_t place, first_thread;
    uint64_t va[WARP_LANES] __attribute__((aligned(64)));
};

static struct shadow *shadow_of(const struct warp_access *t)
{
    return t->x.shared ? t->w->block->race->shared : t->x.race->global;
}

static void lane_set(struct warp_access *t, uint32_t lane)
{
    t->x.thread[STRICT].lane = t->x.thread[IMPLIED].lane = lane;
    t->x.shadow.me = shadow_record(t->x.race->now, t->a.kind, t->place, t->first_thread + lane);
}

static bool lane_touch(struct warp_access *t, uint32_t lane)
{
    uint8_t value[32];

    lane_set(t, lane);
    if (t->a.stores) {
        value_take(t->u, t->rf, lane, value);
    }
    return shadow_touch(shadow_of(t), &t->x.shadow, t->va[lane], t->a.bytes,
                        t->a.stores ? value : NULL);
}

static bool is_reading(const struct ptx_uop *u, uint32_t kind)
{
    return kind & SHADOW_ATOMIC ? !(u->flags & PTX_MEM_RED) : !(kind & SHADOW_WRITE);
}

/* An atomic operation has read what is there before its own store. */
static void read_keep(struct warp_access *t, uint32_t lane)
{
    struct race_block *b = t->w->block->race;
    struct race_reads *r;

    if (!b->reads) {
        b->reads = g_new0(struct race_reads, WARP_LANES * t->w->block->n_warps);
    }
    r = &b->reads[t->w->id * WARP_LANES + lane];
    if (r->at[(r->next - 1) % RACE_READS].va == t->va[lane]) {
        r->next--;
    }
    r->at[r->next++ % RACE_READS] = (struct race_read){ t->va[lane], t->x.race->now, t->x.shared };
}

static void lane_strong(struct warp_access *t, uint32_t lane)
{
    struct race *r = t->x.race;
    struct order_access a = {
        .va = t->va[lane],
        .shared = t->x.shared,
        .reads = is_reading(t->u, t->a.kind),
        .writes = t->a.kind & SHADOW_WRITE,
        .rmw = t->a.kind & SHADOW_ATOMIC,
        .scope = t->u->scope == PTX_SCOPE_CTA ? ORDER_BLOCK : ORDER_ALL,
        .what = t->u->order & (ORDER_ACQUIRE | ORDER_RELEASE),
    };

    if ((a.reads || a.rmw) && (t->x.shared || a.scope == ORDER_ALL)) {
        read_keep(t, lane);
    }
    if (r->released) {
        order_strong(&r->order[STRICT], &t->x.thread[STRICT], &a);
    }
    if (race_implies(r)) {
        r->order[IMPLIED].work += 8; /* a look-up, at least */
        order_strong(&r->order[IMPLIED], &t->x.thread[IMPLIED], &a);
    }
}

/* Of lanes in a row that load one place the first and the last stand for all: the shadow would keep
 * no more. */
static void lanes_touch(struct warp_access *t, uint32_t m)
{
    bool load = !(t->a.kind & (SHADOW_WRITE | SHADOW_SCOPE));
    uint32_t before = WARP_LANES;

    for (uint32_t rest = m; rest; rest &= rest - 1) {
        uint32_t l = lane_first(rest), more = rest & (rest - 1);

        if (load && before < WARP_LANES && more && t->va[l] == t->va[before] &&
            t->va[l] == t->va[lane_first(more)]) {
            continue;
        }
        before = l;
        lane_touch(t, l);
        if (t->a.kind & SHADOW_SCOPE) {
            lane_strong(t, l);
        }
    }
}

/* --- rows --- */

static bool is_row(const uint64_t *va, uint32_t n, uint32_t bytes)
{
    uint64_t other = 0;

    for (uint32_t i = 0; i < n; i++) {
        other |= va[i] ^ (va[0] + (uint64_t)i * bytes);
    }
    return other == 0;
}

/* The lanes from @first on use one line. */
static void row_touch(struct warp_access *t, uint32_t first)
{
    uint32_t n = SHADOW_LINE / t->a.bytes, shift = (uint32_t)__builtin_ctz(t->a.bytes);
    uint8_t line[SHADOW_LINE];
    bool clean = t->a.stores;

    if (t->a.stores) {
        values_take(t->u, t->rf, first, t->a.bytes, line);
    }
    lane_set(t, first);
    if (shadow_row(shadow_of(t), &t->x.shadow, t->va[first], shift, t->a.stores ? line : NULL)) {
        return;
    }
    for (uint32_t l = first; l < first + n; l++) {
        clean &= lane_touch(t, l);
    }
    if (clean) {
        lane_set(t, first);
        shadow_row_again(shadow_of(t), &t->x.shadow, t->va[first], shift);
    }
}

/* Return: the lanes of @m that are left */
static uint32_t rows_touch(struct warp_access *t, uint32_t m)
{
    uint32_t bytes = t->a.bytes, n = bytes ? SHADOW_LINE / bytes : 0;

    if ((t->a.kind & ~(SHADOW_WRITE | SHADOW_SIZE)) || n < 4 || n > WARP_LANES ||
        (bytes & (bytes - 1))) {
        return m;
    }
    for (uint32_t first = 0; first < WARP_LANES; first += n) {
        uint32_t lanes = (n == WARP_LANES ? UINT32_MAX : (1u << n) - 1) << first;
        const uint64_t *va = &t->va[first];

        if ((m & lanes) == lanes && va[0] % SHADOW_LINE == 0 &&
            va[n - 1] - va[0] == SHADOW_LINE - bytes && is_row(va, n, bytes)) {
            row_touch(t, first);
            m &= ~lanes;
        }
    }
    return m;
}

/* --- one instruction --- */

static void addresses_take(struct warp_access *t)
{
    uint64_t imm = (uint64_t)t->u->imm;

    if (t->u->flags & PTX_MEM_A32) {
        const uint32_t *as = (const uint32_t *)(const void *)(t->rf + t->a.address);

        for (uint32_t l = 0; l < WARP_LANES; l++) {
            t->va[l] = as[l] + (uint32_t)imm;
        }
    } else {
        const uint64_t *as = (const uint64_t *)(const void *)(t->rf + t->a.address);

        for (uint32_t l = 0; l < WARP_LANES; l++) {
            t->va[l] = as[l] + imm;
        }
    }
}

/* Lanes whose generic address is in the window at @window; it becomes an offset there. */
static uint32_t window_take(struct warp_access *t, uint32_t m, uint64_t window)
{
    uint32_t in = 0;

    for (uint32_t rest = m; rest; rest &= rest - 1) {
        uint32_t l = lane_first(rest);

        if (t->va[l] - window < WINDOW_BYTES) {
            t->va[l] -= window;
            in |= 1u << l;
        }
    }
    return in;
}

static void space_touch(struct warp_access *t, uint32_t m, bool shared)
{
    t->x.shared = shared;
    m = m ? rows_touch(t, m) : 0;
    if (m) {
        lanes_touch(t, m);
    }
}

static void access_check(struct warp_access *t, uint32_t m)
{
    const struct grid_desc *desc = &t->w->grid->desc;
    uint32_t on_chip = 0;

    addresses_take(t);
    if (t->a.generic) {
        on_chip = window_take(t, m, desc->shared_window);
        m &= ~on_chip;
        m &= ~window_take(t, m, desc->local_window); /* no other thread sees it */
    }
    space_touch(t, t->a.shared ? m : on_chip, true);
    space_touch(t, t->a.shared ? 0 : m, false);
}

static void access_begin(struct warp_access *t)
{
    struct race *r = t->w->grid->race;
    const struct race_block *b = t->w->block->race;

    t->x.race = r;
    t->x.block = b;
    for (unsigned i = 0; i < RELATIONS; i++) {
        t->x.thread[i] = (struct order_thread){ b->order[i], t->w->id, 0 };
    }
    t->x.shadow.base = order_block_base(b->order[STRICT]);
    t->x.shadow.warp_base = r->lockstep ? r->now - 1 : order_warp_base(b->order[STRICT], t->w->id);
    t->x.shadow.judge = &race_judge;
    t->x.shadow.opaque = &t->x;
    t->place = r->first[t->w->frame->code - r->g->program->program->code] + t->u->inst;
    t->first_thread = t->w->block->linear << KNOW_THREAD_BITS | (uint64_t)t->w->id
                                                                    << KNOW_WARP_BITS;
    t->a.kind |= (uint32_t)__builtin_ctz(t->u->size | 16u) << SHADOW_SIZE_SHIFT;
    t->a.kind |= (uint32_t)t->u->scope << 1 | (t->u->order & PTX_ORDER_ASYNC ? SHADOW_ASYNC : 0);
}

void race_uop(struct warp *w, const struct ptx_uop *u, enum ptx_uop_op op, uint8_t *rf, uint32_t m)
{
    struct race *r = w->grid->race;
    struct warp_access t;

    if (r->stopped) {
        return;
    }
    if (!access_of(u, op, &t.a)) {
        race_order_uop(w, u, op, m);
        return;
    }
    t.w = w;
    t.u = u;
    t.rf = rf;
    access_begin(&t);
    r->released = r->released || (u->order & ORDER_RELEASE);
    access_check(&t, m);
    if (r->lockstep || ((t.a.kind & SHADOW_SCOPE) && (t.a.kind & SHADOW_WRITE))) {
        r->now++; /* what these lanes do next is not what they released, and what others read is
                     later */
    }
}
