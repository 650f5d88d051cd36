/* SPDX-License-Identifier: MIT */
/* The order in which locks are taken: "who held A then locked B" is an edge from A to B. Where
 * edges of different threads make a ring, those threads may wait for each other one day, even if
 * nothing has waited in this run. (Goodlock: Havelund, SPIN 2000; with what cannot meet left out.)
 *
 * A ring is none where
 * - two of its edges are of one thread, which cannot stand at two places;
 * - two of its threads hold one lock besides, a gate: only one of them is behind it;
 * - the one that holds a lock and the one that wants it are both readers;
 * - one edge comes before another in time, whatever the schedule: through the start or the end of
 *   a thread, a barrier, a semaphore (graph_event).
 *
 * A lock is an address, so it is forgotten with what lies there (graph_forget). No threads, no
 * clock, no memory of malloc()'s; the caller keeps others out. Bounded: what goes beyond is not
 * looked at (graph_gave_up).
 */
#ifndef SCHED_GRAPH_H
#define SCHED_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/sched.h"

#define GRAPH_HELD 16u  /* locks that a thread holds at once; more: no edge */
#define GRAPH_RING 8u   /* edges of a ring */
#define GRAPH_RINGS 16u /* that are reported */

enum graph_kind { GRAPH_MUTEX, GRAPH_RWLOCK, GRAPH_SPINLOCK };

struct graph_lock {
    const void *address;
    enum graph_kind kind;
    bool read;
};

/**
 * struct graph_edge - @thread, which held @from since @from_at, has locked @to at @to_at
 * @segment: changes with each graph_event() of the thread's: before and behind one are two edges
 * @held: all that it held, @from among them
 * @when: the graph's own
 */
struct graph_edge {
    struct graph_lock from, to;
    uint32_t thread, segment;
    unsigned n_held;
    struct graph_lock held[GRAPH_HELD];
    struct sched_stack from_at, to_at;
    const struct sched_stack *created_at;
    uint64_t when;
};

/* @edge[i].to is @edge[i + 1].from, the last one's the first one's, which is of the lowest thread.
 */
struct graph_ring {
    unsigned n;
    struct graph_edge edge[GRAPH_RING];
    uint64_t places; /* a ring of the same places is reported once */
};

/* What thread or object @from has done so far comes before all that @to does from now on. */
void graph_event(uint64_t from, uint64_t to);
#define GRAPH_OBJECT(address) ((uint64_t)(uintptr_t)(address) | UINT64_C(1) << 63)

void graph_add(const struct graph_edge *edge);

/* It is unlocked by another thread than the one that has locked it: its owner is not known. */
void graph_exclude(const void *lock);

/* These bytes are another object now, or none. Return: there was a lock. */
bool graph_forget(const void *start, size_t size);
/* May a lock of the graph lie there? Any thread may ask. */
bool graph_watches(const void *start, size_t size);

unsigned graph_rings(const struct graph_ring **rings);
bool graph_gave_up(void);
void graph_reset(void);

#endif
