/* SPDX-License-Identifier: MIT */
/* Clocks and sleeping. While threads take turns there is one time, the board's: it moves when
 * engines work, when everybody sleeps, and a little with each look. Not followed: the time stamp
 * counter. */
#include "sched/calls/front.h"

#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/* When a run begins: 2025-01-01 00:00:00 UTC, 100 s after boot. The same in every run. */
#define REALTIME_START (UINT64_C(1735689600) * NS_PER_S)
#define BOOT_START (UINT64_C(100) * NS_PER_S)

static uint64_t clock_start(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
        return REALTIME_START;
    case CLOCK_TAI:
        return REALTIME_START + 37 * NS_PER_S; /* leap seconds since 2017 */
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return BOOT_START;
    default: /* CPU time of the process or of a thread */
        return 0;
    }
}

static uint64_t to_ns(const struct timespec *t)
{
    return t->tv_sec < 0 ? 0 : (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

static struct timespec from_ns(uint64_t ns)
{
    return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

bool front_time_valid(const struct timespec *t)
{
    return t->tv_nsec >= 0 && t->tv_nsec < (long)NS_PER_S;
}

uint64_t front_until(clockid_t clock, const struct timespec *at)
{
    uint64_t start = clock_start(clock), ns;

    if (!at || at->tv_sec > (time_t)(INT64_MAX / NS_PER_S - 1)) {
        return TURN_FOREVER;
    }
    ns = to_ns(at);
    return ns > start ? ns - start : 0;
}

const struct timespec *front_real_until(clockid_t clock, uint64_t until_ns, struct timespec *out)
{
    uint64_t now = turn_now_ns();

    if (until_ns == TURN_FOREVER) {
        return NULL;
    }
    REAL(clock_gettime)(clock, out);
    *out = from_ns(to_ns(out) + (until_ns > now ? until_ns - now : 0));
    return out;
}

uint64_t front_after(const struct timespec *how_long)
{
    if (!how_long || how_long->tv_sec > (time_t)(INT64_MAX / NS_PER_S / 2)) {
        return TURN_FOREVER;
    }
    return turn_now_ns() + to_ns(how_long);
}

SCHED_EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
    struct thread *self = turn_thread();

    if (!self) {
        free_clock(TURN_CALLER);
        return REAL(clock_gettime)(clock, out);
    }
    if (REAL(clock_gettime)(clock, out) != 0) {
        return -1; /* no such clock */
    }
    *out = from_ns(clock_start(clock) + turn_clock_look(self, TURN_CALLER));
    return 0;
}

SCHED_EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct thread *self = turn_thread();
    uint64_t ns;

    if (!self) {
        free_clock(TURN_CALLER);
        return REAL(gettimeofday)(out, zone);
    }
    ns = REALTIME_START + turn_clock_look(self, TURN_CALLER);
    *out = (struct timeval){ (time_t)(ns / NS_PER_S), (suseconds_t)(ns % NS_PER_S / 1000) };
    return 0;
}

SCHED_EXPORT time_t time(time_t *out)
{
    struct thread *self = turn_thread();
    time_t now;

    if (!self) {
        free_clock(TURN_CALLER);
        return REAL(time)(out);
    }
    now = (time_t)((REALTIME_START + turn_clock_look(self, TURN_CALLER)) / NS_PER_S);
    if (out) {
        *out = now;
    }
    return now;
}

SCHED_EXPORT int timespec_get(struct timespec *out, int base)
{
    if (!turn_thread()) {
        free_clock(TURN_CALLER);
        return REAL(timespec_get)(out, base);
    }
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

SCHED_EXPORT clock_t clock(void)
{
    struct thread *self = turn_thread();

    if (!self) {
        free_clock(TURN_CALLER);
        return REAL(clock)();
    }
    return (clock_t)(turn_clock_look(self, TURN_CALLER) / (NS_PER_S / CLOCKS_PER_SEC));
}

/* --- sleeping --------------------------------------------------------------------------------- */

uint64_t front_sleep(struct thread *self, uint64_t until_ns, uintptr_t pc)
{
    uint64_t now;

    turn_block(self, &(struct turn_wait){
                         .kind = WAIT_SLEEP, .until_ns = until_ns, .pc = pc, .interrupts = true });
    pthread_testcancel();
    now = turn_now_ns();
    return self->outcome == WAIT_INTERRUPTED && now < until_ns ? until_ns - now : 0;
}

static int sleep_result(uint64_t left_ns, struct timespec *left)
{
    if (!left_ns) {
        return 0;
    }
    if (left) {
        *left = from_ns(left_ns);
    }
    return EINTR;
}

SCHED_EXPORT int nanosleep(const struct timespec *how_long, struct timespec *left)
{
    struct thread *self = turn_thread();

    if (!self) {
        free_loop(FREE_SLEEP, TURN_CALLER);
        return REAL(nanosleep)(how_long, left);
    }
    if (!front_time_valid(how_long) || how_long->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    errno = sleep_result(front_sleep(self, front_after(how_long), TURN_CALLER), left);
    return errno ? -1 : 0;
}

SCHED_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                                 struct timespec *left)
{
    struct thread *self = turn_thread();

    if (!self) {
        free_loop(FREE_SLEEP, TURN_CALLER);
        return REAL(clock_nanosleep)(clock, flags, t, left);
    }
    if (!front_time_valid(t) || t->tv_sec < 0) {
        return EINVAL;
    }
    return sleep_result(front_sleep(self,
                                    flags & TIMER_ABSTIME ? front_until(clock, t) : front_after(t),
                                    TURN_CALLER),
                        flags & TIMER_ABSTIME ? NULL : left);
}

SCHED_EXPORT int usleep(useconds_t us)
{
    struct thread *self = turn_thread();

    if (!self) {
        free_loop(FREE_SLEEP, TURN_CALLER);
        return REAL(usleep)(us);
    }
    errno = sleep_result(front_sleep(self, turn_now_ns() + us * UINT64_C(1000), TURN_CALLER), NULL);
    return errno ? -1 : 0;
}

SCHED_EXPORT unsigned sleep(unsigned seconds)
{
    struct thread *self = turn_thread();

    if (!self) {
        free_loop(FREE_SLEEP, TURN_CALLER);
        return REAL(sleep)(seconds);
    }
    return (unsigned)((front_sleep(self, turn_now_ns() + seconds * NS_PER_S, TURN_CALLER) +
                       NS_PER_S - 1) /
                      NS_PER_S);
}
