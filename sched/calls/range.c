/* SPDX-License-Identifier: MIT */
/* Calls that move bytes between memory of the program and a place in a file, or a stream of
 * <stdio.h>; those of other descriptors are in read_write.c. */
#include "sched/calls/range.h"
#include "sched/calls/device.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "sched/calls/front.h"

#undef fread_unlocked
#undef fwrite_unlocked

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
            if (!in) {
                turn_board->touched(mapped[i].iov_base, mapped[i].iov_len, false, pc);
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

/* @n: bytes at @buf. */
#define RANGE_IN(type, name, params, args, n, unit)                               \
    SCHED_EXPORT type name params                                                 \
    {                                                                             \
        void *given = buf;                                                        \
        type result;                                                              \
                                                                                  \
        buf = range_mapped(given, n);                                             \
        result = REAL(name) args;                                                 \
        range_came(given, buf, (ssize_t)result *(ssize_t)(unit), n, TURN_CALLER); \
        return result;                                                            \
    }
#define RANGE_OUT(type, name, params, args, n) \
    SCHED_EXPORT type name params              \
    {                                          \
        buf = range_out(buf, n, TURN_CALLER);  \
        return REAL(name) args;                \
    }

RANGE_IN(ssize_t, pread, (int fd, void *buf, size_t n, off_t at), (fd, buf, n, at), n, 1)
RANGE_IN(ssize_t, pread64, (int fd, void *buf, size_t n, off64_t at), (fd, buf, n, at), n, 1)
RANGE_OUT(ssize_t, pwrite, (int fd, const void *buf, size_t n, off_t at), (fd, buf, n, at), n)
RANGE_OUT(ssize_t, pwrite64, (int fd, const void *buf, size_t n, off64_t at), (fd, buf, n, at), n)
RANGE_IN(size_t, fread, (void *restrict buf, size_t size, size_t n, FILE *restrict f),
         (buf, size, n, f), size *n, size)
RANGE_IN(size_t, fread_unlocked, (void *restrict buf, size_t size, size_t n, FILE *restrict f),
         (buf, size, n, f), size *n, size)
RANGE_OUT(size_t, fwrite, (const void *restrict buf, size_t size, size_t n, FILE *restrict f),
          (buf, size, n, f), size *n)
RANGE_OUT(size_t, fwrite_unlocked,
          (const void *restrict buf, size_t size, size_t n, FILE *restrict f), (buf, size, n, f),
          size *n)

/* As _FORTIFY_SOURCE calls them. */
extern ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room);
extern ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room);
extern size_t __fread_chk(void *restrict buf, size_t room, size_t size, size_t n, FILE *restrict f);
RANGE_IN(ssize_t, __pread_chk, (int fd, void *buf, size_t n, off_t at, size_t room),
         (fd, buf, n, at, room), n, 1)
RANGE_IN(ssize_t, __pread64_chk, (int fd, void *buf, size_t n, off64_t at, size_t room),
         (fd, buf, n, at, room), n, 1)
RANGE_IN(size_t, __fread_chk,
         (void *restrict buf, size_t room, size_t size, size_t n, FILE *restrict f),
         (buf, room, size, n, f), size *n, size)

/* @there stands for the vector in @args. */
#define VECTOR(name, in, params, args)                           \
    SCHED_EXPORT ssize_t name params                             \
    {                                                            \
        struct range_vector r;                                   \
        const struct iovec *there;                               \
        ssize_t result;                                          \
                                                                 \
        range_vector_begin(&r, v, (size_t)n, (in), TURN_CALLER); \
        there = r.there;                                         \
        result = REAL(name) args;                                \
        range_vector_end(&r, result, TURN_CALLER);               \
        return result;                                           \
    }
#define PLACED (int fd, const struct iovec *v, int n, off_t at)
#define PLACED64 (int fd, const struct iovec *v, int n, off64_t at)
#define FLAGGED (int fd, const struct iovec *v, int n, off_t at, int flags)
#define FLAGGED64 (int fd, const struct iovec *v, int n, off64_t at, int flags)

VECTOR(preadv, true, PLACED, (fd, there, n, at))
VECTOR(preadv64, true, PLACED64, (fd, there, n, at))
VECTOR(pwritev, false, PLACED, (fd, there, n, at))
VECTOR(pwritev64, false, PLACED64, (fd, there, n, at))
VECTOR(preadv2, true, FLAGGED, (fd, there, n, at, flags))
VECTOR(preadv64v2, true, FLAGGED64, (fd, there, n, at, flags))
VECTOR(pwritev2, false, FLAGGED, (fd, there, n, at, flags))
VECTOR(pwritev64v2, false, FLAGGED64, (fd, there, n, at, flags))

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

/* Calls that answer EFAULT before they have done anything, or ENOMEM: again with all open. */
static inline bool is_kept_out(int error)
{
    return range_closing && (error == EFAULT || error == ENOMEM);
}

#define RANGE_AGAIN(type, name, params, args)             \
    SCHED_EXPORT type name params                         \
    {                                                     \
        type result = REAL(name) args;                    \
                                                          \
        if (result == (type) - 1 && is_kept_out(errno)) { \
            range_opened(true);                           \
            result = REAL(name) args;                     \
            range_opened(false);                          \
        }                                                 \
        return result;                                    \
    }
RANGE_AGAIN(ssize_t, getrandom, (void *buf, size_t n, unsigned flags), (buf, n, flags))
RANGE_AGAIN(int, getentropy, (void *buf, size_t n), (buf, n))
RANGE_AGAIN(int, mlock, (const void *at, size_t n), (at, n))
RANGE_AGAIN(int, mlock2, (const void *at, size_t n, unsigned flags), (at, n, flags))

/* Threads of the C library do it, at any time. */
#define RANGE_UNSEEN(type, name, params, args)       \
    SCHED_EXPORT type name params                    \
    {                                                \
        range_unseen("asynchronous I/O of <aio.h>"); \
        return REAL(name) args;                      \
    }
RANGE_UNSEEN(int, aio_read, (struct aiocb * one), (one))
RANGE_UNSEEN(int, aio_write, (struct aiocb * one), (one))
RANGE_UNSEEN(int, aio_read64, (struct aiocb64 * one), (one))
RANGE_UNSEEN(int, aio_write64, (struct aiocb64 * one), (one))
RANGE_UNSEEN(int, lio_listio,
             (int mode, struct aiocb *const *restrict list, int n, struct sigevent *restrict done),
             (mode, list, n, done))
RANGE_UNSEEN(int, lio_listio64,
             (int mode, struct aiocb64 *const *restrict list, int n,
              struct sigevent *restrict done),
             (mode, list, n, done))

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
