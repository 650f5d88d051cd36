/* SPDX-License-Identifier: MIT */
/* The C library's own functions, behind ours. REAL(pthread_mutex_lock)(m) calls it. */
#ifndef RUNTIME_SCHED_REAL_H
#define RUNTIME_SCHED_REAL_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define SCHED_EXPORT __attribute__((visibility("default")))

/* The next definition in the order of libraries; @version NULL: the default one. */
void *real_find(const char *name, const char *version);

#define REAL_VERSION(name, version)                        \
    (__extension__({                                       \
        static __typeof__(&name) real_##name;              \
        if (!real_##name) {                                \
            void *symbol = real_find(#name, version);      \
            memcpy(&real_##name, &symbol, sizeof(symbol)); \
        }                                                  \
        real_##name;                                       \
    }))

#define REAL(name) REAL_VERSION(name, NULL)

/* A futex of ours. */
void real_futex_wait(_Atomic unsigned *word, unsigned value);
void real_futex_wake(_Atomic unsigned *word);

#endif
