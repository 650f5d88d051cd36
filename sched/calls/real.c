/* SPDX-License-Identifier: MIT */
#include "sched/calls/real.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* dlsym() may take and free memory, and an allocator (a sanitizer's, say) may look at a clock or
 * lock a mutex then: before we know where the C library's function is. What allocators use has a
 * second name in glibc, or is a system call. */
extern int __pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr);
extern int __pthread_mutex_lock(pthread_mutex_t *m);
extern int __pthread_mutex_trylock(pthread_mutex_t *m);
extern int __pthread_mutex_unlock(pthread_mutex_t *m);
extern int __pthread_once(pthread_once_t *once, void (*routine)(void));
extern ssize_t __write(int fd, const void *buf, size_t n);
extern ssize_t __read(int fd, void *buf, size_t n);
extern int __close(int fd);
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);

static long real_raw(long number, long a, long b)
{
    long result;

#ifdef __x86_64__
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b)
                     : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
    result = x0;
#endif
    return result;
}

static int raw_clock_gettime(clockid_t clock, struct timespec *out)
{
    return real_raw(SYS_clock_gettime, clock, (long)(intptr_t)out) < 0 ? -1 : 0;
}

static int raw_gettimeofday(struct timeval *out, void *zone)
{
    return real_raw(SYS_gettimeofday, (long)(intptr_t)out, (long)(intptr_t)zone) < 0 ? -1 : 0;
}

static int raw_sched_yield(void)
{
    return real_raw(SYS_sched_yield, 0, 0) < 0 ? -1 : 0;
}

/* Whose memory it is, is not known yet. */
static void real_kept(void *p)
{
    (void)p;
}

typedef void any_function(void);

static const struct {
    const char *name;
    any_function *function;
} seconds[] = {
    { "clock_gettime", (any_function *)raw_clock_gettime },
    { "gettimeofday", (any_function *)raw_gettimeofday },
    { "sched_yield", (any_function *)raw_sched_yield },
    { "pthread_mutex_init", (any_function *)__pthread_mutex_init },
    { "free", (any_function *)real_kept },
    { "pthread_mutex_lock", (any_function *)__pthread_mutex_lock },
    { "pthread_mutex_trylock", (any_function *)__pthread_mutex_trylock },
    { "pthread_mutex_unlock", (any_function *)__pthread_mutex_unlock },
    { "pthread_once", (any_function *)__pthread_once },
    { "write", (any_function *)__write },
    { "read", (any_function *)__read },
    { "close", (any_function *)__close },
    { "malloc", (any_function *)__libc_malloc },
    { "calloc", (any_function *)__libc_calloc },
    { "realloc", (any_function *)__libc_realloc },
    { "memalign", (any_function *)__libc_memalign },
    { "aligned_alloc", (any_function *)__libc_memalign },
};

static void *second_find(const char *name)
{
    void *symbol = NULL;

    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
        if (strcmp(name, seconds[i].name) == 0) {
            memcpy(&symbol, &seconds[i].function, sizeof(symbol));
        }
    }
    return symbol;
}

/* volatile: glibc declares that dlsym() calls nothing of ours (leaf), and it does. */
static _Thread_local volatile int busy __attribute__((tls_model("initial-exec")));

void *real_find_first(const char *name)
{
    void *symbol;

    busy++;
    symbol = dlsym(RTLD_DEFAULT, name);
    busy--;
    return symbol;
}

void *real_find(const char *name, const char *version)
{
    void *symbol;

    if (busy) {
        symbol = second_find(name);
    } else {
        busy = 1;
        symbol = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
        if (!symbol && version) { /* another architecture's first version */
            symbol = dlsym(RTLD_NEXT, name);
        }
        busy = 0;
    }
    if (!symbol) {
        abort(); /* every C library that runs our programs has them all */
    }
    return symbol;
}

void *real_find_near(const char *name, uintptr_t pc)
{
    void *symbol = dlsym(RTLD_NEXT, name), *object;
    struct link_map *map;
    Dl_info info;

    if (!symbol && dladdr1((void *)pc, &info, (void **)&map, RTLD_DL_LINKMAP)) {
        object = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
        symbol = object ? dlsym(object, name) : NULL;
        if (object) {
            dlclose(object);
        }
    }
    if (!symbol) {
        fprintf(stderr, "vtegra: %s is called, and no library of the caller has it\n", name);
        abort();
    }
    return symbol;
}

uint64_t real_ns(clockid_t clock)
{
    struct timespec t = { 0, 0 };

    REAL(syscall)(SYS_clock_gettime, clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int real_futex_wait(_Atomic unsigned *word, unsigned value, unsigned ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

    return REAL(syscall)(SYS_futex, word, 128 /* FUTEX_WAIT_PRIVATE */, value, &t, NULL, 0) == 0
               ? 0
               : errno;
}

void real_futex_wake(_Atomic unsigned *word)
{
    REAL(syscall)(SYS_futex, word, 129 /* FUTEX_WAKE_PRIVATE */, 1, NULL, NULL, 0);
}

extern const struct real_use __start_real_uses[], __stop_real_uses[];

void real_find_all(void)
{
    for (const struct real_use *use = __start_real_uses; use < __stop_real_uses; use++) {
        void *symbol, *found = NULL;

        memcpy(&symbol, use->pointer, sizeof(symbol));
        if (!symbol) {
            found = real_find(use->name, use->version);
            memcpy(use->pointer, &found, sizeof(found));
        }
    }
}
