/* SPDX-License-Identifier: MIT */
/* Every file of scenarios/litmus: its verdict on each SoC it names is the one it expects. The
 * expectations were written from the documents that each file cites. A verdict holds for the
 * machine without its reduction as well. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"
#include "profiles/profile.h"

/* The folder of the profiles tells where the sources are */
static char *scenarios_dir(void)
{
    const char *profiles = g_getenv("VTEGRA_PROFILES");

    ck_assert_msg(profiles != NULL, "VTEGRA_PROFILES is not set");
    return g_build_filename(profiles, "..", "scenarios", "litmus", NULL);
}

static struct litmus_test *test_load(const char *dir, const char *name)
{
    char *path = g_build_filename(dir, name, NULL), *text;
    struct litmus_test *test;
    GError *error = NULL;
    gsize len;

    ck_assert(g_file_get_contents(path, &text, &len, NULL));
    test = litmus_parse(text, len, name, &error);
    ck_assert_msg(test != NULL, "%s", error ? error->message : "");
    g_free(text);
    g_free(path);
    return test;
}

static GPtrArray *files(const char *dir)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *d = g_dir_open(dir, 0, NULL);
    const char *name;

    ck_assert(d != NULL);
    while ((name = g_dir_read_name(d))) {
        if (g_str_has_suffix(name, ".litmus")) {
            g_ptr_array_add(names, g_strdup(name));
        }
    }
    g_dir_close(d);
    return names;
}

static struct litmus_result *explore(const struct litmus_test *test, const char *soc, bool reduce)
{
    struct litmus_options options = { reduce, 0 };
    struct soc_profile *profile = profile_load(soc, NULL);
    struct litmus_result *r;
    GError *error = NULL;

    ck_assert_msg(profile != NULL, "%s", soc);
    r = litmus_explore(test, profile, &options, &error);
    ck_assert_msg(r != NULL, "%s", error ? error->message : "");
    profile_free(profile);
    return r;
}

static char *outcomes_text(const struct litmus_test *test, const struct litmus_result *r)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < r->outcomes->len; i++) {
        char *line =
            litmus_outcome_text(test, &g_array_index(r->outcomes, struct litmus_outcome, i));

        g_string_append_printf(text, "%s\n", line);
        g_free(line);
    }
    return g_string_free(text, FALSE);
}

START_TEST(every_file_ends_as_it_expects)
{
    char *dir = scenarios_dir();
    GPtrArray *names = files(dir);

    for (guint i = 0; i < names->len; i++) {
        struct litmus_test *test = test_load(dir, names->pdata[i]);

        for (unsigned s = 0; s < test->expects; s++) {
            const struct litmus_expect *x = &test->expect[s];
            struct litmus_result *r = explore(test, x->soc, true);

            ck_assert_msg(r->exhausted, "%s on %s", test->file, x->soc);
            ck_assert_msg(litmus_verdict_meets(r->verdict, x->verdict), "%s on %s: %s, expected %s",
                          test->file, x->soc, litmus_verdict_name(r->verdict),
                          litmus_verdict_name(x->verdict));
            litmus_result_free(r);
        }
        litmus_free(test);
    }
    g_ptr_array_free(names, TRUE);
    g_free(dir);
}
END_TEST

START_TEST(reduction_changes_no_outcome)
{
    char *dir = scenarios_dir();
    GPtrArray *names = files(dir);
    uint64_t reduced = 0, all = 0;

    for (guint i = 0; i < names->len; i++) {
        struct litmus_test *test = test_load(dir, names->pdata[i]);

        for (unsigned s = 0; s < test->expects; s++) {
            struct litmus_result *a = explore(test, test->expect[s].soc, true);
            struct litmus_result *b = explore(test, test->expect[s].soc, false);
            char *x = outcomes_text(test, a), *y = outcomes_text(test, b);

            ck_assert_msg(strcmp(x, y) == 0, "%s on %s", test->file, test->expect[s].soc);
            reduced += a->states;
            all += b->states;
            g_free(x);
            g_free(y);
            litmus_result_free(a);
            litmus_result_free(b);
        }
        litmus_free(test);
    }
    ck_assert_msg(reduced * 2 < all,
                  "it takes out too little: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, reduced,
                  all);
    g_ptr_array_free(names, TRUE);
    g_free(dir);
}
END_TEST

/* Name, doc, at least one expectation, a source and a text for the reader: what a lesson needs. */
START_TEST(every_file_teaches_and_cites)
{
    char *dir = scenarios_dir();
    GPtrArray *names = files(dir);

    ck_assert_uint_ge(names->len, 60);
    for (guint i = 0; i < names->len; i++) {
        struct litmus_test *test = test_load(dir, names->pdata[i]);

        ck_assert_msg(test->doc && *test->doc, "%s", test->file);
        ck_assert_msg(test->expects > 0, "%s", test->file);
        ck_assert_msg(test->source && *test->source, "%s", test->file);
        ck_assert_msg(test->teach && *test->teach, "%s", test->file);
        litmus_free(test);
    }
    g_ptr_array_free(names, TRUE);
    g_free(dir);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("litmus_scenarios");
    TCase *tc = tcase_create("files");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, every_file_ends_as_it_expects);
    if (!g_getenv("LITMUS_VERDICTS_ONLY")) {
        tcase_add_test(tc, reduction_changes_no_outcome);
        tcase_add_test(tc, every_file_teaches_and_cites);
    }
    suite_add_tcase(s, tc);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
