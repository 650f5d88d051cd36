/* SPDX-License-Identifier: MIT */
/* What happens before what among the threads of a grid: PTX ISA, Memory Consistency Model, 8.8
 * and 8.9.
 *
 * One clock of the grid stamps accesses; the caller lets it tick after each event here, so that
 * what a thread does before and after one has different stamps. A thread holds: a stamp for its
 * block (barriers of the whole block cost one number), one for its warp, and a list (know.h) for
 * the rest. Where this is inexact it knows too much and not too little: a race may be missed, none
 * is invented. Pure: no grid, no memory.
 */
#ifndef MODEL_IGPU_RACE_ORDER_H
#define MODEL_IGPU_RACE_ORDER_H

#include <glib.h>

#include "model/igpu/race/know.h"

#define ORDER_LANES 32u
#define ORDER_BARRIERS 17u /* the last one of the cluster */

/* What an operation is beside its access, bits: 8.8 */
#define ORDER_ACQUIRE 1u
#define ORDER_RELEASE 2u

/* 8.5: the block; its cluster; all threads of the GPU. Those of the system are the same here. */
enum order_scope { ORDER_BLOCK, ORDER_CLUSTER, ORDER_ALL, ORDER_SCOPES };

struct order_block;

/**
 * struct order_grid - of a grid
 * @now: the clock; the caller's
 * @work: entries of lists that were visited, to bound it by
 * @clusters: of more than one block; else ORDER_CLUSTER is not asked for
 * @implied: each strong access acquires and releases: what is ordered so, and not otherwise, lacks
 * a fence
 * @sync: what strong stores have published, by address, of global memory; NULL until one does
 */
struct order_grid {
    const uint64_t *now;
    uint64_t work;
    bool implied, clusters;
    GHashTable *sync;
};

/* A thread: of @lane of @warp of @block */
struct order_thread {
    struct order_block *block;
    uint32_t warp, lane;
};

void order_init(struct order_grid *o, const uint64_t *now, bool implied);
void order_clear(struct order_grid *o);
struct order_block *order_block_new(uint32_t n_warps);
void order_block_free(struct order_block *b);
/* A block begins: its threads know nothing. @number: in linear order; @cluster: that of the first
 * one of its cluster */
void order_block_start(struct order_block *b, uint64_t number, uint64_t cluster);
/* How each struct order_block begins: what each access asks for */
struct order_block_head {
    uint64_t number, base;
};
static inline uint64_t order_block_base(const struct order_block *b)
{
    return ((const struct order_block_head *)(const void *)b)->base;
}
uint64_t order_warp_base(const struct order_block *b, uint32_t warp);

/* Does the access of @thread (know.h) at @stamp happen before what @x does now? Its own always
 * does. */
bool order_knows(const struct order_thread *x, uint64_t thread, uint64_t stamp);

/* Does it know of anything that the block, by number, has done? */
bool order_met(const struct order_thread *x, uint64_t block);

/* Would it, if @x had acquired what its strong reads have observed since they began? */
bool order_would_know(const struct order_thread *x, uint64_t thread, uint64_t stamp);

/* bar.warp.sync (9.7.13.2): "guarantees memory ordering among participating threads". @live: not
 * yet exited */
void order_warp_sync(struct order_grid *o, struct order_block *b, uint32_t warp, uint32_t lanes,
                     uint32_t live);
/* bar.sync, .red and .arrive synchronise with bar.sync and bar.red of the same barrier
 * (8.9.4, 9.7.13.1). */
void order_arrive(struct order_grid *o, struct order_block *b, uint32_t id, uint32_t warp,
                  uint32_t lanes);
/* It completes. @waiting, @live: lanes by warp; @all: no number of threads was given. Exited
 * threads have arrived. */
void order_release(struct order_grid *o, struct order_block *b, uint32_t id, bool all,
                   const uint32_t *waiting, const uint32_t *live);

/* barrier.cluster (9.7.13.3). An arrival, order_arrive() with ORDER_BARRIER_CLUSTER, which is this
 * as well: @apart: accesses may be between it and its wait; @relaxed: it does not release, and is
 * no order_arrive() */
#define ORDER_BARRIER_CLUSTER (ORDER_BARRIERS - 1u)
void order_cluster_arrive(struct order_grid *o, struct order_block *b, uint32_t warp,
                          uint32_t lanes, bool apart, bool relaxed);

/**
 * struct order_member - a block of the cluster when the barrier opens
 * @b: NULL: it has ended; @number: in linear order
 * @waiting, @live: lanes by warp
 */
struct order_member {
    struct order_block *b;
    uint64_t number;
    const uint32_t *waiting, *live;
};
void order_cluster_release(struct order_grid *o, const struct order_member *of, uint32_t n);
/* A wait behind that */
void order_cluster_wait(struct order_grid *o, const struct order_thread *x);

/* fence, membar (9.7.13.4). @what: ORDER_ACQUIRE, ORDER_RELEASE or both */
void order_fence(struct order_grid *o, const struct order_thread *x, enum order_scope scope,
                 unsigned what);

/**
 * struct order_access - a strong access
 * @reads: not of a reduction, whose read "does not form an acquire pattern" (8.8)
 * @rmw: an atomic operation: what was published there before stays (observation order, 8.9.2)
 * @what: ORDER_ACQUIRE, ORDER_RELEASE
 * @owner: whose shared memory it is in; NULL: global memory
 */
struct order_access {
    uint64_t va;
    struct order_block *owner;
    bool reads, writes, rmw;
    enum order_scope scope;
    unsigned what;
};
void order_strong(struct order_grid *o, const struct order_thread *x, const struct order_access *a);

/* cp.async (9.7.9.25.3): a copy is done once its issuer has waited for its group; bulk copies have
 * groups of their own (9.7.9.25.4), whose sources may be waited for alone. ORDER_KINDS: none, as
 * an mbarrier has it */
enum order_copies_kind { ORDER_COPIES, ORDER_BULK, ORDER_BULK_SOURCES, ORDER_KINDS };
void order_commit(const struct order_grid *o, const struct order_thread *x,
                  enum order_copies_kind kind);
/* @left: groups that may be pending; UINT32_MAX: wait_all, and copies that are in no group */
void order_wait(const struct order_grid *o, const struct order_thread *x,
                enum order_copies_kind kind, uint32_t left);
/* When the issuer had waited for its copy of @stamp; 0: it has not. */
uint64_t order_wait_done(const struct order_thread *issuer, enum order_copies_kind kind,
                         uint64_t stamp);

/* mbarrier (9.7.13.15): an arrival releases, a successful wait acquires. @at: of the object in
 * shared memory of @owner */
void order_mbarrier_arrive(struct order_grid *o, const struct order_thread *x,
                           struct order_block *owner, uint64_t at);
/* cp.async.mbarrier.arrive: the phase waits for the copies that @x has begun; its other accesses
 * are not released (9.7.13.15.14). */
void order_mbarrier_copies(struct order_grid *o, const struct order_thread *x,
                           struct order_block *owner, uint64_t at);
/* Has @x, or a thread before it, passed such a phase of the copy of @issuer at @stamp? */
bool order_knows_copy(const struct order_thread *x, uint64_t issuer, uint64_t stamp);
/* The phase is complete. @live: lanes by warp */
void order_mbarrier_complete(struct order_grid *o, struct order_block *b, uint64_t at,
                             const uint32_t *live);
void order_mbarrier_wait(struct order_grid *o, const struct order_thread *x,
                         struct order_block *owner, uint64_t at);

#endif
