/* SPDX-License-Identifier: MIT */
/* A folder for the files of a test, and stderr as one of them. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <check.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

static char *dir, *err_path;
static int saved_err;

static inline void scratch_open(void)
{
    int fd;

    dir = g_dir_make_tmp("vtegra-test-XXXXXX", NULL);
    ck_assert_ptr_nonnull(dir);
    err_path = g_build_filename(dir, "err", NULL);
    saved_err = dup(2);
    fd = open(err_path, O_RDWR | O_CREAT, 0600);
    dup2(fd, 2);
    close(fd);
}

/* @paths: files of the test, there or not; freed with it. Nothing else may be left. */
static inline void scratch_close(char *const *paths, size_t count)
{
    dup2(saved_err, 2);
    close(saved_err);
    for (size_t i = 0; i < count; i++) {
        g_remove(paths[i]);
        g_free(paths[i]);
    }
    g_remove(err_path);
    g_free(err_path);
    ck_assert_int_eq(g_rmdir(dir), 0);
    g_free(dir);
}

#endif
