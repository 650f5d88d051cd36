/* SPDX-License-Identifier: MIT */
/* What is known of the program's locks, conditions, semaphores ...: by address, numbered in order
 * of first use. The objects themselves stay the C library's. */
#ifndef RUNTIME_SCHED_OBJECT_H
#define RUNTIME_SCHED_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sched/sched.h"

struct thread;

/**
 * struct object
 * @holder: who has locked it, NULL: nobody, or several (rwlock); @held_at: where
 * @clock: of a condition; @count, @arrived, @round: of a barrier
 * @release_pc:
 */
struct object {
    const void *address; /* NULL: free */
    uint64_t number;
    const struct thread *holder;
    struct sched_stack held_at;
    uintptr_t first_pc;
    int clock;
    unsigned count, arrived, round, depth;
};

/* The object at @address, made if it is new. Valid until the next call. */
struct object *object_at(const void *address, uintptr_t pc);
/* Its number, given at the first question: locks of our own that nobody tells of have none, so that
 * numbers do not depend on what a library does inside. */
uint64_t object_number(const void *address, uintptr_t pc);
void object_forget(const void *address);
struct object *object_by_number(uint64_t number);
/* Is the calling thread in one of these? So a signal handler may find it. */
bool object_busy(void);

/* Tell the board what comes before what: if there is a board and more than one thread. */
void object_release(const void *address);
void object_acquire(const void *address);
void object_flag(const void *address, bool release);

#endif
