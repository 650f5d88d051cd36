/* SPDX-License-Identifier: MIT */
/* Blocks, warps and their barriers; see order.h. */
#include "model/igpu/race/order_priv.h"

#include <string.h>

void order_init(struct order_grid *o, const uint64_t *now, bool implied)
{
    *o = (struct order_grid){ .now = now, .implied = implied };
}

void order_clear(struct order_grid *o)
{
    g_clear_pointer(&o->sync, g_hash_table_destroy);
}

/* --- blocks --- */

struct order_block *order_block_new(uint32_t n_warps)
{
    struct order_block *b = g_new0(struct order_block, 1);

    b->n_warps = n_warps;
    b->warp = g_new0(struct order_warp, n_warps);
    return b;
}

static void lane_clear(struct order_lane *l)
{
    struct order_copies *copies = l->copies;

    know_drop(l->know);
    for (unsigned i = 0; i < ORDER_SCOPES; i++) {
        know_drop(l->seen[i]);
        know_drop(l->released[i].know);
    }
    memset(l, 0, sizeof(*l));
    if (copies) {
        memset(copies, 0, ORDER_KINDS * sizeof(*copies));
    }
    l->copies = copies;
}

static void warp_clear(struct order_warp *w)
{
    w->base = 0;
    for (uint32_t l = 0; w->lane && l < ORDER_LANES; l++) {
        lane_clear(&w->lane[l]);
    }
}

static void barrier_free(struct order_barrier *bar)
{
    know_drop(bar->know);
    g_free(bar->lanes);
    g_free(bar->stamp);
}

void order_mbarrier_free(void *p)
{
    struct order_mbarrier *m = p;

    barrier_free(&m->arrived);
    know_drop(m->over);
    g_free(m);
}

void order_arrival_clear(struct order_barrier *bar, uint32_t n_warps)
{
    g_clear_pointer(&bar->know, know_drop);
    if (bar->used) {
        memset(bar->lanes, 0, n_warps * sizeof(bar->lanes[0]));
        bar->used = false;
    }
}

void order_block_start(struct order_block *b, uint64_t number, uint64_t cluster)
{
    g_clear_pointer(&b->know, know_drop);
    g_clear_pointer(&b->over, know_drop);
    g_clear_pointer(&b->sync, g_hash_table_destroy);
    g_clear_pointer(&b->mbarrier, g_hash_table_destroy);
    b->number = number;
    b->cluster = cluster;
    b->base = 0;
    b->any = b->apart = false;
    for (uint32_t i = 0; i < b->n_warps; i++) {
        warp_clear(&b->warp[i]);
    }
    for (uint32_t i = 0; i < ORDER_BARRIERS; i++) {
        order_arrival_clear(&b->barrier[i], b->n_warps);
    }
}

void order_block_free(struct order_block *b)
{
    if (!b) {
        return;
    }
    order_block_start(b, 0, 0);
    for (uint32_t i = 0; i < b->n_warps; i++) {
        for (uint32_t l = 0; b->warp[i].lane && l < ORDER_LANES; l++) {
            g_free(b->warp[i].lane[l].copies);
        }
        g_free(b->warp[i].lane);
    }
    for (uint32_t i = 0; i < ORDER_BARRIERS; i++) {
        barrier_free(&b->barrier[i]);
    }
    g_free(b->warp);
    g_free(b);
}

uint64_t order_warp_base(const struct order_block *b, uint32_t warp)
{
    return b->warp[warp].base;
}

/* --- what a thread knows --- */

struct order_lane *order_lane(const struct order_thread *x)
{
    struct order_warp *w = &x->block->warp[x->warp];

    if (!w->lane) {
        w->lane = g_new0(struct order_lane, ORDER_LANES);
    }
    return &w->lane[x->lane];
}

struct know *order_lane_know(const struct order_thread *x)
{
    const struct order_lane *l = x->block->warp[x->warp].lane;

    return l && l[x->lane].own ? l[x->lane].know : x->block->know;
}

void order_take(struct order_grid *o, const struct order_thread *x, struct know *k)
{
    struct order_lane *l;

    if (!k) {
        return;
    }
    l = order_lane(x);
    if (!l->own) {
        l->know = know_ref(x->block->know);
        l->own = x->block->any = true;
    }
    l->know = know_join(l->know, k, &o->work);
}

bool order_knows(const struct order_thread *x, uint64_t thread, uint64_t stamp)
{
    uint64_t me = order_id(x);

    if (thread >> KNOW_THREAD_BITS == x->block->number) {
        if (thread == me || stamp <= x->block->base) {
            return true;
        }
        if (thread >> KNOW_WARP_BITS == me >> KNOW_WARP_BITS &&
            stamp <= x->block->warp[x->warp].base) {
            return true;
        }
    }
    return know_covers(order_lane_know(x), thread, stamp);
}

bool order_met(const struct order_thread *x, uint64_t block)
{
    return know_of_block(order_lane_know(x), block);
}

bool order_would_know(const struct order_thread *x, uint64_t thread, uint64_t stamp)
{
    const struct order_lane *l = x->block->warp[x->warp].lane;

    return l && (know_covers(l[x->lane].seen[ORDER_BLOCK], thread, stamp) ||
                 know_covers(l[x->lane].seen[ORDER_CLUSTER], thread, stamp) ||
                 know_covers(l[x->lane].seen[ORDER_ALL], thread, stamp));
}

/* --- barriers --- */

void order_warp_sync(struct order_grid *o, struct order_block *b, uint32_t warp, uint32_t lanes,
                     uint32_t live)
{
    bool whole = lanes == live;
    struct know *k = NULL;
    struct order_thread x = { b, warp, 0 };

    if ((b->any || !whole) && (lanes & (lanes - 1))) {
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            x.lane = (uint32_t)__builtin_ctz(rest);
            k = know_join(k, order_lane_know(&x), &o->work);
            k = whole ? k : know_add(k, know_thread(order_id(&x)), *o->now, &o->work);
        }
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            x.lane = (uint32_t)__builtin_ctz(rest);
            order_take(o, &x, k);
        }
        know_drop(k);
    }
    if (whole) {
        b->warp[warp].base = *o->now;
    }
}

void order_arrival_add(struct order_grid *o, struct order_block *b, struct order_barrier *bar,
                       uint32_t warp, uint32_t lanes)
{
    if (!bar->lanes) {
        bar->lanes = g_new0(uint32_t, b->n_warps);
        bar->stamp = g_new0(uint64_t, b->n_warps);
    }
    bar->used = true;
    bar->lanes[warp] |= lanes;
    bar->stamp[warp] = *o->now;
    for (uint32_t rest = b->any ? lanes : 0; rest; rest &= rest - 1) {
        struct order_thread x = { b, warp, (uint32_t)__builtin_ctz(rest) };

        bar->know = know_join(bar->know, order_lane_know(&x), &o->work);
    }
}

void order_arrive(struct order_grid *o, struct order_block *b, uint32_t id, uint32_t warp,
                  uint32_t lanes)
{
    order_arrival_add(o, b, &b->barrier[id], warp, lanes);
}

/* A warp of which only some lanes have arrived: each for itself, and up to where the warp was one
 */
static struct know *arrival_lanes(struct order_grid *o, const struct order_block *b,
                                  const struct order_barrier *bar, uint32_t warp, struct know *k)
{
    uint64_t first = b->number << KNOW_THREAD_BITS | warp << KNOW_WARP_BITS;

    for (uint32_t rest = bar->lanes[warp]; rest; rest &= rest - 1) {
        uint64_t thread = first | (uint32_t)__builtin_ctz(rest);

        k = know_add(k, know_thread(thread), bar->stamp[warp], &o->work);
    }
    return know_add(k, know_warp(first), b->warp[warp].base, &o->work);
}

struct know *order_arrival_know(struct order_grid *o, const struct order_block *b,
                                const struct order_barrier *bar, const uint32_t *live,
                                struct know *k)
{
    uint64_t first = b->number << KNOW_THREAD_BITS;

    k = know_add(k, know_block(first), b->base, &o->work);
    for (uint32_t i = 0; bar->lanes && i < b->n_warps; i++) {
        if (bar->lanes[i] && !(live[i] & ~bar->lanes[i])) {
            k = know_add(k, know_warp(first | i << KNOW_WARP_BITS), bar->stamp[i], &o->work);
        } else if (bar->lanes[i]) {
            k = arrival_lanes(o, b, bar, i, k);
        }
    }
    return k;
}

/* Whole warps only: lanes that have exited had no part in it. */
static bool all_wait(const struct order_block *b, const uint32_t *waiting)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        if (waiting[i] != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

void order_release_all(struct order_grid *o, struct order_block *b, const struct order_barrier *bar)
{
    b->know = know_join(b->know, bar->know, &o->work);
    b->base = *o->now;
    for (uint32_t i = 0; b->any && i < b->n_warps; i++) {
        for (uint32_t l = 0; b->warp[i].lane && l < ORDER_LANES; l++) {
            g_clear_pointer(&b->warp[i].lane[l].know, know_drop);
            b->warp[i].lane[l].own = false;
        }
    }
    b->any = false;
}

void order_release(struct order_grid *o, struct order_block *b, uint32_t id, bool all,
                   const uint32_t *waiting, const uint32_t *live)
{
    struct order_barrier *bar = &b->barrier[id];
    struct know *k;

    if (all || all_wait(b, waiting)) {
        order_release_all(o, b, bar);
    } else {
        k = order_arrival_know(o, b, bar, live, know_ref(bar->know));
        k = know_join(k, b->know, &o->work);
        for (uint32_t i = 0; i < b->n_warps; i++) {
            for (uint32_t rest = waiting[i]; rest; rest &= rest - 1) {
                order_take(o, &(struct order_thread){ b, i, (uint32_t)__builtin_ctz(rest) }, k);
            }
        }
        know_drop(k);
    }
    order_arrival_clear(bar, b->n_warps);
}
