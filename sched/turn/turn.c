/* SPDX-License-Identifier: MIT */
#include "sched/turn/turn.h"

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
#include "sched/turn/roster.h"
#include "sched/turn/spin.h"
#include "sched/turn/watch.h"
#include "sched/turn/world.h"

#define LOOK_NS 1000u    /* a look at a clock, a turn of a loop that waits */
#define LOOKS_SLOW 1000u /* so many looks without anything else: time goes faster */
#define LOOK_NS_MAX 1000000u
#define FRUITLESS_MAX 1000000u /* turns of nothing but loops that wait: a livelock */
#define JUMPS_MAX 1000u        /* but so often somebody who sleeps wakes up first */
#define SPIN_TURNS 4000u       /* so many of them are in a tick of spin.c, at least */
#define SPIN_ROUNDS 300u       /* more than there are channels and queues */
#define HANDLER_NS 20000       /* between looks whether it is over ... */
#define HANDLER_LOOKS                                                              \
    5000 /* so many: a thread that has not come to its first turn, or is in a call \
          * that waits for real, is not seen to handle it */

static struct {
    struct decide *decide;
    uint32_t *agent; /* scratch of the choice */
    unsigned cap_agent;
    uint32_t current;
    struct thread *chosen;
    uint32_t stepped; /* the channel that choose() took, or 0 */
    uint64_t base_ns, looks, fruitless, fruitless_since, jumps;
    uint64_t others; /* round_progress_count() at the last turn of a loop that waits */
    bool yields;     /* another process is to go first */
    _Atomic(struct thread *) owner;
    pid_t leaver;
    int outside_event; /* eventfd: a thread came back from outside */
} turn = { .outside_event = -1 };

struct decide *turn_decide(void)
{
    return turn.decide;
}

/* --- time ------------------------------------------------------------------------------------- */

uint64_t turn_now_ns(void)
{
    uint64_t board = turn_board ? turn_board->time_ns() : 0;

    return round_on ? round_time_ns(turn_board ? &board : NULL) : turn.base_ns + board;
}

/* Not the board's time. */
static void base_add(uint64_t ns)
{
    if (round_on) {
        round_time_add(ns);
    } else {
        turn.base_ns += ns;
    }
}

static void time_advance(uint64_t ns)
{
    if (turn_board) {
        turn_board->advance(ns);
    } else {
        base_add(ns);
    }
}

/* The longer a thread does nothing but look at a clock, the faster it runs; others go on before it
 * does. */
uint64_t turn_clock_look(struct thread *self, uintptr_t pc)
{
    uint64_t ns = LOOK_NS, looks = turn.looks++;

    if (looks >= LOOKS_SLOW && !front_is_ours(pc)) {
        turn_yield(self);
        turn.looks = looks + 1; /* its own loop goes on, whatever the others did */
    }
    for (uint64_t n = looks / LOOKS_SLOW; n > 0 && ns < LOOK_NS_MAX; n--) {
        ns *= 2;
    }
    base_add(ns); /* an allocator may look at a clock while the board is locked */
    turn.fruitless = 0;
    return turn_now_ns();
}

void turn_progress(struct thread *self)
{
    turn.fruitless = 0;
    turn.fruitless_since = 0;
    turn.jumps = 0;
    turn.looks = 0;
    if (round_on) {
        round_progress();
    }
    world_answered();
    if (self) {
        self->watch.fruitless = 0;
    }
}

/* --- the choice ------------------------------------------------------------------------------- */

static void enable(struct thread *t, int outcome)
{
    t->outcome = outcome;
    t->wait.kind = WAIT_NONE;
    atomic_store(&t->state, THREAD_ENABLED);
}

/* Waits that end by a look: time, descriptors, the board. */
static void refresh(void)
{
    uint64_t now = 0;

    for (unsigned i = 0; i < roster.n; i++) {
        struct thread *t = roster.live[i];

        if (atomic_load(&t->state) != THREAD_WAITS) {
            continue;
        }
        if (t->wait.ready && t->wait.ready(t->wait.arg)) {
            enable(t, WAIT_ENDED);
        } else if (t->wait.interrupts && atomic_load(&t->signals) != t->wait_signals) {
            enable(t, WAIT_INTERRUPTED);
        } else if (t->wait.until_ns != TURN_FOREVER) {
            now = now ? now : turn_now_ns();
            if (t->wait.until_ns <= now) {
                enable(t, WAIT_TIMED_OUT);
            }
        }
    }
}

/* Enabled threads, and then @n others. Return: how many are threads. */
static unsigned agents_collect(const uint32_t *agent, unsigned n)
{
    unsigned threads = 0;

    if (turn.cap_agent < roster.n + n) {
        turn.cap_agent = (roster.n + n) * 2;
        turn.agent = realloc(turn.agent, turn.cap_agent * sizeof(*turn.agent));
        if (!turn.agent) {
            abort();
        }
    }
    for (unsigned i = 0; i < roster.n; i++) {
        if (atomic_load(&roster.live[i]->state) == THREAD_ENABLED) {
            turn.agent[threads++] = roster.live[i]->number;
        }
    }
    if (n) {
        memcpy(turn.agent + threads, agent, n * sizeof(*agent));
    }
    return threads;
}

/* Return: an index of @agent, or -1: turn.chosen is the thread that goes on, NULL if none can. */
static int choose(const uint32_t *agent, unsigned n)
{
    unsigned threads = agents_collect(agent, n), i;

    turn.chosen = NULL;
    if (threads + n == 0) {
        return -1;
    }
    i = decide_pick(turn.decide, turn.agent, threads + n, turn.current);
    turn.current = turn.agent[i];
    if (i >= threads) {
        turn.stepped = turn.current;
        return (int)(i - threads);
    }
    turn.chosen = roster_by_number(turn.current);
    return -1;
}

int turn_choose(const uint32_t *agent, unsigned n)
{
    return n ? choose(agent, n) : -1;
}

/* Which thread runs next: the board runs as long as it is the board's turn. NULL: none can. */
static struct thread *pick_own(void)
{
    bool rested = false;

    for (unsigned rounds = 0;;) {
        round_point(turn.yields);
        turn.yields = false;
        refresh();
        turn.chosen = NULL;
        turn.stepped = 0;
        if (turn_board && turn_board->step() != SCHED_STANDS) {
            turn_progress(NULL);
            round_runs(0);
            rounds = 0;
            continue;
        }
        if (turn.chosen) {
            return turn.chosen;
        }
        if (turn.stepped) { /* a kernel that only spins on memory */
            decide_demote(turn.decide, turn.stepped);
            if (rounds++ < SPIN_ROUNDS) {
                continue;
            }
        }
        choose(NULL, 0);
        if (turn.chosen || rested) {
            return turn.chosen;
        }
        rested = true; /* a kernel that spun looks again now: a thread may have written since */
    }
}

static struct thread *pick(void)
{
    struct thread *next = pick_own();

    if (next) {
        round_runs(next->tid);
    }
    return next;
}

/* --- handing over ----------------------------------------------------------------------------- */

static void give(struct thread *to)
{
    atomic_store(&turn.owner, to);
    atomic_store(&to->go, 1);
    real_futex_wake(&to->go);
}

/* Somebody waits for the world in poll(): look at the threads again. */
static void outside_tell(void)
{
    uint64_t one = 1;

    if (REAL(write)(turn.outside_event, &one, sizeof(one)) < 0) {
        abort();
    }
}

/* Memory of a thread that ends goes back to the C library only now: or what the next malloc() gives
 * would be a matter of luck. And the kernel goes through its robust mutexes. */
static void leaver_wait(void)
{
    while (turn.leaver && REAL(syscall)(SYS_tgkill, getpid(), turn.leaver, 0) == 0 &&
           !(turn.leaver == getpid() && asleep_for_good(turn.leaver))) {
        REAL(syscall)(SYS_sched_yield);
    }
    turn.leaver = 0;
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
                outside_tell();
            }
            break;
        default:
            break;
        }
        atomic_fetch_add(&self->awaits, 1);
    }
    atomic_store(&self->go, 0);
    leaver_wait();
}

/* --- nobody can go on ------------------------------------------------------------------------- */

static uint64_t first_timer(void)
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

/* The next time at which something ends. Return: false if there is none. */
static bool jump_to_timer(void)
{
    uint64_t first = first_timer(), now = turn_now_ns();

    if (first == TURN_FOREVER) {
        return false;
    }
    time_advance(first > now ? first - now : 0);
    return true;
}

/* Another process may end such a wait, and no descriptor shows it. */
static bool is_asked_again(enum wait_kind kind)
{
    return kind == WAIT_CHILD || kind == WAIT_SEMOP || kind == WAIT_MESSAGE || kind == WAIT_FLOCK ||
           kind == WAIT_RECORD_LOCK;
}

/* Wait for the world: descriptors, children, threads that are outside. Return: false if nothing of
 * it is waited for. */
static bool wait_for_world(uint64_t *since)
{
    struct pollfd fds[256] = { { .fd = turn.outside_event, .events = POLLIN } };
    nfds_t n = 1;
    bool any = world_may_act(false, since); /* a handler may be over before poll() begins */
    int timeout = any ? (int)WATCH_MS : -1;
    uint64_t drained;

    for (unsigned i = 0; i < roster.n; i++) {
        const struct thread *t = roster.live[i];
        enum thread_state state = atomic_load(&t->state);

        if (state == THREAD_ENABLED) {
            return true; /* just came back from outside */
        }
        any |= state == THREAD_OUTSIDE || (state == THREAD_WAITS && t->wait.interrupts);
        if (state != THREAD_WAITS || (t->wait.kind != WAIT_FD && !is_asked_again(t->wait.kind))) {
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
        if (fds[0].revents && REAL(read)(turn.outside_event, &drained, sizeof(drained)) < 0) {
            return true; /* somebody else has read it: the states tell */
        }
    }
    return any;
}

static bool board_waiter_give_up(void)
{
    for (unsigned i = 0; i < roster.n; i++) {
        struct thread *t = roster.live[i];

        if (atomic_load(&t->state) == THREAD_WAITS && t->wait.kind == WAIT_BOARD && !t->wait.firm) {
            enable(t, WAIT_HOPELESS);
            return true;
        }
    }
    return false;
}

/* A handler of the program's may run on a thread that waits, and wake somebody: it is over when the
 * thread comes out of the kernel again. */
static void handlers_end(void)
{
    for (unsigned i = 0; i < roster.n; i++) {
        struct thread *t = roster.live[i];
        unsigned before = atomic_load(&t->awaits);

        for (unsigned n = 0;
             t != turn_self && atomic_load(&t->awaits) == before && n < HANDLER_LOOKS; n++) {
            real_futex_wake(&t->go);
            REAL(nanosleep)(&(struct timespec){ 0, HANDLER_NS }, NULL);
        }
    }
}

/* Why @t cannot run: of enum round_why. */
static unsigned why_waits(const struct thread *t)
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
        return is_asked_again(t->wait.kind) ? ROUND_OTHERS : t->wait.interrupts ? ROUND_WORLD : 0;
    }
}

/* Where processes take turns: until a thread of this one can run. */
static struct thread *pick_or_stand(void)
{
    uint64_t since = 0;

    for (bool sure = false;;) {
        struct thread *next = pick();
        enum round_what what = ROUND_STUCK;
        unsigned why;

        if (next) {
            return next;
        }
        why = world_may_act(false, &since) ? ROUND_WORLD : 0;
        for (unsigned i = 0; i < roster.n; i++) {
            why |= why_waits(roster.live[i]);
        }
        if (why || first_timer() != TURN_FOREVER) { /* else no other process can help */
            what = round_stand(first_timer(), why);
        }
        if (what == ROUND_TIMER && jump_to_timer()) {
            round_runs(0);
        } else if (what == ROUND_HOPELESS && board_waiter_give_up()) {
            round_runs(0);
        } else if (what == ROUND_STUCK && sure) {
            turn_deadlock();
        } else if (what == ROUND_STUCK) {
            handlers_end();
        }
        sure = what == ROUND_STUCK;
    }
}

static struct thread *pick_or_wait(void)
{
    uint64_t since = 0;

    if (round_on) {
        return pick_or_stand();
    }
    for (bool sure = false;;) {
        struct thread *next = pick();

        if (next) {
            return next;
        }
        if (jump_to_timer() || wait_for_world(&since)) {
            sure = false;
        } else if (!sure) {
            handlers_end();
            sure = true;
        } else if (!board_waiter_give_up()) {
            turn_deadlock();
        }
    }
}

/* Without waiting for the world. NULL: nobody can. */
static struct thread *pick_now(void)
{
    struct thread *next;

    do {
        next = pick();
    } while (!next && !round_on && jump_to_timer());
    return next;
}

static void hand_over(struct thread *self)
{
    struct thread *next = pick_or_wait();

    if (next != self) {
        give(next);
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
    for (unsigned n = 0; r == 0 && atomic_load(&t->awaits) - before < 2 && n < HANDLER_LOOKS; n++) {
        real_futex_wake(&t->go);
        REAL(nanosleep)(&(struct timespec){ 0, HANDLER_NS }, NULL);
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
static void cancel_restore(int state, int type)
{
    pthread_setcancelstate(state, NULL);
    pthread_setcanceltype(type, NULL);
}

/* Into the scheduler; a thread that was given up for asleep waits for its turn first. What it calls
 * here may be a cancellation point (a file is opened, a trace written): a thread that ended there
 * would take locks of ours with it, and when it gets there is luck. */
static void enter(struct thread *self)
{
    enum thread_state outside = THREAD_OUTSIDE;

    self->inside = true;
    turn_cancel_off(self);
    if (atomic_load(&self->state) == THREAD_OUTSIDE &&
        atomic_compare_exchange_strong(&self->state, &outside, THREAD_ENABLED)) {
        outside_tell();
        turn_await(self);
    }
}

/* A handler of the program's that comes now may be inside in its turn. */
void turn_leave(struct thread *self)
{
    int state = self->cancel_state, type = self->cancel_type;

    self->inside = false;
    cancel_restore(state, type);
}

/* Cancellation points of POSIX: not mutexes, spin locks, barriers. */
static bool may_be_cancelled(const struct thread *t, enum wait_kind kind)
{
    static const bool may[WAIT_KINDS] = {
        [WAIT_COND] = true,  [WAIT_SEM] = true, [WAIT_JOIN] = true,    [WAIT_SLEEP] = true,
        [WAIT_CHILD] = true, [WAIT_FD] = true,  [WAIT_MESSAGE] = true, [WAIT_RECORD_LOCK] = true,
    };

    return may[kind] && t->cancel_state == PTHREAD_CANCEL_ENABLE;
}

void turn_point(struct thread *self)
{
    enter(self);
    self->events++;
    if (turn_board || round_on ||
        roster.n > 1) { /* a report that is written when all is over decides nothing */
        hand_over(self);
    }
    turn_leave(self);
}

/* So many turns more of loops that wait. */
static void fruitless_count(unsigned turns)
{
    if (round_on && round_progress_count() != turn.others) {
        turn.others = round_progress_count();
        turn.fruitless = 0;
    }
    turn.fruitless += turns;
    if (turn.fruitless <= FRUITLESS_MAX) {
        return;
    }
    if (world_may_act(true, &turn.fruitless_since)) {
        turn.fruitless = 0; /* they have to see it */
    } else if (turn.jumps++ < JUMPS_MAX && jump_to_timer()) {
        turn.fruitless -= FRUITLESS_MAX / JUMPS_MAX;
    } else {
        turn_livelock();
    }
}

/* @turns of a loop, of which @fruitless are known to have only waited. */
static void give_way(struct thread *self, unsigned turns, unsigned fruitless)
{
    enter(self);
    fruitless_count(fruitless);
    base_add((uint64_t)turns * LOOK_NS);
    turn.yields = round_on;
    decide_demote(turn.decide, self->number);
    hand_over(self);
    turn_leave(self);
}

bool turn_block(struct thread *self, const struct turn_wait *wait)
{
    enter(self);
    self->events++;
    self->wait = *wait;
    self->waits_at = stack_take(wait->pc);
    self->wait_signals = atomic_load(&self->signals);
    self->outcome = WAIT_ENDED;
    if (self->cancelled && may_be_cancelled(self, wait->kind)) { /* before it waited */
        self->cancelled = false;
        enable(self, WAIT_ENDED);
        turn_leave(self);
        return true;
    }
    atomic_store(&self->state, THREAD_WAITS);
    if (wait->kind == WAIT_SLEEP) {
        fruitless_count(1);
    }
    hand_over(self);
    turn_leave(self);
    return self->outcome == WAIT_ENDED;
}

void turn_yield(struct thread *self)
{
    give_way(self, 1, 1);
}

void turn_spin(struct thread *self)
{
    give_way(self, SPIN_TURNS, SPIN_TURNS);
}

/* Time goes on only for who waits for it. */
void turn_pass(struct thread *self)
{
    bool any = false;

    for (unsigned i = 0; i < roster.n; i++) {
        const struct thread *t = roster.live[i];

        any |= atomic_load(&t->state) == THREAD_WAITS && t->wait.until_ns != TURN_FOREVER;
    }
    give_way(self, any ? SPIN_TURNS : 0, 0);
}

/* Which one: as the decision source would let them run. */
static struct thread *waiter_choose(const void *key, uint32_t bits)
{
    struct thread *only = NULL;
    unsigned n = 0;

    agents_collect(NULL, 0); /* for its room */
    for (unsigned i = 0; i < roster.n; i++) {
        struct thread *t = roster.live[i];

        if (atomic_load(&t->state) == THREAD_WAITS && t->wait.key == key &&
            (t->wait.kind != WAIT_FUTEX || t->futex_bits & bits)) {
            turn.agent[n++] = t->number;
            only = t;
        }
    }
    if (n > 1) {
        unsigned i = decide_pick(turn.decide, turn.agent, n, turn.current);

        only = roster_by_number(turn.agent[i]);
    }
    return only;
}

unsigned turn_wake(struct thread *self, const void *key, unsigned n, uint32_t bits)
{
    bool outer = self->inside;
    unsigned woken = 0;

    if (!outer) {
        enter(self);
    }
    if (n == TURN_ALL) { /* all: no question who */
        for (unsigned i = 0; i < roster.n; i++) {
            struct thread *t = roster.live[i];

            if (atomic_load(&t->state) == THREAD_WAITS && t->wait.key == key &&
                (t->wait.kind != WAIT_FUTEX || t->futex_bits & bits)) {
                enable(t, WAIT_ENDED);
                woken++;
            }
        }
    }
    while (n != TURN_ALL && woken < n) {
        struct thread *t = waiter_choose(key, bits);

        if (!t) {
            break;
        }
        enable(t, WAIT_ENDED);
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

    enter(self);
    atomic_store(&self->state, THREAD_OUTSIDE);
    next = pick_now();
    if (next) {
        give(next);
    } else {
        atomic_store(&self->holds, true);
        atomic_store(&self->state, THREAD_ENABLED);
        if (round_on) {
            round_leave();
        }
    }
    cancel_restore(self->cancel_state,
                   self->cancel_type); /* the call may be a cancellation point */
}

struct thread *turn_owner(void)
{
    return atomic_load(&turn.owner);
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
    next = pick_now();
    if (!next) { /* it comes back as the one that has the turn, or it has come and waits for it */
        if (atomic_compare_exchange_strong(&from->state, &outside, THREAD_ENABLED)) {
            return false;
        }
        next = pick_or_wait();
    }
    give(next);
    (void)self;
    return true;
}

void turn_outside_end(struct thread *self)
{
    enum thread_state outside = THREAD_OUTSIDE;

    turn_cancel_off(self);
    if (atomic_compare_exchange_strong(&self->state, &outside, THREAD_ENABLED)) {
        outside_tell();
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
        enter(self);
        turn_await(self);
        turn_progress(self);
        turn_leave(self);
    }
}

void turn_thread_leave(struct thread *self)
{
    enter(self);
    if (turn_on) {
        turn_wake(self, self, TURN_ALL, UINT32_MAX);
        front_owner_ended(self);
    }
    atomic_store(&self->state, THREAD_DONE);
    roster_leave(self);
    spin_unwatch(self);
    if (turn_on && roster.n) {
        struct thread *next = pick_or_wait();

        turn.leaver = self->tid;
        turn_self = NULL;
        give(next);
    }
    turn_self = NULL;
}

void turn_interrupt(struct thread *t)
{
    t->cancelled = true;
    if (atomic_load(&t->state) == THREAD_WAITS && may_be_cancelled(t, t->wait.kind)) {
        enable(t, WAIT_ENDED);
    }
}

/* --- its beginning ---------------------------------------------------------------------------- */

void turn_board_set(const struct sched_board *board)
{
    uint64_t now = turn_now_ns();

    turn_board = board;
    turn.base_ns = now - (board ? board->time_ns() : 0);
}

static void before_fork(void)
{
    if (round_on && turn_self) {
        round_child_new();
    }
}

/* It has one thread and no board, and takes turns with the other processes of its run. */
static void child_of_fork(void)
{
    turn_on = turn_self && round_on && round_child();
    turn_board = NULL;
    if (turn_self) { /* which is not the one that was copied; timers are not */
        turn_self->tid = gettid();
        turn_self->spin_ticks = false;
        atomic_store(&turn_self->spin_watched, false);
    }
    if (turn_on) {
        roster_only(turn_self);
        atomic_store(&turn.owner, turn_self);
        turn.leaver = 0;
        close(turn.outside_event);
        turn.outside_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
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
        pthread_atfork(before_fork, NULL, child_of_fork);
    }
    real_find_all();
    if (!config) {
        return;
    }
    round_join();
    decide_free(turn.decide);
    turn.decide = decide_new(config);
    if (schedule && !decide_replay(turn.decide, schedule, &line)) {
        abort(); /* vtegra replay has read it before */
    }
    decide_record(turn.decide, record);
    if (turn.outside_event < 0) {
        turn.outside_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    turn_on = true;
    atomic_store(&turn.owner, turn_self);
    spin_watch(turn_self);
}
