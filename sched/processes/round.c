/* SPDX-License-Identifier: MIT */
#include "sched/processes/round.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/calls/real.h"
#include "sched/processes/page.h"
#include "sched/turn/asleep.h"
#include "sched/turn/turn.h"

#define SWITCH_ONE_IN 4u /* of the points at which another process could go first */
#define FUTEX_SHARED_WAIT 0
#define FUTEX_SHARED_WAKE 1
#define LOOK_MS_MAX 8u  /* real time between two looks whether the one with the turn has ended */
#define ASLEEP_MS 200u  /* and whether it sleeps: so often ... */
#define ASLEEP_LOOKS 5u /* and so many without a change: it does */

bool round_on;
struct page *page;
uint32_t page_me;
bool page_ran;

/* --- the seed --------------------------------------------------------------------------------- */

/* splitmix64, as in decide.c. */
static uint64_t round_draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t round_mix(void)
{
    uint64_t state = round_on ? page->slot[page_me].number : 0;

    return state ? round_draw(&state) : 0;
}

bool page_is_live(uint32_t i)
{
    return atomic_load(&page->slot[i].state) == SLOT_LIVE;
}

/* Could it run? It can, or it has not looked since another process ran. */
static bool may_go(uint32_t i)
{
    return page_is_live(i) && page->slot[i].asked != page->generation;
}

/* One of those that may run, but @but; NONE. Where there is one only nothing is drawn: how often
 * a process looks in vain while the run waits for the host is luck. */
static uint32_t next_draw(uint32_t but)
{
    uint32_t n = 0, last = NONE, index;

    for (uint32_t i = 0; i < SLOTS; i++) {
        if (i != but && may_go(i)) {
            last = i;
            n++;
        }
    }
    if (n < 2) {
        return last;
    }
    index = (uint32_t)(round_draw(&page->random) % n);
    for (uint32_t i = 0;; i++) {
        if (i != but && may_go(i) && index-- == 0) {
            return i;
        }
    }
}

/* --- the turn --------------------------------------------------------------------------------- */

static int futex_wait(_Atomic unsigned *word, unsigned value, unsigned ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

    return REAL(syscall)(SYS_futex, word, FUTEX_SHARED_WAIT, value, &t, NULL, 0) == 0 ? 0 : errno;
}

static void round_give(uint32_t to)
{
    struct slot *s = &page->slot[to];

    atomic_store(&page->holder, to);
    atomic_fetch_add(&s->go, 1);
    REAL(syscall)(SYS_futex, &s->go, FUTEX_SHARED_WAKE, 1, NULL, NULL, 0);
}

/* Linux 5.3: readable when the last thread has ended, and all that the process had is closed. Its
 * parent gets SIGCHLD while the kernel holds a lock that waitid(2) takes, too: after that it has
 * it. */
bool page_has_ended(pid_t pid)
{
    struct pollfd p = { .events = POLLIN };
    siginfo_t info;
    bool ended;

    if (pid <= 0) {
        return false;
    }
    p.fd = (int)REAL(syscall)(SYS_pidfd_open, pid, 0);
    ended = p.fd < 0 ? errno == ESRCH || kill(pid, 0) != 0 : REAL(poll)(&p, 1, 0) == 1;
    if (p.fd >= 0) {
        close(p.fd);
    }
    if (ended) {
        REAL(syscall)(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, NULL);
    }
    return ended;
}

/* A look of one that waits at the one with the turn. */
struct look {
    uint32_t holder;
    unsigned ms, same;
    uint64_t state;
};

/* Has it slept all the time, in a call that is not followed? */
static bool sleeps_on(struct look *look, uint32_t holder, unsigned ms)
{
    const struct slot *s = &page->slot[holder];
    uint64_t state;

    look->ms += ms;
    if (look->ms < ASLEEP_MS) {
        return false;
    }
    look->ms = 0;
    state = atomic_load(&s->served) || !s->pid ? 0 : asleep_process(s->pid, s->tid);
    if (!state || look->holder != holder || look->state != state) {
        *look = (struct look){ .holder = holder, .state = state };
        return false;
    }
    return ++look->same >= ASLEEP_LOOKS;
}

static void sleep_report(pid_t pid)
{
    fprintf(stderr,
            "vtegra: process %d sleeps in a call that vtegra does not follow: the other processes "
            "of the run continue, and from here on the order is not the seed's alone\n",
            (int)pid);
}

/* Does the turn of @holder become this process's? It has ended, or sleeps, or none has the turn. */
static void holder_look(struct look *look, unsigned ms)
{
    uint32_t holder = atomic_load(&page->holder);
    bool ended;

    if (holder == NONE) {
        atomic_compare_exchange_strong(&page->holder, &holder, page_me);
        return;
    }
    ended = page_has_ended(atomic_load(&page->slot[holder].pid));
    if (holder == page_me || (!ended && !sleeps_on(look, holder, ms))) {
        return;
    }
    if (!atomic_compare_exchange_strong(&page->holder, &holder, page_me)) {
        return;
    }
    if (!ended) {
        sleep_report(page->slot[holder].pid);
    }
    atomic_store(&page->slot[holder].state, ended ? SLOT_FREE : SLOT_AWAY);
    atomic_store(&page->what, ROUND_LOOK);
    page->generation++;
    round_give(next_draw(NONE)); /* perhaps this one; whichever process has found it */
}

static void handler_ran(void)
{
    if (turn_self) {
        atomic_fetch_add(&turn_self->signals, 1);
    }
}

enum round_what page_turn_get(void)
{
    struct slot *s = &page->slot[page_me];
    struct look look = { .holder = NONE };
    unsigned ms = 1;

    while (atomic_load(&page->holder) != page_me) {
        unsigned go = atomic_load(&s->go);
        unsigned ticks = turn_self ? atomic_load(&turn_self->ticks) : 0;
        int r = atomic_load(&page->holder) == page_me ? 0 : futex_wait(&s->go, go, ms);

        if (r == EINTR && turn_self && atomic_load(&turn_self->ticks) == ticks) {
            handler_ran();
        } else if (r == ETIMEDOUT) {
            holder_look(&look, ms);
            ms = ms < LOOK_MS_MAX ? ms * 2 : ms;
        }
        if (turn_self) {
            atomic_fetch_add(&turn_self->awaits, 1);
        }
    }
    page_ran = false;
    atomic_store(&s->tid, gettid());
    return atomic_exchange(&page->what, ROUND_LOOK);
}

/* It may have slept unseen, and the turn is another's by now. */
void page_turn_ensure(void)
{
    if (atomic_load(&page->holder) != page_me) {
        page->slot[page_me].asked = 0;
        atomic_store(&page->slot[page_me].state, SLOT_LIVE);
        page_turn_get();
    }
}

void round_runs(pid_t tid)
{
    if (round_on) {
        page_ran = true;
        if (tid) {
            atomic_store(&page->slot[page_me].tid, tid);
        }
    }
}

static bool others_live(void)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (i != page_me && page_is_live(i)) {
            return true;
        }
    }
    return false;
}

void round_point(bool yields)
{
    if (!round_on) {
        return;
    }
    page_turn_ensure();
    if (!page_ran || !others_live() ||
        (!yields && (page->never || round_draw(&page->random) % SWITCH_ONE_IN))) {
        return;
    }
    page->generation++;
    page->slot[page_me].asked = 0;
    round_give(next_draw(page_me));
    page_turn_get();
}

/* --- no thread of the process can run ------------------------------------------------------- */

static enum round_what round_hand(uint32_t to, enum round_what what)
{
    if (to == page_me) {
        return what;
    }
    atomic_store(&page->what, what);
    round_give(to);
    return page_turn_get();
}

static enum round_what host_wait(void)
{
    atomic_store(&page->holder, NONE);
    return page_turn_get();
}

/* The first that waits for one of @why; NONE. */
static uint32_t first_that_waits(unsigned why)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (page_is_live(i) && page->slot[i].why & why) {
            return i;
        }
    }
    return NONE;
}

/* A signal from outside may have ended one without the turn. */
static bool ended_free(void)
{
    bool any = false;

    for (uint32_t i = 0; i < SLOTS; i++) {
        struct slot *s = &page->slot[i];

        if (i != page_me && atomic_load(&s->state) != SLOT_FREE &&
            page_has_ended(atomic_load(&s->pid))) {
            atomic_store(&s->state, SLOT_FREE);
            any = true;
        }
    }
    return any;
}

/* No process can run. */
static enum round_what all_stand(void)
{
    uint32_t timer = NONE;
    bool away = false;

    if (ended_free()) {
        page->generation++; /* all look again */
        return ROUND_LOOK;
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint64_t first = timer == NONE ? TURN_FOREVER : page->slot[timer].until_ns;

        timer = page_is_live(i) && page->slot[i].until_ns < first ? i : timer;
        away |= atomic_load(&page->slot[i].state) == SLOT_AWAY;
    }
    if (timer != NONE) {
        return round_hand(timer, ROUND_TIMER);
    }
    if (away || first_that_waits(ROUND_WORLD) != NONE) {
        return host_wait();
    }
    if (first_that_waits(ROUND_BOARD) != NONE) {
        return round_hand(first_that_waits(ROUND_BOARD), ROUND_HOPELESS);
    }
    return first_that_waits(ROUND_OTHERS) == NONE
               ? host_wait()
               : round_hand(first_that_waits(ROUND_OTHERS), ROUND_STUCK);
}

enum round_what round_stand(uint64_t until_ns, unsigned why)
{
    struct slot *s = &page->slot[page_me];
    uint32_t next;

    page_turn_ensure();
    page->generation += page_ran;
    page_ran = false;
    s->asked = page->generation;
    s->until_ns = until_ns;
    s->why = why;
    next = next_draw(page_me);
    return next == NONE ? all_stand() : round_hand(next, ROUND_LOOK);
}

void round_leave(void)
{
    static bool said;
    uint32_t next;

    page_turn_ensure();
    if (!said && others_live()) {
        said = true;
        sleep_report(getpid());
    }
    page->generation += page_ran;
    page_ran = false;
    atomic_store(&page->slot[page_me].state, SLOT_AWAY);
    next = next_draw(page_me);
    if (next == NONE) {
        atomic_store(&page->holder, NONE); /* those that wait look again now and then */
    } else {
        round_give(next);
    }
}

void round_return(void)
{
    page_turn_ensure();
}

void round_served(bool waits)
{
    atomic_store(&page->slot[page_me].served, waits);
}

/* --- time, and getting on --------------------------------------------------------------------- */

void round_progress(void)
{
    page->progress++;
}

uint64_t round_progress_count(void)
{
    return page->progress;
}

/* The board's time is one for all; a board that comes after another begins at 0. */
uint64_t round_time_ns(const uint64_t *board_ns)
{
    if (board_ns) {
        page->now_ns += *board_ns > page->board_ns ? *board_ns - page->board_ns : 0;
        page->board_ns = *board_ns;
    }
    return page->now_ns;
}

void round_time_add(uint64_t ns)
{
    page->now_ns += ns;
}
