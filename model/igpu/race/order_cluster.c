/* SPDX-License-Identifier: MIT */
/* The barrier of a cluster of blocks, PTX ISA 9.7.13.3; see order.h. */
#include "model/igpu/race/order_priv.h"

void order_cluster_arrive(struct order_grid *o, struct order_block *b, uint32_t warp,
                          uint32_t lanes, bool apart, bool relaxed)
{
    if (!relaxed) {
        order_arrive(o, b, ORDER_BARRIER_CLUSTER, warp, lanes);
    }
    b->apart = b->apart || apart || relaxed;
}

/* Adds to @k, which is consumed, what the threads of @m have released. Nothing is between the
 * arrivals and the waits of most: then all that the block has done, which is one entry. */
static struct know *member_give(struct order_grid *o, const struct order_member *m, struct know *k)
{
    uint64_t first = m->number << KNOW_THREAD_BITS;
    const struct order_barrier *bar;

    if (!m->b) {
        return know_add(k, know_block(first), *o->now, &o->work);
    }
    bar = &m->b->barrier[ORDER_BARRIER_CLUSTER];
    k = know_join(k, m->b->know, &o->work);
    k = know_join(k, bar->know, &o->work);
    if (!m->b->apart) {
        return know_add(k, know_block(first), *o->now, &o->work);
    }
    k = order_arrival_know(o, m->b, bar, m->live, k);
    for (uint32_t i = 0; i < m->b->n_warps; i++) { /* warps that have exited before */
        if (!m->live[i]) {
            k = know_add(k, know_warp(first | i << KNOW_WARP_BITS), *o->now, &o->work);
        }
    }
    return k;
}

static bool all_wait(const struct order_member *m)
{
    for (uint32_t i = 0; i < m->b->n_warps; i++) {
        if (m->waiting[i] != m->live[i]) {
            return false;
        }
    }
    return !m->b->apart;
}

static void member_take(struct order_grid *o, const struct order_member *m, struct know *k)
{
    struct order_barrier *bar = &m->b->barrier[ORDER_BARRIER_CLUSTER];

    know_drop(m->b->over);
    m->b->over = know_ref(k);
    if (all_wait(m)) {
        bar->know = know_join(bar->know, k, &o->work);
        order_release_all(o, m->b, bar);
    } else {
        for (uint32_t i = 0; i < m->b->n_warps; i++) {
            for (uint32_t rest = m->waiting[i]; rest; rest &= rest - 1) {
                order_take(o, &(struct order_thread){ m->b, i, (uint32_t)__builtin_ctz(rest) }, k);
            }
        }
    }
    order_arrival_clear(bar, m->b->n_warps);
    m->b->apart = false;
}

void order_cluster_release(struct order_grid *o, const struct order_member *of, uint32_t n)
{
    struct know *k = NULL;

    for (uint32_t i = 0; i < n; i++) {
        k = member_give(o, &of[i], k);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (of[i].b) {
            member_take(o, &of[i], k);
        }
    }
    know_drop(k);
}

void order_cluster_wait(struct order_grid *o, const struct order_thread *x)
{
    order_take(o, x, x->block->over);
}
