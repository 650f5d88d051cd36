/* SPDX-License-Identifier: MIT */
/* What POSIX, ISO C and Linux's manual say of calls that wait or tell the time, where threads take
 * turns: one call, or a few that are alike, each. Ends with 0 when it is so. Usage: calls WAY */
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
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
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static volatile int flag;
static int fds[2];

static double now(clockid_t clock)
{
    struct timespec t;

    CHECK(clock_gettime(clock, &t) == 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct timespec in_seconds(clockid_t clock, time_t seconds)
{
    struct timespec t;

    CHECK(clock_gettime(clock, &t) == 0);
    t.tv_sec += seconds;
    return t;
}

/* So much has gone by since @before, and a little. */
static bool took(double before, double seconds)
{
    double passed = now(CLOCK_MONOTONIC) - before;

    return passed >= seconds - 1e-6 && passed < seconds + 0.5;
}

/* --- clocks and sleeping ---------------------------------------------------------------------- */

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

static void on_signal(int sig)
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

static pthread_t disturbed(void)
{
    pthread_t t;

    sleeper = pthread_self();
    signal(SIGUSR1, on_signal);
    flag = 0;
    CHECK(pthread_create(&t, NULL, disturb, NULL) == 0);
    return t;
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

    CHECK(pthread_mutex_clocklock(&held_lock, CLOCK_MONOTONIC, &at) == ETIMEDOUT && took(before, 20));
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

/* --- futex(2) --------------------------------------------------------------------------------- */

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

static void *raise_flag(void *x)
{
    flag = 1;
    return x;
}

static void raw_yield(void)
{
    pthread_t t;

    CHECK(pthread_create(&t, NULL, raise_flag, NULL) == 0);
    while (!flag) {
        CHECK(syscall(SYS_sched_yield) == 0);
    }
    pthread_join(t, NULL);
}

/* --- conditions, semaphores, once ------------------------------------------------------------- */

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

/* --- queues, descriptors ---------------------------------------------------------------------- */

static mqd_t queue(int flags)
{
    struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
    char name[32];
    mqd_t q;

    snprintf(name, sizeof(name), "/calls%d", (int)getpid());
    q = mq_open(name, O_CREAT | O_RDWR | flags, 0600, &attr);
    CHECK(q != (mqd_t)-1 && mq_unlink(name) == 0);
    return q;
}

static void *send_soon(void *q)
{
    sleep(1);
    CHECK(mq_send(*(mqd_t *)q, "a", 1, 0) == 0);
    return NULL;
}

static void *receive_soon(void *q)
{
    char text[8];

    sleep(1);
    CHECK(mq_receive(*(mqd_t *)q, text, sizeof(text), NULL) == 1);
    return NULL;
}

static void queues_wait(void)
{
    mqd_t q = queue(0);
    char text[8];
    pthread_t t;

    CHECK(pthread_create(&t, NULL, send_soon, &q) == 0);
    CHECK(mq_receive(q, text, sizeof(text), NULL) == 1);
    pthread_join(t, NULL);
    CHECK(mq_send(q, "a", 1, 0) == 0);
    CHECK(pthread_create(&t, NULL, receive_soon, &q) == 0);
    CHECK(mq_send(q, "b", 1, 0) == 0); /* of one message it is full */
    pthread_join(t, NULL);
}

static void queues_in_time(void)
{
    mqd_t q = queue(0), never = queue(O_NONBLOCK);
    struct timespec at = in_seconds(CLOCK_REALTIME, 20);
    double before = now(CLOCK_MONOTONIC);
    char text[8];

    CHECK(mq_timedreceive(q, text, sizeof(text), NULL, &at) == -1 && errno == ETIMEDOUT);
    CHECK(took(before, 20) && mq_send(q, "a", 1, 0) == 0);
    at = in_seconds(CLOCK_REALTIME, 20);
    CHECK(mq_timedsend(q, "b", 1, 0, &at) == -1 && errno == ETIMEDOUT && took(before, 40));
    CHECK(mq_receive(never, text, sizeof(text), NULL) == -1 && errno == EAGAIN);
}

static void *post_event(void *x)
{
    sleep(1);
    CHECK(eventfd_write(fds[0], 5) == 0);
    return x;
}

static void events(void)
{
    eventfd_t n;
    pthread_t t;

    fds[0] = eventfd(0, 0);
    CHECK(pthread_create(&t, NULL, post_event, NULL) == 0);
    CHECK(eventfd_read(fds[0], &n) == 0 && n == 5);
    pthread_join(t, NULL);
    fds[0] = eventfd(0, EFD_NONBLOCK);
    CHECK(eventfd_read(fds[0], &n) == -1 && errno == EAGAIN);
    CHECK(eventfd_write(fds[0], UINT64_MAX) == -1 && errno == EINVAL);
}

static void *in_vain(void *x)
{
    struct pollfd p = { .fd = fds[0], .events = POLLIN };
    struct epoll_event e = { .events = EPOLLIN };
    struct timespec ts = { 20, 0 };
    struct timeval tv = { 20, 0 };
    int fd = epoll_create1(0);
    double before = now(CLOCK_MONOTONIC);
    fd_set set;

    CHECK(poll(&p, 1, 0) == 0 && took(before, 0));
    CHECK(poll(&p, 1, 20000) == 0 && took(before, 20));
    CHECK(ppoll(&p, 1, &ts, NULL) == 0 && took(before, 40));
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    CHECK(select(fds[0] + 1, &set, NULL, NULL, &tv) == 0 && took(before, 60));
    FD_SET(fds[0], &set);
    CHECK(pselect(fds[0] + 1, &set, NULL, NULL, &ts, NULL) == 0 && took(before, 80));
    CHECK(epoll_ctl(fd, EPOLL_CTL_ADD, fds[0], &e) == 0);
    CHECK(epoll_wait(fd, &e, 1, 20000) == 0 && took(before, 100));
    CHECK(epoll_pwait(fd, &e, 1, 20000, NULL) == 0 && took(before, 120));
    return x;
}

static void epolls(void)
{
    struct epoll_event e = { .events = EPOLLIN };
    int fd = epoll_create1(0);
    double before = now(CLOCK_MONOTONIC);
    fd_set set;

    CHECK(pipe(fds) == 0 && epoll_ctl(fd, EPOLL_CTL_ADD, fds[0], &e) == 0);
    CHECK(epoll_pwait(fd, &e, 1, 20000, NULL) == 0 && took(before, 20));
    CHECK(epoll_pwait(fd, &e, 1, 0, NULL) == 0 && epoll_wait(fd, &e, 1, 0) == 0 &&
          took(before, 20));
    FD_ZERO(&set);
    FD_SET(fds[1], &set);
    CHECK(select(fds[1] + 1, NULL, &set, NULL, NULL) == 1 && FD_ISSET(fds[1], &set));
    CHECK(took(before, 20));
}

static void *fill_up(void *x)
{
    static char much[1000000];

    CHECK(send(fds[0], much, sizeof(much), MSG_DONTWAIT) > 0);
    CHECK(send(fds[0], much, sizeof(much), MSG_DONTWAIT) == -1 && errno == EAGAIN);
    return x;
}

static void sends(void)
{
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    fill_up(NULL);
}

static void polls(void)
{
    sigset_t set;
    struct timespec ts = { 20, 0 };
    double before;

    CHECK(pipe(fds) == 0);
    in_vain(NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    before = now(CLOCK_MONOTONIC);
    CHECK(sigtimedwait(&set, NULL, &ts) == -1 && errno == EAGAIN && took(before, 20));
}

static void not_yet(void)
{
    char byte;

    CHECK(pipe2(fds, O_NONBLOCK) == 0);
    CHECK(read(fds[0], &byte, 1) == -1 && errno == EAGAIN);
    CHECK(write(fds[1], "x", 1) == 1 && read(fds[0], &byte, 1) == 1);
}

static void *write_it(void *x)
{
    CHECK(write(fds[1], "x", 1) == 1);
    return x;
}

static void asks_again(const char *how)
{
    struct pollfd p = { .events = POLLIN };
    pthread_t t;
    char byte;

    CHECK(pipe2(fds, O_NONBLOCK) == 0 && pthread_create(&t, NULL, write_it, NULL) == 0);
    p.fd = fds[0];
    if (strcmp(how, "asks_poll") == 0) {
        while (poll(&p, 1, 0) == 0) {
        }
    } else {
        while (read(fds[0], &byte, 1) != 1) {
        }
    }
    pthread_join(t, NULL);
}

/* signal(7): a handler ends each of them. */
static void interrupted_polls(void)
{
    struct pollfd p = { .events = POLLIN };
    struct epoll_event e = { .events = EPOLLIN };
    int epoll = epoll_create1(0);
    fd_set set;

    CHECK(pipe(fds) == 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &e) == 0);
    p.fd = fds[0];
    for (int i = 0; i < 6; i++) {
        pthread_t other = disturbed();

        FD_ZERO(&set);
        FD_SET(fds[0], &set);
        CHECK((i == 0   ? poll(&p, 1, -1)
               : i == 1 ? ppoll(&p, 1, NULL, NULL)
               : i == 2 ? select(fds[0] + 1, &set, NULL, NULL, NULL)
               : i == 3 ? pselect(fds[0] + 1, &set, NULL, NULL, NULL, NULL)
               : i == 4 ? epoll_wait(epoll, &e, 1, -1)
                        : epoll_pwait(epoll, &e, 1, -1, NULL)) == -1);
        CHECK(errno == EINTR && flag == 1 && pthread_join(other, NULL) == 0);
    }
}

static void *write_soon(void *x)
{
    sleep(1);
    CHECK(write(fds[1], "x", 1) == 1);
    return x;
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

/* What select() asks: to read, to write, out-of-band data. */
static void selects(void)
{
    int server = socket(AF_INET, SOCK_STREAM, 0), s, peer;
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof(a);
    pthread_t t;
    fd_set set;

    CHECK(pipe(fds) == 0);
    FD_ZERO(&set);
    FD_SET(fds[1], &set);
    CHECK(select(fds[1] + 1, NULL, &set, NULL, NULL) == 1 && FD_ISSET(fds[1], &set));
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    CHECK(pthread_create(&t, NULL, write_soon, NULL) == 0);
    CHECK(select(fds[0] + 1, &set, NULL, NULL, NULL) == 1 && pthread_join(t, NULL) == 0);
    CHECK(bind(server, (struct sockaddr *)&a, len) == 0 && listen(server, 1) == 0);
    CHECK(getsockname(server, (struct sockaddr *)&a, &len) == 0);
    s = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(s, (struct sockaddr *)&a, len) == 0 && (peer = accept(server, NULL, NULL)) >= 0);
    CHECK(send(s, "x", 1, MSG_OOB) == 1);
    FD_ZERO(&set);
    FD_SET(peer, &set);
    CHECK(select(peer + 1, NULL, NULL, &set, NULL) == 1 && FD_ISSET(peer, &set));
}

#define MUCH 1000000

static void *read_much(void *x)
{
    static char text[MUCH];

    sleep(1);
    for (ssize_t n = 0, r; n < MUCH; n += r) {
        r = read(fds[0], text, sizeof(text));
        CHECK(r > 0);
    }
    return x;
}

/* write(2), send(2): a blocking descriptor takes it all, and MSG_DONTWAIT waits for nobody. */
static void full(void)
{
    static char text[MUCH];
    pthread_t t;

    for (int i = 0; i < 3; i++) {
        CHECK((i == 0 ? pipe(fds) : socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) == 0);
        CHECK(pthread_create(&t, NULL, read_much, NULL) == 0);
        CHECK((i < 2 ? write(fds[1], text, MUCH) : send(fds[1], text, MUCH, 0)) == MUCH);
        CHECK(pthread_join(t, NULL) == 0);
    }
    while (send(fds[1], text, 1000, MSG_DONTWAIT) > 0) {
    }
    CHECK(errno == EAGAIN);
    signal(SIGPIPE, SIG_IGN);
    close(fds[0]);
    CHECK(write(fds[1], text, MUCH) == -1 && errno == EPIPE);
}

static int server;

static void *accept_soon(void *x)
{
    sleep(1);
    for (int i = 0; i < 3; i++) {
        CHECK(accept(server, NULL, NULL) >= 0);
    }
    return x;
}

/* unix(7): connect() waits while so many wait to be accepted as listen() has said. */
static void connects(void)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    pthread_t t;

    snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "calls%d", (int)getpid());
    server = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(server, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(server, 0) == 0);
    CHECK(pthread_create(&t, NULL, accept_soon, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        int s = socket(AF_UNIX, SOCK_STREAM, 0);

        CHECK(connect(s, (struct sockaddr *)&a, sizeof(a)) == 0);
    }
    CHECK(pthread_join(t, NULL) == 0);
}

static void *hold_file(void *x)
{
    CHECK(flock(fds[1], LOCK_EX) == 0);
    flag = 1;
    sleep(1);
    CHECK(flock(fds[1], LOCK_UN) == 0);
    return x;
}

static void file_locks(void)
{
    char name[] = "/tmp/vtegra-calls-XXXXXX";
    pthread_t t;

    CHECK((fds[0] = mkstemp(name)) >= 0 && (fds[1] = open(name, O_RDWR)) >= 0 && unlink(name) == 0);
    CHECK(pthread_create(&t, NULL, hold_file, NULL) == 0);
    while (!flag) {
        sched_yield();
    }
    CHECK(flock(fds[0], LOCK_EX) == 0 && pthread_join(t, NULL) == 0);
}

/* --- children, signals ------------------------------------------------------------------------ */

/* It ends with 7 when somebody has written. */
static pid_t reader(void)
{
    char byte;
    pid_t pid;

    CHECK(pipe(fds) == 0 && (pid = fork()) >= 0);
    if (pid == 0) {
        _exit(read(fds[0], &byte, 1) == 1 ? 7 : 8);
    }
    return pid;
}

/* Others go on while one waits for a child. */
static void wait_for_child(const char *how)
{
    pid_t other = 0, pid, ended;
    int status = 0;
    siginfo_t info;
    pthread_t t;

    if (strcmp(how, "child_of_two") == 0 || strcmp(how, "child_of_group") == 0) {
        other = fork();
        if (other == 0) {
            _exit(0);
        }
        CHECK(other > 0);
    }
    pid = reader();
    if (other) {
        CHECK(setpgid(pid, pid) == 0);
    }
    CHECK(pthread_create(&t, NULL, write_soon, NULL) == 0);
    if (strcmp(how, "child_waitid") == 0) {
        CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid);
        CHECK(info.si_status == 7 && pthread_join(t, NULL) == 0);
        return;
    }
    ended = strcmp(how, "child_wait") == 0    ? wait(&status)
            : strcmp(how, "child_wait3") == 0 ? wait3(&status, 0, NULL)
            : strcmp(how, "child_wait4") == 0
                ? wait4(pid, &status, 0, NULL)
                : waitpid(strcmp(how, "child_of_group") ? pid : -pid, &status, 0);
    CHECK(ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(pthread_join(t, NULL) == 0);
}

static void child_stops(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        raise(SIGSTOP);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

static void *signal_soon(void *x)
{
    sleep(1);
    CHECK(pthread_kill(sleeper, SIGUSR2) == 0);
    return x;
}

static void signal_waits(void)
{
    struct timespec long_enough = { 20, 0 };
    siginfo_t info;
    sigset_t set;
    pthread_t t;
    int sig;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sleeper = pthread_self();
    CHECK(pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(sigwait(&set, &sig) == 0 && sig == SIGUSR2 && pthread_join(t, NULL) == 0);
    CHECK(pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(sigwaitinfo(&set, &info) == SIGUSR2 && pthread_join(t, NULL) == 0);
    CHECK(pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(sigtimedwait(&set, &info, &long_enough) == SIGUSR2 && pthread_join(t, NULL) == 0);
}

static volatile int got;

static void on_value(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    got = info->si_value.sival_int;
}

static void *blocks_all(void *x)
{
    sigset_t set;

    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    CHECK(sleep(10) == 0);
    return x;
}

static void *sleep_10(void *x)
{
    CHECK(sleep(10) == 0);
    return x;
}

static void *waits_for_post(void *x)
{
    CHECK(sem_wait(&sem) == 0);
    return x;
}

/* docs/reproduce.md: such signals are handled before the caller goes on. Who blocks or ignores them
 * goes on sleeping. */
static void signals_to_threads(void)
{
    struct sigaction action = { .sa_sigaction = on_value, .sa_flags = SA_SIGINFO };
    pthread_t t;

    CHECK(sem_init(&sem, 0, 0) == 0 && pthread_create(&t, NULL, waits_for_post, NULL) == 0);
    usleep(10);
    signal(SIGUSR1, on_signal);
    CHECK(pthread_kill(t, SIGUSR1) == 0 && flag == 1);
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
    CHECK(pthread_sigqueue(t, SIGUSR2, (union sigval){ 5 }) == 0 && got == 5);
    CHECK(sem_post(&sem) == 0 && pthread_join(t, NULL) == 0);
    signal(SIGUSR2, SIG_IGN);
    CHECK(pthread_create(&t, NULL, sleep_10, NULL) == 0);
    usleep(1000);
    CHECK(pthread_kill(t, SIGUSR2) == 0 && pthread_kill(t, SIGCHLD) == 0 &&
          pthread_kill(t, 0) == 0);
    CHECK(pthread_join(t, NULL) == 0 && pthread_create(&t, NULL, blocks_all, NULL) == 0);
    usleep(1000);
    CHECK(pthread_kill(t, SIGUSR1) == 0 && flag == 1 && pthread_join(t, NULL) == 0);
}

static void *write_in_a_second(void *x)
{
    sleep(1);
    CHECK(write(fds[1], "x", 1) == 1);
    return x;
}

static pid_t child_that_reads(pid_t group, pthread_t *t)
{
    char byte;
    pid_t pid;

    CHECK(pipe(fds) == 0);
    pid = fork();
    if (pid == 0) {
        setpgid(0, group);
        _exit(read(fds[0], &byte, 1) == 1 ? 7 : 8);
    }
    CHECK(group < 0 || (setpgid(pid, group), getpgid(pid)) == (group ? group : pid));
    CHECK(pthread_create(t, NULL, write_in_a_second, NULL) == 0);
    return pid;
}

static int status;

static void waited(pid_t pid, pid_t got, pthread_t t)
{
    CHECK(got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    pthread_join(t, NULL);
    close(fds[0]);
    close(fds[1]);
}

/* The child ends when another thread has written: it is to go on meanwhile, however its end is
 * waited for. */
static void waits(void)
{
    siginfo_t info;
    pthread_t t;
    pid_t pid;

    pid = child_that_reads(-1, &t);
    waited(pid, wait(&status), t);
    pid = child_that_reads(-1, &t);
    waited(pid, wait3(&status, 0, NULL), t);
    pid = child_that_reads(-1, &t);
    waited(pid, wait4(pid, &status, 0, NULL), t);
    pid = child_that_reads(-1, &t);
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid &&
          info.si_status == 7);
    pthread_join(t, NULL);
    pid = child_that_reads(-1, &t);
    waited(pid, waitpid(0, &status, 0), t);
    pid = child_that_reads(0, &t);
    waited(pid, waitpid(-pid, &status, 0), t);
}

/* waitpid(2): WUNTRACED, WCONTINUED. */
static void stopped(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        usleep(10000);
        raise(SIGSTOP);
        pause();
    }
    CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
    kill(pid, SIGCONT);
    CHECK(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
    kill(pid, SIGKILL);
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

static void *read_later(void *x)
{
    char byte;

    *(ssize_t *)x = read(fds[0], &byte, 1);
    return x;
}

/* From another process it comes when it comes. */
static void from_child(void)
{
    char byte;
    pid_t pid;

    CHECK(pipe(fds) == 0);
    pid = fork();
    if (pid == 0) {
        usleep(50000);
        _exit(write(fds[1], "x", 1) != 1);
    }
    CHECK(read(fds[0], &byte, 1) == 1 && waitpid(pid, NULL, 0) == pid);
}

/* A signal from another process ends a wait, too. */
static void signal_from_child(void)
{
    pid_t pid;

    signal(SIGUSR1, on_signal);
    pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 200; i++) { /* one that comes too early is lost */
            usleep(20000);
            kill(getppid(), SIGUSR1);
        }
        _exit(0);
    }
    CHECK(poll(NULL, 0, -1) == -1 && errno == EINTR);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) != pid) {
    }
}

static pthread_t signalled;

static void *signal_in_a_second(void *x)
{
    sleep(1);
    CHECK(pthread_kill(signalled, SIGUSR2) == 0);
    return x;
}

static void signals_in_time(void)
{
    struct timespec ts = { 20, 0 };
    siginfo_t info;
    pthread_t t;
    sigset_t set;
    int sig;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signalled = pthread_self();
    CHECK(pthread_create(&t, NULL, signal_in_a_second, NULL) == 0);
    CHECK(sigwaitinfo(&set, &info) == SIGUSR2 && info.si_signo == SIGUSR2);
    pthread_join(t, NULL);
    CHECK(pthread_create(&t, NULL, signal_in_a_second, NULL) == 0);
    CHECK(sigwait(&set, &sig) == 0 && sig == SIGUSR2);
    pthread_join(t, NULL);
    CHECK(pthread_create(&t, NULL, signal_in_a_second, NULL) == 0);
    CHECK(sigtimedwait(&set, NULL, &ts) == SIGUSR2);
    pthread_join(t, NULL);
}

static void children(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        usleep(1000);
        _exit(7);
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(waitpid(pid, &status, 0) == -1 && errno == ECHILD);
}

/* --- threads ---------------------------------------------------------------------------------- */

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

static pthread_barrier_t two;

static void *sleep_for_ever(void *x)
{
    for (;;) {
        sleep(1000);
    }
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
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_barrier_wait(&two);
    CHECK(flag);
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
    CHECK(pthread_create(&t, NULL, meet_and_tell, NULL) == 0);
    usleep(10);
    pthread_cancel(t);
    usleep(10);
    flag = 1;
    pthread_barrier_wait(&two);
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

static void *lock_file_and_go_on(void *x)
{
    CHECK(flock(fds[0], LOCK_EX) == 0);
    one_at_a_time(3);
    flag = 1;
    return x;
}

/* Who comes back from a call that waits for real waits for its turn. */
static void turns_after_wait(void)
{
    char name[] = "/tmp/vtegra-calls-XXXXXX";
    pthread_t t;

    CHECK((fds[0] = mkstemp(name)) >= 0 && (fds[1] = open(name, O_RDWR)) >= 0 && unlink(name) == 0);
    CHECK(flock(fds[1], LOCK_EX) == 0);
    CHECK(pthread_create(&t, NULL, lock_file_and_go_on, NULL) == 0);
    one_at_a_time(3);
    CHECK(flock(fds[1], LOCK_UN) == 0);
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

/* --- ISO C 7.26 ------------------------------------------------------------------------------- */

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

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {
        { "clocks", clocks },
        { "cpu_time", cpu_time },
        { "bad_times", bad_times },
        { "sleeps", sleeps },
        { "interrupted", interrupted_sleeps },
        { "futexes", futexes },
        { "raw_yield", raw_yield },
        { "queues", queues_wait },
        { "queues_in_time", queues_in_time },
        { "events", events },
        { "polls", polls },
        { "not_yet", not_yet },
        { "children", children },
        { "joins", joins },
        { "joins_in_a_loop", joins_in_a_loop },
        { "cancels", cancels },
        { "cancels_each", cancels_each },
        { "interrupted_semaphores", interrupted_semaphores },
        { "restarted_semaphore", restarted_semaphore },
        { "locks_in_time", locks_in_time },
        { "epolls", epolls },
        { "sends", sends },
        { "waits", waits },
        { "stopped", stopped },
        { "from_child", from_child },
        { "signal_from_child", signal_from_child },
        { "signals_in_time", signals_in_time },
        { "yields_for_a_sleeper", yields_for_a_sleeper },
        { "handles_of_detached", detached_twice },
        { "turns_after_wait", turns_after_wait },
#ifdef __x86_64__
        { "sleeps_unseen", sleeps_unseen },
        { "sleeps_beside", sleeps_beside },
        { "reads_beside", reads_beside },
        { "turns_after_sleep", turns_after_sleep },
#endif
        { "destructors", destructors },
        { "c11", c11 },
        { "c11_yield", c11_yield },
        { "c11_signal", c11_signal },
        { "c11_tries", c11_tries },
        { "conditions", conditions },
        { "semaphores", semaphores },
        { "semaphore_again", semaphore_again },
        { "shared_in_time", shared_in_time },
        { "shared_locks", shared_locks },
        { "once_cancelled", once_cancelled },
        { "interrupted_polls", interrupted_polls },
        { "long_times", long_times },
        { "selects", selects },
        { "full", full },
        { "connects", connects },
        { "file_locks", file_locks },
        { "child_stops", child_stops },
        { "signal_waits", signal_waits },
        { "signals_to_threads", signals_to_threads },
    };

    if (argc == 2 && strncmp(argv[1], "asks_", 5) == 0) {
        asks_again(argv[1]);
        return 0;
    }
    if (argc == 2 && strncmp(argv[1], "child_", 6) == 0 && strcmp(argv[1], "child_stops") != 0) {
        wait_for_child(argv[1]);
        return 0;
    }
    if (argc == 2 && strncmp(argv[1], "detached", 8) == 0) {
        detached(argv[1]);
        return 0;
    }
    for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(ways[i].name, argv[1]) == 0) {
            ways[i].run();
            return 0;
        }
    }
    return 2;
}
