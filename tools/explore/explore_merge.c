/* SPDX-License-Identifier: MIT */
/* vtegra explore merge: lines of several explorations, sorted, each once. What is damaged or
 * missing is printed: a merged file that lacks results looks like one that has them all. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/cmd.h"
#include "tools/explore/explore.h"
#include "tools/save.h"

#define GAPS_TOLD 8u

/**
 * struct merging
 * @all: struct merged
 * @runs, @failed, @bugs: of the exploration whose lines are being written
 * @damaged: lines were left out, or one seed has two results
 */
struct merging {
    GArray *all;
    JsonParser *parser;
    guint64 runs, failed;
    GHashTable *bugs;
    gboolean damaged;
};

struct merged {
    char *key, *line;
    guint64 seed;
};

static gint merged_order(gconstpointer a, gconstpointer b)
{
    const struct merged *x = a, *y = b;
    int by_key = strcmp(x->key, y->key);

    if (by_key) {
        return by_key;
    }
    return x->seed != y->seed ? (x->seed < y->seed ? -1 : 1) : strcmp(x->line, y->line);
}

/* Text of any bytes, up to its end or the next newline. Return: FALSE if it is no result. */
static gboolean line_take(struct merging *m, const char *line, gsize len)
{
    struct merged one;

    one.key = explore_line_key(m->parser, line, len, &one.seed);
    if (one.key) {
        one.line = g_strndup(line, len);
        g_array_append_val(m->all, one);
    }
    return one.key != NULL;
}

static gboolean lines_take(struct merging *m, const char *file, const char *text, gsize len)
{
    guint number = 1, before = m->all->len;

    for (gsize at = 0; at < len; number++) {
        const char *end = memchr(text + at, '\n', len - at);
        gsize n = end ? (gsize)(end - (text + at)) : len - at;

        if (!end) {
            cmd_error(EXPLORE_CMD,
                      "%s:%u: last line incomplete: its exploration was killed; dropped", file,
                      number);
        } else if (!line_take(m, text + at, n)) {
            cmd_error(EXPLORE_CMD, "%s:%u: no result of vtegra explore; left out", file, number);
            m->damaged = TRUE;
        }
        at += n + 1;
    }
    if (len == 0) {
        cmd_error(EXPLORE_CMD, "%s is empty: no run of it had ended", file);
    } else if (m->all->len == before) {
        cmd_error(EXPLORE_CMD, "%s has no line of vtegra explore; nothing is merged", file);
        return FALSE;
    }
    return TRUE;
}

static gboolean file_take(struct merging *m, const char *file)
{
    GError *error = NULL;
    struct stat st;
    char *text;
    gsize len;
    gboolean ok;

    if (stat(file, &st) == 0 && !S_ISREG(st.st_mode)) { /* it may have no end */
        cmd_error(EXPLORE_CMD, "%s is no regular file", file);
        return FALSE;
    }
    if (!g_file_get_contents(file, &text, &len, &error)) {
        cmd_error(EXPLORE_CMD, "%s", error->message);
        g_error_free(error);
        return FALSE;
    }
    ok = lines_take(m, file, text, len);
    g_free(text);
    return ok;
}

static gboolean is_same_exploration(const struct merged *a, const struct merged *b)
{
    return strcmp(a->key, b->key) == 0;
}

/* What the lines of one exploration say together. */
static void bugs_print(struct merging *m)
{
    if (m->failed) {
        fprintf(stderr,
                "vtegra explore merge: %" G_GUINT64_FORMAT " runs, %" G_GUINT64_FORMAT " failed\n",
                m->runs, m->failed);
        explore_bugs_print(m->bugs, stderr);
    }
    g_hash_table_remove_all(m->bugs);
    m->runs = m->failed = 0;
}

static void bugs_take(struct merging *m, const char *line)
{
    m->runs++;
    if (strstr(line, "\"fail\"")) { /* most passed, and need no second look */
        JsonObject *o = explore_line_object(m->parser, line, -1);

        m->failed +=
            g_strcmp0(json_object_get_string_member_with_default(o, "result", NULL), "fail") == 0;
        explore_bugs_take(m->bugs, o);
    }
}

/* Sorted lines, each once. */
static void lines_put(struct merging *m, GString *out)
{
    for (guint i = 0; i < m->all->len; i++) {
        const struct merged *now = &g_array_index(m->all, struct merged, i);
        const struct merged *before = i ? now - 1 : NULL;

        if (before && !is_same_exploration(before, now)) {
            bugs_print(m);
        }
        if (before && before->seed == now->seed && is_same_exploration(before, now)) {
            if (strcmp(before->line, now->line) == 0) {
                continue;
            }
            cmd_error(EXPLORE_CMD,
                      "seed %" G_GUINT64_FORMAT " has two different results: the run depends on "
                      "something that vtegra does not hold still (docs/reproduce.md)",
                      now->seed);
            m->damaged = TRUE;
        }
        g_string_append_printf(out, "%s\n", now->line);
        bugs_take(m, now->line);
    }
    bugs_print(m);
}

/* Seeds between the lowest and the highest of one exploration. Where it ended is in no line. */
static void gaps_print(const struct merging *m)
{
    GString *gaps = g_string_new(NULL);
    guint n = 0;

    for (guint i = 1; i < m->all->len; i++) {
        const struct merged *now = &g_array_index(m->all, struct merged, i), *before = now - 1;

        if (!is_same_exploration(before, now) || now->seed - before->seed < 2) {
            continue;
        }
        if (++n <= GAPS_TOLD) {
            g_string_append_printf(gaps, "%s%" G_GUINT64_FORMAT, gaps->len ? ", " : "",
                                   before->seed + 1);
        }
        if (n <= GAPS_TOLD && now->seed - before->seed > 2) {
            g_string_append_printf(gaps, "-%" G_GUINT64_FORMAT, now->seed - 1);
        }
    }
    if (n > GAPS_TOLD) {
        g_string_append_printf(gaps, " and %u more gap%s", n - GAPS_TOLD,
                               n - GAPS_TOLD == 1 ? "" : "s");
    }
    if (n) {
        cmd_error(EXPLORE_CMD, "no results of seeds %s", gaps->str);
    }
    g_string_free(gaps, TRUE);
}

static gboolean out_write(const char *path, const GString *out)
{
    GError *error = NULL;

    if (!path) {
        if (fputs(out->str, stdout) >= 0 && fflush(stdout) == 0) {
            return TRUE;
        }
        cmd_error(EXPLORE_CMD, "cannot write to stdout: %s", g_strerror(errno));
        return FALSE;
    }
    if (!save(path, out->str, out->len, &error)) {
        cmd_error(EXPLORE_CMD, "--out: %s", error->message);
        g_error_free(error);
        return FALSE;
    }
    return TRUE;
}

static int files_merge(char **files, const char *path)
{
    struct merging m = { .all = g_array_new(FALSE, FALSE, sizeof(struct merged)),
                         .parser = json_parser_new(),
                         .bugs = explore_bugs_new() };
    GString *out = g_string_new(NULL);
    gboolean ok = explore_output_check("out", path);

    for (; *files && ok; files++) {
        ok = file_take(&m, *files);
    }
    if (ok) {
        g_array_sort(m.all, merged_order);
        gaps_print(&m);
        lines_put(&m, out);
        ok = out_write(path, out);
    }
    for (guint i = 0; i < m.all->len; i++) {
        g_free(g_array_index(m.all, struct merged, i).key);
        g_free(g_array_index(m.all, struct merged, i).line);
    }
    g_array_free(m.all, TRUE);
    g_string_free(out, TRUE);
    g_hash_table_destroy(m.bugs);
    g_object_unref(m.parser);
    return !ok ? CMD_FAILED : m.damaged ? CMD_FOUND : CMD_OK;
}

int explore_merge(int argc, char **argv, char *out)
{
    const GOptionEntry entries[] = {
        { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out, "write there (stdout)", "FILE" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };

    if (!cmd_options(EXPLORE_CMD " merge", "FILE... - combine the lines of several explorations",
                     NULL, entries, FALSE, &argc, &argv)) {
        return CMD_FAILED;
    }
    if (argc < 2) {
        cmd_error(EXPLORE_CMD, "merge: no files given; see vtegra explore merge --help");
        return CMD_FAILED;
    }
    return files_merge(argv + 1, out);
}
