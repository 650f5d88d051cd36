/* SPDX-License-Identifier: MIT */
/* Ranges and tasks of other engines: what the trace file says of them. */
#include <check.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/observe/range.h"
#include "tests/hal_none.h"
#include "tests/suite.h"

static char *path;
static struct check *checker;

static void setup(void)
{
    static const struct soc_profile orin = { .soc = { .name = "orin" } };

    path = g_strdup_printf("%s/vtegra-test-range-%d", g_get_tmp_dir(), (int)getpid());
    checker = check_open(&(struct check_config){ .profile = &orin,
                                                 .os = "linux",
                                                 .policy = "lazy",
                                                 .evict = "lru",
                                                 .trace_path = path,
                                                 .quiet = true });
}

static void teardown(void)
{
    check_free(checker);
    g_remove(path);
    g_free(path);
}

/* The lines of the trace that begin with @begin, after the run. */
static char *lines(const char *begin)
{
    GString *out = g_string_new(NULL);
    char *text, **all;

    check_close(checker);
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    all = g_strsplit(text, "\n", -1);
    for (char **line = all; *line; line++) {
        if (g_str_has_prefix(*line, begin)) {
            g_string_append_printf(out, "%s\n", *line);
        }
    }
    g_strfreev(all);
    g_free(text);
    return g_string_free(out, FALSE);
}

START_TEST(ranges_are_lines_of_the_trace)
{
    g_autofree char *got = NULL;

    check_range(checker, &(struct check_range){ "push", "cudla", "cudlaSubmitTask", 3, 0 });
    check_range(checker, &(struct check_range){ "start", "mine", "a name", 0, 17 });
    check_range(checker, &(struct check_range){ "pop", "cudla", NULL, 3, 0 });
    got = lines("@range");
    ck_assert_str_eq(got, "@range phase=push domain=cudla name=cudlaSubmitTask thread=3\n"
                          "@range phase=start domain=mine name=\"a name\" thread=0 id=17\n"
                          "@range phase=pop domain=cudla thread=3\n");
}
END_TEST

/* A name may be a whole text: 200 bytes of it. */
START_TEST(long_names_are_cut)
{
    g_autofree char *got = NULL, *name = g_strnfill(1000, 'n'), *cut = g_strnfill(200, 'n');
    g_autofree char *wanted = g_strdup_printf("@range phase=mark domain=d name=%s thread=1\n", cut);

    check_range(checker, &(struct check_range){ "mark", "d", name, 1, 0 });
    got = lines("@range");
    ck_assert_str_eq(got, wanted);
}
END_TEST

START_TEST(tasks_name_their_call)
{
    g_autofree char *got = NULL;

    check_task(checker, "cudlaSubmitTask", 4, &(struct check_caller){ { 0 }, 0 });
    got = lines("@task");
    ck_assert_str_eq(got, "@task api=cudlaSubmitTask stream=4\n");
}
END_TEST

static void *in_between(void *arg)
{
    (void)arg;
    check_range(checker, &(struct check_range){ "mark", "d", "x", 1, 0 });
    check_task(checker, "cudlaSubmitTask", 4, &(struct check_caller){ { 0 }, 0 });
    return NULL;
}

/* After the report the checker takes nothing, and lets go of its lock. */
START_TEST(late_ones_are_left_out)
{
    g_autofree char *first = lines("@range"), *got = NULL;
    pthread_t thread;

    in_between(NULL);
    pthread_create(&thread, NULL, in_between, NULL);
    pthread_join(thread, NULL);
    check_free(checker); /* whatever was buffered is in the file now */
    checker = NULL;
    ck_assert(g_file_get_contents(path, &got, NULL, NULL));
    ck_assert_ptr_null(strstr(got, "@range"));
    ck_assert_ptr_null(strstr(got, "@task"));
}
END_TEST

START_TEST(locks_are_let_go)
{
    pthread_t thread;
    g_autofree char *got = NULL;

    in_between(NULL);
    pthread_create(&thread, NULL, in_between, NULL);
    pthread_join(thread, NULL);
    got = lines("@task");
    ck_assert_str_eq(got,
                     "@task api=cudlaSubmitTask stream=4\n@task api=cudlaSubmitTask stream=4\n");
}
END_TEST

START_TEST(without_a_checker_nothing_happens)
{
    check_range(NULL, &(struct check_range){ "mark", "d", "x", 1, 0 });
    check_task(NULL, "cudlaSubmitTask", 4, &(struct check_caller){ { 0 }, 0 });
}
END_TEST

int main(void)
{
    Suite *s = suite_create("range");
    TCase *t = tcase_create("range");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, ranges_are_lines_of_the_trace);
    tcase_add_test(t, long_names_are_cut);
    tcase_add_test(t, tasks_name_their_call);
    tcase_add_test(t, late_ones_are_left_out);
    tcase_add_test(t, locks_are_let_go);
    tcase_add_test(t, without_a_checker_nothing_happens);
    suite_add_tcase(s, t);
    return suite_main(s);
}
