/* SPDX-License-Identifier: MIT */
/* Threads of C11 (7.26). glibc makes them of the same parts as POSIX threads, without passing by
 * the functions that others stand in front of; its mtx_t, cnd_t and once_flag are pthread's objects
 * by another name (nptl/mtx_lock.c and its neighbours call pthread's functions on them). */
#include "sched/calls/application.h"
#include "sched/calls/front.h"
#include "sched/object/order.h"

#include <stdlib.h>
#include <threads.h>

static pthread_mutex_t *mutex_of(mtx_t *m)
{
    return (pthread_mutex_t *)(void *)m;
}

static pthread_cond_t *cond_of(cnd_t *c)
{
    return (pthread_cond_t *)(void *)c;
}

static int result_of(int error)
{
    return error == 0           ? thrd_success
           : error == ENOMEM    ? thrd_nomem
           : error == ETIMEDOUT ? thrd_timedout
           : error == EBUSY     ? thrd_busy
                                : thrd_error;
}

/* --- threads ---------------------------------------------------------------------------------- */

struct start {
    thrd_start_t function;
    void *arg;
};

static void *thread_start(void *opaque)
{
    struct start s = *(struct start *)opaque;

    free(opaque);
    return (void *)(intptr_t)application_start_c11(s.function, s.arg);
}

SCHED_EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *arg)
{
    struct start *s = malloc(sizeof(*s));
    int r;

    if (!s) {
        return thrd_nomem;
    }
    *s = (struct start){ function, arg };
    r = front_create(thread, NULL, thread_start, s, TURN_CALLER);
    if (r) {
        free(s);
    }
    return r == EAGAIN ? thrd_nomem : result_of(r); /* 7.26.5.1: no memory for another thread */
}

SCHED_EXPORT int thrd_join(thrd_t thread, int *result)
{
    void *value = NULL;
    int r = front_join(turn_thread(), thread, &value, TURN_FOREVER, TURN_CALLER);

    if (r == 0 && result) {
        *result = (int)(intptr_t)value;
    }
    return result_of(r);
}

SCHED_EXPORT int thrd_detach(thrd_t thread)
{
    return result_of(pthread_detach(thread));
}

SCHED_EXPORT void thrd_yield(void)
{
    front_yield(TURN_CALLER);
}

SCHED_EXPORT int thrd_sleep(const struct timespec *how_long, struct timespec *left)
{
    struct thread *self = turn_thread();
    uint64_t left_ns;

    if (!self) {
        free_loop(FREE_SLEEP, TURN_CALLER);
        return REAL(thrd_sleep)(how_long, left);
    }
    if (!front_time_valid(how_long) || how_long->tv_sec < 0) {
        return -2; /* 7.26.5.7: another negative value than -1 */
    }
    left_ns = front_sleep(self, front_after(how_long), TURN_CALLER);
    if (left && left_ns) {
        *left = (struct timespec){ (time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000) };
    }
    return left_ns ? -1 : 0;
}

/* --- mutexes ---------------------------------------------------------------------------------- */

SCHED_EXPORT int mtx_init(mtx_t *m, int type)
{
    order_forget(m, sizeof(*m));
    return REAL(mtx_init)(m, type);
}

SCHED_EXPORT int mtx_lock(mtx_t *m)
{
    return result_of(front_lock(mutex_of(m), TURN_CALLER));
}

SCHED_EXPORT int mtx_trylock(mtx_t *m)
{
    return result_of(front_trylock(mutex_of(m), TURN_CALLER));
}

SCHED_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
    return result_of(front_timedlock(mutex_of(m), until, TURN_CALLER));
}

SCHED_EXPORT int mtx_unlock(mtx_t *m)
{
    return result_of(front_unlock(mutex_of(m), TURN_CALLER));
}

SCHED_EXPORT void mtx_destroy(mtx_t *m)
{
    pthread_mutex_destroy(mutex_of(m));
}

/* --- conditions, once ------------------------------------------------------------------------- */

SCHED_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    return result_of(front_cond_wait(cond_of(c), mutex_of(m), TURN_CALLER));
}

SCHED_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
                               const struct timespec *restrict until)
{
    return result_of(front_cond_timedwait(cond_of(c), mutex_of(m), until, TURN_CALLER));
}

SCHED_EXPORT int cnd_signal(cnd_t *c)
{
    return result_of(front_cond_signal(cond_of(c), TURN_CALLER));
}

SCHED_EXPORT int cnd_broadcast(cnd_t *c)
{
    return result_of(front_cond_broadcast(cond_of(c), TURN_CALLER));
}

SCHED_EXPORT void cnd_destroy(cnd_t *c)
{
    pthread_cond_destroy(cond_of(c));
}

SCHED_EXPORT void call_once(once_flag *once, void (*routine)(void))
{
    front_once((pthread_once_t *)(void *)once, routine, TURN_CALLER);
}
