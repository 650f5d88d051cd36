/* SPDX-License-Identifier: MIT */
/* malloc() and free() of device code (heap.c), as accesses of the calling thread to the block: a
 * free is a store, which races with uses that nothing orders; what is allocated begins anew, as
 * malloc() gives no two threads the same bytes unless one has freed them. CUDA Programming Guide,
 * "Dynamic Global Memory Allocation and Operations", says nothing of order: inferred. */
#include "model/igpu/race/race_priv.h"

static bool always_ordered(const struct shadow_access *a, struct shadow_record earlier)
{
    (void)a;
    (void)earlier;
    return true;
}

static const struct shadow_judge begins_anew = { .ordered = always_ordered };

static void block_store(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va,
                        uint64_t bytes, const struct shadow_judge *judge)
{
    struct race *r = w->grid->race;
    struct race_access x;

    if (!r || r->stopped) {
        return;
    }
    race_access_begin(&x, w);
    x.shared = false;
    x.shadow.judge = judge ? judge : x.shadow.judge;
    x.shadow.me =
        shadow_record(r->now, SHADOW_WRITE, race_place(w, u), race_first_thread(w) + lane);
    r->cost += shadow_touch_known(r->global, &x.shadow, va, bytes);
}

void race_heap_malloc(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va,
                      uint64_t bytes)
{
    block_store(w, u, lane, va, bytes, &begins_anew);
}

void race_heap_free(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va,
                    uint64_t bytes)
{
    block_store(w, u, lane, va, bytes, NULL);
}
