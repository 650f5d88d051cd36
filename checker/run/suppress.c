/* SPDX-License-Identifier: MIT */
#include "checker/run/suppress.h"

#include <string.h>

#include "checker/finding.h"
#include "checker/print/demangle.h"
#include "checker/rules/rules.h"
#include "checker/run/run.h"

enum key { RULE, FILE_NAME, FUNCTION, KEYS };

static const char *const key_name[] = { "rule", "file", "function" };

/* Patterns with * and ?; NULL: any. */
struct entry {
    char *pattern[KEYS];
    bool used;
};

struct suppressions {
    GArray *entries;
};

/* Where the reader is. */
struct at {
    const char *name, *start, *p;
    unsigned line;
};

static void entry_clear(gpointer data)
{
    struct entry *e = data;

    for (unsigned i = 0; i < KEYS; i++) {
        g_free(e->pattern[i]);
    }
}

static G_GNUC_PRINTF(4, 5) bool fail(const struct at *at, const char *where, GError **error,
                                     const char *format, ...)
{
    va_list args;
    g_autofree char *text = NULL;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, g_quark_from_static_string("suppressions"), 0, "%s:%u:%u: %s", at->name,
                at->line, (unsigned)(where - at->start) + 1, text);
    return false;
}

static bool at_end(const struct at *at)
{
    return *at->p == '\0' || *at->p == '\n' || *at->p == '#';
}

static void blanks_skip(struct at *at)
{
    at->p += strspn(at->p, " \t\r");
}

/* A word, or text in quotes. */
static char *value_take(struct at *at, GError **error)
{
    const char *from = at->p;
    size_t length;

    if (*from != '"') {
        length = strcspn(from, " \t\r\n#");
        at->p += length;
        return g_strndup(from, length);
    }
    length = strcspn(from + 1, "\"\n");
    if (from[1 + length] != '"') {
        fail(at, from, error, "the quote is not closed");
        return NULL;
    }
    at->p += length + 2;
    return g_strndup(from + 1, length);
}

static bool pair_take(struct at *at, struct entry *e, GError **error)
{
    const char *from = at->p;
    size_t length = strcspn(from, "= \t\r\n#\"");
    unsigned key = 0;
    const char *value;

    while (key < KEYS &&
           (strlen(key_name[key]) != length || strncmp(from, key_name[key], length) != 0)) {
        key++;
    }
    if (from[length] != '=' || key == KEYS) {
        return fail(at, from, error, "\"%.*s\" is none of rule=, file=, function=", (int)length,
                    from);
    }
    if (e->pattern[key]) {
        return fail(at, from, error, "%s= stands here twice", key_name[key]);
    }
    at->p += length + 1;
    value = at->p;
    e->pattern[key] = value_take(at, error);
    if (!e->pattern[key]) {
        return false;
    }
    if (!*e->pattern[key]) {
        return fail(at, value, error, "%s= has no value", key_name[key]);
    }
    return true;
}

/* * is any text, ? any byte. GLib's patterns end the program where a text is no UTF-8. */
static bool pattern_fits(const char *pattern, const char *text)
{
    const char *star = NULL, *back = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            back = text;
        } else if (*pattern && (*pattern == '?' || *pattern == *text)) {
            pattern++;
            text++;
        } else if (star) { /* the newest * takes one byte more */
            pattern = star;
            text = ++back;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

static bool rule_is_known(const char *pattern)
{
    for (unsigned i = 0; i < CHECK_RULE_COUNT; i++) {
        if (pattern_fits(pattern, check_rules[i].name)) {
            return true;
        }
    }
    for (unsigned i = 0; check_rules_made[i]; i++) {
        if (pattern_fits(pattern, check_rules_made[i])) {
            return true;
        }
    }
    return false;
}

/* A line: an entry, a comment, or nothing. */
static bool line_take(struct at *at, GArray *entries, GError **error)
{
    struct entry e = { .pattern = { NULL } };
    const char *first;

    blanks_skip(at);
    first = at->p;
    while (!at_end(at)) {
        if (!pair_take(at, &e, error)) {
            entry_clear(&e);
            return false;
        }
        blanks_skip(at);
    }
    if (at->p != first && !e.pattern[RULE]) {
        entry_clear(&e);
        return fail(at, first, error, "the entry has no rule=; rule=* is every rule");
    }
    if (at->p != first && !rule_is_known(e.pattern[RULE])) {
        fail(at, first, error,
             "no finding has a rule %s: take the name from the report's line "
             "\"rule\"",
             e.pattern[RULE]);
        entry_clear(&e);
        return false;
    }
    if (at->p != first) {
        g_array_append_val(entries, e);
    }
    at->p += strcspn(at->p, "\n");
    return true;
}

struct suppressions *suppressions_parse(const char *text, const char *name, GError **error)
{
    struct suppressions *s = g_new(struct suppressions, 1);
    struct at at = { .name = name, .start = text, .p = text, .line = 1 };

    s->entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
    g_array_set_clear_func(s->entries, entry_clear);
    while (*at.p) {
        if (!line_take(&at, s->entries, error)) {
            suppressions_free(s);
            return NULL;
        }
        at.p += *at.p == '\n';
        at.start = at.p;
        at.line++;
    }
    return s;
}

void suppressions_free(struct suppressions *s)
{
    if (s) {
        g_array_unref(s->entries);
        g_free(s);
    }
}

/* "src/app.cu:41 in main (inside libc.so.6)": the file and the function; NULL where there is none.
 */
static void place_split(const char *where, char **file, char **function)
{
    const char *colon = where ? strrchr(where, ':') : NULL;
    const char *in = where ? strstr(where, " in ") : NULL;

    if (in) { /* a colon behind is of a C++ name */
        g_autofree char *place = g_strndup(where, (gsize)(in - where));
        const char *last = strrchr(place, ':');

        *file = last ? g_strndup(place, (gsize)(last - place)) : NULL;
        *function = g_strndup(in + 4, strcspn(in + 4, " ("));
    } else {
        *file = colon ? g_strndup(where, (gsize)(colon - where)) : NULL;
        *function = NULL;
    }
}

/* The name of a kernel less its parameters. */
static char *kernel_plain(const char *kernel)
{
    g_autofree char *name = kernel ? demangle(kernel) : NULL;

    return name ? g_strndup(name, strcspn(name, "(<")) : NULL;
}

static bool text_fits(const char *pattern, const char *text)
{
    return text && pattern_fits(pattern, text);
}

static bool file_fits(const char *pattern, const char *file)
{
    g_autofree char *base = file ? g_path_get_basename(file) : NULL;

    return text_fits(pattern, file) || text_fits(pattern, base);
}

bool suppressions_cover(struct suppressions *s, const struct note *finding)
{
    g_autofree char *file = NULL, *function = NULL, *kernel = NULL;
    const char *rule = note_get(finding, "rule");
    bool covered = false;

    if (!s || !rule) {
        return false;
    }
    place_split(note_get(finding, "where"), &file, &function);
    kernel = kernel_plain(note_get(finding, "kernel"));
    for (guint i = 0; i < s->entries->len && !covered; i++) {
        struct entry *e = &g_array_index(s->entries, struct entry, i);
        const char *in = e->pattern[FUNCTION];

        covered = text_fits(e->pattern[RULE], rule) &&
                  (!e->pattern[FILE_NAME] || file_fits(e->pattern[FILE_NAME], file)) &&
                  (!in || text_fits(in, function) || text_fits(in, kernel));
        e->used |= covered;
    }
    return covered;
}

guint suppressions_unused(const struct suppressions *s)
{
    guint n = 0;

    for (guint i = 0; s && i < s->entries->len; i++) {
        n += !g_array_index(s->entries, struct entry, i).used;
    }
    return n;
}

static void pair_put(GString *out, enum key key, const char *value)
{
    bool quoted = strpbrk(value, " \t#") != NULL;

    g_string_append_printf(out, "%s%s=%s%s%s", out->len ? " " : "", key_name[key],
                           quoted ? "\"" : "", value, quoted ? "\"" : "");
}

char *suppressions_entry(const struct run_finding *f)
{
    g_autofree char *file = NULL, *function = NULL, *kernel = kernel_plain(f->kernel);
    GString *out = g_string_new(NULL);

    place_split(f->where, &file, &function);
    pair_put(out, RULE, f->rule);
    if (file) {
        pair_put(out, FILE_NAME, file);
    }
    if (function || kernel) {
        pair_put(out, FUNCTION, function ? function : kernel);
    }
    return g_string_free(out, FALSE);
}
