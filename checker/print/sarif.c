/* SPDX-License-Identifier: MIT */
#include "checker/print/sarif.h"

#include <string.h>

#include "checker/print/json_writer.h"
#include "checker/print/place.h"
#include "checker/rules/rules.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

/* What code hosts take of a run: 25000 results. The first are kept, the most severe are found
 * first. */
#define RESULTS_MAX 25000

/**
 * struct sarif - a log file being written
 * @rules: name -> index + 1, in order of the table, then as they are met
 * @prints: fingerprint -> how many results had it
 * @run: what the results are of
 */
struct sarif {
    struct json_writer w;
    const struct run *run;
    GHashTable *rules, *prints;
};

static void put_text(struct json_writer *w, const char *key, const char *value)
{
    if (value) {
        json_writer_key(w, key);
        json_writer_text(w, value);
    }
}

static void put_int(struct json_writer *w, const char *key, guint64 value)
{
    json_writer_key(w, key);
    json_writer_int(w, (int64_t)value);
}

static void sarif_begin(struct json_writer *w, const char *key, char bracket)
{
    json_writer_key(w, key);
    json_writer_begin(w, bracket);
}

/* 3.11: a message object. */
static void put_message(struct json_writer *w, const char *key, const char *text)
{
    sarif_begin(w, key, '{');
    put_text(w, "text", text);
    json_writer_end(w, '}');
}

/* --- rules ------------------------------------------------------------------------------------ */

static void put_rule(struct sarif *s, const char *name, const char *section, const char *standing,
                     const char *text, const char *todo)
{
    struct json_writer *w = &s->w;
    g_autofree char *full = g_strdup_printf("%s: %s", section ? section : name, text ? text : name);

    g_hash_table_insert(s->rules, g_strdup(name),
                        GUINT_TO_POINTER(g_hash_table_size(s->rules) + 1));
    json_writer_begin(w, '{');
    put_text(w, "id", name);
    put_message(w, "shortDescription", name);
    put_message(w, "fullDescription", full);
    put_message(w, "help", todo ? todo : full);
    sarif_begin(w, "properties", '{');
    put_text(w, "standing", standing);
    put_text(w, "section", section);
    json_writer_end(w, '}');
    json_writer_end(w, '}');
}

static void put_rules_of(struct sarif *s, const GPtrArray *list)
{
    for (guint i = 0; i < list->len; i++) {
        const struct run_finding *f = list->pdata[i];

        if (f->rule && !g_hash_table_contains(s->rules, f->rule)) {
            put_rule(s, f->rule, f->section, run_standing_name[f->standing], NULL, f->todo);
        }
    }
}

static void put_tool(struct sarif *s, const struct report *report)
{
    struct json_writer *w = &s->w;

    sarif_begin(w, "tool", '{');
    sarif_begin(w, "driver", '{');
    put_text(w, "name", "vtegra");
    sarif_begin(w, "rules", '[');
    for (unsigned i = 0; i < CHECK_RULE_COUNT; i++) {
        const struct check_rule *rule = &check_rules[i];

        if (!g_hash_table_contains(s->rules, rule->name)) {
            put_rule(s, rule->name, rule->section, run_standing_name[rule->standing], rule->text,
                     rule->todo);
        }
    }
    put_rules_of(s, report->run->findings);
    put_rules_of(s, report->advice);
    json_writer_end(w, ']');
    json_writer_end(w, '}');
    json_writer_end(w, '}');
}

/* --- places ----------------------------------------------------------------------------------- */

/* A URI reference (RFC 3986): all but the unreserved and '/' is escaped. g_free(). */
static char *uri_of(const char *file)
{
    GString *uri = g_string_new(*file == '/' ? "file://" : "");

    for (; *file; file++) {
        if (g_ascii_isalnum(*file) || strchr("-._~/", *file)) {
            g_string_append_c(uri, *file);
        } else {
            g_string_append_printf(uri, "%%%02X", (unsigned)(guchar)*file);
        }
    }
    return g_string_free(uri, FALSE);
}

/* A file that places name, from the working directory on, or from / on outside of it. g_free(). */
static char *file_uri(const struct run *r, const char *file)
{
    const char *here = g_hash_table_lookup(r->here, file);
    const char *path = g_hash_table_lookup(r->sources, file);
    size_t folder = r->folder ? strlen(r->folder) : 0;
    g_autofree char *full = g_strdup(here ? here : path ? path : file);

    if (folder && !here) {
        g_free(full);
        full = place_path(r->folder, path ? path : file);
    }
    return uri_of(folder && g_str_has_prefix(full, r->folder) && full[folder] == '/'
                      ? full + folder + 1
                      : full);
}

static bool has_line(const char *text)
{
    struct place at;
    bool found = place_find(text, &at);

    g_free(at.file);
    return found;
}

static const char *kernel_where(const struct run *r, const char *name)
{
    for (guint i = 0; i < r->kernels->len; i++) {
        const struct run_kernel *k = r->kernels->pdata[i];

        if ((!name || g_strcmp0(k->name, name) == 0) && has_line(k->where)) {
            return k->where;
        }
    }
    return NULL;
}

/* The first line of the program that the run knows. */
static const char *first_where(const struct run *r)
{
    const char *kernel = kernel_where(r, NULL);

    for (guint i = 0; !kernel && i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        if (has_line(region->where)) {
            return region->where;
        }
    }
    return kernel;
}

/* Where a code host shows a finding; it refuses a file in which one result has no place. A finding
 * without a line of its own is shown at its buffer, at its kernel's launch, or at the first line
 * that is known. Return: NULL: no line is known at all. */
static const char *shown_at(const struct run *r, const struct run_finding *f)
{
    const struct run_region *region = f->region ? run_region(r, f->region) : NULL;
    const char *const candidates[] = { f->where, f->other, region ? region->where : NULL,
                                       f->kernel ? kernel_where(r, f->kernel) : NULL };

    for (gsize i = 0; i < G_N_ELEMENTS(candidates); i++) {
        if (has_line(candidates[i])) {
            return candidates[i];
        }
    }
    return first_where(r);
}

/* The program as it was started, "build/app" of "vtegra run ... -- ./build/app". g_free(). */
static char *program_file(const struct run *r)
{
    const char *rest = r->again ? strstr(r->again, " -- ") : NULL;
    const char *name = rest ? rest + 4 : r->program ? r->program : "program";
    bool quoted = rest && *name == '\'';

    return g_strndup(name + quoted, quoted ? strcspn(name + 1, "'")
                                    : rest ? strcspn(name, " ")
                                           : strlen(name));
}

/* Members of a location: where @place is in the source; without a line, the program. */
static void put_location(struct sarif *s, const char *place, const char *message)
{
    struct json_writer *w = &s->w;
    struct place at;
    g_autofree char *uri = NULL;

    if (!place_find(place, &at)) {
        at.file = program_file(s->run);
    }
    uri = file_uri(s->run, at.file);
    json_writer_begin(w, '{');
    sarif_begin(w, "physicalLocation", '{');
    sarif_begin(w, "artifactLocation", '{');
    put_text(w, "uri", uri);
    json_writer_end(w, '}');
    sarif_begin(w, "region", '{');
    put_int(w, "startLine", at.line ? at.line : 1);
    json_writer_end(w, '}');
    json_writer_end(w, '}');
    if (message) {
        put_message(w, "message", message);
    }
    json_writer_end(w, '}');
    g_free(at.file);
}

/* --- the code flow ---------------------------------------------------------------------------- */

struct step {
    const char *agent, *place, *message;
};

/* 3.37: a thread flow; @order places its step among those of all agents. A step without a line of
 * its own is shown at @otherwise. */
static void put_thread_flow(struct sarif *s, const struct step *step, unsigned steps,
                            unsigned order, const char *otherwise)
{
    struct json_writer *w = &s->w;

    json_writer_begin(w, '{');
    put_text(w, "id", step->agent);
    sarif_begin(w, "locations", '[');
    for (unsigned i = 0; i < steps; i++) {
        json_writer_begin(w, '{');
        json_writer_key(w, "location");
        put_location(s, has_line(step[i].place) ? step[i].place : otherwise, step[i].message);
        put_int(w, "executionOrder", order + i);
        json_writer_end(w, '}');
    }
    json_writer_end(w, ']');
    json_writer_end(w, '}');
}

/* "kernel scale (stream 0)" of "write by kernel scale at app.cu:11 (stream 0), launched at ...".
 * g_free(). */
static char *agent_of(const char *other)
{
    const char *by = strstr(other, " by "), *stream = strstr(other, " (stream ");
    const char *from = by ? by + 4 : other, *close = stream ? strchr(stream, ')') : NULL;
    const char *ends[] = { strstr(from, " at "), strstr(from, ", launched"), stream };
    const char *to = from + strlen(from);

    for (gsize i = 0; i < G_N_ELEMENTS(ends); i++) {
        to = ends[i] && ends[i] > from && ends[i] < to ? ends[i] : to;
    }
    return g_strdup_printf("%.*s%.*s", (int)(to - from), from,
                           close ? (int)(close + 1 - stream) : 0, close ? stream : "");
}

/* The table's words of what is missing between the two. */
static const char *sarif_between(const char *rule)
{
    for (unsigned i = 0; i < CHECK_RULE_COUNT; i++) {
        if (strcmp(check_rules[i].name, rule) == 0 && check_rules[i].text) {
            return check_rules[i].text;
        }
    }
    return NULL;
}

/* Which of the two comes first: the one that writes; the finding's own place is the CPU's, if one
 * is. */
static bool other_is_first(const struct run_finding *f)
{
    return f->other && !g_str_has_prefix(f->other, "read");
}

static const char *agent_here(const struct run_finding *f)
{
    bool cpu_there = strstr(f->other, "CPU") != NULL;

    if (!cpu_there && f->pair && strstr(f->pair, " CPU ")) {
        return "CPU";
    }
    return f->kernel ? f->kernel : cpu_there ? "another thread of the CPU" : "another agent";
}

static void put_code_flow(struct sarif *s, const struct run_finding *f, const char *shown)
{
    struct json_writer *w = &s->w;
    bool first = other_is_first(f);
    g_autofree char *agent = agent_of(f->other);
    g_autofree char *missing =
        g_strdup_printf("between the two: %s",
                        sarif_between(f->rule) ? sarif_between(f->rule) : "nothing orders the two");
    const struct step there[] = { { agent, f->other, f->other }, { agent, NULL, missing } };
    const struct step here[] = { { agent_here(f), f->where, f->text } };

    sarif_begin(w, "codeFlows", '[');
    json_writer_begin(w, '{');
    sarif_begin(w, "threadFlows", '[');
    put_thread_flow(s, there, first ? 2 : 1, first ? 1 : 2, shown);
    put_thread_flow(s, here, 1, first ? 3 : 1, shown);
    json_writer_end(w, ']');
    json_writer_end(w, '}');
    json_writer_end(w, ']');
}

/* --- results ---------------------------------------------------------------------------------- */

static void put_fingerprint(struct sarif *s, const struct run_finding *f)
{
    const char *at = f->pair ? f->pair : f->where ? f->where : f->kernel ? f->kernel : "";
    g_autofree char *same = place_without_lines(at);
    g_autofree char *text = g_strdup_printf("%s %s", f->rule, same);
    char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    guint before = GPOINTER_TO_UINT(g_hash_table_lookup(s->prints, hash));
    g_autofree char *value = g_strdup_printf("%.32s:%u", hash, before + 1);

    g_hash_table_insert(s->prints, hash, GUINT_TO_POINTER(before + 1));
    sarif_begin(&s->w, "partialFingerprints", '{');
    put_text(&s->w, "vtegraPlaces/v1", value);
    json_writer_end(&s->w, '}');
}

static void put_result(struct sarif *s, const struct run_finding *f)
{
    static const char *const level[] = { "note", "warning", "error" }; /* by enum check_severity */
    struct json_writer *w = &s->w;
    const char *shown = shown_at(s->run, f);
    g_autofree char *message =
        f->todo ? g_strdup_printf("%s\n%s", f->text, f->todo) : g_strdup(f->text);

    json_writer_begin(w, '{');
    put_text(w, "ruleId", f->rule);
    put_int(w, "ruleIndex", GPOINTER_TO_UINT(g_hash_table_lookup(s->rules, f->rule)) - 1);
    put_text(w, "level", level[f->severity]);
    put_message(w, "message", message);
    sarif_begin(w, "locations", '[');
    put_location(s, shown, NULL);
    json_writer_end(w, ']');
    put_fingerprint(s, f);
    if (f->other) {
        put_code_flow(s, f, shown);
    }
    put_int(w, "occurrenceCount", f->count ? f->count : 1);
    sarif_begin(w, "properties", '{');
    put_text(w, "section", f->section);
    put_text(w, "standing", run_standing_name[f->standing]);
    put_text(w, "kernel", f->kernel);
    put_text(w, "run", f->run);
    json_writer_end(w, '}');
    json_writer_end(w, '}');
}

static void put_results(struct sarif *s, const GPtrArray *list)
{
    for (guint i = 0; i < list->len && i < RESULTS_MAX; i++) {
        const struct run_finding *f = list->pdata[i];

        if (f->rule && f->text) {
            put_result(s, f);
        }
    }
}

/* 3.20.8, 3.20.10, 3.20.14: how the program ended. Findings are no failure of its run. */
static void put_invocation(struct json_writer *w, const struct run *r)
{
    json_writer_begin(w, '{');
    put_text(w, "commandLine", r->again);
    if (r->ended && !r->signal) {
        put_int(w, "exitCode", r->status);
    }
    put_text(w, "exitSignalName", r->signal);
    json_writer_key(w, "executionSuccessful");
    json_writer_bool(w, r->ended && !r->signal);
    json_writer_end(w, '}');
}

static void put_run(struct sarif *s, const struct report *report)
{
    struct json_writer *w = &s->w;

    json_writer_begin(w, '{');
    put_tool(s, report);
    put_text(w, "columnKind", "utf16CodeUnits");
    sarif_begin(w, "invocations", '[');
    put_invocation(w, report->run);
    json_writer_end(w, ']');
    sarif_begin(w, "results", '[');
    put_results(s, report->run->findings);
    put_results(s, report->advice);
    json_writer_end(w, ']');
    json_writer_end(w, '}');
}

char *sarif_report(const struct report *report)
{
    struct sarif s = { .run = report->run,
                       .rules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                       .prints = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) };
    g_autofree char *text = NULL;

    json_writer_open(&s.w);
    json_writer_begin(&s.w, '{');
    put_text(&s.w, "$schema", SCHEMA);
    put_text(&s.w, "version", "2.1.0");
    sarif_begin(&s.w, "runs", '[');
    put_run(&s, report);
    json_writer_end(&s.w, ']');
    json_writer_end(&s.w, '}');
    text = json_writer_close(&s.w);
    g_hash_table_destroy(s.rules);
    g_hash_table_destroy(s.prints);
    return g_strconcat(text, "\n", NULL);
}
