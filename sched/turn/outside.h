/* SPDX-License-Identifier: MIT */
/* What may still come from outside when the program's threads cannot go on by themselves: timers,
 * children, signals, whoever has the other end of a pipe. It comes in real time, so whether a run
 * waits for it is no matter of its seed. */
#ifndef SCHED_OUTSIDE_H
#define SCHED_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * outside_may_act - is it too early to speak of a deadlock, or with @loops of a livelock?
 * @since: when no thread was runnable first, by the host's clock; 0: that is now. What can be known
 * to come (a child that lives) is waited for as long as it takes, what only may (a signal) for some
 * seconds.
 */
bool outside_may_act(bool loops, uint64_t *since);

/* A loop of the program asked this descriptor in vain. */
void outside_asked(int fd);
/* A thread made progress. */
void outside_answered(void);

#endif
