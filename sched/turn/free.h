/* SPDX-License-Identifier: MIT */
/* Where threads run freely (the policies lazy and eager) no thread has the turn, and the board goes on
 * when a thread steps it: in a call of CUDA's, here, or, when all threads of the program sleep, on
 * the driver's own thread (runtime/driver/core/idle.c).
 *
 * A thread that waits in a loop of calls (sched_yield, usleep, sem_trywait ...) steps the board
 * after so many of them, counted since it last gave the board work: the same in each run. One sleep
 * alone is no loop: queued work stays late, as the policy says.
 */
#ifndef SCHED_FREE_H
#define SCHED_FREE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/turn/turn.h"

/* The calling thread, if it is the program's, the call at @pc is none of our libraries', and the
 * board is up. */
struct thread *free_thread(uintptr_t pc);

/* A call at @pc that waits in vain, or sleeps: @turns of a loop. */
enum { FREE_LOOK = 1, FREE_SLEEP = 32, FREE_TURNS = 64 };
void free_loop(unsigned turns, uintptr_t pc);
/* A look at a clock, which a loop that waits may make, and every other program, too. */
void free_clock(uintptr_t pc);

/* The thread is about to wait in the C library for another, perhaps for a host function; and no
 * longer. Return: it has begun to. Meanwhile a handler of the program's may come, or the unwinder of
 * one that is cancelled, and take a lock of ours: that is no end. */
bool free_wait_begin(enum wait_kind kind, uintptr_t pc);
void free_wait_end(bool begun);
void free_wait_cancelled(void *begun);

/* @call, which may wait, and be a cancellation point. */
#define FREE_WAIT(kind, pc, call)                               \
    (__extension__({                                            \
        bool free_begun = free_wait_begin((kind), (pc));        \
        __typeof__(call) free_result;                           \
                                                                \
        pthread_cleanup_push(free_wait_cancelled, &free_begun); \
        free_result = (call);                                   \
        pthread_cleanup_pop(0);                                 \
        free_wait_end(free_begun);                              \
        free_result;                                            \
    }))

/* @self lets the board go on, longer with each of the @rounds before. Return: it did. */
bool free_go_on(struct thread *self, unsigned rounds);

/* Only time has shown that @self waits: it is not known after which pass of its loop at @pc. */
void free_unsure(struct thread *self, uintptr_t pc);

#endif
