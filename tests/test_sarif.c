/* SPDX-License-Identifier: MIT */
/* Findings as SARIF: members are those of SARIF 2.1.0 (OASIS), by section; the text is read by
 * json-glib. */
#include <check.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "checker/print/sarif.h"
#include "checker/rules/rules.h"
#include "tests/hal_none.h"
#include "tests/run_rig.h"
#include "tests/suite.h"

static JsonNode *root;
static GPtrArray *advice;

static struct run_finding *found(GPtrArray *list, const char *rule, const char *where)
{
    struct run_finding *f = g_new0(struct run_finding, 1);

    f->rule = g_strdup(rule);
    f->text = g_strdup("What happened.");
    f->where = g_strdup(where);
    f->severity = CHECK_ERROR;
    f->buffers = g_hash_table_new(NULL, NULL);
    f->in_streams = g_hash_table_new(NULL, NULL);
    g_ptr_array_add(list, f);
    return f;
}

static void advice_free(gpointer opaque)
{
    struct run_finding *f = opaque;

    g_free(f->rule);
    g_free(f->text);
    g_free(f->where);
    g_free(f->section);
    g_free(f->todo);
    g_hash_table_destroy(f->buffers);
    g_hash_table_destroy(f->in_streams);
    g_free(f);
}

static void sarif_setup(void)
{
    setup();
    advice = g_ptr_array_new_with_free_func(advice_free);
    note("@run program=app soc=orin io_coherent=1");
    root = NULL;
}

static void sarif_teardown(void)
{
    g_ptr_array_free(advice, TRUE);
    g_clear_pointer(&root, json_node_unref);
    teardown();
}

/* 3.14: runs[0] of the log file */
static JsonObject *sarif_run(void)
{
    g_autofree char *text = sarif_report(&(struct report){ .run = run, .advice = advice });
    g_autoptr(GError) error = NULL;
    JsonObject *log;

    root = json_from_string(text, &error);
    ck_assert_msg(root != NULL, "%s", error ? error->message : "empty");
    log = json_node_get_object(root);
    ck_assert_str_eq(json_object_get_string_member(log, "version"), "2.1.0");
    ck_assert_int_eq(json_array_get_length(json_object_get_array_member(log, "runs")), 1);
    return json_array_get_object_element(json_object_get_array_member(log, "runs"), 0);
}

static JsonObject *sarif_result(JsonObject *r, unsigned i)
{
    JsonArray *all = json_object_get_array_member(r, "results");

    ck_assert_uint_lt(i, json_array_get_length(all));
    return json_array_get_object_element(all, i);
}

static const char *sarif_print(JsonObject *result)
{
    return json_object_get_string_member(
        json_object_get_object_member(result, "partialFingerprints"), "vtegraPlaces/v1");
}

/* "FILE LINE" of a location (3.28) */
static char *sarif_place(JsonObject *location)
{
    JsonObject *at = json_object_get_object_member(location, "physicalLocation");
    JsonObject *file = json_object_get_object_member(at, "artifactLocation");
    JsonObject *region = json_object_get_object_member(at, "region");

    return g_strdup_printf("%s %d", json_object_get_string_member(file, "uri"),
                           (int)json_object_get_int_member(region, "startLine"));
}

/* 3.27.5, 3.27.6: ruleIndex is that of the rule with this id in the driver's array, also of a rule
 * that is in no table: a finding's, an advice's. */
START_TEST(each_result_names_its_rule_by_id_and_index)
{
    static const char *const rule[] = { "race", "kernel-race-block", "made-up", "other", "race" };
    JsonObject *r;
    JsonArray *rules;

    for (unsigned i = 0; i < G_N_ELEMENTS(rule); i++) {
        found(i == 3 ? advice : run->findings, rule[i], "a.cu:5");
    }
    r = sarif_run();
    rules = json_object_get_array_member(
        json_object_get_object_member(json_object_get_object_member(r, "tool"), "driver"), "rules");
    for (unsigned i = 0; i < G_N_ELEMENTS(rule); i++) {
        JsonObject *result = sarif_result(r, i);
        const char *id = json_object_get_string_member(result, "ruleId");
        unsigned at = (unsigned)json_object_get_int_member(result, "ruleIndex");

        ck_assert_str_eq(id, rule[i == 3 ? 4 : i == 4 ? 3 : i]); /* advice comes last */
        ck_assert_uint_lt(at, json_array_get_length(rules));
        ck_assert_str_eq(
            json_object_get_string_member(json_array_get_object_element(rules, at), "id"), id);
    }
    for (unsigned i = 0; i < json_array_get_length(rules); i++) {
        for (unsigned k = 0; k < i; k++) {
            ck_assert_str_ne(
                json_object_get_string_member(json_array_get_object_element(rules, i), "id"),
                json_object_get_string_member(json_array_get_object_element(rules, k), "id"));
        }
    }
}
END_TEST

/* 3.27.17: partial fingerprints tell results apart; lines are not in them. */
START_TEST(fingerprints_are_unique_and_without_lines)
{
    JsonObject *r;

    found(run->findings, "race", "a.cu:5");
    found(run->findings, "race", "a.cu:9");
    found(run->findings, "race", "a.cu:11");
    found(run->findings, "race", "b.cu:5");
    r = sarif_run();
    for (unsigned i = 0; i < 4; i++) {
        const char *print = sarif_print(sarif_result(r, i));
        const char *number = strchr(print, ':');

        ck_assert_int_eq(strncmp(print, sarif_print(sarif_result(r, 0)), 32) == 0, i < 3);
        ck_assert_int_eq(g_ascii_digit_value(number[1]), i < 3 ? i + 1 : 1);
    }
}
END_TEST

/* 3.8.1: properties; 3.27.9: error and note by severity; 3.27.15: how often */
START_TEST(a_result_says_how_often_by_what_and_in_which_run)
{
    struct run_finding *f = found(run->findings, "race", "a.cu:5");
    JsonObject *result, *properties;

    f->kernel = g_strdup("scan");
    f->run = g_strdup("seed 7");
    f->section = g_strdup("2.1");
    f->count = 12;
    f->severity = CHECK_WARNING;
    result = sarif_result(sarif_run(), 0);
    properties = json_object_get_object_member(result, "properties");
    ck_assert_str_eq(json_object_get_string_member(properties, "run"), "seed 7");
    ck_assert_str_eq(json_object_get_string_member(properties, "kernel"), "scan");
    ck_assert_str_eq(json_object_get_string_member(properties, "section"), "2.1");
    ck_assert_int_eq(json_object_get_int_member(result, "occurrenceCount"), 12);
    ck_assert_str_eq(json_object_get_string_member(result, "level"), "warning");
}
END_TEST

/* 3.36, 3.37: a thread flow for each agent, with its own place; the write comes first. A step
 * without a line is shown at the result's place. */
START_TEST(two_accesses_are_two_flows_each_at_its_place)
{
    static const char *const other[] = { "write by kernel scan at b.cu:9 (stream 0)",
                                         "write by kernel scan (stream 0)" };
    struct run_finding *f = found(run->findings, "race", "a.cu:5 in main");
    static const char *const wanted[][3] = { { "b.cu 9", "a.cu 5", "a.cu 5" },
                                             { "a.cu 5", "a.cu 5", "a.cu 5" } };
    JsonObject *flow;
    JsonArray *flows;
    unsigned n = 0;

    f->other = g_strdup(other[_i]);
    flow = json_array_get_object_element(
        json_object_get_array_member(sarif_result(sarif_run(), 0), "codeFlows"), 0);
    flows = json_object_get_array_member(flow, "threadFlows");
    ck_assert_uint_eq(json_array_get_length(flows), 2);
    for (unsigned i = 0; i < 2; i++) {
        JsonArray *steps =
            json_object_get_array_member(json_array_get_object_element(flows, i), "locations");

        ck_assert_uint_eq(json_array_get_length(steps), i == 0 ? 2 : 1);
        for (unsigned k = 0; k < json_array_get_length(steps); k++, n++) {
            JsonObject *step = json_array_get_object_element(steps, k);
            g_autofree char *at = sarif_place(json_object_get_object_member(step, "location"));

            ck_assert_str_eq(at, wanted[_i][n]);
            ck_assert_int_eq(json_object_get_int_member(step, "executionOrder"), n + 1);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sarif");
    TCase *t = tcase_create("sarif");

    tcase_add_checked_fixture(t, sarif_setup, sarif_teardown);
    tcase_add_test(t, each_result_names_its_rule_by_id_and_index);
    tcase_add_test(t, fingerprints_are_unique_and_without_lines);
    tcase_add_test(t, a_result_says_how_often_by_what_and_in_which_run);
    tcase_add_loop_test(t, two_accesses_are_two_flows_each_at_its_place, 0, 2);
    suite_add_tcase(s, t);
    return suite_main(s);
}
