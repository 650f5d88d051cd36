/* SPDX-License-Identifier: MIT */
#ifndef SCHED_STUCK_H
#define SCHED_STUCK_H

/* Where threads run freely: what each waits for in the C library. free() it; NULL if none does. */
char *stuck_who_waits(void);

struct thread;
struct sched_stack;

/* The same for @n threads of which each waits for a mutex that the next one holds, the last one for
 * the first one's: a finding. */
void stuck_ring_report(struct thread *const *ring, unsigned n);

/* The same through the board: @self waits at @where for a host function, which @ring[0] runs, and
 * the last of the @n waits for a mutex of @self's. Ends the process. */
_Noreturn void stuck_board_end(const struct thread *self, const struct sched_stack *where,
                               struct thread *const *ring, unsigned n);

struct graph_ring;

/* Threads that could come to wait for each other: a warning. And how much was not looked at. */
void stuck_order_report(const struct graph_ring *ring);
void stuck_order_given_up_report(unsigned rings);

#endif
