/* SPDX-License-Identifier: MIT */
/* Runs a grid with each handler behind one that feeds the oracle (oracle.h): what an instruction
 * means is read from its PTX text, where it goes from its registers. */
#ifndef TESTS_RACE_OBSERVER_H
#define TESTS_RACE_OBSERVER_H

#include "tests/grid_rig.h"
#include "tests/race/oracle.h"

/* The test fails unless the grid ends well. Text: one instruction a line, numbers of barriers,
 * counts and membermasks as immediates. Memory of @r is changed as by a launch. */
struct oracle *observer_run(struct rig *r, const char *ptx, const struct rig_launch *l);

#endif
