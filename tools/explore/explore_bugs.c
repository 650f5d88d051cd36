/* SPDX-License-Identifier: MIT */
/* Failing runs by bug: a rule and the places that its finding names, however many seeds have it. */
#include <stdio.h>
#include <string.h>

#include "runtime/observe/shell.h"
#include "tools/explore/explore.h"

/* --- a finding of a report -------------------------------------------------------------------- */

static gint explore_bugs_order(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_once(GPtrArray *list, char *text)
{
    if (g_ptr_array_find_with_equal_func(list, text, g_str_equal, NULL)) {
        g_free(text);
    } else {
        g_ptr_array_add(list, text);
    }
}

/* Each "FILE:LINE" and "OBJECT+0xOFFSET". The numbers of threads, locks and streams beside them
 * are another in each run. */
static void places_of(const char *text, GPtrArray *places)
{
    static GRegex *place;
    GMatchInfo *match;

    if (!place) {
        place = g_regex_new("[^\\s(),;]+(?::[0-9]+|\\+0x[0-9a-f]+)", 0, 0, NULL);
    }
    for (g_regex_match(place, text, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL)) {
        add_once(places, g_match_info_fetch(match, 0));
    }
    g_match_info_free(match);
}

static const char *text_of(JsonObject *finding, const char *name)
{
    JsonNode *node = json_object_get_member(finding, name);
    const char *text =
        node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL; /* or null */

    return text ? text : "";
}

/* @places is consumed. */
static char *bug_text(const char *rule, GPtrArray *places, const char *kernel)
{
    char **list, *joined, *bug;

    g_ptr_array_sort(places, explore_bugs_order);
    g_ptr_array_add(places, NULL);
    list = (char **)g_ptr_array_free(places, FALSE);
    joined = g_strjoinv(", ", list);
    bug = g_strconcat(rule, *joined ? " at " : "", joined, *joined || !*kernel ? "" : " in kernel ",
                      *joined ? "" : kernel, NULL);
    g_free(joined);
    g_strfreev(list);
    return bug;
}

char *explore_bug_of(JsonObject *finding)
{
    static const char *const with_places[] = { "where", "other", "text" };
    GPtrArray *places = g_ptr_array_new();

    for (size_t i = 0; i < G_N_ELEMENTS(with_places); i++) {
        places_of(text_of(finding, with_places[i]), places);
    }
    return bug_text(text_of(finding, "rule"), places, text_of(finding, "kernel"));
}

char *explore_bug_of_output(const char *output)
{
    static const char *const rules[] = { "deadlock", "livelock" };

    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        g_autofree char *head = g_strdup_printf("vtegra: %s: ", rules[i]);
        const char *at = strstr(output, head);

        if (at && (at == output || at[-1] == '\n')) {
            GPtrArray *places = g_ptr_array_new();
            g_autofree char *line = g_strndup(at + strlen(head), strcspn(at, "\n") - strlen(head));

            places_of(line, places);
            return bug_text(rules[i], places, "");
        }
    }
    return NULL;
}

/* --- over all runs ---------------------------------------------------------------------------- */

/**
 * struct explore_bug
 * @line: the command of @smallest
 */
struct explore_bug {
    char *text, *line;
    guint64 seeds, smallest;
};

static void bug_free(gpointer data)
{
    struct explore_bug *bug = data;

    g_free(bug->text);
    g_free(bug->line);
    g_free(bug);
}

GHashTable *explore_bugs_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, NULL, bug_free);
}

static char *number_of(JsonObject *o, const char *name)
{
    return g_strdup_printf("%" G_GINT64_FORMAT,
                           json_object_get_int_member_with_default(o, name, 0));
}

/* The command for a shell. Of the program only its name is known. */
static char *line_of(JsonObject *o)
{
    g_autofree char *depth = number_of(o, "depth"), *length = number_of(o, "length");
    g_autofree char *seed = number_of(o, "seed");
    g_autofree char *name = g_strcompress(text_of(o, "program"));
    g_autofree char *program = g_strconcat("./", name, NULL);
    const char *const options[] = {
        "vtegra",   "run",    "--soc",      text_of(o, "soc"),      "--os",    text_of(o, "os"),
        "--policy", "seeded", "--strategy", text_of(o, "strategy"), "--depth", depth,
        "--length", length,   "--evict",    text_of(o, "evict"),    "--seed",  seed,
        "--",       program
    };
    JsonNode *node = json_object_get_member(o, "arguments");
    JsonArray *arguments = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
    char *line;

    for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
        g_ptr_array_add(argv, g_strdup(options[i]));
        if (i == 1 && json_object_has_member(o, EXPLORE_SHARED)) {
            g_ptr_array_add(argv, g_strdup("--shared"));
        }
    }
    for (guint i = 0; arguments && i < json_array_get_length(arguments); i++) {
        JsonNode *argument = json_array_get_element(arguments, i);
        const char *text = JSON_NODE_HOLDS_VALUE(argument) ? json_node_get_string(argument) : NULL;

        g_ptr_array_add(argv, g_strcompress(text ? text : ""));
    }
    g_ptr_array_add(argv, NULL);
    line = shell_line((const char *const *)argv->pdata);
    g_ptr_array_remove_index(argv, argv->len - 1);
    g_ptr_array_unref(argv);
    return line;
}

static void bug_add(GHashTable *bugs, JsonObject *o, const char *text)
{
    guint64 seed = (guint64)json_object_get_int_member(o, "seed");
    struct explore_bug *bug = g_hash_table_lookup(bugs, text);

    if (!bug) {
        bug = g_new0(struct explore_bug, 1);
        bug->text = g_strdup(text);
        bug->smallest = G_MAXUINT64;
        g_hash_table_insert(bugs, bug->text, bug);
    }
    bug->seeds++;
    if (seed < bug->smallest) {
        g_free(bug->line);
        bug->line = line_of(o);
        bug->smallest = seed;
    }
}

void explore_bugs_take(GHashTable *bugs, JsonObject *o)
{
    JsonNode *node = json_object_get_member(o, "bugs");
    JsonArray *list = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    guint n = list ? json_array_get_length(list) : 0;

    if (strcmp(text_of(o, "result"), "fail") != 0) {
        return;
    }
    for (guint i = 0; i < n; i++) {
        JsonNode *bug = json_array_get_element(list, i);
        const char *text = JSON_NODE_HOLDS_VALUE(bug) ? json_node_get_string(bug) : NULL;

        bug_add(bugs, o, text ? text : "?");
    }
    if (n == 0) { /* it took too long, or is a line of an earlier version */
        bug_add(bugs, o, text_of(o, "why"));
    }
}

/* The most frequent first. */
static gint bug_order(gconstpointer a, gconstpointer b)
{
    const struct explore_bug *x = a, *y = b;

    if (x->seeds != y->seeds) {
        return x->seeds > y->seeds ? -1 : 1;
    }
    return x->smallest != y->smallest ? (x->smallest < y->smallest ? -1 : 1)
                                      : strcmp(x->text, y->text);
}

void explore_bugs_print(GHashTable *bugs, FILE *out)
{
    GList *sorted = g_list_sort(g_hash_table_get_values(bugs), bug_order);

    for (GList *l = sorted; l; l = l->next) {
        const struct explore_bug *bug = l->data;

        fprintf(out, "%" G_GUINT64_FORMAT " seed%s, the smallest %" G_GUINT64_FORMAT ": %s\n  %s\n",
                bug->seeds, bug->seeds == 1 ? "" : "s", bug->smallest, bug->text, bug->line);
    }
    g_list_free(sorted);
}
