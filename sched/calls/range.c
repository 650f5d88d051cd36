/* SPDX-License-Identifier: MIT */
/* Memory that a call is given, at the mapping that stays open; calls that give several pieces at
 * once, or that reach some by what they are given. */
#include "sched/calls/range.h"
#include "sched/calls/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sched/calls/front.h"

bool range_closing;

/* The vector itself may be closed, or not be memory at all: the kernel says so, not a fault. */
static bool vector_fetch(struct iovec *to, const struct iovec *v, size_t n)
{
    struct iovec local = { to, n * sizeof(*v) }, remote = { (void *)v, n * sizeof(*v) };

    return REAL(process_vm_readv)(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)local.iov_len;
}

void range_vector_begin(struct range_vector *r, const struct iovec *v, size_t n, bool in,
                        uintptr_t pc)
{
    struct iovec *mapped = r->mapped;

    r->given = r->there = v;
    r->n = n;
    r->in = in;
    r->opened = false;
    if (!range_closing || !n) {
        return;
    }
    if (n > RANGE_VECTOR || !vector_fetch(mapped, v, n)) {
        r->opened = true;
        range_opened(true);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        void *there = range_mapped(mapped[i].iov_base, mapped[i].iov_len);

        if (there != mapped[i].iov_base) {
            const struct sched_board *board = turn_board;

            if (!in && board) {
                board->touched(mapped[i].iov_base, mapped[i].iov_len, false, pc);
            }
            mapped[i].iov_base = there;
            r->there = mapped;
        }
    }
}

void range_vector_end(struct range_vector *r, ssize_t result, uintptr_t pc)
{
    if (r->opened) {
        int error = errno;

        range_opened(false);
        errno = error;
    }
    for (size_t i = 0; r->in && r->there != r->given && i < r->n && result > 0; i++) {
        range_came(r->given[i].iov_base, r->there[i].iov_base, result, r->there[i].iov_len, pc);
        result -= (ssize_t)r->there[i].iov_len;
    }
}

void range_protected(const void *at, size_t len, int protection, uintptr_t pc)
{
    const struct sched_board *board = turn_board;

    if (range_closing && board && board->own && !front_is_ours(pc)) {
        board->own(at, len, protection);
    }
}

SCHED_EXPORT int mprotect(void *at, size_t len, int protection)
{
    int result = REAL(mprotect)(at, len, protection);

    if (result == 0) {
        range_protected(at, len, protection, (uintptr_t)__builtin_return_address(0));
    }
    return result;
}

/* The pipe has the pages, whichever mapping they were given by. From one end of it the call reads,
 * to the other it stores. */
static bool is_reading_end(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

SCHED_EXPORT ssize_t vmsplice(int fd, const struct iovec *v, size_t n, unsigned flags)
{
    struct range_vector r;
    ssize_t result;

    range_vector_begin(&r, v, n, range_closing && is_reading_end(fd), TURN_CALLER);
    result = REAL(vmsplice)(fd, r.there, n, flags);
    range_vector_end(&r, result, TURN_CALLER);
    return result;
}

/* Both sides may be ours. */
#define PROCESS_VM(name, in)                                                               \
    SCHED_EXPORT ssize_t name(pid_t pid, const struct iovec *v, unsigned long n,           \
                              const struct iovec *w, unsigned long m, unsigned long flags) \
    {                                                                                      \
        struct range_vector own, other;                                                    \
        ssize_t result;                                                                    \
                                                                                           \
        range_vector_begin(&own, v, n, (in), TURN_CALLER);                                 \
        range_vector_begin(&other, w, pid == getpid() ? m : 0, !(in), TURN_CALLER);        \
        result = REAL(name)(pid, own.there, n, other.there, m, flags);                     \
        range_vector_end(&own, result, TURN_CALLER);                                       \
        range_vector_end(&other, result, TURN_CALLER);                                     \
        return result;                                                                     \
    }
PROCESS_VM(process_vm_readv, true)
PROCESS_VM(process_vm_writev, false)

/* Memory that the call reaches by what it is given: user pointers of a camera, for one. */
SCHED_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    void *what;
    int result;

    va_start(args, request);
    what = va_arg(args, void *);
    va_end(args);
    if (device_ioctl(fd, request, what, &result)) {
        return result;
    }
    range_opened(true);
    result = REAL(ioctl)(fd, request, what);
    range_opened(false);
    return result;
}
