/* SPDX-License-Identifier: MIT */
/* The cache of compiled kernels: its size, and the folders of compilations. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runtime/hal/inproc/compile.h"
#include "tests/scratch.h"
#include "tests/suite.h"

static char *keys[4], *part;

static void setup(void)
{
    scratch_open();
    for (unsigned i = 0; i < 4; i++) {
        keys[i] = g_strnfill(CACHE_KEY_CHARS, (char)('a' + i));
    }
    part = g_build_filename(dir, "part", NULL);
}

static void teardown(void)
{
    char *left[] = { part };

    for (unsigned i = 0; i < 4; i++) {
        g_autofree char *path = g_build_filename(dir, keys[i], NULL);

        g_remove(path);
        g_free(keys[i]);
    }
    scratch_close(left, 1);
}

static bool is_kept(const char *key)
{
    g_autofree char *path = g_build_filename(dir, key, NULL);

    return g_file_test(path, G_FILE_TEST_EXISTS);
}

static void age(const char *path, long seconds)
{
    struct timespec then[2];

    clock_gettime(CLOCK_REALTIME, &then[0]);
    then[0].tv_sec -= seconds;
    then[1] = then[0];
    ck_assert_int_eq(utimensat(AT_FDCWD, path, then, 0), 0);
}

/* Four entries of 1,000 bytes and a header of less than 500, the first one the oldest. */
static void entries_write(void)
{
    static const char code[1000] = "code";

    for (unsigned i = 0; i < 4; i++) {
        g_autofree char *path = g_build_filename(dir, keys[i], NULL);

        ck_assert_int_eq(cache_write(dir, keys[i], part, code, sizeof(code)), 0);
        age(path, 100 - (long)i);
    }
}

START_TEST(the_longest_unused_entries_are_removed)
{
    entries_write();
    cache_trim(dir, 1 << 20);
    ck_assert(is_kept(keys[0]) && is_kept(keys[1]) && is_kept(keys[2]) && is_kept(keys[3]));
    cache_trim(dir, 3000);
    ck_assert(!is_kept(keys[0]) && !is_kept(keys[1]) && is_kept(keys[2]) && is_kept(keys[3]));
    cache_trim(dir, 0);
    ck_assert(!is_kept(keys[2]) && !is_kept(keys[3]));
}
END_TEST

START_TEST(an_entry_that_is_read_is_used)
{
    GBytes *code;

    entries_write();
    code = cache_read(dir, keys[0]);
    ck_assert_uint_eq(g_bytes_get_size(code), 1000);
    g_bytes_unref(code);
    cache_trim(dir, 3000);
    ck_assert(is_kept(keys[0]) && !is_kept(keys[1]) && !is_kept(keys[2]) && is_kept(keys[3]));
}
END_TEST

/* In two containers both may be process 1. */
START_TEST(compilations_of_one_process_number_have_folders_of_their_own)
{
    char *first, *second;
    int a = workplace_open(dir, &first), b = workplace_open(dir, &second);

    ck_assert(a >= 0 && b >= 0);
    ck_assert_str_ne(first, second);
    workplace_close(a, first);
    workplace_close(b, second);
    ck_assert(!g_file_test(first, G_FILE_TEST_EXISTS));
    g_free(first);
    g_free(second);
}
END_TEST

/* The lock is of the open folder, not of a process, so that it holds between containers. */
START_TEST(folders_in_use_stay_and_others_are_swept)
{
    char *used, *left;
    int a = workplace_open(dir, &used), b = workplace_open(dir, &left);
    g_autofree char *source = g_build_filename(left, "code.c", NULL);

    ck_assert(g_file_set_contents(source, "int", -1, NULL));
    workplace_sweep(dir);
    ck_assert(g_file_test(source, G_FILE_TEST_EXISTS));
    close(b); /* killed */
    workplace_sweep(dir);
    ck_assert(g_file_test(source, G_FILE_TEST_EXISTS)); /* too young: it may not be locked yet */
    age(left, 120);
    age(used, 120);
    workplace_sweep(dir);
    ck_assert(!g_file_test(left, G_FILE_TEST_EXISTS));
    ck_assert(g_file_test(used, G_FILE_TEST_EXISTS));
    workplace_close(a, used);
    g_free(used);
    g_free(left);
}
END_TEST

/* KEY.PID.c, as earlier versions had it; an entry is none, however old. */
START_TEST(files_of_earlier_versions_are_swept)
{
    g_autofree char *name = g_strconcat(keys[0], ".1.c", NULL),
                    *path = g_build_filename(dir, name, NULL),
                    *entry = g_build_filename(dir, keys[0], NULL);

    entries_write();
    age(entry, 10000);
    ck_assert(g_file_set_contents(path, "int", -1, NULL));
    workplace_sweep(dir);
    ck_assert(g_file_test(path, G_FILE_TEST_EXISTS));
    age(path, 4000);
    workplace_sweep(dir);
    ck_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
    ck_assert(is_kept(keys[0]));
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_an_error)
{
    char *path;

    ck_assert_int_eq(workplace_open("/proc/none", &path), -ENOENT);
    ck_assert_ptr_null(path);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("native_cache");
    TCase *t = tcase_create("native_cache");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_longest_unused_entries_are_removed);
    tcase_add_test(t, an_entry_that_is_read_is_used);
    tcase_add_test(t, compilations_of_one_process_number_have_folders_of_their_own);
    tcase_add_test(t, folders_in_use_stay_and_others_are_swept);
    tcase_add_test(t, files_of_earlier_versions_are_swept);
    tcase_add_test(t, a_folder_that_cannot_be_made_is_an_error);
    suite_add_tcase(s, t);
    return suite_main(s);
}
