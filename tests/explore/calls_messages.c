/* SPDX-License-Identifier: MIT */
/* The ways of calls.c that send and receive: queues, descriptors, locks of files. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

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

static void not_yet(void)
{
    char byte;

    CHECK(pipe2(fds, O_NONBLOCK) == 0);
    CHECK(read(fds[0], &byte, 1) == -1 && errno == EAGAIN);
    CHECK(write(fds[1], "x", 1) == 1 && read(fds[0], &byte, 1) == 1);
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

const struct way message_ways[] = {
    { "queues", queues_wait },
    { "queues_in_time", queues_in_time },
    { "events", events },
    { "sends", sends },
    { "not_yet", not_yet },
    { "full", full },
    { "connects", connects },
    { "file_locks", file_locks },
    { NULL },
};
