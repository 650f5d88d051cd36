/* SPDX-License-Identifier: MIT */
/* What comes from outside in real time while no thread can go on, or all only loop: outside WAY.
 * Those of the second table are wrong on purpose: nothing will come. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

#define LATER_US 400000
#define MORE_TURNS 1200000u /* than make a livelock */

static sem_t sem;
static volatile sig_atomic_t flag, ticks;
static int ends[2];
static struct {
    unsigned turns; /* of loops */
    int flag;
} * shared; /* with children */

static void post(int sig)
{
    (void)sig;
    sem_post(&sem);
}

static void turn(void)
{
    __atomic_fetch_add(&shared->turns, 1, __ATOMIC_RELAXED);
}

static bool looped_long(void)
{
    return __atomic_load_n(&shared->turns, __ATOMIC_RELAXED) >= MORE_TURNS;
}

static void while_it_loops(void)
{
    for (int ms = 0; ms < 20000 && !looped_long(); ms++) {
        usleep(1000);
    }
}

/* A timer's, again and again. */
static void raise_flag(int sig)
{
    (void)sig;
    flag = looped_long();
}

static void await_post(void)
{
    while (sem_wait(&sem) != 0) {
    }
}

/* Children run freely, in real time. */
static pid_t child(void (*act)(void))
{
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        usleep(LATER_US);
        act();
        _exit(0);
    }
    return pid;
}

/* The same by somebody who is no child of ours. */
static void stranger(void (*act)(void))
{
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        child(act);
        _exit(0);
    }
    CHECK(waitpid(pid, NULL, 0) == pid);
}

static void nothing(void)
{
}

static void kill_parent(void)
{
    kill(getppid(), SIGUSR1);
}

static void send_byte(void)
{
    CHECK(write(ends[1], "x", 1) == 1);
}

static void send_byte_late(void)
{
    while_it_loops();
    send_byte();
}

/* --- somebody waits --------------------------------------------------------------------------- */

static timer_t timer_new(struct sigevent *event, long ns, long interval_ns)
{
    const struct itimerspec at = { .it_value = { 0, ns }, .it_interval = { 0, interval_ns } };
    timer_t timer;

    CHECK(timer_create(CLOCK_MONOTONIC, event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &at, NULL) == 0);
    return timer;
}

static void timer_posts(void)
{
    signal(SIGALRM, post);
    timer_new(NULL, LATER_US * 1000L, 0);
    await_post();
}

static void notified(union sigval value)
{
    (void)value;
    sem_post(&sem);
}

static void timer_thread(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = notified };

    timer_new(&event, LATER_US * 1000L, 0);
    await_post();
}

static void ignored(union sigval value)
{
    (void)value;
}

static void notified_late(union sigval value)
{
    usleep(500000);
    notified(value);
}

static void timer_thread_late(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD,
                              .sigev_notify_function = notified_late };

    timer_new(&event, LATER_US * 1000L, 0);
    await_post();
}

static void post_third(int sig)
{
    (void)sig;
    if (++ticks == 3) {
        sem_post(&sem);
    }
}

static void third_tick(void)
{
    signal(SIGALRM, post_third);
    timer_new(NULL, 100000000, 100000000);
    await_post();
}

static void many_timers(void)
{
    for (int i = 0; i < 200; i++) {
        timer_t timer;

        CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0);
        CHECK(timer_delete(timer) == 0);
    }
    timer_posts();
}

static void child_ends(void)
{
    signal(SIGCHLD, post);
    child(nothing);
    await_post();
}

static void child_kills(void)
{
    signal(SIGUSR1, post);
    child(kill_parent);
    await_post();
}

static void input_signals(void)
{
    signal(SIGIO, post);
    CHECK(pipe(ends) == 0);
    CHECK(fcntl(ends[0], F_SETOWN, getpid()) == 0 && fcntl(ends[0], F_SETFL, O_ASYNC) == 0);
    stranger(send_byte);
    await_post();
}

static FILE *locked;
static sem_t seen;

static void *lock_and_post(void *x)
{
    CHECK(flock(fileno(locked), LOCK_EX) == 0);
    sem_post(&sem);
    CHECK(sem_wait(&seen) == 0);
    return x;
}

/* A child holds the lock of a file for longer than anybody looks for handlers. */
static void lock_of_child(void)
{
    char path[64], byte;
    pthread_t t;

    locked = tmpfile();
    CHECK(locked && pipe(ends) == 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(locked));
    if (fork() == 0) {
        CHECK(flock(open(path, O_RDWR), LOCK_EX) == 0); /* its own file description */
        send_byte();
        usleep(3 * LATER_US);
        _exit(0);
    }
    CHECK(read(ends[0], &byte, 1) == 1);
    CHECK(pthread_create(&t, NULL, lock_and_post, NULL) == 0);
    await_post();
    sem_post(&seen);
    pthread_join(t, NULL);
}

/* --- all loop --------------------------------------------------------------------------------- */

static void loop_for_child(void)
{
    pid_t pid = child(while_it_loops);

    while (waitpid(pid, NULL, WNOHANG) == 0) {
        sched_yield();
        turn();
    }
}

/* The child ends when the other thread has run. */
static void *tell_child(void *x)
{
    for (int i = 0; i < 50; i++) {
        sched_yield();
    }
    send_byte();
    return x;
}

static void loop_beside_tell(void)
{
    pthread_t t;
    pid_t pid;
    char byte;

    CHECK(pipe(ends) == 0);
    pid = fork();
    if (pid == 0) {
        _exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
    }
    pthread_create(&t, NULL, tell_child, NULL);
    while (waitpid(pid, NULL, WNOHANG) == 0) {
    }
    pthread_join(t, NULL);
}

static void set_shared(void)
{
    while_it_loops();
    __atomic_store_n(&shared->flag, 1, __ATOMIC_RELEASE);
}

static void loop_for_memory(void)
{
    child(set_shared);
    while (!__atomic_load_n(&shared->flag, __ATOMIC_ACQUIRE)) {
        sched_yield();
        turn();
    }
}

static void loop_for_timer(void)
{
    signal(SIGALRM, raise_flag);
    timer_new(NULL, 100000000, 100000000);
    while (!flag) {
        sched_yield();
        turn();
    }
}

static void loop_for_cpu_time(void)
{
    const struct itimerval at = { { 0, 100000 }, { 0, 100000 } };

    signal(SIGPROF, raise_flag);
    setitimer(ITIMER_PROF, &at, NULL);
    while (!flag) {
        sched_yield();
        turn();
    }
}

/* Asks for what a stranger sends; the process itself has no such end. */
static void input_of_stranger(bool is_socket)
{
    CHECK((is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends)) == 0);
    stranger(send_byte_late);
    close(ends[1]);
}

static void loop_for_input(void)
{
    struct pollfd one = { .events = POLLIN };

    input_of_stranger(false);
    one.fd = ends[0];
    while (poll(&one, 1, 0) == 0) {
        turn();
    }
}

static void loop_for_read(void)
{
    char byte;

    input_of_stranger(false);
    CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    while (read(ends[0], &byte, 1) < 0) {
        turn();
    }
}

static void loop_for_epoll(void)
{
    struct epoll_event event = { .events = EPOLLIN };
    int fd = epoll_create1(0);

    input_of_stranger(true);
    CHECK(epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event) == 0);
    while (epoll_wait(fd, &event, 1, 0) == 0) {
        turn();
    }
}

/* One of its own, too, which it asks more often. */
static void loop_for_inputs(void)
{
    struct pollfd one = { .events = POLLIN }, own = { .events = POLLIN };

    input_of_stranger(true);
    one.fd = ends[0];
    own.fd = eventfd(0, 0);
    do {
        for (int i = 0; i < 20; i++) {
            CHECK(poll(&own, 1, 0) == 0);
            turn();
        }
    } while (poll(&one, 1, 0) == 0);
}

/* --- wrong on purpose ------------------------------------------------------------------------- */

static void tick(int sig)
{
    (void)sig;
    ticks++;
}

static void call_for_nothing(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = ignored };

    timer_new(&event, 1000, 0);
    await_post();
}

static void ticks_for_nothing(void)
{
    signal(SIGALRM, tick);
    timer_new(NULL, 10000000, 10000000);
    await_post();
}

static void handler_for_nothing(void)
{
    signal(SIGUSR1, post);
    await_post();
}

static void child_without_handler(void)
{
    fork() == 0 ? (void)usleep(20000000) : await_post();
}

static void child_ignored(void)
{
    signal(SIGCHLD, SIG_IGN);
    signal(SIGSEGV, post);
    child_without_handler();
}

static void child_has_ended(void)
{
    siginfo_t info;

    signal(SIGCHLD, tick);
    if (fork() == 0) {
        _exit(0);
    }
    CHECK(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0);
    await_post();
}

static void loop_for_own(void)
{
    struct pollfd one = { .fd = eventfd(0, 0), .events = POLLIN };

    while (poll(&one, 1, 0) == 0) {
    }
}

/* That it once asked somebody else is no help. */
static void loop_after_input(void)
{
    struct pollfd one = { .events = POLLIN };
    int own[2];
    char byte = 0;

    input_of_stranger(false);
    one.fd = ends[0];
    CHECK(poll(&one, 1, 0) == 0);
    CHECK(pipe(own) == 0 && write(own[1], &byte, 1) == 1 && read(own[0], &byte, 1) == 1);
    while (!flag) {
        sched_yield();
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {
        { "timer_posts", timer_posts },
        { "timer_thread", timer_thread },
        { "timer_thread_late", timer_thread_late },
        { "third_tick", third_tick },
        { "many_timers", many_timers },
        { "child_ends", child_ends },
        { "child_kills", child_kills },
        { "input_signals", input_signals },
        { "lock_of_child", lock_of_child },
        { "loop_for_child", loop_for_child },
        { "loop_beside_tell", loop_beside_tell },
        { "loop_for_memory", loop_for_memory },
        { "loop_for_timer", loop_for_timer },
        { "loop_for_cpu_time", loop_for_cpu_time },
        { "loop_for_input", loop_for_input },
        { "loop_for_read", loop_for_read },
        { "loop_for_epoll", loop_for_epoll },
        { "loop_for_inputs", loop_for_inputs },
    }, wrong[] = {
        { "ticks_for_nothing", ticks_for_nothing },
        { "call_for_nothing", call_for_nothing },
        { "handler_for_nothing", handler_for_nothing },
        { "child_without_handler", child_without_handler },
        { "child_ignored", child_ignored },
        { "child_has_ended", child_has_ended },
        { "loop_for_own", loop_for_own },
        { "loop_after_input", loop_after_input },
    };

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    sem_init(&sem, 0, 0);
    for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(argv[1], ways[i].name) == 0) {
            ways[i].run();
            return 0;
        }
    }
    for (size_t i = 0; argc > 1 && i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (strcmp(argv[1], wrong[i].name) == 0) {
            wrong[i].run();
        }
    }
    return 2;
}
