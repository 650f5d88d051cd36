/* SPDX-License-Identifier: MIT */
/* A deadlock of mutexes where threads run freely (the policies lazy and eager): threads that wait
 * in a ring, each for a mutex that the next one holds. It is reported by the thread that closes the
 * ring, before it waits; nothing is changed, so the program hangs as it does on a board.
 *
 * Reported are waits without an end of mutexes, of which the C library says who holds them: not
 * read-write locks, semaphores, conditions, which another thread might still release.
 *
 * A ring may go through the board: a thread holds a mutex and waits for a stream, whose host
 * function wants that mutex. That one ends the process, with a report.
 */
#ifndef SCHED_RING_H
#define SCHED_RING_H

#include <pthread.h>

#include "sched/turn/turn.h"

/* The calling thread of the program is about to wait for @m, at @pc; and has it. */
void ring_wait(const pthread_mutex_t *m, uintptr_t pc);
void ring_waited(void);

/* The calling thread waits at @where for the board, which waits for a host function. Where that
 * waits for a mutex of the calling thread's, no end can come: a finding, and the end of the
 * process.
 */
void ring_held(const struct sched_stack *where);

#endif
