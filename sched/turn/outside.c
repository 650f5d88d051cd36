/* SPDX-License-Identifier: MIT */
#include "sched/turn/outside.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/calls/front.h"
#include "sched/processes/round.h"

#define NS_PER_S UINT64_C(1000000000)
#define TIMERS_NS (10 * NS_PER_S) /* and ... */
#define TIMERS_PERIODS 10u        /* a handler may act at some of its timer's signals only */
#define SIGNALS_NS (2 * NS_PER_S)
#define TIMERS_MAX 64u
#define ASKED_MAX 16u
#define FDS_MAX 1024

static _Atomic(uintptr_t) timers[TIMERS_MAX]; /* a timer_t and 1, as the first may be 0 */
static atomic_bool timers_more; /* there is one without a place; may act as long as any may */
static atomic_bool timers_call; /* a function of the program's, on a thread of the C library's */
static int asked[ASKED_MAX];
static unsigned n_asked; /* ASKED_MAX + 1: there are more, which may be outside */

/* --- timers ----------------------------------------------------------------------------------- */

SCHED_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event,
                              timer_t *restrict timer)
{
    uintptr_t none = 0;
    int r = REAL(timer_create)(clock, event, timer);

    if (r == 0 && !front_is_ours(TURN_CALLER)) {
        if (event && event->sigev_notify == SIGEV_THREAD) {
            atomic_store(&timers_call, true);
        }
        for (unsigned i = 0; i < TIMERS_MAX; i++, none = 0) {
            if (atomic_compare_exchange_strong(&timers[i], &none, (uintptr_t)*timer + 1)) {
                return r;
            }
        }
        atomic_store(&timers_more, true);
    }
    return r;
}

SCHED_EXPORT int timer_delete(timer_t timer)
{
    for (unsigned i = 0; i < TIMERS_MAX; i++) {
        uintptr_t one = (uintptr_t)timer + 1;

        atomic_compare_exchange_strong(&timers[i], &one, 0);
    }
    return REAL(timer_delete)(timer);
}

static uint64_t ns_of(time_t s, long ns)
{
    return (uint64_t)s * NS_PER_S + (uint64_t)ns;
}

/* One that runs once is waited for; one that comes again and again, for some of its periods. */
static bool timer_may_act(uint64_t value, uint64_t interval, uint64_t waited)
{
    return interval ? waited < TIMERS_NS + TIMERS_PERIODS * interval : value != 0;
}

/* @loops: those that count CPU time, too. */
static bool timers_may_act(bool loops, uint64_t waited)
{
    bool any = atomic_load(&timers_more) && waited < TIMERS_NS;

    for (int which = ITIMER_REAL; which <= (loops ? ITIMER_PROF : ITIMER_REAL); which++) {
        struct itimerval t;

        any |= getitimer((__itimer_which_t)which, &t) == 0 &&
               timer_may_act(ns_of(t.it_value.tv_sec, t.it_value.tv_usec * 1000),
                             ns_of(t.it_interval.tv_sec, t.it_interval.tv_usec * 1000), waited);
    }
    for (unsigned i = 0; i < TIMERS_MAX; i++) {
        uintptr_t one = atomic_load(&timers[i]);
        struct itimerspec t;

        any |= one && timer_gettime((timer_t)(one - 1), &t) == 0 &&
               timer_may_act(ns_of(t.it_value.tv_sec, t.it_value.tv_nsec),
                             ns_of(t.it_interval.tv_sec, t.it_interval.tv_nsec), waited);
    }
    return any;
}

/* What a timer calls is over some time after the timer: nothing shows when. */
static bool calls_may_act(bool armed, uint64_t now, uint64_t waited)
{
    static uint64_t armed_ns;

    armed_ns = armed ? now : armed_ns;
    return atomic_load(&timers_call) && (waited < SIGNALS_NS || now - armed_ns < SIGNALS_NS);
}

/* --- children and signals --------------------------------------------------------------------- */

/* One that has ended and was not waited for has sent its signal. */
static bool child_lives(void)
{
    siginfo_t info = { .si_pid = 0 };

    return REAL(syscall)(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL, NULL) ==
               0 &&
           info.si_pid == 0;
}

static bool has_handler(int sig)
{
    struct sigaction now;

    return sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_DFL &&
           now.sa_handler != SIG_IGN && !front_is_ours((uintptr_t)now.sa_handler);
}

/* Does the program handle a signal that a child may send? */
static bool handles_any(void)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

    for (int sig = 1; sig <= SIGRTMAX; sig++) {
        bool fault = false;

        for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
            fault |= sig == faults[i];
        }
        if (!fault && has_handler(sig)) {
            return true;
        }
    }
    return false;
}

/* One that the kernel sends for it (input, a message, I/O that is done)? Who ends programs by hand
 * (SIGINT, SIGTERM) is not waited for. */
static bool handles_notices(void)
{
    for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++) {
        if (has_handler(sig)) {
            return true;
        }
    }
    return has_handler(SIGIO) || has_handler(SIGUSR1) || has_handler(SIGUSR2);
}

/* --- descriptors ------------------------------------------------------------------------------ */

void outside_asked(int fd)
{
    for (unsigned i = 0; i < n_asked && i < ASKED_MAX; i++) {
        if (asked[i] == fd) {
            return;
        }
    }
    if (n_asked < ASKED_MAX) {
        asked[n_asked] = fd;
    }
    n_asked += n_asked <= ASKED_MAX;
}

void outside_answered(void)
{
    n_asked = 0;
}

/* Does the process itself have the other end of the pipe? */
static bool pipe_is_ours(int fd, const struct stat *pipe)
{
    int mode = fcntl(fd, F_GETFL) & O_ACCMODE;
    struct stat st;

    for (int other = 0; other < FDS_MAX; other++) { /* opendir() would want memory */
        if (fstat(other, &st) == 0 && st.st_dev == pipe->st_dev && st.st_ino == pipe->st_ino &&
            (fcntl(other, F_GETFL) & O_ACCMODE) != mode) {
            return true;
        }
    }
    return false;
}

/* May another process make it ready? Both ends of a socket may be the process's own; nothing shows
 * which. */
static bool is_outside(int fd)
{
    char path[64], name[64];
    struct stat st;
    ssize_t n;

    if (fstat(fd, &st) != 0 || S_ISREG(st.st_mode)) {
        return false;
    }
    if (S_ISFIFO(st.st_mode)) {
        return !pipe_is_ours(fd, &st);
    }
    snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
    n = readlink(path, name, sizeof(name) - 1);
    name[n > 0 ? n : 0] = '\0';
    return strcmp(name, "anon_inode:[eventfd]") != 0;
}

static bool asked_outside(void)
{
    for (unsigned i = 0; i < n_asked && i < ASKED_MAX; i++) {
        if (is_outside(asked[i])) {
            return true;
        }
    }
    return n_asked > ASKED_MAX;
}

/* ---------------------------------------------------------------------------------------------- */

bool outside_may_act(bool loops, uint64_t *since)
{
    uint64_t now = real_ns(CLOCK_MONOTONIC), waited;
    int error = errno;
    bool armed, may;

    *since = *since ? *since : now;
    waited = now - *since;
    armed = timers_may_act(loops, waited);
    may = armed || calls_may_act(armed, now, waited) ||
          (child_lives() && (loops || (handles_any() && !(round_on && round_has_child())))) ||
          (loops && asked_outside()) || (handles_notices() && waited < SIGNALS_NS);
    errno = error;
    return may;
}
