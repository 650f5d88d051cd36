/* SPDX-License-Identifier: MIT */
#include "sched/object/ring.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sched/turn/free.h"
#include "sched/turn/roster.h"
#include "sched/turn/stuck.h"

#define RING_MAX 64u

#define MUTEX_TYPE 3 /* the C library's bits for that (nptl/pthreadP.h) */

/* Who holds the mutex that @t waits for; NULL: none, or no thread of the program. The mutex of
 * another thread may be gone by now, so that thread's memory is asked for, not touched. */
static struct thread *ring_holder(struct thread *t)
{
    const pthread_mutex_t *m = atomic_load(&t->wants);
    pid_t tid = 0;
    struct iovec to = { &tid, sizeof(tid) };
    struct iovec from = { m ? (void *)&m->__data.__owner : NULL, sizeof(tid) };

    if (!m || process_vm_readv(gettid(), &to, 1, &from, 1, 0) != (ssize_t)sizeof(tid) || !tid) {
        return NULL;
    }
    return roster_by_tid(tid);
}

/* The threads from @self on, each waiting for the next, the last for @self. Return: how many; 0:
 * they make no ring. */
static unsigned ring_find(struct thread *self, struct thread **ring)
{
    struct thread *t = self;
    unsigned n = 0;

    do {
        ring[n++] = t;
        t = ring_holder(t);
    } while (t && t != self && n < RING_MAX);
    if (t != self) {
        return 0;
    }
    /* Meanwhile they may have gone on. From the end: who waits for @self, which stands here, waits
     * for good; and who waits for that one does, too. */
    for (unsigned i = n; i-- > 0;) {
        if (ring_holder(ring[i]) != (i + 1 < n ? ring[i + 1] : self)) {
            return 0;
        }
    }
    return n;
}

/* One that its own thread may take again, or that says EDEADLK, is no wait. */
static bool may_be_own(const pthread_mutex_t *m)
{
    int type = m->__data.__kind & MUTEX_TYPE;

    return type == PTHREAD_MUTEX_RECURSIVE_NP || type == PTHREAD_MUTEX_ERRORCHECK_NP;
}

void ring_wait(const pthread_mutex_t *m, uintptr_t pc)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    struct thread *self = free_thread(pc), *ring[RING_MAX];
    pid_t owner = m->__data.__owner;
    int error = errno;
    unsigned n;

    if (!self) {
        return;
    }
    self->wants_at = owner ? stack_take(pc) : (struct sched_stack){ .pc = { pc } };
    atomic_store(&self->wants, m);
    if (!owner || (owner == self->tid && may_be_own(m))) {
        return;
    }
    n = ring_find(self, ring);
    if (n && !atomic_flag_test_and_set(&reported)) {
        bool outer = self->inside;

        self->inside = true;
        stuck_ring_report(ring, n);
        self->inside = outer;
    }
    errno = error;
}

static struct thread *_Atomic in_function; /* that one waits for a mutex */

static void function_note(struct thread *t)
{
    if (t->in_application && atomic_load(&t->wants)) {
        atomic_store(&in_function, t);
    }
}

void ring_held(const struct sched_stack *where)
{
    struct thread *self = turn_self, *ring[RING_MAX], *t;
    unsigned n = 0;

    if (!self || turn_on || !turn_board) {
        return;
    }
    atomic_store(&in_function, NULL);
    roster_each(function_note);
    for (t = atomic_load(&in_function); t && t != self && n < RING_MAX; t = ring_holder(t)) {
        ring[n++] = t;
    }
    if (t != self || n == 0) {
        return;
    }
    for (unsigned i = n; i-- > 0;) { /* as in ring_find() */
        if (ring_holder(ring[i]) != (i + 1 < n ? ring[i + 1] : self)) {
            return;
        }
    }
    self->inside = true;
    stuck_board_end(self, where, ring, n);
}

void ring_waited(void)
{
    if (turn_self && !turn_on) {
        atomic_store(&turn_self->wants, NULL);
    }
}
