/* SPDX-License-Identifier: MIT */
/* Suppressions: what an entry covers, and what a wrong one says. Format: docs/suppressions.md. */
#include <check.h>
#include <string.h>

#include "checker/run/run.h"
#include "checker/run/suppress.h"
#include "tests/suite.h"

static const struct {
    const char *entries, *finding;
    bool covered;
} covers[] = {
    { "rule=race", "@finding rule=race", true },
    { "rule=race", "@finding rule=stale-read", false },
    { "rule=*", "@finding rule=stale-read", true },
    { "rule=race*", "@finding rule=race", true },
    { "", "@finding rule=race", false },
    { "# rule=race\n\n", "@finding rule=race", false },
    { "rule=kernel-fault\nrule=race # known", "@finding rule=race", true },
    { "rule=race file=app.cu", "@finding rule=race where=\"src/app.cu:41 in main\"", true },
    { "rule=race file=src/app.cu", "@finding rule=race where=\"src/app.cu:41 in main\"", true },
    { "rule=race file=src/*", "@finding rule=race where=\"src/app.cu:41 in main\"", true },
    { "rule=race file=lib/app.cu", "@finding rule=race where=\"src/app.cu:41 in main\"", false },
    { "rule=race file=app.cu", "@finding rule=race where=\"app.cu:41\"", true },
    { "rule=race file=app.c?", "@finding rule=race where=\"app.cu:41\"", true },
    { "rule=race file=app.cu", "@finding rule=race", false },
    { "rule=race file=\"my app.cu\"", "@finding rule=race where=\"my app.cu:41 in main\"", true },
    { "rule=race function=main", "@finding rule=race where=\"app.cu:41 in main\"", true },
    { "rule=race function=main", "@finding rule=race where=\"app.cu:41 in main2\"", false },
    { "rule=race function=ns::f", "@finding rule=race where=\"app.cu:41 in ns::f (inside libc)\"",
      true },
    { "rule=race file=app.cu", "@finding rule=race where=\"app.cu:41 in ns::f\"", true },
    { "rule=race function=scale", "@finding rule=race kernel=_Z5scalePi", true },
    { "rule=race function=scale", "@finding rule=race kernel=_Z6scale2Pi", false },
    { "rule=race file=*\377.cu", "@finding rule=race where=\"a\374\377.cu:1 in main\"", true },
    { "rule=race file=*b*c.cu", "@finding rule=race where=\"abbccc.cu:1 in main\"", true },
    { "rule=race file=*b*c.cu", "@finding rule=race where=\"abbccd.cu:1 in main\"", false },
    { "rule=race function=k\tfile=a.cu", "@finding rule=race kernel=k where=\"a.cu:1 in main\"",
      true },
    { "rule=race function=k file=b.cu", "@finding rule=race kernel=k where=\"a.cu:1 in main\"",
      false },
};

START_TEST(an_entry_covers_what_fits_all_it_says)
{
    GError *error = NULL;
    struct suppressions *s = suppressions_parse(covers[_i].entries, "f", &error);
    struct note n;

    ck_assert_msg(s != NULL, "%s", error ? error->message : "");
    ck_assert(note_parse(covers[_i].finding, &n));
    ck_assert_int_eq(suppressions_cover(s, &n), covers[_i].covered);
    note_clear(&n);
    suppressions_free(s);
}
END_TEST

START_TEST(without_entries_nothing_is_covered)
{
    struct note n;

    ck_assert(note_parse("@finding rule=race", &n));
    ck_assert(!suppressions_cover(NULL, &n));
    note_clear(&n);
}
END_TEST

START_TEST(entries_that_cover_nothing_are_counted)
{
    struct suppressions *s = suppressions_parse("rule=stuck\nrule=race\nrule=r*", "f", NULL);
    struct note n;

    ck_assert_uint_eq(suppressions_unused(s), 3);
    ck_assert(note_parse("@finding rule=race", &n));
    ck_assert(suppressions_cover(s, &n));
    ck_assert_uint_eq(suppressions_unused(s), 2);
    ck_assert_uint_eq(suppressions_unused(NULL), 0);
    note_clear(&n);
    suppressions_free(s);
}
END_TEST

static const struct {
    const char *entries, *message;
} wrong[] = {
    { "race", "f:1:1: \"race\" is none of rule=, file=, function=" },
    { "# ok\n  rule=race line=4", "f:2:13: \"line\" is none of rule=, file=, function=" },
    { "rule=race file=", "f:1:16: file= has no value" },
    { "rule=race rule=race", "f:1:11: rule= stands here twice" },
    { "rule=race file=\"a b", "f:1:16: the quote is not closed" },
    { "\n\nfile=a.cu", "f:3:1: the entry has no rule=; rule=* is every rule" },
    { "# x\n rule=raec file=a.cu",
      "f:2:2: no finding has a rule raec: take the name from the report's line \"rule\"" },
    { "rule=stale_*",
      "f:1:1: no finding has a rule stale_*: take the name from the report's line \"rule\"" },
    { "rule=race =x", "f:1:11: \"\" is none of rule=, file=, function=" },
};

START_TEST(a_wrong_entry_is_named_with_line_and_column)
{
    GError *error = NULL;

    ck_assert_ptr_null(suppressions_parse(wrong[_i].entries, "f", &error));
    ck_assert_str_eq(error->message, wrong[_i].message);
    g_error_free(error);
}
END_TEST

/* Of the parts of vtegra that name findings: the checker, cuDLA, the scheduler, the driver. */
static const char *const names[] = {
#define RULE(id, name, ...) name,
#include "runtime/driver/engines/dla/dla_rules.def"

#include "checker/rules/rules.def"
#undef RULE
    "livelock", "lock-order", "interrupted", "unsupported-api", "cudla-*", "stale-l?-*",
};

START_TEST(every_rule_can_be_suppressed)
{
    g_autofree char *entry = g_strconcat("rule=", names[_i], NULL);
    GError *error = NULL;
    struct suppressions *s = suppressions_parse(entry, "f", &error);

    ck_assert_msg(s != NULL, "%s", error ? error->message : "");
    suppressions_free(s);
}
END_TEST

static const struct {
    const char *where, *kernel, *entry;
} entries[] = {
    { "src/app.cu:41 in main", NULL, "rule=race file=src/app.cu function=main" },
    { "app.cu:41", "scale(int*)", "rule=race file=app.cu function=scale" },
    { NULL, NULL, "rule=race" },
    { "my app.cu:4 in f", NULL, "rule=race file=\"my app.cu\" function=f" },
};

START_TEST(the_entry_for_a_finding_covers_it)
{
    struct run_finding f = { .rule = (char *)"race",
                             .where = (char *)entries[_i].where,
                             .kernel = (char *)entries[_i].kernel };
    g_autofree char *entry = suppressions_entry(&f);
    struct suppressions *s = suppressions_parse(entry, "f", NULL);
    struct note n;

    ck_assert_str_eq(entry, entries[_i].entry);
    note_init(&n, "finding");
    note_str(&n, "rule", f.rule);
    note_str(&n, "where", f.where);
    note_str(&n, "kernel", f.kernel);
    ck_assert(suppressions_cover(s, &n));
    note_clear(&n);
    suppressions_free(s);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("suppress");
    TCase *t = tcase_create("suppress");

    tcase_add_loop_test(t, an_entry_covers_what_fits_all_it_says, 0, G_N_ELEMENTS(covers));
    tcase_add_test(t, without_entries_nothing_is_covered);
    tcase_add_test(t, entries_that_cover_nothing_are_counted);
    tcase_add_loop_test(t, a_wrong_entry_is_named_with_line_and_column, 0, G_N_ELEMENTS(wrong));
    tcase_add_loop_test(t, every_rule_can_be_suppressed, 0, G_N_ELEMENTS(names));
    tcase_add_loop_test(t, the_entry_for_a_finding_covers_it, 0, G_N_ELEMENTS(entries));
    suite_add_tcase(s, t);
    return suite_main(s);
}
