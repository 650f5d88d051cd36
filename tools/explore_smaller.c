/* SPDX-License-Identifier: MIT */
/* From a failing run to the fewest decisions that make it fail: delta debugging over the lines of
 * its schedule (A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE
 * TSE 28(2), 2002). A decision that can no longer be made, because another one is gone, is skipped.
 */
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/explore.h"

struct smaller {
    const struct explore *explore;
    struct explore_server *server;
    guint64 seed;
    char *header, *file, *record, *why;
};

static gboolean is_decision(const char *line)
{
    return g_str_has_prefix(line, "switch ") || g_str_has_prefix(line, "evict ");
}

/* The decisions of a schedule that a run has written. */
static GPtrArray *decisions_read(const char *file)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    char *text = NULL, **lines;

    if (g_file_get_contents(file, &text, NULL, NULL)) {
        lines = g_strsplit(text, "\n", -1);
        for (char **l = lines; *l; l++) {
            if (is_decision(*l)) {
                g_ptr_array_add(list, g_strdup(*l));
            }
        }
        g_strfreev(lines);
        g_free(text);
    }
    return list;
}

static void schedule_write(const struct smaller *s, const GPtrArray *list, guint skip, guint n)
{
    GString *text = g_string_new(s->header);

    for (guint i = 0; i < list->len; i++) {
        if (i < skip || i >= skip + n) {
            g_string_append_printf(text, "%s\n", (char *)list->pdata[i]);
        }
    }
    g_file_set_contents(s->file, text->str, (gssize)text->len, NULL);
    g_string_free(text, TRUE);
}

/* One run with the schedule in @s->file; its own schedule goes to @s->record. */
static gboolean fails_with(struct smaller *s, struct explore_outcome *out)
{
    gboolean fails;

    unlink(s->record);
    if (!explore_server_submit(s->server, s->seed, DECIDE_NONE, s->file, s->record) ||
        !explore_server_result(s->server, out)) {
        return FALSE;
    }
    fails = g_strcmp0(out->why, s->why) == 0;
    return fails;
}

/* All decisions but [skip, skip + n): do they still make it fail? Then @list is what that run did.
 */
static gboolean try_without(struct smaller *s, GPtrArray **list, guint skip, guint n)
{
    struct explore_outcome out;
    gboolean fails;

    schedule_write(s, *list, skip, n);
    fails = fails_with(s, &out);
    explore_outcome_clear(&out);
    if (fails) {
        GPtrArray *now = decisions_read(s->record);

        fails = now->len < (*list)->len; /* else nothing is gained */
        g_ptr_array_free(fails ? *list : now, TRUE);
        *list = fails ? now : *list;
    }
    return fails;
}

/* Ever smaller pieces are left out, until no single decision can be. */
static void reduce(struct smaller *s, GPtrArray **list)
{
    guint n = (*list)->len;

    while (n > 0 && (*list)->len > 0) {
        gboolean any = FALSE;

        for (guint at = 0; at < (*list)->len;) {
            if (try_without(s, list, at, n)) {
                any = TRUE;
            } else {
                at += n;
            }
        }
        n = any ? MIN(n, (*list)->len) : n / 2;
    }
}

static gboolean record_seed(struct smaller *s)
{
    struct explore_outcome first;
    gboolean ok =
        explore_server_submit(s->server, s->seed, explore_strategy(s->explore), NULL, s->record) &&
        explore_server_result(s->server, &first);

    if (ok) {
        s->why = g_strdup(first.why);
        explore_outcome_clear(&first);
    }
    if (ok && !s->why) {
        cmd_error(EXPLORE_CMD,
                  "seed %" G_GUINT64_FORMAT " failed before and does not now: the run depends on "
                  "something that vtegra does not hold still (docs/reproduce.md)",
                  s->seed);
    }
    return ok && s->why;
}

/* The last run, with nothing left out: it is what the file holds. */
static gboolean settle(struct smaller *s, const char *out, struct explore_outcome *left)
{
    char *body = NULL, *text;
    gboolean ok = fails_with(s, left) && g_file_get_contents(s->record, &body, NULL, NULL);

    if (ok) {
        text = g_strconcat(s->header, body, NULL);
        ok = g_file_set_contents(out, text, -1, NULL);
        g_free(text);
    }
    if (!ok) {
        cmd_error(EXPLORE_CMD, "cannot write %s, or its run does not fail again", out);
    }
    g_free(body);
    return ok;
}

gboolean explore_smaller(const struct explore *e, struct explore_server *server, guint64 seed,
                         const char *out, struct explore_outcome *left)
{
    struct smaller s = { .explore = e, .server = server, .seed = seed };
    struct schedule_key key = e->key;
    GPtrArray *list;
    gboolean ok;

    key.origin = g_strdup_printf("%s depth %u length %" G_GUINT64_FORMAT " seed %" G_GUINT64_FORMAT,
                                 e->strategy, e->depth, e->length, seed);
    s.header = schedule_header(&key);
    s.file = g_strdup_printf("%s/try", e->directory);
    s.record = g_strdup_printf("%s/record", e->directory);
    *left = (struct explore_outcome){ 0 };
    unlink(s.record);
    ok = record_seed(&s);
    if (ok) {
        list = decisions_read(s.record);
        reduce(&s, &list);
        schedule_write(&s, list, list->len, 0);
        ok = settle(&s, out, left);
        g_ptr_array_free(list, TRUE);
    }
    unlink(s.file);
    unlink(s.record);
    g_free(key.origin);
    g_free(s.header);
    g_free(s.file);
    g_free(s.record);
    g_free(s.why);
    return ok;
}
