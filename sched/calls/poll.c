/* SPDX-License-Identifier: MIT */
/* Waits for several descriptors: poll, select, epoll. */
#include "sched/calls/descriptor.h"
#include "sched/calls/device.h"
#include "sched/calls/front.h"
#include "sched/object/handover.h"
#include "sched/turn/outside.h"

#include <sys/epoll.h>
#include <sys/select.h>

/* @n: ready now. A handler that ran meanwhile is reported only when nothing is. */
static int poll_end(struct thread *self, int n, uintptr_t pc)
{
    handover_seen(n, pc);
    if (n == 0 && self->outcome == WAIT_INTERRUPTED) {
        self->outcome = WAIT_ENDED;
        errno = EINTR;
        return -1;
    }
    return n;
}

/* Where threads run freely: @r is ready of what a loop asks for, at once or after a time. */
static int poll_free_end(int r, bool sleeps, uintptr_t pc)
{
    handover_seen(r, pc);
    if (r == 0) {
        free_loop(sleeps ? FREE_SLEEP : FREE_LOOK, pc);
    }
    return r;
}

static uint64_t poll_until_ns(int timeout)
{
    return timeout < 0 ? TURN_FOREVER : turn_now_ns() + (uint64_t)timeout * 1000000;
}

static int64_t poll_timeout_us(const struct timespec *t)
{
    return t ? (int64_t)t->tv_sec * 1000000 + t->tv_nsec / 1000 : -1;
}

SCHED_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    struct thread *self = turn_thread();
    int r;

    if (device_any(fds, n)) {
        return device_poll(fds, n, timeout < 0 ? -1 : (int64_t)timeout * 1000);
    }
    if (!self) {
        r = poll_free_end(FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(poll)(fds, n, timeout)), timeout > 0,
                          TURN_CALLER);
        front_polled(TURN_CALLER);
        return r;
    }
    if (timeout == 0) {
        for (nfds_t i = 0; i < n; i++) {
            outside_asked(fds[i].fd);
        }
        turn_yield(self);
    } else {
        descriptors_wait(self, fds, n, poll_until_ns(timeout), TURN_CALLER, true, NULL);
    }
    r = poll_end(self, REAL(poll)(fds, n, 0), TURN_CALLER);
    front_polled(TURN_CALLER);
    return r;
}

SCHED_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                       const sigset_t *mask)
{
    static const struct timespec now;
    struct thread *self = turn_thread();
    int r;

    if (device_any(fds, n)) {
        return device_poll(fds, n, poll_timeout_us(timeout));
    }
    if (!self) {
        r = poll_free_end(FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(ppoll)(fds, n, timeout, mask)), true,
                          TURN_CALLER);
        front_polled(TURN_CALLER);
        return r;
    }
    descriptors_wait(self, fds, n, front_after(timeout), TURN_CALLER, true, mask);
    r = poll_end(self, REAL(ppoll)(fds, n, &now, mask), TURN_CALLER);
    front_polled(TURN_CALLER);
    return r;
}

/* The sets of select() as poll() has them. Return: how many. */
static nfds_t poll_fds_of_sets(int n, const fd_set *r, const fd_set *w, const fd_set *x,
                               struct pollfd *fds)
{
    nfds_t count = 0;

    for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++) {
        short events = 0;

        events |= r && FD_ISSET(fd, r) ? POLLIN : 0;
        events |= w && FD_ISSET(fd, w) ? POLLOUT : 0;
        events |= x && FD_ISSET(fd, x) ? POLLPRI : 0;
        if (events) {
            fds[count++] = (struct pollfd){ .fd = fd, .events = events };
        }
    }
    return count;
}

static int poll_set_take(fd_set *set, const struct pollfd *fds, nfds_t n, short events)
{
    int ready = 0;

    for (nfds_t i = 0; set && i < n; i++) {
        if (FD_ISSET(fds[i].fd, set) && !(fds[i].revents & events)) {
            FD_CLR(fds[i].fd, set);
        }
        ready += FD_ISSET(fds[i].fd, set) != 0;
    }
    return ready;
}

/* Where one of the descriptors is a device. Return: false: none is */
static bool poll_select_device(int n, fd_set *r, fd_set *w, fd_set *x, int64_t timeout_us,
                               int *result)
{
    struct pollfd fds[FD_SETSIZE];
    nfds_t count = poll_fds_of_sets(n, r, w, x, fds);

    if (!device_any(fds, count)) {
        return false;
    }
    *result = device_poll(fds, count, timeout_us);
    if (*result >= 0) {
        *result = poll_set_take(r, fds, count, POLLIN | POLLHUP | POLLERR) +
                  poll_set_take(w, fds, count, POLLOUT | POLLERR) +
                  poll_set_take(x, fds, count, POLLPRI);
    }
    return true;
}

static void poll_select_wait(struct thread *self, int n, const fd_set *r, const fd_set *w,
                             const fd_set *x, uint64_t until_ns, uintptr_t pc, const sigset_t *mask)
{
    struct pollfd fds[FD_SETSIZE];
    nfds_t count = poll_fds_of_sets(n, r, w, x, fds);

    descriptors_wait(self, fds, count, until_ns, pc, true, mask);
}

SCHED_EXPORT int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
                        struct timeval *restrict timeout)
{
    struct thread *self = turn_thread();
    struct timeval now = { 0, 0 };
    struct timespec t;
    int done;

    if (poll_select_device(n, r, w, x,
                           timeout ? (int64_t)timeout->tv_sec * 1000000 + timeout->tv_usec : -1,
                           &done)) {
        return done;
    }
    if (!self) {
        return poll_free_end(FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(select)(n, r, w, x, timeout)),
                             true, TURN_CALLER);
    }
    if (timeout) {
        t = (struct timespec){ timeout->tv_sec, timeout->tv_usec * 1000 };
    }
    poll_select_wait(self, n, r, w, x, front_after(timeout ? &t : NULL), TURN_CALLER, NULL);
    return poll_end(self, REAL(select)(n, r, w, x, &now), TURN_CALLER);
}

SCHED_EXPORT int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
                         const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    static const struct timespec now;
    struct thread *self = turn_thread();
    int done;

    if (poll_select_device(n, r, w, x, poll_timeout_us(timeout), &done)) {
        return done;
    }
    if (!self) {
        return poll_free_end(
            FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(pselect)(n, r, w, x, timeout, mask)), true,
            TURN_CALLER);
    }
    poll_select_wait(self, n, r, w, x, front_after(timeout), TURN_CALLER, mask);
    return poll_end(self, REAL(pselect)(n, r, w, x, &now, mask), TURN_CALLER);
}

static void poll_epoll_await(struct thread *self, int fd, int timeout, uintptr_t pc,
                             const sigset_t *mask)
{
    struct pollfd one = { .fd = fd, .events = POLLIN };

    if (timeout == 0) {
        outside_asked(fd);
        turn_yield(self);
    } else {
        descriptors_wait(self, &one, 1, poll_until_ns(timeout), pc, true, mask);
    }
}

SCHED_EXPORT int epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
    int result;

    return device_epoll_ctl(epoll, op, fd, event, &result) ? result
                                                           : REAL(epoll_ctl)(epoll, op, fd, event);
}

SCHED_EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
    struct thread *self = turn_thread();

    if (device_epoll_any(fd)) {
        return device_epoll_wait(fd, events, n, timeout < 0 ? -1 : (int64_t)timeout * 1000);
    }

    if (!self) {
        return poll_free_end(
            FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(epoll_wait)(fd, events, n, timeout)), timeout > 0,
            TURN_CALLER);
    }
    poll_epoll_await(self, fd, timeout, TURN_CALLER, NULL);
    return poll_end(self, REAL(epoll_wait)(fd, events, n, 0), TURN_CALLER);
}

SCHED_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
                             const sigset_t *mask)
{
    static const struct timespec now;
    struct thread *self = turn_thread();
    int r;

    if (device_epoll_any(fd)) {
        return device_epoll_wait(fd, events, n, timeout < 0 ? -1 : (int64_t)timeout * 1000);
    }
    if (!self) {
        return poll_free_end(
            FREE_WAIT(WAIT_FD, TURN_CALLER, REAL(epoll_pwait)(fd, events, n, timeout, mask)),
            timeout > 0, TURN_CALLER);
    }
    poll_epoll_await(self, fd, timeout, TURN_CALLER, mask);
    r = REAL(epoll_pwait)(fd, events, n, 0, mask); /* with 0 it lets no signal in */
    if (r == 0 && mask && REAL(ppoll)(NULL, 0, &now, mask) < 0) {
        return -1;
    }
    return poll_end(self, r, TURN_CALLER);
}
