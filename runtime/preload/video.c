/* SPDX-License-Identifier: MIT */
/* The board's /dev/video0: libvtegra-video.so has it. Here stand what a program calls to reach it:
 * open(), by files.c; ioctl(), close(), poll() and select(), by sched/calls/device.h; mmap(),
 * munmap() and stat() below. */
#include "runtime/preload/video.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "runtime/api/v4l2/video.h"
#include "sched/calls/device.h"

#define EXPORT __attribute__((visibility("default")))
#define NODE makedev(81, 0) /* Linux, devices.txt: video4linux */

static const struct vtegra_video *_Atomic loaded;

static bool video_there(void)
{
    const char *source = getenv("VTEGRA_CAMERA");

    return source && *source;
}

static bool node_is(int fd)
{
    return atomic_load(&loaded)->is(fd);
}

static bool node_ioctl(int fd, unsigned long request, void *what, int *result)
{
    return atomic_load(&loaded)->ioctl(fd, request, what, result);
}

static void node_closed(int fd)
{
    atomic_load(&loaded)->closed(fd);
}

static short node_poll(int fd, short events, int64_t timeout_us)
{
    return atomic_load(&loaded)->poll(fd, events, timeout_us);
}

static bool node_read(int fd, void *to, size_t n, ssize_t *result)
{
    return atomic_load(&loaded)->read(fd, to, n, result);
}

/* Beside this library. */
static const struct vtegra_video *video_find(void)
{
    vtegra_video_fn *get;
    char path[PATH_MAX];
    Dl_info info;
    void *library, *symbol;

    if (!dladdr((void *)(uintptr_t)&video_find, &info) || !strrchr(info.dli_fname, '/')) {
        return NULL;
    }
    snprintf(path, sizeof(path), "%.*s/libvtegra-video.so",
             (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    symbol = library ? dlsym(library, "vtegra_video") : NULL;
    if (!symbol) {
        fprintf(stderr, "vtegra: the camera does not load: %s\n", dlerror());
        return NULL;
    }
    memcpy(&get, &symbol, sizeof(symbol));
    return get();
}

/* By several threads at once: when it returns, calls reach the library, whoever has loaded it. */
static const struct vtegra_video *video_load(void)
{
    static const struct device_ops ops = { node_is, node_ioctl, node_closed, node_poll, node_read };
    const struct vtegra_video *video = atomic_load(&loaded);

    if (!video && (video = video_find()) != NULL) {
        atomic_store(&loaded, video);
    }
    if (video) {
        device_register(&ops);
    }
    return video;
}

/* VTEGRA_VIDEO_BEGIN */
EXPORT void vtegra_video_begin(void);
EXPORT void vtegra_video_begin(void)
{
    video_load();
}

bool video_open(const char *path, int flags, int *fd)
{
    const struct vtegra_video *video;

    if (!path || strcmp(path, VTEGRA_VIDEO_PATH) != 0 || !video_there()) {
        return false;
    }
    video = video_load();
    errno = ENODEV;
    *fd = video ? video->open(flags) : -1;
    return true;
}

const char *video_text(const char *path)
{
    return video_there() && strcmp(path, "/sys/dev/char/81:0/uevent") == 0
               ? "MAJOR=81\nMINOR=0\nDEVNAME=video0\n"
               : NULL;
}

/* --- the C library's own ---------------------------------------------------------------------- */

/* Found when this library is loaded, as in files.c, and for the reason that stands there. */
enum { VIDEO_MMAP, VIDEO_MMAP64, VIDEO_MUNMAP, VIDEO_STAT, VIDEO_STAT64, VIDEO_FUNCTIONS };
static const char *const names[VIDEO_FUNCTIONS] = { "mmap", "mmap64", "munmap", "stat", "stat64" };
static void *_Atomic found[VIDEO_FUNCTIONS];

static void *video_behind(int function)
{
    void *symbol = atomic_load(&found[function]);

    if (!symbol) {
        symbol = dlsym(RTLD_NEXT, names[function]);
        atomic_store(&found[function], symbol);
    }
    return symbol;
}

__attribute__((constructor)) static void video_find_all(void)
{
    for (int function = 0; function < VIDEO_FUNCTIONS; function++) {
        video_behind(function);
    }
}

/* --- mappings --------------------------------------------------------------------------------- */

static bool video_mmap(size_t bytes, int prot, int flags, int fd, off_t offset, void **at)
{
    const struct vtegra_video *video = atomic_load(&loaded);

    if (fd < 0 || !video || (!video->is(fd) && !video->surface(fd))) {
        return false;
    }
    *at = video->mmap(bytes, prot, flags, fd, offset);
    return true;
}

#define DEFINE_MMAP(name, function)                                                        \
    EXPORT void *name(void *hint, size_t bytes, int prot, int flags, int fd, off_t offset) \
    {                                                                                      \
        void *(*real)(void *, size_t, int, int, int, off_t);                               \
        void *at, *symbol = video_behind(function);                                        \
                                                                                           \
        if (video_mmap(bytes, prot, flags, fd, offset, &at)) {                             \
            return at;                                                                     \
        }                                                                                  \
        memcpy(&real, &symbol, sizeof(symbol));                                            \
        return real(hint, bytes, prot, flags, fd, offset);                                 \
    }

DEFINE_MMAP(mmap, VIDEO_MMAP)
DEFINE_MMAP(mmap64, VIDEO_MMAP64)

EXPORT int munmap(void *at, size_t bytes)
{
    const struct vtegra_video *video = atomic_load(&loaded);
    void *symbol = video_behind(VIDEO_MUNMAP);
    int (*real)(void *, size_t);

    if (video && video->munmap(at, bytes)) {
        return 0;
    }
    memcpy(&real, &symbol, sizeof(symbol));
    return real(at, bytes);
}

/* --- the node --------------------------------------------------------------------------------- */

static bool video_stat(const char *path, struct stat *out)
{
    if (!path || strcmp(path, VTEGRA_VIDEO_PATH) != 0 || !video_there()) {
        return false;
    }
    memset(out, 0, sizeof(*out));
    out->st_mode = S_IFCHR | 0660;
    out->st_rdev = NODE;
    out->st_nlink = 1;
    return true;
}

#define DEFINE_STAT(name, type, function)                   \
    EXPORT int name(const char *path, struct type *out)     \
    {                                                       \
        int (*real)(const char *, struct type *);           \
        void *symbol = video_behind(function);              \
                                                            \
        if (video_stat(path, (struct stat *)(void *)out)) { \
            return 0;                                       \
        }                                                   \
        memcpy(&real, &symbol, sizeof(symbol));             \
        return real(path, out);                             \
    }

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout on 64 bits");
DEFINE_STAT(stat, stat, VIDEO_STAT)
DEFINE_STAT(stat64, stat64, VIDEO_STAT64)
