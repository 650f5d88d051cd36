/* SPDX-License-Identifier: MIT */
/* What the DRAM has to give, in virtual time: one server for all engines.
 *
 * Each engine has a clock of its own, and they run one after the other here and side by side on a
 * board. So the bytes that were given are kept by slot of virtual time, and who comes to a slot
 * takes what those before have left of it: together never more than the ceiling. Who is accounted
 * first is not slowed by who comes later (inferred; a board shares evenly). */
#ifndef MODEL_SOC_DRAM_H
#define MODEL_SOC_DRAM_H

#include <stdint.h>

#define DRAM_SLOT_NS 16384u
#define DRAM_SLOTS 8192u /* 134 ms: how far apart the clocks of two engines may be */
#define DRAM_BLOCK 256u

/* @number: of the slot + 1; @bytes: given of it */
struct dram_slot {
    uint64_t number, bytes;
};

/* @block: DRAM_BLOCK slots each, NULL before the first is used
 * @slot_bytes: what a slot has */
struct dram {
    struct dram_slot *block[DRAM_SLOTS / DRAM_BLOCK];
    uint64_t slot_bytes;
};

void dram_init(struct dram *d, uint64_t mb_s);
void dram_fini(struct dram *d);

/* Work that takes @ns alone and moves @bytes in them evenly begins at @start. Return: ns it takes.
 */
uint64_t dram_take(struct dram *d, uint64_t start, uint64_t ns, uint64_t bytes);

#endif
