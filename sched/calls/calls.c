/* SPDX-License-Identifier: MIT */
/* The rows of calls.def as functions, and calls that read through a descriptor and take more than a
 * row. */
#include "sched/calls/descriptor.h"
#include "sched/calls/device.h"
#include "sched/calls/front.h"
#include "sched/calls/range.h"
#include "sched/object/handover.h"
#include "sched/processes/round.h"

#include <aio.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#undef fread_unlocked
#undef fwrite_unlocked

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
ssize_t front_read(int fd, void *buf, size_t n, uintptr_t pc)
{
    void *there = range_mapped(buf, n);
    ssize_t result = READ(fd, pc, REAL(read)(fd, there, n));

    range_came(buf, there, result, n, pc);
    return result;
}

SCHED_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    ssize_t result;

    return device_read(fd, buf, n, &result) ? result
                                            : front_read(fd, buf, n, front_program(TURN_CALLER));
}

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

/* --- the table -------------------------------------------------------------------------------- */

static void calls_give(int fd, uintptr_t pc)
{
    handover_give(fd, pc);
    if (turn_thread() && !descriptor_is_nonblocking(fd)) {
        descriptor_wait(fd, POLLOUT, pc);
    }
}

#define WAIT_FILE_(call) (call)
#define WAIT_TAKES(call) READ(fd, pc, call)
#define WAIT_GIVES(call) (calls_give(fd, pc), (call))

/* Around the call: before it, and once it has answered. */
#define BEFORE_IN(buf, n, unit) \
    void *given = buf;          \
    buf = range_mapped(given, n)
#define AFTER_IN(buf, n, unit) range_came(given, buf, (ssize_t)result *(ssize_t)(unit), n, pc)
#define BEFORE_OUT(buf, n) buf = range_out(buf, n, pc)
#define AFTER_OUT(buf, n)
#define BEFORE_VECTOR(in)                           \
    struct range_vector r;                          \
    range_vector_begin(&r, v, (size_t)n, (in), pc); \
    v = r.there
#define BEFORE_VECTOR_IN BEFORE_VECTOR(true)
#define AFTER_VECTOR_IN range_vector_end(&r, result, pc)
#define BEFORE_VECTOR_OUT BEFORE_VECTOR(false)
#define AFTER_VECTOR_OUT range_vector_end(&r, result, pc)
#define BEFORE_OPENED range_opened(true)
#define AFTER_OPENED range_opened(false)
#define BEFORE_NOWHERE
#define AFTER_NOWHERE

#define CALL(type, name, waits, memory, params, args) \
    extern type name params;                          \
    SCHED_EXPORT type name params                     \
    {                                                 \
        uintptr_t pc = front_program(TURN_CALLER);    \
        type result;                                  \
                                                      \
        BEFORE_##memory;                              \
        result = WAIT_##waits(REAL(name) args);       \
        AFTER_##memory;                               \
        (void)pc;                                     \
        return result;                                \
    }

static bool calls_kept_out(int error)
{
    return range_closing && (error == EFAULT || error == ENOMEM);
}

#define AGAIN(type, name, params, args)                      \
    SCHED_EXPORT type name params                            \
    {                                                        \
        type result = REAL(name) args;                       \
                                                             \
        if (result == (type) - 1 && calls_kept_out(errno)) { \
            range_opened(true);                              \
            result = REAL(name) args;                        \
            range_opened(false);                             \
        }                                                    \
        return result;                                       \
    }

#define UNSEEN(type, name, params, args)             \
    SCHED_EXPORT type name params                    \
    {                                                \
        range_unseen("asynchronous I/O of <aio.h>"); \
        return REAL(name) args;                      \
    }

#include "sched/calls/calls.def"
