/* SPDX-License-Identifier: MIT */
/* The timers that interrupt threads to see whether they spin (spin.c).
 *   burst: three of them expire in a row, at one instruction: no sign that the thread spins
 *   vectors, vectors_long, x87, stack, far, pointed: long loops that change nothing but a vector
 * register, x87's stack, a counter on the stack, near its top or far up, or one that a register
 * points to
 *   blocked, taken: a thread that spins where all signals are blocked, or the timers' is used
 *   timers: each thread has one as long as it lives
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#ifdef __x86_64__

/* --- one has the turn, and calls nothing ------------------------------------------------------ */

static atomic_int over;
static volatile unsigned turns;

static void *other(void *unused)
{
    while (!over) {
        turns++;
        sched_yield();
    }
    return unused;
}

/* Whoever yields comes after the others: from here on the turn is the caller's until it calls. */
static void beside_another(void (*what)(void))
{
    pthread_t thread;
    unsigned before;

    CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
    while (turns < 3) {
        sched_yield();
    }
    before = turns;
    what();
    CHECK(turns == before);
    over = 1;
    CHECK(pthread_join(thread, NULL) == 0);
}

/* --- calls that nobody hears of --------------------------------------------------------------- */

static long call(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

#define BURST 3

static void burst(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG };
    const struct itimerspec soon = { .it_value = { 0, 1000000 } };
    const struct timespec later = { 0, 20000000 };
    const unsigned long urgent = 1ul << (SIGURG - 1);
    int timer[BURST];
    long failed = 0;

    event.sigev_notify_thread_id = (pid_t)call(SYS_gettid, 0, 0, 0, 0);
    failed |= call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&urgent, 0, sizeof(urgent));
    for (int i = 0; i < BURST; i++) {
        failed |= call(SYS_timer_create, CLOCK_MONOTONIC, (long)&event, (long)&timer[i], 0);
        failed |= call(SYS_timer_settime, timer[i], 0, (long)&soon, 0);
    }
    failed |= call(SYS_nanosleep, (long)&later, 0, 0, 0);
    failed |= call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&urgent, 0, sizeof(urgent));
    CHECK(!failed);
}

#define TURNS 100000000 /* more than ten ticks */

static void sum(double until)
{
    double x = 0;

    while (x < until) {
        x += 1;
        __asm__ volatile("" : "+x"(x));
    }
}

static void vectors(void)
{
    sum(TURNS);
}

static double cpu_s(void)
{
    struct timespec now;

    CHECK(call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now, 0, 0) == 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* In one piece for more than 2,500 ticks, however fast the machine is. */
static void vectors_long(void)
{
    double began = cpu_s();

    sum(TURNS);
    sum(13 / (cpu_s() - began) * TURNS);
    CHECK(cpu_s() - began > 11);
}

static void stack(void)
{
    long n = 0;

    __asm__ volatile("1: addq $1, %0\n cmpq %1, %0\n jne 1b" : "+m"(n) : "r"(TURNS * 2l) : "cc");
}

static void x87(void)
{
    long double x = 0;

    while (x < TURNS / 2) {
        x += 1;
        __asm__ volatile("" : "+t"(x));
    }
}

static void count_at(volatile long *n)
{
    __asm__ volatile("1: addq $1, %0\n cmpq %1, %0\n jne 1b" : "+m"(*n) : "r"(TURNS * 2l) : "cc");
}

static void far(void)
{
    volatile long room[1024] = { 0 };

    count_at(&room[1000]);
}

static void pointed(void)
{
    long *n = calloc(1, sizeof(*n));

    count_at(n);
    free(n);
}

static volatile int set_by_other;

static void *spins(void *unused)
{
    while (!set_by_other) {
    }
    return unused;
}

static void blocked(void)
{
    pthread_t thread;
    sigset_t all;

    sigfillset(&all);
    sigdelset(&all, SIGTERM); /* timeout(1)'s */
    CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, spins, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        sched_yield();
    }
    set_by_other = 1;
    CHECK(pthread_join(thread, NULL) == 0);
}

static volatile int handled;

static void on_signal(int sig)
{
    handled = sig;
}

/* A program that uses the signal of the timers: they leave it alone, and still interrupt. */
static void taken(void)
{
    const int signals[] = { 0, SIGURG, SIGRTMAX }; /* the timers', one after the other */
    pthread_t thread[3];
    volatile double x = 1;

    for (int i = 0; i < 3; i++) {
        CHECK(i == 0 || signal(signals[i], on_signal) != SIG_ERR);
        CHECK(pthread_create(&thread[i], NULL, spins, NULL) == 0);
        for (int turn = 0; turn < 3; turn++) {
            sched_yield();
        }
    }
    while (x < TURNS) {
        x += 1;
    }
    CHECK(handled == 0);
    CHECK(raise(SIGURG) == 0 && handled == SIGURG);
    CHECK(raise(SIGRTMAX) == 0 && handled == SIGRTMAX);
    set_by_other = 1;
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
    }
}

#endif

/* --- timers ----------------------------------------------------------------------------------- */

#define THREADS 5

/* "signal: 23/(null)": one line of each. -1: this kernel does not say. */
static int timers_now(void)
{
    FILE *file = fopen("/proc/self/timers", "r");
    char line[128], wanted[32];
    int n = 0;

    if (!file) {
        return -1;
    }
    snprintf(wanted, sizeof(wanted), "signal: %d/", SIGURG);
    while (fgets(line, sizeof(line), file)) {
        n += strncmp(line, wanted, strlen(wanted)) == 0;
    }
    fclose(file);
    return n;
}

static void *one(void *seen)
{
    *(int *)seen = timers_now();
    return NULL;
}

static void copied(void)
{
    pid_t child = fork();
    int status = 1;

    CHECK(child >= 0);
    if (child == 0) { /* it may have none: nobody takes turns there */
        _exit(timers_now() > 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void timers(void)
{
    if (timers_now() < 0) {
        puts("SKIP: no /proc/self/timers");
        return;
    }
    CHECK(timers_now() == 1);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        int seen;

        CHECK(pthread_create(&thread, NULL, one, &seen) == 0 && pthread_join(thread, NULL) == 0);
        CHECK(seen == 2);
        CHECK(timers_now() == 1);
    }
    copied();
    CHECK(timers_now() == 1);
}

/* ---------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*beside)(void), (*alone)(void); /* of another thread */
    } ways[] = {
        { "timers", .alone = timers },
#ifdef __x86_64__
        { "burst", .beside = burst },
        { "vectors", .beside = vectors },
        { "vectors_long", .beside = vectors_long },
        { "x87", .beside = x87 },
        { "far", .beside = far },
        { "pointed", .beside = pointed },
        { "stack", .beside = stack },
        { "blocked", .alone = blocked },
        { "taken", .alone = taken },
#endif
    };

    for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(argv[1], ways[i].name) == 0) {
            if (ways[i].beside) {
                beside_another(ways[i].beside);
            } else {
                ways[i].alone();
            }
            puts("ticks end");
            return 0;
        }
    }
    return 2;
}
