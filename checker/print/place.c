/* SPDX-License-Identifier: MIT */
#include "checker/print/place.h"

#include <string.h>

/* ":41" at @p, and no letter behind it. Return: its length, 0: it is none. */
static size_t line_length(const char *p)
{
    size_t digits = *p == ':' ? strspn(p + 1, "0123456789") : 0;

    return digits && !g_ascii_isalnum(p[1 + digits]) ? 1 + digits : 0;
}

/* Where the file's name before @colon begins: it may hold blanks, but "at " ends what is before it.
 */
static const char *file_begin(const char *text, const char *colon)
{
    const char *from = text;

    for (const char *at = strstr(text, " at "); at && at + 4 <= colon;
         at = strstr(at + 4, " at ")) {
        from = at + 4;
    }
    return from;
}

bool place_find(const char *text, struct place *place)
{
    *place = (struct place){ 0 };
    for (const char *p = text ? strchr(text, ':') : NULL; p; p = strchr(p + 1, ':')) {
        const char *from = line_length(p) ? file_begin(text, p) : p;

        if (from < p) {
            place->file = g_strndup(from, (gsize)(p - from));
            place->line = g_ascii_strtoull(p + 1, NULL, 10);
            return true;
        }
    }
    return false;
}

char *place_without_lines(const char *text)
{
    GString *out = g_string_new(NULL);

    while (*text) {
        size_t skip = line_length(text);

        if (skip) {
            text += skip;
        } else {
            g_string_append_c(out, *text++);
        }
    }
    return g_string_free(out, FALSE);
}

char *place_path(const char *from, const char *path)
{
    g_autofree char *all = *path == '/' ? g_strdup(path) : g_strconcat(from, "/", path, NULL);
    g_auto(GStrv) parts = g_strsplit(all, "/", -1);
    GString *out = g_string_new(NULL);

    for (char **part = parts; *part; part++) {
        if (strcmp(*part, "..") == 0) {
            const char *last = strrchr(out->str, '/');

            g_string_truncate(out, last ? (gsize)(last - out->str) : 0);
        } else if (**part && strcmp(*part, ".") != 0) {
            g_string_append_printf(out, "/%s", *part);
        }
    }
    return g_string_free(out, FALSE);
}
