/* SPDX-License-Identifier: MIT */
/* The figures of the board that model/rules/charge.h needs, as notes: so a trace file gives the
 * same answers as the live run, whatever profiles the machine has that reads it. */
#ifndef CHECKER_RUN_BOARD_H
#define CHECKER_RUN_BOARD_H

#include "checker/run/run.h"

#define RUN_BOARD_NOTES 2u

/* The notes of a profile, in order; note_clear() each. */
void run_board_notes(const struct soc_profile *p, struct note n[RUN_BOARD_NOTES]);

#endif
