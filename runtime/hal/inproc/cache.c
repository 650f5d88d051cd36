/* SPDX-License-Identifier: MIT */
/* Compiled code on disk: one file a key, with a check of its own bytes. A file that is not exactly
 * what cache_write() makes counts as none, and is written anew. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/hal/inproc/compile.h"

#define MAGIC "vtegra native 1\n"
#define FILE_BYTES_MAX (UINT64_C(64) << 20)

/* @key: what was compiled, and how; @sum: of the code that follows; both in hexadecimal */
struct header {
    char magic[sizeof(MAGIC) - 1], key[CACHE_KEY_CHARS], sum[CACHE_KEY_CHARS];
};

static void header_make(struct header *h, const char *key, const void *code, size_t len)
{
    g_autofree char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, code, len);

    memcpy(h->magic, MAGIC, sizeof(h->magic));
    memcpy(h->key, key, sizeof(h->key));
    memcpy(h->sum, sum, sizeof(h->sum));
}

/* No other user can have put code here. */
static bool is_own(const struct stat *s)
{
    return s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH));
}

char *cache_folder(void)
{
    char *folder = g_build_filename(g_get_user_cache_dir(), "vtegra", "native", NULL);
    struct stat s;
    int err = 0;

    if (g_mkdir_with_parents(folder, 0700) != 0 || stat(folder, &s) != 0) {
        err = errno;
    } else if (!is_own(&s) || access(folder, W_OK | X_OK) != 0) {
        err = is_own(&s) ? errno : EPERM;
    }
    if (err) {
        g_free(folder);
        errno = err;
        return NULL;
    }
    return folder;
}

static char *file_name(const char *folder, const char *key)
{
    return g_strdup_printf("%s/%s", folder, key);
}

/* All of a file of ours, or NULL */
static uint8_t *file_read(const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    uint8_t *bytes = NULL;
    struct stat s;
    size_t got = 0;
    ssize_t n = 1;

    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && is_own(&s) &&
        s.st_size > (off_t)sizeof(struct header) && (uint64_t)s.st_size <= FILE_BYTES_MAX) {
        *len = (size_t)s.st_size;
        bytes = g_malloc(*len);
        while (got < *len && n > 0) {
            n = read(fd, bytes + got, *len - got);
            got += n > 0 ? (size_t)n : 0;
        }
        if (got < *len) {
            g_clear_pointer(&bytes, g_free);
        }
    }
    close(fd);
    return bytes;
}

GBytes *cache_read(const char *folder, const char *key)
{
    g_autofree char *path = file_name(folder, key);
    struct header want;
    size_t len = 0;
    uint8_t *file = file_read(path, &len);
    GBytes *code = NULL;

    if (file) {
        header_make(&want, key, file + sizeof(want), len - sizeof(want));
        if (memcmp(file, &want, sizeof(want)) == 0) {
            code = g_bytes_new(file + sizeof(want), len - sizeof(want));
            utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW); /* of cache_trim() */
        }
    }
    g_free(file);
    return code;
}

static int write_all(int fd, const void *data, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, (const uint8_t *)data + done, len - done);

        if (n <= 0) {
            return n < 0 ? -errno : -EIO;
        }
        done += (size_t)n;
    }
    return 0;
}

/* Under another name first: a file is whole, or not there. */
int cache_write(const char *folder, const char *key, const char *part, const void *code, size_t len)
{
    g_autofree char *path = file_name(folder, key);
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), err;
    struct header h;

    if (fd < 0) {
        return -errno;
    }
    header_make(&h, key, code, len);
    err = write_all(fd, &h, sizeof(h));
    if (!err) {
        err = write_all(fd, code, len);
    }
    if (close(fd) != 0 && !err) {
        err = -errno;
    }
    if (!err && rename(part, path) != 0) {
        err = -errno;
    }
    if (err) {
        unlink(part);
    }
    return err;
}

struct entry {
    char *path;
    uint64_t bytes;
    struct timespec used;
};

static void entry_free(void *opaque)
{
    struct entry *e = opaque;

    g_free(e->path);
    g_free(e);
}

/* The newest first; of two of one time by name. */
static int entry_order(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

    if (x->used.tv_sec != y->used.tv_sec) {
        return x->used.tv_sec > y->used.tv_sec ? -1 : 1;
    }
    if (x->used.tv_nsec != y->used.tv_nsec) {
        return x->used.tv_nsec > y->used.tv_nsec ? -1 : 1;
    }
    return strcmp(x->path, y->path);
}

static GPtrArray *entries_read(const char *folder)
{
    GPtrArray *entries = g_ptr_array_new_with_free_func(entry_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = file_name(folder, name);
        struct stat s;

        if (strlen(name) == CACHE_KEY_CHARS && lstat(path, &s) == 0 && S_ISREG(s.st_mode)) {
            struct entry *e = g_new(struct entry, 1);

            *e = (struct entry){ g_steal_pointer(&path), (uint64_t)s.st_size, s.st_mtim };
            g_ptr_array_add(entries, e);
        }
    }
    if (dir) {
        g_dir_close(dir);
    }
    return entries;
}

void cache_trim(const char *folder, uint64_t bytes)
{
    g_autoptr(GPtrArray) entries = entries_read(folder);
    uint64_t sum = 0;

    g_ptr_array_sort(entries, entry_order);
    for (guint i = 0; i < entries->len; i++) {
        const struct entry *e = entries->pdata[i];

        sum += e->bytes;
        if (sum > bytes) {
            unlink(e->path);
        }
    }
}
