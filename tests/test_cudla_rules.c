/* SPDX-License-Identifier: MIT */
/* The known issues of cuDLA (CUDA for Tegra 5.4) in both editions of the note, item by item as
 * printed: each has a row in runtime/driver/engines/dla/dla_rules.def that names the right
 * editions. What a program that breaks it gets is tested in test_cudla_misuse.c. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/engines/dla/dla.h"

/* @item: a few words of the note's sentence; @editions: of the lists that hold it */
static const struct item {
    const char *item;
    enum dla_rule_id rule;
    const char *editions;
} items[] = {
    { "internally allocates memory with CUDA using the primary context", DLA_RULE_PRIMARY_CONTEXT,
      "1.0.0, 1.2.1" },
    { "ensure that all tasks submitted previously to the device are completed",
      DLA_RULE_DESTROY_IN_FLIGHT, "1.0.0, 1.2.1" },
    { "must adhere to DLA alignment constraints", DLA_RULE_ALIGNMENT, "1.0.0, 1.2.1" },
    { "no duplicate fences specified as part of wait events", DLA_RULE_DUPLICATE_FENCES,
      "1.0.0, 1.2.1" },
    { "must be treated as a non-recoverable error", DLA_RULE_ERROR_IGNORED, "1.0.0, 1.2.1" },
    { "does not support UVM", DLA_RULE_MANAGED, "1.0.0, 1.2.1" },
    { "does not support CUDA Graph", DLA_RULE_GRAPH, "1.0.0, 1.2.1" },
    { "does not support per-thread default stream", DLA_RULE_PER_THREAD_STREAM, "1.0.0, 1.2.1" },
    { "does not support CNP", DLA_RULE_DEVICE_CODE, "1.0.0, 1.2.1" },
    { "does not support block linear memory", DLA_RULE_BLOCK_LINEAR, "1.0.0, 1.2.1" },
    { "does not support CUDA VMM APIs", DLA_RULE_VMM, "1.0.0, 1.2.1" },
    { "does not support dGPU", DLA_RULE_DGPU, "1.0.0, 1.2.1" },
    { "DLA FW can hang for certain tasks", DLA_RULE_HANG, "1.0.0, 1.2.1" },
    { "only 1 event can be specified for signalling", DLA_RULE_ONE_SIGNAL_EVENT, "1.0.0" },
};

static const struct {
    const char *name;
    cudlaStatus status;
    enum check_severity severity;
    enum check_standing standing;
    const char *editions, *section, *todo;
} rules[] = {
#define RULE(id, ...) [DLA_RULE_##id] = { __VA_ARGS__ },
#include "runtime/driver/engines/dla/dla_rules.def"
#undef RULE
};

START_TEST(each_known_issue_has_its_row)
{
    const struct item *i = &items[_i];

    ck_assert_str_eq(rules[i->rule].editions, i->editions);
    ck_assert_ptr_nonnull(strstr(rules[i->rule].section, "CUDA for Tegra"));
    ck_assert_ptr_nonnull(strstr(rules[i->rule].section, "5.4"));
    ck_assert_int_eq(rules[i->rule].standing, CHECK_DOCUMENTED);
}
END_TEST

START_TEST(no_other_row_claims_to_be_one)
{
    unsigned n = 0;

    for (unsigned i = 0; i < DLA_RULES; i++) {
        n += *rules[i].editions != 0;
        for (unsigned k = 0; k < i; k++) {
            ck_assert_str_ne(rules[i].name, rules[k].name);
        }
    }
    ck_assert_uint_eq(n,
                      sizeof(items) / sizeof(items[0])); /* 13 in both lists, one in 1.0.0 only */
}
END_TEST

/* "The exception to this rule is cudlaErrorMemoryRegistered". */
START_TEST(registering_twice_is_the_recoverable_one)
{
    ck_assert_int_eq(rules[DLA_RULE_REGISTERED_TWICE].status, cudlaErrorMemoryRegistered);
    ck_assert_int_eq(rules[DLA_RULE_REGISTERED_TWICE].severity, CHECK_WARNING);
}
END_TEST

/* docs/dla-cudla.md has a row for each rule: its name, severity, answer, standing and section. */
START_TEST(the_page_has_each_rule)
{
    static const char *const severity[] = { "advice", "warning", "error" };
    static const char *const standing[] = { "documented", "measured", "inferred" };
    static char page[1 << 16];
    FILE *file = fopen(RULES_PAGE, "r");

    ck_assert_ptr_nonnull(file);
    page[fread(page, 1, sizeof(page) - 1, file)] = 0;
    fclose(file);
    for (unsigned i = 0; i < DLA_RULES; i++) {
        char row[400], end[200];
        const char *at;

        snprintf(row, sizeof(row), "\n| `%s` | %s | ", rules[i].name, severity[rules[i].severity]);
        at = strstr(page, row);
        ck_assert_msg(at != NULL, "no row begins \"%s\"", row + 1);
        ck_assert_msg(!strncmp(at + strlen(row), rules[i].status ? "`cudlaError" : "continues", 9),
                      "%s: its answer", rules[i].name);
        snprintf(row, sizeof(row), "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
        snprintf(end, sizeof(end), " | %s | %s%s%s%s |", standing[rules[i].standing],
                 rules[i].section, *rules[i].editions ? " (" : "", rules[i].editions,
                 *rules[i].editions ? ")" : "");
        ck_assert_msg(strlen(row) > strlen(end) && !strcmp(row + strlen(row) - strlen(end), end),
                      "\"%s\" is to end \"%s\"", row, end);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cudla_rules");
    TCase *t = tcase_create("known issues");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, each_known_issue_has_its_row, 0,
                        (int)(sizeof(items) / sizeof(items[0])));
    tcase_add_test(t, no_other_row_claims_to_be_one);
    tcase_add_test(t, registering_twice_is_the_recoverable_one);
    tcase_add_test(t, the_page_has_each_rule);
    suite_add_tcase(s, t);
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
