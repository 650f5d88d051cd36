/* SPDX-License-Identifier: MIT */
/* Every way in which threads wait for each other, each with a result that must not depend on the
 * schedule; and programs that are wrong on purpose. Usage: threads
 * all|inside|abba|livelock|spin|lost_wakeup|lost_signal|no_release|crash|slow|endless or one rule
 */
#define _GNU_SOURCE /* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int number, flag;

static void each(void *(*function)(void *), void *(*other)(void *))
{
    pthread_t t[THREADS];

    for (long i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&t[i], NULL, i && other ? other : function, (void *)i) == 0);
    }
    for (long i = 0; i < THREADS; i++) {
        void *result;

        CHECK(pthread_join(t[i], &result) == 0 && result == (void *)i);
    }
}

static void *add_locked(void *x)
{
    for (int i = 0; i < 5; i++) {
        int seen;

        pthread_mutex_lock(&m);
        seen = number;
        sched_yield();
        number = seen + 1;
        pthread_mutex_unlock(&m);
    }
    return x;
}

static void *wait_flag(void *x)
{
    pthread_mutex_lock(&m);
    while (!flag) {
        pthread_cond_wait(&c, &m);
    }
    number++;
    pthread_mutex_unlock(&m);
    return x;
}

static void *set_flag(void *x)
{
    usleep(500);
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return x;
}

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void *read_write(void *x)
{
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_wrlock(&rw);
    add_locked(NULL);
    CHECK(pthread_rwlock_trywrlock(&rw) != 0);
    pthread_rwlock_unlock(&rw);
    return x;
}

static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void once_only(void)
{
    int seen = number;

    usleep(10);
    number = seen + 1;
}

static void *spin_barrier_sem(void *x)
{
    pthread_once(&once, once_only);
    CHECK(number >= 1);
    pthread_spin_lock(&spin);
    sched_yield();
    pthread_spin_unlock(&spin);
    for (int i = 0; i < 3; i++) {
        pthread_barrier_wait(&barrier);
    }
    sem_post(&sem);
    return x;
}

static int pipes[2], event;

static void *writer(void *x)
{
    uint64_t one = 1;

    usleep(100);
    CHECK(write(pipes[1], "abc", 3) == 3);
    CHECK(write(event, &one, sizeof(one)) == sizeof(one));
    return x;
}

static void *reader(void *x)
{
    char byte;

    CHECK(read(pipes[0], &byte, 1) == 1);
    return x;
}

static void *poller(void *x)
{
    struct pollfd p = { .fd = pipes[0], .events = POLLIN };
    struct epoll_event e = { .events = EPOLLIN };
    int fd = epoll_create1(0);
    fd_set set;
    char byte;

    CHECK(poll(&p, 1, 100000) == 1);
    FD_ZERO(&set);
    FD_SET(event, &set);
    CHECK(select(event + 1, &set, NULL, NULL, NULL) == 1);
    CHECK(epoll_ctl(fd, EPOLL_CTL_ADD, pipes[0], &e) == 0);
    CHECK(epoll_wait(fd, &e, 1, -1) == 1);
    CHECK(read(pipes[0], &byte, 1) == 1);
    close(fd);
    return x;
}

static void *wait_for_reader(void *x)
{
    return x == (void *)1 ? reader(x) : poller(x);
}

static double now(clockid_t clock)
{
    struct timespec t;

    CHECK(clock_gettime(clock, &t) == 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void times(void)
{
    double before = now(CLOCK_MONOTONIC), took;
    struct timespec until;

    sleep(1000);
    took = now(CLOCK_MONOTONIC) - before;
    CHECK(took >= 1000 && took < 1001);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 7;
    pthread_mutex_lock(&m);
    CHECK(pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    CHECK(sem_timedwait(&sem, &until) == 0); /* posted before */
    until.tv_sec += 7;
    while (sem_trywait(&sem) == 0) {
    }
    CHECK(sem_timedwait(&sem, &until) == -1 && errno == ETIMEDOUT);
    took = now(CLOCK_MONOTONIC) - before;
    CHECK(took >= 1014 && took < 1015);
    CHECK(time(NULL) < 1735689600 + 2000); /* 2025-01-01, and little more */
}

static void kinds_of_mutex(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t k;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&k, &attr);
    CHECK(pthread_mutex_lock(&k) == 0 && pthread_mutex_lock(&k) == 0);
    CHECK(pthread_mutex_unlock(&k) == 0 && pthread_mutex_unlock(&k) == 0);
    CHECK(pthread_mutex_unlock(&k) == EPERM);
    pthread_mutex_destroy(&k);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&k, &attr);
    CHECK(pthread_mutex_lock(&k) == 0 && pthread_mutex_lock(&k) == EDEADLK);
    CHECK(pthread_mutex_unlock(&k) == 0);
    pthread_mutex_destroy(&k);
}

static void cleanup(void *x)
{
    (void)x;
    number = 77;
    pthread_mutex_unlock(&m);
}

static void *cancelled(void *x)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(cleanup, NULL);
    for (;;) {
        pthread_cond_wait(&c, &m);
    }
    pthread_cleanup_pop(0);
    return x;
}

static void cancelling(void)
{
    pthread_t t;
    void *result;

    pthread_create(&t, NULL, cancelled, NULL);
    usleep(10);
    pthread_cancel(t);
    CHECK(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED && number == 77);
}

static void child(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        usleep(1000);
        _exit(5);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

/* All but what other processes do, which is no matter of the seed. */
static void inside(void)
{
    each(add_locked, NULL);
    CHECK(number == THREADS * 5);
    each(read_write, NULL);
    CHECK(number == THREADS * 10);
    number = 0;
    each(set_flag, wait_flag);
    CHECK(number == THREADS - 1);
    number = 0;
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&sem, 0, 0);
    each(spin_barrier_sem, NULL);
    CHECK(number == 1);
    CHECK(pipe(pipes) == 0 && (event = eventfd(0, 0)) >= 0);
    each(writer, wait_for_reader);
    times();
    kinds_of_mutex();
    cancelling();
    puts("all as expected");
}

/* --- one rule each ---------------------------------------------------------------------------- */

static int arrived, woken;

static void *wait_once(void *x)
{
    pthread_mutex_lock(&m);
    arrived++;
    pthread_cond_wait(&c, &m);
    CHECK(pthread_mutex_trylock(&m) == EBUSY);
    woken++;
    pthread_mutex_unlock(&m);
    return x;
}

static void threads_start(pthread_t t[THREADS], void *(*function)(void *))
{
    for (long i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&t[i], NULL, function, (void *)i) == 0);
    }
}

static void threads_join(const pthread_t t[THREADS])
{
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(t[i], NULL) == 0);
    }
}

static void one(void)
{
    pthread_t t[THREADS];

    threads_start(t, wait_once);
    while (arrived < THREADS) {
        usleep(10);
    }
    pthread_cond_signal(&c);
    usleep(1000);
    CHECK(woken == 1);
    pthread_cond_broadcast(&c);
    threads_join(t);
}

static void *meet(void *x)
{
    for (int round = 1; round <= 3; round++) {
        arrived++;
        pthread_barrier_wait(&barrier);
        CHECK(arrived >= THREADS * round);
        pthread_barrier_wait(&barrier);
    }
    return x;
}

static void *go_down(void *x)
{
    CHECK(sem_wait(&sem) == 0 && flag);
    return x;
}

static void semaphore(void)
{
    pthread_t t[THREADS];

    sem_init(&sem, 0, 0);
    threads_start(t, go_down);
    usleep(100);
    flag = 1;
    for (int i = 0; i < THREADS; i++) {
        sem_post(&sem);
    }
    threads_join(t);
}

static uint32_t word;

static long futex(int operation, uint32_t value, uint32_t bits)
{
    return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, bits);
}

static void *futex_wait(void *x)
{
    CHECK(futex(FUTEX_WAIT_BITSET, 1, 1u << (long)x) == -1 && errno == EAGAIN);
    CHECK(futex(FUTEX_WAIT_BITSET, 0, 1u << (long)x) == 0);
    woken++;
    return x;
}

static void futexes(void)
{
    pthread_t t[THREADS];

    threads_start(t, futex_wait);
    usleep(1000);
    CHECK(futex(FUTEX_WAKE_BITSET, INT_MAX, 2) == 1);
    CHECK(futex(FUTEX_WAKE, 1, 0) == 1);
    usleep(1000);
    CHECK(woken == 2);
    CHECK(futex(FUTEX_WAKE, INT_MAX, 0) == 1);
    threads_join(t);
}

static void *raise_flag(void *x)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    flag = 1;
    return x;
}

static void yield(void)
{
    pthread_t t;

    pthread_create(&t, NULL, raise_flag, NULL);
    while (!flag) {
        sched_yield();
    }
    pthread_join(t, NULL);
}

/* Loops that wait, very often in all, and something is done behind each: no livelock. */
static void yield_often(void)
{
    char byte = 0;

    CHECK(pipe(pipes) == 0);
    for (int i = 0; i < 1200; i++) {
        for (int turns = 0; turns < 1000; turns++) {
            sched_yield();
        }
        CHECK(write(pipes[1], &byte, 1) == 1 && read(pipes[0], &byte, 1) == 1);
    }
}

static void clock_loop(void)
{
    double end = now(CLOCK_MONOTONIC) + 0.01;

    while (now(CLOCK_MONOTONIC) < end) {
    }
}

/* A wait by the clock alone comes to its end, however long it is. */
static void clock_hour(void)
{
    double end = now(CLOCK_MONOTONIC) + 3600;

    while (now(CLOCK_MONOTONIC) < end) {
    }
}

/* A loop with a limit: others, who need no time, go on long before it is over. */
static void clock_limit(void)
{
    double end = now(CLOCK_MONOTONIC) + 60;
    pthread_t t;

    CHECK(pthread_create(&t, NULL, raise_flag, NULL) == 0);
    while (!flag && now(CLOCK_MONOTONIC) < end) {
    }
    CHECK(flag && pthread_join(t, NULL) == 0);
}

/* Who has done something else sees the clock as it was before: looks are no millisecond apart. */
static void clock_again(void)
{
    double before;

    for (before = now(CLOCK_MONOTONIC); now(CLOCK_MONOTONIC) < before + 60;) {
    }
    CHECK(pipe(pipes) == 0 && write(pipes[1], "abc", 3) == 3);
    before = now(CLOCK_MONOTONIC);
    CHECK(now(CLOCK_MONOTONIC) - before < 0.0005);
}

static void *raise_later(void *x)
{
    usleep(1000);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return x;
}

/* A loop that waits, and counts its turns: who sleeps wakes up after a while. */
static void counts(void)
{
    unsigned long n = 0;
    pthread_t t;

    CHECK(pthread_create(&t, NULL, raise_later, NULL) == 0);
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
        n++;
    }
    CHECK(n > 0 && pthread_join(t, NULL) == 0);
}

#define BESIDE 256 /* more than what is looked at around an address in a register */

/* A counter of bits. Nothing here is an element with a number of its own: no register points here,
 * or holds more than a bit. */
static volatile struct {
    char before[BESIDE];
    char b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13;
    char between[BESIDE];
    int sums;
    char after[BESIDE];
} far;

/* Computes, with few values, and locks now and then: no loop that waits, so it takes no time. */
static void computes(void)
{
    double before = now(CLOCK_MONOTONIC);

    for (far.sums = 0; far.sums < 5000; far.sums++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        while ((far.b0 ^= 1) || (far.b1 ^= 1) || (far.b2 ^= 1) || (far.b3 ^= 1) || (far.b4 ^= 1) ||
               (far.b5 ^= 1) || (far.b6 ^= 1) || (far.b7 ^= 1) || (far.b8 ^= 1) || (far.b9 ^= 1) ||
               (far.b10 ^= 1) || (far.b11 ^= 1) || (far.b12 ^= 1) || (far.b13 ^= 1)) {
        } /* counts up to 2^14 */
    }
    CHECK(now(CLOCK_MONOTONIC) - before < 0.001);
}

static void *write_later(void *x)
{
    usleep(100);
    CHECK(write(pipes[1], "abc", 3) == 3);
    return x;
}

static void from_pipe(bool polls)
{
    struct pollfd p = { .events = POLLIN };
    pthread_t t;
    char byte;

    CHECK(pipe(pipes) == 0 && pthread_create(&t, NULL, write_later, NULL) == 0);
    p.fd = pipes[0];
    CHECK(!polls || poll(&p, 1, -1) == 1);
    CHECK(read(pipes[0], &byte, 1) == 1 && byte == 'a');
    pthread_join(t, NULL);
}

/* It ends when another thread has written. */
static void child_of_pipe(void)
{
    pthread_t t;
    int status;
    pid_t pid;
    char byte;

    CHECK(pipe(pipes) == 0);
    pid = fork();
    if (pid == 0) {
        _exit(read(pipes[0], &byte, 1) == 1 ? 5 : 6);
    }
    CHECK(pthread_create(&t, NULL, write_later, NULL) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5);
    pthread_join(t, NULL);
}

static void *read_all(void *x)
{
    char text[1000];
    long n = 0, r;

    (void)x;
    while ((r = read(pipes[0], text, sizeof(text))) > 0) {
        n += r;
    }
    return (void *)n;
}

/* More than a pipe holds; and a socket whose queue is more than a quarter full. */
static void much(void)
{
    static char text[300000];
    int s[2];
    pthread_t t;
    void *n;

    CHECK(pipe(pipes) == 0 && pthread_create(&t, NULL, read_all, NULL) == 0);
    CHECK(write(pipes[1], text, sizeof(text)) == sizeof(text));
    close(pipes[1]);
    CHECK(pthread_join(t, &n) == 0 && n == (void *)sizeof(text));
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
    CHECK(send(s[0], text, 60000, 0) == 60000 && send(s[0], text, 30000, 0) == 30000);
    CHECK(write(s[0], text, 20000) == 20000);
}

static void *lock_it(void *x)
{
    pthread_mutex_lock(x);
    return x;
}

/* Wrong on purpose: let go once. */
static void twice(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t k;
    pthread_t t;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&k, &attr);
    pthread_mutex_lock(&k);
    pthread_mutex_lock(&k);
    pthread_mutex_unlock(&k);
    pthread_create(&t, NULL, lock_it, &k);
    pthread_join(t, NULL);
}

/* Ends with the number of the one that a signal wakes: any of them, as the schedule says. */
static void *tell_woken(void *x)
{
    pthread_mutex_lock(&m);
    arrived++;
    pthread_cond_wait(&c, &m);
    _exit(10 + (int)(long)x);
}

static void who(void)
{
    pthread_t t[THREADS];

    threads_start(t, tell_woken);
    while (arrived < THREADS) {
        usleep(10);
    }
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    threads_join(t);
}

/* Wrong on purpose: nobody lets it go. */
static void *lock_too(void *x)
{
    if (*(char *)x == 'r') {
        pthread_rwlock_wrlock(&rw);
    } else {
        pthread_spin_lock(&spin);
    }
    return x;
}

static void never_let_go(const char *what)
{
    pthread_t t;

    pthread_spin_init(&spin, 0);
    lock_too((void *)what);
    pthread_create(&t, NULL, lock_too, (void *)what);
    pthread_join(t, NULL);
}

static void sleep_on(void)
{
    while (!flag) {
        usleep(10);
    }
}

static void *sleep_seconds(void *x)
{
    while (!flag) {
        sleep(2);
    }
    return x;
}

static void *ask_thread(void *x)
{
    sem_init(&sem, 0, 0);
    sem_wait(&sem);
    return x;
}

static void *sleep_long(void *x)
{
    CHECK(pthread_mutex_lock(&m) == 0);
    for (int i = 0; i < 3; i++) {
        sleep(40);
    }
    CHECK(pthread_mutex_unlock(&m) == 0);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return x;
}

/* Loops that wait for who sleeps: right, however long that takes. */
static void loop_beside_sleep(void)
{
    pthread_t t;

    pthread_create(&t, NULL, sleep_long, NULL);
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    pthread_join(t, NULL);
    flag = 0;
    pthread_create(&t, NULL, sleep_long, NULL);
    do {
        sched_yield();
    } while (pthread_mutex_trylock(&m) != 0);
    CHECK(pthread_mutex_unlock(&m) == 0);
    pthread_join(t, NULL);
}

/* Wrong on purpose: asks again and again for what never comes, and no timer shows that it loops. */
static void ask_ever(const char *what)
{
    struct pollfd p = { .events = POLLIN };
    pthread_t t;
    char byte;

    no_ticks();
    if (strcmp(what, "ask_mutex") == 0) {
        pthread_mutex_lock(&m);
        while (pthread_mutex_trylock(&m) != 0) {
        }
    } else if (strcmp(what, "ask_rwlock") == 0) {
        pthread_rwlock_rdlock(&rw);
        while (pthread_rwlock_trywrlock(&rw) != 0) {
        }
    } else if (strcmp(what, "ask_yield") == 0) {
        while (!flag) {
            syscall(SYS_sched_yield);
        }
    } else if (strcmp(what, "ask_spin") == 0) {
        pthread_spin_init(&spin, 0);
        pthread_spin_lock(&spin);
        while (pthread_spin_trylock(&spin) != 0) {
        }
    } else if (strcmp(what, "ask_sem") == 0) {
        sem_init(&sem, 0, 0);
        while (sem_trywait(&sem) != 0) {
        }
    } else if (strcmp(what, "ask_poll") == 0) {
        CHECK(pipe(pipes) == 0);
        p.fd = pipes[0];
        while (poll(&p, 1, 0) == 0) {
        }
    } else if (strcmp(what, "ask_read") == 0) {
        CHECK(pipe2(pipes, O_NONBLOCK) == 0);
        while (read(pipes[0], &byte, 1) < 0) {
        }
    } else if (strcmp(what, "ask_thread") == 0) {
        pthread_create(&t, NULL, ask_thread, NULL);
        while (pthread_tryjoin_np(t, NULL) != 0) {
        }
    }
}

static int rule(const char *what)
{
    if (strcmp(what, "one") == 0) {
        one();
    } else if (strcmp(what, "barrier") == 0) {
        pthread_barrier_init(&barrier, NULL, THREADS);
        each(meet, NULL);
    } else if (strcmp(what, "semaphore") == 0) {
        semaphore();
    } else if (strcmp(what, "futex") == 0) {
        futexes();
    } else if (strcmp(what, "yield") == 0) {
        yield();
    } else if (strcmp(what, "yield_often") == 0) {
        yield_often();
    } else if (strcmp(what, "clock") == 0) {
        clock_loop();
    } else if (strcmp(what, "clock_hour") == 0) {
        clock_hour();
    } else if (strcmp(what, "clock_limit") == 0) {
        clock_limit();
    } else if (strcmp(what, "clock_again") == 0) {
        clock_again();
    } else if (strcmp(what, "counts") == 0) {
        counts();
    } else if (strcmp(what, "computes") == 0) {
        computes();
    } else if (strcmp(what, "pipe") == 0 || strcmp(what, "poll") == 0) {
        from_pipe(what[1] == 'o');
    } else if (strcmp(what, "child") == 0) {
        child_of_pipe();
    } else if (strcmp(what, "much") == 0) {
        much();
    } else if (strcmp(what, "who") == 0) {
        who();
    } else if (strcmp(what, "rwlock_held") == 0 || strcmp(what, "spin_held") == 0) {
        never_let_go(what);
    } else if (strncmp(what, "ask_", 4) == 0) {
        ask_ever(what);
    } else if (strcmp(what, "sleeps_on") == 0) {
        sleep_on();
    } else if (strcmp(what, "one_sleeps_on") == 0) {
        pthread_t t;

        pthread_create(&t, NULL, sleep_seconds, NULL);
        while (!flag) {
            sched_yield();
        }
    } else if (strcmp(what, "sleeps_long") == 0) {
        loop_beside_sleep();
    } else if (strcmp(what, "twice") == 0) {
        twice();
    } else {
        return 2;
    }
    return 0;
}

/* --- wrong on purpose ------------------------------------------------------------------------- */

static void *ab(void *x)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m2);
    pthread_mutex_unlock(&m2);
    pthread_mutex_unlock(&m);
    return x;
}

static void *ba(void *x)
{
    pthread_mutex_lock(&m2);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m2);
    return x;
}

static void *loop(void *x)
{
    while (!flag) {
        sched_yield();
    }
    return x;
}

static void *spin_on(void *x)
{
    while (!flag) {
    }
    return x;
}

/* The signal may come before the wait. */
static void *signals(void *x)
{
    pthread_cond_signal(&c);
    return x;
}

static void *waits(void *x)
{
    if (x == (void *)1) {
        pthread_mutex_lock(&m);
        pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
    }
    return x;
}

/* Without the mutex it may come between the waiter's look and its wait. */
static void *raises_and_signals(void *x)
{
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
    pthread_cond_broadcast(&c);
    return x;
}

static void *waits_for_flag(void *x)
{
    pthread_mutex_lock(&m);
    while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) {
        pthread_cond_wait(&c, &m);
    }
    pthread_mutex_unlock(&m);
    return x;
}

/* A producer and a consumer that never end: each goes on when the other has. */
static void *ping(void *x)
{
    for (;;) {
        pthread_mutex_lock(&m);
        while (flag != (x != NULL)) {
            pthread_cond_wait(&c, &m);
        }
        flag = !flag;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
    }
    return x;
}

static int endless(void)
{
    pthread_t t;

    for (intptr_t i = 0; i < 2; i++) {
        pthread_create(&t, NULL, ping, (void *)i);
        pthread_detach(t);
    }
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m2);
        pthread_mutex_unlock(&m2);
    }
    exit(0);
}

/* As std::counting_semaphore::acquire() waits. */
static void *acquires(void *x)
{
    futex(FUTEX_WAIT, 0, 0);
    return x;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "all") == 0) {
        inside();
        child();
        return 0;
    }
    if (strcmp(what, "inside") == 0) {
        inside();
        return 0;
    }
    if (strcmp(what, "abba") == 0) {
        each(ab, ba);
    } else if (strcmp(what, "livelock") == 0) {
        each(loop, NULL);
    } else if (strcmp(what, "spin") == 0) {
        each(spin_on, NULL);
    } else if (strcmp(what, "lost_wakeup") == 0) {
        each(signals, waits);
    } else if (strcmp(what, "lost_signal") == 0) {
        each(raises_and_signals, waits_for_flag);
    } else if (strcmp(what, "no_release") == 0) {
        each(acquires, NULL);
    } else if (strcmp(what, "crash") == 0) {
        each(add_locked, NULL);
        raise(SIGSEGV);
    } else if (strcmp(what, "slow") == 0) {
        raise(SIGSTOP);
    } else if (strcmp(what, "endless") == 0) {
        endless();
    } else {
        return rule(what);
    }
    return 0;
}
