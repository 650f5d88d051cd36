/* SPDX-License-Identifier: MIT */
/* Blocks none of whose threads can ever go on: a barrier, or the phase of an mbarrier, that nothing
 * is left to complete. Threads of other blocks of the cluster can, so that a cluster is asked as a
 * whole. */
#include "model/igpu/sm.h"

/* Nothing of this block could run in a whole round. Return: a warp could, but only repeats itself
 */
static bool block_spins(const struct block *b)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        if (warp_runnable(&b->warp[i])) {
            return true;
        }
    }
    return false;
}

/* Lanes that wait for lanes of their own warp first: barriers wait for those. */
static void block_deadlock(struct block *b)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        if (b->warp[i].live && meet_fault(&b->warp[i])) {
            return;
        }
    }
    for (uint32_t i = 0; i < b->n_warps; i++) {
        struct warp *w = &b->warp[i];

        if (w->live) {
            const struct fragment *x = &w->fragment[0];

            w->frame = x->frame;
            w->code = x->frame->code->uop;
            sm_fault(w, &x->frame->code->uop[x->pc], GRID_FAULT_BARRIER, lane_first(x->mask), 0, 0,
                     false, "waits at a barrier that the other threads of the block never reach");
            return;
        }
    }
}

/* A warp that only repeats waits for an mbarrier, which lies in shared memory, and asks nothing
 * outside the block */
static bool warp_waits(const struct warp *w)
{
    const struct spin *s = &w->spin;

    return warp_runnable(w) && warp_spins(w) && !s->memory &&
           (s->repeats && !s->clock ? s->in_vain > 0 : s->in_vain >= VAIN_WAITS_MAX);
}

/* Every warp of a block waits, one of them for an mbarrier: no thread is left to arrive there.
 * Return: that one */
static struct warp *block_waits(struct block *b)
{
    struct warp *waits = NULL;

    for (uint32_t i = 0; i < b->n_warps; i++) {
        struct warp *w = &b->warp[i];

        if (warp_waits(w)) {
            waits = waits ? waits : w;
        } else if (w->live && warp_runnable(w)) {
            return NULL;
        }
    }
    return waits;
}

static bool fragment_waits(const struct fragment *x)
{
    const struct ptx_code *code = x->frame->code;

    return x->wait == WAIT_NONE && x->pc && code->uop[x->pc - 1].op == PTX_UOP_MBARRIER_WAIT;
}

/* Its turn has ended behind the wait, or somewhere else in the loop around it. */
static void warp_deadlock(struct warp *w)
{
    const struct fragment *x = NULL;
    bool behind = false;

    for (uint32_t i = 0; i < w->n_fragments && !behind; i++) {
        x = !x && w->fragment[i].wait == WAIT_NONE ? &w->fragment[i] : x;
        behind = fragment_waits(&w->fragment[i]);
        x = behind ? &w->fragment[i] : x;
    }
    w->frame = x->frame;
    w->code = x->frame->code->uop;
    sm_fault(w, &w->code[x->pc - behind], GRID_FAULT_BARRIER, lane_first(x->mask), 0, 0, false,
             "waits for a phase of an mbarrier that no thread completes");
}

/* Return: false: a thread of it may still come */
static bool block_is_dead(struct block *b)
{
    return block_waits(b) || !block_spins(b);
}

bool deadlock_fault(struct block *b)
{
    struct block *one[] = { b }, *const *members = b->cluster ? b->cluster->block : one;
    struct warp *waits;

    for (uint32_t i = 0; i < (b->cluster ? b->cluster->n : 1); i++) {
        if (members[i] && !block_is_dead(members[i])) {
            return false;
        }
    }
    waits = block_waits(b);
    if (waits) {
        warp_deadlock(waits);
    } else {
        block_deadlock(b);
    }
    return true;
}
