/* SPDX-License-Identifier: MIT */
/* A folder for each compilation. Its name is drawn: processes of several containers share a cache
 * and have the same numbers. The lock on it says that it is in use, in whichever container. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/hal/inproc/compile.h"

#define PREFIX "job."
/* Between the making of a folder and its lock there is less. */
#define FRESH_SECONDS 60
/* Earlier versions had KEY.PID.c, .so and .new beside the entries. */
#define STALE_SECONDS 3600

static bool is_older(const struct stat *s, time_t seconds)
{
    return time(NULL) - s->st_mtime > seconds;
}

/* Folders inside are none of ours and stay, and with them @path. */
static void folder_remove(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *d;

    while (dir && (d = readdir(dir))) {
        unlinkat(dirfd(dir), d->d_name, 0);
    }
    if (dir) {
        closedir(dir);
    }
    rmdir(path);
}

int workplace_open(const char *folder, char **path)
{
    int fd = -1, err;

    *path = g_build_filename(folder, PREFIX "XXXXXX", NULL);
    if (mkdtemp(*path)) {
        fd = open(*path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    err = errno;
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
        err = fd < 0 ? err : errno;
        if (fd >= 0) {
            close(fd);
        }
        g_clear_pointer(path, g_free);
        return -err;
    }
    return fd;
}

void workplace_close(int fd, const char *path)
{
    folder_remove(path);
    close(fd);
}

/* What a process has left that was killed, or whose compiler was. */
static void folder_sweep(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat s;

    if (fd >= 0 && fstat(fd, &s) == 0 && s.st_uid == geteuid() && is_older(&s, FRESH_SECONDS) &&
        flock(fd, LOCK_EX | LOCK_NB) == 0) {
        folder_remove(path);
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void file_sweep(const char *path)
{
    struct stat s;

    if (lstat(path, &s) == 0 && S_ISREG(s.st_mode) && is_older(&s, STALE_SECONDS)) {
        unlink(path);
    }
}

void workplace_sweep(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *d;

    while (dir && (d = readdir(dir))) {
        g_autofree char *path = g_build_filename(folder, d->d_name, NULL);

        if (g_str_has_prefix(d->d_name, PREFIX)) {
            folder_sweep(path);
        } else if (strlen(d->d_name) > CACHE_KEY_CHARS && d->d_name[CACHE_KEY_CHARS] == '.') {
            file_sweep(path);
        }
    }
    if (dir) {
        closedir(dir);
    }
}
