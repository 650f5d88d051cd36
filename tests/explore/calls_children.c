/* SPDX-License-Identifier: MIT */
/* The ways of calls.c that wait for other processes. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

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
    CHECK(pthread_create(t, NULL, write_soon, NULL) == 0);
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

/* It has ended before one asks, or ends after: that makes no difference to the schedule. */
static void child_ends(const char *how)
{
    bool late = strcmp(how, "child_ends_late") == 0;
    pthread_t t;
    int ended = 0;
    pid_t pid = fork();

    if (pid == 0) {
        usleep(late ? 50000 : 0);
        _exit(7);
    }
    for (volatile int i = 0; !late && i < 50000000; i++) { /* real time */
    }
    CHECK(waitpid(pid, &ended, 0) == pid && WIFEXITED(ended) && WEXITSTATUS(ended) == 7);
    CHECK(pthread_create(&t, NULL, raise_flag, NULL) == 0 && pthread_join(t, NULL) == 0);
}

/* Whoever gets the first child lets the second one go on. */
static void *waits_for_any(void *x)
{
    int ended = 0;

    CHECK(wait(&ended) > 0 && WIFEXITED(ended));
    if (WEXITSTATUS(ended) != 7) {
        sleep(1);
        CHECK(write(fds[1], "x", 1) == 1);
    }
    return x;
}

static void child_for_one(void)
{
    pthread_t t[2];

    reader();
    if (fork() == 0) {
        usleep(20000);
        _exit(0);
    }
    CHECK(pthread_create(&t[0], NULL, waits_for_any, NULL) == 0);
    CHECK(pthread_create(&t[1], NULL, waits_for_any, NULL) == 0);
    CHECK(pthread_join(t[0], NULL) == 0 && pthread_join(t[1], NULL) == 0);
}

const struct way child_ways[] = {
    { "child_wait", .run_as = wait_for_child },
    { "child_wait3", .run_as = wait_for_child },
    { "child_wait4", .run_as = wait_for_child },
    { "child_waitid", .run_as = wait_for_child },
    { "child_waitpid", .run_as = wait_for_child },
    { "child_of_two", .run_as = wait_for_child },
    { "child_of_group", .run_as = wait_for_child },
    { "child_stops", child_stops },
    { "child_ends_now", .run_as = child_ends },
    { "child_ends_late", .run_as = child_ends },
    { "child_for_one", child_for_one },
    { "waits", waits },
    { "stopped", stopped },
    { "from_child", from_child },
    { "children", children },
    { NULL },
};
