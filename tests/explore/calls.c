/* SPDX-License-Identifier: MIT */
/* What POSIX, ISO C and Linux's manual say of calls that wait or tell the time, where threads take
 * turns: one call, or a few that are alike, each. Ends with 0 when it is so. Usage: calls WAY
 * The ways are in calls_*.c, by what they call. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

volatile int flag;
int fds[2];

double now(clockid_t clock)
{
    struct timespec t;

    CHECK(clock_gettime(clock, &t) == 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct timespec in_seconds(clockid_t clock, time_t seconds)
{
    struct timespec t;

    CHECK(clock_gettime(clock, &t) == 0);
    t.tv_sec += seconds;
    return t;
}

bool took(double before, double seconds)
{
    double passed = now(CLOCK_MONOTONIC) - before;

    return passed >= seconds - 1e-6 && passed < seconds + 0.5;
}

void on_signal(int sig)
{
    flag += sig == SIGUSR1;
}

static pthread_t sleeper;

static void *disturb(void *x)
{
    sleep(2);
    pthread_kill(sleeper, SIGUSR1);
    return x;
}

pthread_t disturbed(void)
{
    pthread_t t;

    sleeper = pthread_self();
    signal(SIGUSR1, on_signal);
    flag = 0;
    CHECK(pthread_create(&t, NULL, disturb, NULL) == 0);
    return t;
}

void *raise_flag(void *x)
{
    flag = 1;
    return x;
}

void *write_soon(void *x)
{
    sleep(1);
    CHECK(write(fds[1], "x", 1) == 1);
    return x;
}

static const struct way *find(const char *name)
{
    static const struct way *const sections[] = {
        clock_ways,  lock_ways,   message_ways, poll_ways, child_ways,
        signal_ways, thread_ways, turn_ways,    c11_ways,  ipc_ways,
    };

    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        for (const struct way *w = sections[i]; w->name; w++) {
            if (strcmp(w->name, name) == 0) {
                return w;
            }
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct way *way = argc == 2 ? find(argv[1]) : NULL;

    if (!way) {
        return 2;
    }
    if (way->run) {
        way->run();
    } else {
        way->run_as(way->name);
    }
    return 0;
}
