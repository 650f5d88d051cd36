/* SPDX-License-Identifier: MIT */
/* Running a scenario: by vtegra run, explore and litmus, whose JSON is read. */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/json_text.h"
#include "tools/scenario/scenario.h"

#define RUNS_TO_FIND 1000u
#define RUNS_OF_TWIN 100u

static void word_add(GPtrArray *list, const char *word)
{
    if (!g_ptr_array_find_with_equal_func(list, word, g_str_equal, NULL)) {
        g_ptr_array_add(list, g_strdup(word));
    }
}

static char *member_dup(JsonObject *o, const char *name)
{
    JsonNode *node = json_object_get_member(o, name);

    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING
               ? json_node_dup_string(node)
               : NULL;
}

static JsonArray *array_of(JsonObject *o, const char *name)
{
    return o && json_object_has_member(o, name) ? json_object_get_array_member(o, name) : NULL;
}

/* --- the report of a run ---------------------------------------------------------------------- */

/* Is @where in a marked line of the scenario's own file? */
static gboolean scenario_run_marked(const struct scenario *s, const char *where)
{
    gboolean is = FALSE;

    for (guint i = 0; where && i < s->marks->len && !is; i++) {
        char *line = g_strdup_printf("%s.cu:%u", s->name, g_array_index(s->marks, unsigned, i));
        const char *at = strstr(where, line);

        is = at && !g_ascii_isdigit(at[strlen(line)]);
        g_free(line);
    }
    return is;
}

/* The first finding at the marked line is the one to show, else the first at all. */
static void finding_take(const struct scenario *s, struct scenario_verdict *v, JsonObject *f)
{
    char *rule = member_dup(f, "rule"), *severity = member_dup(f, "severity"), *where;
    gboolean advice = g_strcmp0(severity, "advice") == 0, at_mark;

    word_add(advice ? v->advice : v->words, rule ? rule : "?");
    where = member_dup(f, "where");
    at_mark = !advice && scenario_run_marked(s, where);
    if (!v->text || (at_mark && !v->at_mark) ||
        (advice && s->group == SCENARIO_COST && strstr(scenario_expected(s, s->soc), rule))) {
        g_free(v->text);
        g_free(v->todo);
        g_free(v->where);
        g_free(v->other);
        v->text = member_dup(f, "text");
        v->todo = member_dup(f, "todo");
        v->other = member_dup(f, "other");
        v->where = where;
        where = NULL;
    }
    v->at_mark |= at_mark;
    g_free(where);
    g_free(rule);
    g_free(severity);
}

/* "cudaErrorInvalidValue: why" is the word cudaErrorInvalidValue; what the SoC does not have is
 * "unsupported". */
static void failed_call_take(struct scenario_verdict *v, JsonObject *call)
{
    g_autofree char *error = member_dup(call, "error"), *api = member_dup(call, "api");
    gboolean unsupported = json_object_has_member(call, "unsupported") &&
                           json_object_get_boolean_member(call, "unsupported");

    if (!unsupported &&
        (!error || (strncmp(error, "cud", 3) != 0 && !g_str_has_prefix(error, "NvSciError_")) ||
         g_str_has_prefix(error, "cudaErrorNotReady"))) {
        return;
    }
    if (!v->text && error) {
        v->text = g_strdup_printf("%s: %s", api ? api : "a call", error);
        v->where = member_dup(call, "where");
    }
    if (unsupported) {
        word_add(v->words, "unsupported");
    } else {
        error[strcspn(error, ": ")] = '\0';
        word_add(v->words, error);
    }
}

static void report_read(const struct scenario *s, const char *file, struct scenario_verdict *v)
{
    JsonParser *parser = json_parser_new();
    JsonObject *root;
    JsonArray *list;
    JsonNode *node;

    if (!json_text_load_file(parser, file, NULL)) {
        g_object_unref(parser);
        return;
    }
    node = json_parser_get_root(parser); /* NULL: a run that was killed wrote nothing */
    root = node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    list = array_of(root, "findings");
    for (guint i = 0; list && i < json_array_get_length(list); i++) {
        finding_take(s, v, json_array_get_object_element(list, i));
    }
    list = array_of(root, "failed_calls");
    for (guint i = 0; list && i < json_array_get_length(list); i++) {
        failed_call_take(v, json_array_get_object_element(list, i));
    }
    list = array_of(root, "advice");
    for (guint i = 0; list && i < json_array_get_length(list); i++) {
        finding_take(s, v, json_array_get_object_element(list, i));
    }
    g_object_unref(parser);
}

static void status_read(struct scenario_verdict *v)
{
    char number[32];

    if (v->status == 1) {
        word_add(v->words, "result");
    } else if (v->status == 128 + SIGSEGV || v->status == 128 + SIGBUS) {
        word_add(v->words, "fault");
    } else if (v->status == CMD_STUCK) {
        word_add(v->words, "stuck");
    } else if (v->status == 124 /* of timeout(1) */) {
        word_add(v->words, "no-end");
    } else if (v->status != 0) {
        g_snprintf(number, sizeof(number), "status-%d", v->status);
        word_add(v->words, number);
    }
}

static void verdict_init(struct scenario_verdict *v)
{
    *v = (struct scenario_verdict){ .words = g_ptr_array_new_with_free_func(g_free),
                                    .advice = g_ptr_array_new_with_free_func(g_free) };
}

/* What an advice of the report is asked about counts as found; the others are none of this
 * scenario's. */
static void advice_keep(struct scenario_verdict *v, const char *expected)
{
    char **words = g_strsplit(expected ? expected : "", " ", -1);

    for (guint i = v->advice->len; i-- > 0;) {
        if (!g_strv_contains((const char *const *)words, v->advice->pdata[i])) {
            g_ptr_array_remove_index(v->advice, i);
        }
    }
    g_strfreev(words);
}

/* --- one run ---------------------------------------------------------------------------------- */

static char **with_twin(char **argv, gboolean twin)
{
    GPtrArray *all = g_ptr_array_new();

    for (; *argv; argv++) {
        g_ptr_array_add(all, *argv);
    }
    if (twin) {
        g_ptr_array_add(all, (char *)"fixed");
    }
    g_ptr_array_add(all, NULL);
    return (char **)g_ptr_array_free(all, FALSE);
}

/* A name that another user can guess will not do: without a folder there is no run. */
static char *folder_new(void)
{
    GError *error = NULL;
    char *dir = g_dir_make_tmp("vtegra-scenario-XXXXXX", &error);

    if (!dir) {
        cmd_error(SCENARIO_CMD, "%s (TMPDIR names another folder)", error->message);
        exit(CMD_FAILED);
    }
    return dir;
}

static void run_once(struct scenario_result *r, char **argv)
{
    const struct scenario *s = r->scenario;
    char *seed = g_strdup_printf("%" G_GINT64_FORMAT, r->seed >= 0 ? r->seed : 0);
    char *length = g_strdup_printf("%" G_GUINT64_FORMAT, r->length), *err = NULL;
    char *dir = folder_new();
    char *json = g_build_filename(dir, "report.json", NULL);
    const char *args[] = { "run",      "-q",   "--soc",      r->soc,
                           "--os",     s->os,  "--policy",   r->policy,
                           "--json",   json,   "--seed",     seed,
                           "--length", length, "--strategy", r->strategy ? r->strategy : "pct",
                           "--",       NULL };

    scenario_verdict_clear(&r->verdict);
    verdict_init(&r->verdict);
    r->verdict.status = scenario_spawn(args, argv, s, &r->verdict.output, &err);
    report_read(s, json, &r->verdict);
    status_read(&r->verdict);
    g_unlink(json);
    g_rmdir(dir);
    g_free(json);
    g_free(dir);
    g_free(err);
    g_free(length);
    g_free(seed);
}

/* --- many runs -------------------------------------------------------------------------------- */

/* The first failing seed of vtegra explore's lines, and the length that it measured. */
static gint64 lines_read(const char *lines, guint64 *runs, guint64 *length)
{
    char **line = g_strsplit(lines, "\n", -1);
    gint64 first = -1;

    for (char **l = line; *l; l++) {
        JsonParser *parser = json_parser_new();

        if (**l && json_text_load(parser, "", *l, -1, NULL)) {
            JsonObject *o = json_node_get_object(json_parser_get_root(parser));
            gint64 seed = json_object_get_int_member(o, "seed");

            ++*runs;
            *length = (guint64)json_object_get_int_member(o, "length");
            if (strcmp(json_object_get_string_member(o, "result"), "fail") == 0 &&
                (first < 0 || seed < first)) {
                first = seed;
            }
        }
        g_object_unref(parser);
    }
    g_strfreev(line);
    return first;
}

/* Explores up to @runs seeds and stops at the first that fails. FALSE: it could not. */
static gboolean scenario_run_explore(struct scenario_result *r, char **argv, guint64 runs,
                                     const char *fail_on, const char *strategy)
{
    char *number = g_strdup_printf("%" G_GUINT64_FORMAT, runs), *out = NULL, *err = NULL;
    const char *args[] = { "explore",    "--soc",  r->soc,    "--os", r->scenario->os,
                           "--strategy", strategy, "--runs",  number, "--stop",
                           "--fail-on",  fail_on,  "--lines", "--",   NULL };
    int status = scenario_spawn(args, argv, r->scenario, &out, &err);
    gboolean ok = status == CMD_OK || status == CMD_FOUND;

    r->strategy = strategy;

    if (ok) {
        r->seed = lines_read(out, &r->runs, &r->length);
    } else {
        cmd_error(SCENARIO_CMD, "%s: vtegra explore ended with status %d:\n%s", r->scenario->name,
                  status, err ? err : "");
    }
    g_free(number);
    g_free(out);
    g_free(err);
    return ok;
}

/* --- verdicts --------------------------------------------------------------------------------- */

static gboolean policy_is_own(const struct scenario *s, const char *policy)
{
    return g_strv_contains((const char *const *)s->policies, policy);
}

static void scenario_run_compare(struct scenario_result *r, gboolean loose)
{
    const struct scenario *s = r->scenario;
    const char *asked = scenario_expected(s, r->soc);
    gboolean lazy = strcmp(r->policy, "lazy") == 0 || s->group == SCENARIO_SCHEDULE;

    advice_keep(&r->verdict, asked);
    if (r->twin) { /* and none of the advice either */
        for (guint i = 0; i < r->verdict.advice->len; i++) {
            word_add(r->verdict.words, r->verdict.advice->pdata[i]);
        }
    }
    g_free(r->why);
    r->why = scenario_match(s, &r->verdict, r->expected, loose, lazy);
}

/* The twin: as late as possible, as early as possible, and by seeds. */
static gboolean twin_run(struct scenario_result *r, char **argv, const struct scenario_options *o)
{
    static const char *const policies[] = { "eager", "lazy" };
    guint64 runs = o->runs ? o->runs : RUNS_OF_TWIN;

    for (size_t i = 0; i < G_N_ELEMENTS(policies) && !r->why; i++) {
        r->policy = policies[i];
        run_once(r, argv);
        r->runs++;
        scenario_run_compare(r, FALSE);
    }
    if (r->why || runs < 2) {
        return TRUE;
    }
    if (!scenario_run_explore(r, argv, runs, "warning", "pct")) {
        return FALSE;
    }
    if (r->seed >= 0) {
        r->policy = "seeded";
        run_once(r, argv);
        scenario_run_compare(r, FALSE);
        if (!r->why) {
            r->why =
                g_strdup_printf("seed %" G_GINT64_FORMAT " failed once, and not again", r->seed);
        }
    }
    return TRUE;
}

/* Looks for the seed that shows it: half of the runs by PCT, then, if need be, half by plain
 * chance. */
static gboolean schedule_run(struct scenario_result *r, char **argv,
                             const struct scenario_options *o)
{
    gboolean silent = strcmp(r->expected, "silent") == 0;
    guint64 runs = o->runs ? o->runs : RUNS_TO_FIND;
    const char *first = r->scenario->strategy;
    const char *other = strcmp(first, "pct") == 0 ? "random" : "pct";
    const char *fail_on = silent ? "warning" : r->scenario->by_result ? "never" : "error";

    r->policy = "seeded";
    if (!scenario_run_explore(r, argv, (runs + 1) / 2, fail_on, first) ||
        (r->seed < 0 && runs > 1 && !scenario_run_explore(r, argv, runs / 2, fail_on, other))) {
        return FALSE;
    }
    if (r->seed < 0 && !silent) {
        verdict_init(&r->verdict);
        r->why = g_strdup_printf("not found in %" G_GUINT64_FORMAT " runs", r->runs);
        return TRUE;
    }
    run_once(r, argv);
    scenario_run_compare(r, FALSE);
    return TRUE;
}

static gboolean program_run(struct scenario_result *r, const struct scenario_options *o,
                            const GPtrArray *all)
{
    const struct scenario *s = r->scenario;
    char **built = scenario_build(s, all), **argv;
    gboolean ok = TRUE;

    if (!built) {
        return FALSE;
    }
    argv = with_twin(built, o->twin);
    r->program = g_strjoinv(" ", argv);
    if (o->policy || o->seed >= 0) {
        r->policy = o->seed >= 0 ? "seeded" : o->policy;
        r->seed = o->seed;
        r->runs = 1;
        run_once(r, argv);
        scenario_run_compare(
            r, !o->twin && (s->group == SCENARIO_SCHEDULE || !policy_is_own(s, r->policy)));
    } else if (o->twin) {
        ok = twin_run(r, argv, o);
    } else if (s->group == SCENARIO_SCHEDULE) {
        ok = schedule_run(r, argv, o);
    } else {
        r->policy = s->policies[0];
        r->runs = 1;
        run_once(r, argv);
        scenario_run_compare(r, FALSE);
    }
    g_free(argv);
    g_strfreev(built);
    return ok;
}

/* --- litmus texts ----------------------------------------------------------------------------- */

/* A condition that can be met shows the bug; a forbidden one does not, nor one that is unseen: that
 * is what vtegra litmus finds, and "forbidden" is the word of a file that names this board. */
static gboolean litmus_met(const char *verdict, const char *expected)
{
    return g_strcmp0(verdict, expected) == 0 ||
           (g_strcmp0(verdict, "unseen") == 0 && strcmp(expected, "forbidden") == 0);
}

static gboolean litmus_run(struct scenario_result *r)
{
    const struct scenario *s = r->scenario;
    const char *file = r->twin ? s->litmus_twin : s->litmus;
    const char *args[] = { "litmus", "--json", "--soc", r->soc, file, NULL };
    JsonParser *parser = json_parser_new();
    char *out = NULL, *err = NULL;
    gboolean ok;

    r->policy = "exhaustive";
    r->runs = 1;
    r->program = g_strdup(file);
    verdict_init(&r->verdict);
    r->verdict.status = scenario_spawn(args, NULL, NULL, &out, &err);
    ok = r->verdict.status <= CMD_FOUND && json_text_load(parser, "", out, -1, NULL);
    if (ok) {
        JsonArray *list = json_node_get_array(json_parser_get_root(parser));
        JsonObject *o = json_array_get_object_element(list, 0);
        char *verdict = member_dup(o, "verdict");

        word_add(r->verdict.words, verdict ? verdict : "unknown");
        r->verdict.text = member_dup(o, "condition");
        r->why = litmus_met(verdict, r->expected) ? NULL : g_strdup_printf("no %s", r->expected);
        g_free(verdict);
    } else {
        cmd_error(SCENARIO_CMD, "%s: %s", file, err ? err : "");
    }
    g_object_unref(parser);
    g_free(out);
    g_free(err);
    return ok;
}

gboolean scenario_run(const struct scenario *s, const char *soc, const struct scenario_options *o,
                      const GPtrArray *all, struct scenario_result *r)
{
    const char *expected = scenario_expected(s, soc);

    *r = (struct scenario_result){ .scenario = s, .soc = soc, .twin = o->twin, .seed = -1 };
    r->expected = g_strdup(!o->twin ? expected : s->litmus ? "forbidden" : "silent");
    return s->litmus ? litmus_run(r) : program_run(r, o, all);
}

void scenario_result_clear(struct scenario_result *r)
{
    g_free(r->expected);
    g_free(r->why);
    g_free(r->program);
    scenario_verdict_clear(&r->verdict);
}
