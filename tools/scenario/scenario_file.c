/* SPDX-License-Identifier: MIT */
/* scenario.conf, and what it expects. */
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/scenario/scenario.h"

#define CONF "scenario.conf"
#define SECTION "scenario"

static const char *const groups[] = {
    [SCENARIO_OMITTED] = "omitted-sync",    [SCENARIO_SCHEDULE] = "schedule-dependent",
    [SCENARIO_UNSUPPORTED] = "unsupported", [SCENARIO_COST] = "cost",
    [SCENARIO_LITMUS] = "litmus",
};

static const struct {
    const char *name, *title;
} topics[SCENARIO_TOPICS] = {
    [SCENARIO_TOPIC_WAIT] = { "wait", "Waiting for a kernel" },
    [SCENARIO_TOPIC_STREAMS] = { "streams", "Streams and events" },
    [SCENARIO_TOPIC_MANAGED] = { "managed", "Managed memory and attachment" },
    [SCENARIO_TOPIC_MEMORY] = { "memory", "Which memory for what: Table 1" },
    [SCENARIO_TOPIC_CACHES] = { "caches", "Caches and maintenance" },
    [SCENARIO_TOPIC_ORDER] = { "order", "Flags, fences and atomics" },
    [SCENARIO_TOPIC_LIFETIME] = { "lifetime", "Freed too early" },
    [SCENARIO_TOPIC_THREADS] = { "threads", "Threads, locks and host functions" },
    [SCENARIO_TOPIC_SCI] = { "sci", "NvSci: buffers and fences between engines" },
    [SCENARIO_TOPIC_ERRORS] = { "errors", "Errors" },
    [SCENARIO_TOPIC_OTHER] = { "other", "Others" },
};

static const char *const keys[] = { "title",    "group",    "topic",     "level",    "source",
                                    "section",  "standing", "soc",       "os",       "litmus",
                                    "twin",     "network",  "libraries", "policies", "fail",
                                    "strategy", "races",    "camera",    "arch",     NULL };

const char *scenario_topic_name(enum scenario_topic topic)
{
    return topics[topic].name;
}

const char *scenario_topic_title(enum scenario_topic topic)
{
    return topics[topic].title;
}

const char *scenario_group_name(enum scenario_group group)
{
    return groups[group];
}

static void scenario_free(gpointer data)
{
    struct scenario *s = data;
    char *texts[] = { s->name,  s->dir,      s->title,   s->source, s->section,     s->standing,
                      s->soc,   s->os,       s->program, s->litmus, s->litmus_twin, s->network,
                      s->teach, s->strategy, s->races,   s->camera, s->arch };

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    g_strfreev(s->libraries);
    g_strfreev(s->policies);
    g_hash_table_destroy(s->expect);
    if (s->marks) {
        g_array_unref(s->marks);
    }
    g_free(s);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* A value, or @otherwise; NULL and a line on stderr where it has to be there and is not. */
static char *text_get(GKeyFile *file, const char *path, const char *key, const char *otherwise,
                      gboolean needed)
{
    char *value = g_key_file_get_string(file, SECTION, key, NULL);

    if (value && *value) {
        return value;
    }
    g_free(value);
    if (needed) {
        cmd_error(SCENARIO_CMD, "%s: no key \"%s\" in [" SECTION "]", path, key);
    }
    return g_strdup(otherwise);
}

static char **words_get(GKeyFile *file, const char *key, const char *otherwise)
{
    char *value = g_key_file_get_string(file, SECTION, key, NULL);
    char **words = g_strsplit(value ? value : otherwise, " ", -1);

    g_free(value);
    return words;
}

static char *path_get(GKeyFile *file, const char *dir, const char *key)
{
    char *value = g_key_file_get_string(file, SECTION, key, NULL);
    char *from = g_canonicalize_filename(dir, NULL);
    char *path = value ? g_canonicalize_filename(value, from) : NULL;

    g_free(value);
    g_free(from);
    return path;
}

static gboolean group_get(GKeyFile *file, const char *path, struct scenario *s)
{
    char *name = text_get(file, path, "group", NULL, TRUE);
    gboolean found = FALSE;

    for (size_t i = 0; name && i < SCENARIO_GROUPS && !found; i++) {
        found = strcmp(name, groups[i]) == 0;
        s->group = found ? (enum scenario_group)i : s->group;
    }
    if (name && !found) {
        char *all = g_strjoinv(", ", (char **)groups);

        cmd_error(SCENARIO_CMD, "%s: group \"%s\" is none of %s", path, name, all);
        g_free(all);
    }
    g_free(name);
    return found;
}

/* A scenario that says no topic is one of the others; its level is 2 then. */
static gboolean topic_get(GKeyFile *file, const char *path, struct scenario *s)
{
    g_autofree char *name = text_get(file, path, "topic", "other", FALSE);
    g_autofree char *level = text_get(file, path, "level", "2", FALSE);

    for (s->topic = 0; s->topic < SCENARIO_TOPICS && strcmp(name, topics[s->topic].name) != 0;) {
        s->topic++;
    }
    s->level = (unsigned)g_ascii_digit_value(*level);
    if (s->topic == SCENARIO_TOPICS) {
        GString *all = g_string_new(NULL);

        for (size_t i = 0; i < SCENARIO_TOPICS; i++) {
            g_string_append_printf(all, "%s%s", i ? ", " : "", topics[i].name);
        }
        cmd_error(SCENARIO_CMD, "%s: topic \"%s\" is none of %s", path, name, all->str);
        g_string_free(all, TRUE);
        return FALSE;
    }
    if (level[1] || s->level < 1 || s->level > 3) {
        cmd_error(SCENARIO_CMD, "%s: level \"%s\" must be 1, 2 or 3", path, level);
        return FALSE;
    }
    return TRUE;
}

static gboolean races_get(GKeyFile *file, const char *path, struct scenario *s)
{
    static const char *const words[] = { "auto", "on", "off", "lockstep", NULL };

    s->races = text_get(file, path, "races", "auto", FALSE);
    if (!g_strv_contains(words, s->races)) {
        cmd_error(SCENARIO_CMD, "%s: races \"%s\" must be auto, on, off or lockstep", path,
                  s->races);
        return FALSE;
    }
    return TRUE;
}

/* "nano tx2 = race result": one entry for each SoC. */
static gboolean expect_get(GKeyFile *file, const char *path, struct scenario *s)
{
    char **lines = g_key_file_get_keys(file, "expect", NULL, NULL);

    for (char **line = lines; line && *line; line++) {
        char *words = g_key_file_get_string(file, "expect", *line, NULL);
        char **socs = g_strsplit(*line, " ", -1);

        for (char **soc = socs; *soc; soc++) {
            if (**soc) {
                g_hash_table_replace(s->expect, g_strdup(*soc), g_strdup(words));
            }
        }
        g_strfreev(socs);
        g_free(words);
    }
    g_strfreev(lines);
    if (g_hash_table_size(s->expect) == 0) {
        cmd_error(SCENARIO_CMD, "%s: nothing in [expect]", path);
        return FALSE;
    }
    return TRUE;
}

static gboolean keys_check(GKeyFile *file, const char *path)
{
    char **has = g_key_file_get_keys(file, SECTION, NULL, NULL);
    gboolean ok = TRUE;

    for (char **key = has; key && *key && ok; key++) {
        ok = g_strv_contains(keys, *key);
        if (!ok) {
            cmd_error(SCENARIO_CMD, "%s: no key is called \"%s\"", path, *key);
        }
    }
    g_strfreev(has);
    return ok;
}

/* The lines of the source that say "<-- found here". */
static GArray *marks_read(const char *program)
{
    GArray *marks = g_array_new(FALSE, FALSE, sizeof(unsigned));
    char *text = NULL, **lines;

    if (program && g_file_get_contents(program, &text, NULL, NULL)) {
        lines = g_strsplit(text, "\n", -1);
        for (unsigned i = 0; lines[i]; i++) {
            unsigned number = i + 1;

            if (strstr(lines[i], "<-- found here")) {
                g_array_append_val(marks, number);
            }
        }
        g_strfreev(lines);
    }
    g_free(text);
    return marks;
}

/* README.md without its comment and its heading. */
static char *teach_read(const char *dir)
{
    char *path = g_build_filename(dir, "README.md", NULL);
    char *text = NULL, *from, *body = NULL;

    if (g_file_get_contents(path, &text, NULL, NULL)) {
        from = strstr(text, "\n# ");
        from = from ? strchr(from + 1, '\n') : text;
        body = g_strdup(from ? g_strstrip(from) : "");
    }
    g_free(text);
    g_free(path);
    return body;
}

static gboolean files_check(struct scenario *s, const char *path)
{
    const char *files[] = { s->program, s->litmus, s->litmus_twin, s->network };

    if (s->group == SCENARIO_LITMUS && (!s->litmus || !s->litmus_twin)) {
        cmd_error(SCENARIO_CMD, "%s: a litmus scenario needs the keys \"litmus\" and \"twin\"",
                  path);
        return FALSE;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        if (files[i] && !g_file_test(files[i], G_FILE_TEST_EXISTS)) {
            cmd_error(SCENARIO_CMD, "%s: there is no %s", path, files[i]);
            return FALSE;
        }
    }
    if (!s->teach || !*s->teach) {
        cmd_error(SCENARIO_CMD, "%s: README.md is missing or empty", path);
        return FALSE;
    }
    return TRUE;
}

static gboolean conf_read(GKeyFile *file, const char *path, struct scenario *s)
{
    char *fail, *source;

    s->title = text_get(file, path, "title", NULL, TRUE);
    s->source = text_get(file, path, "source", NULL, TRUE);
    s->section = text_get(file, path, "section", NULL, TRUE);
    s->standing = text_get(file, path, "standing", NULL, TRUE);
    if (!s->title || !s->source || !s->section || !s->standing || !keys_check(file, path) ||
        !group_get(file, path, s) || !topic_get(file, path, s) || !expect_get(file, path, s)) {
        return FALSE;
    }
    s->soc = text_get(file, path, "soc", "orin", FALSE);
    s->os = text_get(file, path, "os", "linux", FALSE);
    fail = text_get(file, path, "fail", "finding", FALSE);
    s->by_result = strcmp(fail, "result") == 0;
    g_free(fail);
    s->strategy = text_get(file, path, "strategy", "pct", FALSE);
    if (!races_get(file, path, s)) {
        return FALSE;
    }
    s->camera = text_get(file, path, "camera", "", FALSE);
    s->arch = text_get(file, path, "arch", "", FALSE);
    s->libraries = words_get(file, "libraries", "");
    s->policies =
        words_get(file, "policies", s->group == SCENARIO_SCHEDULE ? "seeded" : "lazy eager seeded");
    s->network = path_get(file, s->dir, "network");
    s->litmus = path_get(file, s->dir, "litmus");
    s->litmus_twin = path_get(file, s->dir, "twin");
    if (s->group != SCENARIO_LITMUS) {
        source = g_strconcat(s->name, ".cu", NULL);
        s->program = g_build_filename(s->dir, source, NULL);
        g_free(source);
    }
    s->marks = marks_read(s->program);
    s->teach = teach_read(s->dir);
    return files_check(s, path);
}

static struct scenario *scenario_load(const char *dir, const char *name)
{
    struct scenario *s = g_new0(struct scenario, 1);
    GKeyFile *file = g_key_file_new();
    GError *error = NULL;
    char *path;
    gboolean ok;

    s->name = g_strdup(name);
    s->dir = g_build_filename(dir, name, NULL);
    s->expect = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    path = g_build_filename(s->dir, CONF, NULL);
    ok = g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &error);
    if (!ok) {
        cmd_error(SCENARIO_CMD, "%s: %s", path, error->message);
        g_error_free(error);
    }
    ok = ok && conf_read(file, path, s);
    g_key_file_free(file);
    g_free(path);
    if (!ok) {
        scenario_free(s);
        return NULL;
    }
    return s;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp((*(const struct scenario *const *)a)->name,
                  (*(const struct scenario *const *)b)->name);
}

GPtrArray *scenario_load_all(const char *dir)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(scenario_free);
    GError *error = NULL;
    GDir *d = g_dir_open(dir, 0, &error);
    const char *name;
    gboolean ok = d != NULL;

    if (!d) {
        cmd_error(SCENARIO_CMD, "%s", error->message);
        g_error_free(error);
    }
    while (ok && (name = g_dir_read_name(d))) {
        char *path = g_build_filename(dir, name, CONF, NULL);

        if (g_file_test(path, G_FILE_TEST_EXISTS)) {
            struct scenario *s = scenario_load(dir, name);

            ok = s != NULL;
            if (ok) {
                g_ptr_array_add(all, s);
            }
        }
        g_free(path);
    }
    if (d) {
        g_dir_close(d);
    }
    if (!ok) {
        g_ptr_array_unref(all);
        return NULL;
    }
    g_ptr_array_sort(all, by_name);
    return all;
}

/* --- expecting -------------------------------------------------------------------------------- */

const char *scenario_expected(const struct scenario *s, const char *soc)
{
    const char *words = g_hash_table_lookup(s->expect, soc);

    if (!words && strcmp(soc, SCENARIO_PC) != 0) {
        words = g_hash_table_lookup(s->expect, "all");
    }
    return words && strcmp(words, "absent") != 0 ? words : NULL;
}

static gboolean scenario_file_has(const GPtrArray *list, const char *word)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)list, word, g_str_equal, NULL);
}

char *scenario_match(const struct scenario *s, const struct scenario_verdict *v,
                     const char *expected, gboolean loose, gboolean result)
{
    char **words = g_strsplit(strcmp(expected, "silent") == 0 ? "" : expected, " ", -1);
    GPtrArray *allowed = g_ptr_array_new();
    char *why = NULL;

    for (char **w = words; *w && !why; w++) {
        gboolean optional = loose || g_str_has_suffix(*w, "?");

        if (g_str_has_suffix(*w, "?")) {
            (*w)[strlen(*w) - 1] = '\0';
        }
        g_ptr_array_add(allowed, *w);
        optional |= strcmp(*w, "result") == 0 && !result;
        if (**w && !optional && !scenario_file_has(v->words, *w) &&
            !scenario_file_has(v->advice, *w)) {
            why = g_strdup_printf("no %s", *w);
        }
    }
    for (guint i = 0; i < v->words->len && !why; i++) {
        if (!scenario_file_has(allowed, v->words->pdata[i])) {
            why = g_strdup_printf("also %s", (const char *)v->words->pdata[i]);
        }
    }
    if (!why && !loose && s->marks->len && allowed->len && v->words->len && !v->at_mark && result) {
        why = g_strdup("no finding at a line that says \"found here\"");
    }
    g_ptr_array_unref(allowed);
    g_strfreev(words);
    return why;
}

void scenario_verdict_clear(struct scenario_verdict *v)
{
    char *texts[] = { v->text, v->todo, v->where, v->other, v->output };

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    if (v->words) {
        g_ptr_array_unref(v->words);
        g_ptr_array_unref(v->advice);
    }
    *v = (struct scenario_verdict){ 0 };
}
