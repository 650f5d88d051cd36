/* SPDX-License-Identifier: MIT */
/* Threads: creation, end, join. Each is numbered in order of creation, whatever the policy. */
#include "sched/calls/application.h"
#include "sched/calls/dispatch.h"
#include "sched/calls/front.h"
#include "sched/object/handover.h"
#include "sched/object/order.h"
#include "sched/processes/round.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_key_t leave_key;
static pthread_once_t leave_once = PTHREAD_ONCE_INIT;

/* A lock that it still holds names it for ever. */
static void thread_forget(struct thread *t)
{
    struct thread *oldest = turn_thread_forget(t);

    if (oldest && !object_holds_any(oldest)) {
        free(oldest);
    }
}

/* Destructors of thread-specific data may still run code of the program: ours comes in the last
 * round (POSIX: at least PTHREAD_DESTRUCTOR_ITERATIONS). */
static void thread_leave(void *opaque)
{
    struct thread *self = opaque;

    if (++self->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        REAL(pthread_setspecific)(leave_key, self);
        return;
    }
    object_release(self);
    if (self->detached) {
        object_forget(self);
        object_thread_ended(self);
    }
    front_owner_ends();
    order_thread_leave(self);
    turn_thread_leave(self);
    if (self->detached) {
        thread_forget(self);
    }
}

static void leave_key_make(void)
{
    pthread_key_create(&leave_key, thread_leave);
}

/* It lets others go on when it ends. */
static void leave_at_end(struct thread *self)
{
    REAL(pthread_once)(&leave_once, leave_key_make);
    REAL(pthread_setspecific)(leave_key, self);
}

static void *thread_main(void *opaque)
{
    struct thread *self = opaque;

    leave_at_end(self);
    turn_thread_enter(self);
    order_thread_enter(self, __builtin_frame_address(0));
    dispatch_begin();
    object_acquire(self);
    return application_start(self->start, self->arg);
}

static bool attr_is_detached(const pthread_attr_t *attr)
{
    int state = PTHREAD_CREATE_JOINABLE;

    return attr && pthread_attr_getdetachstate(attr, &state) == 0 &&
           state == PTHREAD_CREATE_DETACHED;
}

int front_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg,
                 uintptr_t pc)
{
    struct thread *self = turn_thread(), *t;
    int r;

    if (!turn_self || turn_self->inside) { /* before us, or a thread that is not the program's */
        return REAL(pthread_create)(handle, attr, start, arg);
    }
    turn_self->inside = true;
    leave_at_end(turn_self); /* main() may end by pthread_exit(). Keys of the program come first */
    if (turn_on) {
        dispatch_look();
    }
    t = turn_thread_new();
    t->start = start;
    t->arg = arg;
    t->created_at = stack_take(pc);
    t->detached = attr_is_detached(attr);
    order_thread_create(turn_self, t, attr);
    turn_self->inside = false;
    object_release(t);
    turn_self->inside = true;
    r = REAL(pthread_create)(handle, attr, thread_main, t);
    turn_self->inside = false;
    if (r) {
        turn_thread_cancel_new(t); /* its number is not used again */
        return r;
    }
    t->handle = *handle;
    if (self) {
        turn_progress(self);
        front_point(self, pc);
    }
    return 0;
}

SCHED_EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attr,
                                void *(*start)(void *), void *arg)
{
    return front_create(handle, attr, start, arg, TURN_CALLER);
}

static bool is_done(void *opaque)
{
    return atomic_load(&((struct thread *)opaque)->state) == THREAD_DONE;
}

static int thread_joined(int r, struct thread *t)
{
    if (r == 0 && t) {
        order_thread_joined(t);
        object_acquire(t);
        object_forget(t);
        object_thread_ended(t);
        thread_forget(t);
    }
    return r;
}

int front_join(struct thread *self, pthread_t handle, void **result, uint64_t until_ns,
               uintptr_t pc)
{
    struct thread *t = turn_thread_find(handle);
    int r;

    if (!self || !t || t == self) { /* with itself: the C library says EDEADLK */
        r = FREE_WAIT(WAIT_JOIN, pc, REAL(pthread_join)(handle, result));
    } else {
        front_point(self, pc);
        while (!is_done(t)) {
            if (!turn_block(self, &(struct turn_wait){ .kind = WAIT_JOIN,
                                                       .key = t,
                                                       .until_ns = until_ns,
                                                       .object = t->number,
                                                       .pc = pc })) {
                return ETIMEDOUT;
            }
            pthread_testcancel();
        }
        r = REAL(pthread_join)(handle, result); /* it has only the C library's own end before it */
    }
    return thread_joined(r, t);
}

SCHED_EXPORT int pthread_join(pthread_t handle, void **result)
{
    return front_join(turn_thread(), handle, result, TURN_FOREVER, TURN_CALLER);
}

SCHED_EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *at)
{
    struct thread *self = turn_thread(), *t = turn_thread_find(handle);

    return self ? front_join(self, handle, result, front_until(CLOCK_REALTIME, at), TURN_CALLER)
                : thread_joined(FREE_WAIT(WAIT_JOIN, TURN_CALLER,
                                          REAL(pthread_timedjoin_np)(handle, result, at)),
                                t);
}

SCHED_EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                      const struct timespec *at)
{
    struct thread *self = turn_thread(), *t = turn_thread_find(handle);

    return self ? front_join(self, handle, result, front_until(clock, at), TURN_CALLER)
                : thread_joined(FREE_WAIT(WAIT_JOIN, TURN_CALLER,
                                          REAL(pthread_clockjoin_np)(handle, result, clock, at)),
                                t);
}

SCHED_EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
    struct thread *self = turn_thread(), *t = turn_thread_find(handle);

    if (self && t && !is_done(t)) {
        turn_yield(self);
        if (!is_done(t)) {
            return EBUSY;
        }
    }
    if (self && t) {
        return front_join(self, handle, result, TURN_FOREVER, TURN_CALLER);
    }
    free_loop(FREE_LOOK, TURN_CALLER);
    return thread_joined(REAL(pthread_tryjoin_np)(handle, result), t);
}

SCHED_EXPORT int pthread_detach(pthread_t handle)
{
    struct thread *t = turn_self ? turn_thread_find(handle) : NULL;
    int r = REAL(pthread_detach)(handle);

    if (r == 0 && t) {
        t->detached = true;
        if (is_done(t)) {
            object_forget(t);
            object_thread_ended(t);
            thread_forget(t);
        }
    }
    return r;
}

void front_outside_cancelled(void *self)
{
    turn_outside_end(self);
}

/* A thread that waits hears of it at once; the C library knows only of waits of its own. */
SCHED_EXPORT int pthread_cancel(pthread_t handle)
{
    struct thread *self = turn_thread(), *t = self ? turn_thread_find(handle) : NULL;
    int r = REAL(pthread_cancel)(handle);

    if (r == 0 && t) {
        turn_interrupt(t);
        front_point(self, TURN_CALLER);
    }
    return r;
}

/* Does a handler of the program's run when @t gets @sig now? */
static bool is_handled(const struct thread *t, int sig)
{
    sigset_t one;
    struct sigaction action;

    sigemptyset(&one);
    return sigaddset(&one, sig) == 0 && sigaction(sig, NULL, &action) == 0 &&
           (action.sa_flags & SA_SIGINFO ||
            (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)) &&
           !front_signal_in(t->tid, "\nSigBlk:", &one);
}

struct kill {
    pthread_t handle;
    int sig;
    const union sigval *value;
};

static int kill_send(void *arg)
{
    const struct kill *k = arg;

    return k->value ? REAL(pthread_sigqueue)(k->handle, k->sig, *k->value)
                    : REAL(pthread_kill)(k->handle, k->sig);
}

/* Its handler runs at once, although it is not its turn: the caller goes on when it is over. */
static int front_kill(struct kill *k, uintptr_t pc)
{
    struct thread *self = turn_thread(), *t = self && k->sig ? turn_thread_find(k->handle) : NULL;
    int r;

    handover_signal_give(k->sig, pc);
    r = t && t != self && is_handled(t, k->sig) ? turn_signal(t, kill_send, k) : kill_send(k);
    if (self && r == 0) {
        front_point(self, pc);
    }
    return r;
}

SCHED_EXPORT int pthread_kill(pthread_t handle, int sig)
{
    return front_kill(&(struct kill){ handle, sig, NULL }, TURN_CALLER);
}

SCHED_EXPORT int pthread_sigqueue(pthread_t handle, int sig, const union sigval value)
{
    return front_kill(&(struct kill){ handle, sig, &value }, TURN_CALLER);
}

/* Where processes take turns: one that the signal ends has ended before the call returns. */
static int thread_killed(int r, pid_t pid, int sig)
{
    int error = errno;

    if (r == 0 && turn_thread() && round_on) {
        round_killed(pid, sig);
    }
    errno = error;
    return r;
}

/* Which thread of the process gets it is the kernel's choice. */
SCHED_EXPORT int kill(pid_t pid, int sig)
{
    if (pid <= 0 || pid == getpid()) {
        handover_signal_give(sig, TURN_CALLER);
    }
    return thread_killed(REAL(kill)(pid, sig), pid, sig);
}

SCHED_EXPORT int killpg(pid_t group, int sig)
{
    handover_signal_give(sig, TURN_CALLER);
    return thread_killed(REAL(killpg)(group, sig), group ? -group : 0, sig);
}

SCHED_EXPORT int sigqueue(pid_t pid, int sig, const union sigval value)
{
    if (pid == getpid()) {
        handover_signal_give(sig, TURN_CALLER);
    }
    return thread_killed(REAL(sigqueue)(pid, sig, value), pid, sig);
}

SCHED_EXPORT int tgkill(pid_t pid, pid_t tid, int sig)
{
    if (pid == getpid()) {
        handover_signal_give(sig, TURN_CALLER);
    }
    return REAL(tgkill)(pid, tid, sig);
}

int front_yield(uintptr_t pc)
{
    struct thread *self = turn_thread();

    if (!self) {
        free_loop(FREE_LOOK, pc);
        return REAL(sched_yield)();
    }
    turn_yield(self);
    return 0;
}

SCHED_EXPORT int sched_yield(void)
{
    return front_yield(TURN_CALLER);
}
