/* SPDX-License-Identifier: MIT */
/* Delays where the scheduler's threads meet, by chance: linked into libvtegra-preload.so with ld's
 * --wrap. None of them may reach a decision. Long ones are longer than watch.c waits; those that
 * take CPU time, in what a tick calls, are longer than the period of spin.c. */
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sched/calls/real.h"
#include "sched/turn/turn.h"

#define LONG_NS 450000000
#define SHORT_NS 1000000
#define BURN_NS 9000000

enum delay { LONG, SHORT, BURN, DELAYS };
static const struct {
    unsigned one_in, most; /* most: a run has to end */
    long ns;
} delays[DELAYS] = {
    [LONG] = { 100, 3, LONG_NS },
    [SHORT] = { 10, 300, SHORT_NS },
    [BURN] = { 4, 100, BURN_NS },
};
static atomic_uint taken[DELAYS];

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    REAL(syscall)(SYS_clock_gettime, clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Never the same twice: that is what it is for. */
static uint64_t chance(void)
{
    static _Atomic uint64_t state;
    uint64_t z = atomic_fetch_add(&state, UINT64_C(0x9e3779b97f4a7c15)) ^ clock_ns(CLOCK_MONOTONIC);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 27;
}

static bool is_due(enum delay d)
{
    return chance() % delays[d].one_in == 0 && atomic_fetch_add(&taken[d], 1) < delays[d].most;
}

static void sleep_by_chance(enum delay longest)
{
    for (enum delay d = longest; d <= SHORT; d++) {
        if (is_due(d)) {
            REAL(syscall)(SYS_nanosleep, &(struct timespec){ 0, delays[d].ns }, NULL);
        }
    }
}

extern int __real_real_futex_wait(_Atomic unsigned *word, unsigned value, unsigned ms);
int __wrap_real_futex_wait(_Atomic unsigned *word, unsigned value, unsigned ms)
{
    int r;

    sleep_by_chance(LONG);
    r = __real_real_futex_wait(word, value, ms);
    sleep_by_chance(LONG);
    return r;
}

extern void __real_real_futex_wake(_Atomic unsigned *word);
void __wrap_real_futex_wake(_Atomic unsigned *word)
{
    sleep_by_chance(LONG);
    __real_real_futex_wake(word);
    sleep_by_chance(LONG);
}

/* At the door of the scheduler, in and out. */
extern int __real_pthread_setcancelstate(int state, int *old);
int __wrap_pthread_setcancelstate(int state, int *old)
{
    int r = __real_pthread_setcancelstate(state, old);

    /* Who sleeps for long outside of it loses the turn, and has to (watch.c). */
    sleep_by_chance(turn_self && turn_self->inside ? LONG : SHORT);
    return r;
}

/* A tick asks whose code it has come into. */
extern int __real__dl_find_object(void *pc, struct dl_find_object *found);
int __wrap__dl_find_object(void *pc, struct dl_find_object *found)
{
    if (is_due(BURN)) {
        uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);

        while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin < BURN_NS) {
        }
    }
    return __real__dl_find_object(pc, found);
}
