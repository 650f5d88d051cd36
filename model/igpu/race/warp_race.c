/* SPDX-License-Identifier: MIT */
/* One instruction of a warp: its lanes' accesses to the shadow, and what it orders. */
#include <string.h>

#include "model/igpu/race/race_priv.h"
#include "model/igpu/sm_matrix.h"

#define HALF_WARP 16u
/* Of a strong access in the relation with implied fences, in steps (race.c): a look-up in a table
 */
#define STRONG_WORK 64u
/* Of a lane's strong access, about ns; see budget.c */
#define STRONG_COST 100u

/**
 * struct access - what a micro-op does
 * @bytes: a lane; @address: slot of addresses; @stores: its registers are what is stored
 * @matrix: all lanes together access rows of a matrix
 */
struct access {
    uint32_t bytes, address, kind;
    bool shared, generic, stores, matrix;
};

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
    case PTX_UOP_MATRIX_LOAD:
    case PTX_UOP_LDMATRIX:
        a->generic = a->matrix = true;
        return true;
    case PTX_UOP_MATRIX_STORE:
    case PTX_UOP_STMATRIX:
        a->generic = a->matrix = true;
        a->kind = SHADOW_WRITE;
        return true;
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
    return t->x.shared ? t->w->block->race->shared : t->x.race->global;
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

static void lane_strong(struct warp_access *t, uint32_t lane, const struct order_access *as)
{
    struct race *r = t->x.race;
    struct order_access a = *as;

    a.va = t->va[lane];
    t->x.thread[STRICT].lane = t->x.thread[IMPLIED].lane = lane;
    r->cost += STRONG_COST;
    if (r->released) {
        order_strong(&r->order[STRICT], &t->x.thread[STRICT], &a);
    }
    if (race_implies(r)) {
        r->order[IMPLIED].work += STRONG_WORK;
        order_strong(&r->order[IMPLIED], &t->x.thread[IMPLIED], &a);
    }
}

static void lanes_strong(struct warp_access *t, uint32_t m)
{
    struct race *r = t->x.race;
    const struct order_access a = {
        .shared = t->x.shared,
        .reads = is_reading(t->u, t->a.kind),
        .writes = t->a.kind & SHADOW_WRITE,
        .rmw = t->a.kind & SHADOW_ATOMIC,
        .scope = t->u->scope == PTX_SCOPE_CTA ? ORDER_BLOCK : ORDER_ALL,
        .what = t->u->order & (ORDER_ACQUIRE | ORDER_RELEASE),
    };
    bool keep = (a.reads || a.rmw) && (t->x.shared || a.scope == ORDER_ALL);

    for (uint32_t rest = keep ? m : 0; rest; rest &= rest - 1) {
        read_keep(t, lane_first(rest));
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

/* Do all lanes access one place (@same), or bytes in a row? Differences become vector code. */
static bool row_of_32(const uint32_t *as, uint32_t bytes, bool *same)
{
    uint32_t row = 0, one = 0;

    for (uint32_t l = 0; l < WARP_LANES - 1; l++) {
        uint32_t step = as[l + 1] - as[l];

        row |= step ^ bytes;
        one |= step;
    }
    *same = one == 0;
    return row == 0 || one == 0;
}

static bool row_of_64(const uint64_t *as, uint64_t bytes, bool *same)
{
    uint64_t row = 0, one = 0;

    if (as[1] - as[0] != bytes && as[1] != as[0]) {
        return false;
    }
    for (uint32_t l = 0; l < WARP_LANES - 1; l++) {
        uint64_t step = as[l + 1] - as[l];

        row |= step ^ bytes;
        one |= step;
    }
    *same = one == 0;
    return row == 0 || one == 0;
}

/* A whole warp's load of one place, or access in a row, of one space. Return: false: it is none */
static bool row_check(struct warp_access *t)
{
    const struct grid_desc *desc = &t->w->grid->desc;
    const uint8_t *as = t->rf + t->a.address;
    uint32_t bytes = t->a.bytes;
    bool same, narrow = t->u->flags & PTX_MEM_A32;
    uint64_t va, last;
    unsigned shift;

    if (bytes & (bytes - 1) ||
        !(narrow ? row_of_32((const uint32_t *)(const void *)as, bytes, &same)
                 : row_of_64((const uint64_t *)(const void *)as, bytes, &same)) ||
        (same && t->a.kind & SHADOW_WRITE)) {
        return false;
    }
    va = narrow ? *(const uint32_t *)(const void *)as + (uint32_t)t->u->imm
                : *(const uint64_t *)(const void *)as + (uint64_t)t->u->imm;
    last = va + (same ? 0 : (WARP_LANES - 1) * bytes);
    t->x.shared = t->a.shared || (t->a.generic && va - desc->shared_window < WINDOW_BYTES);
    if (va % bytes ||
        (t->a.generic &&
         (t->x.shared != (last - desc->shared_window < WINDOW_BYTES) ||
          va - desc->local_window < WINDOW_BYTES || last - desc->local_window < WINDOW_BYTES))) {
        return false;
    }
    va -= t->x.shared && t->a.generic ? desc->shared_window : 0;
    shift = (unsigned)__builtin_ctz(bytes);
    if (same) {
        same_touch(t, 0, WARP_LANES, va, shift);
    } else {
        run_touch(t, 0, WARP_LANES, va, shift);
    }
    return true;
}

static void access_check(struct warp_access *t, uint32_t m)
{
    const struct grid_desc *desc = &t->w->grid->desc;
    uint32_t on_chip = 0;

    if (m == UINT32_MAX && !(t->a.kind & SHADOW_SCOPE) && row_check(t)) {
        return;
    }
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
    t->x.shadow.settled = r->settled;
    t->x.shadow.judge = &race_judge;
    t->x.shadow.opaque = &t->x;
    t->place = r->first[t->w->frame->code - r->g->program->program->code] + t->u->inst;
    t->first_thread = t->w->block->linear << KNOW_THREAD_BITS | (uint64_t)t->w->id
                                                                    << KNOW_WARP_BITS;
    t->a.kind |= t->a.matrix ? 0 : (uint32_t)__builtin_ctz(t->u->size | 16u) << SHADOW_SIZE_SHIFT;
    if (!t->a.matrix) {
        t->a.kind |= (uint32_t)t->u->scope << 1;
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
    space_touch(t, on_chip, true);
    space_touch(t, rows, false);
    matrix_sync(t, m);
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
    if (t.a.matrix) {
        matrix_check(&t, op, rf, m);
        return;
    }
    access_begin(&t);
    r->released = r->released || (u->order & ORDER_RELEASE);
    access_check(&t, m);
    if (r->lockstep || ((t.a.kind & SHADOW_SCOPE) && (t.a.kind & SHADOW_WRITE))) {
        r->now++; /* what these lanes do next is not what they released, and what others read is
                     later */
    }
}
