/* SPDX-License-Identifier: MIT */
/* Where a report goes, and what happens when it cannot be written. */
#include <check.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/hal_none.h"
#include "tests/report_rig.h"
#include "tests/suite.h"

/* A link: whoever renames a file over a report by mistake, as root, shall not take the device. */
static char *full_disk(void)
{
    char *link = g_strconcat(report_path, ".full", NULL);

    ck_assert(symlink("/dev/full", link) == 0 || errno == EEXIST);
    return link;
}

static void assert_full(const char *err, const char *what, const char *path, const char *more)
{
    char *said = g_strdup_printf("%s %s: No space left on device%s", what, path, more);

    assert_has(err, said);
    g_free(said);
}

START_TEST(full_disk_is_said_and_the_report_reaches_stderr)
{
    char *full = full_disk(), *err;

    run_pipeline(full, full, full);
    err = content(err_path);
    assert_full(err, "trace file", full, "; the trace ends here");
    assert_full(err, "report", full, "");
    assert_full(err, "JSON report", full, "");
    assert_has(err, "vtegra report\n  program       pipeline");
    unlink(full);
    g_free(err);
    g_free(full);
}
END_TEST

/* /dev/stdout is a link, and may lead to a file. */
START_TEST(a_link_is_written_through)
{
    struct stat st;
    char *link = g_strconcat(report_path, ".link", NULL), *text;

    ck_assert(g_file_set_contents(report_path, "before", -1, NULL));
    ck_assert_int_eq(symlink(report_path, link), 0);
    run_pipeline(link, NULL, NULL);
    ck_assert_int_eq(lstat(link, &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    text = content(report_path);
    assert_has(text, "vtegra report\n  program       pipeline");
    ck_assert_int_eq(unlink(link), 0);
    g_free(text);
    g_free(link);
}
END_TEST

START_TEST(full_disk_is_said_once)
{
    char *full = full_disk(), *err;
    struct check *c = start(report_path, NULL, full);

    for (int i = 0; i < 10000; i++) { /* many times the buffer of the file */
        record(c, 1, TRACE_EVENT_SYNCPT_INCR, BUS_AGENT_HOST, 0, 0, 1, (uint64_t)i, 0, 0);
    }
    check_close(c);
    check_free(c);
    err = content(err_path);
    assert_has(err, "No space left on device");
    ck_assert_ptr_eq(strstr(err, "No space"), g_strrstr(err, "No space")); /* the only one */
    unlink(full);
    g_free(err);
    g_free(full);
}
END_TEST

START_TEST(file_that_cannot_be_made_is_said_at_once)
{
    struct check *c = start("/nonexistent/r", NULL, "/nonexistent/t");
    char *err = content(err_path);

    assert_has(
        err,
        "trace file /nonexistent/t: No such file or directory; the run continues without a trace");
    g_free(err);
    pipeline(c);
    check_close(c);
    check_free(c);
    err = content(err_path);
    assert_has(err, "report /nonexistent/r: No such file or directory");
    assert_has(err, "vtegra report");
    g_free(err);
}
END_TEST

START_TEST(closing_keeps_errno_and_happens_once)
{
    struct check *c = start(report_path, NULL, NULL);
    char *text;

    pipeline(c);
    errno = EXDEV;
    check_close(c);
    ck_assert_int_eq(errno, EXDEV);
    g_remove(report_path);
    check_close(c);
    ck_assert(!g_file_test(report_path, G_FILE_TEST_EXISTS));
    pipeline(c); /* late calls of other threads are harmless */
    check_free(c);
    text = content(err_path);
    ck_assert_ptr_null(strstr(text, "vtegra report"));
    g_free(text);
}
END_TEST

/* Of 10,000 runs nobody reads those that found nothing. */
START_TEST(json_only_if_something_was_found)
{
    struct soc_profile tx2 = { .soc = { .name = "tx2" } };
    struct check_config config = { .profile = &tx2,
                                   .os = "linux",
                                   .policy = "seeded",
                                   .evict = "never",
                                   .json_path = json_path,
                                   .json_if_found = true,
                                   .quiet = true };
    struct check *c = check_open(&config);

    region(c, 1, HAL_MEM_PINNED, "cuMemHostAlloc");
    if (_i) {
        record(c, 1000, TRACE_EVENT_LOST_BYTES, BUS_AGENT_CPU, 1, 0, 0x80000000, 64, 0, 0);
    }
    check_close(c);
    check_free(c);
    ck_assert_int_eq(g_file_test(json_path, G_FILE_TEST_EXISTS), _i);
}
END_TEST

START_TEST(nothing_is_said_of_a_board_that_was_not_used)
{
    struct check *c = start(NULL, NULL, NULL);
    char *err;

    check_close(c);
    check_free(c);
    err = content(err_path);
    ck_assert_str_eq(err, "");
    g_free(err);
}
END_TEST

START_TEST(no_checker_is_accepted_everywhere)
{
    struct check_region r = { .api = "cuMemAlloc" };
    struct check_kernel k = { .name = "k" };
    struct check_note n = { .api = "x" };
    struct check_finding f = { .rule = "x" };
    struct check_fault fault = { .what = "x" };

    ck_assert_uint_eq(check_mask(NULL), 0);
    check_region_add(NULL, &r);
    check_region_remove(NULL, 1, NULL);
    check_kernel(NULL, &k);
    check_api_note(NULL, &n);
    check_finding(NULL, &f);
    check_kernel_fault(NULL, &fault);
    check_managed_state(NULL, 1, false, 0, 0);
    check_close(NULL);
    check_free(NULL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("report_file");
    TCase *t = tcase_create("report_file");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, full_disk_is_said_and_the_report_reaches_stderr);
    tcase_add_test(t, a_link_is_written_through);
    tcase_add_test(t, full_disk_is_said_once);
    tcase_add_test(t, file_that_cannot_be_made_is_said_at_once);
    tcase_add_test(t, closing_keeps_errno_and_happens_once);
    tcase_add_loop_test(t, json_only_if_something_was_found, 0, 2);
    tcase_add_test(t, nothing_is_said_of_a_board_that_was_not_used);
    tcase_add_test(t, no_checker_is_accepted_everywhere);
    suite_add_tcase(s, t);
    return suite_main(s);
}
