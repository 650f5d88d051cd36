/* SPDX-License-Identifier: MIT */
#include "tools/trace/view_sources.h"

#include <string.h>

#include "checker/print/json_writer.h"
#include "trace/note.h"

#define FILES_MAX 64u                 /* of a program's; the page is a file to send */
#define BYTES_MAX ((gsize)256 * 1024) /* of each */

#define SOURCE_BEGIN "@source "

/* NULL: no such file, or not one to show. */
static char *source_read(const char *folder, const char *path)
{
    g_autofree char *beside =
        g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(folder, path, NULL);
    const char *const tries[] = { beside, path };
    char *text = NULL;
    gsize len = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(tries) && !text; i++) {
        if (g_file_test(tries[i], G_FILE_TEST_IS_REGULAR)) {
            g_file_get_contents(tries[i], &text, &len, NULL);
        }
    }
    if (text && (len > BYTES_MAX || !g_utf8_validate(text, (gssize)len, NULL))) {
        g_clear_pointer(&text, g_free);
    }
    return text;
}

static void source_put(struct json_writer *w, const char *folder, const struct note *n)
{
    const char *name = note_get(n, "name"), *path = note_get(n, "path");
    g_autofree char *text = name && path ? source_read(folder, path) : NULL;

    if (text) {
        json_writer_key(w, name);
        json_writer_text(w, text);
    }
}

/* "</script" in a text would end the element that the JSON stands in. */
static char *without_markup(const char *json)
{
    GString *out = g_string_new(json);

    g_string_replace(out, "<", "\\u003c", 0);
    return g_string_free(out, FALSE);
}

char *view_sources_json(const char *trace, const char *file)
{
    g_autofree char *folder = g_path_get_dirname(file), *json = NULL;
    struct json_writer w;
    unsigned files = 0;

    json_writer_open(&w);
    w.compact = true;
    json_writer_begin(&w, '{');
    for (const char *line = trace, *end; files < FILES_MAX && (end = strchr(line, '\n'));
         line = end + 1) {
        if (g_str_has_prefix(line, SOURCE_BEGIN)) {
            g_autofree char *copy = g_strndup(line, (gsize)(end - line));
            struct note n;

            if (note_parse(copy, &n)) {
                source_put(&w, folder, &n);
                note_clear(&n);
                files++;
            }
        }
    }
    json_writer_end(&w, '}');
    json = json_writer_close(&w);
    return without_markup(json);
}
