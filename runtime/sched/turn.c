/* SPDX-License-Identifier: MIT */
#include "runtime/sched/turn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/sched/real.h"
#include "runtime/sched/spin.h"

#define LOOK_NS 1000u    /* a look at a clock, a turn of a loop that waits */
#define LOOKS_SLOW 1000u /* so many looks without anything else: time goes faster */
#define LOOK_NS_MAX 1000000u
#define FRUITLESS_MAX 1000000u /* turns of loops that wait, without anything else: a livelock */
#define SPIN_ROUNDS 300u       /* more than there are channels and queues */

bool turn_on;
_Thread_local struct thread *turn_self __attribute__((tls_model("initial-exec")));
const struct sched_board *turn_board;

static struct {
    struct decide *decide;
    struct thread **live; /* by number, ascending; those that are done are not in it */
    unsigned n_live, cap_live;
    struct thread **all; /* until forgotten */
    unsigned n_all, cap_all;
    atomic_uint next_number;
    uint32_t *agent; /* scratch of the choice */
    unsigned cap_agent;
    uint32_t current;
    struct thread *chosen;
    uint32_t stepped; /* the channel that choose() took, or 0 */
    uint64_t base_ns, looks, fruitless;
    pid_t leaver;
    int outside_event; /* eventfd: a thread came back from outside */
    atomic_flag busy;  /* guards live and all where threads run freely */
} turn = { .outside_event = -1, .busy = ATOMIC_FLAG_INIT };

struct decide *turn_decide(void)
{
    return turn.decide;
}

/* --- futex, and who is there
 * ---------------------------------------------------------------------- */

void real_futex_wait(_Atomic unsigned *word, unsigned value)
{
    REAL(syscall)(SYS_futex, word, 128 /* FUTEX_WAIT_PRIVATE */, value, NULL, NULL, 0);
}

void real_futex_wake(_Atomic unsigned *word)
{
    REAL(syscall)(SYS_futex, word, 129 /* FUTEX_WAKE_PRIVATE */, 1, NULL, NULL, 0);
}

static void lists_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&turn.busy, memory_order_acquire)) {
    }
}

static void lists_unlock(void)
{
    atomic_flag_clear_explicit(&turn.busy, memory_order_release);
}

static void list_add(struct thread ***list, unsigned *n, unsigned *cap, struct thread *t)
{
    if (*n == *cap) {
        *cap = *cap ? *cap * 2 : 64;
        *list = realloc(*list, *cap * sizeof(**list));
        if (!*list) {
            abort();
        }
    }
    (*list)[(*n)++] = t;
}

static void list_remove(struct thread **list, unsigned *n, const struct thread *t)
{
    for (unsigned i = 0; i < *n; i++) {
        if (list[i] == t) {
            memmove(list + i, list + i + 1, (--*n - i) * sizeof(*list));
            return;
        }
    }
}

struct thread *turn_thread_new(void)
{
    struct thread *t = calloc(1, sizeof(*t));

    if (!t) {
        abort();
    }
    t->number = atomic_fetch_add(&turn.next_number, 1);
    lists_lock();
    list_add(&turn.live, &turn.n_live, &turn.cap_live, t);
    list_add(&turn.all, &turn.n_all, &turn.cap_all, t);
    lists_unlock();
    return t;
}

struct thread *turn_thread_find(pthread_t handle)
{
    struct thread *found = NULL;

    lists_lock();
    for (unsigned i = 0; i < turn.n_all && !found; i++) {
        found = turn.all[i]->handle == handle && !turn.all[i]->joined ? turn.all[i] : NULL;
    }
    lists_unlock();
    return found;
}

/* The struct stays: a late record may still name it, and runs have few threads. */
void turn_thread_forget(struct thread *t)
{
    lists_lock();
    t->joined = true;
    list_remove(turn.all, &turn.n_all, t);
    lists_unlock();
}

unsigned turn_threads(void)
{
    return atomic_load(&turn.next_number);
}

struct thread *turn_thread_at(unsigned i)
{
    return i < turn.n_live ? turn.live[i] : NULL;
}

/* --- time
 * ----------------------------------------------------------------------------------------- */

uint64_t turn_now_ns(void)
{
    return turn.base_ns + (turn_board ? turn_board->time_ns() : 0);
}

static void time_advance(uint64_t ns)
{
    if (turn_board) {
        turn_board->advance(ns);
    } else {
        turn.base_ns += ns;
    }
}

/* The longer a thread does nothing but look at a clock, the faster it runs. */
uint64_t turn_clock_look(struct thread *self)
{
    uint64_t ns = LOOK_NS;

    for (uint64_t n = turn.looks++ / LOOKS_SLOW; n > 0 && ns < LOOK_NS_MAX; n--) {
        ns *= 2;
    }
    (void)self;
    turn.base_ns +=
        ns; /* not the board's: an allocator may look at a clock while the board is locked */
    turn.fruitless = 0;
    return turn_now_ns();
}

void turn_progress(struct thread *self)
{
    turn.fruitless = 0;
    turn.looks = 0;
    if (self) {
        self->fruitless = 0;
    }
}

/* --- the choice
 * ----------------------------------------------------------------------------------- */

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

    for (unsigned i = 0; i < turn.n_live; i++) {
        struct thread *t = turn.live[i];

        if (atomic_load(&t->state) != THREAD_WAITS) {
            continue;
        }
        if (t->wait.ready && t->wait.ready(t->wait.arg)) {
            enable(t, WAIT_ENDED);
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

    if (turn.cap_agent < turn.n_live + n) {
        turn.cap_agent = (turn.n_live + n) * 2;
        turn.agent = realloc(turn.agent, turn.cap_agent * sizeof(*turn.agent));
        if (!turn.agent) {
            abort();
        }
    }
    for (unsigned i = 0; i < turn.n_live; i++) {
        if (atomic_load(&turn.live[i]->state) == THREAD_ENABLED) {
            turn.agent[threads++] = turn.live[i]->number;
        }
    }
    if (n) {
        memcpy(turn.agent + threads, agent, n * sizeof(*agent));
    }
    return threads;
}

static struct thread *live_by_number(uint32_t number)
{
    for (unsigned i = 0; i < turn.n_live; i++) {
        if (turn.live[i]->number == number) {
            return turn.live[i];
        }
    }
    return NULL;
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
    turn.chosen = live_by_number(turn.current);
    return -1;
}

static int board_choose(const uint32_t *agent, unsigned n)
{
    return n ? choose(agent, n) : -1;
}

/* Who goes on: lets the board go on as long as it is the board's turn. NULL: nobody can. */
static struct thread *pick(void)
{
    for (unsigned rounds = 0;;) {
        refresh();
        turn.chosen = NULL;
        turn.stepped = 0;
        if (turn_board && turn_board->step()) {
            turn_progress(NULL);
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
        return turn.chosen;
    }
}

/* --- handing over
 * --------------------------------------------------------------------------------- */

static void give(struct thread *to)
{
    atomic_store(&to->go, 1);
    real_futex_wake(&to->go);
}

/* Memory of a thread that ends goes back to the C library only now: or what the next malloc() gives
 * would be a matter of luck. */
static void leaver_wait(void)
{
    while (turn.leaver && REAL(syscall)(SYS_tgkill, getpid(), turn.leaver, 0) == 0) {
        REAL(syscall)(SYS_sched_yield);
    }
    turn.leaver = 0;
}

static void turn_await(struct thread *self)
{
    while (!atomic_load(&self->go)) {
        real_futex_wait(&self->go, 0);
    }
    atomic_store(&self->go, 0);
    leaver_wait();
}

/* --- nobody can go on
 * ----------------------------------------------------------------------------- */

/* The next time at which something ends. Return: false if there is none. */
static bool jump_to_timer(void)
{
    uint64_t first = TURN_FOREVER, now = turn_now_ns();

    for (unsigned i = 0; i < turn.n_live; i++) {
        const struct thread *t = turn.live[i];

        if (atomic_load(&t->state) == THREAD_WAITS && t->wait.until_ns < first) {
            first = t->wait.until_ns;
        }
    }
    if (first == TURN_FOREVER) {
        return false;
    }
    time_advance(first > now ? first - now : 0);
    return true;
}

/* Wait for the world: descriptors, children, threads that are outside. Return: false if nothing of
 * it is waited for. */
static bool wait_for_world(void)
{
    struct pollfd fds[256] = { { .fd = turn.outside_event, .events = POLLIN } };
    nfds_t n = 1;
    bool any = false;
    int timeout = -1;
    uint64_t drained;

    for (unsigned i = 0; i < turn.n_live; i++) {
        const struct thread *t = turn.live[i];
        enum thread_state state = atomic_load(&t->state);

        if (state == THREAD_ENABLED) {
            return true; /* just came back from outside */
        }
        any |= state == THREAD_OUTSIDE;
        if (state != THREAD_WAITS || (t->wait.kind != WAIT_FD && t->wait.kind != WAIT_CHILD)) {
            continue;
        }
        any = true;
        if (t->wait.kind == WAIT_CHILD || n + t->wait.nfds > sizeof(fds) / sizeof(fds[0])) {
            timeout = 2;
            continue;
        }
        memcpy(fds + n, t->wait.fds, t->wait.nfds * sizeof(*fds));
        n += t->wait.nfds;
    }
    if (any) {
        REAL(poll)(fds, n, timeout);
        if (fds[0].revents && REAL(read)(turn.outside_event, &drained, sizeof(drained)) < 0) {
            return true; /* somebody else has read it: the states tell */
        }
    }
    return any;
}

static bool board_waiter_give_up(void)
{
    for (unsigned i = 0; i < turn.n_live; i++) {
        struct thread *t = turn.live[i];

        if (atomic_load(&t->state) == THREAD_WAITS && t->wait.kind == WAIT_BOARD) {
            enable(t, WAIT_HOPELESS);
            return true;
        }
    }
    return false;
}

static struct thread *pick_or_wait(void)
{
    for (;;) {
        struct thread *next = pick();

        if (next) {
            return next;
        }
        if (!jump_to_timer() && !wait_for_world() && !board_waiter_give_up()) {
            turn_deadlock();
        }
    }
}

static void hand_over(struct thread *self)
{
    struct thread *next = pick_or_wait();

    if (next != self) {
        give(next);
        turn_await(self);
    }
}

/* --- for the functions in front of the C library
 * -------------------------------------------------- */

uint64_t turn_events(const struct thread *self)
{
    return self->events;
}

void turn_point(struct thread *self)
{
    self->inside = true;
    self->events++;
    hand_over(self);
    self->inside = false;
}

void turn_yield(struct thread *self)
{
    self->inside = true;
    if (++turn.fruitless > FRUITLESS_MAX) {
        turn_livelock();
    }
    turn.base_ns += LOOK_NS;
    decide_demote(turn.decide, self->number);
    hand_over(self);
    self->inside = false;
}

bool turn_block(struct thread *self, const struct turn_wait *wait)
{
    self->inside = true;
    self->events++;
    self->wait = *wait;
    self->outcome = WAIT_ENDED;
    if (wait->kind == WAIT_SLEEP && ++turn.fruitless > FRUITLESS_MAX) {
        turn_livelock();
    }
    atomic_store(&self->state, THREAD_WAITS);
    hand_over(self);
    self->inside = false;
    return self->outcome == WAIT_ENDED;
}

/* Which one: as the decision source would let them run. */
static struct thread *waiter_choose(const void *key, uint32_t bits)
{
    struct thread *only = NULL;
    unsigned n = 0;

    agents_collect(NULL, 0); /* for its room */
    for (unsigned i = 0; i < turn.n_live; i++) {
        struct thread *t = turn.live[i];

        if (atomic_load(&t->state) == THREAD_WAITS && t->wait.key == key &&
            (t->wait.kind != WAIT_FUTEX || t->futex_bits & bits)) {
            turn.agent[n++] = t->number;
            only = t;
        }
    }
    if (n > 1) {
        unsigned i = decide_pick(turn.decide, turn.agent, n, turn.current);

        only = live_by_number(turn.agent[i]);
    }
    return only;
}

unsigned turn_wake(struct thread *self, const void *key, unsigned n, uint32_t bits)
{
    unsigned woken = 0;

    if (n == TURN_ALL) { /* all: no question who */
        for (unsigned i = 0; i < turn.n_live; i++) {
            struct thread *t = turn.live[i];

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
    return woken;
}

/* Where nobody else can go on it keeps the turn. */
void turn_outside_begin(struct thread *self)
{
    struct thread *next;

    self->inside = true;
    atomic_store(&self->state, THREAD_OUTSIDE);
    do {
        next = pick();
    } while (!next && jump_to_timer());
    if (next) {
        give(next);
    } else {
        atomic_store(&self->state, THREAD_ENABLED);
    }
}

void turn_outside_end(struct thread *self)
{
    enum thread_state outside = THREAD_OUTSIDE;
    uint64_t one = 1;

    if (atomic_compare_exchange_strong(&self->state, &outside, THREAD_ENABLED)) {
        if (REAL(write)(turn.outside_event, &one, sizeof(one)) < 0) {
            abort();
        }
        turn_await(self);
    }
    self->inside = false;
}

/* --- threads come and go
 * -------------------------------------------------------------------------- */

void turn_thread_enter(struct thread *self)
{
    self->tid = gettid();
    turn_self = self;
    if (turn_on || turn_board) {
        spin_watch(self);
    }
    if (turn_on) {
        self->inside = true;
        turn_await(self);
        turn_progress(self);
        self->inside = false;
    }
}

void turn_thread_leave(struct thread *self)
{
    self->inside = true;
    if (turn_on) {
        turn_wake(self, self, TURN_ALL, UINT32_MAX);
    }
    atomic_store(&self->state, THREAD_DONE);
    lists_lock();
    list_remove(turn.live, &turn.n_live, self);
    lists_unlock();
    if (turn_on && turn.n_live) {
        struct thread *next = pick_or_wait();

        turn.leaver = self->tid == getpid() ? 0 : self->tid;
        turn_self = NULL;
        give(next);
    }
    turn_self = NULL;
}

void turn_thread_cancel_new(struct thread *t)
{
    lists_lock();
    list_remove(turn.live, &turn.n_live, t);
    list_remove(turn.all, &turn.n_all, t);
    lists_unlock();
    free(t);
}

/* Cancellation points of POSIX: not mutexes, spin locks, barriers. */
void turn_interrupt(struct thread *t)
{
    static const bool may[WAIT_KINDS] = {
        [WAIT_COND] = true,  [WAIT_SEM] = true,   [WAIT_JOIN] = true,
        [WAIT_SLEEP] = true, [WAIT_CHILD] = true, [WAIT_FD] = true,
    };

    if (atomic_load(&t->state) == THREAD_WAITS && may[t->wait.kind]) {
        enable(t, WAIT_ENDED);
    }
}

/* --- the runtime's door
 * --------------------------------------------------------------------------- */

static bool sched_active(void)
{
    return turn_on;
}

static void tell_thread(struct thread *self)
{
    if (!self->told) {
        self->told = true;
        turn_board->note(SCHED_NOTE_THREAD, self->number);
    }
}

static void sched_attach(const struct sched_board *board)
{
    uint64_t now = turn_now_ns();

    if (turn_self) {
        spin_watch(turn_self);
    }
    turn_board = board;
    turn.base_ns = now - (board ? board->time_ns() : 0);
}

static uint64_t sched_evict(enum decide_cache cache)
{
    return turn.decide ? decide_evict(turn.decide, cache) : 0;
}

/* Loads of few places and nothing else: after a while it is a loop that waits for a change. */
static bool load_is_fruitless(struct thread *self, const volatile void *address)
{
    for (unsigned i = 0; i < TURN_RECENT; i++) {
        if (self->recent[i] == address) {
            return ++self->fruitless >= 64;
        }
    }
    self->recent[self->recent_next++ % TURN_RECENT] = address;
    self->fruitless = 0;
    return false;
}

static void sched_point(enum sched_point what, const volatile void *address, uintptr_t pc)
{
    struct thread *self = turn_self;

    (void)pc;
    if (!self || self->inside) {
        return;
    }
    self->events++;
    spin_watch(self);
    if (turn_board && turn_threads() > 1) {
        tell_thread(self);
    }
    if (!turn_on) {
        if (what == SCHED_LOAD && turn_board && load_is_fruitless(self, address)) {
            self->fruitless = 0;
            self->inside = true;
            turn_board->step(); /* the memory it waits for may be written by pending work */
            self->inside = false;
        }
        return;
    }
    if (what == SCHED_QUERY || (what == SCHED_LOAD && load_is_fruitless(self, address))) {
        self->fruitless = 0;
        turn_yield(self);
        return;
    }
    if (what == SCHED_STORE) {
        turn_progress(self);
    }
    turn_point(self);
}

static bool sched_wait(bool (*ready)(void *), void *arg, const char *what, uintptr_t pc)
{
    struct thread *self = turn_thread();

    return !self || turn_block(self, &(struct turn_wait){ .kind = what ? WAIT_BOARD : WAIT_SERVICE,
                                                          .until_ns = TURN_FOREVER,
                                                          .ready = ready,
                                                          .arg = arg,
                                                          .what = what,
                                                          .pc = pc });
}

static uint32_t sched_thread(void)
{
    return turn_self ? turn_self->number : 0;
}

SCHED_EXPORT const struct vtegra_sched *vtegra_sched(void)
{
    static const struct vtegra_sched table = {
        .version = VTEGRA_SCHED_VERSION,
        .active = sched_active,
        .attach = sched_attach,
        .choose = board_choose,
        .evict = sched_evict,
        .point = sched_point,
        .wait = sched_wait,
        .thread = sched_thread,
    };

    return &table;
}

static void child_of_fork(void)
{
    turn_on = false; /* it has one thread and no board */
    turn_board = NULL;
}

void turn_init(const struct decide_config *config, const char *schedule, int record)
{
    unsigned line;

    if (!turn_self) {
        turn_self = turn_thread_new();
        turn_self->handle = pthread_self();
        turn_self->tid = gettid();
        pthread_atfork(NULL, NULL, child_of_fork);
    }
    if (!config) {
        return;
    }
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
    turn_self->spin_watched = false; /* timers do not survive fork() */
    spin_watch(turn_self);
}
