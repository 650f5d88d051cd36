/* SPDX-License-Identifier: MIT */
/* What a scenario expects, and when a verdict says so: docs/scenarios.md. */
#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/scenario/scenario.h"

static char *said; /* the last line for stderr */

void cmd_error(const char *cmd, const char *format, ...)
{
    va_list args;

    (void)cmd;
    va_start(args, format);
    g_free(said);
    said = g_strdup_vprintf(format, args);
    va_end(args);
}

static struct scenario scenario;
static struct scenario_verdict verdict;

static void setup(void)
{
    unsigned line = 7;

    scenario = (struct scenario){ .name = (char *)"x",
                                  .marks = g_array_new(FALSE, FALSE, sizeof(unsigned)) };
    g_array_append_val(scenario.marks, line);
    scenario.expect = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    verdict = (struct scenario_verdict){ .words = g_ptr_array_new_with_free_func(g_free),
                                         .advice = g_ptr_array_new_with_free_func(g_free),
                                         .at_mark = TRUE };
}

static void teardown(void)
{
    g_array_unref(scenario.marks);
    g_hash_table_destroy(scenario.expect);
    scenario_verdict_clear(&verdict);
}

static void found(const char *word)
{
    g_ptr_array_add(verdict.words, g_strdup(word));
}

/* Is @why, "" or what differs, the answer? */
static void match(const char *expected, gboolean loose, gboolean result, const char *why)
{
    char *got = scenario_match(&scenario, &verdict, expected, loose, result);

    ck_assert_str_eq(got ? got : "", why);
    g_free(got);
}

START_TEST(what_is_expected_has_to_be_there)
{
    match("race result", FALSE, TRUE, "no race");
    found("race");
    match("race result", FALSE, TRUE, "no result");
    found("result");
    match("race result", FALSE, TRUE, "");
}
END_TEST

START_TEST(what_is_not_expected_must_not_be_there)
{
    found("race");
    match("silent", FALSE, TRUE, "also race");
    match("result?", FALSE, TRUE, "also race");
}
END_TEST

START_TEST(nothing_found_is_silent)
{
    match("silent", FALSE, TRUE, "");
}
END_TEST

START_TEST(a_question_mark_makes_a_word_optional)
{
    found("race");
    match("race result?", FALSE, TRUE, "");
    found("result");
    match("race result?", FALSE, TRUE, "");
}
END_TEST

START_TEST(a_wrong_answer_may_be_missing_where_it_does_not_count)
{
    found("race");
    match("race result", FALSE, FALSE, "");
}
END_TEST

START_TEST(under_another_policy_all_words_are_optional)
{
    match("race result", TRUE, TRUE, "");
    found("deadlock");
    match("race result", TRUE, TRUE, "also deadlock");
}
END_TEST

START_TEST(an_advice_counts_as_found)
{
    g_ptr_array_add(verdict.advice, g_strdup("copy-unneeded"));
    match("copy-unneeded", FALSE, TRUE, "");
    match("small-pinned", FALSE, TRUE, "no small-pinned");
}
END_TEST

START_TEST(a_finding_elsewhere_than_at_the_marked_line_is_another_one)
{
    found("race");
    verdict.at_mark = FALSE;
    match("race", FALSE, TRUE, "no finding at a line that says \"found here\"");
    match("race", TRUE, TRUE, "");
}
END_TEST

START_TEST(a_board_has_its_own_words_or_those_of_all)
{
    g_hash_table_insert(scenario.expect, g_strdup("all"), g_strdup("race"));
    g_hash_table_insert(scenario.expect, g_strdup("thor"), g_strdup("silent"));
    g_hash_table_insert(scenario.expect, g_strdup("nano"), g_strdup("absent"));
    ck_assert_str_eq(scenario_expected(&scenario, "orin"), "race");
    ck_assert_str_eq(scenario_expected(&scenario, "thor"), "silent");
    ck_assert_ptr_null(scenario_expected(&scenario, "nano"));
}
END_TEST

/* Every board of every shipped scenario is spoken of, and the twins are there. */
START_TEST(the_library_is_complete)
{
    static const char *const socs[] = { "nano",      "tx2",     "xavier-nx", "xavier",
                                        "orin-nano", "orin-nx", "orin",      "thor" };
    GPtrArray *all = scenario_load_all(SCENARIOS_DIR);
    unsigned schedule = 0;

    ck_assert_msg(all, "%s", said ? said : "");
    ck_assert_uint_ge(all->len, 40);
    for (guint i = 0; i < all->len; i++) {
        const struct scenario *s = all->pdata[i];

        schedule += s->group == SCENARIO_SCHEDULE;
        ck_assert_msg(scenario_expected(s, s->soc), "%s expects nothing of its own board", s->name);
        ck_assert_msg(strcmp(scenario_expected(s, s->soc), "silent"),
                      "%s is silent on its own board", s->name);
        for (size_t k = 0; k < G_N_ELEMENTS(socs); k++) {
            ck_assert_msg(g_hash_table_contains(s->expect, socs[k]) ||
                              g_hash_table_contains(s->expect, "all"),
                          "%s does not speak of %s", s->name, socs[k]);
        }
    }
    ck_assert_uint_ge(schedule, 5);
    g_ptr_array_unref(all);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scenario");
    TCase *tc = tcase_create("scenario");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, what_is_expected_has_to_be_there);
    tcase_add_test(tc, what_is_not_expected_must_not_be_there);
    tcase_add_test(tc, nothing_found_is_silent);
    tcase_add_test(tc, a_question_mark_makes_a_word_optional);
    tcase_add_test(tc, a_wrong_answer_may_be_missing_where_it_does_not_count);
    tcase_add_test(tc, under_another_policy_all_words_are_optional);
    tcase_add_test(tc, an_advice_counts_as_found);
    tcase_add_test(tc, a_finding_elsewhere_than_at_the_marked_line_is_another_one);
    tcase_add_test(tc, a_board_has_its_own_words_or_those_of_all);
    tcase_add_test(tc, the_library_is_complete);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
