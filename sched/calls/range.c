/* SPDX-License-Identifier: MIT */
/* Calls that move bytes between memory of the program and a place in a file, or a stream of
 * <stdio.h>; those of other descriptors are in read_write.c. */
#include "sched/calls/range.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/calls/front.h"

#undef fread_unlocked
#undef fwrite_unlocked

const struct iovec *range_vector(const struct iovec *v, size_t n, struct iovec *mapped)
{
    bool any = false;

    if (n > RANGE_VECTOR || !turn_board || !turn_board->mapped) {
        return v;
    }
    for (size_t i = 0; i < n; i++) {
        mapped[i] = (struct iovec){ range_mapped(v[i].iov_base, v[i].iov_len), v[i].iov_len };
        any |= mapped[i].iov_base != v[i].iov_base;
    }
    return any ? mapped : v;
}

const struct iovec *range_vector_out(const struct iovec *v, size_t n, struct iovec *mapped,
                                     uintptr_t pc)
{
    const struct iovec *there = range_vector(v, n, mapped);

    for (size_t i = 0; there != v && i < n; i++) {
        if (there[i].iov_base != v[i].iov_base) {
            turn_board->touched(v[i].iov_base, v[i].iov_len, false, pc);
        }
    }
    return there;
}

void range_vector_came(const struct iovec *v, const struct iovec *there, size_t n, ssize_t result,
                       uintptr_t pc)
{
    for (size_t i = 0; there != v && i < n && result > 0; i++) {
        range_came(v[i].iov_base, there[i].iov_base, result, v[i].iov_len, pc);
        result -= (ssize_t)v[i].iov_len;
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

#define VECTOR_IN(name, off)                                                \
    SCHED_EXPORT ssize_t name(int fd, const struct iovec *v, int n, off at) \
    {                                                                       \
        struct iovec mapped[RANGE_VECTOR];                                  \
        const struct iovec *there = range_vector(v, (size_t)n, mapped);     \
        ssize_t result = REAL(name)(fd, there, n, at);                      \
                                                                            \
        range_vector_came(v, there, (size_t)n, result, TURN_CALLER);        \
        return result;                                                      \
    }
#define VECTOR_OUT(name, off)                                                              \
    SCHED_EXPORT ssize_t name(int fd, const struct iovec *v, int n, off at)                \
    {                                                                                      \
        struct iovec mapped[RANGE_VECTOR];                                                 \
                                                                                           \
        return REAL(name)(fd, range_vector_out(v, (size_t)n, mapped, TURN_CALLER), n, at); \
    }

VECTOR_IN(preadv, off_t)
VECTOR_IN(preadv64, off64_t)
VECTOR_OUT(pwritev, off_t)
VECTOR_OUT(pwritev64, off64_t)

/* Memory that the call reaches by what it is given: user pointers of a camera, for one. */
SCHED_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    void *what;
    int result;

    va_start(args, request);
    what = va_arg(args, void *);
    va_end(args);
    range_opened(true);
    result = REAL(ioctl)(fd, request, what);
    range_opened(false);
    return result;
}

/* What of the program's own system calls is data, at @a[1]. */
static bool is_data(long number, bool *in)
{
    *in = number == SYS_read || number == SYS_pread64 || number == SYS_recvfrom;
    return *in || number == SYS_write || number == SYS_pwrite64 || number == SYS_sendto;
}

long range_syscall(long number, const long a[6], uintptr_t pc)
{
    void *at = (void *)a[1], *there = at;
    size_t len = (size_t)a[2];
    bool in = false, data = is_data(number, &in);
    long result;

    if (data) {
        there = in ? range_mapped(at, len) : (void *)range_out(at, len, pc);
    }
    result = REAL(syscall)(number, a[0], there, a[2], a[3], a[4], a[5]);
    if (data && in) {
        range_came(at, there, result, len, pc);
    }
    return result;
}
