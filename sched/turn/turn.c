/* SPDX-License-Identifier: MIT */
#include "sched/turn/turn_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sched/calls/front.h"
#include "sched/calls/real.h"
#include "sched/processes/round.h"
#include "sched/turn/asleep.h"
#include "sched/turn/outside.h"
#include "sched/turn/roster.h"
#include "sched/turn/spin.h"
#include "sched/turn/watch.h"

#define LOOKS_SLOW 1000u /* so many looks without anything else: time goes faster */
#define LOOK_NS_MAX 1000000u
#define FRUITLESS_MAX 1000000u /* turns of nothing but loops that wait: a livelock */
#define JUMPS_MAX 1000u        /* but so often a thread that sleeps wakes up first */
#define SPIN_TURNS 4000u       /* so many of them are in a tick of spin.c, at least */

/* --- time ------------------------------------------------------------------------------------- */

/* The longer a thread does nothing but look at a clock, the faster it runs; others go on before it
 * does. */
uint64_t turn_clock_look(struct thread *self, uintptr_t pc)
{
    uint64_t ns = TURN_LOOK_NS, looks = turn_state.looks++;

    if (looks >= LOOKS_SLOW && !front_is_ours(pc)) {
        turn_yield(self);
        turn_state.looks = looks + 1; /* its own loop goes on, whatever the others did */
    }
    for (uint64_t n = looks / LOOKS_SLOW; n > 0 && ns < LOOK_NS_MAX; n--) {
        ns *= 2;
    }
    time_base_add(ns); /* an allocator may look at a clock while the board is locked */
    turn_state.fruitless = 0;
    return turn_now_ns();
}

/* --- handing over ----------------------------------------------------------------------------- */

static void turn_give(struct thread *to)
{
    atomic_store(&turn_state.owner, to);
    atomic_store(&to->go, 1);
    real_futex_wake(&to->go);
}

/* Memory of a thread that ends goes back to the C library only now: or what the next malloc() gives
 * would be a matter of luck. And the kernel goes through its robust mutexes. */
static void turn_leaver_wait(void)
{
    while (turn_state.leaver && REAL(syscall)(SYS_tgkill, getpid(), turn_state.leaver, 0) == 0 &&
           !(turn_state.leaver == getpid() && asleep_for_good(turn_state.leaver))) {
        REAL(syscall)(SYS_sched_yield);
    }
    turn_state.leaver = 0;
}

static void turn_await(struct thread *self)
{
    while (!atomic_load(&self->go)) {
        unsigned ticks = atomic_load(&self->ticks);

        switch (real_futex_wait(&self->go, 0, WATCH_MS)) {
        case ETIMEDOUT:
            watch_look(self);
            break;
        case EINTR: /* a handler of the program's ran on this thread */
            if (atomic_load(&self->ticks) == ticks && !atomic_load(&self->killed)) {
                atomic_fetch_add(&self->signals, 1);
                idle_outside_notify();
            }
            break;
        default:
            break;
        }
        atomic_fetch_add(&self->awaits, 1);
    }
    atomic_store(&self->go, 0);
    turn_leaver_wait();
}

static void turn_hand_over(struct thread *self)
{
    struct thread *next = idle_pick();

    if (next != self) {
        turn_give(next);
        turn_await(self);
    }
}

/* --- for the functions in front of the C library ---------------------------------------------- */

/* The kernel lets a handler run when the thread leaves the kernel. It may just have left it, and be
 * about to wait: only the second time that it comes back from there it has been in there after the
 * signal was sent. Whether that ended its futex call is luck; so the sender counts. */
int turn_signal(struct thread *t, int (*send)(void *arg), void *arg)
{
    unsigned before;
    int r;

    atomic_store(&t->killed, true);
    r = send(arg);
    before = atomic_load(&t->awaits);
    for (unsigned n = 0; r == 0 && atomic_load(&t->awaits) - before < 2 && n < TURN_HANDLER_LOOKS;
         n++) {
        real_futex_wake(&t->go);
        REAL(nanosleep)(&(struct timespec){ 0, TURN_HANDLER_NS }, NULL);
    }
    if (r == 0) {
        atomic_fetch_add(&t->signals, 1);
    }
    atomic_store(&t->killed, false);
    return r;
}

uint64_t turn_events(const struct thread *self)
{
    const struct vtegra_track_watch *w = &self->watch;

    return self->events + w->next + w->fruitless + w->stores;
}

void turn_cancel_off(struct thread *self)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &self->cancel_state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &self->cancel_type);
}

/* The type comes last: where the state lets a thread of asynchronous type be cancelled, the C
 * library (glibc 2.36, pthread_setcancelstate()) ends it without PTHREAD_CANCELED. */
static void turn_cancel_restore(int state, int type)
{
    pthread_setcancelstate(state, NULL);
    pthread_setcanceltype(type, NULL);
}

/* Into the scheduler; a thread that was given up for asleep waits for its turn first. What it calls
 * here may be a cancellation point (a file is opened, a trace written): a thread that ended there
 * would take locks of ours with it, and when it gets there is luck. */
static void turn_enter(struct thread *self)
{
    enum thread_state outside = THREAD_OUTSIDE;

    self->inside = true;
    turn_cancel_off(self);
    if (atomic_load(&self->state) == THREAD_OUTSIDE &&
        atomic_compare_exchange_strong(&self->state, &outside, THREAD_ENABLED)) {
        idle_outside_notify();
        turn_await(self);
    }
}

/* A handler of the program's that comes now may be inside in its turn. */
void turn_leave(struct thread *self)
{
    int state = self->cancel_state, type = self->cancel_type;

    self->inside = false;
    turn_cancel_restore(state, type);
}

/* Cancellation points of POSIX: not mutexes, spin locks, barriers. */
static bool turn_may_be_cancelled(const struct thread *t, enum wait_kind kind)
{
    static const bool may[WAIT_KINDS] = {
        [WAIT_COND] = true,  [WAIT_SEM] = true, [WAIT_JOIN] = true,    [WAIT_SLEEP] = true,
        [WAIT_CHILD] = true, [WAIT_FD] = true,  [WAIT_MESSAGE] = true, [WAIT_RECORD_LOCK] = true,
    };

    return may[kind] && t->cancel_state == PTHREAD_CANCEL_ENABLE;
}

void turn_point(struct thread *self)
{
    turn_enter(self);
    self->events++;
    if (turn_board || round_on ||
        roster.n > 1) { /* a report that is written when all is over decides nothing */
        turn_hand_over(self);
    }
    turn_leave(self);
}

/* So many turns more of loops that wait. */
static void turn_fruitless_count(unsigned turns)
{
    if (round_on && round_progress_count() != turn_state.others) {
        turn_state.others = round_progress_count();
        turn_state.fruitless = 0;
    }
    turn_state.fruitless += turns;
    if (turn_state.fruitless <= FRUITLESS_MAX) {
        return;
    }
    if (outside_may_act(true, &turn_state.fruitless_since)) {
        turn_state.fruitless = 0; /* they have to see it */
    } else if (turn_state.jumps++ < JUMPS_MAX && idle_timer_jump()) {
        turn_state.fruitless -= FRUITLESS_MAX / JUMPS_MAX;
    } else {
        turn_livelock();
    }
}

/* @turns of a loop, of which @fruitless are known to have only waited. */
static void turn_give_way(struct thread *self, unsigned turns, unsigned fruitless)
{
    turn_enter(self);
    turn_fruitless_count(fruitless);
    time_base_add((uint64_t)turns * TURN_LOOK_NS);
    turn_state.yields = round_on;
    decide_demote(turn_state.decide, self->number);
    turn_hand_over(self);
    turn_leave(self);
}

bool turn_block(struct thread *self, const struct turn_wait *wait)
{
    turn_enter(self);
    self->events++;
    self->wait = *wait;
    self->waits_at = stack_take(wait->pc);
    self->wait_signals = atomic_load(&self->signals);
    self->outcome = WAIT_ENDED;
    if (self->cancelled && turn_may_be_cancelled(self, wait->kind)) { /* before it waited */
        self->cancelled = false;
        choice_thread_enable(self, WAIT_ENDED);
        turn_leave(self);
        return true;
    }
    atomic_store(&self->state, THREAD_WAITS);
    if (wait->kind == WAIT_SLEEP) {
        turn_fruitless_count(1);
    }
    turn_hand_over(self);
    turn_leave(self);
    return self->outcome == WAIT_ENDED;
}

void turn_yield(struct thread *self)
{
    turn_give_way(self, 1, 1);
}

void turn_spin(struct thread *self)
{
    turn_give_way(self, SPIN_TURNS, SPIN_TURNS);
}

/* Time goes on only for who waits for it. */
void turn_pass(struct thread *self)
{
    bool any = false;

    for (unsigned i = 0; i < roster.n; i++) {
        const struct thread *t = roster.live[i];

        any |= atomic_load(&t->state) == THREAD_WAITS && t->wait.until_ns != TURN_FOREVER;
    }
    turn_give_way(self, any ? SPIN_TURNS : 0, 0);
}

/* Which one: as the decision source would let them run. */
static struct thread *turn_waiter_choose(const void *key, uint32_t bits)
{
    struct thread *only = NULL;
    unsigned n = 0;

    choice_agents_collect(NULL, 0); /* for its room */
    for (unsigned i = 0; i < roster.n; i++) {
        struct thread *t = roster.live[i];

        if (atomic_load(&t->state) == THREAD_WAITS && t->wait.key == key &&
            (t->wait.kind != WAIT_FUTEX || t->futex_bits & bits)) {
            turn_state.agent[n++] = t->number;
            only = t;
        }
    }
    if (n > 1) {
        unsigned i = decide_pick(turn_state.decide, turn_state.agent, n, turn_state.current);

        only = roster_by_number(turn_state.agent[i]);
    }
    return only;
}

unsigned turn_wake(struct thread *self, const void *key, unsigned n, uint32_t bits)
{
    bool outer = self->inside;
    unsigned woken = 0;

    if (!outer) {
        turn_enter(self);
    }
    if (n == TURN_ALL) { /* all: no question who */
        for (unsigned i = 0; i < roster.n; i++) {
            struct thread *t = roster.live[i];

            if (atomic_load(&t->state) == THREAD_WAITS && t->wait.key == key &&
                (t->wait.kind != WAIT_FUTEX || t->futex_bits & bits)) {
                choice_thread_enable(t, WAIT_ENDED);
                woken++;
            }
        }
    }
    while (n != TURN_ALL && woken < n) {
        struct thread *t = turn_waiter_choose(key, bits);

        if (!t) {
            break;
        }
        choice_thread_enable(t, WAIT_ENDED);
        woken++;
    }
    if (woken) {
        turn_progress(self);
    }
    if (!outer) {
        turn_leave(self);
    }
    return woken;
}

/* Where no other thread can run it keeps the turn, but not that of the run. */
void turn_outside_begin(struct thread *self)
{
    struct thread *next;

    turn_enter(self);
    atomic_store(&self->state, THREAD_OUTSIDE);
    next = idle_pick_now();
    if (next) {
        turn_give(next);
    } else {
        atomic_store(&self->holds, true);
        atomic_store(&self->state, THREAD_ENABLED);
        if (round_on) {
            round_leave();
        }
    }
    turn_cancel_restore(self->cancel_state,
                        self->cancel_type); /* the call may be a cancellation point */
}

struct thread *turn_owner(void)
{
    return atomic_load(&turn_state.owner);
}

/* The other may wake up at any moment: both look at each other, and one of them takes the state
 * back. */
bool turn_take_over(struct thread *self, struct thread *from)
{
    enum thread_state enabled = THREAD_ENABLED, outside = THREAD_OUTSIDE;
    struct thread *next;

    if (!atomic_compare_exchange_strong(&from->state, &enabled, THREAD_OUTSIDE)) {
        return false;
    }
    if (from->inside && !atomic_load(&from->holds) &&
        atomic_compare_exchange_strong(&from->state, &outside, THREAD_ENABLED)) {
        return false;
    }
    next = idle_pick_now();
    if (!next) { /* it comes back as the one that has the turn, or it has come and waits for it */
        if (atomic_compare_exchange_strong(&from->state, &outside, THREAD_ENABLED)) {
            return false;
        }
        next = idle_pick();
    }
    turn_give(next);
    (void)self;
    return true;
}

void turn_outside_end(struct thread *self)
{
    enum thread_state outside = THREAD_OUTSIDE;

    turn_cancel_off(self);
    if (atomic_compare_exchange_strong(&self->state, &outside, THREAD_ENABLED)) {
        idle_outside_notify();
        turn_await(self);
    } else if (round_on) {
        round_return();
    }
    atomic_store(&self->holds, false);
    turn_leave(self);
}

/* --- threads come and go ---------------------------------------------------------------------- */

void turn_thread_enter(struct thread *self)
{
    self->tid = gettid();
    self->handle = pthread_self();
    turn_self = self;
    if (turn_on || turn_board) {
        spin_watch(self);
    }
    if (turn_on) {
        turn_enter(self);
        turn_await(self);
        turn_progress(self);
        turn_leave(self);
    }
}

void turn_thread_leave(struct thread *self)
{
    turn_enter(self);
    if (turn_on) {
        turn_wake(self, self, TURN_ALL, UINT32_MAX);
        front_owner_ended(self);
    }
    atomic_store(&self->state, THREAD_DONE);
    roster_leave(self);
    spin_unwatch(self);
    if (turn_on && roster.n) {
        struct thread *next = idle_pick();

        turn_state.leaver = self->tid;
        turn_self = NULL;
        turn_give(next);
    }
    turn_self = NULL;
}

void turn_interrupt(struct thread *t)
{
    t->cancelled = true;
    if (atomic_load(&t->state) == THREAD_WAITS && turn_may_be_cancelled(t, t->wait.kind)) {
        choice_thread_enable(t, WAIT_ENDED);
    }
}

/* --- its beginning ---------------------------------------------------------------------------- */

void turn_board_set(const struct sched_board *board)
{
    uint64_t now = turn_now_ns();

    turn_board = board;
    turn_state.base_ns = now - (board ? board->time_ns() : 0);
}

static void turn_before_fork(void)
{
    if (round_on && turn_self) {
        round_child_new();
    }
}

/* It has one thread and no board, and takes turns with the other processes of its run. */
static void turn_child_start(void)
{
    static struct sched_board left;

    turn_on = turn_self && round_on && round_child();
    if (turn_board) {
        left = (struct sched_board){ .mapped = turn_board->mapped, .opened = turn_board->opened };
        turn_left = &left;
    }
    turn_board = NULL;
    if (turn_self) { /* which is not the one that was copied; timers are not */
        turn_self->tid = gettid();
        turn_self->spin_ticks = false;
        atomic_store(&turn_self->spin_watched, false);
    }
    if (turn_on) {
        roster_only(turn_self);
        atomic_store(&turn_state.owner, turn_self);
        turn_state.leaver = 0;
        close(turn_state.outside_event);
        turn_state.outside_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        spin_watch(turn_self);
    }
}

void turn_init(const struct decide_config *config, const char *schedule, int record)
{
    unsigned line;

    if (!turn_self) {
        turn_self = turn_thread_new();
        turn_self->handle = pthread_self();
        turn_self->tid = gettid();
        pthread_atfork(turn_before_fork, NULL, turn_child_start);
    }
    real_find_all();
    if (!config) {
        return;
    }
    round_join();
    decide_free(turn_state.decide);
    turn_state.decide = decide_new(config);
    if (schedule && !decide_replay(turn_state.decide, schedule, &line)) {
        abort(); /* vtegra replay has read it before */
    }
    decide_record(turn_state.decide, record);
    if (turn_state.outside_event < 0) {
        turn_state.outside_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    turn_on = true;
    atomic_store(&turn_state.owner, turn_self);
    spin_watch(turn_self);
}
