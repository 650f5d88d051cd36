/* SPDX-License-Identifier: MIT */
/* The ways of calls.c with clocks, sleeping and futex(2). */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

static void clocks(void)
{
    struct timespec t;
    struct timeval v;
    double r = now(CLOCK_REALTIME), tai = now(CLOCK_TAI);
    time_t seconds;

    CHECK(tai - r > 36.9 && tai - r < 37.1); /* leap seconds since 2017 */
    CHECK(time(&seconds) == seconds && (double)seconds > r - 1.1 && (double)seconds < r + 0.1);
    CHECK(gettimeofday(&v, NULL) == 0);
    CHECK((double)v.tv_sec + (double)v.tv_usec * 1e-6 - r < 0.1);
    CHECK((double)v.tv_sec + (double)v.tv_usec * 1e-6 - r > -0.1);
    CHECK(timespec_get(&t, TIME_UTC) == TIME_UTC && (double)t.tv_sec - r < 1);
    CHECK(timespec_get(&t, 77) == 0);
    CHECK(clock_gettime(77, &t) == -1 && errno == EINVAL);
    CHECK(now(CLOCK_MONOTONIC) < r - 1e6); /* not since 1970 */
    CHECK(now(CLOCK_PROCESS_CPUTIME_ID) < 60);
}

/* clock(3): it tells what CLOCK_PROCESS_CPUTIME_ID does. */
static void cpu_time(void)
{
    double differ;

    sleep(20);
    differ = (double)clock() / CLOCKS_PER_SEC - now(CLOCK_PROCESS_CPUTIME_ID);
    CHECK(differ > -0.1 && differ < 0.1);
}

static void bad_times(void)
{
    const struct timespec much = { 0, 1000000000 }, negative = { -1, 0 }, less = { 0, -1 };

    CHECK(nanosleep(&much, NULL) == -1 && errno == EINVAL);
    CHECK(nanosleep(&negative, NULL) == -1 && errno == EINVAL);
    CHECK(nanosleep(&less, NULL) == -1 && errno == EINVAL);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &much, NULL) == EINVAL);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &negative, NULL) == EINVAL);
    CHECK(thrd_sleep(&much, NULL) < -1); /* ISO C 7.26.5.7: another negative value than -1 */
}

static void sleeps(void)
{
    struct timespec t = { 20, 0 };
    double before = now(CLOCK_MONOTONIC);

    CHECK(nanosleep(&t, NULL) == 0 && took(before, 20));
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == 0 && took(before, 40));
    t = in_seconds(CLOCK_REALTIME, 20);
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == 0 && took(before, 60));
    CHECK(usleep(20000000) == 0 && took(before, 80));
    CHECK(sleep(20) == 0 && took(before, 100));
    t = (struct timespec){ 20, 0 };
    CHECK(thrd_sleep(&t, NULL) == 0 && took(before, 120));
    t = (struct timespec){ 0, 250000000 };
    CHECK(nanosleep(&t, NULL) == 0 && took(before, 120.25));
}

static double left(const struct timespec *t)
{
    return (double)t->tv_sec + (double)t->tv_nsec * 1e-9;
}

static void interrupted_sleeps(void)
{
    struct timespec t = { 10, 0 }, rest = { 0, 0 };
    pthread_t other = disturbed();

    CHECK(nanosleep(&t, &rest) == -1 && errno == EINTR && flag == 1);
    CHECK(left(&rest) > 7.5 && left(&rest) <= 8);
    pthread_join(other, NULL);
    other = disturbed();
    CHECK(sleep(10) == 8); /* what is left, in whole seconds */
    pthread_join(other, NULL);
    other = disturbed();
    CHECK(usleep(10000000) == -1 && errno == EINTR);
    pthread_join(other, NULL);
    other = disturbed();
    t = in_seconds(CLOCK_MONOTONIC, 10);
    rest = (struct timespec){ 77, 77 };
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, &rest) == EINTR);
    CHECK(rest.tv_sec == 77 && rest.tv_nsec == 77); /* only relative ones tell */
    pthread_join(other, NULL);
    other = disturbed();
    t = (struct timespec){ 10, 0 };
    CHECK(thrd_sleep(&t, &rest) == -1 && left(&rest) > 7.5 && left(&rest) <= 8);
    pthread_join(other, NULL);
}

static uint32_t word;

static long futex(int operation, const struct timespec *t, uint32_t bits)
{
    return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, 0, t, NULL, bits);
}

static void futexes(void)
{
    struct timespec t = { 20, 0 };
    double before = now(CLOCK_MONOTONIC);

    CHECK(futex(FUTEX_WAIT_BITSET, &t, 0) == -1 && errno == EINVAL);
    before = now(CLOCK_MONOTONIC);
    CHECK(futex(FUTEX_WAIT, &t, 0) == -1 && errno == ETIMEDOUT && took(before, 20));
    t = in_seconds(CLOCK_MONOTONIC, 20); /* the moment, not how long */
    CHECK(futex(FUTEX_WAIT_BITSET, &t, 1) == -1 && errno == ETIMEDOUT && took(before, 40));
    t = in_seconds(CLOCK_REALTIME, 20);
    CHECK(futex(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, &t, 1) == -1 && errno == ETIMEDOUT);
    CHECK(took(before, 60));
    CHECK(futex(FUTEX_WAKE, NULL, 0) == 0);
}

const struct way clock_ways[] = {
    { "clocks", clocks },
    { "cpu_time", cpu_time },
    { "bad_times", bad_times },
    { "sleeps", sleeps },
    { "interrupted", interrupted_sleeps },
    { "futexes", futexes },
    { NULL },
};
