/* SPDX-License-Identifier: MIT */
/* Files in memory (memfd_create(2)): a temporary folder may be full, and a run that could not say
 * what it found would pass for one that found nothing. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/explore/explore.h"

gboolean explore_file_new(struct explore_file *f, const char *what)
{
    f->fd = memfd_create(what, MFD_CLOEXEC);
    f->what = what;
    f->path = g_strdup_printf("/proc/%d/fd/%d", (int)getpid(), f->fd);
    if (f->fd < 0) {
        cmd_error(EXPLORE_CMD, "cannot make a file in memory for %s: %s", what, g_strerror(errno));
    }
    return f->fd >= 0;
}

void explore_file_free(struct explore_file *f)
{
    if (f->path) {
        if (f->fd >= 0) {
            close(f->fd);
        }
        g_free(f->path);
        f->path = NULL;
    }
}

static gboolean cannot_keep(const struct explore_file *f, guint64 seed, const char *why)
{
    cmd_error(EXPLORE_CMD, "seed %" G_GUINT64_FORMAT ": %s (%s) could not be kept whole: %s", seed,
              f->what, f->path, why);
    return FALSE;
}

gboolean explore_file_is_whole(const struct explore_file *f, guint64 seed, int error)
{
    struct rlimit most;
    struct stat st;

    if (error) {
        return cannot_keep(f, seed, g_strerror(error));
    }
    if (fstat(f->fd, &st) != 0) {
        return cannot_keep(f, seed, g_strerror(errno));
    }
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        (rlim_t)st.st_size >= most.rlim_cur) {
        return cannot_keep(f, seed, "File too large (ulimit -f)");
    }
    if (st.st_size > (off_t)FORKSERVER_OUTPUT_MAX) {
        return cannot_keep(f, seed, "it is larger than 256 MiB; let the program print less");
    }
    return TRUE;
}

char *explore_file_read(const struct explore_file *f, gsize *len)
{
    struct stat st;
    char *text;
    ssize_t n;

    *len = 0;
    if (fstat(f->fd, &st) != 0) {
        return g_strdup("");
    }
    text = g_malloc((gsize)st.st_size + 1);
    while (*len < (gsize)st.st_size &&
           (n = pread(f->fd, text + *len, (gsize)st.st_size - *len, (off_t)*len)) > 0) {
        *len += (gsize)n;
    }
    text[*len] = '\0';
    return text;
}

gboolean explore_write(int fd, const char *text, gsize len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);

        if (n < 0 && errno != EINTR) {
            return FALSE;
        }
        text += MAX(n, 0);
        len -= (gsize)MAX(n, 0);
    }
    return TRUE;
}

gboolean explore_file_set(const struct explore_file *f, const char *text)
{
    if (ftruncate(f->fd, 0) == 0 && lseek(f->fd, 0, SEEK_SET) == 0 &&
        explore_write(f->fd, text, strlen(text))) {
        return TRUE;
    }
    cmd_error(EXPLORE_CMD, "cannot write %s (%s): %s", f->what, f->path, g_strerror(errno));
    return FALSE;
}

gboolean explore_output_check(const char *option, const char *path)
{
    struct stat st;

    if (!path) {
        return TRUE;
    }
    /* A device or a FIFO may be read for ever. */
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        cmd_error(EXPLORE_CMD, "--%s: %s is no regular file; nothing was started", option, path);
        return FALSE;
    }
    return cmd_output_check(EXPLORE_CMD, option, path, "nothing was started");
}
