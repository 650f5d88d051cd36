/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tools/silicon/compare.h"

static gboolean is_ignored(const char *line, const GPtrArray *ignore)
{
    for (guint i = 0; ignore && i < ignore->len; i++) {
        if (g_regex_match(g_ptr_array_index(ignore, i), line, 0, NULL)) {
            return TRUE;
        }
    }
    return FALSE;
}

/**
 * struct lines - those of an output that count
 * @number: of each in the whole output, from 1
 */
struct lines {
    char **all;
    GPtrArray *line;
    GArray *number;
};

static struct lines lines_of(const char *text, const GPtrArray *ignore)
{
    struct lines l = { g_strsplit(text, "\n", -1), g_ptr_array_new(),
                       g_array_new(FALSE, FALSE, sizeof(guint)) };
    guint n = g_strv_length(l.all);

    if (n && !*l.all[n - 1]) {
        n--; /* behind the last line's end */
    }
    for (guint i = 0; i < n; i++) {
        guint number = i + 1;

        if (!is_ignored(l.all[i], ignore)) {
            g_ptr_array_add(l.line, l.all[i]);
            g_array_append_val(l.number, number);
        }
    }
    return l;
}

static void lines_clear(struct lines *l)
{
    g_ptr_array_free(l->line, TRUE);
    g_array_free(l->number, TRUE);
    g_strfreev(l->all);
}

static void side_add(GString *out, const char *side, const struct lines *l, guint i)
{
    if (i < l->line->len) {
        g_autofree char *shown = g_utf8_make_valid(g_ptr_array_index(l->line, i), -1);

        g_string_append_printf(out, "      %-8s line %u: %s\n", side,
                               g_array_index(l->number, guint, i), shown);
    } else {
        g_string_append_printf(out, "      %-8s has ended\n", side);
    }
}

gboolean compare_text(const char *what, const char *model, const char *silicon,
                      const GPtrArray *ignore, GString *out)
{
    struct lines m = lines_of(model, ignore), s = lines_of(silicon, ignore);
    guint i = 0;
    gboolean same;

    while (i < m.line->len && i < s.line->len &&
           strcmp(g_ptr_array_index(m.line, i), g_ptr_array_index(s.line, i)) == 0) {
        i++;
    }
    same = i == m.line->len && i == s.line->len;
    g_string_append_printf(out, "  %-13s %u and %u lines: %s\n", what, m.line->len, s.line->len,
                           same ? "the same" : "they differ");
    if (!same) {
        side_add(out, "model", &m, i);
        side_add(out, "silicon", &s, i);
    }
    lines_clear(&m);
    lines_clear(&s);
    return same;
}
