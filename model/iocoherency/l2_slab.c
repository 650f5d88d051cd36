/* SPDX-License-Identifier: MIT */
/* The memory of the L2's lines. */
#include "model/iocoherency/l2_internal.h"

static void slab_make(struct l2_slab *slab)
{
    uintptr_t at;

    slab->memory = g_malloc0(SLAB_LINES * sizeof(struct l2_cell) + L2_HOST_LINE);
    at = ((uintptr_t)slab->memory + L2_HOST_LINE - 1) & ~(uintptr_t)(L2_HOST_LINE - 1);
    slab->cell = (struct l2_cell *)at;
}

void l2_slabs_reach(struct l2 *l2, uint32_t line)
{
    uint32_t need = line / SLAB_LINES + 1;

    if (need > l2->n_slabs) {
        l2->slab = g_renew(struct l2_slab, l2->slab, need);
        while (l2->n_slabs < need) {
            slab_make(&l2->slab[l2->n_slabs++]);
        }
    }
}
