/* SPDX-License-Identifier: MIT */
/* The C library's own functions, behind ours. REAL(pthread_mutex_lock)(m) calls it. */
#ifndef SCHED_REAL_H
#define SCHED_REAL_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define SCHED_EXPORT __attribute__((visibility("default")))

/* The next definition in the order of libraries; @version NULL: the default one. */
void *real_find(const char *name, const char *version);
/* The first one of all, perhaps the program's. */
void *real_find_first(const char *name);

/* Each use, in a section of its own: real_find_all() goes through them. */
struct real_use {
    const char *name, *version;
    void *pointer;
};

/* A function of a library that not every program has: the next one, or the one that the calling
 * object at @pc has among its own libraries (a plugin's are in no common order). */
void *real_find_near(const char *name, uintptr_t pc);

#define REAL_NEAR(name, pc)                                \
    (__extension__({                                       \
        static __typeof__(&name) near_##name;              \
        if (!near_##name) {                                \
            void *symbol = real_find_near(#name, (pc));    \
            memcpy(&near_##name, &symbol, sizeof(symbol)); \
        }                                                  \
        near_##name;                                       \
    }))

/* Find all of them now, under every policy. dlsym() takes the loader's lock, which a thread may
 * hold while it waits for others (a constructor that starts a thread): where threads take turns
 * it may not be needed later. Nor may a signal handler, which could come into a dlsym() of ours. */
void real_find_all(void);

#define REAL_VERSION(name, version)                                                     \
    (__extension__({                                                                    \
        static __typeof__(&name) real_##name;                                           \
        static const struct real_use use_##name                                         \
            __attribute__((used, section("real_uses"), aligned(8))) = { #name, version, \
                                                                        &real_##name }; \
        if (!real_##name) {                                                             \
            void *symbol = real_find(#name, version);                                   \
            memcpy(&real_##name, &symbol, sizeof(symbol));                              \
        }                                                                               \
        real_##name;                                                                    \
    }))

#define REAL(name) REAL_VERSION(name, NULL)

/* A clock of the host's, in signal handlers, too. */
uint64_t real_ns(clockid_t clock);

/* A futex of ours. */
/* Return: 0, ETIMEDOUT: @ms are over, or EINTR: a signal handler has run. */
int real_futex_wait(_Atomic unsigned *word, unsigned value, unsigned ms);
void real_futex_wake(_Atomic unsigned *word);

#endif
