/* SPDX-License-Identifier: MIT */
/* Compiler hooks: programs built by gcc and by clang with -fsanitize=thread, counts made by hand
 * from test_track_app.c. */
#include <check.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/emulator.h"

static const char *const apps[] = { TRACK_APPS, NULL };

/* What the report says of buffer #@number after a run of one case. */
struct seen {
    gint64 loads, read_bytes, stores, written_bytes, atomics, uncached;
};

static JsonObject *report_of(const char *app, const char *name, JsonParser *parser, char **err)
{
    char *json = g_strdup_printf("%s/vtegra-test-track-%d", g_get_tmp_dir(), (int)getpid());
    char *own[] = { (char *)app, (char *)name, NULL }, **argv = emulated(own);
    char **env = g_environ_setenv(g_get_environ(), "BOARD_JSON", json, TRUE);
    int status = -1;

    ck_assert(g_spawn_sync(NULL, argv, env, 0, NULL, NULL, NULL, err, &status, NULL));
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s %s: status %#x", app, name,
                  status);
    ck_assert(json_parser_load_from_file(parser, json, NULL));
    g_remove(json);
    g_free(argv);
    g_free(json);
    g_strfreev(env);
    return json_node_get_object(json_parser_get_root(parser));
}

static struct seen seen_of(JsonObject *report, guint number)
{
    JsonArray *buffers = json_object_get_array_member(report, "buffers");
    JsonObject *cpu =
        json_object_get_object_member(json_array_get_object_element(buffers, number - 1), "cpu");

    return (struct seen){
        json_object_get_int_member(cpu, "loads"),
        json_object_get_int_member(cpu, "read_bytes"),
        json_object_get_int_member(cpu, "stores"),
        json_object_get_int_member(cpu, "written_bytes"),
        json_object_get_int_member(cpu, "atomics"),
        json_object_get_int_member(cpu, "uncached_accesses"),
    };
}

static void assert_seen(const struct seen *is, struct seen be)
{
    ck_assert_int_eq(is->loads, be.loads);
    ck_assert_int_eq(is->read_bytes, be.read_bytes);
    ck_assert_int_eq(is->stores, be.stores);
    ck_assert_int_eq(is->written_bytes, be.written_bytes);
    ck_assert_int_eq(is->atomics, be.atomics);
    ck_assert_int_eq(is->uncached, be.uncached);
}

/* Stores include read-modify-writes, as in the records. A range counts in aligned pieces of 16. */
static const struct {
    const char *name;
    guint number;
    struct seen seen;
} expected[] = {
    { "loops", 1, { 1000, 4000, 3000, 12000, 0, 0 } },
    { "sizes", 1, { 4, 15, 4, 15, 0, 0 } },
    { "unaligned", 1, { 1, 8, 2, 12, 0, 0 } },
    { "compound", 1, { 10, 40, 10, 40, 0, 0 } },
    /* 32 bits: 1 load; 1 store + 9 RMW; 64, 16, 8 bits: 1 RMW each. 10 * 4 + 8 + 2 + 1 bytes */
    { "atomics", 1, { 1, 4, 13, 51, 12, 0 } },
    /* Pieces: 100 bytes from 8: [8,16) + 5 * 16 + [96,108) = 7; 50 from 256: 3 * 16 + 2 = 4; 40 at
     * 512: 16, 16, 8 = 3. Loads: 40 from 8: [8,16), 16, 16 = 3. */
    { "ranges", 1, { 3, 40, 14, 190, 0, 0 } },
    { "structure", 1, { 4, 64, 4, 64, 0, 0 } },
    { "pinned_atomics", 1, { 2, 8, 4, 16, 4, 6 } }, /* the result is read too */
    { "registered", 1, { 0, 0, 1, 4, 0, 0 } },
    { "registered", 2, { 0, 0, 100, 400, 0, 0 } },
    { "two_registered", 2, { 0, 0, 10, 40, 0, 0 } },
    { "two_registered", 3, { 0, 0, 15, 60, 0, 0 } },
    { "threads", 1, { 0, 0, 4000, 16000, 0, 0 } },
    { "private_only", 1, { 0, 0, 0, 0, 0, 0 } },
};

START_TEST(counts_are_exact)
{
    for (guint a = 0; apps[a]; a++) {
        JsonParser *parser = json_parser_new();
        struct seen seen =
            seen_of(report_of(apps[a], expected[_i].name, parser, NULL), expected[_i].number);

        ck_assert_msg(TRUE, "%s", apps[a]);
        assert_seen(&seen, expected[_i].seen);
        g_object_unref(parser);
    }
}
END_TEST

static unsigned mark(const char *name)
{
    char *text, *at, *wanted = g_strdup_printf("/* MARK %s */", name);
    unsigned line = 1;

    ck_assert(g_file_get_contents(TRACK_APP_SOURCE, &text, NULL, NULL));
    at = strstr(text, wanted);
    ck_assert_ptr_nonnull(at);
    for (const char *p = text; p < at; p++) {
        line += *p == '\n';
    }
    g_free(wanted);
    g_free(text);
    return line;
}

static void assert_place(JsonObject *place, const char *mark_name, gint64 loads, gint64 stores)
{
    char *suffix = g_strdup_printf("test_track_app.c:%u in loops", mark(mark_name));
    const char *where = json_object_get_string_member(place, "where");

    ck_assert_msg(g_str_has_suffix(where, suffix), "%s is not %s", where, suffix);
    ck_assert_int_eq(json_object_get_int_member(place, "loads"), loads);
    ck_assert_int_eq(json_object_get_int_member(place, "stores"), stores);
    g_free(suffix);
}

START_TEST(lines_of_the_program_are_named)
{
    for (guint a = 0; apps[a]; a++) {
        JsonParser *parser = json_parser_new();
        JsonObject *report = report_of(apps[a], "loops", parser, NULL);
        JsonObject *buffer =
            json_array_get_object_element(json_object_get_array_member(report, "buffers"), 0);
        JsonArray *places =
            json_object_get_array_member(json_object_get_object_member(buffer, "cpu"), "places");

        ck_assert(json_object_get_boolean_member(json_object_get_object_member(report, "run"),
                                                 "cpu_exact"));
        ck_assert_uint_eq(json_array_get_length(places), 2);
        assert_place(json_array_get_object_element(places, 0), "stores", 0, 3000);
        assert_place(json_array_get_object_element(places, 1), "loads", 1000, 0);
        g_object_unref(parser);
    }
}
END_TEST

/* CUDA for Tegra 3.2, "GNU Atomic operations on pinned memory": one finding a line, counted. */
START_TEST(gnu_atomic_on_uncached_pinned_memory_is_an_error)
{
    for (guint a = 0; apps[a]; a++) {
        JsonParser *parser = json_parser_new();
        char *err;
        JsonObject *report = report_of(apps[a], "pinned_atomics", parser, &err);
        JsonArray *findings = json_object_get_array_member(report, "findings");
        JsonObject *first = json_array_get_object_element(findings, 0);
        char *where = g_strdup_printf("test_track_app.c:%u in pinned_atomics", mark("atomic"));

        ck_assert_uint_eq(json_array_get_length(findings), 2);
        ck_assert_str_eq(json_object_get_string_member(first, "rule"), "uncached-atomic");
        ck_assert_str_eq(json_object_get_string_member(first, "severity"), "error");
        ck_assert_int_eq(json_object_get_int_member(first, "times"), 3);
        ck_assert(g_str_has_suffix(json_object_get_string_member(first, "where"), where));
        ck_assert_ptr_nonnull(strstr(err, where)); /* also as it happened */
        g_free(where);
        g_free(err);
        g_object_unref(parser);
    }
}
END_TEST

START_TEST(cached_pinned_memory_allows_atomics)
{
    g_setenv("BOARD_COHERENT", "1", TRUE);
    for (guint a = 0; apps[a]; a++) {
        JsonParser *parser = json_parser_new();
        JsonObject *report = report_of(apps[a], "pinned_atomics", parser, NULL);
        struct seen seen = seen_of(report, 1);

        ck_assert_uint_eq(json_array_get_length(json_object_get_array_member(report, "findings")),
                          0);
        assert_seen(&seen, (struct seen){ 2, 8, 4, 16, 4, 0 });
        g_object_unref(parser);
    }
    g_unsetenv("BOARD_COHERENT");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("track");
    TCase *t = tcase_create("track");
    SRunner *runner;
    int failed;

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, counts_are_exact, 0, G_N_ELEMENTS(expected));
    tcase_add_test(t, lines_of_the_program_are_named);
    tcase_add_test(t, gnu_atomic_on_uncached_pinned_memory_is_an_error);
    tcase_add_test(t, cached_pinned_memory_allows_atomics);
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
