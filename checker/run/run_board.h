/* SPDX-License-Identifier: MIT */
/* The figures of the board that model/rules/charge.h needs, as a note: so a trace file gives the
 * same answers as the live run, whatever profiles the machine has that reads it. */
#ifndef CHECKER_RUN_BOARD_H
#define CHECKER_RUN_BOARD_H

#include "checker/run/run.h"

/* The note of a profile; note_clear(). */
void run_board_note_make(const struct soc_profile *p, struct note *n);

#endif
