/* SPDX-License-Identifier: MIT */
/* What asynchronous copies access whose bytes no register says; see race.h. */
#include "model/igpu/race/race_priv.h"

void race_copy(struct warp *w, const struct ptx_uop *u, uint32_t lane, bool store, bool shared,
               uint64_t va, uint64_t bytes)
{
    uint32_t kind = SHADOW_ASYNC | (store ? SHADOW_WRITE : 0);
    struct race *r = w->grid->race;
    struct race_access x;

    if (!r || r->stopped || !bytes) {
        return;
    }
    race_access_begin(&x, w);
    x.shared = shared;
    x.owner = shared ? cluster_owner(w->block, &va) : w->block;
    if (!x.owner) {
        return;
    }
    x.shadow.me = shadow_record(r->now, kind, race_place(w, u), race_first_thread(w) + lane);
    race_remote(&x, x.shadow.me, va);
    r->cost += shadow_touch(shared ? x.owner->race->shared : r->global, &x.shadow, va,
                            (uint32_t)bytes, SHADOW_ONE, NULL);
}
