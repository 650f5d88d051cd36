/* SPDX-License-Identifier: MIT */
/* A warp: which of its fragments runs, and the loop that runs it. See sm.h. */
#include "model/igpu/native.h"
#include "model/igpu/race/race.h"
#include <glib.h>
#include <string.h>

/* Backward branches of one fragment before the others get a chance */
#define FRAGMENT_QUOTA 256

/* The innermost frame first, there the lowest place; or, to be fair, whoever waited longest. */
static struct fragment *warp_pick(struct warp *w, bool fair)
{
    struct fragment *best = NULL;

    for (uint32_t i = 0; i < w->n_fragments; i++) {
        struct fragment *x = &w->fragment[i];
        bool better;

        if (x->wait != WAIT_NONE) {
            continue;
        }
        if (!best) {
            better = true;
        } else if (fair) {
            better = x->stamp < best->stamp;
        } else {
            better = x->frame->depth != best->frame->depth ? x->frame->depth > best->frame->depth
                                                           : x->pc < best->pc;
        }
        best = better ? x : best;
    }
    return best;
}

/* Where the running fragment must stop: the next place ahead at which others of its frame are. */
static const struct ptx_uop *warp_stop(const struct warp *w)
{
    uint32_t stop = w->frame->code->n_uops;

    for (uint32_t i = 0; i < w->n_fragments; i++) {
        const struct fragment *x = &w->fragment[i];

        if (x->frame == w->frame && x->pc > w->pc && x->pc < stop) {
            stop = x->pc;
        }
    }
    return w->code + stop;
}

static void warp_take(struct warp *w, struct fragment *x)
{
    w->frame = x->frame;
    w->pc = x->pc;
    w->active = x->mask;
    w->code = x->frame->code->uop;
    w->counted_from = w->code[w->pc].inst;
    *x = w->fragment[--w->n_fragments];
    w->stop = warp_stop(w);
    w->event = EVENT_NONE;
    w->stamp++;
}

/* The interpreter's inner loop: a micro-op's mask, its handler, the next one. */
static void warp_run(struct warp *w)
{
    sm_handler *const *table = sm_handlers;
    const struct ptx_uop *u = w->code + w->pc;
    uint8_t *rf = w->frame->rf;
    uint32_t active = w->active;

    do {
        uint32_t m = active & (*(const uint32_t *)(const void *)(rf + u->guard) ^ u->guard_xor);

        u = m ? table[u->op](w, u, rf, m) : u + 1;
    } while (u < w->stop);
    w->pc = (uint32_t)(u - w->code);
}

/* The same with each micro-op shown to the checker of races first; compiled code is not used. */
static void warp_run_checked(struct warp *w)
{
    sm_handler *const *table = sm_handlers;
    const struct ptx_uop *u = w->code + w->pc;
    uint8_t *rf = w->frame->rf;
    uint32_t active = w->active;

    do {
        uint32_t m = active & (*(const uint32_t *)(const void *)(rf + u->guard) ^ u->guard_xor);
        uint32_t op = u->op == PTX_UOP_NATIVE ? native_code_of(w)->op[u - w->code] : u->op;

        if (m && race_ops[op]) {
            race_uop(w, u, (enum ptx_uop_op)op, rf, m);
        }
        u = m ? table[op](w, u, rf, m) : u + 1;
    } while (u < w->stop);
    w->pc = (uint32_t)(u - w->code);
}

void warp_turn(struct warp *w, int64_t insts)
{
    void (*run)(struct warp *) = w->grid->race ? warp_run_checked : warp_run;
    bool fair = false;

    w->turn_insts = insts;
    w->quota = FRAGMENT_QUOTA;
    while (w->turn_insts > 0) {
        struct fragment *x = warp_pick(w, fair);

        if (!x) {
            if (!warp_meet(w)) {
                return;
            }
            continue;
        }
        warp_take(w, x);
        run(w);
        if (w->event == EVENT_FAULT) {
            return;
        }
        if (w->event == EVENT_NONE) {
            warp_count(w, w->code[w->pc].inst);
            fragment_add(w, w->frame, w->pc, w->active);
        }
        fair = w->quota <= 0;
        if (fair) {
            w->quota = FRAGMENT_QUOTA;
        }
    }
}

void warp_start(struct warp *w, uint32_t lanes)
{
    struct frame *f;

    w->live = lanes;
    w->n_fragments = 0;
    w->stamp = 0;
    w->effects = 0;
    w->event = EVENT_NONE;
    memset(&w->spin, 0, sizeof(w->spin));
    if (w->local) {
        memset(w->local, 0, (size_t)w->local_stride * WARP_LANES);
    }
    f = frame_new(w, w->grid->entry, NULL, lanes);
    if (f) {
        fragment_add(w, f, 0, lanes);
    } else {
        w->frame = NULL;
        sm_fault(w, NULL, GRID_FAULT_STACK, 0, 0, w->grid->entry->local_bytes, false,
                 "the kernel needs more local memory than a thread can have");
    }
}
