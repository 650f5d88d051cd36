/* SPDX-License-Identifier: MIT */
/* A thread with the turn that sleeps in the kernel where the scheduler does not follow it: inside
 * the C library (a stream of stdio that another thread has locked, system()), or by an instruction
 * of its own. Those that wait for their turn look now and then; when it has slept all the time
 * between two looks, and others could go on, they do. What follows is not the seed's alone any
 * more, and a line says so. */
#ifndef SCHED_WATCH_H
#define SCHED_WATCH_H

#define WATCH_MS 200u /* real time between two looks */

struct thread;

/* @self has waited so long for its turn. */
void watch_look(struct thread *self);

#endif
