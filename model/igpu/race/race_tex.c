/* SPDX-License-Identifier: MIT */
/* What the texture unit accesses for a warp, of textures and of surfaces; see race.h. */
#include "model/igpu/race/race_priv.h"

void race_tex_begin(struct warp *w, const struct ptx_uop *u, enum race_tex what)
{
    static const uint32_t kinds[] = {
        [RACE_TEX_LOAD] = 0,
        [RACE_TEX_STORE] = SHADOW_WRITE,
        [RACE_TEX_REDUCE] = SHADOW_WRITE | SHADOW_ATOMIC | SHADOW_OF_ALL,
    };
    struct race *r = w->grid->race;

    r->unit = (struct race_unit){ w, u, kinds[what] };
    if (r->lockstep || what == RACE_TEX_REDUCE) {
        r->now++; /* as race_uop() has it */
    }
}

void race_tex_touch(void *grid, unsigned lane, uint64_t va, unsigned bytes)
{
    struct race *r = ((struct grid *)grid)->race;
    unsigned log2 = (unsigned)__builtin_ctz(bytes | 16u);
    bool even = bytes == 1u << log2 && va % bytes == 0;
    struct race_access x;

    if (!r || r->stopped || !r->unit.w) {
        return;
    }
    race_access_begin(&x, r->unit.w);
    x.shared = false;
    x.shadow.me =
        shadow_record(r->now, r->unit.kind | log2 << SHADOW_SIZE_SHIFT,
                      race_place(r->unit.w, r->unit.u), race_first_thread(r->unit.w) + lane);
    r->cost += shadow_touch(r->global, &x.shadow, va, bytes, even ? log2 : SHADOW_ONE, NULL);
}
