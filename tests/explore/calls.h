/* SPDX-License-Identifier: MIT */
/* What the parts of calls.c share. */
#ifndef TESTS_EXPLORE_CALLS_H
#define TESTS_EXPLORE_CALLS_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "check.h"

/* One of @run and @run_as: the latter has several names, and does what the name says. */
struct way {
    const char *name;
    void (*run)(void);
    void (*run_as)(const char *name);
};

/* Each ends with a way without a name. */
extern const struct way clock_ways[], lock_ways[], message_ways[], poll_ways[], child_ways[],
    signal_ways[], thread_ways[], turn_ways[], c11_ways[], ipc_ways[];

extern volatile int flag; /* 0 at first */
extern int fds[2];

double now(clockid_t clock); /* in seconds */
struct timespec in_seconds(clockid_t clock, time_t seconds);

/* So much of CLOCK_MONOTONIC has gone by since @before, and a little. */
bool took(double before, double seconds);

/* A handler: SIGUSR1 raises the flag. */
void on_signal(int sig);

/* A thread that sends its creator SIGUSR1 in two seconds. The flag counts them from 0. */
pthread_t disturbed(void);

/* What a thread may run: it raises the flag. */
void *raise_flag(void *x);

/* The same: it writes a byte to fds[1] in a second. */
void *write_soon(void *x);

#endif
