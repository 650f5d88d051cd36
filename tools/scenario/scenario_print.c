/* SPDX-License-Identifier: MIT */
/* What vtegra scenario prints. */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "profiles/profile.h"
#include "tools/cmd.h"
#include "tools/scenario/scenario.h"

/* --- the list --------------------------------------------------------------------------------- */

static gboolean scenario_print_shows(const struct scenario *s, const char *soc)
{
    const char *words = scenario_expected(s, soc);

    return words && strcmp(words, "silent") != 0 && strcmp(words, "forbidden") != 0 &&
           strcmp(words, "unseen") != 0;
}

/* The mistake cannot be made there: a call that it needs says so. */
static gboolean scenario_print_refuses(const struct scenario *s, const char *soc)
{
    const char *words = scenario_expected(s, soc);

    return s->group != SCENARIO_UNSUPPORTED && words && g_str_has_prefix(words, "unsupported");
}

static void name_add(GString *names, const char *soc)
{
    g_string_append_printf(names, "%s%s", names->len ? " " : "", soc);
}

/* "all", "all but thor", "nano tx2"; perhaps with "; unsupported on nano". g_free(). */
static char *socs_text(const struct scenario *s, char **socs)
{
    GString *shown = g_string_new(NULL), *others = g_string_new(NULL),
            *refused = g_string_new(NULL);
    guint n = 0, missing = 0;
    g_autofree char *names = NULL, *drive_names = NULL;
    g_auto(GStrv) drives = NULL;
    char *text;

    for (char **soc = socs; *soc; soc++) {
        gboolean is = scenario_print_shows(s, *soc) && !scenario_print_refuses(s, *soc);

        if (!is && strcmp(*soc, SCENARIO_PC) == 0) {
            continue; /* "all" is the Tegras */
        }
        name_add(is ? shown : others, *soc);
        n += is;
        missing += !is;
        if (scenario_print_refuses(s, *soc)) {
            name_add(refused, *soc);
        }
    }
    drives = scenario_drives(s);
    drive_names = g_strjoinv(" ", drives);
    names = missing == 0  ? g_strdup("all")
            : n == 0      ? g_strdup(drive_names)
            : missing < n ? g_strconcat("all but ", others->str, NULL)
                          : g_strdup(shown->str);
    text = g_strconcat(names, refused->len ? "; unsupported on " : NULL, refused->str, NULL);
    g_string_free(refused, TRUE);
    g_string_free(shown, TRUE);
    g_string_free(others, TRUE);
    return text;
}

static void scenario_print_member(JsonBuilder *b, const char *name, const char *value)
{
    json_builder_set_member_name(b, name);
    if (value) {
        char *utf8 = g_utf8_make_valid(value, -1);

        json_builder_add_string_value(b, utf8);
        g_free(utf8);
    } else {
        json_builder_add_null_value(b);
    }
}

static void member_list(JsonBuilder *b, const char *name, GPtrArray *list)
{
    json_builder_set_member_name(b, name);
    json_builder_begin_array(b);
    for (guint i = 0; list && i < list->len; i++) {
        json_builder_add_string_value(b, list->pdata[i]);
    }
    json_builder_end_array(b);
}

static char *builder_text(JsonBuilder *b)
{
    JsonNode *root = json_builder_get_root(b);
    char *text = json_to_string(root, FALSE);

    json_node_unref(root);
    g_object_unref(b);
    return text;
}

static char *scenario_json(const struct scenario *s, char **socs)
{
    JsonBuilder *b = json_builder_new();

    json_builder_begin_object(b);
    scenario_print_member(b, "name", s->name);
    scenario_print_member(b, "title", s->title);
    scenario_print_member(b, "group", scenario_group_name(s->group));
    scenario_print_member(b, "topic", scenario_topic_name(s->topic));
    json_builder_set_member_name(b, "level");
    json_builder_add_int_value(b, s->level);
    scenario_print_member(b, "soc", s->soc);
    scenario_print_member(b, "os", s->os);
    scenario_print_member(b, "source", s->source);
    scenario_print_member(b, "section", s->section);
    scenario_print_member(b, "standing", s->standing);
    json_builder_set_member_name(b, "expected");
    json_builder_begin_object(b);
    for (char **soc = socs; *soc; soc++) {
        scenario_print_member(b, *soc, scenario_expected(s, *soc));
    }
    json_builder_end_object(b);
    json_builder_end_object(b);
    return builder_text(b);
}

/* The order of a course: by topic, then from easy to hard. */
static gint by_topic(gconstpointer a, gconstpointer b)
{
    const struct scenario *x = *(const struct scenario *const *)a,
                          *y = *(const struct scenario *const *)b;

    if (x->topic != y->topic) {
        return x->topic < y->topic ? -1 : 1;
    }
    return x->level != y->level ? (int)x->level - (int)y->level : strcmp(x->name, y->name);
}

static void entry_print(const struct scenario *s, char **socs)
{
    g_autofree char *text = socs_text(s, socs);

    printf("  %u  %-26s %-18s %s\n%32s%s\n", s->level, s->name, scenario_group_name(s->group),
           s->title, "shows on: ", text);
}

static gboolean has_two_gpus(const char *soc)
{
    struct soc_profile *profile = profile_load(soc, NULL);
    gboolean two = profile && soc_profile_gpus(profile) > 1;

    profile_free(profile);
    return two;
}

char **scenario_drives(const struct scenario *s)
{
    char **all = profile_list(NULL), **kept = all;

    for (char **soc = all; *soc; soc++) {
        if (g_hash_table_contains(s->expect, *soc) && has_two_gpus(*soc)) {
            *kept++ = *soc;
        } else {
            g_free(*soc);
        }
    }
    *kept = NULL;
    return all;
}

char **scenario_socs(void)
{
    char **all = profile_list(NULL), **kept = all;

    for (char **soc = all; *soc; soc++) {
        struct soc_profile *profile = profile_load(*soc, NULL);

        if (profile && soc_profile_gpus(profile) == 1) {
            *kept++ = *soc;
        } else {
            g_free(*soc);
        }
        profile_free(profile);
    }
    *kept = NULL;
    return all;
}

void scenario_list_print(const GPtrArray *all, gboolean json)
{
    g_autoptr(GPtrArray) sorted = g_ptr_array_new();
    char **socs = scenario_socs();

    for (guint i = 0; i < all->len; i++) {
        g_ptr_array_add(sorted, all->pdata[i]);
    }
    g_ptr_array_sort(sorted, by_topic);
    for (guint i = 0; i < sorted->len; i++) {
        const struct scenario *s = sorted->pdata[i], *before = i ? sorted->pdata[i - 1] : NULL;

        if (json) {
            g_autofree char *text = scenario_json(s, socs);

            printf("%s%s%s\n", i == 0 ? "[" : " ", text, i + 1 == sorted->len ? "]" : ",");
            continue;
        }
        if (!before || before->topic != s->topic) {
            printf("%s%s\n", before ? "\n" : "", scenario_topic_title(s->topic));
        }
        entry_print(s, socs);
    }
    if (json && all->len == 0) {
        puts("[]");
    }
    g_strfreev(socs);
}

/* --- one of them ------------------------------------------------------------------------------ */

static void head_print(const struct scenario *s)
{
    printf("%s: %s\n\n%s\n\n", s->name, s->title, s->teach);
    printf("Group     %s\nRule      %s (%s)\nSource    %s\n", scenario_group_name(s->group),
           s->section, s->standing, s->source);
}

static void file_print(const char *path)
{
    char *text = NULL;

    if (path && g_file_get_contents(path, &text, NULL, NULL)) {
        printf("\n--- %s\n%s", path, text);
    }
    g_free(text);
}

void scenario_show(const struct scenario *s)
{
    char **socs = scenario_socs();

    head_print(s);
    printf("Expected\n");
    for (char **soc = socs; *soc; soc++) {
        const char *words = scenario_expected(s, *soc);

        printf("  %-10s %s\n", *soc, words ? words : "(this board or system has no such thing)");
    }
    file_print(s->program);
    file_print(s->litmus);
    file_print(s->litmus_twin);
    g_strfreev(socs);
}

/* --- results ---------------------------------------------------------------------------------- */

/* g_free(). */
static char *found_text(const struct scenario_result *r)
{
    GString *text = g_string_new(NULL);
    const struct scenario_verdict *v = &r->verdict;

    for (guint i = 0; v->words && i < v->words->len; i++) {
        g_string_append_printf(text, "%s%s", text->len ? " " : "", (char *)v->words->pdata[i]);
    }
    for (guint i = 0; !r->twin && v->advice && i < v->advice->len; i++) {
        g_string_append_printf(text, "%s%s", text->len ? " " : "", (char *)v->advice->pdata[i]);
    }
    if (text->len == 0) {
        g_string_append(text, "silent");
    }
    return g_string_free(text, FALSE);
}

static void line_print(const struct scenario_result *r, const char *found)
{
    printf("%-4s %s%s %s %s", r->why ? "FAIL" : "ok", r->scenario->name, r->twin ? " (twin)" : "",
           r->soc, r->policy);
    if (r->seed >= 0) {
        printf(" %s seed %" G_GINT64_FORMAT, r->strategy ? r->strategy : "pct", r->seed);
    } else if (r->runs > 1) {
        printf(" %" G_GUINT64_FORMAT " runs", r->runs);
    }
    printf(": %s%s%s\n", found, r->why ? "; " : "", r->why ? r->why : "");
}

char *scenario_again(const struct scenario_result *r)
{
    const struct scenario *s = r->scenario;
    GString *line;

    if (s->litmus) {
        return g_strdup_printf("vtegra litmus --soc %s --outcomes --witness 0 %s", r->soc,
                               r->program);
    }
    line = g_string_new(NULL);
    g_string_append_printf(line, "vtegra run --soc %s --os %s --policy ", r->soc, s->os);
    if (r->seed >= 0) {
        g_string_append_printf(
            line, "seeded --strategy %s --seed %" G_GINT64_FORMAT " --length %" G_GUINT64_FORMAT,
            r->strategy ? r->strategy : "pct", r->seed, r->length);
    } else {
        g_string_append(line, r->policy);
    }
    if (strcmp(s->races, "auto") != 0) {
        g_string_append_printf(line, " --races %s", s->races);
    }
    if (*s->camera) {
        g_string_append_printf(line, " --camera %s", s->camera);
    }
    g_string_append_printf(line, " -- %s", r->program);
    return g_string_free(line, FALSE);
}

static void detail_print(const char *name, const char *text)
{
    if (text) {
        printf("  %-7s %s\n", name, text);
    }
}

void scenario_result_print(const struct scenario_result *r, gboolean quiet)
{
    g_autofree char *again = scenario_again(r);
    const struct scenario_verdict *v = &r->verdict;
    char *found = found_text(r);

    if (quiet) {
        line_print(r, found);
        g_free(found);
        return;
    }
    head_print(r->scenario);
    printf("Board     %s, %s\nRun       %s", r->soc, r->scenario->os, r->policy);
    if (r->seed >= 0) {
        printf(", seed %" G_GINT64_FORMAT, r->seed);
    }
    printf(", %" G_GUINT64_FORMAT " run%s%s\n", r->runs, r->runs == 1 ? "" : "s",
           r->twin ? ", of the corrected twin" : "");
    printf("Expected  %s\nFound     %s: %s\n", r->expected, found, r->why ? r->why : "as expected");
    detail_print("", v->text);
    detail_print("where", v->where);
    detail_print("other", v->other);
    detail_print("to do", v->todo);
    detail_print("printed", v->output && *v->output ? g_strchomp(v->output) : NULL);
    printf("Again     %s\n", again);
    g_free(found);
}

char *scenario_result_json(const struct scenario_result *r)
{
    const struct scenario_verdict *v = &r->verdict;
    JsonBuilder *b = json_builder_new();

    json_builder_begin_object(b);
    scenario_print_member(b, "scenario", r->scenario->name);
    scenario_print_member(b, "group", scenario_group_name(r->scenario->group));
    scenario_print_member(b, "soc", r->soc);
    scenario_print_member(b, "os", r->scenario->os);
    json_builder_set_member_name(b, "twin");
    json_builder_add_boolean_value(b, r->twin);
    scenario_print_member(b, "policy", r->policy);
    scenario_print_member(b, "strategy", r->seed >= 0 ? (r->strategy ? r->strategy : "pct") : NULL);
    json_builder_set_member_name(b, "seed");
    if (r->seed >= 0) {
        json_builder_add_int_value(b, r->seed);
    } else {
        json_builder_add_null_value(b);
    }
    json_builder_set_member_name(b, "runs");
    json_builder_add_int_value(b, (gint64)r->runs);
    scenario_print_member(b, "expected", r->expected);
    member_list(b, "found", v->words);
    member_list(b, "advice", v->advice);
    json_builder_set_member_name(b, "ok");
    json_builder_add_boolean_value(b, !r->why);
    scenario_print_member(b, "why", r->why);
    scenario_print_member(b, "text", v->text);
    scenario_print_member(b, "where", v->where);
    scenario_print_member(b, "other", v->other);
    scenario_print_member(b, "output", v->output);
    json_builder_end_object(b);
    return builder_text(b);
}
