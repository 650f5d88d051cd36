/* SPDX-License-Identifier: MIT */
/* Block barriers, PTX ISA 9.7.13.1: sixteen of them, for the whole block or for a number of
 * threads.
 *
 * Threads that have exited count as arrived where the whole block is meant. Where a number is
 * given, a warp whose living lanes are all here counts as 32, since the number is a multiple of
 * that.
 */
#include "model/igpu/race/race.h"
#include <string.h>

#define OF_CLUSTER (1u << PTX_BAR_OF_CLUSTER)

static uint32_t *barrier_lanes(const struct block *b, uint32_t id, uint32_t warp)
{
    return &b->arrived[id * b->n_warps + warp];
}

void barrier_reduce(struct warp *w, uint32_t id, uint32_t lanes, uint32_t values)
{
    struct barrier *bar = &w->block->barrier[id];

    bar->popc += lanes_count(values & lanes);
    bar->voters += lanes_count(lanes);
}

void barrier_arrive(struct warp *w, const struct ptx_uop *u, uint32_t id, uint32_t expected,
                    uint32_t lanes)
{
    struct barrier *bar = &w->block->barrier[id];

    w->block->open |= 1u << id;
    bar->expected = expected;
    *barrier_lanes(w->block, id, w->id) |= lanes;
    if (id == PTX_BAR_OF_CLUSTER && w->block->cluster) {
        w->block->cluster->arrived = true;
    }
    if (w->grid->race) {
        race_arrive(w, u, id, lanes);
    }
}

uint32_t barrier_pending(const struct warp *w)
{
    return *barrier_lanes(w->block, PTX_BAR_OF_CLUSTER, w->id);
}

static bool barrier_complete(const struct block *b, uint32_t id)
{
    uint32_t expected = b->barrier[id].expected, total = 0;

    /* From the last warp on: warps arrive in their order, mostly, and this is asked after each. */
    for (uint32_t i = b->n_warps; i-- > 0;) {
        uint32_t here = *barrier_lanes(b, id, i), missing = b->warp[i].live & ~here;

        if (!expected && missing) {
            return false;
        }
        total += here ? (missing ? lanes_count(here) : WARP_LANES) : 0;
    }
    return total >= expected;
}

static const struct ptx_uop *fragment_uop(const struct fragment *x)
{
    return &x->frame->code->uop[x->pc];
}

static bool waits_at(const struct fragment *x, uint32_t id)
{
    return x->wait == WAIT_BARRIER && x->barrier == id;
}

/* bar.red: the value for each waiting thread */
static void barrier_result(const struct barrier *bar, struct fragment *x)
{
    const struct ptx_uop *u = fragment_uop(x);
    uint32_t *d = (uint32_t *)(void *)(x->frame->rf + u->d);

    if (u->op == PTX_UOP_BAR_RED_POPC) {
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            d[l] = x->mask >> l & 1 ? bar->popc : d[l];
        }
    } else if (u->op == PTX_UOP_BAR_RED_PRED) {
        bool value = u->sub ? bar->popc > 0 : bar->popc == bar->voters;

        *d = value ? *d | x->mask : *d & ~x->mask;
    }
}

/* An aligned barrier that a part of a warp has reached at one instruction and another part at
 * another: in code that diverges PTX leaves open what it does. The first time counts. */
static void barrier_look(const struct warp *w, uint32_t id)
{
    const struct fragment *first = NULL;
    struct grid *g = w->grid;

    for (uint32_t k = 0; k < w->n_fragments && !g->split[0]; k++) {
        const struct fragment *x = &w->fragment[k];

        if (!waits_at(x, id) || !(fragment_uop(x)->flags & PTX_BAR_ALIGNED)) {
            continue;
        }
        if (first && fragment_uop(first) != fragment_uop(x)) {
            uint64_t a = sm_place(first->frame->code, fragment_uop(first)->inst);
            uint64_t other = sm_place(x->frame->code, fragment_uop(x)->inst);

            g->split[0] = (a < other ? a : other) + 1;
            g->split[1] = a < other ? other : a;
        }
        first = x;
    }
}

/* Who waits, by warp. Return: at which instruction all of them do; NULL: there is none */
static const struct ptx_uop *barrier_waiting(const struct block *b, uint32_t id, uint32_t *waiting)
{
    const struct ptx_uop *at = NULL;
    bool one = true;

    for (uint32_t i = 0; i < b->n_warps; i++) {
        for (uint32_t k = 0; k < b->warp[i].n_fragments; k++) {
            const struct fragment *x = &b->warp[i].fragment[k];

            if (waits_at(x, id)) {
                waiting[i] |= x->mask;
                one = one && (!at || at == fragment_uop(x));
                at = fragment_uop(x);
            }
        }
    }
    return one ? at : NULL;
}

static void barrier_order(struct block *b, uint32_t id)
{
    uint32_t waiting[WARP_LANES] = { 0 };
    const struct ptx_uop *at = barrier_waiting(b, id, waiting);

    race_release(b, id, waiting, at ? at->inst : RACE_NOWHERE);
}

/* Those that wait go on. */
static void barrier_open(struct block *b, uint32_t id)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        barrier_look(&b->warp[i], id);
    }
    for (uint32_t i = 0; i < b->n_warps; i++) {
        struct warp *w = &b->warp[i];

        if (w->n_fragments == 1 && waits_at(&w->fragment[0], id)) { /* nearly always */
            barrier_result(&b->barrier[id], &w->fragment[0]);
            w->fragment[0].wait = WAIT_NONE;
            w->fragment[0].pc++;
            w->fragment[0].stamp = w->stamp;
        }
        for (uint32_t k = 0; k < w->n_fragments;) {
            struct fragment x = w->fragment[k];

            if (!waits_at(&x, id)) {
                k++;
                continue;
            }
            barrier_result(&b->barrier[id], &x);
            w->fragment[k] = w->fragment[--w->n_fragments];
            fragment_add(w, x.frame, x.pc + 1, x.mask);
            k = 0; /* the list has changed */
        }
        *barrier_lanes(b, id, i) = 0;
    }
    b->barrier[id] = (struct barrier){ 0 };
    b->open &= ~(1u << id);
}

static void barrier_release(struct block *b, uint32_t id)
{
    if (b->warp[0].grid->race) {
        barrier_order(b, id);
    }
    clock_barrier(&b, 1, id);
    barrier_open(b, id);
}

/* --- of the cluster, 9.7.13.3: it waits for "all non-exited threads of the cluster" --- */

static void cluster_release(struct block *const *blocks, uint32_t n)
{
    struct race_cluster_block of[GRID_CLUSTER_MAX];

    for (uint32_t i = 0; i < n; i++) {
        memset(&of[i], 0, sizeof(of[i]));
        of[i].block = blocks[i];
        if (blocks[i]) {
            barrier_waiting(blocks[i], PTX_BAR_OF_CLUSTER, of[i].waiting);
        }
    }
    race_cluster_release(of, n);
}

static void cluster_check(struct block *b)
{
    struct cluster *c = b->cluster;
    struct block *const *blocks = c ? c->block : &b;
    uint32_t n = c ? c->n : 1;

    for (uint32_t i = 0; i < n; i++) {
        if (blocks[i] && !barrier_complete(blocks[i], PTX_BAR_OF_CLUSTER)) {
            return;
        }
    }
    if (b->warp[0].grid->race) {
        cluster_release(blocks, n);
    }
    clock_barrier(blocks, n, PTX_BAR_OF_CLUSTER);
    for (uint32_t i = 0; i < n; i++) {
        if (blocks[i]) {
            barrier_open(blocks[i], PTX_BAR_OF_CLUSTER);
        }
    }
    if (c) {
        c->arrived = false;
        c->met = true;
    }
}

/* After an arrival or an exit: open what is complete. */
void barrier_check(struct block *b)
{
    for (uint32_t open = b->open & (OF_CLUSTER - 1); open; open &= open - 1) {
        uint32_t id = lane_first(open);

        if (barrier_complete(b, id)) {
            barrier_release(b, id);
        }
    }
    if (b->cluster ? b->cluster->arrived : b->open & OF_CLUSTER) {
        cluster_check(b);
    }
}
