/* SPDX-License-Identifier: MIT */
/* The ways of calls.c that wait for System V's semaphores and messages, or for locks of files: what
 * semop(2), msgop(2), flock(2), lockf(3), signal(7) and pthreads(7) say. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

static int id;

static int change(int by, int flags)
{
    return semop(id, &(struct sembuf){ .sem_num = 0, .sem_op = (short)by, .sem_flg = (short)flags },
                 1);
}

static void new_semaphores(int n)
{
    CHECK((id = semget(IPC_PRIVATE, n, 0600)) >= 0);
}

static void remove_semaphores(void)
{
    CHECK(semctl(id, 0, IPC_RMID) == 0);
}

static void *post_soon(void *x)
{
    sleep(1);
    CHECK(change(1, 0) == 0);
    return x;
}

static void start(pthread_t *t, void *(*function)(void *))
{
    CHECK(pthread_create(t, NULL, function, NULL) == 0);
}

/* Others run while one waits. */
static void semops(void)
{
    pthread_t t;

    new_semaphores(1);
    start(&t, post_soon);
    CHECK(change(-1, 0) == 0 && semctl(id, 0, GETVAL) == 0);
    CHECK(pthread_join(t, NULL) == 0);
    remove_semaphores();
}

static void *take_both(void *x)
{
    struct sembuf both[] = { { .sem_num = 0, .sem_op = -1 }, { .sem_num = 1, .sem_op = -1 } };

    CHECK(semop(id, both, 2) == 0);
    return x;
}

/* "The operations are performed in array order, and atomically." */
static void semops_of_two(void)
{
    pthread_t t;

    new_semaphores(2);
    start(&t, take_both);
    CHECK(change(1, 0) == 0);
    sleep(1);
    CHECK(semctl(id, 0, GETVAL) == 1); /* the second one is missing */
    CHECK(semop(id, &(struct sembuf){ .sem_num = 1, .sem_op = 1 }, 1) == 0);
    CHECK(pthread_join(t, NULL) == 0 && semctl(id, 0, GETVAL) == 0 && semctl(id, 1, GETVAL) == 0);
    remove_semaphores();
}

static void semops_in_time(void)
{
    struct sembuf take = { .sem_op = -1 };
    double before = now(CLOCK_MONOTONIC);
    struct timespec second = { .tv_sec = 1 };

    new_semaphores(1);
    CHECK(semtimedop(id, &take, 1, &second) == -1 && errno == EAGAIN && took(before, 1));
    CHECK(change(1, 0) == 0 && semtimedop(id, &take, 1, &second) == 0);
    remove_semaphores();
}

static void semops_not_yet(void)
{
    pthread_t t;

    new_semaphores(1);
    CHECK(change(-1, IPC_NOWAIT) == -1 && errno == EAGAIN);
    start(&t, post_soon);
    while (change(-1, IPC_NOWAIT) != 0) {
        CHECK(errno == EAGAIN);
    }
    CHECK(pthread_join(t, NULL) == 0);
    remove_semaphores();
}

static void *remove_soon(void *x)
{
    sleep(1);
    remove_semaphores();
    return x;
}

static void semops_removed(void)
{
    pthread_t t;

    new_semaphores(1);
    start(&t, remove_soon);
    CHECK(change(-1, 0) == -1 && errno == EIDRM && pthread_join(t, NULL) == 0);
}

static void handle(int flags)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

/* signal(7): "never restarted after being interrupted by a signal handler, regardless of
 * SA_RESTART". */
static void semops_interrupted(void)
{
    pthread_t t = disturbed();

    handle(SA_RESTART);
    new_semaphores(1);
    CHECK(change(-1, 0) == -1 && errno == EINTR && flag == 1 && pthread_join(t, NULL) == 0);
    remove_semaphores();
}

/* Another process ends the wait. */
static void semops_of_child(void)
{
    pid_t pid;

    new_semaphores(1);
    if ((pid = fork()) == 0) {
        usleep(50000);
        _exit(change(1, 0) == 0 ? 0 : 1);
    }
    CHECK(change(-1, 0) == 0 && waitpid(pid, NULL, 0) == pid);
    remove_semaphores();
}

/* --- messages --------------------------------------------------------------------------------- */

struct message {
    long type;
    char text[8];
};

static void new_queue(void)
{
    CHECK((id = msgget(IPC_PRIVATE, 0600)) >= 0);
}

static int send_one(long type)
{
    struct message m = { type, "a" };

    return msgsnd(id, &m, sizeof(m.text), 0);
}

static void *send_both_soon(void *x)
{
    sleep(1);
    CHECK(send_one(1) == 0);
    sleep(1);
    CHECK(send_one(2) == 0);
    return x;
}

/* By type: the first message does not end the wait for the second. */
static void messages(void)
{
    double before = now(CLOCK_MONOTONIC);
    struct message m;
    pthread_t t;

    new_queue();
    CHECK(msgrcv(id, &m, sizeof(m.text), 0, IPC_NOWAIT) == -1 && errno == ENOMSG);
    start(&t, send_both_soon);
    CHECK(msgrcv(id, &m, sizeof(m.text), 2, 0) == 8 && m.type == 2 && took(before, 2));
    CHECK(msgrcv(id, &m, sizeof(m.text), 0, 0) == 8 && m.type == 1);
    CHECK(pthread_join(t, NULL) == 0 && msgctl(id, IPC_RMID, NULL) == 0);
}

static void *receive_one_soon(void *x)
{
    struct message m;

    sleep(1);
    CHECK(msgrcv(id, &m, sizeof(m.text), 0, 0) == 8);
    return x;
}

static void messages_full(void)
{
    struct message m = { 1, "a" };
    double before;
    pthread_t t;

    new_queue();
    while (msgsnd(id, &m, sizeof(m.text), IPC_NOWAIT) == 0) {
    }
    CHECK(errno == EAGAIN);
    before = now(CLOCK_MONOTONIC);
    start(&t, receive_one_soon);
    CHECK(send_one(1) == 0 && took(before, 1));
    CHECK(pthread_join(t, NULL) == 0 && msgctl(id, IPC_RMID, NULL) == 0);
}

static void *receive_for_ever(void *x)
{
    struct message m;

    msgrcv(id, &m, sizeof(m.text), 0, 0);
    return x;
}

/* pthreads(7): msgrcv() is a cancellation point. */
static void messages_cancelled(void)
{
    void *result;
    pthread_t t;

    new_queue();
    start(&t, receive_for_ever);
    sleep(1);
    CHECK(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(msgctl(id, IPC_RMID, NULL) == 0);
}

/* --- locks of files --------------------------------------------------------------------------- */

static char file_name[] = "/tmp/vtegra-calls-XXXXXX";

static void *unlock_soon(void *x)
{
    sleep(4);
    CHECK(flock(fds[1], LOCK_UN) == 0);
    return x;
}

/* flock(2): EINTR "while waiting to acquire a lock"; signal(7): not with SA_RESTART. The signal
 * comes after two seconds, the lock is free after four. */
static void flock_disturbed(int flags)
{
    pthread_t holder, t = disturbed();

    handle(flags);
    CHECK((fds[0] = mkstemp(file_name)) >= 0 && (fds[1] = open(file_name, O_RDWR)) >= 0);
    CHECK(unlink(file_name) == 0 && flock(fds[1], LOCK_EX) == 0);
    CHECK(flock(fds[0], LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
    start(&holder, unlock_soon);
    if (flags & SA_RESTART) {
        CHECK(flock(fds[0], LOCK_EX) == 0);
    } else {
        CHECK(flock(fds[0], LOCK_EX) == -1 && errno == EINTR);
    }
    CHECK(flag == 1 && pthread_join(t, NULL) == 0 && pthread_join(holder, NULL) == 0);
}

static void flock_interrupted(void)
{
    flock_disturbed(0);
}

static void flock_restarted(void)
{
    flock_disturbed(SA_RESTART);
}

/* A lock of lockf() is a process's. */
static void lockf_of_child(void)
{
    int ready[2];
    char byte;
    pid_t pid;

    CHECK((fds[0] = mkstemp(file_name)) >= 0 && unlink(file_name) == 0 && pipe(ready) == 0);
    if ((pid = fork()) == 0) {
        CHECK(lockf(fds[0], F_LOCK, 0) == 0 && write(ready[1], "x", 1) == 1);
        usleep(50000);
        _exit(0);
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    CHECK(lockf(fds[0], F_TLOCK, 0) == -1 && (errno == EAGAIN || errno == EACCES));
    CHECK(lockf(fds[0], F_LOCK, 0) == 0 && waitpid(pid, NULL, 0) == pid);
    CHECK(lockf(fds[0], F_ULOCK, 0) == 0);
}

const struct way ipc_ways[] = {
    { "semops", semops },
    { "semops_of_two", semops_of_two },
    { "semops_in_time", semops_in_time },
    { "semops_not_yet", semops_not_yet },
    { "semops_removed", semops_removed },
    { "semops_interrupted", semops_interrupted },
    { "semops_of_child", semops_of_child },
    { "messages", messages },
    { "messages_full", messages_full },
    { "messages_cancelled", messages_cancelled },
    { "flock_interrupted", flock_interrupted },
    { "flock_restarted", flock_restarted },
    { "lockf_of_child", lockf_of_child },
    { NULL },
};
