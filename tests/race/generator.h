/* SPDX-License-Identifier: MIT */
/* Random kernels: exchanges, flags, counters, locks, last blocks, copies, each mostly right and
 * sometimes with a barrier, fence, scope or wait changed. */
#ifndef TESTS_RACE_GENERATOR_H
#define TESTS_RACE_GENERATOR_H

#include "tests/grid_rig.h"

/* The kernel of a seed, the same on each host; g_free() it. @l: blocks and threads of its launch;
 * @faultless: nothing in it has been changed, so that it has no race */
char *race_generate(uint32_t seed, struct rig_launch *l, bool *faultless);

/* The same, of kernels whose threads only barriers of the block order (generator_settled.c) */
char *race_generate_settled(uint32_t seed, struct rig_launch *l, bool *faultless);

#endif
