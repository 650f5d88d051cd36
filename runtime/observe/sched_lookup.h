/* SPDX-License-Identifier: MIT */
/* The scheduler of `vtegra run` (sched/), where it is there. */
#ifndef RUNTIME_OBSERVE_SCHED_LOOKUP_H
#define RUNTIME_OBSERVE_SCHED_LOOKUP_H

#include "sched/sched.h"

struct check;
struct check_caller;

/* NULL where the program was not started by `vtegra run`. */
const struct vtegra_sched *check_sched(void);

/* "app.c:12", the line of the application; g_free() it, NULL if nothing is known. */
char *check_place(struct check *c, const struct check_caller *caller);

/* Read the debug information that lookups of these addresses need: copies of the process then have
 * it (rt_warm()). */
void check_warm(const uintptr_t *pc, unsigned n);

#endif
