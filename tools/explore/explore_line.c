/* SPDX-License-Identifier: MIT */
/* A line a run: nothing in it depends on the time, the machine, or on which process ran it. */
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/explore/explore.h"
#include "tools/json_text.h"

static void explore_line_put(JsonBuilder *b, const char *key, const char *value)
{
    json_builder_set_member_name(b, key);
    if (value) {
        json_builder_add_string_value(b, value);
    } else {
        json_builder_add_null_value(b);
    }
}

static void put_int(JsonBuilder *b, const char *key, guint64 value)
{
    json_builder_set_member_name(b, key);
    json_builder_add_int_value(b, (gint64)value);
}

/* JSON is UTF-8, names and arguments are any bytes: two of them never get one text. g_strcompress()
 * of it is what it was. */
static char *explore_line_escaped(const char *text)
{
    return g_utf8_validate(text, -1, NULL) && !strchr(text, '\\') ? g_strdup(text)
                                                                  : g_strescape(text, NULL);
}

static void put_list(JsonBuilder *b, const char *key, char **list)
{
    json_builder_set_member_name(b, key);
    json_builder_begin_array(b);
    for (; list && *list; list++) {
        g_autofree char *utf8 = explore_line_escaped(*list);

        json_builder_add_string_value(b, utf8);
    }
    json_builder_end_array(b);
}

/* What was explored: the same in every line of one exploration. */
static void put_key(JsonBuilder *b, const struct explore *e)
{
    g_autofree char *program = explore_line_escaped(e->key.program);

    explore_line_put(b, "program", program);
    put_list(b, "arguments", e->key.arguments);
    explore_line_put(b, "build", e->key.program_sha);
    explore_line_put(b, "vtegra", e->key.version);
    explore_line_put(b, "soc", e->key.soc);
    explore_line_put(b, "profile", e->key.soc_sha);
    explore_line_put(b, "os", e->key.os);
    explore_line_put(b, "evict", e->key.evict);
    explore_line_put(b, "strategy", e->strategy);
    put_int(b, "depth", e->depth);
    put_int(b, "length", e->length);
    if (e->shared) {
        json_builder_set_member_name(b, EXPLORE_SHARED);
        json_builder_add_boolean_value(b, TRUE);
    }
}

static char *to_text(JsonBuilder *b)
{
    JsonNode *root = json_builder_get_root(b);
    char *text = json_to_string(root, FALSE);

    json_node_unref(root);
    g_object_unref(b);
    return text;
}

static const char *const of_whole_runs[] = { "findings", "bugs",      "steps",
                                             "switches", "evictions", "output" };

char *explore_line(const struct explore *e, const struct explore_outcome *o)
{
    JsonBuilder *b = json_builder_new();
    char *text, *line;

    json_builder_begin_object(b);
    put_key(b, e);
    put_int(b, "seed", o->seed);
    explore_line_put(b, "result", o->why ? "fail" : "pass");
    explore_line_put(b, "why", o->why);
    if (explore_timed_out(o->why)) { /* the moment of the kill is the machine's */
        for (size_t i = 0; i < G_N_ELEMENTS(of_whole_runs); i++) {
            explore_line_put(b, of_whole_runs[i], NULL);
        }
    } else {
        put_list(b, "findings", o->findings);
        put_list(b, "bugs", o->bugs);
        if (!e->shared) { /* of several processes these are not known */
            put_int(b, "steps", o->counts.steps);
            put_int(b, "switches", o->counts.switches);
            put_int(b, "evictions", o->counts.evictions);
        }
        explore_line_put(b, "output", o->output_sha);
    }
    json_builder_end_object(b);
    text = to_text(b);
    line = g_strconcat(text, "\n", NULL);
    g_free(text);
    return line;
}

/* --- reading back ----------------------------------------------------------------------------- */

JsonObject *explore_line_object(JsonParser *parser, const char *line, gssize len)
{
    JsonNode *root;

    if (!*line || !json_text_load(parser, "", line, len, NULL)) {
        return NULL;
    }
    root = json_parser_get_root(parser);
    return root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
}

static const char *const key_names[] = { "program",  "arguments", "build",  "vtegra",
                                         "soc",      "profile",   "os",     "evict",
                                         "strategy", "depth",     "length", EXPLORE_SHARED };

/* The members that say what was explored, as text; NULL: one is missing. */
static char *key_of(JsonObject *o)
{
    GString *key = g_string_new(NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(key_names); i++) {
        JsonNode *node = json_object_get_member(o, key_names[i]);
        char *text = node ? json_to_string(node, FALSE) : NULL;

        if (!text && strcmp(key_names[i], EXPLORE_SHARED) == 0) {
            continue;
        }
        if (!text) {
            g_string_free(key, TRUE);
            return NULL;
        }
        g_string_append(key, text);
        g_string_append_c(key, '\n');
        g_free(text);
    }
    return g_string_free(key, FALSE);
}

char *explore_line_key(JsonParser *parser, const char *line, gsize len, guint64 *seed)
{
    JsonObject *o = memchr(line, '\0', len) ? NULL : explore_line_object(parser, line, (gssize)len);
    JsonNode *node = o ? json_object_get_member(o, "seed") : NULL;

    if (!node || !JSON_NODE_HOLDS_VALUE(node)) {
        return NULL;
    }
    *seed = (guint64)json_node_get_int(node);
    return key_of(o);
}

static char *key_now(const struct explore *e, JsonParser *parser)
{
    struct explore_outcome none = { 0 };
    char *line = explore_line(e, &none), *key;

    key = key_of(explore_line_object(parser, line, -1));
    g_free(line);
    return key;
}

/* A run that was killed while it wrote leaves half a line. */
static gboolean torn_line_cut(const char *file, char *text, gsize len)
{
    gsize whole = len;

    while (whole > 0 && text[whole - 1] != '\n') {
        whole--;
    }
    text[whole] = '\0';
    if (whole != len && truncate(file, (off_t)whole) != 0) {
        cmd_error(EXPLORE_CMD, "cannot cut the unfinished last line of %s", file);
        return FALSE;
    }
    return TRUE;
}

gboolean explore_lines_resume(const struct explore *e, const char *file, GHashTable *done,
                              GArray *failed, GArray *timed_out, GHashTable *bugs)
{
    JsonParser *parser = json_parser_new();
    char *text, **lines, *wanted;
    gsize len;

    if (!g_file_get_contents(file, &text, &len, NULL)) {
        g_object_unref(parser);
        return TRUE; /* nothing yet */
    }
    if (!torn_line_cut(file, text, len)) {
        return FALSE;
    }
    wanted = key_now(e, parser);
    lines = g_strsplit(text, "\n", -1);
    for (char **l = lines; *l; l++) {
        JsonObject *o = explore_line_object(parser, *l, -1);
        char *key = o ? key_of(o) : NULL;

        if (key && strcmp(key, wanted) == 0) {
            guint64 seed = (guint64)json_object_get_int_member(o, "seed");

            if (!g_hash_table_add(done, g_memdup2(&seed, sizeof(seed)))) {
                g_free(key);
                continue;
            }
            explore_bugs_take(bugs, o);
            if (g_strcmp0(json_object_get_string_member(o, "result"), "fail") == 0) {
                const char *why = json_object_get_string_member_with_default(o, "why", NULL);

                g_array_append_val(explore_timed_out(why) ? timed_out : failed, seed);
            }
        }
        g_free(key);
    }
    g_strfreev(lines);
    g_free(wanted);
    g_free(text);
    g_object_unref(parser);
    return TRUE;
}
