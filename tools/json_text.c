/* SPDX-License-Identifier: MIT */
#include "tools/json_text.h"

#include <string.h>

/**
 * struct scan - where we are in the text
 * @line: counted from 1; @open: lines of the brackets that are open; @depth: how many
 */
struct scan {
    const char *at, *end;
    unsigned line, depth, open[JSON_TEXT_DEPTH];
};

static gboolean json_text_fail(GError **error, const char *name, unsigned line, const char *format,
                               ...) G_GNUC_PRINTF(4, 5);

static gboolean json_text_fail(GError **error, const char *name, unsigned line, const char *format,
                               ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, JSON_PARSER_ERROR, JSON_PARSER_ERROR_PARSE, "%s:%u: %s", name, line, text);
    return FALSE;
}

/* Past the string that @s->at begins. FALSE: it does not end. */
static gboolean string_skip(struct scan *s)
{
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
        s->line += *s->at == '\n';
        s->at += *s->at == '\\' && s->at + 1 < s->end;
    }
    return s->at < s->end;
}

/* json-glib also takes comments and strings in ' ', which JSON has not. Brackets could hide there,
 * so they are refused by name. */
static gboolean nesting_check(const char *name, const char *text, size_t len, GError **error)
{
    struct scan s = { .at = text, .end = text + len, .line = 1 };

    for (; s.at < s.end; s.at++) {
        unsigned line = s.line;

        switch (*s.at) {
        case '\n':
            s.line++;
            break;
        case '"':
            if (!string_skip(&s)) {
                return json_text_fail(error, name, line, "the text that begins here does not end");
            }
            break;
        case '\'':
        case '/':
        case '#':
            return json_text_fail(error, name, line,
                                  "JSON has texts in \" \" only, and no comments");
        case '[':
        case '{':
            if (s.depth == JSON_TEXT_DEPTH) {
                return json_text_fail(error, name, line, "more than %u brackets inside each other",
                                      JSON_TEXT_DEPTH);
            }
            s.open[s.depth++] = s.line;
            break;
        case ']':
        case '}':
            s.depth -= s.depth > 0;
            break;
        }
    }
    return s.depth == 0 ? TRUE
                        : json_text_fail(error, name, s.line,
                                         "the text ends before the bracket of line %u is closed",
                                         s.open[s.depth - 1]);
}

gboolean json_text_load(JsonParser *parser, const char *name, const char *text, gssize len,
                        GError **error)
{
    static const char anonymous[] = "<data>:";
    size_t bytes = len < 0 ? strlen(text) : (size_t)len;
    GError *why = NULL;

    if (!nesting_check(name, text, bytes, error)) {
        return FALSE;
    }
    if (json_parser_load_from_data(parser, text, (gssize)bytes, &why)) {
        return TRUE;
    }
    g_set_error(error, why->domain, why->code, "%s:%s", name,
                why->message + (g_str_has_prefix(why->message, anonymous) ? strlen(anonymous) : 0));
    g_error_free(why);
    return FALSE;
}

gboolean json_text_load_file(JsonParser *parser, const char *path, GError **error)
{
    gchar *text;
    gsize len;
    gboolean ok;

    if (!g_file_get_contents(path, &text, &len, error)) {
        return FALSE;
    }
    ok = json_text_load(parser, path, text, (gssize)len, error);
    g_free(text);
    return ok;
}
