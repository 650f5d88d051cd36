/* SPDX-License-Identifier: MIT */
/* No thread is runnable: virtual time moves to the next time limit, the process waits for what
 * comes from outside, or it is a deadlock. */
#include "sched/calls/real.h"
#include "sched/processes/round.h"
#include "sched/turn/outside.h"
#include "sched/turn/roster.h"
#include "sched/turn/turn_internal.h"
#include "sched/turn/watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void idle_outside_notify(void)
{
    uint64_t one = 1;

    if (REAL(write)(turn_state.outside_event, &one, sizeof(one)) < 0) {
        abort();
    }
}

static uint64_t idle_first_timer(void)
{
    uint64_t first = TURN_FOREVER;

    for (unsigned i = 0; i < roster.n; i++) {
        const struct thread *t = roster.live[i];

        if (atomic_load(&t->state) == THREAD_WAITS && t->wait.until_ns < first) {
            first = t->wait.until_ns;
        }
    }
    return first;
}

bool idle_timer_jump(void)
{
    uint64_t first = idle_first_timer(), now = turn_now_ns();

    if (first == TURN_FOREVER) {
        return false;
    }
    time_advance(first > now ? first - now : 0);
    return true;
}

/* Another process may end such a wait, and no descriptor shows it. */
static bool idle_is_polled(enum wait_kind kind)
{
    return kind == WAIT_CHILD || kind == WAIT_SEMOP || kind == WAIT_MESSAGE || kind == WAIT_FLOCK ||
           kind == WAIT_RECORD_LOCK;
}

/* Wait for the world: descriptors, children, threads that are outside. Return: false if nothing of
 * it is waited for. */
static bool idle_outside_wait(uint64_t *since)
{
    struct pollfd fds[256] = { { .fd = turn_state.outside_event, .events = POLLIN } };
    nfds_t n = 1;
    bool any = outside_may_act(false, since); /* a handler may be over before poll() begins */
    int timeout = any ? (int)WATCH_MS : -1;
    uint64_t drained;

    for (unsigned i = 0; i < roster.n; i++) {
        const struct thread *t = roster.live[i];
        enum thread_state state = atomic_load(&t->state);

        if (state == THREAD_ENABLED) {
            return true; /* just came back from outside */
        }
        any |= state == THREAD_OUTSIDE || (state == THREAD_WAITS && t->wait.interrupts);
        if (state != THREAD_WAITS || (t->wait.kind != WAIT_FD && !idle_is_polled(t->wait.kind))) {
            continue;
        }
        any = true;
        if (t->wait.kind != WAIT_FD || n + t->wait.nfds > sizeof(fds) / sizeof(fds[0])) {
            timeout = 2;
            continue;
        }
        memcpy(fds + n, t->wait.fds, t->wait.nfds * sizeof(*fds));
        n += t->wait.nfds;
    }
    if (any) {
        unsigned ticks = atomic_load(&turn_self->ticks);

        if (REAL(poll)(fds, n, timeout) < 0 && atomic_load(&turn_self->ticks) == ticks) {
            atomic_fetch_add(&turn_self->signals, 1); /* a handler of the program's has run */
            return true;
        }
        if (fds[0].revents && REAL(read)(turn_state.outside_event, &drained, sizeof(drained)) < 0) {
            return true; /* another thread has read it: the states show */
        }
    }
    return any;
}

static bool idle_board_waiter_end(void)
{
    for (unsigned i = 0; i < roster.n; i++) {
        struct thread *t = roster.live[i];

        if (atomic_load(&t->state) == THREAD_WAITS && t->wait.kind == WAIT_BOARD && !t->wait.firm) {
            choice_thread_enable(t, WAIT_HOPELESS);
            return true;
        }
    }
    return false;
}

/* A handler of the program's may run on a thread that waits, and wake a thread: it is over when the
 * thread comes out of the kernel again. */
static void idle_handlers_await(void)
{
    for (unsigned i = 0; i < roster.n; i++) {
        struct thread *t = roster.live[i];
        unsigned before = atomic_load(&t->awaits);

        for (unsigned n = 0;
             t != turn_self && atomic_load(&t->awaits) == before && n < TURN_HANDLER_LOOKS; n++) {
            real_futex_wake(&t->go);
            REAL(nanosleep)(&(struct timespec){ 0, TURN_HANDLER_NS }, NULL);
        }
    }
}

/* Why @t cannot run: of enum round_why. */
static unsigned idle_reason(const struct thread *t)
{
    if (atomic_load(&t->state) != THREAD_WAITS) {
        return ROUND_WORLD; /* it is outside, or just came back from there */
    }
    switch (t->wait.kind) {
    case WAIT_FD:
        return ROUND_WORLD;
    case WAIT_CHILD:
        return round_has_child() ? ROUND_CHILD : ROUND_WORLD;
    case WAIT_BOARD:
        return t->wait.firm ? ROUND_OTHERS : ROUND_BOARD;
    default:
        return idle_is_polled(t->wait.kind) ? ROUND_OTHERS : t->wait.interrupts ? ROUND_WORLD : 0;
    }
}

/* Where processes take turns: until a thread of this one can run. */
static struct thread *idle_round_pick(void)
{
    uint64_t since = 0;

    for (bool sure = false;;) {
        struct thread *next = choice_pick();
        enum round_what what = ROUND_STUCK;
        unsigned why;

        if (next) {
            return next;
        }
        why = outside_may_act(false, &since) ? ROUND_WORLD : 0;
        for (unsigned i = 0; i < roster.n; i++) {
            why |= idle_reason(roster.live[i]);
        }
        if (why || idle_first_timer() != TURN_FOREVER) { /* else no other process can help */
            what = round_stand(idle_first_timer(), why);
        }
        if (what == ROUND_TIMER && idle_timer_jump()) {
            round_runs(0);
        } else if (what == ROUND_HOPELESS && idle_board_waiter_end()) {
            round_runs(0);
        } else if (what == ROUND_STUCK && sure) {
            turn_deadlock();
        } else if (what == ROUND_STUCK) {
            idle_handlers_await();
        }
        sure = what == ROUND_STUCK;
    }
}

struct thread *idle_pick(void)
{
    uint64_t since = 0;

    if (round_on) {
        return idle_round_pick();
    }
    for (bool sure = false;;) {
        struct thread *next = choice_pick();

        if (next) {
            return next;
        }
        if (idle_timer_jump() || idle_outside_wait(&since)) {
            sure = false;
        } else if (!sure) {
            idle_handlers_await();
            sure = true;
        } else if (!idle_board_waiter_end()) {
            turn_deadlock();
        }
    }
}

struct thread *idle_pick_now(void)
{
    struct thread *next;

    do {
        next = choice_pick();
    } while (!next && !round_on && idle_timer_jump());
    return next;
}
