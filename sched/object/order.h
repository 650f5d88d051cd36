/* SPDX-License-Identifier: MIT */
/* What each thread holds, for the graph of locks (graph.h): a passive ear of lock.c, cond.c, c11.c
 * and glib.c, under every policy. It decides nothing, never waits and takes no turn; what was
 * found is reported once, when the run is over.
 *
 * Told of are locks that a thread took by waiting for them: a trylock or a timed lock never stands
 * for good, but what was taken so is held.
 *
 * A lock is its address, so the address has to stand for one object. Memory of the program's files
 * does; malloc()'s does until it is freed, which is why free() passes by here (where another
 * allocator stands before ours it is not seen, and such locks are left out); thread_local does
 * until the thread ends. Stacks do not, but for main()'s own frame: locks in other frames are left
 * out.
 */
#ifndef SCHED_ORDER_H
#define SCHED_ORDER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/object/graph.h"

enum {
    ORDER_WAITED = 0,
    ORDER_READ = 1,  /* as a reader of a read-write lock */
    ORDER_TRIED = 2, /* without waiting, or for a time only */
};

/* The calling thread has locked it, by a call at @pc; and lets it go. */
void order_took(const void *lock, enum graph_kind kind, unsigned how, uintptr_t pc);
void order_let_go(const void *lock, uintptr_t pc);
/* Initialised or destroyed. */
void order_forget(const void *lock, size_t size);

/* Locks that the calling thread takes until then are those of the functions that it calls. */
void order_within(bool begins);

struct thread;

void order_thread_create(struct thread *self, struct thread *created, const pthread_attr_t *attr);
void order_thread_enter(struct thread *self, const void *frame);
void order_thread_leave(struct thread *self);
void order_thread_joined(const struct thread *joined);
/* At a barrier or semaphore: what was before the first comes before what is behind the second. */
void order_arrives(const void *object, uintptr_t pc);
void order_goes_on(const void *object, uintptr_t pc);

/* The function main() of the program, called from within @frame. */
void order_main(uintptr_t main, const void *frame);

/* The board is still up: report what was found. */
void order_report(void);

#endif
