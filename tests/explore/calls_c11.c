/* SPDX-License-Identifier: MIT */
/* The ways of calls.c with ISO C 7.26. */
#include <threads.h>
#include <time.h>

#include "calls.h"

static mtx_t mutex;
static cnd_t cond;

static int hold(void *x)
{
    struct timespec at = in_seconds(CLOCK_REALTIME, 20);
    double before = now(CLOCK_MONOTONIC);

    (void)x;
    CHECK(mtx_timedlock(&mutex, &at) == thrd_timedout && took(before, 20));
    return 4321;
}

static void once_only(void)
{
    flag++;
}

static int once_too(void *x)
{
    call_once(x, once_only);
    CHECK(flag == 1);
    return 0;
}

static int signals(void *x)
{
    (void)x;
    mtx_lock(&mutex);
    flag = 1;
    cnd_broadcast(&cond);
    mtx_unlock(&mutex);
    return 0;
}

static void c11(void)
{
    static once_flag once = ONCE_FLAG_INIT;
    struct timespec at;
    double before;
    int result = 0;
    thrd_t t;

    CHECK(mtx_init(&mutex, mtx_timed) == thrd_success && cnd_init(&cond) == thrd_success);
    CHECK(mtx_lock(&mutex) == thrd_success && thrd_create(&t, hold, NULL) == thrd_success);
    CHECK(thrd_join(t, &result) == thrd_success && result == 4321);
    at = in_seconds(CLOCK_REALTIME, 20);
    before = now(CLOCK_MONOTONIC);
    CHECK(cnd_timedwait(&cond, &mutex, &at) == thrd_timedout && took(before, 20));
    CHECK(thrd_create(&t, signals, NULL) == thrd_success);
    while (!flag) {
        CHECK(cnd_wait(&cond, &mutex) == thrd_success);
    }
    CHECK(mtx_unlock(&mutex) == thrd_success && thrd_join(t, NULL) == thrd_success);
    flag = 0;
    CHECK(thrd_create(&t, once_too, &once) == thrd_success);
    call_once(&once, once_only);
    CHECK(thrd_join(t, NULL) == thrd_success && flag == 1);
    CHECK(thrd_create(&t, once_too, &once) == thrd_success && thrd_detach(t) == thrd_success);
}

static int raise_c11(void *x)
{
    raise_flag(x);
    return 0;
}

static void c11_yield(void)
{
    thrd_t t;

    CHECK(thrd_create(&t, raise_c11, NULL) == thrd_success);
    while (!flag) {
        thrd_yield();
    }
    CHECK(thrd_join(t, NULL) == thrd_success);
}

static int tell_one(void *x)
{
    (void)x;
    thrd_sleep(&(struct timespec){ 1, 0 }, NULL);
    CHECK(mtx_lock(&mutex) == thrd_success);
    flag = 1;
    CHECK(cnd_signal(&cond) == thrd_success && mtx_unlock(&mutex) == thrd_success);
    return 0;
}

static void c11_signal(void)
{
    thrd_t t;

    CHECK(mtx_init(&mutex, mtx_plain) == thrd_success && cnd_init(&cond) == thrd_success);
    CHECK(thrd_create(&t, tell_one, NULL) == thrd_success && mtx_lock(&mutex) == thrd_success);
    while (!flag) {
        CHECK(cnd_wait(&cond, &mutex) == thrd_success);
    }
    CHECK(mtx_unlock(&mutex) == thrd_success && thrd_join(t, NULL) == thrd_success);
}

static int hold_a_while(void *x)
{
    CHECK(mtx_lock(&mutex) == thrd_success);
    flag = 1;
    for (int i = 0; i < 50; i++) {
        thrd_yield();
    }
    CHECK(mtx_unlock(&mutex) == thrd_success);
    return x != NULL;
}

/* Who asks again and again lets others go on. */
static void c11_tries(void)
{
    thrd_t t;

    CHECK(mtx_init(&mutex, mtx_plain) == thrd_success);
    CHECK(thrd_create(&t, hold_a_while, NULL) == thrd_success);
    while (!flag) {
        thrd_yield();
    }
    while (mtx_trylock(&mutex) == thrd_busy) {
    }
    CHECK(mtx_unlock(&mutex) == thrd_success && thrd_join(t, NULL) == thrd_success);
}

const struct way c11_ways[] = {
    { "c11", c11 },
    { "c11_yield", c11_yield },
    { "c11_signal", c11_signal },
    { "c11_tries", c11_tries },
    { NULL },
};
