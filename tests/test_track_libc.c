/* SPDX-License-Identifier: MIT */
/* Functions of the C library and of libstdc++, linked as `vtegra cc --track` does (-Wl,--wrap):
 * which bytes of memory that is tracked each is said to load and store, and where. What it accesses
 * is what ISO C, POSIX and glibc's manual say. */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/track/track.h"

#define BYTES 4096u
static _Alignas(64) char pages[3 * BYTES];
static char *const m = pages + BYTES; /* tracked */
static char mine[2 * BYTES];
static volatile long sink;
static int s[2]; /* datagrams */
static FILE *f;

/* All calls are made in this section: the places that are told lie in it. */
#define CALLS __attribute__((section("calls"), noinline))
extern const char __start_calls[], __stop_calls[];

/* --- what is told: "L3+4 S0+2", pieces of one range joined -------------------------------------
 */

static struct {
    enum vtegra_track_access access;
    uintptr_t at;
    size_t len;
} told[64];
static unsigned count;

static bool of_calls(uintptr_t pc)
{
    return pc > (uintptr_t)__start_calls && pc < (uintptr_t)__stop_calls;
}

static void heard(struct vtegra_track_book **book, const void *cpu, size_t len,
                  enum vtegra_track_access access, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)cpu;

    (void)book;
    ck_assert(of_calls(pc));
    errno = ENOTTY; /* as what the board does may leave it */
    if (count && told[count - 1].access == access &&
        told[count - 1].at + told[count - 1].len == at) {
        told[count - 1].len += len;
        return;
    }
    ck_assert_uint_lt(count, 64);
    told[count].access = access;
    told[count].at = at;
    told[count++].len = len;
}

static void assert_told(const char *expected, int line)
{
    char text[1024] = "";
    size_t n = 0;

    for (unsigned i = 0; i < count; i++) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%c%d+%zu", i ? " " : "",
                              told[i].access == VTEGRA_TRACK_LOAD    ? 'L'
                              : told[i].access == VTEGRA_TRACK_STORE ? 'S'
                                                                     : '?',
                              (int)(told[i].at - (uintptr_t)m), told[i].len);
    }
    ck_assert_msg(strcmp(text, expected) == 0, "line %d: \"%s\", expected \"%s\"", line, text,
                  expected);
}

#define TELLS(expected, call)            \
    do {                                 \
        count = 0;                       \
        errno = 0;                       \
        sink = (long)(call);             \
        assert_told(expected, __LINE__); \
    } while (0)

static CALLS void content(const char *text)
{
    memset(m, 'z', 1024);
    strcpy(m, text);
}

static void feed(size_t n)
{
    ck_assert_int_eq(send(s[0], mine, n, 0), (ssize_t)n);
}

static void drain(void)
{
    while (recv(s[1], mine, sizeof(mine), MSG_DONTWAIT) >= 0) {
    }
}

/* A file of the bytes of @text, read from its start. */
static void file(const char *text)
{
    ck_assert(ftruncate(fileno(f), 0) == 0);
    rewind(f);
    fputs(text, f);
    fflush(f);
    rewind(f);
}

static struct vtegra_track_caller *caller;
static struct vtegra_track_object *object;

#define EXPORT __attribute__((visibility("default")))

/* As the runtime and the preloaded library have them: found by name. */
EXPORT void vtegra_track_enlist_caller(struct vtegra_track_caller *c)
{
    caller = c;
}

EXPORT void vtegra_track_enlist(struct vtegra_track_object *o)
{
    object = o;
}

static char kept[PATH_MAX]; /* this file was asked for, and to stay */

/* Found before the C library's. */
EXPORT void *dlopen(const char *path, int mode)
{
    void *symbol = dlsym(RTLD_NEXT, "dlopen");
    void *(*real)(const char *, int);

    if (path && mode & RTLD_NOLOAD && mode & RTLD_NODELETE) {
        snprintf(kept, sizeof(kept), "%s", path);
    }
    memcpy(&real, &symbol, sizeof(real));
    return real(path, mode);
}

static void setup(void)
{
    struct vtegra_track_client client = {
        .version = VTEGRA_TRACK_VERSION,
        .arena = { (uintptr_t)m, BYTES },
        .access = heard,
    };

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, s), 0);
    f = tmpfile();
    ck_assert_ptr_nonnull(f);
    content("abcdef");
    vtegra_track_attach(&client);
}

static void teardown(void)
{
    vtegra_track_attach(NULL);
    fclose(f);
    close(s[0]);
    close(s[1]);
}

/* --- output ------------------------------------------------------------------------------------
 */

static CALLS void output(void)
{
    int fd = fileno(f);

    TELLS("L3+10", write(fd, m + 3, 10));
    TELLS("L3+10", pwrite(fd, m + 3, 10, 1));
    TELLS("L3+10", pwrite64(fd, m + 3, 10, 1));
    TELLS("L3+10", send(s[0], m + 3, 10, 0));
    TELLS("L3+10", sendto(s[0], m + 3, 10, 0, NULL, 0));
    TELLS("L0+15", fwrite(m, 3, 5, f));
    TELLS("L0+15", fwrite_unlocked(m, 3, 5, f));
    TELLS("", write(fd, mine, 10));
    TELLS("", write(fd, m, 0));
    /* part of it */
    TELLS("L0+4", write(fd, m - 4, 8));
    TELLS("", write(fd, m - 4, 4));
    TELLS("L4092+4", write(fd, m + BYTES - 4, 8));
    TELLS("", write(fd, m + BYTES, 8));
    TELLS("L0+4096", write(fd, m - 8, BYTES + 16));
}

static CALLS void output_vectors(void)
{
    struct iovec v[3] = { { m, 5 }, { mine, 5 }, { m + 100, 7 } },
                 last[2] = { { mine, 5 }, { m + 8, 2 } };
    struct msghdr h = { .msg_iov = v, .msg_iovlen = 3 };
    int fd = fileno(f);

    TELLS("L0+5 L100+7", writev(fd, v, 3));
    ck_assert_int_eq(sink, 17);
    TELLS("L0+5 L100+7", pwritev(fd, v, 3, 0));
    TELLS("L0+5 L100+7", pwritev64(fd, v, 3, 0));
    TELLS("L0+5 L100+7", sendmsg(s[0], &h, 0));
    ck_assert_int_eq(sink, 17);
    TELLS("L0+5", writev(fd, v, 2));
    TELLS("L8+2", writev(fd, last, 2));
}

/* What the kernel refuses is not looked at. */
static CALLS void vectors_that_are_none(void)
{
    static struct iovec many[IOV_MAX + 1];
    struct msghdr h = { .msg_iov = many, .msg_iovlen = IOV_MAX + 1 };
    struct iovec *volatile none = NULL; /* unknown to the compiler, which would warn */
    volatile int negative = -1;
    int fd = fileno(f);

    for (unsigned i = 0; i <= IOV_MAX; i++) {
        many[i] = (struct iovec){ m, 1 };
    }
    TELLS("", writev(fd, many, IOV_MAX + 1));
    TELLS("", writev(fd, many, negative));
    TELLS("", writev(fd, none, 1));
    TELLS("", readv(fd, many, IOV_MAX + 1));
    TELLS("", sendmsg(s[0], &h, 0));
    TELLS("", sendmsg(s[0], (struct msghdr *)none, 0));
    TELLS("", recvmsg(s[1], &h, MSG_DONTWAIT));
    h.msg_iovlen = (1ul << 32) + 1;
    TELLS("", sendmsg(s[0], &h, 0));
    many[IOV_MAX - 1].iov_base = m + 64;
    TELLS("L0+1", writev(fd, many, 1));
    h.msg_iovlen = 0;
    TELLS("", sendmsg(s[0], &h, 0));
}

/* --- input: what came ---------------------------------------------------------------------------
 */

ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *from,
                       socklen_t *len);
size_t __fread_chk(void *buf, size_t room, size_t size, size_t n, FILE *f);
size_t __fread_unlocked_chk(void *buf, size_t room, size_t size, size_t n, FILE *f);
char *__fgets_chk(char *s, size_t room, int n, FILE *f);

static CALLS void input(void)
{
    int fd = fileno(f);

    file("0123456789");
    TELLS("S3+10", pread(fd, m + 3, 100, 0));
    ck_assert_mem_eq(m + 3, "0123456789z", 11);
    TELLS("S3+7", pread64(fd, m + 3, 100, 3));
    TELLS("S3+10", __pread_chk(fd, m + 3, 100, 0, 100));
    TELLS("S3+10", __pread64_chk(fd, m + 3, 100, 0, 100));
    TELLS("S3+4", read(fd, m + 3, 4));
    TELLS("S3+6", __read_chk(fd, m + 3, 100, 100));
    TELLS("", read(fd, m + 3, 100)); /* the end */
    TELLS("", read(-1, m + 3, 100));
    ck_assert_int_eq(sink, -1);
    TELLS("", pread(fd, mine, 100, 0));
    TELLS("S0+6", pread(fd, m - 4, 100, 0));
}

static CALLS void input_from_sockets(void)
{
    feed(10);
    TELLS("S0+10", recv(s[1], m, 100, 0));
    feed(10);
    TELLS("S0+10", recvfrom(s[1], m, 100, 0, NULL, NULL));
    feed(10);
    TELLS("S0+10", __recv_chk(s[1], m, 100, 100, 0));
    feed(10);
    TELLS("S0+10", __recvfrom_chk(s[1], m, 100, 100, 0, NULL, NULL));
    feed(50); /* it says 50 and stores 20 */
    TELLS("S0+20", recv(s[1], m, 20, MSG_TRUNC));
    ck_assert_int_eq(sink, 50);
    TELLS("", recv(s[1], m, 20, MSG_DONTWAIT));
    ck_assert_int_eq(sink, -1);
}

/* Whole items: of half a one nothing is known. */
static CALLS void input_from_streams(void)
{
    file("0123456789");
    TELLS("S0+8", fread(m, 4, 100, f));
    ck_assert_int_eq(sink, 2);
    rewind(f);
    TELLS("S0+8", fread_unlocked(m, 4, 100, f));
    rewind(f);
    TELLS("S0+8", __fread_chk(m, 400, 4, 100, f));
    rewind(f);
    TELLS("S0+8", __fread_unlocked_chk(m, 400, 4, 100, f));
    file("abc\nde");
    TELLS("S0+5", fgets(m, 100, f)); /* with the newline and its end */
    TELLS("S0+2", fgets(m, 2, f));
    TELLS("S0+2", __fgets_chk(m, 100, 100, f));
    TELLS("", fgets(m, 100, f));
    ck_assert_int_eq(sink, 0);
    rewind(f);
    TELLS("", fgets(mine, 100, f));
}

static CALLS void input_vectors(void)
{
    struct iovec v[3] = { { m, 5 }, { mine, 3 }, { m + 100, 10 } },
                 last[2] = { { mine, 5 }, { m + 8, 9 } };
    struct msghdr h = { .msg_iov = v, .msg_iovlen = 3 };
    int fd = fileno(f);

    file("0123456789");
    TELLS("S0+5 S100+2", readv(fd, v, 3));
    ck_assert_int_eq(sink, 10);
    TELLS("", readv(fd, v, 3));
    TELLS("S0+5 S100+2", preadv(fd, v, 3, 0));
    TELLS("S0+3", preadv64(fd, v, 3, 7));
    TELLS("S8+5", preadv(fd, last, 2, 0));
    feed(10);
    TELLS("S0+5 S100+2", recvmsg(s[1], &h, 0));
    feed(4);
    TELLS("S0+4", recvmsg(s[1], &h, 0));
    TELLS("", recvmsg(s[1], &h, MSG_DONTWAIT));
    ck_assert_int_eq(sink, -1);
    TELLS("", readv(-1, v, 3));
}

ssize_t __wrap_read(int fd, void *buf, size_t n);
size_t __wrap_strlen(const char *s);

/* Who waits in an input call waits at the program's line. */
static CALLS void caller_of_an_input(void)
{
    uintptr_t in_read = (uintptr_t)__wrap_read + 1, in_strlen = (uintptr_t)__wrap_strlen + 1;

    ck_assert_ptr_nonnull(caller);
    TELLS("", read(-1, m, 1));
    ck_assert(of_calls(caller->program(in_read)));
    ck_assert_uint_eq(caller->program(in_strlen), in_strlen);
    ck_assert_uint_eq(caller->program(1), 1);
    ck_assert_uint_eq(caller->program((uintptr_t)__start_calls), (uintptr_t)__start_calls);
}

static CALLS void objects_are_enlisted(void)
{
    ck_assert_ptr_eq(object, &vtegra_track_object);
    ck_assert_uint_eq(object->version, VTEGRA_TRACK_VERSION);
    ck_assert_ptr_eq(object->attach, vtegra_track_attach);
}

/* dlclose() does not take an object away whose hooks others know. */
static CALLS void objects_with_hooks_stay(void)
{
    Dl_info here;

    ck_assert(dladdr(&vtegra_track_object, &here));
    ck_assert_str_eq(kept, here.dli_fname);
}

/* --- memory --------------------------------------------------------------------------------------
 */

void *__memcpy_chk(void *, const void *, size_t, size_t),
    *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t),
    *__memset_chk(void *, int, size_t, size_t);
void __explicit_bzero_chk(void *, size_t, size_t);

static CALLS void memory_is_searched(void)
{
    TELLS("L0+7", memcmp(m, mine, 7));
    TELLS("L0+7", memcmp(mine, m, 7));
    TELLS("L0+3 L64+3", memcmp(m, m + 64, 3));
    TELLS("L0+7", bcmp(m, mine, 7));
    TELLS("", memcmp(mine, mine + 8, 7));
    TELLS("L0+3", memchr(m, 'c', 10)); /* in "abcdef" */
    ck_assert_int_eq(sink, (long)(m + 2));
    TELLS("L0+10", memchr(m, 'X', 10));
    TELLS("L2+8", memrchr(m, 'c', 10));
    ck_assert_int_eq(sink, (long)(m + 2));
    TELLS("L0+10", memrchr(m, 'X', 10));
    TELLS("L0+3", rawmemchr(m, 'c'));
    TELLS("L0+10 L64+2", memmem(m, 10, m + 64, 2));
    TELLS("", memchr(mine, 'c', 10));
    TELLS("", memrchr(mine, 'c', 10));
    mine[5] = 'c';
    TELLS("", rawmemchr(mine, 'c'));
}

static CALLS void memory_is_copied(void)
{
    TELLS("L0+8 S32+8", mempcpy(m + 32, m, 8));
    ck_assert_int_eq(sink, (long)(m + 40));
    TELLS("L0+8 S32+8", __memcpy_chk(m + 32, m, 8, 8));
    TELLS("L0+8 S32+8", __memmove_chk(m + 32, m, 8, 8));
    TELLS("L0+8 S32+8", __mempcpy_chk(m + 32, m, 8, 8));
    TELLS("L0+8", mempcpy(mine, m, 8));
    TELLS("S0+8", mempcpy(m, mine, 8));
    TELLS("S3+8", __memset_chk(m + 3, 1, 8, 8));
    TELLS("S3+8", (explicit_bzero(m + 3, 8), 0));
    TELLS("S3+8", (__explicit_bzero_chk(m + 3, 8, 8), 0));
    ck_assert_int_eq(m[10], 0);
}

/* --- strings -------------------------------------------------------------------------------------
 */

char *__strcpy_chk(char *, const char *, size_t), *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t),
    *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);

static CALLS void strings_have_an_end(void)
{
    TELLS("L0+7", strlen(m));
    ck_assert_int_eq(sink, 6);
    TELLS("L0+2", strnlen(m, 2));
    TELLS("L0+6", strnlen(m, 6));
    TELLS("L0+7", strnlen(m, 10));
    TELLS("", strlen(mine));
    TELLS("L0+3", strchr(m, 'c'));
    TELLS("L0+7", strchr(m, 'X'));
    TELLS("L0+7", strchr(m, '\0'));
    TELLS("L0+7", strrchr(m, 'c'));
    TELLS("L0+4", strstr(m, "cd"));
    TELLS("L0+7", strstr(m, "cX"));
    TELLS("L0+7", strstr("xxabcdefxx", m));
    TELLS("", strstr("abc", "b"));
}

static CALLS void strings_are_compared(void)
{
    TELLS("L0+3", strcmp(m, "abX"));
    TELLS("L0+3", strcmp("abX", m));
    TELLS("L0+7", strcmp(m, "abcdef"));
    TELLS("L0+3", strcmp(m, "ab"));
    TELLS("L0+3", strcmp("ab", m));
    TELLS("L0+1", strcmp(m, "ABX"));
    TELLS("L0+3", strcasecmp(m, "ABX"));
    TELLS("L0+2", strncmp(m, "abX", 2));
    TELLS("L0+3", strncmp(m, "abX", 9));
    TELLS("L0+1", strncmp(m, "AbX", 2));
    TELLS("L0+2", strncasecmp(m, "ABX", 2));
    TELLS("L0+3", strncasecmp(m, "ABX", 9));
    strcpy(m + 64, "abX");
    TELLS("L0+3 L64+3", strcmp(m, m + 64));
    TELLS("", strcmp("abc", "abd"));
}

static CALLS void strings_are_copied(void)
{
    TELLS("L0+7 S32+7", strcpy(m + 32, m));
    TELLS("L0+7 S32+7", stpcpy(m + 32, m));
    TELLS("L0+7 S32+7", __strcpy_chk(m + 32, m, 9));
    TELLS("L0+7 S32+7", __stpcpy_chk(m + 32, m, 9));
    TELLS("L0+7", strcpy(mine, m));
    TELLS("S32+4", strcpy(m + 32, "abc"));
    TELLS("L0+3 S32+3", strncpy(m + 32, m, 3));
    TELLS("L0+7 S32+20", strncpy(m + 32, m, 20)); /* and zeros */
    TELLS("L0+7 S32+20", __strncpy_chk(m + 32, m, 20, 20));
    TELLS("L0+7", strncpy(mine, m, 20));
    TELLS("S32+20", strncpy(m + 32, "abc", 20));
    TELLS("L0+7", (free(strdup(m)), 0));
    TELLS("L0+3", (free(strndup(m, 3)), 0));
    TELLS("L0+7", (free(strndup(m, 20)), 0));
    TELLS("L0+7", fputs(m, f));
    TELLS("L0+7", puts(m));
    TELLS("", (free(strdup("abc")), 0));
    TELLS("", fputs("abc", f));
}

/* The end is looked for first, and overwritten. */
static CALLS void strings_are_appended(void)
{
    TELLS("L0+7 S6+3", strcat(m, "xy"));
    TELLS("L0+9 S8+3", __strcat_chk(m, "xy", 20));
    content("abcdef");
    TELLS("L0+7 S6+3", strncat(m, "xyz", 2));
    ck_assert_str_eq(m, "abcdefxy");
    TELLS("L0+9 S8+3", __strncat_chk(m, "xyz", 2, 20));
    content("abcdef");
    mine[0] = '\0';
    TELLS("L0+7", strcat(mine, m));
    mine[0] = '\0';
    TELLS("L0+2", strncat(mine, m, 2));
    mine[0] = '\0';
    TELLS("L0+7", strncat(mine, m, 20));
    strcpy(m + 64, "xy");
    TELLS("L0+7 L64+3 S6+3", strcat(m, m + 64));
    TELLS("", strcat(mine, "abc"));
}

/* A program that looks at errno after a call that succeeded sees what it left there. */
static CALLS void errno_is_left_alone(void)
{
    TELLS("L0+7", strlen(m));
    ck_assert_int_eq(errno, 0);
    file("abc");
    TELLS("S0+3", pread(fileno(f), m, 3, 0));
    ck_assert_int_eq(errno, 0);
    TELLS("", read(-1, m, 3));
    ck_assert_int_eq(errno, EBADF);
}

/* --- streams of C++: ours, for there is no libstdc++ here
 * ------------------------------------------ */

static long written, gcount;

void *_ZNSo5writeEPKcl(void *stream, const char *p, long n);
void *_ZNSo5writeEPKcl(void *stream, const char *p, long n)
{
    (void)p;
    written = n;
    return stream;
}

void *_ZNSi4readEPcl(void *stream, char *p, long n);
void *_ZNSi4readEPcl(void *stream, char *p, long n)
{
    (void)p, (void)n;
    return stream;
}

long _ZNKSi6gcountEv(const void *stream);
long _ZNKSi6gcountEv(const void *stream)
{
    (void)stream;
    return gcount;
}

void *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *stream, const char *p);
void *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *stream, const char *p)
{
    (void)p;
    return stream;
}

void *__wrap__ZNSo5writeEPKcl(void *, const char *, long),
    *__wrap__ZNSi4readEPcl(void *, char *, long);
void *__wrap__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *, const char *);

static CALLS void streams_of_cxx(void)
{
    int stream;

    TELLS("L3+20", __wrap__ZNSo5writeEPKcl(&stream, m + 3, 20));
    ck_assert_int_eq(written, 20);
    ck_assert_int_eq(sink, (long)&stream);
    TELLS("", __wrap__ZNSo5writeEPKcl(&stream, mine, 20));
    TELLS("", __wrap__ZNSo5writeEPKcl(&stream, m, -1));
    TELLS("L0+7", __wrap__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(&stream, m));
    TELLS("", __wrap__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(&stream, "abc"));
    gcount = 9; /* that came */
    TELLS("S3+9", __wrap__ZNSi4readEPcl(&stream, m + 3, 20));
    ck_assert_int_eq(sink, (long)&stream);
    TELLS("", __wrap__ZNSi4readEPcl(&stream, mine, 20));
    TELLS("", __wrap__ZNSi4readEPcl(&stream, m, -1));
}

static void (*const all[])(void) = {
    output,
    output_vectors,
    vectors_that_are_none,
    input,
    input_from_sockets,
    input_from_streams,
    input_vectors,
    caller_of_an_input,
    objects_are_enlisted,
    objects_with_hooks_stay,
    memory_is_searched,
    memory_is_copied,
    strings_have_an_end,
    strings_are_compared,
    strings_are_copied,
    strings_are_appended,
    errno_is_left_alone,
    streams_of_cxx,
};

START_TEST(calls_tell_what_they_access)
{
    all[_i]();
    drain();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("track_libc");
    TCase *t = tcase_create("calls");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, calls_tell_what_they_access, 0, (int)(sizeof(all) / sizeof(all[0])));
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
