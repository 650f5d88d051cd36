/* SPDX-License-Identifier: MIT */
/* What GLib's locks and queues order. They are made of atomics inside libglib, of which no hook
 * reports, and of futexes only where a thread waits; inside libglib they call each other without
 * passing by here, so queues and pools are reported by themselves. GMainContext wakes its thread
 * through an eventfd: handover.c. */
#include "sched/calls/application.h"
#include "sched/calls/front.h"
#include "sched/object/order.h"

#include <stdlib.h>

static void glib_acquire(const void *lock, enum graph_kind kind, unsigned how, uintptr_t pc)
{
    if (kind == GRAPH_RWLOCK) {
        front_rwlock_acquire(lock, !(how & ORDER_READ), pc);
    } else {
        front_acquire(lock, pc);
    }
}

/* Some are made of pthread's, which are not reported twice. */
#define LOCK(name, kind, how)                       \
    extern void name(void *lock);                   \
    SCHED_EXPORT void name(void *lock)              \
    {                                               \
        order_within(true);                         \
        REAL_NEAR(name, TURN_CALLER)(lock);         \
        order_within(false);                        \
        glib_acquire(lock, kind, how, TURN_CALLER); \
        order_took(lock, kind, how, TURN_CALLER);   \
    }
#define TRY(name, kind, how)                                          \
    extern int name(void *lock);                                      \
    SCHED_EXPORT int name(void *lock)                                 \
    {                                                                 \
        int r;                                                        \
                                                                      \
        order_within(true);                                           \
        r = REAL_NEAR(name, TURN_CALLER)(lock);                       \
        order_within(false);                                          \
        if (r) {                                                      \
            glib_acquire(lock, kind, how, TURN_CALLER);               \
            order_took(lock, kind, (how) | ORDER_TRIED, TURN_CALLER); \
        } else {                                                      \
            front_loop(turn_thread(), TURN_CALLER);                   \
        }                                                             \
        return r;                                                     \
    }
#define UNLOCK(name, release)               \
    extern void name(void *lock);           \
    SCHED_EXPORT void name(void *lock)      \
    {                                       \
        order_let_go(lock, TURN_CALLER);    \
        release;                            \
        order_within(true);                 \
        REAL_NEAR(name, TURN_CALLER)(lock); \
        order_within(false);                \
    }
/* Another lock from now on. All are forgotten as if they were read-write locks, which have more. */
#define NEW(name, size)                     \
    extern void name(void *lock);           \
    SCHED_EXPORT void name(void *lock)      \
    {                                       \
        front_rwlock_forget(lock, size);    \
        REAL_NEAR(name, TURN_CALLER)(lock); \
    }

LOCK(g_mutex_lock, GRAPH_MUTEX, ORDER_WAITED)
TRY(g_mutex_trylock, GRAPH_MUTEX, ORDER_WAITED)
UNLOCK(g_mutex_unlock, front_release(lock, TURN_CALLER))
NEW(g_mutex_init, 8)
NEW(g_mutex_clear, 8)
LOCK(g_rec_mutex_lock, GRAPH_MUTEX, ORDER_WAITED)
TRY(g_rec_mutex_trylock, GRAPH_MUTEX, ORDER_WAITED)
UNLOCK(g_rec_mutex_unlock, front_release(lock, TURN_CALLER))
NEW(g_rec_mutex_init, 16)
NEW(g_rec_mutex_clear, 16)
LOCK(g_rw_lock_writer_lock, GRAPH_RWLOCK, ORDER_WAITED)
TRY(g_rw_lock_writer_trylock, GRAPH_RWLOCK, ORDER_WAITED)
UNLOCK(g_rw_lock_writer_unlock, front_rwlock_release(lock, true, TURN_CALLER))
LOCK(g_rw_lock_reader_lock, GRAPH_RWLOCK, ORDER_READ)
TRY(g_rw_lock_reader_trylock, GRAPH_RWLOCK, ORDER_READ)
UNLOCK(g_rw_lock_reader_unlock, front_rwlock_release(lock, false, TURN_CALLER))
NEW(g_rw_lock_init, 16)
NEW(g_rw_lock_clear, 16)

/* --- conditions: the mutex is what orders ----------------------------------------------------- */

/* Somebody may signal who does not take the mutex. */
static void wait_point(uintptr_t pc)
{
    struct thread *self = turn_thread();

    if (self) {
        front_point(self, pc);
    }
}

extern void g_cond_wait(void *cond, void *mutex);
SCHED_EXPORT void g_cond_wait(void *cond, void *mutex)
{
    wait_point(TURN_CALLER);
    front_release(mutex, TURN_CALLER);
    order_let_go(mutex, TURN_CALLER);
    REAL_NEAR(g_cond_wait, TURN_CALLER)(cond, mutex);
    front_acquire(mutex, TURN_CALLER);
    order_took(mutex, GRAPH_MUTEX, ORDER_WAITED, TURN_CALLER);
}

extern int g_cond_wait_until(void *cond, void *mutex, int64_t until);
SCHED_EXPORT int g_cond_wait_until(void *cond, void *mutex, int64_t until)
{
    int r;

    wait_point(TURN_CALLER);
    front_release(mutex, TURN_CALLER);
    order_let_go(mutex, TURN_CALLER);
    r = REAL_NEAR(g_cond_wait_until, TURN_CALLER)(cond, mutex, until);
    front_acquire(mutex, TURN_CALLER);
    order_took(mutex, GRAPH_MUTEX, ORDER_WAITED, TURN_CALLER);
    return r;
}

/* --- queues ----------------------------------------------------------------------------------- */

#define PUSH(name, params, args)           \
    extern void name params;               \
    SCHED_EXPORT void name params          \
    {                                      \
        front_release(queue, TURN_CALLER); \
        REAL_NEAR(name, TURN_CALLER) args; \
    }
#define POP(name, params, args)                         \
    extern void *name params;                           \
    SCHED_EXPORT void *name params                      \
    {                                                   \
        void *data = REAL_NEAR(name, TURN_CALLER) args; \
                                                        \
        front_acquire(queue, TURN_CALLER);              \
        return data;                                    \
    }

LOCK(g_async_queue_lock, GRAPH_MUTEX, ORDER_WAITED)
UNLOCK(g_async_queue_unlock, front_release(lock, TURN_CALLER))
PUSH(g_async_queue_push, (void *queue, void *data), (queue, data))
PUSH(g_async_queue_push_unlocked, (void *queue, void *data), (queue, data))
PUSH(g_async_queue_push_front, (void *queue, void *data), (queue, data))
PUSH(g_async_queue_push_front_unlocked, (void *queue, void *data), (queue, data))
PUSH(g_async_queue_push_sorted, (void *queue, void *data, void *less, void *arg),
     (queue, data, less, arg))
PUSH(g_async_queue_push_sorted_unlocked, (void *queue, void *data, void *less, void *arg),
     (queue, data, less, arg))
POP(g_async_queue_pop, (void *queue), (queue))
POP(g_async_queue_pop_unlocked, (void *queue), (queue))
POP(g_async_queue_try_pop, (void *queue), (queue))
POP(g_async_queue_try_pop_unlocked, (void *queue), (queue))
POP(g_async_queue_timeout_pop, (void *queue, uint64_t us), (queue, us))
POP(g_async_queue_timeout_pop_unlocked, (void *queue, uint64_t us), (queue, us))
POP(g_async_queue_timed_pop, (void *queue, void *until), (queue, until))
POP(g_async_queue_timed_pop_unlocked, (void *queue, void *until), (queue, until))

/* --- once: its macros look first, as the compiler does at a static variable of C++ ------------ */

#define ENTER(name)                                  \
    extern int name(void *place);                    \
    SCHED_EXPORT int name(void *place)               \
    {                                                \
        int r = REAL_NEAR(name, TURN_CALLER)(place); \
                                                     \
        front_flag_acquire(place, TURN_CALLER);      \
        return r;                                    \
    }
#define LEAVE(name, type)                           \
    extern void name(void *place, type value);      \
    SCHED_EXPORT void name(void *place, type value) \
    {                                               \
        front_flag_release(place, TURN_CALLER);     \
        REAL_NEAR(name, TURN_CALLER)(place, value); \
    }

ENTER(g_once_init_enter)
ENTER(g_once_init_enter_pointer)
LEAVE(g_once_init_leave, size_t)
LEAVE(g_once_init_leave_pointer, void *)

struct once {
    void *place, *arg;
    void *(*function)(void *arg);
    uintptr_t pc;
};

static void *once_run(void *opaque)
{
    struct once *o = opaque;
    void *result = application_start(o->function, o->arg);

    front_flag_release(o->place, o->pc);
    return result;
}

extern void *g_once_impl(void *place, void *(*function)(void *), void *arg);
SCHED_EXPORT void *g_once_impl(void *place, void *(*function)(void *), void *arg)
{
    struct once o = { place, arg, function, TURN_CALLER };
    void *result;

    if (front_is_ours(o.pc)) {
        return REAL_NEAR(g_once_impl, o.pc)(place, function, arg);
    }
    result = REAL_NEAR(g_once_impl, o.pc)(place, once_run, &o);
    front_flag_acquire(place, o.pc);
    return result;
}
