/* SPDX-License-Identifier: MIT */
/* The reader of loadables, on a file built by hand byte by byte (FlatBuffers internals). */
#include "loadable/loadable.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Root table with a task list of one task: id 7, everything else left out. */
static const uint8_t file[] = {
    16, 0, 0,  0, 'N', 'V', 'D', 'A',       /* root at 16 */
    8,  0, 8,  0, 0,   0,   4,   0,         /* 8: vtable: no version, task_list at +4 */
    8,  0, 0,  0, 4,   0,   0,   0,         /* 16: table: vtable 8 before; task_list at 20 + 4 */
    1,  0, 0,  0, 16,  0,   0,   0,         /* 24: one entry; table at 28 + 16 */
    10, 0, 8,  0, 4,   0,   0,   0,   0, 0, /* 32: vtable: id at +4 */
    0,  0, 12, 0, 0,   0,   7,   0,   0, 0, /* 44: table: vtable 12 before; id 7 */
};

static uint8_t bytes[sizeof(file)];
static struct loadable_error error;

static void setup(void)
{
    memcpy(bytes, file, sizeof(file));
}

static const char *complaint(void)
{
    static char text[200];
    struct loadable *l = loadable_open(bytes, sizeof(bytes), &error);

    ck_assert_ptr_null(l);
    loadable_error_format(&error, text, sizeof(text));
    return text;
}

START_TEST(a_task_is_read)
{
    struct loadable *l = loadable_open(bytes, sizeof(bytes), &error);

    ck_assert_ptr_nonnull(l);
    ck_assert(l->identified);
    ck_assert_uint_eq(l->tasks, 1);
    ck_assert_uint_eq(l->task[0].id, 7);
    ck_assert_uint_eq(l->task[0].interface, LOADABLE_NONE);
    ck_assert_uint_eq(l->task[0].addresses.count, 0);
    ck_assert_uint_eq(l->blobs, 0);
    ck_assert_ptr_eq(loadable_task_find(l, 7), &l->task[0]);
    ck_assert_ptr_null(loadable_memory_find(l, 7));
    loadable_close(l);
}
END_TEST

START_TEST(the_identifier_is_optional)
{
    struct loadable *l;

    memset(bytes + 4, 0, 4);
    l = loadable_open(bytes, sizeof(bytes), &error);
    ck_assert_ptr_nonnull(l);
    ck_assert(!l->identified);
    loadable_close(l);
}
END_TEST

START_TEST(a_list_must_end_in_the_file)
{
    memset(bytes + 24, 0xff, 4);
    ck_assert_str_eq(complaint(),
                     "task_list.entries = 4294967295 entries of 4 bytes at 28: must end "
                     "inside the file (52 bytes)");
    bytes[24] = 9; /* nine entries: 36 bytes from 28 on, the file has 24 */
    memset(bytes + 25, 0, 3);
    ck_assert_str_eq(complaint(),
                     "task_list.entries = 9 entries of 4 bytes at 28: must end inside the file (52 "
                     "bytes)");
}
END_TEST

START_TEST(a_table_must_lie_in_the_file)
{
    bytes[30] = 1;
    /* 28 + 16 + 0x10000 */
    ck_assert_str_eq(complaint(),
                     "task_list[0].table at 65580, 4 bytes: must lie inside the file (52 bytes)");
}
END_TEST

START_TEST(a_vtable_must_lie_in_the_file)
{
    bytes[47] = 0x40;
    /* 44 - (12 + 0x40000000) */
    ck_assert_str_eq(complaint(),
                     "task_list[0].vtable at -1073741792: must lie inside the file (52 bytes)");
    bytes[47] = 0;
    bytes[32] = 11;
    ck_assert_str_eq(complaint(),
                     "task_list[0].vtable of 11 bytes at 32: must be even, at least 4 and "
                     "inside the file (52 bytes)");
}
END_TEST

START_TEST(a_field_must_lie_in_the_file)
{
    bytes[36] = 200;
    /* 44 + 200 */
    ck_assert_str_eq(complaint(),
                     "task_list[0].id at 244, 2 bytes: must lie inside the file (52 bytes)");
}
END_TEST

START_TEST(no_prefix_of_a_file_crashes_the_reader)
{
    for (size_t n = 0; n < sizeof(file); n++) {
        uint8_t *copy = malloc(n ? n : 1); /* exactly n bytes, for the sanitizer */

        memcpy(copy, file, n);
        loadable_close(loadable_open(copy, n, &error));
        free(copy);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_loadable");
    TCase *t = tcase_create("reader");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, a_task_is_read);
    tcase_add_test(t, the_identifier_is_optional);
    tcase_add_test(t, a_list_must_end_in_the_file);
    tcase_add_test(t, a_table_must_lie_in_the_file);
    tcase_add_test(t, a_vtable_must_lie_in_the_file);
    tcase_add_test(t, a_field_must_lie_in_the_file);
    tcase_add_test(t, no_prefix_of_a_file_crashes_the_reader);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
