/* SPDX-License-Identifier: MIT */
#include "trace/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/packed.h"

#define BUFFER TRACE_LINE_MAX

/* @packed: NULL: a file of text */
struct tracefile {
    char *path;
    struct packed *packed;
    int fd;
    bool failed, ended;
    size_t used;
    char buffer[BUFFER];
};

ssize_t tracefile_write(int fd, const void *data, size_t len)
{
    return syscall(SYS_write, fd, data, len);
}

/* Return: 0 or errno. */
static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = tracefile_write(fd, text, len);

        if (n < 0 && errno != EINTR) {
            return errno;
        }
        if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

static int packed_out(void *file, const void *data, size_t len)
{
    return write_all(((struct tracefile *)file)->fd, data, len);
}

struct tracefile *tracefile_open(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct tracefile *t;

    if (fd < 0) {
        dprintf(STDERR_FILENO, "vtegra: trace file %s: %s; the run continues without a trace\n",
                path, strerror(errno));
        return NULL;
    }
    t = g_new0(struct tracefile, 1);
    t->path = g_strdup(path);
    t->fd = fd;
    if (g_str_has_suffix(path, PACKED_SUFFIX)) {
        t->packed = packed_new(packed_out, t);
    }
    return t;
}

/* @error: of the disk. It is said once. */
static bool tracefile_written(struct tracefile *t, int error)
{
    if (error && !t->failed) {
        t->failed = true;
        fprintf(
            stderr,
            "vtegra: trace file %s: %s; the trace ends here, the program and its report are not "
            "affected\n",
            t->path, strerror(error));
    }
    return !t->failed;
}

static bool buffer_out(struct tracefile *t)
{
    size_t n = t->used;

    t->used = 0;
    return !t->failed && tracefile_written(t, t->packed ? packed_add(t->packed, t->buffer, n)
                                                        : write_all(t->fd, t->buffer, n));
}

bool tracefile_flush(struct tracefile *t)
{
    return t && buffer_out(t) && (!t->packed || tracefile_written(t, packed_frame_end(t->packed)));
}

bool tracefile_end(struct tracefile *t)
{
    bool good = tracefile_flush(t);

    if (good && t->packed) {
        good = tracefile_written(t, packed_end(t->packed));
        packed_free(t->packed);
        t->packed = NULL;
        t->ended = true;
    }
    return good;
}

void tracefile_line(struct tracefile *t, const char *line)
{
    size_t len = strlen(line);

    if (!t || t->failed || t->ended) {
        return;
    }
    if (t->used + len + 1 > BUFFER && (!buffer_out(t) || len + 1 > BUFFER)) {
        return;
    }
    memcpy(t->buffer + t->used, line, len);
    t->used += len;
    t->buffer[t->used++] = '\n';
}

void tracefile_bytes(struct tracefile *t, const void *data, size_t len)
{
    const char *from = data;

    while (t && !t->failed && !t->ended && len > 0) {
        size_t n = MIN(len, BUFFER - t->used);

        memcpy(t->buffer + t->used, from, n);
        t->used += n;
        from += n;
        len -= n;
        if (t->used == BUFFER) {
            buffer_out(t);
        }
    }
}

void tracefile_close(struct tracefile *t)
{
    if (t) {
        tracefile_end(t);
        close(t->fd);
        packed_free(t->packed);
        g_free(t->path);
        g_free(t);
    }
}

#define PARTS_MAX 1000

/* A link stays one, above all /dev/stdout where that is a file. */
static bool is_regular_or_new(const char *path)
{
    struct stat st;

    return lstat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/* A new file beside @path, where another process may be saving, too. One that is there already, or
 * a link, is another's: in /tmp another user may have put it there. */
static int part_open(const char *path, char **name)
{
    int fd = -1;

    for (unsigned i = 0; i < PARTS_MAX && fd < 0; i++) {
        g_free(*name);
        *name = i ? g_strdup_printf("%s.part.%u", path, i) : g_strconcat(path, ".part", NULL);
        fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    return fd;
}

int outfile_save(const char *path, const void *data, size_t len)
{
    bool replace = is_regular_or_new(path); /* not a pipe, not /dev/stdout */
    char *temporary = NULL;
    int fd = replace ? part_open(path, &temporary)
                     : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : write_all(fd, data, len);

    if (fd >= 0 && close(fd) != 0 && !error) {
        error = errno;
    }
    if (replace && !error && rename(temporary, path) != 0) {
        error = errno;
    }
    if (replace && error && fd >= 0) {
        unlink(temporary);
    }
    g_free(temporary);
    return error;
}

bool outfile_write(const char *path, const char *what, const char *text)
{
    int error;

    if (!path) {
        write_all(STDERR_FILENO, text, strlen(text)); /* a closed one is the application's choice */
        return true;
    }
    error = strcmp(path, "-") == 0 ? write_all(STDOUT_FILENO, text, strlen(text))
                                   : outfile_save(path, text, strlen(text));
    if (error) {
        dprintf(STDERR_FILENO,
                "vtegra: %s %s: %s; the program's own output and exit status are not affected\n",
                what, path, strerror(error));
        errno = error;
    }
    return error == 0;
}
