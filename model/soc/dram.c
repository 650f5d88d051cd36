/* SPDX-License-Identifier: MIT */
#include <glib.h>

#include "model/soc/dram.h"

void dram_init(struct dram *d, uint64_t mb_s)
{
    *d = (struct dram){ .slot_bytes = MAX(mb_s, 1) * DRAM_SLOT_NS / 1000 };
}

void dram_fini(struct dram *d)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(d->block); i++) {
        g_free(d->block[i]);
    }
}

/* Bytes given of the slot at @ns; NULL: it is too long ago to be known. */
static uint64_t *slot_at(struct dram *d, uint64_t ns)
{
    uint64_t number = ns / DRAM_SLOT_NS + 1, i = number % DRAM_SLOTS;
    struct dram_slot **block = &d->block[i / DRAM_BLOCK], *slot;

    if (!*block) {
        *block = g_new0(struct dram_slot, DRAM_BLOCK);
    }
    slot = *block + i % DRAM_BLOCK;
    if (slot->number > number) {
        return NULL;
    }
    if (slot->number < number) {
        slot->number = number;
        slot->bytes = 0;
    }
    return &slot->bytes;
}

static uint64_t part_of(uint64_t bytes, uint64_t part_ns, uint64_t ns)
{
    return (uint64_t)((double)bytes * (double)part_ns / (double)ns);
}

uint64_t dram_take(struct dram *d, uint64_t start, uint64_t ns, uint64_t bytes)
{
    uint64_t at = start, left = ns;

    while (left && bytes) {
        uint64_t room = MIN(DRAM_SLOT_NS - at % DRAM_SLOT_NS, left),
                 want = part_of(bytes, room, ns);
        uint64_t *given = slot_at(d, at);

        if (!given || *given + want <= d->slot_bytes) {
            if (given) {
                *given += want;
            }
            at += room;
            left -= room;
        } else { /* as much as there is, and on in the next slot */
            uint64_t got = d->slot_bytes - MIN(*given, d->slot_bytes);

            left -= MIN(part_of(ns, got, bytes), room);
            *given = d->slot_bytes;
            at += DRAM_SLOT_NS - at % DRAM_SLOT_NS;
        }
    }
    return at - start + left;
}
