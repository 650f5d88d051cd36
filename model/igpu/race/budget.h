/* SPDX-License-Identifier: MIT */
/* Checks that may cost only so much (grid_desc.budget). Cost is counted in what is executed and
 * what is checked, never measured: the same run checks the same blocks on each host.
 *
 * Each kernel is checked when it is launched first. Later it is checked again whenever its share,
 * of what its own launches have cost, is enough for a launch, or for a part of a long one.
 * Private to model/igpu/.
 */
#ifndef MODEL_IGPU_RACE_BUDGET_H
#define MODEL_IGPU_RACE_BUDGET_H

#include "model/igpu/sm.h"

/* A block is about to start while none is resident and none is checked: a window may begin. */
void race_window_open(struct grid *g);
/* After a warp's turn in a window: does it end? */
void race_window_turn(struct grid *g);
/* The grid is over. */
void race_window_end(struct grid *g);

#endif
