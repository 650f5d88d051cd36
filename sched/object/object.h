/* SPDX-License-Identifier: MIT */
/* What is known of the program's locks, conditions, semaphores ...: by address, numbered in order
 * of first use. The objects themselves stay the C library's. */
#ifndef SCHED_OBJECT_H
#define SCHED_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/sched.h"

struct thread;

/**
 * struct object
 * @holder: who has locked it, NULL: no thread, or several (rwlock); @held_at: where
 * @clock: of a condition; @count, @arrived: of a barrier
 * @came, @members, @mixed: of a barrier: so often have threads come to it; those of its first
 *     round, by number; others have come, too
 * @own: of a robust mutex: other processes do not have it
 */
struct object {
    const void *address; /* NULL: free */
    uint64_t number;
    const struct thread *holder;
    struct sched_stack held_at;
    uintptr_t first_pc;
    int clock;
    unsigned count, arrived, depth;
    uint64_t came, members;
    bool mixed, own;
};

/* The object at @address, made if it is new. Valid until the next call, of any thread's: for
 * threads that take turns. */
struct object *object_at(const void *address, uintptr_t pc);
/* Its number, given at the first question: locks of our own that are not reported have none, so
 * that numbers do not depend on what a library does inside. */
uint64_t object_number(const void *address, uintptr_t pc);
/* The board hears that no thread will come to it any more. The other: but threads that have come
 * to it may still have to say so, by its number (a barrier), so the board hears nothing. */
void object_forget(const void *address);
void object_forget_late(const void *address);
/* A new one: a condition with @clock, a barrier of @count. */
void object_made(const void *address, int clock, unsigned count, uintptr_t pc);
struct object *object_by_number(uint64_t number);
/* Each that @holder has locked. */
void object_each_held(const struct thread *holder, void (*call)(const void *address));
bool object_holds_any(const struct thread *holder);
/* Is the calling thread in one of these? So a signal handler may find it. */
bool object_busy(void);

/* The calling thread comes to a barrier. Its rounds are two objects by turns, at its address and
 * the one behind: who is late to leave one would come after what others do before the next, too.
 * Return: bit 0, bit 1: which of them stand for the thread's round; both where it cannot be known,
 * because more threads use it than a round needs. @counted: all that come do so here. */
unsigned object_come(const void *barrier, bool counted, uintptr_t pc);

/* Tell the board what comes before what: if there is a board and more than one thread.
 * Return: the object's number; 0: nothing was reported. */
uint64_t object_release(const void *address);
void object_acquire(const void *address);
/* The same for one that may be forgotten by now. */
void object_acquire_number(uint64_t number);
/* @t has ended: the calling thread has joined it, or is the last that says so. */
void object_thread_ended(const struct thread *t);
void object_flag(const void *address, bool release);

#endif
