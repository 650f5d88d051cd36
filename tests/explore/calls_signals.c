/* SPDX-License-Identifier: MIT */
/* The ways of calls.c with signals. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

/* By this thread, and those that it creates. */
static void block_only(int sig, sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, sig);
    CHECK(pthread_sigmask(SIG_BLOCK, set, NULL) == 0);
}

static pthread_t signalled;

static void *signal_soon(void *x)
{
    sleep(1);
    CHECK(pthread_kill(signalled, SIGUSR2) == 0);
    return x;
}

static void signal_waits(void)
{
    struct timespec long_enough = { 20, 0 };
    siginfo_t info;
    sigset_t set;
    pthread_t t;
    int sig;

    block_only(SIGUSR1, &set);
    CHECK(raise(SIGUSR1) == 0); /* pending all the time: not what is waited for */
    block_only(SIGUSR2, &set);
    signalled = pthread_self();
    CHECK(pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(sigwait(&set, &sig) == 0 && sig == SIGUSR2 && pthread_join(t, NULL) == 0);
    CHECK(pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(sigwaitinfo(&set, &info) == SIGUSR2 && pthread_join(t, NULL) == 0);
    CHECK(pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(sigtimedwait(&set, &info, &long_enough) == SIGUSR2 && pthread_join(t, NULL) == 0);
}

static void signals_in_time(void)
{
    struct timespec ts = { 20, 0 };
    siginfo_t info;
    pthread_t t;
    sigset_t set;
    int sig;

    block_only(SIGUSR2, &set);
    signalled = pthread_self();
    CHECK(pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(sigwaitinfo(&set, &info) == SIGUSR2 && info.si_signo == SIGUSR2);
    pthread_join(t, NULL);
    CHECK(pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(sigwait(&set, &sig) == 0 && sig == SIGUSR2);
    pthread_join(t, NULL);
    CHECK(pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(sigtimedwait(&set, NULL, &ts) == SIGUSR2);
    pthread_join(t, NULL);
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

static volatile int got;
static sem_t sem;

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

/* What is pending for a thread is what its own read() of a signalfd finds. */
static void signal_to_reader(void)
{
    struct signalfd_siginfo info;
    sigset_t set;
    pthread_t t;
    int fd;

    block_only(SIGUSR2, &set);
    signalled = pthread_self();
    fd = signalfd(-1, &set, 0);
    CHECK(fd >= 0 && pthread_create(&t, NULL, signal_soon, NULL) == 0);
    CHECK(read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGUSR2);
    CHECK(pthread_join(t, NULL) == 0);
}

static void *signal_1_soon(void *x)
{
    sleep(1);
    CHECK(pthread_kill(signalled, SIGUSR1) == 0);
    return x;
}

/* A mask that lets a signal in while the call waits. */
static void masked_waits(void)
{
    struct epoll_event event;
    sigset_t set, none;
    pthread_t t;
    int fd = epoll_create1(0);

    sigemptyset(&none);
    block_only(SIGUSR1, &set);
    signal(SIGUSR1, on_signal);
    signalled = pthread_self();
    for (int way = 0; way < 3; way++) {
        flag = 0;
        CHECK(pthread_create(&t, NULL, signal_1_soon, NULL) == 0);
        errno = 0;
        CHECK((way == 0   ? ppoll(NULL, 0, NULL, &none)
               : way == 1 ? pselect(0, NULL, NULL, NULL, NULL, &none)
                          : epoll_pwait(fd, &event, 1, -1, &none)) == -1);
        CHECK(errno == EINTR && flag == 1 && pthread_join(t, NULL) == 0);
    }
}

static sigset_t both_wait_for;

static void *takes_one(void *x)
{
    int sig;

    do { /* Linux wakes both */
        sig = sigwaitinfo(&both_wait_for, NULL);
    } while (sig < 0 && errno == EINTR);
    CHECK(sig == SIGRTMIN);
    return x;
}

/* Who has seen one pending may find that another has taken it. */
static void two_take_signals(void)
{
    pthread_t t[2];

    block_only(SIGRTMIN, &both_wait_for);
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&t[i], NULL, takes_one, NULL) == 0);
    }
    for (int i = 0; i < 2; i++) {
        usleep(1000);
        CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){ i }) == 0);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_join(t[i], NULL) == 0);
    }
}

const struct way signal_ways[] = {
    { "signal_to_reader", signal_to_reader },     { "masked_waits", masked_waits },
    { "two_take_signals", two_take_signals },     { "signal_waits", signal_waits },
    { "signals_in_time", signals_in_time },       { "signal_from_child", signal_from_child },
    { "signals_to_threads", signals_to_threads }, { NULL },
};
