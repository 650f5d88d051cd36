/* SPDX-License-Identifier: MIT */
/* From a failing run to the fewest decisions that make it fail: delta debugging over the lines of
 * its schedule (A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE
 * TSE 28(2), 2002). A decision that can no longer be made, because another one is gone, is skipped.
 */
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/explore/explore.h"
#include "tools/save.h"

#define RUNS_MAX 1000u

/**
 * struct smaller
 * @why: how it fails; @runs: made so far
 * @broken: a run's result could not be had: said on stderr
 */
struct smaller {
    const struct explore *explore;
    struct explore_server *server;
    guint64 seed;
    struct explore_file file, record;
    char *why;
    guint runs;
    gboolean broken;
};

static gboolean is_switch(const char *line)
{
    return g_str_has_prefix(line, "switch ");
}

static gboolean is_order(const char *line)
{
    return g_str_has_prefix(line, "order ");
}

static gboolean is_decision(const char *line)
{
    return is_switch(line) || is_order(line) || g_str_has_prefix(line, "evict ");
}

/* The decisions of a schedule that a run has written. */
static GPtrArray *decisions_read(const struct explore_file *file)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    gsize len;
    char *text = explore_file_read(file, &len), **lines = g_strsplit(text, "\n", -1);

    for (char **l = lines; *l; l++) {
        if (is_decision(*l)) {
            g_ptr_array_add(list, g_strdup(*l));
        }
    }
    g_strfreev(lines);
    g_free(text);
    return list;
}

static gboolean schedule_write(const struct smaller *s, const GPtrArray *list, guint skip, guint n)
{
    GString *text = g_string_new(NULL);
    gboolean ok;

    for (guint i = 0; i < list->len; i++) {
        if (i < skip || i >= skip + n) {
            g_string_append_printf(text, "%s\n", (char *)list->pdata[i]);
        }
    }
    ok = explore_file_set(&s->file, text->str);
    g_string_free(text, TRUE);
    return ok;
}

/* One run as the seed says, or with the schedule in @s->file; its own goes to @s->record. */
static gboolean explore_smaller_run(struct smaller *s, gboolean scheduled,
                                    struct explore_outcome *out)
{
    enum decide_strategy strategy = scheduled ? DECIDE_NONE : explore_strategy(s->explore);

    *out = (struct explore_outcome){ 0 };
    s->runs++;
    s->broken = s->broken || !explore_file_set(&s->record, "") ||
                !explore_server_submit(s->server, s->seed, strategy,
                                       scheduled ? s->file.path : NULL, s->record.path) ||
                !explore_server_result(s->server, out) ||
                !explore_file_is_whole(&s->record, s->seed, 0);
    return !s->broken;
}

static gboolean fails_with(struct smaller *s, struct explore_outcome *out)
{
    return explore_smaller_run(s, TRUE, out) && g_strcmp0(out->why, s->why) == 0;
}

/* All decisions but [skip, skip + n): do they still make it fail? Then @list is what that run did.
 */
static gboolean try_without(struct smaller *s, GPtrArray **list, guint skip, guint n)
{
    struct explore_outcome out;
    gboolean fails;

    s->broken = s->broken || !schedule_write(s, *list, skip, n);
    fails = fails_with(s, &out);
    explore_outcome_clear(&out);
    if (fails) {
        GPtrArray *now = decisions_read(&s->record);

        fails = now->len < (*list)->len; /* else nothing is gained */
        g_ptr_array_free(fails ? *list : now, TRUE);
        *list = fails ? now : *list;
    }
    return fails;
}

static gboolean goes_on(const struct smaller *s)
{
    return !s->broken && s->runs < RUNS_MAX;
}

/* Ever smaller pieces are left out, until no single decision can be. */
static void explore_smaller_reduce(struct smaller *s, GPtrArray **list)
{
    guint n = (*list)->len;

    while (n > 0 && (*list)->len > 0 && goes_on(s)) {
        gboolean any = FALSE;

        for (guint at = 0; at < (*list)->len && goes_on(s);) {
            if (try_without(s, list, at, n)) {
                any = TRUE;
            } else {
                at += n;
            }
        }
        n = any ? MIN(n, (*list)->len) : n / 2;
    }
    if (!s->broken && s->runs >= RUNS_MAX) {
        fprintf(stderr, "stopped after %u runs: fewer decisions may do\n", s->runs);
    }
}

static int not_again(const struct smaller *s)
{
    if (s->broken) {
        return CMD_FAILED;
    }
    cmd_error(EXPLORE_CMD,
              "seed %" G_GUINT64_FORMAT " did not fail again when it was repeated: the program "
              "depends on something that vtegra does not hold still (docs/reproduce.md, \"What is "
              "not held still\"); no schedule is written",
              s->seed);
    return CMD_FOUND;
}

/* Does the seed fail again, and the same way with the decisions that it made? */
static gboolean explore_smaller_repeats(struct smaller *s, GPtrArray **list)
{
    struct explore_outcome out;
    gboolean ok = explore_smaller_run(s, FALSE, &out) && out.why;

    s->why = g_strdup(out.why);
    explore_outcome_clear(&out);
    *list = decisions_read(&s->record);
    if (ok) {
        s->broken = !schedule_write(s, *list, 0, 0);
        ok = fails_with(s, &out);
        explore_outcome_clear(&out);
    }
    return ok;
}

/* A run that crashed wrote no last line: how far it came is known. */
static char *body_of(const struct smaller *s, const struct decide_counts *c)
{
    gsize len;
    char *text = explore_file_read(&s->record, &len), *whole = text;

    if (!g_str_has_prefix(text, "end ") && !strstr(text, "\nend ")) {
        whole = g_strdup_printf("%send steps %" G_GUINT64_FORMAT " switches %" G_GUINT64_FORMAT
                                " evictions %" G_GUINT64_FORMAT " strayed %" G_GUINT64_FORMAT "\n",
                                text, c->steps, c->switches, c->evictions, c->strayed);
        g_free(text);
    }
    return whole;
}

/* The last run, with nothing left out: it is what the file holds. */
static int explore_smaller_settle(struct smaller *s, const GPtrArray *list, const char *header,
                                  const char *out, struct explore_left *left)
{
    char *body, *text;
    GError *error = NULL;

    s->broken = s->broken || !schedule_write(s, list, 0, 0);
    if (!fails_with(s, &left->outcome)) {
        return not_again(s);
    }
    for (guint i = 0; i < list->len; i++) {
        left->switches += is_switch(list->pdata[i]);
        left->orders += is_order(list->pdata[i]);
    }
    left->evictions = list->len - left->switches - left->orders;
    body = body_of(s, &left->outcome.counts);
    text = g_strconcat(header, body, NULL);
    save(out, text, strlen(text), &error);
    g_free(text);
    g_free(body);
    if (error) {
        cmd_error(EXPLORE_CMD, "--schedule: %s", error->message);
        g_error_free(error);
        return CMD_FAILED;
    }
    return CMD_OK;
}

static char *header_of(const struct explore *e, guint64 seed)
{
    struct schedule_key key = e->key;
    char *header;

    key.origin = g_strdup_printf("%s depth %u length %" G_GUINT64_FORMAT " seed %" G_GUINT64_FORMAT,
                                 e->strategy, e->depth, e->length, seed);
    header = schedule_header(&key);
    g_free(key.origin);
    return header;
}

int explore_smaller(const struct explore *e, struct explore_server *server, guint64 seed,
                    const char *out, struct explore_left *left)
{
    struct smaller s = { .explore = e, .server = server, .seed = seed };
    char *header = header_of(e, seed);
    GPtrArray *list = NULL;
    int status = CMD_FAILED;

    *left = (struct explore_left){ 0 };
    if (explore_file_new(&s.file, "a schedule to try") &&
        explore_file_new(&s.record, "the schedule of a run")) {
        if (explore_smaller_repeats(&s, &list)) {
            fprintf(stderr,
                    "looking for the fewest of %u decisions that still fail (at most %u runs)\n",
                    list->len, RUNS_MAX);
            explore_smaller_reduce(&s, &list);
            status = explore_smaller_settle(&s, list, header, out, left);
        } else {
            status = not_again(&s);
        }
        g_ptr_array_free(list, TRUE);
    }
    explore_file_free(&s.file);
    explore_file_free(&s.record);
    g_free(header);
    g_free(s.why);
    return status;
}
