/* SPDX-License-Identifier: MIT */
/* What system calls and the C library do with memory that the program hands them: reported as if
 * the program's own loop did it, at the place of its call. The names are in libc.def.
 *
 * Only the program's own calls come here (-Wl,--wrap), never those inside other libraries. Loads
 * are reported before the call, as all accesses are. What an input call stores is known only when
 * it returns: the board finds the bytes and learns then who stored them. With private memory a
 * wrapper compares and jumps, so that it stays invisible.
 */
#include "runtime/track/track_internal.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define EXPORT TRACK_EXPORT

/* A string that begins elsewhere does not reach it. */
static inline bool shared_string(const char *s)
{
    return track_inside(s);
}

static __attribute__((noinline)) void loads(const void *p, size_t n, uintptr_t pc)
{
    int error = errno;

    track_loads(p, n, pc);
    errno = error;
}

static __attribute__((noinline)) void stores(void *p, size_t n, uintptr_t pc)
{
    int error = errno;

    track_stores(p, n, pc);
    errno = error;
}

/* In a wrapper: */
#define LOADS(p, n)                    \
    do {                               \
        if (track_touches(p, n)) {     \
            loads(p, n, TRACK_CALLER); \
        }                              \
    } while (0)
#define STORES(p, n)                    \
    do {                                \
        if (track_touches(p, n)) {      \
            stores(p, n, TRACK_CALLER); \
        }                               \
    } while (0)

#define WRAPPER(type, name, params)   \
    extern type __real_##name params; \
    EXPORT type __wrap_##name params; \
    EXPORT type __wrap_##name params

/* --- output: loads, before the call ----------------------------------------------------------- */

#define OUTPUT(type, name, params, args, buf, n) \
    WRAPPER(type, name, params)                  \
    {                                            \
        LOADS(buf, n);                           \
        return __real_##name args;               \
    }

OUTPUT(ssize_t, write, (int fd, const void *buf, size_t n), (fd, buf, n), buf, n)
OUTPUT(ssize_t, pwrite, (int fd, const void *buf, size_t n, off_t at), (fd, buf, n, at), buf, n)
OUTPUT(ssize_t, pwrite64, (int fd, const void *buf, size_t n, off64_t at), (fd, buf, n, at), buf, n)
OUTPUT(ssize_t, send, (int fd, const void *buf, size_t n, int flags), (fd, buf, n, flags), buf, n)
OUTPUT(ssize_t, sendto,
       (int fd, const void *buf, size_t n, int flags, const struct sockaddr *to, socklen_t len),
       (fd, buf, n, flags, to, len), buf, n)
OUTPUT(size_t, fwrite, (const void *buf, size_t size, size_t n, FILE *f), (buf, size, n, f), buf,
       size *n)
OUTPUT(size_t, fwrite_unlocked, (const void *buf, size_t size, size_t n, FILE *f),
       (buf, size, n, f), buf, size *n)

/* Tell of the first @bytes of @v. */
static void track_libc_vector(const struct iovec *v, size_t n, size_t bytes,
                              void (*tell)(void *p, size_t n, uintptr_t pc), uintptr_t pc)
{
    for (size_t i = 0; i < n && bytes > 0; i++) {
        size_t part = v[i].iov_len < bytes ? v[i].iov_len : bytes;

        if (track_touches(v[i].iov_base, part)) {
            tell(v[i].iov_base, part, pc);
        }
        bytes -= part;
    }
}

static void vector_loads(void *p, size_t n, uintptr_t pc)
{
    loads(p, n, pc);
}

/* The kernel says what is wrong with other lists. */
static inline bool vector_valid(const struct iovec *v, int n)
{
    return v && n > 0 && n <= IOV_MAX;
}

static bool vector_shared(const struct iovec *v, int n)
{
    for (int i = 0; vector_valid(v, n) && i < n; i++) {
        if (track_touches(v[i].iov_base, v[i].iov_len)) {
            return true;
        }
    }
    return false;
}

#define OUTPUT_VECTOR(name, params, args)                                          \
    WRAPPER(ssize_t, name, params)                                                 \
    {                                                                              \
        if (vector_shared(v, n)) {                                                 \
            track_libc_vector(v, (size_t)n, SIZE_MAX, vector_loads, TRACK_CALLER); \
        }                                                                          \
        return __real_##name args;                                                 \
    }

OUTPUT_VECTOR(writev, (int fd, const struct iovec *v, int n), (fd, v, n))
OUTPUT_VECTOR(pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
OUTPUT_VECTOR(pwritev64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at))

static inline bool message_shared(const struct msghdr *m)
{
    return m && m->msg_iovlen <= IOV_MAX && vector_shared(m->msg_iov, (int)m->msg_iovlen);
}

WRAPPER(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags))
{
    if (message_shared(m)) {
        track_libc_vector(m->msg_iov, m->msg_iovlen, SIZE_MAX, vector_loads, TRACK_CALLER);
    }
    return __real_sendmsg(fd, m, flags);
}

/* --- input: stores, of what really came ------------------------------------------------------- */

/* An input call may wait, and who says where it waits must say the program's line: these wrappers
 * are a section of their own, whose bounds the linker names. */
#define WAITING_WRAPPER(type, name, params)                                           \
    extern type __real_##name params;                                                 \
    EXPORT __attribute__((section("vtegra_track_inputs"))) type __wrap_##name params; \
    EXPORT type __wrap_##name params

extern TRACK_HIDDEN const char __start_vtegra_track_inputs[], __stop_vtegra_track_inputs[];

static _Thread_local uintptr_t caller __attribute__((tls_model("initial-exec")));

static uintptr_t caller_of(uintptr_t pc)
{
    return pc - (uintptr_t)__start_vtegra_track_inputs <
                   (uintptr_t)__stop_vtegra_track_inputs - (uintptr_t)__start_vtegra_track_inputs
               ? caller
               : pc;
}

static __attribute__((constructor)) void caller_enlist(void)
{
    typedef void *__attribute__((may_alias)) any_pointer;
    static struct vtegra_track_caller here = { .program = caller_of };
    void *symbol = dlsym(RTLD_DEFAULT, "vtegra_track_enlist_caller");
    vtegra_track_enlist_caller_fn *enlist = NULL;

    if (symbol) {
        *(any_pointer *)&enlist = symbol;
        enlist(&here);
    }
}

/* recv() of MSG_TRUNC answers more than it stored. */
static inline size_t track_libc_came(ssize_t result, size_t n)
{
    return result < 0 ? 0 : (size_t)result < n ? (size_t)result : n;
}

#define INPUT(type, name, params, args, buf, n, size)                            \
    WAITING_WRAPPER(type, name, params)                                          \
    {                                                                            \
        type result;                                                             \
                                                                                 \
        if (!track_touches(buf, (n) * (size))) {                                 \
            return __real_##name args;                                           \
        }                                                                        \
        caller = TRACK_CALLER;                                                   \
        result = __real_##name args;                                             \
        stores(buf, track_libc_came((ssize_t)result, n) * (size), TRACK_CALLER); \
        return result;                                                           \
    }

INPUT(ssize_t, read, (int fd, void *buf, size_t n), (fd, buf, n), buf, n, 1)
INPUT(ssize_t, pread, (int fd, void *buf, size_t n, off_t at), (fd, buf, n, at), buf, n, 1)
INPUT(ssize_t, pread64, (int fd, void *buf, size_t n, off64_t at), (fd, buf, n, at), buf, n, 1)
INPUT(ssize_t, recv, (int fd, void *buf, size_t n, int flags), (fd, buf, n, flags), buf, n, 1)
INPUT(ssize_t, recvfrom,
      (int fd, void *buf, size_t n, int flags, struct sockaddr *from, socklen_t *len),
      (fd, buf, n, flags, from, len), buf, n, 1)
INPUT(size_t, fread, (void *buf, size_t size, size_t n, FILE *f), (buf, size, n, f), buf, n, size)
INPUT(size_t, fread_unlocked, (void *buf, size_t size, size_t n, FILE *f), (buf, size, n, f), buf,
      n, size)
INPUT(ssize_t, __read_chk, (int fd, void *buf, size_t n, size_t room), (fd, buf, n, room), buf, n,
      1)
INPUT(ssize_t, __pread_chk, (int fd, void *buf, size_t n, off_t at, size_t room),
      (fd, buf, n, at, room), buf, n, 1)
INPUT(ssize_t, __pread64_chk, (int fd, void *buf, size_t n, off64_t at, size_t room),
      (fd, buf, n, at, room), buf, n, 1)
INPUT(ssize_t, __recv_chk, (int fd, void *buf, size_t n, size_t room, int flags),
      (fd, buf, n, room, flags), buf, n, 1)
INPUT(ssize_t, __recvfrom_chk,
      (int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *from, socklen_t *len),
      (fd, buf, n, room, flags, from, len), buf, n, 1)
INPUT(size_t, __fread_chk, (void *buf, size_t room, size_t size, size_t n, FILE *f),
      (buf, room, size, n, f), buf, n, size)
INPUT(size_t, __fread_unlocked_chk, (void *buf, size_t room, size_t size, size_t n, FILE *f),
      (buf, room, size, n, f), buf, n, size)

#define INPUT_VECTOR(name, params, args)                                                          \
    WAITING_WRAPPER(ssize_t, name, params)                                                        \
    {                                                                                             \
        ssize_t result;                                                                           \
                                                                                                  \
        if (!vector_shared(v, n)) {                                                               \
            return __real_##name args;                                                            \
        }                                                                                         \
        caller = TRACK_CALLER;                                                                    \
        result = __real_##name args;                                                              \
        track_libc_vector(v, (size_t)n, track_libc_came(result, SIZE_MAX), stores, TRACK_CALLER); \
        return result;                                                                            \
    }

INPUT_VECTOR(readv, (int fd, const struct iovec *v, int n), (fd, v, n))
INPUT_VECTOR(preadv, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
INPUT_VECTOR(preadv64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at))

WAITING_WRAPPER(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags))
{
    ssize_t result;

    if (!message_shared(m)) {
        return __real_recvmsg(fd, m, flags);
    }
    caller = TRACK_CALLER;
    result = __real_recvmsg(fd, m, flags);
    track_libc_vector(m->msg_iov, m->msg_iovlen, track_libc_came(result, SIZE_MAX), stores,
                      TRACK_CALLER);
    return result;
}

/* --- memory ----------------------------------------------------------------------------------- */

#define COMPARE(name)                                            \
    WRAPPER(int, name, (const void *a, const void *b, size_t n)) \
    {                                                            \
        LOADS(a, n);                                             \
        LOADS(b, n);                                             \
        return __real_##name(a, b, n);                           \
    }

COMPARE(memcmp)
COMPARE(bcmp)

/* From @s to @last, where the search ends. */
static inline size_t track_libc_span(const void *s, const void *last)
{
    return (size_t)((const char *)last - (const char *)s) + 1;
}

WRAPPER(void *, memchr, (const void *s, int c, size_t n))
{
    if (track_touches(s, n)) {
        const void *found = __real_memchr(s, c, n);

        loads(s, found ? track_libc_span(s, found) : n, TRACK_CALLER);
    }
    return __real_memchr(s, c, n);
}

WRAPPER(void *, memrchr, (const void *s, int c, size_t n))
{
    if (track_touches(s, n)) {
        const void *found = __real_memrchr(s, c, n);
        const void *from = found ? found : s;

        loads(from, n - (track_libc_span(s, from) - 1), TRACK_CALLER);
    }
    return __real_memrchr(s, c, n);
}

WRAPPER(void *, rawmemchr, (const void *s, int c))
{
    if (shared_string(s)) {
        loads(s, track_libc_span(s, __real_rawmemchr(s, c)), TRACK_CALLER);
    }
    return __real_rawmemchr(s, c);
}

WRAPPER(void *, memmem, (const void *s, size_t n, const void *sought, size_t m))
{
    LOADS(s, n);
    LOADS(sought, m);
    return __real_memmem(s, n, sought, m);
}

#define COPY(name, params, args)   \
    WRAPPER(void *, name, params)  \
    {                              \
        LOADS(src, n);             \
        STORES(dst, n);            \
        return __real_##name args; \
    }

COPY(mempcpy, (void *dst, const void *src, size_t n), (dst, src, n))
COPY(__memcpy_chk, (void *dst, const void *src, size_t n, size_t room), (dst, src, n, room))
COPY(__memmove_chk, (void *dst, const void *src, size_t n, size_t room), (dst, src, n, room))
COPY(__mempcpy_chk, (void *dst, const void *src, size_t n, size_t room), (dst, src, n, room))

WRAPPER(void *, __memset_chk, (void *dst, int value, size_t n, size_t room))
{
    STORES(dst, n);
    return __real___memset_chk(dst, value, n, room);
}

WRAPPER(void, explicit_bzero, (void *dst, size_t n))
{
    STORES(dst, n);
    __real_explicit_bzero(dst, n);
}

WRAPPER(void, __explicit_bzero_chk, (void *dst, size_t n, size_t room))
{
    STORES(dst, n);
    __real___explicit_bzero_chk(dst, n, room);
}

/* --- strings ---------------------------------------------------------------------------------- */

WRAPPER(size_t, strlen, (const char *s))
{
    if (shared_string(s)) {
        loads(s, __real_strlen(s) + 1, TRACK_CALLER);
    }
    return __real_strlen(s);
}

WRAPPER(size_t, strnlen, (const char *s, size_t n))
{
    if (shared_string(s)) {
        size_t len = __real_strnlen(s, n);

        loads(s, len < n ? len + 1 : n, TRACK_CALLER);
    }
    return __real_strnlen(s, n);
}

/* Of two strings: up to what decides. */
static size_t track_libc_deciding(const char *a, const char *b, size_t n, bool fold)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];

        if (x == '\0' || (fold ? tolower(x) != tolower(y) : x != y)) {
            return i + 1;
        }
    }
    return n;
}

#define COMPARE_STRINGS(name, params, args, n, fold)         \
    WRAPPER(int, name, params)                               \
    {                                                        \
        if (shared_string(a) || shared_string(b)) {          \
            size_t len = track_libc_deciding(a, b, n, fold); \
                                                             \
            LOADS(a, len);                                   \
            LOADS(b, len);                                   \
        }                                                    \
        return __real_##name args;                           \
    }

COMPARE_STRINGS(strcmp, (const char *a, const char *b), (a, b), SIZE_MAX, false)
COMPARE_STRINGS(strncmp, (const char *a, const char *b, size_t n), (a, b, n), n, false)
COMPARE_STRINGS(strcasecmp, (const char *a, const char *b), (a, b), SIZE_MAX, true)
COMPARE_STRINGS(strncasecmp, (const char *a, const char *b, size_t n), (a, b, n), n, true)

WRAPPER(char *, strchr, (const char *s, int c))
{
    if (shared_string(s)) {
        const char *found = __real_strchr(s, c);

        loads(s, found ? track_libc_span(s, found) : __real_strlen(s) + 1, TRACK_CALLER);
    }
    return __real_strchr(s, c);
}

WRAPPER(char *, strrchr, (const char *s, int c))
{
    if (shared_string(s)) {
        loads(s, __real_strlen(s) + 1, TRACK_CALLER);
    }
    return __real_strrchr(s, c);
}

WRAPPER(char *, strstr, (const char *s, const char *sought))
{
    if (shared_string(s) || shared_string(sought)) {
        size_t m = __real_strlen(sought);
        const char *found = __real_strstr(s, sought);

        LOADS(s, found ? track_libc_span(s, found) - 1 + m : __real_strlen(s) + 1);
        LOADS(sought, m + 1);
    }
    return __real_strstr(s, sought);
}

#define STRING_COPY(name, params, args)                \
    WRAPPER(char *, name, params)                      \
    {                                                  \
        if (shared_string(src) || track_inside(dst)) { \
            size_t len = __real_strlen(src) + 1;       \
                                                       \
            LOADS(src, len);                           \
            STORES(dst, len);                          \
        }                                              \
        return __real_##name args;                     \
    }

STRING_COPY(strcpy, (char *dst, const char *src), (dst, src))
STRING_COPY(stpcpy, (char *dst, const char *src), (dst, src))
STRING_COPY(__strcpy_chk, (char *dst, const char *src, size_t room), (dst, src, room))
STRING_COPY(__stpcpy_chk, (char *dst, const char *src, size_t room), (dst, src, room))

/* Behind the end it fills with zeros. */
#define STRING_COPY_N(name, params, args)        \
    WRAPPER(char *, name, params)                \
    {                                            \
        if (shared_string(src)) {                \
            size_t len = __real_strnlen(src, n); \
                                                 \
            LOADS(src, len < n ? len + 1 : n);   \
        }                                        \
        STORES(dst, n);                          \
        return __real_##name args;               \
    }

STRING_COPY_N(strncpy, (char *dst, const char *src, size_t n), (dst, src, n))
STRING_COPY_N(__strncpy_chk, (char *dst, const char *src, size_t n, size_t room),
              (dst, src, n, room))

/* At most @n bytes of @src, then a zero. */
static void track_libc_append(char *dst, const char *src, size_t n, uintptr_t pc)
{
    size_t len = __real_strnlen(src, n), end = __real_strlen(dst);

    if (track_touches(dst, end + len + 1)) {
        loads(dst, end + 1, pc);
    }
    if (track_touches(src, len + 1)) {
        loads(src, len < n ? len + 1 : n, pc);
    }
    if (track_touches(dst, end + len + 1)) {
        stores(dst + end, len + 1, pc);
    }
}

#define STRING_APPEND(name, params, args, n)              \
    WRAPPER(char *, name, params)                         \
    {                                                     \
        if (shared_string(src) || track_inside(dst)) {    \
            track_libc_append(dst, src, n, TRACK_CALLER); \
        }                                                 \
        return __real_##name args;                        \
    }

STRING_APPEND(strcat, (char *dst, const char *src), (dst, src), SIZE_MAX)
STRING_APPEND(__strcat_chk, (char *dst, const char *src, size_t room), (dst, src, room), SIZE_MAX)
STRING_APPEND(strncat, (char *dst, const char *src, size_t n), (dst, src, n), n)
STRING_APPEND(__strncat_chk, (char *dst, const char *src, size_t n, size_t room),
              (dst, src, n, room), n)

WRAPPER(char *, strdup, (const char *s))
{
    if (shared_string(s)) {
        loads(s, __real_strlen(s) + 1, TRACK_CALLER);
    }
    return __real_strdup(s);
}

WRAPPER(char *, strndup, (const char *s, size_t n))
{
    if (shared_string(s)) {
        size_t len = __real_strnlen(s, n);

        loads(s, len < n ? len + 1 : n, TRACK_CALLER);
    }
    return __real_strndup(s, n);
}

WRAPPER(int, fputs, (const char *s, FILE *f))
{
    if (shared_string(s)) {
        loads(s, __real_strlen(s) + 1, TRACK_CALLER);
    }
    return __real_fputs(s, f);
}

WRAPPER(int, puts, (const char *s))
{
    if (shared_string(s)) {
        loads(s, __real_strlen(s) + 1, TRACK_CALLER);
    }
    return __real_puts(s);
}

#define LINE_INPUT(name, params, args)                     \
    WRAPPER(char *, name, params)                          \
    {                                                      \
        char *result;                                      \
                                                           \
        if (!shared_string(s)) {                           \
            return __real_##name args;                     \
        }                                                  \
        result = __real_##name args;                       \
        if (result) {                                      \
            stores(s, __real_strlen(s) + 1, TRACK_CALLER); \
        }                                                  \
        return result;                                     \
    }

LINE_INPUT(fgets, (char *s, int n, FILE *f), (s, n, f))
LINE_INPUT(__fgets_chk, (char *s, size_t room, int n, FILE *f), (s, room, n, f))

/* Each name of the list has its function here: what `vtegra cc` wraps can be linked. */
#define WRAP_ONLY_C
#define WRAP(name) (any_function *)__wrap_##name,
typedef void any_function(void);
__attribute__((used)) static any_function *const wrapped[] = {
#include "runtime/track/libc.def"
};
