/* SPDX-License-Identifier: MIT */
/* From the environment to a scheduler, and its end. */
#ifndef RUNTIME_SCHED_START_H
#define RUNTIME_SCHED_START_H

#include "runtime/sched/decide.h"

/* What the environment asks for, again: after a fork of the server it has changed. */
void sched_start(void);
/* The run is over: the schedule is complete. Any number of times. */
void sched_finish(void);

/* Where the counts of a run are kept so that another process sees them, also of one that crashes;
 * NULL: nowhere. Before sched_start(). */
void sched_share(struct decide_counts *shared);

/* Before main(): serve, where the environment asks for it. @pc: @n addresses that every stack of
 * the program has. Return: true in the copies, which are ready; false: nothing asks. */
bool forkserver_run(const uintptr_t *pc, unsigned n);
/* The driver's libraries, with all that they do when they are loaded. */
void *forkserver_load(void);

#endif
