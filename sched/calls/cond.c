/* SPDX-License-Identifier: MIT */
/* Conditions, barriers, semaphores, pthread_once(). While threads take turns conditions and
 * barriers are ours alone: the C library's object is not touched. */
#include "sched/calls/application.h"
#include "sched/calls/front.h"
#include "sched/calls/range.h"
#include "sched/object/order.h"

#include <semaphore.h>

/* --- conditions ------------------------------------------------------------------------------- */

SCHED_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    clockid_t clock = CLOCK_REALTIME;

    if (turn_self) {
        if (attr) {
            pthread_condattr_getclock(attr, &clock);
        }
        object_made(c, clock, 0, TURN_CALLER);
    }
    return REAL(pthread_cond_init)(c, attr);
}

SCHED_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
    if (turn_self) {
        object_forget(c);
    }
    return turn_thread() ? 0 : REAL(pthread_cond_destroy)(RANGE_LOCK(c));
}

/* The C library's mark of an object that other processes share (nptl/pthread_cond_common.c,
 * sysdeps/nptl/internaltypes.h: struct pthread_barrier, struct new_sem). */
static bool cond_is_shared(const pthread_cond_t *c)
{
    return c->__data.__wrefs & 1;
}

static bool barrier_is_shared(const pthread_barrier_t *b)
{
    int shared;

    memcpy(&shared, (const char *)b + 12, sizeof(shared));
    return shared != 0;
}

static bool sem_is_shared(const sem_t *s)
{
    int shared;

    memcpy(&shared, (const char *)s + 8, sizeof(shared));
    return shared != 0;
}

/* The mutex is let go, and then waited for like any other lock. */
static int cond_waited(int r, const pthread_mutex_t *m, uintptr_t pc)
{
    order_let_go(m, pc);
    front_robust_took(r, m, pc);
    if (r != ENOTRECOVERABLE) {
        order_took(m, GRAPH_MUTEX, ORDER_WAITED, pc);
    }
    return r;
}

static int cond_real(int r, pthread_cond_t *c, pthread_mutex_t *m, uintptr_t pc)
{
    if (r == 0) {
        front_acquire(c, pc);
    }
    front_acquire(m, pc);
    return cond_waited(r, m, pc);
}

struct real_wait {
    const pthread_mutex_t *m;
    uintptr_t pc;
};

static void cond_cancelled(void *opaque)
{
    const struct real_wait *w = opaque;

    front_acquire(w->m, w->pc);
}

/* @call waits in the C library, which lets the mutex go itself. Cancelled there, the thread has it
 * again, as cleanup handlers expect. */
#define COND_REAL(c, m, at, call)                         \
    (__extension__({                                      \
        struct real_wait real_wait = { (m), (at) };       \
        int real_result;                                  \
                                                          \
        front_release((m), (at));                         \
        pthread_cleanup_push(cond_cancelled, &real_wait); \
        real_result = (call);                             \
        pthread_cleanup_pop(0);                           \
        cond_real(real_result, (c), (m), (at));           \
    }))

/* Another process may wait for it. */
static int cond_outside(struct thread *self, pthread_cond_t *c, pthread_mutex_t *m,
                        uint64_t until_ns, uintptr_t pc)
{
    clockid_t clock = c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    struct timespec real;
    const struct timespec *until = front_real_until(clock, until_ns, &real);

    return COND_REAL(c, m, pc,
                     until
                         ? FRONT_OUTSIDE(self, REAL_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2")(
                                                   RANGE_LOCK(c), RANGE_LOCK(m), until))
                         : FRONT_OUTSIDE(self, REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2")(
                                                   RANGE_LOCK(c), RANGE_LOCK(m))));
}

/* Waking and taking the mutex again are two steps: others may come in between, as POSIX has it. */
static int cond_wait(struct thread *self, pthread_cond_t *c, pthread_mutex_t *m, uint64_t until_ns,
                     uintptr_t pc)
{
    int r, locked;
    bool woken;

    front_point(self, pc); /* a thread may signal without the mutex */
    if (cond_is_shared(c)) {
        return cond_outside(self, c, m, until_ns, pc);
    }
    r = front_mutex_unlock(self, m, pc);
    if (r) {
        return r;
    }
    woken = turn_block(self, &(struct turn_wait){ .kind = WAIT_COND,
                                                  .key = c,
                                                  .until_ns = until_ns,
                                                  .object = object_number(c, pc),
                                                  .pc = pc });
    if (woken) {
        front_acquire(c, pc);
    }
    locked = front_mutex_lock(self, m, TURN_FOREVER, pc);
    cond_waited(locked, m, pc);
    pthread_testcancel(); /* with the mutex, as cleanup handlers expect */
    return locked ? locked : woken ? 0 : ETIMEDOUT;
}

int front_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uintptr_t pc)
{
    struct thread *self = turn_thread();

    if (!self) {
        return COND_REAL(c, m, pc,
                         FREE_WAIT(WAIT_COND, pc,
                                   REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2")(RANGE_WAIT(c),
                                                                                  RANGE_WAIT(m))));
    }
    return cond_wait(self, c, m, TURN_FOREVER, pc);
}

SCHED_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    return front_cond_wait(c, m, TURN_CALLER);
}

int front_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *at,
                         uintptr_t pc)
{
    struct thread *self = turn_thread();

    if (!self) {
        return COND_REAL(c, m, pc,
                         FREE_WAIT(WAIT_COND, pc,
                                   REAL_VERSION(pthread_cond_timedwait,
                                                "GLIBC_2.3.2")(RANGE_WAIT(c), RANGE_WAIT(m), at)));
    }
    if (!front_time_valid(at)) {
        return EINVAL;
    }
    return cond_wait(self, c, m, front_until(object_at(c, pc)->clock, at), pc);
}

SCHED_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                        const struct timespec *at)
{
    return front_cond_timedwait(c, m, at, TURN_CALLER);
}

SCHED_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                        const struct timespec *at)
{
    struct thread *self = turn_thread();

    if (!self) {
        return COND_REAL(
            c, m, TURN_CALLER,
            FREE_WAIT(WAIT_COND, TURN_CALLER,
                      REAL(pthread_cond_clockwait)(RANGE_WAIT(c), RANGE_WAIT(m), clock, at)));
    }
    if (!front_time_valid(at)) {
        return EINVAL;
    }
    return cond_wait(self, c, m, front_until(clock, at), TURN_CALLER);
}

int front_cond_signal(pthread_cond_t *c, uintptr_t pc)
{
    struct thread *self = turn_thread();

    front_release(c, pc);
    if (!self) {
        return REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2")(RANGE_LOCK(c));
    }
    front_point(self, pc);
    if (cond_is_shared(c)) {
        return REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2")(RANGE_LOCK(c));
    }
    turn_wake(self, c, 1, UINT32_MAX);
    return 0;
}

SCHED_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    return front_cond_signal(c, TURN_CALLER);
}

int front_cond_broadcast(pthread_cond_t *c, uintptr_t pc)
{
    struct thread *self = turn_thread();

    front_release(c, pc);
    if (!self) {
        return REAL_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2")(RANGE_LOCK(c));
    }
    front_point(self, pc);
    if (cond_is_shared(c)) {
        return REAL_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2")(RANGE_LOCK(c));
    }
    turn_wake(self, c, TURN_ALL, UINT32_MAX);
    return 0;
}

SCHED_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    return front_cond_broadcast(c, TURN_CALLER);
}

/* --- barriers --------------------------------------------------------------------------------- */

static void barrier_forget(const pthread_barrier_t *b)
{
    object_forget_late(b);
    object_forget_late((const char *)b + 1);
}

/* What stands for a round: numbers, because who leaves first may destroy the barrier. */
struct barrier_round {
    unsigned rounds;
    uint64_t number[2];
};

static struct barrier_round barrier_come(const pthread_barrier_t *b, uintptr_t pc)
{
    struct barrier_round r = { .rounds = object_come(b, !barrier_is_shared(b), pc) };

    for (unsigned i = 0; i < 2; i++) {
        const char *round = (const char *)b + i;

        if (r.rounds >> i & 1) {
            r.number[i] = front_release(round, pc);
            order_arrives(round, pc);
        }
    }
    return r;
}

static void barrier_leave(const pthread_barrier_t *b, const struct barrier_round *r, uintptr_t pc)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *round = (const char *)b + i;

        if (r->number[i]) {
            object_acquire_number(r->number[i]);
        } else if (r->rounds >> i & 1) { /* the board has come up meanwhile */
            front_acquire(round, pc);
        }
        if (r->rounds >> i & 1) {
            order_goes_on(round, pc);
        }
    }
}

SCHED_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr,
                                      unsigned count)
{
    int r = REAL(pthread_barrier_init)(b, attr, count);

    if (r == 0 && turn_self) {
        barrier_forget(b);
        object_made(b, 0, count, TURN_CALLER);
    }
    return r;
}

SCHED_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    if (turn_self) {
        barrier_forget(b);
    }
    return REAL(pthread_barrier_destroy)(RANGE_LOCK(b));
}

SCHED_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    struct thread *self = turn_thread();
    struct barrier_round round;
    struct object *o;
    int r;

    if (!self || object_at(b, TURN_CALLER)->count == 0) {
        round = barrier_come(b, TURN_CALLER);
        r = FREE_WAIT(WAIT_BARRIER, TURN_CALLER, REAL(pthread_barrier_wait)(RANGE_WAIT(b)));
        barrier_leave(b, &round, TURN_CALLER);
        return r;
    }
    front_point(self, TURN_CALLER);
    round = barrier_come(b, TURN_CALLER);
    if (barrier_is_shared(b)) {
        r = FRONT_OUTSIDE(self, REAL(pthread_barrier_wait)(RANGE_LOCK(b)));
        barrier_leave(b, &round, TURN_CALLER);
        return r;
    }
    o = object_at(b, TURN_CALLER);
    if (++o->arrived == o->count) {
        o->arrived = 0;
        turn_wake(self, b, TURN_ALL, UINT32_MAX);
        r = PTHREAD_BARRIER_SERIAL_THREAD;
    } else {
        turn_block(self, &(struct turn_wait){ .kind = WAIT_BARRIER,
                                              .key = b,
                                              .until_ns = TURN_FOREVER,
                                              .object = object_number(b, TURN_CALLER),
                                              .pc = TURN_CALLER });
        r = 0;
    }
    barrier_leave(b, &round, TURN_CALLER);
    return r;
}

/* --- semaphores ------------------------------------------------------------------------------- */

static int sem_real(int r, sem_t *s, uintptr_t pc)
{
    if (r == 0) {
        front_acquire(s, pc);
        order_goes_on(s, pc);
    }
    return r;
}

/* Signal handlers may post: so it is asked again at every switch point. */
static bool sem_is_up(void *sem)
{
    int value = 0;

    return sem_getvalue(sem, &value) == 0 && value > 0;
}

static int sem_outside(struct thread *self, sem_t *s, uint64_t until_ns, uintptr_t pc)
{
    struct timespec real;
    const struct timespec *until = front_real_until(CLOCK_REALTIME, until_ns, &real);

    return sem_real(until ? FRONT_OUTSIDE(self, REAL(sem_timedwait)(RANGE_LOCK(s), until))
                          : FRONT_OUTSIDE(self, REAL(sem_wait)(RANGE_LOCK(s))),
                    s, pc);
}

static int sem_take(struct thread *self, sem_t *s, uint64_t until_ns, uintptr_t pc)
{
    front_point(self, pc);
    while (REAL(sem_trywait)(RANGE_LOCK(s)) != 0) {
        if (errno != EAGAIN) {
            return -1;
        }
        if (sem_is_shared(s)) {
            return sem_outside(self, s, until_ns, pc);
        }
        if (!turn_block(self, &(struct turn_wait){ .kind = WAIT_SEM,
                                                   .key = s,
                                                   .until_ns = until_ns,
                                                   .ready = sem_is_up,
                                                   .arg = s,
                                                   .object = object_number(s, pc),
                                                   .pc = pc,
                                                   .interrupts = until_ns != TURN_FOREVER })) {
            errno = self->outcome == WAIT_INTERRUPTED ? EINTR : ETIMEDOUT;
            return -1;
        }
        pthread_testcancel();
    }
    front_acquire(s, pc);
    order_goes_on(s, pc);
    return 0;
}

SCHED_EXPORT int sem_wait(sem_t *s)
{
    struct thread *self = turn_thread();

    return self ? sem_take(self, s, TURN_FOREVER, TURN_CALLER)
                : sem_real(FREE_WAIT(WAIT_SEM, TURN_CALLER, REAL(sem_wait)(RANGE_WAIT(s))), s,
                           TURN_CALLER);
}

SCHED_EXPORT int sem_timedwait(sem_t *s, const struct timespec *at)
{
    struct thread *self = turn_thread();

    return self ? sem_take(self, s, front_until(CLOCK_REALTIME, at), TURN_CALLER)
                : sem_real(FREE_WAIT(WAIT_SEM, TURN_CALLER, REAL(sem_timedwait)(RANGE_WAIT(s), at)),
                           s, TURN_CALLER);
}

SCHED_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *at)
{
    struct thread *self = turn_thread();

    return self ? sem_take(self, s, front_until(clock, at), TURN_CALLER)
                : sem_real(FREE_WAIT(WAIT_SEM, TURN_CALLER,
                                     REAL(sem_clockwait)(RANGE_WAIT(s), clock, at)),
                           s, TURN_CALLER);
}

SCHED_EXPORT int sem_trywait(sem_t *s)
{
    struct thread *self = turn_thread();
    int r;

    if (self) {
        front_point(self, TURN_CALLER);
    }
    r = sem_real(REAL(sem_trywait)(RANGE_LOCK(s)), s, TURN_CALLER);
    if (r != 0) {
        int error = errno;

        front_loop(self, TURN_CALLER);
        errno = error;
    }
    return r;
}

SCHED_EXPORT int sem_post(sem_t *s)
{
    struct thread *self = turn_thread();
    int r;

    if (turn_board && !stack_in_handler()) { /* a handler may call it: handover.h */
        front_release(s, TURN_CALLER);
    }
    order_arrives(s, TURN_CALLER);
    r = REAL(sem_post)(RANGE_LOCK(s));
    if (self) {
        turn_wake(self, s, TURN_ALL, UINT32_MAX);
    }
    return r;
}

SCHED_EXPORT int sem_destroy(sem_t *s)
{
    if (turn_self) {
        object_forget(s);
    }
    return REAL(sem_destroy)(s);
}

/* --- once ------------------------------------------------------------------------------------- */

/* The values of glibc (nptl/pthreadP.h): what it sees later must be its own "done". */
enum { ONCE_NEW = 0, ONCE_RUNS = 1, ONCE_DONE = 2 };

static void once_undo(void *once)
{
    __atomic_store_n((int *)once, ONCE_NEW, __ATOMIC_RELEASE);
    if (turn_thread()) {
        turn_wake(turn_self, once, TURN_ALL, UINT32_MAX);
    }
}

/* Where threads run freely: the call that the C library is at. */
static _Thread_local struct once_call {
    void (*routine)(void);
    const void *once;
    uintptr_t pc;
} once_call __attribute__((tls_model("initial-exec")));

static void once_run(void)
{
    struct once_call call = once_call; /* the routine may make another one */

    application_once(call.routine);
    front_release(call.once, call.pc);
}

static int once_free(pthread_once_t *once, void (*routine)(void), uintptr_t pc)
{
    struct once_call outer = once_call;
    int r;

    if (!turn_self || turn_self->inside || front_is_ours(pc)) {
        return REAL(pthread_once)(RANGE_LOCK(once), routine);
    }
    once_call = (struct once_call){ routine, once, pc };
    r = REAL(pthread_once)(RANGE_LOCK(once), once_run);
    once_call = outer;
    front_acquire(once, pc);
    return r;
}

int front_once(pthread_once_t *once, void (*routine)(void), uintptr_t pc)
{
    struct thread *self = turn_thread();

    if (!self) {
        return once_free(once, routine, pc);
    }
    while (__atomic_load_n(once, __ATOMIC_ACQUIRE) == ONCE_RUNS) {
        turn_block(self, &(struct turn_wait){ .kind = WAIT_ONCE,
                                              .key = once,
                                              .until_ns = TURN_FOREVER,
                                              .object = object_number(once, pc),
                                              .pc = pc });
    }
    if (__atomic_load_n(once, __ATOMIC_ACQUIRE) == ONCE_NEW) {
        __atomic_store_n(once, ONCE_RUNS, __ATOMIC_RELEASE);
        pthread_cleanup_push(once_undo, once);
        application_once(routine);
        pthread_cleanup_pop(0);
        front_release(once, pc);
        __atomic_store_n(once, ONCE_DONE, __ATOMIC_RELEASE);
        turn_wake(self, once, TURN_ALL, UINT32_MAX);
    }
    front_acquire(once, pc);
    return 0;
}

SCHED_EXPORT int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    return front_once(once, routine, TURN_CALLER);
}
