/* SPDX-License-Identifier: MIT */
/* What POSIX, ISO C and Linux's manual say of calls that wait or tell the time, where threads take
 * turns: one call, or a few that are alike, each. Ends with 0 when it is so. Usage: calls WAY */
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
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
    return x;
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
static sem_t sem;

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

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {
        { "clocks", clocks },
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
        { "destructors", destructors },
        { "c11", c11 },
        { "c11_yield", c11_yield },
    };

    if (argc == 2 && strncmp(argv[1], "asks_", 5) == 0) {
        asks_again(argv[1]);
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
