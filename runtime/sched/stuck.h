/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_SCHED_STUCK_H
#define RUNTIME_SCHED_STUCK_H

/* Where threads run freely: what each waits for in the C library. free() it; NULL if none does. */
char *stuck_who_waits(void);

#endif
