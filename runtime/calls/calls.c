/* SPDX-License-Identifier: MIT */
/* System calls are made by number: the program's own open() and write() may be in front of the C
 * library's (runtime/preload). */
#include "runtime/calls/calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))
#define NOT_FOUND 500     /* CUDA_ERROR_NOT_FOUND, cudaErrorSymbolNotFound */
#define PROCESSES_MAX 999 /* that make calls and write to the same path */

static const char *const names[] = {
#define CALL(n, name) #name,
#include "calls_list.h"
#undef CALL
};
#define CALLS (sizeof(names) / sizeof(names[0]))

/* The entries of enter.S. */
#define CALL(n, name) extern void name(void);
#include "calls_list.h"
#undef CALL
static void (*const entries[])(void) = {
#define CALL(n, name) name,
#include "calls_list.h"
#undef CALL
};

static _Atomic(void *) targets[CALLS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int owner; /* the process that has opened @file */
static int file = -1;
static atomic_uint threads;
static _Thread_local unsigned depth, thread, thread_of;

static unsigned not_found(void)
{
    return NOT_FOUND;
}

void *calls_target(unsigned n)
{
    void *target = atomic_load(&targets[n]);

    depth++;
    if (!target) {
        target = dlsym(RTLD_NEXT, names[n]);
        if (!target) {
            unsigned (*none)(void) = not_found;

            memcpy(&target, &none, sizeof(target));
        }
        atomic_store(&targets[n], target);
    }
    return target;
}

/* A file of this process alone: another one that has the same path takes the next number. */
static int file_new(const char *path)
{
    char name[4096];
    long fd = -1;

    for (unsigned i = 1; fd < 0 && i <= PROCESSES_MAX; i++) {
        int len = i == 1 ? snprintf(name, sizeof(name), "%s", path)
                         : snprintf(name, sizeof(name), "%s.%u", path, i);

        if (len < 0 || (size_t)len >= sizeof(name)) {
            return -1;
        }
        fd = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
                     0644);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    return (int)fd;
}

/* A child of fork() begins a record of its own. */
static int file_of(int process)
{
    if (atomic_load(&owner) != process) {
        pthread_mutex_lock(&lock);
        if (atomic_load(&owner) != process) {
            const char *path = getenv("VTEGRA_CALLS");

            file = path ? file_new(path) : -1;
            atomic_store(&threads, 0);
            atomic_store(&owner, process);
        }
        pthread_mutex_unlock(&lock);
    }
    return file;
}

void calls_done(unsigned n, unsigned code)
{
    int before = errno, process = getpid(), fd, len;
    char line[128];

    if (--depth == 0) {
        fd = file_of(process);
        if (thread_of != (unsigned)process) {
            thread_of = (unsigned)process;
            thread = atomic_fetch_add(&threads, 1) + 1;
        }
        len = snprintf(line, sizeof(line), "%u %s %u\n", thread, names[n], code);
        if (fd >= 0 && len > 0) {
            syscall(SYS_write, fd, line, (size_t)len);
        }
    }
    errno = before;
}

VISIBLE void *vtegra_calls_use(const char *name, void *found)
{
    for (unsigned n = 0; n < CALLS; n++) {
        if (strcmp(name, names[n]) == 0) {
            void *entry;

            memcpy(&entry, &entries[n], sizeof(entry));
            atomic_store(&targets[n], found);
            return entry;
        }
    }
    return found;
}
