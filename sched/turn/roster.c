/* SPDX-License-Identifier: MIT */
#include "sched/turn/roster.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct roster roster;

static struct thread **all; /* until forgotten */
static unsigned n_all, cap_all, cap_live;
static atomic_uint next_number;
static atomic_flag busy = ATOMIC_FLAG_INIT; /* guards both lists where threads run freely */

static void lists_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
    }
}

static void lists_unlock(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static void list_add(struct thread ***list, unsigned *n, unsigned *cap, struct thread *t)
{
    if (*n == *cap) {
        *cap = *cap ? *cap * 2 : 64;
        *list = realloc(*list, *cap * sizeof(**list));
        if (!*list) {
            abort();
        }
    }
    (*list)[(*n)++] = t;
}

static void list_remove(struct thread **list, unsigned *n, const struct thread *t)
{
    for (unsigned i = 0; i < *n; i++) {
        if (list[i] == t) {
            memmove(list + i, list + i + 1, (--*n - i) * sizeof(*list));
            return;
        }
    }
}

struct thread *turn_thread_new(void)
{
    struct thread *t = calloc(1, sizeof(*t));

    if (!t) {
        abort();
    }
    t->number = atomic_fetch_add(&next_number, 1);
    lists_lock();
    list_add(&roster.live, &roster.n, &cap_live, t);
    list_add(&all, &n_all, &cap_all, t);
    lists_unlock();
    return t;
}

void roster_leave(const struct thread *t)
{
    lists_lock();
    list_remove(roster.live, &roster.n, t);
    lists_unlock();
}

void roster_only(struct thread *t)
{
    lists_lock();
    roster.live[0] = all[0] = t;
    roster.n = n_all = 1;
    lists_unlock();
}

void turn_thread_cancel_new(struct thread *t)
{
    lists_lock();
    list_remove(roster.live, &roster.n, t);
    list_remove(all, &n_all, t);
    lists_unlock();
    free(t);
}

struct thread *turn_thread_find(pthread_t handle)
{
    struct thread *found = NULL;

    lists_lock();
    for (unsigned i = 0; i < n_all && !found; i++) {
        found = all[i]->handle == handle && !all[i]->joined ? all[i] : NULL;
    }
    lists_unlock();
    return found;
}

/* The struct stays for a while, as a late record may still name it; its largest part does not. */
struct thread *turn_thread_forget(struct thread *t)
{
    static struct thread *gone[256]; /* the last ones */
    static unsigned next_gone;
    struct spin_room *room = NULL;
    struct thread *oldest = NULL;

    lists_lock();
    if (!t->joined) { /* its end and pthread_detach() may both do it */
        t->joined = true;
        list_remove(all, &n_all, t);
        oldest = gone[next_gone];
        gone[next_gone] = t;
        next_gone = (next_gone + 1) % (sizeof(gone) / sizeof(gone[0]));
        room = t->spin_room;
        t->spin_room = NULL;
    }
    lists_unlock();
    if (room) {
        munmap(room, sizeof(*room));
    }
    return oldest;
}

void roster_each(void (*what)(struct thread *t))
{
    lists_lock();
    for (unsigned i = 0; i < roster.n; i++) {
        what(roster.live[i]);
    }
    lists_unlock();
}

unsigned turn_threads(void)
{
    return atomic_load(&next_number);
}

struct thread *turn_thread_at(unsigned i)
{
    return i < roster.n ? roster.live[i] : NULL;
}

struct thread *roster_by_number(uint32_t number)
{
    for (unsigned i = 0; i < roster.n; i++) {
        if (roster.live[i]->number == number) {
            return roster.live[i];
        }
    }
    return NULL;
}

static bool thread_waits_in(const struct thread *t, uintptr_t at, size_t len)
{
    bool waits = false;

    for (unsigned i = 0; i < 2; i++) {
        const void *lock = atomic_load(&t->locks[i]);

        waits |= lock && (uintptr_t)lock - at < len;
    }
    return waits;
}

bool roster_waits_in(const void *at, size_t len)
{
    bool waits = false;

    lists_lock();
    for (unsigned i = 0; i < roster.n && !waits; i++) {
        waits = thread_waits_in(roster.live[i], (uintptr_t)at, len);
    }
    lists_unlock();
    return waits;
}

struct thread *roster_by_tid(pid_t tid)
{
    struct thread *found = NULL;

    lists_lock();
    for (unsigned i = 0; i < roster.n && !found; i++) {
        found = roster.live[i]->tid == tid ? roster.live[i] : NULL;
    }
    lists_unlock();
    return found;
}
