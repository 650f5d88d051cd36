/* SPDX-License-Identifier: MIT */
/* Two files that a board has and the host has not, or has for itself: see memory_text.h. A program
 * that opens one for reading gets its text; every other path is the C library's affair. Not
 * followed: stat(), access() and the like. */
#include "runtime/preload/files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/preload/memory_text.h"
#include "runtime/preload/video.h"

#define EXPORT __attribute__((visibility("default")))

static _Atomic(vtegra_memory_fn *) asked;

void files_of(vtegra_memory_fn *figures)
{
    atomic_store(&asked, figures);
}

static uint64_t files_number(const char *variable, uint64_t unit)
{
    const char *text = getenv(variable);

    return text ? strtoull(text, NULL, 10) * unit : 0;
}

/* Before the driver is up, and in a program that calls none of it (free, cat, grep): the board that
 * `vtegra run` said, with what --rest and --swap say of its system. */
static bool figures_get(struct memory_figures *m)
{
    vtegra_memory_fn *figures = atomic_load(&asked);
    const uint64_t mib = 1 << 20, swap = files_number("VTEGRA_SWAP_MIB", mib);

    *m = (struct memory_figures){
        .total = files_number("VTEGRA_DRAM_BYTES", 1),
        .rest = files_number("VTEGRA_REST_MIB", mib),
        .swap_total = swap,
        .swap_free = swap,
    };
    if (figures) {
        figures(m);
    }
    return m->total != 0;
}

static int text_fd(const char *text, size_t bytes)
{
    int fd = memfd_create("vtegra-file", MFD_CLOEXEC);

    if (fd >= 0 && (write(fd, text, bytes) != (ssize_t)bytes || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* A descriptor of the file's text, or -1: it is none of ours. */
static int files_ours(const char *path)
{
    struct memory_figures m;
    bool meminfo, clients;
    char text[1024];
    int error = errno, fd = -1;
    const char *node;

    if (!path || path[0] != '/') {
        return -1;
    }
    node = video_text(path);
    if (node) {
        return text_fd(node, strlen(node));
    }
    meminfo = strcmp(path, MEMORY_MEMINFO) == 0;
    clients = strcmp(path, MEMORY_CLIENTS) == 0;
    if ((meminfo || clients) && figures_get(&m)) {
        int n = meminfo ? memory_meminfo_text(&m, text, sizeof(text))
                        : memory_clients_text(&m, program_invocation_short_name, getpid(), text,
                                              sizeof(text));

        fd = n > 0 && (size_t)n < sizeof(text) ? text_fd(text, (size_t)n) : -1;
    }
    errno = error;
    return fd;
}

/* The C library's own; those with a 2 are what _FORTIFY_SOURCE makes of open() without a mode.
 * dlsym() takes the loader's lock, which another thread may hold while it waits for this one
 * (dlopen() of a library whose constructor joins a thread): so they are found when this library is
 * loaded, and later only for a constructor that ran before ours. */
enum {
    OPEN,
    OPEN64,
    OPENAT,
    OPENAT64,
    FOPEN,
    FOPEN64,
    OPEN_2,
    OPEN64_2,
    OPENAT_2,
    OPENAT64_2,
    FUNCTIONS,
};
static const char *const names[FUNCTIONS] = {
    "open",    "open64",   "openat",     "openat64",   "fopen",
    "fopen64", "__open_2", "__open64_2", "__openat_2", "__openat64_2",
};
static void *_Atomic found[FUNCTIONS];

static void *files_behind(int function)
{
    void *symbol = atomic_load(&found[function]);

    if (!symbol) {
        symbol = dlsym(RTLD_NEXT, names[function]);
        atomic_store(&found[function], symbol);
    }
    return symbol;
}

__attribute__((constructor)) static void find_all(void)
{
    for (int function = 0; function < FUNCTIONS; function++) {
        files_behind(function);
    }
}

static bool files_reads(int flags)
{
    return (flags & O_ACCMODE) == O_RDONLY;
}

/* The third argument of open(), where it may make a file. */
static bool files_has_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

/* @TAKES, @GIVES: what stands before the path; openat()'s folder means nothing to a whole path. */
#define DEFINE_OPEN(name, function, TAKES, GIVES)            \
    EXPORT int name(TAKES const char *path, int flags, ...)  \
    {                                                        \
        int (*real)(TAKES const char *, int, ...);           \
        int fd = files_reads(flags) ? files_ours(path) : -1; \
        void *symbol = files_behind(function);               \
        mode_t mode = 0;                                     \
        va_list args;                                        \
                                                             \
        if (fd >= 0 || video_open(path, flags, &fd)) {       \
            return fd;                                       \
        }                                                    \
        memcpy(&real, &symbol, sizeof(symbol));              \
        if (files_has_mode(flags)) {                         \
            va_start(args, flags);                           \
            mode = va_arg(args, mode_t);                     \
            va_end(args);                                    \
        }                                                    \
        return real(GIVES path, flags, mode);                \
    }

#define DEFINE_OPEN_2(name, function, TAKES, GIVES)          \
    EXPORT int name(TAKES const char *path, int flags);      \
    EXPORT int name(TAKES const char *path, int flags)       \
    {                                                        \
        int (*real)(TAKES const char *, int);                \
        int fd = files_reads(flags) ? files_ours(path) : -1; \
        void *symbol = files_behind(function);               \
                                                             \
        if (fd >= 0 || video_open(path, flags, &fd)) {       \
            return fd;                                       \
        }                                                    \
        memcpy(&real, &symbol, sizeof(symbol));              \
        return real(GIVES path, flags);                      \
    }

#define NOTHING
#define FOLDER int folder,
#define ITS_FOLDER folder,

#define DEFINE_FOPEN(name, function)                                                   \
    EXPORT FILE *name(const char *path, const char *mode)                              \
    {                                                                                  \
        FILE *(*real)(const char *, const char *);                                     \
        int fd = mode && mode[0] == 'r' && !strchr(mode, '+') ? files_ours(path) : -1; \
        void *symbol = files_behind(function);                                         \
                                                                                       \
        if (fd >= 0) {                                                                 \
            return fdopen(fd, "r");                                                    \
        }                                                                              \
        memcpy(&real, &symbol, sizeof(symbol));                                        \
        return real(path, mode);                                                       \
    }

DEFINE_OPEN(open, OPEN, NOTHING, NOTHING)
DEFINE_OPEN(open64, OPEN64, NOTHING, NOTHING)
DEFINE_OPEN(openat, OPENAT, FOLDER, ITS_FOLDER)
DEFINE_OPEN(openat64, OPENAT64, FOLDER, ITS_FOLDER)
DEFINE_OPEN_2(__open_2, OPEN_2, NOTHING, NOTHING)
DEFINE_OPEN_2(__open64_2, OPEN64_2, NOTHING, NOTHING)
DEFINE_OPEN_2(__openat_2, OPENAT_2, FOLDER, ITS_FOLDER)
DEFINE_OPEN_2(__openat64_2, OPENAT64_2, FOLDER, ITS_FOLDER)
DEFINE_FOPEN(fopen, FOPEN)
DEFINE_FOPEN(fopen64, FOPEN64)
