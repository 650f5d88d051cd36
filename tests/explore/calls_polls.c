/* SPDX-License-Identifier: MIT */
/* The ways of calls.c that ask descriptors, or wait for them: poll, select, epoll. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

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

const struct way poll_ways[] = {
    { "polls", polls },
    { "epolls", epolls },
    { "asks_poll", .run_as = asks_again },
    { "asks_read", .run_as = asks_again },
    { "interrupted_polls", interrupted_polls },
    { "selects", selects },
    { NULL },
};
