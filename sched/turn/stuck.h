/* SPDX-License-Identifier: MIT */
#ifndef SCHED_STUCK_H
#define SCHED_STUCK_H

/* Where threads run freely: what each waits for in the C library. free() it; NULL if none does. */
char *stuck_who_waits(void);

struct thread;

/* The same for @n threads of which each waits for a mutex that the next one holds, the last one for
 * the first one's: a finding. */
void stuck_tell_ring(struct thread *const *ring, unsigned n);

struct graph_ring;

/* Threads that could come to wait for each other: a warning. And how much was not looked at. */
void stuck_tell_order(const struct graph_ring *ring);
void stuck_tell_order_given_up(unsigned rings);

#endif
