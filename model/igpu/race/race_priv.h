/* SPDX-License-Identifier: MIT */
/* What race.c, race_found.c and warp_race.c share. */
#ifndef MODEL_IGPU_RACE_RACE_PRIV_H
#define MODEL_IGPU_RACE_RACE_PRIV_H

#include "model/igpu/race/order.h"
#include "model/igpu/race/race.h"
#include "model/igpu/race/shadow.h"

/* The relation, and the same with a fence at each strong access */
enum { STRICT, IMPLIED, RELATIONS };

/* The last strong reads of a warp's lanes: what a lane has observed there up to its stamp happens
 * before what it does next (8.9.5). @when: by lane, stamp << 1 | in shared memory; 0: none */
#define RACE_READS 4u
struct race_reads {
    uint64_t va[RACE_READS][WARP_LANES], when[RACE_READS][WARP_LANES];
    uint32_t next[WARP_LANES];
};

/* A load of shared memory by whole warps, of the same places: by how many of them since the
 * block's barrier at @base and since shadow_stores() was @stores; two at most are counted. @what:
 * its shape */
#define RACE_LOADS 64u
struct race_load {
    const struct ptx_uop *u;
    uint64_t base, stores, va[2];
    uint32_t warp;
    uint8_t warps, what;
};

/* Accesses to shared memory that nothing can race with until the block's next barrier, as all its
 * threads run code without others (region.h), bits */
#define RACE_FREE_LOADS 1u
#define RACE_FREE_ATOMICS 2u

/* The last access by the block of a rank to the shared memory of another one; all 0: none */
struct race_remote {
    struct shadow_record access;
    uint64_t address;
};

/* @reads: by warp; NULL until a lane has read so; @free: RACE_FREE_; @remote: by rank, accesses by
 * other blocks of the cluster */
struct race_block {
    struct order_block *order[RELATIONS];
    struct shadow *shared;
    struct race_reads *reads;
    struct race_load load[RACE_LOADS];
    uint8_t free;
    struct race_remote remote[GRID_CLUSTER_MAX];
};

/**
 * struct race - of a grid
 * @now: the clock; @first: by function, places of its instructions from there on
 * @released: a thread has released something; @stopped: the rest is not checked
 * @cost: of accesses, see race_cost(); @events: the clock when checks began
 * @settled: only barriers of whole blocks can order its threads
 * @observes: what a strong access reads is used, so that fences could order more (@order[IMPLIED])
 * @region: of the entry (region.h), if @settled; NULL: not known
 * @found: struct grid_race; @index: of them by pair of places
 */
struct race {
    struct grid *g;
    uint64_t now, *first, cost, events;
    bool lockstep, released, stopped, settled, observes;
    uint8_t *region;
    struct order_grid order[RELATIONS];
    struct shadow *global;
    GArray *found;
    GHashTable *index;
    struct race_unit {
        struct warp *w;
        const struct ptx_uop *u;
        uint32_t kind;
    } unit; /* race_tex_begin() */
};

/* One lane's access while it is being checked; @warp: its number in the block; @of: that; @owner:
 * whose shared memory it is, if @shared */
struct race_access {
    struct race *race;
    struct shadow_access shadow;
    const struct race_block *block;
    struct block *of, *owner;
    uint32_t warp;
    bool shared;
};

static inline struct order_thread race_thread(const struct race_access *x, unsigned relation,
                                              uint32_t lane)
{
    return (struct order_thread){ x->block->order[relation], x->warp, lane };
}

/* race_found.c */
extern const struct shadow_judge race_judge;

/* An access of @w is about to be checked; its record is the caller's. */
static inline void race_access_begin(struct race_access *x, const struct warp *w)
{
    struct race *r = w->grid->race;
    const struct race_block *b = w->block->race;

    x->race = r;
    x->block = b;
    x->of = x->owner = w->block;
    x->warp = w->id;
    x->shadow.base = order_block_base(b->order[STRICT]);
    x->shadow.warp_base = r->lockstep  ? r->now - 1
                          : r->settled ? 0 /* no barrier of a warp */
                                       : order_warp_base(b->order[STRICT], w->id);
    x->shadow.settled = r->settled;
    x->shadow.judge = &race_judge;
    x->shadow.opaque = x;
}

static inline uint64_t race_place(const struct warp *w, const struct ptx_uop *u)
{
    const struct race *r = w->grid->race;

    return r->first[w->frame->code - r->g->program->program->code] + u->inst;
}

static inline uint64_t race_first_thread(const struct warp *w)
{
    return w->block->linear << KNOW_THREAD_BITS | (uint64_t)w->id << KNOW_WARP_BITS;
}

/* Of a strong access or a fence, SHADOW_OF_; 0: it is weak. Where each block is its own cluster,
 * that scope is the block's (8.5). */
static inline uint32_t race_scope(const struct race *r, const struct ptx_uop *u)
{
    if (u->scope == PTX_SCOPE_NONE) {
        return 0;
    }
    return u->scope == PTX_SCOPE_CTA         ? SHADOW_OF_BLOCK
           : !(u->order & PTX_ORDER_CLUSTER) ? SHADOW_OF_ALL
           : r->order[STRICT].clusters       ? SHADOW_OF_CLUSTER
                                             : SHADOW_OF_BLOCK;
}

static inline enum order_scope race_order_scope(const struct race *r, const struct ptx_uop *u)
{
    uint32_t scope = race_scope(r, u);

    return scope == SHADOW_OF_BLOCK     ? ORDER_BLOCK
           : scope == SHADOW_OF_CLUSTER ? ORDER_CLUSTER
                                        : ORDER_ALL;
}

/* race_cluster.c: are two blocks, by number, of one cluster? Each of its own: only if they are one
 */
bool race_same_cluster(const struct race *r, uint64_t a, uint64_t b);
/* An access @me at @va to the shared memory of @x->owner, if that is another block's: "it is
 * required that all thread blocks have started executing", and that they have not ended
 * (Programming Guide, distributed shared memory). */
void race_remote(const struct race_access *x, struct shadow_record me, uint64_t va);
/* race_found.c: a row of such an access; @missing: GRID_RACE_MISSING_BEGIN or _END */
void race_found_life(struct race *r, const struct block *owner, const struct race_remote *access,
                     uint8_t missing);

static inline bool race_implies(const struct race *r)
{
    return r->order[IMPLIED].implied;
}

/* race.c. After an event: later accesses have another stamp. What costs too much ends here. */
void race_tick(struct race *r);
/* How many relations are kept now */
unsigned race_relations(const struct race *r);
/* An instruction that orders and accesses nothing, if @u is one */
void race_order_uop(struct warp *w, const struct ptx_uop *u, enum ptx_uop_op op, uint32_t m);
void race_found_free(struct race *r);

#endif
