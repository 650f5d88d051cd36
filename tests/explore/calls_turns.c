/* SPDX-License-Identifier: MIT */
/* The ways of calls.c in which threads give their turn away, and get it back. */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

static void raw_yield(void)
{
    pthread_t t;

    CHECK(pthread_create(&t, NULL, raise_flag, NULL) == 0);
    while (!flag) {
        CHECK(syscall(SYS_sched_yield) == 0);
    }
    pthread_join(t, NULL);
}

static void *raise_later(void *x)
{
    usleep(1000);
    flag = 1;
    return x;
}

/* A turn of a loop that waits takes time: who sleeps a few milliseconds meanwhile wakes up. */
static void yields_for_a_sleeper(void)
{
    unsigned turns = 0;
    pthread_t t;

    CHECK(pthread_create(&t, NULL, raise_later, NULL) == 0);
    while (!flag) {
        sched_yield();
        turns++;
    }
    CHECK(turns < 100000);
    pthread_join(t, NULL);
}

static volatile int within;

/* Needs no lock: threads take turns, and there is no call within. */
static void one_at_a_time(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        sched_yield();
        CHECK(++within == 1);
        for (volatile int n = 0; n < 50000000; n++) {
        }
        CHECK(within-- == 1);
    }
}

static void *lock_and_go_on(void *lock)
{
    CHECK(pthread_mutex_lock(lock) == 0);
    one_at_a_time(3);
    flag = 1;
    return NULL;
}

/* Who comes back from a call that waits for real waits for its turn. */
static void turns_after_wait(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t lock;
    pthread_t t;

    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutex_init(&lock, &attr) == 0 && pthread_mutex_lock(&lock) == 0);
    CHECK(pthread_create(&t, NULL, lock_and_go_on, &lock) == 0);
    one_at_a_time(3);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    while (!flag) {
        one_at_a_time(1);
    }
    CHECK(pthread_join(t, NULL) == 0);
}

#ifdef __x86_64__
static void *sleep_by_itself(void *x)
{
    struct timespec t = { 1, 0 };
    long r;

    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "0"(SYS_nanosleep), "D"(&t), "S"(0)
                     : "rcx", "r11", "memory");
    CHECK(r == 0);
    return x;
}

/* Nobody follows such a call: others go on meanwhile, and that is told. */
static void sleeps_unseen(void)
{
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_t t[2];

    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&t[i], NULL, sleep_by_itself, NULL) == 0);
    }
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
    }
}

static void *sleep_long(void *x)
{
    usleep(1000); /* until the other one waits */
    for (int i = 0; i < 3; i++) {
        sleep_by_itself(x);
    }
    flag = 1;
    return x;
}

/* Who only waits for a time, or for what another process does, does not wait for the sleeper. */
static void goes_on_beside(bool sleeps)
{
    pthread_t t;
    char byte;

    CHECK(pipe(fds) == 0);
    if (!sleeps && fork() == 0) {
        usleep(100000);
        _exit(write(fds[1], "a", 1) != 1);
    }
    CHECK(pthread_create(&t, NULL, sleep_long, NULL) == 0);
    if (sleeps) {
        usleep(2000);
    } else {
        CHECK(read(fds[0], &byte, 1) == 1);
    }
    CHECK(!flag);
    pthread_join(t, NULL);
}

static void sleeps_beside(void)
{
    goes_on_beside(true);
}

static void reads_beside(void)
{
    goes_on_beside(false);
}

static void *sleep_and_go_on(void *x)
{
    sleep_by_itself(x);
    one_at_a_time(5);
    flag = 1;
    return x;
}

/* Who comes back from such a call waits for its turn. */
static void turns_after_sleep(void)
{
    pthread_t t;

    CHECK(pthread_create(&t, NULL, sleep_and_go_on, NULL) == 0);
    while (!flag) {
        one_at_a_time(1);
    }
    CHECK(pthread_join(t, NULL) == 0);
}
#endif

const struct way turn_ways[] = {
    { "raw_yield", raw_yield },
    { "yields_for_a_sleeper", yields_for_a_sleeper },
    { "turns_after_wait", turns_after_wait },
#ifdef __x86_64__
    { "sleeps_unseen", sleeps_unseen },
    { "sleeps_beside", sleeps_beside },
    { "reads_beside", reads_beside },
    { "turns_after_sleep", turns_after_sleep },
#endif
    { NULL },
};
