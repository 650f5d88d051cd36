/* SPDX-License-Identifier: MIT */
/* Twice through the file, line by line: a trace of gigabytes fits no memory. The first time the
 * findings are noted, and whether there is more than a page takes; the second time lines are
 * chosen. */
#include "tools/trace/view_excerpt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reader.h"

#define LINE 64u                          /* bytes, whose life the page draws */
#define BEFORE 2000u                      /* records before a finding that are kept */
#define WORK_MAX (VIEW_EXCERPT_MAX / 4)   /* bytes of records that name no address */
#define ACCESS_MAX (VIEW_EXCERPT_MAX / 2) /* and of those that do */
#define SECOND_LINE "# excerpt "

/* @bases: by region id, its address; @lines: addresses of lines in which something was found;
 * @at: numbers of the findings' lines in the file, growing */
struct excerpt {
    GHashTable *bases, *lines;
    GArray *at;
    GString *text;
    gsize second, work, accesses;
    guint64 records, kept;
    guint next;
};

/* A number behind " KEY="; 0: there is none. */
static guint64 excerpt_number(const char *line, const char *key)
{
    const char *at = strstr(line, key);

    return at ? g_ascii_strtoull(at + strlen(key), NULL, 0) : 0;
}

static guint64 *excerpt_key(guint64 value)
{
    return g_memdup2(&value, sizeof(value));
}

/* A note of the first reading. */
static void excerpt_note(struct excerpt *x, const char *line, guint64 number)
{
    guint64 region, *base;

    if (g_str_has_prefix(line, "@region ")) {
        g_hash_table_insert(x->bases, excerpt_key(excerpt_number(line, " id=")),
                            excerpt_key(excerpt_number(line, " va=")));
    } else if (g_str_has_prefix(line, "@finding ")) {
        g_array_append_val(x->at, number);
        region = excerpt_number(line, " region=");
        base = g_hash_table_lookup(x->bases, &region);
        if (base) {
            g_hash_table_add(x->lines,
                             excerpt_key((*base + excerpt_number(line, " offset=")) / LINE));
        }
    }
}

/* @whole: the text as long as it is short enough; emptied when it is not. Return: FALSE with errno.
 */
static gboolean excerpt_first(struct excerpt *x, FILE *f, GString *whole, gboolean *all)
{
    char *line = NULL;
    size_t room = 0;
    guint64 number = 0;
    ssize_t n;

    *all = TRUE;
    while ((n = getline(&line, &room, f)) > 0) {
        number++;
        if (*all && whole->len + (gsize)n > VIEW_EXCERPT_MAX) {
            *all = FALSE;
            if (whole->str[0] == '{') { /* a report, in one piece */
                break;
            }
            g_string_truncate(whole, 0);
        }
        if (*all) {
            g_string_append_len(whole, line, n);
        }
        if (line[0] == '@') {
            excerpt_note(x, line, number);
        }
    }
    free(line);
    return !ferror(f);
}

static gboolean excerpt_before_finding(struct excerpt *x, guint64 number)
{
    while (x->next < x->at->len && g_array_index(x->at, guint64, x->next) < number) {
        x->next++;
    }
    return x->next < x->at->len && g_array_index(x->at, guint64, x->next) - number <= BEFORE;
}

/* Is the record kept? Counted to what it is of. */
static gboolean excerpt_wants(struct excerpt *x, const char *line, gsize n, guint64 number)
{
    const char *va = strstr(line, " va=");
    guint64 at;

    if (!va) {
        x->work += n;
        return x->work <= WORK_MAX;
    }
    at = g_ascii_strtoull(va + 4, NULL, 0) / LINE;
    if (!g_hash_table_contains(x->lines, &at) && !excerpt_before_finding(x, number)) {
        return FALSE;
    }
    x->accesses += n;
    return x->accesses <= ACCESS_MAX;
}

static gboolean excerpt_second(struct excerpt *x, FILE *f)
{
    char *line = NULL;
    size_t room = 0;
    guint64 number = 0;
    ssize_t n;

    while ((n = getline(&line, &room, f)) > 0) {
        gboolean note = line[0] == '@' || line[0] == '#', keeps;

        number++;
        x->records += !note;
        keeps = note ? x->text->len < VIEW_EXCERPT_MAX : excerpt_wants(x, line, (gsize)n, number);
        if (keeps) {
            x->kept += !note;
            g_string_append_len(x->text, line, n);
        }
        if (number == 1) {
            x->second = x->text->len;
        }
    }
    free(line);
    return !ferror(f);
}

static GString *excerpt_make(struct excerpt *x, const char *file)
{
    GString *whole = g_string_new(NULL);
    g_autofree char *second = NULL;
    FILE *f = trace_open(file);
    gboolean all = FALSE, read = f && excerpt_first(x, f, whole, &all);
    int error = errno;

    if (read && !all && whole->str[0] != '{') {
        fclose(f);
        x->text = whole;
        f = trace_open(file);
        read = f && excerpt_second(x, f);
        error = errno;
        second =
            g_strdup_printf(SECOND_LINE "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " records\n",
                            x->kept, x->records);
        g_string_insert(whole, (gssize)x->second, second);
    } else if (read && !all) {
        error = EFBIG;
        read = FALSE;
    }
    if (f) {
        fclose(f);
    }
    if (!read) {
        g_string_free(whole, TRUE);
        errno = error;
    }
    return read ? whole : NULL;
}

GString *view_excerpt(const char *file)
{
    struct excerpt x = {
        .bases = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
        .lines = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
        .at = g_array_new(FALSE, FALSE, sizeof(guint64)),
    };
    GString *text = excerpt_make(&x, file);
    int error = errno;

    g_hash_table_destroy(x.bases);
    g_hash_table_destroy(x.lines);
    g_array_free(x.at, TRUE);
    errno = error;
    return text;
}
