/* SPDX-License-Identifier: MIT */
/* Clusters of blocks: their barrier, and which blocks are of one; see race.h. */
#include <string.h>

#include "model/igpu/race/race_priv.h"

/* Of a block by number: the number of its cluster */
static uint64_t cluster_of(const struct grid_desc *d, uint64_t block)
{
    uint64_t at = 0, size = 1;

    for (unsigned i = 0; i < 3; i++) {
        uint32_t n = MAX(d->cluster[i], 1u);

        at += block % d->grid[i] / n * size;
        size *= d->grid[i] / n;
        block /= d->grid[i];
    }
    return at;
}

bool race_same_cluster(const struct race *r, uint64_t a, uint64_t b)
{
    return a == b ||
           (r->order[STRICT].clusters && cluster_of(&r->g->desc, a) == cluster_of(&r->g->desc, b));
}

void race_cluster_release(const struct race_cluster_block *of, uint32_t n)
{
    struct order_member member[GRID_CLUSTER_MAX];
    uint32_t live[GRID_CLUSTER_MAX][WARP_LANES] = { { 0 } };
    const struct cluster *c = NULL;
    struct race *r = NULL;

    for (uint32_t k = 0; k < n; k++) {
        struct block *b = of[k].block;

        for (uint32_t i = 0; b && i < b->n_warps; i++) {
            live[k][i] = b->warp[i].live;
        }
        c = b ? b->cluster : c;
        r = b ? b->warp[0].grid->race : r;
    }
    for (unsigned i = 0; i < race_relations(r); i++) {
        for (uint32_t k = 0; k < n; k++) {
            struct block *b = of[k].block;

            member[k] = (struct order_member){ .b = b ? b->race->order[i] : NULL,
                                               .number = c ? c->linear[k] : 0,
                                               .waiting = of[k].waiting,
                                               .live = live[k] };
            member[k].number = b ? b->linear : member[k].number;
        }
        order_cluster_release(&r->order[i], member, n);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (of[k].block) { /* what was accessed until here, all have waited for */
            of[k].block->race->free = 0;
            memset(of[k].block->race->remote, 0, sizeof(of[k].block->race->remote));
        }
    }
    race_tick(r);
}

void race_cluster_wait(struct warp *w, uint32_t lanes)
{
    struct race *r = w->grid->race;

    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        for (unsigned i = 0; i < race_relations(r); i++) {
            struct order_thread x = { w->block->race->order[i], w->id, lane_first(rest) };

            order_cluster_wait(&r->order[i], &x);
        }
    }
    race_tick(r);
}

/* --- shared memory of a block that has not begun, or has ended --- */

void race_remote(const struct race_access *x, struct shadow_record me, uint64_t va)
{
    const struct block *b = x->of, *owner = x->owner;
    const struct race_remote access = { me, va };
    struct order_thread now = race_thread(x, STRICT, (uint32_t)shadow_thread(me) % WARP_LANES);

    if (owner == b) {
        return;
    }
    owner->race->remote[b->rank] = access;
    if (!b->cluster->met && !order_met(&now, owner->linear)) {
        race_found_life(x->race, owner, &access, GRID_RACE_MISSING_BEGIN);
    }
}

/* Does a thread of the block know that the access was made? */
static bool block_knows(const struct block *b, struct shadow_record q)
{
    struct order_thread x = { b->race->order[STRICT], 0, 0 };
    bool knows = false;

    for (x.warp = 0; x.warp < b->n_warps; x.warp++) {
        for (x.lane = 0; x.lane < WARP_LANES && !knows; x.lane++) {
            knows = shadow_kind(q) & SHADOW_ASYNC
                        ? order_knows_copy(&x, shadow_thread(q), shadow_stamp(q))
                        : order_knows(&x, shadow_thread(q), shadow_stamp(q));
        }
    }
    return knows;
}

void race_block_end(struct block *b)
{
    struct race *r = b->warp[0].grid->race;

    for (uint32_t i = 0; i < (b->cluster && !r->stopped ? b->cluster->n : 0); i++) {
        const struct race_remote *access = &b->race->remote[i];

        if (access->access.when && !block_knows(b, access->access)) {
            race_found_life(r, b, access, GRID_RACE_MISSING_END);
        }
    }
}
