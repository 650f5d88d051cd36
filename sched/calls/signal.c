/* SPDX-License-Identifier: MIT */
/* Waits for signals: sigwait, sigsuspend, pause. */
#include "sched/calls/descriptor.h"
#include "sched/calls/front.h"
#include "sched/object/handover.h"
#include "sched/processes/round.h"

#include <signal.h>
#include <unistd.h>

struct signal_wait {
    const sigset_t *set;
    pid_t tid;
};

static bool signal_pending(void *opaque)
{
    const struct signal_wait *w = opaque;

    return front_signal_pending(w->tid, w->set);
}

/* As sigwaitinfo(2). What was pending may have gone to another thread by then: it is waited for
 * again. */
static int signal_take(struct thread *self, const sigset_t *set, siginfo_t *info, uint64_t until_ns,
                       uintptr_t pc)
{
    static const struct timespec now;
    struct signal_wait w = { set, self->tid };
    bool ended;
    int r;

    front_point(self, pc);
    do {
        ended = signal_pending(&w) || turn_block(self, &(struct turn_wait){ .kind = WAIT_CHILD,
                                                                            .until_ns = until_ns,
                                                                            .ready = signal_pending,
                                                                            .arg = &w,
                                                                            .pc = pc });
        r = REAL(sigtimedwait)(set, info, &now);
    } while (r < 0 && errno == EAGAIN && ended);
    handover_signal_take(r, pc);
    return r;
}

SCHED_EXPORT int sigwait(const sigset_t *restrict set, int *restrict sig)
{
    struct thread *self = turn_thread();
    int r;

    if (self) {
        r = signal_take(self, set, NULL, TURN_FOREVER, TURN_CALLER);
        *sig = r > 0 ? r : *sig;
        return r > 0 ? 0 : errno;
    }
    r = REAL(sigwait)(set, sig);
    if (r == 0) {
        handover_signal_take(*sig, TURN_CALLER);
    }
    return r;
}

SCHED_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    struct thread *self = turn_thread();
    int r;

    if (self) {
        return signal_take(self, set, info, TURN_FOREVER, TURN_CALLER);
    }
    r = REAL(sigwaitinfo)(set, info);
    handover_signal_take(r, TURN_CALLER);
    return r;
}

SCHED_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                              const struct timespec *restrict timeout)
{
    struct thread *self = turn_thread();
    int r;

    if (self) {
        return signal_take(self, set, info, front_after(timeout), TURN_CALLER);
    }
    r = REAL(sigtimedwait)(set, info, timeout);
    handover_signal_take(r, TURN_CALLER);
    return r;
}

/* Until a signal comes that @mask lets in. Where processes take turns the one that sends it may be
 * of the run; a child that ends is. */
static int signal_await(struct thread *self, const sigset_t *mask, uintptr_t pc)
{
    struct signal_wait w = { .tid = self->tid };
    sigset_t in;

    sigemptyset(&in);
    descriptor_signals_let_in(mask, &in);
    w.set = &in;
    front_point(self, pc);
    while (!signal_pending(&w)) {
        turn_block(self,
                   &(struct turn_wait){ .kind = sigismember(&in, SIGCHLD) ? WAIT_CHILD : WAIT_FD,
                                        .what = "a signal",
                                        .until_ns = TURN_FOREVER,
                                        .ready = signal_pending,
                                        .arg = &w,
                                        .pc = pc,
                                        .interrupts = true });
        pthread_testcancel();
        if (self->outcome == WAIT_INTERRUPTED) { /* it came in by the thread's own mask */
            self->outcome = WAIT_ENDED;
            errno = EINTR;
            return -1;
        }
    }
    return REAL(sigsuspend)(mask);
}

SCHED_EXPORT int sigsuspend(const sigset_t *mask)
{
    struct thread *self = turn_thread();

    return !self      ? REAL(sigsuspend)(mask)
           : round_on ? signal_await(self, mask, TURN_CALLER)
                      : FRONT_OUTSIDE(self, REAL(sigsuspend)(mask));
}

SCHED_EXPORT int pause(void)
{
    struct thread *self = turn_thread();
    sigset_t mask;

    if (self && round_on) {
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        return signal_await(self, &mask, TURN_CALLER);
    }
    return self ? FRONT_OUTSIDE(self, REAL(pause)()) : REAL(pause)();
}
