/* SPDX-License-Identifier: MIT */
/* What order.c and order_sync.c share. */
#ifndef MODEL_IGPU_RACE_ORDER_PRIV_H
#define MODEL_IGPU_RACE_ORDER_PRIV_H

#include "model/igpu/race/order.h"

#define ORDER_GROUPS 16u /* of cp.async, that a lane remembers */
#define ORDER_WAITS 8u

/* What a release gives: the thread's own accesses up to @stamp, and what it knew */
struct order_fence {
    uint64_t stamp, base, warp_base;
    struct know *know;
};

/* Of one lane's asynchronous copies of a kind: groups by when they were committed; waits: copies up
 * to @upto were done at @stamp */
struct order_copies {
    uint64_t commit[ORDER_GROUPS];
    uint32_t n_commits, n_waits;
    struct order_wait {
        uint64_t upto, stamp;
    } wait[ORDER_WAITS];
};

/**
 * struct order_lane
 * @know: if @own; else the block's
 * @seen: by scope, what strong reads have observed since it began: an acquire makes it known;
 * @seen_at: the last one's address
 * @released: by scope, the last release
 */
struct order_lane {
    struct know *know;
    bool own;
    struct know *seen[ORDER_SCOPES];
    uint64_t seen_at;
    struct order_fence released[ORDER_SCOPES];
    struct order_copies *copies; /* ORDER_KINDS of them, NULL until the first */
};

struct order_warp {
    uint64_t base;
    struct order_lane *lane; /* NULL until a lane needs it */
};

/* @lanes, @stamp: by warp, the lanes that have arrived, and the stamp of their arrival; @used: some
 * have */
struct order_barrier {
    struct know *know;
    bool used;
    uint32_t *lanes;
    uint64_t *stamp;
};

/**
 * struct order_block
 * @base: all threads know of each other up to here; @any: a lane has knowledge of its own
 * @apart: a thread has arrived at the cluster's barrier and may access memory before its wait;
 * @over: what its last phase gives
 * @sync: as of struct order, of shared memory; @mbarrier: struct order_mbarrier by address
 */
struct order_block {
    uint64_t number, base, cluster;
    uint32_t n_warps;
    struct know *know, *over;
    bool any, apart;
    struct order_warp *warp;
    struct order_barrier barrier[ORDER_BARRIERS];
    GHashTable *sync, *mbarrier;
};

_Static_assert(offsetof(struct order_block, base) == offsetof(struct order_block_head, base),
               "order_block_base()");

struct order_mbarrier {
    struct order_barrier arrived;
    struct know *over; /* what the last complete phase gives */
};

static inline uint64_t order_id(const struct order_thread *x)
{
    return x->block->number << KNOW_THREAD_BITS | x->warp << KNOW_WARP_BITS | x->lane;
}

/* The scope behind @i */
static inline unsigned order_wider(const struct order_grid *o, unsigned i)
{
    return i == ORDER_BLOCK && !o->clusters ? ORDER_ALL : i + 1;
}

/* What a release of @x gives now; the list is a reference. */
struct order_fence order_fence_take(const struct order_grid *o, const struct order_thread *x);
/* Adds to @k, which is consumed, what the fence @f of @x gives. */
struct know *order_fence_give(struct order_grid *o, const struct order_thread *x,
                              const struct order_fence *f, struct know *k);
/* The whole block: from now on all its threads know the same, and what @bar has collected. */
void order_release_all(struct order_grid *o, struct order_block *b,
                       const struct order_barrier *bar);
struct order_lane *order_lane(const struct order_thread *x);
struct know *order_lane_know(const struct order_thread *x);
/* From now on @x knows @k, too. */
void order_take(struct order_grid *o, const struct order_thread *x, struct know *k);
void order_arrival_clear(struct order_barrier *bar, uint32_t n_warps);
void order_arrival_add(struct order_grid *o, struct order_block *b, struct order_barrier *bar,
                       uint32_t warp, uint32_t lanes);
/* Consumes @k. The arrivals are whole warps where all living lanes of one have arrived. */
struct know *order_arrival_know(struct order_grid *o, const struct order_block *b,
                                const struct order_barrier *bar, const uint32_t *live,
                                struct know *k);
void order_mbarrier_free(void *p);
void order_sync_free(void *p);

#endif
