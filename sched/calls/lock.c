/* SPDX-License-Identifier: MIT */
/* Mutexes, read-write locks, spin locks. The lock itself stays the C library's, tried and never
 * waited for, so every kind of mutex (recursive, error checking, robust) keeps its rules. */
#include "sched/calls/front.h"
#include "sched/calls/range.h"
#include "sched/object/order.h"
#include "sched/object/ring.h"
#include "sched/turn/free.h"

/* --- mutexes ---------------------------------------------------------------------------------- */

static bool is_error_checking(const pthread_mutex_t *m)
{
    return (m->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP;
}

static void lock_held(struct thread *self, const void *lock, uintptr_t pc)
{
    struct sched_stack at = { .pc = { pc } };
    struct object *o;

    /* The unwinder calls pthread_once(), which may make an object: first that, then ours. */
    if (object_at(lock, pc)->holder != self && !front_is_ours(pc)) {
        at = stack_take(pc);
    }
    o = object_at(lock, pc);
    if (o->holder != self) {
        o->depth = 0;
        o->held_at = at;
    }
    o->holder = self;
    o->depth++;
}

static void let_go(const void *lock)
{
    struct object *o = object_at(lock, 0);

    if (o->depth <= 1) {
        o->holder = NULL;
        o->depth = 0;
    } else {
        o->depth--;
    }
}

/* The C library's bit (nptl/pthreadP.h); all robust ones have it, too. */
#define MUTEX_SHARED 128

/* Another process may hold it. */
static bool is_shared(const pthread_mutex_t *m, uintptr_t pc)
{
    return (m->__data.__kind & MUTEX_SHARED) && !(front_is_robust(m) && object_at(m, pc)->own);
}

static int mutex_outside(struct thread *self, pthread_mutex_t *m, uint64_t until_ns, uintptr_t pc)
{
    struct timespec real;
    const struct timespec *until = front_real_until(CLOCK_REALTIME, until_ns, &real);
    int r = until ? FRONT_OUTSIDE(self, REAL(pthread_mutex_timedlock)(RANGE_LOCK(m), until))
                  : FRONT_OUTSIDE(self, REAL(pthread_mutex_lock)(RANGE_LOCK(m)));

    if (r == 0 || r == EOWNERDEAD) {
        lock_held(self, m, pc);
        front_acquire(m, pc);
    }
    return r;
}

int front_mutex_lock(struct thread *self, pthread_mutex_t *m, uint64_t until_ns, uintptr_t pc)
{
    for (;;) {
        struct object *o;
        int r = REAL(pthread_mutex_trylock)(RANGE_LOCK(m));

        if (r == 0 || r == EOWNERDEAD) {
            lock_held(self, m, pc);
            front_acquire(m, pc);
        } else if (r == ENOTRECOVERABLE) {
            front_lost(self, m);
        }
        if (r != EBUSY) {
            return r;
        }
        o = object_at(m, pc);
        if (o->holder == self && is_error_checking(m)) {
            return EDEADLK;
        }
        if (is_shared(m, pc)) {
            return mutex_outside(self, m, until_ns, pc);
        }
        if (!turn_block(self, &(struct turn_wait){ .kind = WAIT_MUTEX,
                                                   .key = m,
                                                   .until_ns = until_ns,
                                                   .object = object_number(m, pc),
                                                   .pc = pc })) {
            return ETIMEDOUT;
        }
    }
}

int front_mutex_unlock(struct thread *self, pthread_mutex_t *m, uintptr_t pc)
{
    int r;

    front_release(m, pc);
    r = REAL(pthread_mutex_unlock)(RANGE_LOCK(m));
    if (r == 0) {
        let_go(m);
        turn_wake(self, m, TURN_ALL, UINT32_MAX);
    }
    return r;
}

static int mutex_took(int r, const pthread_mutex_t *m, unsigned how, uintptr_t pc)
{
    if (r == 0 || r == EOWNERDEAD) {
        front_robust_took(r, m, pc);
        order_took(m, GRAPH_MUTEX, how, pc);
    }
    return r;
}

static void mutex_real(int r, const pthread_mutex_t *m, uintptr_t pc)
{
    if (r == 0 || r == EOWNERDEAD) {
        front_acquire(m, pc);
    }
}

/* vtegra's own, many times in each call: whose code it is, is asked once. */
static bool is_own_free(const struct thread *self, uintptr_t pc)
{
    return !self && front_is_ours(pc);
}

int front_lock(pthread_mutex_t *m, uintptr_t pc)
{
    struct thread *self = turn_thread();
    int r;

    if (is_own_free(self, pc)) {
        r = REAL(pthread_mutex_lock)(m);
        if (r == 0 || r == EOWNERDEAD) {
            front_robust_took(r, m, pc);
        }
        return r;
    }
    if (!self) {
        ring_wait(m, pc);
        r = FREE_WAIT(WAIT_MUTEX, pc, REAL(pthread_mutex_lock)(RANGE_WAIT(m)));
        ring_waited();
        mutex_real(r, m, pc);
    } else {
        front_point(self, pc);
        r = front_mutex_lock(self, m, TURN_FOREVER, pc);
    }
    return mutex_took(r, m, ORDER_WAITED, pc);
}

SCHED_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    return front_lock(m, TURN_CALLER);
}

int front_trylock(pthread_mutex_t *m, uintptr_t pc)
{
    struct thread *self = turn_thread();
    int r;

    if (self) {
        front_point(self, pc);
    }
    r = REAL(pthread_mutex_trylock)(RANGE_LOCK(m));
    if (r == 0 || r == EOWNERDEAD) {
        if (self) {
            lock_held(self, m, pc);
        }
        front_acquire(m, pc);
    } else if (r == EBUSY && !front_is_ours(pc)) {
        front_loop(self, pc); /* loops that try until it works must let the holder go on */
    }
    return mutex_took(r, m, ORDER_TRIED, pc);
}

SCHED_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    return front_trylock(m, TURN_CALLER);
}

int front_timedlock(pthread_mutex_t *m, const struct timespec *until, uintptr_t pc)
{
    struct thread *self = turn_thread();

    if (!self) {
        int r = FREE_WAIT(WAIT_MUTEX, pc, REAL(pthread_mutex_timedlock)(RANGE_WAIT(m), until));

        mutex_real(r, m, pc);
        return mutex_took(r, m, ORDER_TRIED, pc);
    }
    front_point(self, pc);
    return mutex_took(front_mutex_lock(self, m, front_until(CLOCK_REALTIME, until), pc), m,
                      ORDER_TRIED, pc);
}

SCHED_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
    return front_timedlock(m, until, TURN_CALLER);
}

SCHED_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                         const struct timespec *until)
{
    struct thread *self = turn_thread();

    if (!self) {
        int r = FREE_WAIT(WAIT_MUTEX, TURN_CALLER,
                          REAL(pthread_mutex_clocklock)(RANGE_WAIT(m), clock, until));

        mutex_real(r, m, TURN_CALLER);
        return mutex_took(r, m, ORDER_TRIED, TURN_CALLER);
    }
    front_point(self, TURN_CALLER);
    return mutex_took(front_mutex_lock(self, m, front_until(clock, until), TURN_CALLER), m,
                      ORDER_TRIED, TURN_CALLER);
}

int front_unlock(pthread_mutex_t *m, uintptr_t pc)
{
    struct thread *self = turn_thread();

    if (is_own_free(self, pc)) {
        return REAL(pthread_mutex_unlock)(m);
    }
    order_let_go(m, pc);
    if (!self) {
        front_release(m, pc);
        return REAL(pthread_mutex_unlock)(RANGE_LOCK(m));
    }
    return front_mutex_unlock(self, m, pc);
}

SCHED_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    return front_unlock(m, TURN_CALLER);
}

SCHED_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    int r, shared = PTHREAD_PROCESS_PRIVATE;

    order_forget(m, sizeof(*m));
    r = REAL(pthread_mutex_init)(m, attr);
    if (r == 0 && turn_thread() && front_is_robust(m)) {
        pthread_mutexattr_getpshared(attr, &shared);
        object_made(m, 0, 0, TURN_CALLER);
        object_at(m, TURN_CALLER)->own = shared == PTHREAD_PROCESS_PRIVATE;
    }
    return r;
}

SCHED_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    order_forget(m, sizeof(*m));
    if (turn_self) {
        object_forget(m);
    }
    return REAL(pthread_mutex_destroy)(m);
}

/* --- read-write locks ------------------------------------------------------------------------- */

/* What readers do orders writers, not other readers: it has an object of its own, behind the
 * lock's.
 */
static const void *lock_readers(const void *lock)
{
    return (const char *)lock + 1;
}

void front_rwlock_forget(const void *lock, size_t size)
{
    order_forget(lock, size);
    if (turn_self) {
        object_forget(lock);
        object_forget(lock_readers(lock));
    }
}

void front_rwlock_acquire(const void *lock, bool write, uintptr_t pc)
{
    front_acquire(lock, pc);
    if (write) {
        front_acquire(lock_readers(lock), pc);
    }
}

void front_rwlock_release(const void *lock, bool write, uintptr_t pc)
{
    front_release(write ? lock : lock_readers(lock), pc);
}

static int rwlock_outside(struct thread *self, pthread_rwlock_t *l, bool write, uint64_t until_ns,
                          uintptr_t pc)
{
    struct timespec real;
    const struct timespec *until = front_real_until(CLOCK_REALTIME, until_ns, &real);
    int r =
        until ? write ? FRONT_OUTSIDE(self, REAL(pthread_rwlock_timedwrlock)(RANGE_LOCK(l), until))
                      : FRONT_OUTSIDE(self, REAL(pthread_rwlock_timedrdlock)(RANGE_LOCK(l), until))
        : write ? FRONT_OUTSIDE(self, REAL(pthread_rwlock_wrlock)(RANGE_LOCK(l)))
                : FRONT_OUTSIDE(self, REAL(pthread_rwlock_rdlock)(RANGE_LOCK(l)));

    if (r == 0 && write) {
        lock_held(self, l, pc);
    }
    if (r == 0) {
        front_rwlock_acquire(l, write, pc);
    }
    return r;
}

static int rwlock_lock(struct thread *self, pthread_rwlock_t *l, bool write, uint64_t until_ns,
                       uintptr_t pc)
{
    front_point(self, pc);
    for (;;) {
        int r = write ? REAL(pthread_rwlock_trywrlock)(RANGE_LOCK(l))
                      : REAL(pthread_rwlock_tryrdlock)(RANGE_LOCK(l));

        if (r == 0) {
            if (write) {
                lock_held(self, l, pc);
            }
            front_rwlock_acquire(l, write, pc);
        }
        if (r != EBUSY) {
            return r;
        }
        if (object_at(l, pc)->holder == self) {
            return EDEADLK; /* POSIX: may fail so; waiting would be for ever */
        }
        if (l->__data.__shared) {
            return rwlock_outside(self, l, write, until_ns, pc);
        }
        if (!turn_block(self, &(struct turn_wait){ .kind = WAIT_RWLOCK,
                                                   .key = l,
                                                   .until_ns = until_ns,
                                                   .object = object_number(l, pc),
                                                   .pc = pc })) {
            return ETIMEDOUT;
        }
    }
}

static int rwlock_took(int r, const pthread_rwlock_t *l, bool write, unsigned how, uintptr_t pc)
{
    if (r == 0) {
        order_took(l, GRAPH_RWLOCK, how | (write ? 0u : ORDER_READ), pc);
    }
    return r;
}

static int rwlock_real(int r, pthread_rwlock_t *l, bool write, uintptr_t pc)
{
    if (r == 0) {
        front_rwlock_acquire(l, write, pc);
    }
    return r;
}

#define RWLOCK(name, write, how, params, args, until)                                              \
    SCHED_EXPORT int name params                                                                   \
    {                                                                                              \
        struct thread *self = turn_thread();                                                       \
        int r = self ? rwlock_lock(self, l, write, until, TURN_CALLER)                             \
                     : rwlock_real(FREE_WAIT(WAIT_RWLOCK, TURN_CALLER, REAL(name) args), l, write, \
                                   TURN_CALLER);                                                   \
                                                                                                   \
        return rwlock_took(r, l, write, how, TURN_CALLER);                                         \
    }

RWLOCK(pthread_rwlock_rdlock, false, ORDER_WAITED, (pthread_rwlock_t * l), (RANGE_WAIT(l)),
       TURN_FOREVER)
RWLOCK(pthread_rwlock_wrlock, true, ORDER_WAITED, (pthread_rwlock_t * l), (RANGE_WAIT(l)),
       TURN_FOREVER)
RWLOCK(pthread_rwlock_timedrdlock, false, ORDER_TRIED,
       (pthread_rwlock_t * l, const struct timespec *at), (RANGE_WAIT(l), at),
       front_until(CLOCK_REALTIME, at))
RWLOCK(pthread_rwlock_timedwrlock, true, ORDER_TRIED,
       (pthread_rwlock_t * l, const struct timespec *at), (RANGE_WAIT(l), at),
       front_until(CLOCK_REALTIME, at))
RWLOCK(pthread_rwlock_clockrdlock, false, ORDER_TRIED,
       (pthread_rwlock_t * l, clockid_t clock, const struct timespec *at),
       (RANGE_WAIT(l), clock, at), front_until(clock, at))
RWLOCK(pthread_rwlock_clockwrlock, true, ORDER_TRIED,
       (pthread_rwlock_t * l, clockid_t clock, const struct timespec *at),
       (RANGE_WAIT(l), clock, at), front_until(clock, at))

#define RWLOCK_TRY(name, write)                                            \
    SCHED_EXPORT int name(pthread_rwlock_t *l)                             \
    {                                                                      \
        struct thread *self = turn_thread();                               \
        int r;                                                             \
                                                                           \
        if (self) {                                                        \
            front_point(self, TURN_CALLER);                                \
        }                                                                  \
        r = rwlock_real(REAL(name)(RANGE_LOCK(l)), l, write, TURN_CALLER); \
        if (self && r == 0 && (write)) {                                   \
            lock_held(self, l, TURN_CALLER);                               \
        } else if (r == EBUSY) {                                           \
            front_loop(self, TURN_CALLER);                                 \
        }                                                                  \
        return rwlock_took(r, l, write, ORDER_TRIED, TURN_CALLER);         \
    }

RWLOCK_TRY(pthread_rwlock_tryrdlock, false)
RWLOCK_TRY(pthread_rwlock_trywrlock, true)

SCHED_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    struct thread *self = turn_thread();
    int r;

    order_let_go(l, TURN_CALLER);
    if (turn_self) {
        front_rwlock_release(l, l->__data.__cur_writer == turn_self->tid, TURN_CALLER);
    }
    r = REAL(pthread_rwlock_unlock)(RANGE_LOCK(l));
    if (self && r == 0) {
        if (object_at(l, 0)->holder == self) {
            let_go(l);
        }
        turn_wake(self, l, TURN_ALL, UINT32_MAX);
    }
    return r;
}

SCHED_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
    front_rwlock_forget(l, sizeof(*l));
    return REAL(pthread_rwlock_init)(l, attr);
}

SCHED_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    front_rwlock_forget(l, sizeof(*l));
    return REAL(pthread_rwlock_destroy)(l);
}

/* --- spin locks ------------------------------------------------------------------------------- */

SCHED_EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    struct thread *self = turn_thread();
    int r;

    if (!self) {
        while ((r = REAL(pthread_spin_trylock)(l)) == EBUSY) {
            front_loop(NULL, TURN_CALLER);
        }
        front_acquire((const void *)l, TURN_CALLER);
        order_took((const void *)l, GRAPH_SPINLOCK, ORDER_WAITED, TURN_CALLER);
        return r;
    }
    front_point(self, TURN_CALLER);
    while ((r = REAL(pthread_spin_trylock)(l)) == EBUSY) {
        turn_block(self, &(struct turn_wait){ .kind = WAIT_SPINLOCK,
                                              .key = (const void *)l,
                                              .until_ns = TURN_FOREVER,
                                              .object = object_number((const void *)l, TURN_CALLER),
                                              .pc = TURN_CALLER });
    }
    lock_held(self, (const void *)l, TURN_CALLER);
    front_acquire((const void *)l, TURN_CALLER);
    order_took((const void *)l, GRAPH_SPINLOCK, ORDER_WAITED, TURN_CALLER);
    return r;
}

SCHED_EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
    struct thread *self = turn_thread();
    int r;

    if (self) {
        front_point(self, TURN_CALLER);
    }
    r = REAL(pthread_spin_trylock)(l);
    if (r == 0) {
        if (self) {
            lock_held(self, (const void *)l, TURN_CALLER);
        }
        front_acquire((const void *)l, TURN_CALLER);
        order_took((const void *)l, GRAPH_SPINLOCK, ORDER_TRIED, TURN_CALLER);
    } else {
        front_loop(self, TURN_CALLER);
    }
    return r;
}

SCHED_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    struct thread *self = turn_thread();
    int r;

    order_let_go((const void *)l, TURN_CALLER);
    front_release((const void *)l, TURN_CALLER);
    r = REAL(pthread_spin_unlock)(l);
    if (self) {
        let_go((const void *)l);
        turn_wake(self, (const void *)l, TURN_ALL, UINT32_MAX);
    }
    return r;
}

SCHED_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    order_forget((const void *)l, sizeof(*l));
    return REAL(pthread_spin_init)(l, shared);
}

SCHED_EXPORT int pthread_spin_destroy(pthread_spinlock_t *l)
{
    order_forget((const void *)l, sizeof(*l));
    return REAL(pthread_spin_destroy)(l);
}
