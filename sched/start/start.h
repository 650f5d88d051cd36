/* SPDX-License-Identifier: MIT */
/* From the environment to a scheduler, and its end. */
#ifndef SCHED_START_H
#define SCHED_START_H

#include "sched/decide.h"
#include "sched/sched.h"

/* What the environment asks for, again: after a fork of the server it has changed. */
void sched_start(void);

/**
 * struct sched_shared - what another process sees of a run, also of one that crashes
 * @report_error: errno of a JSON report that could not be written, else 0
 */
struct sched_shared {
    struct decide_counts counts;
    int32_t report_error;
};

/* Where that is kept; NULL: nowhere. Before sched_start(). */
void sched_share(struct sched_shared *shared);
void sched_report_lost(int error);

/* Before main(): serve, where the environment asks for it. @pc: @n addresses that every stack of
 * the program has. Return: true in the copies, which are ready; false: nothing asks. */
bool forkserver_run(const uintptr_t *pc, unsigned n);
/* The driver's libraries, with all that they do when they are loaded. */
void *forkserver_load(void);

#endif
