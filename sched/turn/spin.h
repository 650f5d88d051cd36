/* SPDX-License-Identifier: MIT */
/* A thread that spins on memory without hooks, without calls: how it is noticed.
 *
 * A timer of the thread's own CPU time interrupts it now and then (never in a system call that
 * waits). When the same registers, the same stack and the same memory where registers point to are
 * found at the same instruction again and again, and the thread has run and done nothing else
 * meanwhile, the loop changes nothing: only another thread can end it. Then others go on, as at a
 * switch point. Where in the loop and after how much real time that happens makes no difference to
 * what the program does, so the run stays the same each time.
 *
 * A loop that counts its turns, or looks at a clock, shows itself only by the time that it takes:
 * after long enough without anything else others go on, too. That moment is the
 * host's, and the report says so (free_unsure).
 *
 * The timers' signal is one that the program does not use, first of all SIGURG.
 */
#ifndef SCHED_SPIN_H
#define SCHED_SPIN_H

struct thread;

/* From now on; any number of times. */
void spin_watch(struct thread *thread);
/* It ends: its timer would stay until the process does. */
void spin_unwatch(struct thread *thread);
/* The timers' signal, or 0. Who blocks all, as threads of libraries do, does not mean it. */
int spin_signal(void);
/* The program takes @sig for itself: the timers use another. */
void spin_give_up(int sig);

#endif
