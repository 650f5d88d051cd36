/* SPDX-License-Identifier: MIT */
/* The ways of calls.c with locks, conditions, semaphores and once. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

static sem_t never;

/* signal(7): a timed one is ended by a handler, sem_wait() goes on where SA_RESTART says so. */
static void interrupted_semaphores(void)
{
    struct timespec at = in_seconds(CLOCK_REALTIME, 10);
    pthread_t other = disturbed();

    CHECK(sem_init(&never, 0, 0) == 0);
    CHECK(sem_timedwait(&never, &at) == -1 && errno == EINTR);
    pthread_join(other, NULL);
}

static void *post_later(void *x)
{
    sleep(4);
    CHECK(sem_post(&never) == 0);
    return x;
}

static void restarted_semaphore(void)
{
    pthread_t other, poster;

    CHECK(sem_init(&never, 0, 0) == 0);
    CHECK(pthread_create(&poster, NULL, post_later, NULL) == 0);
    other = disturbed();
    CHECK(sem_wait(&never) == 0 && flag == 1);
    pthread_join(other, NULL);
    pthread_join(poster, NULL);
}

/* --- locks until a moment of a clock ---------------------------------------------------------- */

static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;

static void *lock_in_vain(void *x)
{
    struct timespec at = in_seconds(CLOCK_MONOTONIC, 20);
    double before = now(CLOCK_MONOTONIC);

    CHECK(pthread_mutex_clocklock(&held_lock, CLOCK_MONOTONIC, &at) == ETIMEDOUT &&
          took(before, 20));
    at = in_seconds(CLOCK_MONOTONIC, 20);
    CHECK(pthread_rwlock_clockrdlock(&written, CLOCK_MONOTONIC, &at) == ETIMEDOUT);
    CHECK(took(before, 40));
    at = in_seconds(CLOCK_MONOTONIC, 20);
    CHECK(pthread_rwlock_clockwrlock(&written, CLOCK_MONOTONIC, &at) == ETIMEDOUT);
    CHECK(took(before, 60));
    at = in_seconds(CLOCK_REALTIME, 20);
    CHECK(pthread_rwlock_timedrdlock(&written, &at) == ETIMEDOUT && took(before, 80));
    at = in_seconds(CLOCK_REALTIME, 20);
    CHECK(pthread_rwlock_timedwrlock(&written, &at) == ETIMEDOUT && took(before, 100));
    at = in_seconds(CLOCK_REALTIME, 20);
    CHECK(pthread_mutex_timedlock(&held_lock, &at) == ETIMEDOUT && took(before, 120));
    return x;
}

static void locks_in_time(void)
{
    pthread_condattr_t attr;
    pthread_cond_t by_clock;
    struct timespec at;
    double before;
    pthread_t t;
    sem_t sem;

    CHECK(pthread_mutex_lock(&held_lock) == 0 && pthread_rwlock_wrlock(&written) == 0);
    CHECK(pthread_rwlock_rdlock(&written) ==
          EDEADLK); /* POSIX: may fail so, where it would wait for ever */
    CHECK(pthread_create(&t, NULL, lock_in_vain, NULL) == 0 && pthread_join(t, NULL) == 0);
    CHECK(sem_init(&sem, 0, 0) == 0);
    before = now(CLOCK_MONOTONIC);
    at = in_seconds(CLOCK_MONOTONIC, 20);
    CHECK(sem_clockwait(&sem, CLOCK_MONOTONIC, &at) == -1 && errno == ETIMEDOUT);
    CHECK(took(before, 20));
    CHECK(pthread_condattr_init(&attr) == 0 &&
          pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&by_clock, &attr) == 0);
    at = in_seconds(CLOCK_MONOTONIC, 20);
    CHECK(pthread_cond_timedwait(&by_clock, &held_lock, &at) == ETIMEDOUT && took(before, 40));
    CHECK(pthread_cond_init(&by_clock, NULL) == 0);
    at = in_seconds(CLOCK_REALTIME, 20);
    CHECK(pthread_cond_timedwait(&by_clock, &held_lock, &at) == ETIMEDOUT && took(before, 60));
    at = in_seconds(CLOCK_MONOTONIC, 20);
    CHECK(pthread_cond_clockwait(&by_clock, &held_lock, CLOCK_MONOTONIC, &at) == ETIMEDOUT);
    CHECK(took(before, 80));
    at.tv_nsec = 1000000000;
    CHECK(pthread_cond_timedwait(&by_clock, &held_lock, &at) == EINVAL);
    CHECK(pthread_cond_clockwait(&by_clock, &held_lock, CLOCK_MONOTONIC, &at) == EINVAL);
}

/* --- conditions, semaphores ------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static sem_t sem;

static void *tell(void *how)
{
    sleep(1);
    CHECK(pthread_mutex_lock(&lock) == 0);
    flag = 1;
    CHECK((how ? pthread_cond_broadcast(&told) : pthread_cond_signal(&told)) == 0);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    return NULL;
}

static void wait_told(void *how)
{
    pthread_t t;

    flag = 0;
    CHECK(pthread_create(&t, NULL, tell, how) == 0 && pthread_mutex_lock(&lock) == 0);
    while (!flag) {
        CHECK(pthread_cond_wait(&told, &lock) == 0);
    }
    CHECK(pthread_mutex_unlock(&lock) == 0 && pthread_join(t, NULL) == 0);
}

static void conditions(void)
{
    struct timespec at = { 0, 1000000000 }, long_ago = { -1, 0 };
    double before = now(CLOCK_MONOTONIC);
    pthread_condattr_t attr;
    pthread_cond_t c;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    CHECK(pthread_cond_init(&c, &attr) == 0 && pthread_mutex_lock(&lock) == 0);
    CHECK(pthread_cond_timedwait(&c, &lock, &at) == EINVAL);
    CHECK(pthread_cond_clockwait(&c, &lock, CLOCK_MONOTONIC, &at) == EINVAL);
    CHECK(pthread_cond_timedwait(&c, &lock, &long_ago) == ETIMEDOUT && took(before, 0));
    at = in_seconds(CLOCK_MONOTONIC, 20);
    CHECK(pthread_cond_timedwait(&c, &lock, &at) == ETIMEDOUT && took(before, 20));
    at = in_seconds(CLOCK_REALTIME, 20);
    CHECK(pthread_cond_clockwait(&c, &lock, CLOCK_REALTIME, &at) == ETIMEDOUT && took(before, 40));
    CHECK(pthread_cond_destroy(&c) == 0);
    c = (pthread_cond_t)PTHREAD_COND_INITIALIZER; /* another one, of the realtime clock */
    at = in_seconds(CLOCK_REALTIME, 20);
    CHECK(pthread_cond_timedwait(&c, &lock, &at) == ETIMEDOUT && took(before, 60));
    CHECK(pthread_mutex_unlock(&lock) == 0);
    wait_told(NULL);
    wait_told(&told);
}

static void *post_soon(void *x)
{
    sleep(1);
    CHECK(sem_post(&sem) == 0);
    return x;
}

static void semaphores(void)
{
    struct timespec at = in_seconds(CLOCK_REALTIME, 20);
    double before = now(CLOCK_MONOTONIC);
    pthread_t t;

    CHECK(sem_init(&sem, 0, 0) == 0);
    CHECK(sem_timedwait(&sem, &at) == -1 && errno == ETIMEDOUT && took(before, 20));
    at = in_seconds(CLOCK_MONOTONIC, 20);
    CHECK(sem_clockwait(&sem, CLOCK_MONOTONIC, &at) == -1 && errno == ETIMEDOUT);
    CHECK(took(before, 40));
    CHECK(sem_trywait(&sem) == -1 && errno == EAGAIN);
    CHECK(pthread_create(&t, NULL, post_soon, NULL) == 0 && sem_wait(&sem) == 0);
    CHECK(took(before, 41) && pthread_join(t, NULL) == 0);
}

/* Wrong on purpose: nobody posts to the second one, which is another one, with a number of its own.
 */
static void semaphore_again(void)
{
    pthread_t t;

    CHECK(sem_init(&sem, 0, 0) == 0 && pthread_create(&t, NULL, post_soon, NULL) == 0);
    CHECK(sem_wait(&sem) == 0 && pthread_join(t, NULL) == 0 && sem_destroy(&sem) == 0);
    CHECK(sem_init(&sem, 0, 0) == 0);
    sem_wait(&sem);
}

/* So long that nanoseconds of 64 bits do not count it: 2^55 s are 0 of them. */
static void long_times(void)
{
    struct timespec at = { (time_t)1 << 55, 0 };
    struct pollfd p = { .events = POLLIN };
    pthread_t t;

    CHECK(pipe(fds) == 0 && pthread_create(&t, NULL, write_soon, NULL) == 0);
    p.fd = fds[0];
    CHECK(ppoll(&p, 1, &at, NULL) == 1 && pthread_join(t, NULL) == 0);
    CHECK(sem_init(&sem, 0, 0) == 0 && pthread_create(&t, NULL, post_soon, NULL) == 0);
    CHECK(sem_timedwait(&sem, &at) == 0 && pthread_join(t, NULL) == 0);
}

/* --- shared with other processes -------------------------------------------------------------- */

/* The host's time, which no call here changes. */
static double host_time(void)
{
    struct timespec t;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Other processes share them: their time is the host's. */
static void shared_in_time(void)
{
    struct timespec at = in_seconds(CLOCK_REALTIME, 1);
    double before = host_time();
    pthread_mutexattr_t mattr;
    pthread_condattr_t attr;
    pthread_mutex_t m;
    pthread_cond_t c;

    CHECK(sem_init(&sem, 1, 0) == 0);
    CHECK(sem_timedwait(&sem, &at) == -1 && errno == ETIMEDOUT);
    CHECK(host_time() - before > 0.9 && host_time() - before < 5);
    pthread_mutexattr_init(&mattr);
    pthread_mutexattr_setpshared(&mattr, PTHREAD_PROCESS_SHARED);
    pthread_condattr_init(&attr);
    pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    CHECK(pthread_mutex_init(&m, &mattr) == 0 && pthread_cond_init(&c, &attr) == 0);
    CHECK(pthread_mutex_lock(&m) == 0);
    at = in_seconds(CLOCK_MONOTONIC, 1);
    CHECK(pthread_cond_timedwait(&c, &m, &at) == ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&m) == 0);
    CHECK(host_time() - before > 1.8 && host_time() - before < 10);
}

struct shared_locks {
    sem_t go, back;
    pthread_mutex_t m;
    pthread_rwlock_t rw;
};

static struct timespec in_a_moment(void)
{
    struct timespec t = in_seconds(CLOCK_REALTIME, 0);

    t.tv_nsec += 200000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void shared_locks_init(struct shared_locks *s)
{
    pthread_mutexattr_t mattr;
    pthread_rwlockattr_t attr;

    CHECK(sem_init(&s->go, 1, 0) == 0 && sem_init(&s->back, 1, 0) == 0);
    pthread_mutexattr_init(&mattr);
    pthread_mutexattr_setpshared(&mattr, PTHREAD_PROCESS_SHARED);
    CHECK(pthread_mutex_init(&s->m, &mattr) == 0);
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    CHECK(pthread_rwlock_init(&s->rw, &attr) == 0);
}

/* Another process holds them: longer than is waited for first, and not for ever then. */
static void shared_locks(void)
{
    struct shared_locks *s =
        mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct timespec at;
    int status;
    pid_t pid;

    CHECK(s != MAP_FAILED);
    shared_locks_init(s);
    pid = fork();
    if (pid == 0) {
        CHECK(pthread_mutex_lock(&s->m) == 0 && pthread_rwlock_wrlock(&s->rw) == 0);
        at = in_seconds(CLOCK_REALTIME, 5);
        CHECK(sem_post(&s->go) == 0);
        sem_timedwait(&s->back, &at);
        usleep(50000);
        CHECK(pthread_mutex_unlock(&s->m) == 0 && pthread_rwlock_unlock(&s->rw) == 0);
        _exit(0);
    }
    CHECK(sem_wait(&s->go) == 0);
    at = in_a_moment();
    CHECK(pthread_mutex_timedlock(&s->m, &at) == ETIMEDOUT);
    at = in_a_moment();
    CHECK(pthread_rwlock_timedwrlock(&s->rw, &at) == ETIMEDOUT);
    at = in_a_moment();
    CHECK(pthread_rwlock_timedrdlock(&s->rw, &at) == ETIMEDOUT);
    CHECK(sem_post(&s->back) == 0);
    CHECK(pthread_mutex_lock(&s->m) == 0 && pthread_rwlock_wrlock(&s->rw) == 0);
    CHECK(pthread_mutex_trylock(&s->m) == EBUSY && pthread_rwlock_tryrdlock(&s->rw) == EBUSY);
    CHECK(pthread_rwlock_rdlock(&s->rw) == EDEADLK);
    CHECK(pthread_rwlock_unlock(&s->rw) == 0 && pthread_mutex_unlock(&s->m) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* --- once ------------------------------------------------------------------------------------- */

static pthread_once_t made = PTHREAD_ONCE_INIT;

static void never_made(void)
{
    sem_wait(&sem);
}

static void make_it(void)
{
    flag++;
}

static void *make_never(void *x)
{
    pthread_once(&made, never_made);
    return x;
}

/* POSIX, pthread_once: cancelled in the routine, it is as if it had never been called. */
static void once_cancelled(void)
{
    pthread_t t;

    CHECK(sem_init(&sem, 0, 0) == 0 && pthread_create(&t, NULL, make_never, NULL) == 0);
    usleep(10);
    CHECK(pthread_cancel(t) == 0 && pthread_join(t, NULL) == 0);
    CHECK(pthread_once(&made, make_it) == 0 && flag == 1);
    CHECK(pthread_once(&made, make_it) == 0 && flag == 1);
}

/* --- robust mutexes --------------------------------------------------------------------------- */

static pthread_mutex_t robust[2];

static void robust_make(int shared)
{
    pthread_mutexattr_t attr;

    CHECK(pthread_mutexattr_init(&attr) == 0 && pthread_mutexattr_setpshared(&attr, shared) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutex_init(&robust[0], &attr) == 0 && pthread_mutex_init(&robust[1], &attr) == 0);
}

static void robust_init(void)
{
    robust_make(PTHREAD_PROCESS_PRIVATE);
}

static void *dies_with_robust(void *x)
{
    CHECK(pthread_mutex_lock(&robust[0]) == 0);
    sleep(2);
    return x;
}

/* Who waits when the owner ends gets the mutex, and makes it whole again. */
static void robust_owner_ends(void)
{
    pthread_t t;

    robust_init();
    CHECK(pthread_create(&t, NULL, dies_with_robust, NULL) == 0);
    sleep(1);
    CHECK(pthread_mutex_lock(&robust[0]) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&robust[0]) == 0 && pthread_mutex_unlock(&robust[0]) == 0);
    CHECK(pthread_mutex_lock(&robust[0]) == 0 && pthread_mutex_unlock(&robust[0]) == 0);
    CHECK(pthread_join(t, NULL) == 0);
}

static void *locks_lost(void *x)
{
    CHECK(pthread_mutex_lock(&robust[0]) == ENOTRECOVERABLE);
    return x;
}

/* pthread_mutex_lock(3): all who wait for it, or want it later, hear that it is lost; until it is
 * initialised again. */
static void robust_is_lost(void)
{
    pthread_t owner, t[3];

    robust_init();
    CHECK(pthread_create(&owner, NULL, dies_with_robust, NULL) == 0);
    CHECK(pthread_join(owner, NULL) == 0);
    CHECK(pthread_mutex_lock(&robust[0]) == EOWNERDEAD);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&t[i], NULL, locks_lost, NULL) == 0);
    }
    sleep(1);
    CHECK(pthread_mutex_unlock(&robust[0]) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(t[i], NULL) == 0);
    }
    locks_lost(NULL);
    CHECK(pthread_mutex_destroy(&robust[0]) == 0);
    robust_init();
    CHECK(pthread_mutex_lock(&robust[0]) == 0);
}

static void *locks_both(void *x)
{
    int first = x != NULL;

    CHECK(pthread_mutex_lock(&robust[first]) == 0);
    sleep(1);
    CHECK(pthread_mutex_lock(&robust[!first]) == 0);
    return x;
}

/* A deadlock, as with any other mutex. */
static void robust_both(void)
{
    pthread_t t;

    robust_init();
    CHECK(pthread_create(&t, NULL, locks_both, NULL) == 0);
    locks_both(&t);
}

/* Other processes share it: who waits does so in the C library. */
static void robust_shared(void)
{
    pthread_t t;

    robust_make(PTHREAD_PROCESS_SHARED);
    CHECK(pthread_create(&t, NULL, dies_with_robust, NULL) == 0);
    sleep(1);
    CHECK(pthread_mutex_lock(&robust[0]) == EOWNERDEAD);
    CHECK(pthread_mutex_unlock(&robust[0]) == 0);
    CHECK(pthread_join(t, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        locks_lost(NULL);
    }
    CHECK(pthread_create(&t, NULL, locks_lost, NULL) == 0 && pthread_join(t, NULL) == 0);
}

static void *locks_after_main(void *x)
{
    CHECK(pthread_mutex_lock(&robust[0]) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&robust[0]) == 0 && pthread_mutex_unlock(&robust[0]) == 0);
    return x;
}

/* Its end is another than that of other threads: the kernel keeps it until the last has ended. */
static void robust_main_ends(void)
{
    pthread_t t;

    robust_init();
    CHECK(pthread_mutex_lock(&robust[0]) == 0);
    CHECK(pthread_create(&t, NULL, locks_after_main, NULL) == 0);
    sleep(1);
    pthread_exit(NULL);
}

/* With its priority: of what main() has left the kernel alone tells. */
static void robust_inherits(void)
{
    pthread_mutexattr_t attr;
    pthread_t t;

    CHECK(pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
    CHECK(pthread_mutex_init(&robust[0], &attr) == 0);
    CHECK(pthread_mutex_lock(&robust[0]) == 0);
    CHECK(pthread_create(&t, NULL, locks_after_main, NULL) == 0);
    sleep(1);
    pthread_exit(NULL);
}

/* Its memory has gone before its owner ends: pthread_mutex_destroy(3) was forgotten, no more. */
static void *dies_without_memory(void *x)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t *m =
        mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(m != MAP_FAILED && pthread_mutexattr_init(&attr) == 0);
    CHECK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutex_init(m, &attr) == 0 && pthread_mutex_lock(m) == 0);
    CHECK(munmap(m, sizeof(*m)) == 0);
    return x;
}

static void robust_memory_goes(void)
{
    pthread_t t;

    CHECK(pthread_create(&t, NULL, dies_without_memory, NULL) == 0 && pthread_join(t, NULL) == 0);
}

const struct way lock_ways[] = {
    { "interrupted_semaphores", interrupted_semaphores },
    { "restarted_semaphore", restarted_semaphore },
    { "locks_in_time", locks_in_time },
    { "conditions", conditions },
    { "semaphores", semaphores },
    { "semaphore_again", semaphore_again },
    { "long_times", long_times },
    { "shared_in_time", shared_in_time },
    { "shared_locks", shared_locks },
    { "once_cancelled", once_cancelled },
    { "robust_owner_ends", robust_owner_ends },
    { "robust_is_lost", robust_is_lost },
    { "robust_both", robust_both },
    { "robust_shared", robust_shared },
    { "robust_main_ends", robust_main_ends },
    { "robust_inherits", robust_inherits },
    { "robust_memory_goes", robust_memory_goes },
    { NULL },
};
