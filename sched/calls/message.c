/* SPDX-License-Identifier: MIT */
/* POSIX message queues, eventfds by their functions, the end of a descriptor. */
#include "sched/calls/device.h"
#include "sched/calls/front.h"
#include "sched/object/handover.h"

#include <mqueue.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* One object for the checker: which queue it is cannot be asked for all of them. */
static const char messages;

/* --- message queues --------------------------------------------------------------------------- */

struct queue_wait {
    struct pollfd one;
};

static bool queue_ready(void *opaque)
{
    struct queue_wait *w = opaque;
    int error = errno;
    int n = REAL(poll)(&w->one, 1, 0);

    errno = error;
    return n != 0;
}

static bool queue_blocks(mqd_t q)
{
    struct mq_attr attr;

    return mq_getattr(q, &attr) == 0 && !(attr.mq_flags & O_NONBLOCK);
}

/* Return: false: the time is over. */
static bool queue_wait(struct thread *self, mqd_t q, short events, const struct timespec *at,
                       uintptr_t pc)
{
    struct queue_wait w = { .one = { .fd = q, .events = events } };

    front_point(self, pc);
    return !queue_blocks(q) || queue_ready(&w) ||
           turn_block(self, &(struct turn_wait){ .kind = WAIT_FD,
                                                 .until_ns = front_until(CLOCK_REALTIME, at),
                                                 .ready = queue_ready,
                                                 .arg = &w,
                                                 .fds = &w.one,
                                                 .nfds = 1,
                                                 .pc = pc });
}

static int queue_send(mqd_t q, const char *text, size_t n, unsigned priority,
                      const struct timespec *at, uintptr_t pc)
{
    struct thread *self = turn_thread();
    int r;

    front_release(&messages, pc);
    if (self && !queue_wait(self, q, POLLOUT, at, pc)) {
        errno = ETIMEDOUT;
        return -1;
    }
    r = at ? REAL(mq_timedsend)(q, text, n, priority, at) : REAL(mq_send)(q, text, n, priority);
    if (self && r == 0) {
        turn_progress(self);
    }
    return r;
}

static ssize_t queue_read(mqd_t q, char *text, size_t n, unsigned *priority,
                          const struct timespec *at)
{
    return at ? REAL(mq_timedreceive)(q, text, n, priority, at)
              : REAL(mq_receive)(q, text, n, priority);
}

static ssize_t queue_receive(mqd_t q, char *text, size_t n, unsigned *priority,
                             const struct timespec *at, uintptr_t pc)
{
    struct thread *self = turn_thread();
    ssize_t r;

    if (self && !queue_wait(self, q, POLLIN, at, pc)) {
        errno = ETIMEDOUT;
        return -1;
    }
    if (self) {
        r = queue_read(q, text, n, priority, at);
    } else {
        r = FREE_WAIT(WAIT_FD, pc, queue_read(q, text, n, priority, at));
    }
    if (r >= 0) {
        front_acquire(&messages, pc);
    } else if (errno == EAGAIN) {
        front_loop(self, pc);
        errno = EAGAIN;
    }
    return r;
}

SCHED_EXPORT int mq_send(mqd_t q, const char *text, size_t n, unsigned priority)
{
    return queue_send(q, text, n, priority, NULL, TURN_CALLER);
}

SCHED_EXPORT int mq_timedsend(mqd_t q, const char *text, size_t n, unsigned priority,
                              const struct timespec *at)
{
    return queue_send(q, text, n, priority, at, TURN_CALLER);
}

SCHED_EXPORT ssize_t mq_receive(mqd_t q, char *text, size_t n, unsigned *priority)
{
    return queue_receive(q, text, n, priority, NULL, TURN_CALLER);
}

SCHED_EXPORT ssize_t mq_timedreceive(mqd_t q, char *restrict text, size_t n,
                                     unsigned *restrict priority,
                                     const struct timespec *restrict at)
{
    return queue_receive(q, text, n, priority, at, TURN_CALLER);
}

/* --- eventfds --------------------------------------------------------------------------------- */

SCHED_EXPORT int eventfd_write(int fd, eventfd_t value)
{
    return front_write(fd, &value, sizeof(value), TURN_CALLER) == sizeof(value) ? 0 : -1;
}

SCHED_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    return front_read(fd, value, sizeof(*value), TURN_CALLER) == sizeof(*value) ? 0 : -1;
}

/* --- the end of a descriptor, which the other end reads --------------------------------------- */

SCHED_EXPORT int close(int fd)
{
    int r;

    handover_give(fd, TURN_CALLER);
    r = REAL(close)(fd);
    device_closed(fd);
    return r;
}

SCHED_EXPORT int shutdown(int fd, int how)
{
    handover_give(fd, TURN_CALLER);
    return REAL(shutdown)(fd, how);
}
