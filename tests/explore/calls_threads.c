/* SPDX-License-Identifier: MIT */
/* The ways of calls.c that create, join, detach and cancel threads. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

/* --- ends ------------------------------------------------------------------------------------- */

static void *sleep_3(void *x)
{
    sleep(3);
    return x;
}

static void joins(void)
{
    struct timespec at;
    double before = now(CLOCK_MONOTONIC);
    void *result = NULL;
    pthread_t t;

    CHECK(pthread_create(&t, NULL, sleep_3, &before) == 0);
    CHECK(pthread_tryjoin_np(t, &result) == EBUSY && !result);
    at = in_seconds(CLOCK_REALTIME, 1);
    CHECK(pthread_timedjoin_np(t, &result, &at) == ETIMEDOUT && took(before, 1));
    at = in_seconds(CLOCK_MONOTONIC, 1);
    CHECK(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &at) == ETIMEDOUT && took(before, 2));
    sleep(5);
    CHECK(pthread_tryjoin_np(t, &result) == 0 && result == &before);
    CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
}

static void joins_in_a_loop(void)
{
    pthread_t t;

    CHECK(pthread_create(&t, NULL, raise_flag, NULL) == 0);
    while (pthread_tryjoin_np(t, NULL) == EBUSY) {
    }
    CHECK(flag);
}

static pthread_key_t key;

static void at_its_end(void *x)
{
    (void)x;
    sleep(1);
    flag = 1;
}

static void *has_data(void *x)
{
    CHECK(pthread_setspecific(key, &key) == 0);
    return x;
}

/* POSIX, pthread_join: the thread has terminated, so its destructors have run. */
static void destructors(void)
{
    pthread_t t;

    CHECK(pthread_key_create(&key, at_its_end) == 0);
    CHECK(pthread_create(&t, NULL, has_data, NULL) == 0 && pthread_join(t, NULL) == 0 && flag);
}

/* Its data is there again, until the last round of destructors. */
static void round_again(void *x)
{
    static int rounds;

    if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        CHECK(pthread_setspecific(key, x) == 0);
    } else {
        at_its_end(x);
    }
}

static void last_destructors(void)
{
    double before = now(CLOCK_MONOTONIC);
    pthread_t t;

    CHECK(pthread_key_create(&key, round_again) == 0);
    CHECK(pthread_create(&t, NULL, has_data, NULL) == 0 && pthread_join(t, NULL) == 0 && flag);
    CHECK(took(before, 1)); /* in turns, too */
}

static volatile pid_t ended;

static void *ends(void *how)
{
    ended = (pid_t)syscall(SYS_gettid);
    if (how == &flag) { /* detached meanwhile */
        sleep(2);
    }
    return how;
}

static int ends_c11(void *how)
{
    ends(how);
    return 0;
}

/* Its stack, and so its handle, is the next one's. */
static void handle_again(pthread_t before)
{
    pthread_t t;

    sleep(5);
    while (syscall(SYS_tgkill, getpid(), ended, 0) ==
           0) { /* the end of its end is no call of its own */
        syscall(SYS_poll, NULL, 0, 1);
    }
    CHECK(pthread_create(&t, NULL, sleep_3, NULL) == 0);
    CHECK(pthread_equal(t, before));
    CHECK(pthread_join(t, NULL) == 0);
}

/* POSIX, pthread_detach: nobody joins it, and its handle may be another's when it has ended. */
static void detached(const char *how)
{
    pthread_attr_t attr;
    thrd_t c11;
    pthread_t t;

    pthread_attr_init(&attr);
    if (strcmp(how, "detached_new") == 0) {
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    }
    if (strcmp(how, "detached_c11") == 0) {
        CHECK(thrd_create(&c11, ends_c11, (void *)&flag) == thrd_success);
        CHECK(thrd_detach(c11) == thrd_success);
        t = c11;
    } else {
        CHECK(pthread_create(&t, &attr, ends,
                             strcmp(how, "detached_late") ? (void *)&flag : NULL) == 0);
    }
    if (strcmp(how, "detached_late") == 0) {
        sleep(3);
    }
    if (strcmp(how, "detached_late") == 0 || strcmp(how, "detached") == 0) {
        CHECK(pthread_detach(t) == 0);
    }
    handle_again(t);
}

static void *nothing(void *x)
{
    return x;
}

/* A handle may be used again once a detached_twice thread has ended. */
static void detached_twice(void)
{
    pthread_attr_t attr;
    pthread_t t, again;

    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&t, i ? NULL : &attr, nothing, NULL) == 0);
        CHECK(i == 0 || pthread_detach(t) == 0);
        sleep(1);
        CHECK(pthread_create(&again, NULL, sleep_3, &attr) == 0);
        if (again != t) {
            printf("another handle\n"); /* this shows nothing then */
        }
        CHECK(pthread_tryjoin_np(again, NULL) == EBUSY && pthread_join(again, NULL) == 0);
    }
}

/* --- cancellation ----------------------------------------------------------------------------- */

static sem_t sem;

static void *wait_for_ever(void *x)
{
    sem_wait(&sem);
    return x;
}

static void cancels(void)
{
    void *result;
    pthread_t t;

    CHECK(sem_init(&sem, 0, 0) == 0 && pthread_create(&t, NULL, wait_for_ever, NULL) == 0);
    usleep(10);
    CHECK(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
}

static void *come_and_wait(void *up)
{
    sem_post(up);
    sem_wait(&sem);
    return up;
}

/* POSIX, pthread_cancel: a request that comes before the wait ends it all the same, and not before:
 * whatever the thread is in meanwhile, nothing of it is left locked. */
static void cancels_before_the_wait(void)
{
    void *result;
    pthread_t t;
    sem_t up;

    CHECK(sem_init(&sem, 0, 0) == 0 && sem_init(&up, 0, 0) == 0);
    for (int i = 0; i < 20; i++) {
        CHECK(pthread_create(&t, NULL, come_and_wait, &up) == 0 && sem_wait(&up) == 0);
        CHECK(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0);
        CHECK(result == PTHREAD_CANCELED);
    }
}

static void *loops_for_ever(void *x)
{
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
    for (;;) {
        x = sched_yield() ? NULL : x;
    }
    return x;
}

/* Of asynchronous type a thread ends wherever it is, and says why. */
static void cancels_at_once(void)
{
    void *result = NULL;
    pthread_t t;

    for (int i = 0; i < 20; i++) {
        CHECK(pthread_create(&t, NULL, loops_for_ever, NULL) == 0);
        usleep(100);
        CHECK(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0);
        CHECK(result == PTHREAD_CANCELED);
    }
}

static void lock_often(void)
{
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
}

static void *lock_and_wait(void *up)
{
    sem_post(up);
    lock_often();
    flag = 1;
    sem_wait(&sem);
    return up;
}

/* pthreads(7): neither a lock nor what is done in it is a cancellation point. */
static void cancels_beside_locks(void)
{
    void *result;
    pthread_t t;
    sem_t up;

    CHECK(sem_init(&sem, 0, 0) == 0 && sem_init(&up, 0, 0) == 0);
    CHECK(pthread_create(&t, NULL, lock_and_wait, &up) == 0 && sem_wait(&up) == 0);
    CHECK(pthread_cancel(t) == 0);
    lock_often();
    CHECK(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED && flag);
}

static void *sleep_uncancelled(void *x)
{
    double before = now(CLOCK_MONOTONIC);

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    CHECK(sleep(3) == 0 && took(before, 3));
    return x;
}

static void cancels_nobody_who_disabled_it(void)
{
    void *result;
    pthread_t t;

    CHECK(pthread_create(&t, NULL, sleep_uncancelled, &t) == 0);
    sleep(1);
    CHECK(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0 && result == &t);
}

static pthread_barrier_t two;

static void *sleep_for_ever(void *x)
{
    for (;;) {
        sleep(1000);
    }
    return x;
}

static void *read_later(void *x)
{
    char byte;

    *(ssize_t *)x = read(fds[0], &byte, 1);
    return x;
}

static void *read_for_ever(void *x)
{
    read_later(x);
    return x;
}

static void *join_for_ever(void *t)
{
    pthread_join(*(pthread_t *)t, NULL);
    return NULL;
}

static void *child_for_ever(void *pid)
{
    waitpid(*(pid_t *)pid, NULL, 0);
    return NULL;
}

static void *meet_and_tell(void *x)
{
    pthread_barrier_wait(&two);
    *(bool *)x = flag; /* no cancellation point */
    return x;
}

static void cancel(void *(*start)(void *), void *arg)
{
    void *result;
    pthread_t t;

    CHECK(pthread_create(&t, NULL, start, arg) == 0);
    usleep(10);
    CHECK(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
}

/* pthreads(7), cancellation points: these are, a barrier is none. */
static void cancels_each(void)
{
    ssize_t n;
    pthread_t sleeps, t;
    bool late = false;
    double before;
    pid_t pid;

    CHECK(pipe(fds) == 0 && pthread_create(&sleeps, NULL, sleep_for_ever, NULL) == 0);
    before = now(CLOCK_MONOTONIC);
    cancel(sleep_for_ever, NULL);
    CHECK(took(before, 0));
    cancel(read_for_ever, &n);
    cancel(join_for_ever, &sleeps);
    pid = fork();
    if (pid == 0) {
        pause();
    }
    cancel(child_for_ever, &pid);
    kill(pid, SIGKILL);
    flag = 0;
    CHECK(pthread_barrier_init(&two, NULL, 2) == 0);
    CHECK(pthread_create(&t, NULL, meet_and_tell, &late) == 0);
    usleep(10);
    pthread_cancel(t);
    usleep(10);
    flag = 1;
    pthread_barrier_wait(&two);
    pthread_join(t, NULL);
    CHECK(late);
}

/* Others go on when main() ends as a thread does, and the process ends with the last of them. */
static pthread_t main_thread;

static void *joins_main(void *x)
{
    void *result = NULL;

    CHECK(pthread_join(main_thread, &result) == 0 && result == x);
    return x;
}

static void main_ends(const char *how)
{
    pthread_t t;

    main_thread = pthread_self();
    if (strcmp(how, "main_is_joined") == 0) {
        CHECK(pthread_create(&t, NULL, joins_main, &main_thread) == 0);
    } else {
        CHECK(pthread_create(&t, NULL, sleep_3, NULL) == 0 && pthread_detach(t) == 0);
    }
    pthread_exit(&main_thread);
}

static pthread_mutex_t held_in_vain = PTHREAD_MUTEX_INITIALIZER;

static void lets_go(void *m)
{
    CHECK(pthread_mutex_unlock(m) == 0);
}

static void *pauses(void *x)
{
    CHECK(pthread_mutex_lock(&held_in_vain) == 0);
    pthread_cleanup_push(lets_go, &held_in_vain);
    flag = 1;
    pause();
    pthread_cleanup_pop(1);
    return x;
}

static void *waits_for_it(void *x)
{
    CHECK(pthread_mutex_lock(&held_in_vain) == 0 && pthread_mutex_unlock(&held_in_vain) == 0);
    return x;
}

/* In a call that waits for the world; who waits for what its cleanup handler lets go hears of it. */
static void cancels_outside(void)
{
    pthread_t t, other;
    void *result = NULL;

    CHECK(pthread_create(&t, NULL, pauses, NULL) == 0);
    while (!flag) {
        usleep(100);
    }
    CHECK(pthread_create(&other, NULL, waits_for_it, NULL) == 0);
    sleep(1);
    CHECK(pthread_cancel(t) == 0 && pthread_join(other, NULL) == 0);
    CHECK(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
}

const struct way thread_ways[] = {
    { "joins", joins },
    { "joins_in_a_loop", joins_in_a_loop },
    { "destructors", destructors },
    { "last_destructors", last_destructors },
    { "detached", .run_as = detached },
    { "detached_new", .run_as = detached },
    { "detached_late", .run_as = detached },
    { "detached_c11", .run_as = detached },
    { "handles_of_detached", detached_twice },
    { "main_ends", .run_as = main_ends },
    { "main_is_joined", .run_as = main_ends },
    { "cancels", cancels },
    { "cancels_before_the_wait", cancels_before_the_wait },
    { "cancels_at_once", cancels_at_once },
    { "cancels_beside_locks", cancels_beside_locks },
    { "cancels_nobody_who_disabled_it", cancels_nobody_who_disabled_it },
    { "cancels_each", cancels_each },
    { "cancels_outside", cancels_outside },
    { NULL },
};
