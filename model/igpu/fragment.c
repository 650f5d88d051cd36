/* SPDX-License-Identifier: MIT */
/* The fragments of a warp: lanes that stand at one place, and what they wait for. See sm.h. */
#include "model/igpu/sm.h"
#include <glib.h>

static struct fragment *fragment_find(struct warp *w, const struct frame *f, uint32_t pc,
                                      enum wait wait)
{
    for (uint32_t i = 0; i < w->n_fragments; i++) {
        struct fragment *x = &w->fragment[i];
        bool same_wait = wait == WAIT_BARRIER ? x->wait == WAIT_BARRIER : x->wait != WAIT_BARRIER;

        if (x->frame == f && x->pc == pc && same_wait) {
            return x;
        }
    }
    return NULL;
}

static struct fragment *fragment_put(struct warp *w, struct frame *f, uint32_t pc, uint32_t mask,
                                     enum wait wait)
{
    struct fragment *x = fragment_find(w, f, pc, wait);

    if (x) {
        x->mask |= mask;
        return x;
    }
    g_assert(w->n_fragments < G_N_ELEMENTS(w->fragment)); /* masks are disjoint and not empty */
    x = &w->fragment[w->n_fragments++];
    *x = (struct fragment){ .frame = f, .pc = pc, .mask = mask, .stamp = w->stamp };
    return x;
}

/* Lanes that can go on at @pc; lanes that wait there for others look again together with them. */
void fragment_add(struct warp *w, struct frame *f, uint32_t pc, uint32_t mask)
{
    fragment_put(w, f, pc, mask, WAIT_NONE)->wait = WAIT_NONE;
}

void fragment_wait(struct warp *w, struct frame *f, uint32_t pc, uint32_t mask, enum wait wait,
                   uint32_t barrier)
{
    struct fragment *x = fragment_put(w, f, pc, mask, wait);

    x->wait = (uint8_t)wait;
    x->barrier = (uint8_t)barrier;
}

void warp_wake(struct warp *w)
{
    for (uint32_t i = 0; i < w->n_fragments; i++) {
        if (w->fragment[i].wait == WAIT_WARP) {
            w->fragment[i].wait = WAIT_NONE;
        }
    }
}

bool warp_runnable(const struct warp *w)
{
    for (uint32_t i = 0; i < w->n_fragments; i++) {
        if (w->fragment[i].wait == WAIT_NONE) {
            return true;
        }
    }
    return false;
}
