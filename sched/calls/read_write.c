/* SPDX-License-Identifier: MIT */
/* Calls that write through a descriptor and take more than a row of calls.def, and connect. */
#include "sched/calls/descriptor.h"
#include "sched/calls/front.h"
#include "sched/calls/range.h"
#include "sched/object/handover.h"
#include "sched/processes/round.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* As much as goes now, to a pipe or a socket. poll(2) is no help: it says that a socket whose queue
 * is a quarter full cannot be written, and that a pipe with one free page can. */
static ssize_t write_now(int fd, bool is_socket, const void *buf, size_t n, int flags)
{
    const struct iovec v = { (void *)buf, n };

    return is_socket ? REAL(send)(fd, buf, n, flags | MSG_DONTWAIT)
                     : REAL(pwritev2)(fd, &v, 1, -1, RWF_NOWAIT);
}

/* The whole of it, as a blocking descriptor takes it: others go on where it is full. Return: what
 * write(2) would; -2: it is none of those, or the kernel has no such call. */
static ssize_t write_whole(int fd, const void *buf, size_t n, int flags, uintptr_t pc)
{
    struct thread *self = turn_thread();
    struct pollfd one = { .fd = fd, .events = POLLOUT };
    size_t done = 0;
    struct stat st;

    if (front_is_ours(pc) || fstat(fd, &st) != 0 ||
        (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))) {
        return -2;
    }
    front_point(self, pc);
    while (done < n) {
        ssize_t r = write_now(fd, S_ISSOCK(st.st_mode), (const char *)buf + done, n - done, flags);

        if (r > 0) {
            done += (size_t)r;
            turn_progress(self);
        } else if (r < 0 && errno == EAGAIN) {
            descriptors_wait(self, &one, 1, TURN_FOREVER, pc, false, NULL);
        } else if (r < 0 && errno == EOPNOTSUPP) {
            return -2;
        } else {
            return done ? (ssize_t)done : r;
        }
    }
    return (ssize_t)done;
}

ssize_t front_write(int fd, const void *buf, size_t n, uintptr_t pc)
{
    buf = range_out(buf, n, pc);
    handover_give(fd, pc);
    if (turn_thread() && n && !descriptor_is_nonblocking(fd)) {
        ssize_t r = write_whole(fd, buf, n, 0, pc);

        if (r != -2) {
            return r;
        }
        descriptor_wait(fd, POLLOUT, pc);
    }
    return REAL(write)(fd, buf, n);
}

SCHED_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
    return front_write(fd, buf, n, TURN_CALLER);
}

SCHED_EXPORT ssize_t send(int fd, const void *buf, size_t n, int flags)
{
    buf = range_out(buf, n, TURN_CALLER);
    handover_give(fd, TURN_CALLER);
    if (turn_thread() && n && !(flags & MSG_DONTWAIT) && !descriptor_is_nonblocking(fd)) {
        ssize_t r = write_whole(fd, buf, n, flags, TURN_CALLER);

        if (r != -2) {
            return r;
        }
        descriptor_wait(fd, POLLOUT, TURN_CALLER);
    }
    return REAL(send)(fd, buf, n, flags);
}

SCHED_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    struct range_vector r;
    struct msghdr mine = *m;
    ssize_t result;

    range_vector_begin(&r, m->msg_iov, m->msg_iovlen, false, TURN_CALLER);
    mine.msg_iov = (struct iovec *)r.there;
    handover_give(fd, TURN_CALLER);
    if (turn_thread() && !descriptor_is_nonblocking(fd)) {
        descriptor_wait(fd, POLLOUT, TURN_CALLER);
    }
    result = REAL(sendmsg)(fd, &mine, flags);
    range_vector_end(&r, result, TURN_CALLER);
    return result;
}

/* That of a local socket does not wait, but where its queue of calls is full. */
static int connect_block(int fd, const struct sockaddr *a, socklen_t len)
{
    struct thread *self = turn_thread();

    if (self && round_on && a && a->sa_family == AF_UNIX) {
        return REAL(connect)(fd, a, len);
    }
    return self ? FRONT_OUTSIDE(self, REAL(connect)(fd, a, len)) : REAL(connect)(fd, a, len);
}

SCHED_EXPORT int connect(int fd, const struct sockaddr *a, socklen_t len)
{
    handover_give(fd, TURN_CALLER);
    return connect_block(fd, a, len);
}
