/* SPDX-License-Identifier: MIT */
/* Calls that move bytes through a descriptor: read, write, send, recv and their kind, accept,
 * connect.
 */
#include "sched/calls/descriptor.h"
#include "sched/calls/front.h"
#include "sched/calls/range.h"
#include "sched/object/handover.h"
#include "sched/processes/round.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Where threads run freely: a descriptor that does not block is asked in a loop. */
static void read_free_end(bool in_vain, uintptr_t pc)
{
    if (in_vain && errno == EAGAIN) {
        free_loop(FREE_LOOK, pc);
        errno = EAGAIN;
    }
}

/* @call reads from @fd, at @pc. */
#define READ(fd, pc, call)                              \
    (__extension__({                                    \
        __typeof__(call) read_result;                   \
                                                        \
        if (!turn_thread()) {                           \
            read_result = FREE_WAIT(WAIT_FD, pc, call); \
            read_free_end(read_result < 0, pc);         \
        } else {                                        \
            if (!descriptor_is_nonblocking(fd)) {       \
                descriptor_wait(fd, POLLIN, pc);        \
            }                                           \
            read_result = (call);                       \
        }                                               \
        if (read_result >= 0) {                         \
            handover_take(fd, pc);                      \
        }                                               \
        read_result;                                    \
    }))
#define READS(type, name, params, args)            \
    SCHED_EXPORT type name params                  \
    {                                              \
        uintptr_t pc = front_program(TURN_CALLER); \
                                                   \
        return READ(fd, pc, REAL(name) args);      \
    }
/* The same into @n bytes at @buf, which the kernel stores to at another mapping where the board has
 * closed them (range.h). */
#define READS_TO(type, name, params, args)         \
    SCHED_EXPORT type name params                  \
    {                                              \
        uintptr_t pc = front_program(TURN_CALLER); \
        void *given = buf;                         \
        type result;                               \
                                                   \
        buf = range_mapped(given, n);              \
        result = READ(fd, pc, REAL(name) args);    \
        range_came(given, buf, result, n, pc);     \
        return result;                             \
    }

ssize_t front_read(int fd, void *buf, size_t n, uintptr_t pc)
{
    void *there = range_mapped(buf, n);
    ssize_t result = READ(fd, pc, REAL(read)(fd, there, n));

    range_came(buf, there, result, n, pc);
    return result;
}

SCHED_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    return front_read(fd, buf, n, front_program(TURN_CALLER));
}

SCHED_EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
    uintptr_t pc = front_program(TURN_CALLER);
    struct range_vector r;
    ssize_t result;

    range_vector_begin(&r, v, (size_t)n, true, pc);
    result = READ(fd, pc, REAL(readv)(fd, r.there, n));
    range_vector_end(&r, result, pc);
    return result;
}

READS_TO(ssize_t, recv, (int fd, void *buf, size_t n, int flags), (fd, buf, n, flags))
READS_TO(ssize_t, recvfrom,
         (int fd, void *restrict buf, size_t n, int flags, struct sockaddr *restrict from,
          socklen_t *restrict len),
         (fd, buf, n, flags, from, len))
static ssize_t message_take(int fd, struct msghdr *m, int flags, uintptr_t pc)
{
    struct iovec *given = m->msg_iov;
    struct range_vector r;
    ssize_t result;

    range_vector_begin(&r, given, m->msg_iovlen, true, pc);
    m->msg_iov = (struct iovec *)r.there;
    result = REAL(recvmsg)(fd, m, flags);
    m->msg_iov = given;
    range_vector_end(&r, result, pc);
    return result;
}

/* The board's answers come so. */
SCHED_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    uintptr_t pc = front_program(TURN_CALLER);
    bool served = round_on && front_is_ours(pc);
    ssize_t n;

    if (served) {
        round_served(true);
    }
    n = READ(fd, pc, message_take(fd, m, flags, pc));
    if (served) {
        round_served(false);
    }
    return n;
}

READS(int, accept, (int fd, struct sockaddr *restrict a, socklen_t *restrict len), (fd, a, len))
SCHED_EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags,
                          struct timespec *timeout)
{
    uintptr_t pc = front_program(TURN_CALLER);
    int result;

    range_opened(true);
    result = READ(fd, pc, REAL(recvmmsg)(fd, m, n, flags, timeout));
    range_opened(false);
    return result;
}
READS(int, accept4, (int fd, struct sockaddr *restrict a, socklen_t *restrict len, int flags),
      (fd, a, len, flags))

/* As _FORTIFY_SOURCE calls them: the C library ends the program where @room is too small. */
extern ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
extern ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
extern ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t n, size_t room, int flags,
                              struct sockaddr *restrict from, socklen_t *restrict len);
READS_TO(ssize_t, __read_chk, (int fd, void *buf, size_t n, size_t room), (fd, buf, n, room))
READS_TO(ssize_t, __recv_chk, (int fd, void *buf, size_t n, size_t room, int flags),
         (fd, buf, n, room, flags))
READS_TO(ssize_t, __recvfrom_chk,
         (int fd, void *restrict buf, size_t n, size_t room, int flags,
          struct sockaddr *restrict from, socklen_t *restrict len),
         (fd, buf, n, room, flags, from, len))

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

SCHED_EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
    struct range_vector r;
    ssize_t result;

    range_vector_begin(&r, v, (size_t)n, false, TURN_CALLER);
    handover_give(fd, TURN_CALLER);
    if (turn_thread() && !descriptor_is_nonblocking(fd)) {
        descriptor_wait(fd, POLLOUT, TURN_CALLER);
    }
    result = REAL(writev)(fd, r.there, n);
    range_vector_end(&r, result, TURN_CALLER);
    return result;
}

SCHED_EXPORT ssize_t sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *to,
                            socklen_t len)
{
    buf = range_out(buf, n, TURN_CALLER);
    handover_give(fd, TURN_CALLER);
    if (turn_thread() && !descriptor_is_nonblocking(fd)) {
        descriptor_wait(fd, POLLOUT, TURN_CALLER);
    }
    return REAL(sendto)(fd, buf, n, flags, to, len);
}

SCHED_EXPORT int sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
    int result;

    handover_give(fd, TURN_CALLER);
    if (turn_thread() && !descriptor_is_nonblocking(fd)) {
        descriptor_wait(fd, POLLOUT, TURN_CALLER);
    }
    range_opened(true);
    result = REAL(sendmmsg)(fd, m, n, flags);
    range_opened(false);
    return result;
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
