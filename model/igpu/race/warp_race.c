/* SPDX-License-Identifier: MIT */
/* One instruction of a warp: its lanes' accesses to the shadow, and what it orders. */
#include <string.h>

#include "model/igpu/matrix/sm_matrix.h"
#include "model/igpu/race/access.h"
#include "model/igpu/race/half.h"

/* Of a strong access in the relation with implied fences, in steps (race.c): a look-up in a table
 */
#define STRONG_WORK 64u
/* Of a lane's strong access, about ns; see budget.c */
#define STRONG_COST 100u
#define COST_REPEATED 20u
#define COST_FREE 2u

const bool race_ops[PTX_UOP_COUNT] = {
    [PTX_UOP_LD_GENERIC] = true,   [PTX_UOP_LD_SHARED] = true,
    [PTX_UOP_LD_SHARED_32] = true, [PTX_UOP_LD_GLOBAL] = true,
    [PTX_UOP_LD_GLOBAL_32] = true, [PTX_UOP_LD_GLOBAL_64] = true,
    [PTX_UOP_ST_GENERIC] = true,   [PTX_UOP_ST_SHARED] = true,
    [PTX_UOP_ST_SHARED_32] = true, [PTX_UOP_ST_GLOBAL] = true,
    [PTX_UOP_ST_GLOBAL_32] = true, [PTX_UOP_ATOM_GENERIC] = true,
    [PTX_UOP_ATOM_SHARED] = true,  [PTX_UOP_ATOM_GLOBAL] = true,
    [PTX_UOP_CP_ASYNC] = true,     [PTX_UOP_MATRIX_LOAD] = true,
    [PTX_UOP_MATRIX_STORE] = true, [PTX_UOP_LDMATRIX] = true,
    [PTX_UOP_STMATRIX] = true,     [PTX_UOP_FENCE] = true,
    [PTX_UOP_NOP] = true, /* commit and wait of cp.async */
};

/* --- what a lane stores --- */

static void value_take(const struct ptx_uop *u, const uint8_t *rf, uint32_t lane, uint8_t *value)
{
    const uint32_t slot[] = { u->d, u->b, u->c, u->e };
    uint32_t width = u->flags & PTX_MEM_WIDE ? 8 : 4;

    for (unsigned i = 0; i < u->vec; i++) {
        memcpy(value + i * u->size, rf + slot[i] + lane * width, u->size);
    }
}

/* What the @n lanes from @first on store, in order. @room: for it, if it does not lie in order */
static const uint8_t *values_take(const struct ptx_uop *u, const uint8_t *rf, uint32_t first,
                                  uint32_t n, uint8_t *room)
{
    uint32_t width = u->flags & PTX_MEM_WIDE ? 8 : 4, bytes = (uint32_t)u->vec * u->size;

    if (u->vec == 1 && u->size == width) {
        return rf + u->d + first * width;
    }
    for (uint32_t i = 0; i < n; i++) {
        value_take(u, rf, first + i, room + i * bytes);
    }
    return room;
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
    return t->x.shared ? t->x.owner->race->shared : t->x.race->global;
}

static void lane_set(struct warp_access *t, uint32_t lane)
{
    t->x.shadow.me = shadow_record(t->x.race->now, t->a.kind, t->place, t->first_thread + lane);
}

/* The @n lanes from @first on access bytes in a row from @va on. */
static inline void run_touch(struct warp_access *t, uint32_t first, uint32_t n, uint64_t va,
                             unsigned shift)
{
    uint8_t room[WARP_LANES * 32];
    const uint8_t *value = t->a.stores ? values_take(t->u, t->rf, first, n, room) : NULL;

    lane_set(t, first);
    t->x.race->cost += shadow_touch(shadow_of(t), &t->x.shadow, va, n * t->a.bytes, shift, value);
}

static bool is_reading(const struct ptx_uop *u, uint32_t kind)
{
    return kind & SHADOW_ATOMIC ? !(u->flags & PTX_MEM_RED) : !(kind & SHADOW_WRITE);
}

/* An atomic operation has read what is there before its own store. */
static void reads_keep(struct warp_access *t, uint32_t m)
{
    struct race_block *b = t->w->block->race;
    uint64_t when = t->x.race->now << 1 | t->x.shared;
    struct race_reads *r;

    if (!b->reads) {
        b->reads = g_new0(struct race_reads, t->w->block->n_warps);
    }
    r = &b->reads[t->w->id];
    for (uint32_t rest = m; rest; rest &= rest - 1) {
        uint32_t l = lane_first(rest), last = (r->next[l] - 1) % RACE_READS;
        uint64_t va = t->va[l] + (t->x.shared ? t->x.owner->shared_from : 0);
        uint32_t at = r->va[last][l] == va ? last : r->next[l] % RACE_READS;

        r->va[at][l] = va;
        r->when[at][l] = when;
        r->next[l] = at + 1;
    }
}

static void lane_strong(struct warp_access *t, uint32_t lane, const struct order_access *as)
{
    struct race *r = t->x.race;
    struct order_access a = *as;

    a.va = t->va[lane];
    r->cost += STRONG_COST;
    if (r->released) {
        struct order_thread x = race_thread(&t->x, STRICT, lane);

        a.owner = t->x.shared ? t->x.owner->race->order[STRICT] : NULL;
        order_strong(&r->order[STRICT], &x, &a);
    }
    if (race_implies(r)) {
        struct order_thread x = race_thread(&t->x, IMPLIED, lane);

        a.owner = t->x.shared ? t->x.owner->race->order[IMPLIED] : NULL;
        r->order[IMPLIED].work += STRONG_WORK;
        order_strong(&r->order[IMPLIED], &x, &a);
    }
}

static void lanes_strong(struct warp_access *t, uint32_t m)
{
    struct race *r = t->x.race;
    const struct order_access a = {
        .reads = is_reading(t->u, t->a.kind),
        .writes = t->a.kind & SHADOW_WRITE,
        .rmw = t->a.kind & SHADOW_ATOMIC,
        .scope = race_order_scope(r, t->u),
        .what = t->u->order & (ORDER_ACQUIRE | ORDER_RELEASE),
    };
    bool keep = (a.reads || a.rmw) && (t->x.shared || a.scope > ORDER_BLOCK);

    if (keep) {
        reads_keep(t, m);
    }
    for (uint32_t rest = r->released || race_implies(r) ? m : 0; rest; rest &= rest - 1) {
        lane_strong(t, lane_first(rest), &a);
    }
}

/* --- lanes in a row --- */

/* @n lanes, whose addresses are @step apart */
static bool is_row(const uint64_t *va, uint32_t n, uint64_t step)
{
    uint64_t other = 0;

    for (uint32_t i = 0; i + 1 < n; i++) {
        other |= (va[i + 1] - va[i]) ^ step;
    }
    return other == 0;
}

/* How many lanes from @first on are in @m and @step apart */
static uint32_t run_length(const struct warp_access *t, uint32_t m, uint32_t first, uint64_t step)
{
    const uint64_t *va = &t->va[first];
    uint32_t n = 1, whole = WARP_LANES - first;

    if (first == 0 && m == UINT32_MAX && is_row(va, whole, step)) {
        return whole;
    }
    if (first % HALF_WARP == 0 && (m >> first & 0xffff) == 0xffff && is_row(va, HALF_WARP, step)) {
        return HALF_WARP; /* a run ends there at the latest, which is no matter */
    }
    while (n < whole && (m >> (first + n) & 1) && va[n] - va[n - 1] == step) {
        n++;
    }
    return n;
}

/* @n lanes from @first on load one place. */
static void same_touch(struct warp_access *t, uint32_t first, uint32_t n, uint64_t va,
                       unsigned shift)
{
    lane_set(t, first);
    t->x.race->cost += shadow_touch_same(shadow_of(t), &t->x.shadow, va, t->a.bytes, shift, n);
}

static bool is_run(const struct warp_access *t, uint32_t first)
{
    uint64_t step = t->va[first + 1] - t->va[first];

    return step == 4 || (step == 0 && !(t->a.kind & (SHADOW_WRITE | SHADOW_SCOPE)));
}

/* Words that are no runs, by the first two of either half of the warp */
static bool is_scattered(const struct warp_access *t, uint32_t m)
{
    return m == UINT32_MAX && t->a.bytes == 4 && t->u->vec == 1 && !(t->a.kind & SHADOW_ASYNC) &&
           !is_run(t, 0) && !is_run(t, HALF_WARP) && !(t->a.stores && t->u->flags & PTX_MEM_WIDE);
}

static void words_touch(struct warp_access *t, uint32_t m)
{
    const uint8_t *values = t->a.stores ? t->rf + t->u->d : NULL;

    lane_set(t, 0);
    t->x.race->cost += shadow_touch_words(shadow_of(t), &t->x.shadow, t->va, m, values);
}

static void lanes_touch(struct warp_access *t, uint32_t m)
{
    bool load = !(t->a.kind & (SHADOW_WRITE | SHADOW_SCOPE));
    uint32_t bytes = t->a.bytes;
    unsigned even = bytes & (bytes - 1) ? SHADOW_ONE : (unsigned)__builtin_ctz(bytes);

    if (is_scattered(t, m)) {
        words_touch(t, m);
        return;
    }

    while (m) {
        uint32_t first = lane_first(m), n = 1;
        uint64_t step = first + 1 < WARP_LANES ? t->va[first + 1] - t->va[first] : 1;
        unsigned shift = t->va[first] % bytes ? SHADOW_ONE : even;

        if (m >> first >> 1 & 1 &&
            ((step == bytes && shift != SHADOW_ONE) || (step == 0 && load))) {
            n = run_length(t, m, first, step);
        }
        if (step == 0 && n > 1) {
            same_touch(t, first, n, t->va[first], shift);
        } else {
            run_touch(t, first, n, t->va[first], shift);
        }
        m &= n == WARP_LANES ? 0 : ~(((1u << n) - 1) << first);
    }
}

/* --- matrices --- */

/* wmma.load, wmma.store: which lane accesses which element is not specified (PTX ISA 9.7.14.4), so
 * each row is one access. Return: the rows, as lanes */
static uint32_t tile_take(struct warp_access *t, uint8_t *rf, uint32_t lane)
{
    const struct ptx_uop *u = t->u;
    enum ptx_matrix_part part = t->a.kind & SHADOW_WRITE ? PTX_MATRIX_D : u->scope;
    struct fragment_map f = fragment_map(part, (enum ptx_elem)u->size, u->imm);
    struct tile tile = tile_of(t->w, u, rf, lane, &f);

    for (uint32_t i = 0; i < tile.lines; i++) {
        t->va[i] = tile.va + (uint64_t)(tile.stride * (int64_t)i);
    }
    t->a.bytes = tile.bytes;
    return tile.lines < WARP_LANES ? (1u << tile.lines) - 1 : UINT32_MAX;
}

/* ldmatrix, stmatrix: 16 bytes at the address of each of the first lanes (9.7.14.5.15). */
static uint32_t rows_take(struct warp_access *t, uint8_t *rf)
{
    const struct ptx_uop *u = t->u;
    uint32_t rows = u->vec * 8u;

    for (uint32_t l = 0; l < rows; l++) {
        t->va[l] = u->flags & PTX_MATRIX_A32 ? SLOT(const u32, u->d)[l] : SLOT(const u64, u->d)[l];
        t->va[l] += u->flags & PTX_MATRIX_SHARED ? t->w->grid->desc.shared_window : 0;
    }
    t->a.bytes = 16;
    return rows < WARP_LANES ? (1u << rows) - 1 : UINT32_MAX;
}

/* All lanes wait for each other (.sync). Whether that orders their accesses, as bar.warp.sync
 * would, no document says: it does here (inferred), so that nothing is reported without a rule. */
static void matrix_sync(struct warp_access *t, uint32_t lanes)
{
    struct race *r = t->x.race;

    for (unsigned i = 0; i < (race_implies(r) ? RELATIONS : 1u); i++) {
        order_warp_sync(&r->order[i], t->w->block->race->order[i], t->w->id, lanes, lanes);
    }
    r->now++;
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
    lanes_touch(t, m);
    if (t->a.kind & SHADOW_SCOPE) {
        lanes_strong(t, m);
    }
}

/* Shared memory: in a cluster each lane's address says of which block; lanes that name none fault.
 */
static void shared_touch(struct warp_access *t, uint32_t m)
{
    struct block *b = t->w->block;

    if (!b->cluster) {
        space_touch(t, m, true);
        return;
    }
    while (m) {
        uint64_t at = t->va[lane_first(m)];
        struct block *owner = cluster_owner(b, &at);
        uint32_t same = 0;

        for (uint32_t rest = m; rest; rest &= rest - 1) {
            uint32_t l = lane_first(rest);

            at = t->va[l];
            if (cluster_owner(b, &at) == owner) {
                t->va[l] = at;
                same |= 1u << l;
            }
        }
        if (owner) {
            t->x.owner = owner;
            lane_set(t, lane_first(same));
            race_remote(&t->x, t->x.shadow.me, t->va[lane_first(same)]);
            space_touch(t, same, true);
        }
        m &= ~same;
    }
    t->x.owner = b;
}

/* Of a generic address, an offset in the window if it is shared memory. Return: false: local
 * memory, or @last is elsewhere */
static bool generic_take(struct warp_access *t, uint64_t *va, uint64_t last)
{
    const struct grid_desc *desc = &t->w->grid->desc;
    bool shared = *va - desc->shared_window < WINDOW_BYTES;

    if (shared != (last - desc->shared_window < WINDOW_BYTES) ||
        *va - desc->local_window < WINDOW_BYTES || last - desc->local_window < WINDOW_BYTES) {
        return false;
    }
    *va -= shared ? desc->shared_window : 0;
    t->x.shared = shared;
    return true;
}

/* @n lanes from @first on, the first of which accesses @va. Return: false: not in this way; nothing
 * has changed */
static bool half_touch(struct warp_access *t, uint32_t first, uint32_t n, enum half what,
                       uint64_t va, unsigned shift)
{
    uint64_t last = va + (what == ROW ? (n - 1) << shift : 0);

    t->x.shared = t->a.shared;
    if (va & ((1u << shift) - 1) || (t->a.generic && !generic_take(t, &va, last))) {
        return false;
    }
    if (what == SAME) {
        same_touch(t, first, n, va, shift);
    } else {
        run_touch(t, first, n, va, shift);
    }
    return true;
}

static inline uint64_t lane_va(const struct warp_access *t, uint32_t lane)
{
    const uint8_t *as = t->rf + t->a.address;

    return t->u->flags & PTX_MEM_A32
               ? (uint32_t)(((const uint32_t *)(const void *)as)[lane] + (uint32_t)t->u->imm)
               : ((const uint64_t *)(const void *)as)[lane] + (uint64_t)t->u->imm;
}

/* A whole warp's weak access, of which each half is in a row, or a load of one place */
struct halves {
    enum half what[2];
    uint64_t va[2];
};

/* Return: false: it is none */
static inline bool halves_take(const struct warp_access *t, struct halves *h)
{
    const uint8_t *as = t->rf + t->a.address;
    uint32_t bytes = t->a.bytes;
    unsigned shift = (unsigned)__builtin_ctz(bytes);

    if (bytes & (bytes - 1)) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        h->what[i] = t->u->flags & PTX_MEM_A32
                         ? half_of_32((const uint32_t *)(const void *)as + i * HALF_WARP, shift)
                         : half_of_64((const uint64_t *)(const void *)as + i * HALF_WARP, shift);
        if (h->what[i] == NEITHER || (h->what[i] == SAME && t->a.kind & SHADOW_WRITE)) {
            return false;
        }
        h->va[i] = lane_va(t, i * HALF_WARP);
    }
    return true;
}

/* Return: the lanes that are checked */
static uint32_t halves_touch(struct warp_access *t, const struct halves *h)
{
    unsigned shift = (unsigned)__builtin_ctz(t->a.bytes);
    uint32_t next = h->what[0] == ROW ? HALF_WARP << shift : 0;

    if (h->what[0] == h->what[1] && h->va[1] == h->va[0] + next) {
        return half_touch(t, 0, WARP_LANES, h->what[0], h->va[0], shift) ? UINT32_MAX : 0;
    }
    if (!half_touch(t, 0, HALF_WARP, h->what[0], h->va[0], shift)) {
        return 0;
    }
    return half_touch(t, HALF_WARP, HALF_WARP, h->what[1], h->va[1], shift) ? UINT32_MAX : 0xffff;
}

/* Fast: a load that two other warps have executed since the last barrier, of the same places of
 * shared memory, to which nothing was stored since: their records stand for it, where only barriers
 * of the block order (as usual_is_known() has it for a piece). Breaks
 * detector_finds_the_pairs_of_the_label() in test_kernel_race.c, if one warp's stand for all.
 * Return: it is one */
static inline bool is_repeated(struct warp_access *t, const struct halves *h)
{
    struct race_block *b = t->w->block->race;
    struct race_load *l = &b->load[(size_t)(t->u - t->w->code) % RACE_LOADS];
    uint64_t base = order_block_base(b->order[STRICT]), stores = shadow_stores(b->shared);
    bool same = l->u == t->u && l->base == base && l->stores == stores && l->va[0] == h->va[0] &&
                l->va[1] == h->va[1] && l->what == (h->what[0] | h->what[1] << 2);

    if (same && l->warps > 1) {
        return true;
    }
    if (same) {
        l->warps += l->warp != t->w->id;
        return false;
    }
    *l = (struct race_load){ .u = t->u,
                             .base = base,
                             .stores = stores,
                             .va = { h->va[0], h->va[1] },
                             .warp = t->w->id,
                             .warps = 1,
                             .what = (uint8_t)(h->what[0] | h->what[1] << 2) };
    return false;
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
    shared_touch(t, t->a.shared ? m : on_chip);
    space_touch(t, t->a.shared ? 0 : m, false);
}

static void access_begin(struct warp_access *t)
{
    race_access_begin(&t->x, t->w);
    t->place = race_place(t->w, t->u);
    t->first_thread = race_first_thread(t->w);
    t->a.kind |= t->a.matrix ? 0 : (uint32_t)__builtin_ctz(t->u->size | 16u) << SHADOW_SIZE_SHIFT;
    if (!t->a.matrix) {
        t->a.kind |= race_scope(t->x.race, t->u);
        t->a.kind |= t->u->order & PTX_ORDER_ASYNC ? SHADOW_ASYNC : 0;
    }
}

static void matrix_check(struct warp_access *t, enum ptx_uop_op op, uint8_t *rf, uint32_t m)
{
    const struct grid_desc *desc = &t->w->grid->desc;
    bool tile = op == PTX_UOP_MATRIX_LOAD || op == PTX_UOP_MATRIX_STORE;
    uint32_t on_chip, rows;

    if (!matrix_ready(t->w, m)) {
        return; /* comes again, with the lanes that are missing */
    }
    access_begin(t);
    matrix_sync(t, m);
    access_begin(t);
    rows = tile ? tile_take(t, rf, lane_first(m)) : rows_take(t, rf);
    on_chip = window_take(t, rows, desc->shared_window);
    rows &= ~on_chip;
    rows &= ~window_take(t, rows, desc->local_window);
    shared_touch(t, on_chip);
    space_touch(t, rows, false);
    matrix_sync(t, m);
}

/* Fast: an access to shared memory that nothing can race with before the next barrier. Breaks
 * detector_finds_the_pairs_of_the_label() in test_kernel_race.c (behind_barriers_of_two_arms), if
 * what another warp's code stores meanwhile is not asked for. */
static inline bool is_free(const struct race_block *b, const struct ptx_uop *u, enum ptx_uop_op op)
{
    bool load = op == PTX_UOP_LD_SHARED || op == PTX_UOP_LD_SHARED_32;

    return b->free && ((load && b->free & RACE_FREE_LOADS && u->scope == PTX_SCOPE_NONE) ||
                       (op == PTX_UOP_ATOM_SHARED && b->free & RACE_FREE_ATOMICS));
}

void race_uop(struct warp *w, const struct ptx_uop *u, enum ptx_uop_op op, uint8_t *rf, uint32_t m)
{
    struct race *r = w->grid->race;
    struct warp_access t;
    struct halves h;
    bool halves;

    if (r->stopped) {
        return;
    }
    if (is_free(w->block->race, u, op)) {
        r->cost += COST_FREE;
        return;
    }
    if (!access_of(u, op, &t.a)) {
        race_order_uop(w, u, op, m);
        return;
    }
    t.w = w;
    t.u = u;
    t.rf = rf;
    if (t.a.matrix) {
        matrix_check(&t, op, rf, m);
        return;
    }
    halves =
        m == UINT32_MAX && u->scope == PTX_SCOPE_NONE && !w->block->cluster && halves_take(&t, &h);
    if (halves && r->settled && t.a.shared && !t.a.kind && is_repeated(&t, &h)) {
        r->cost += COST_REPEATED;
        return;
    }
    access_begin(&t);
    r->released = r->released || (u->order & ORDER_RELEASE);
    m &= halves ? ~halves_touch(&t, &h) : UINT32_MAX;
    if (m) {
        access_check(&t, m);
    }
    if (r->lockstep || (t.a.kind & SHADOW_SCOPE)) {
        r->now++; /* what these lanes do next is not what they released, and what others read or
                     store is later */
    }
}
