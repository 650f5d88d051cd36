/* SPDX-License-Identifier: MIT */
/* Names of the Itanium C++ ABI, section 5.1, as far as kernels have them. Any bytes are accepted.
 */
#include "checker/print/demangle.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

struct reader {
    const char *at;
    GString *out;
    unsigned depth;
};

static bool read_name(struct reader *r);
static bool read_type(struct reader *r);

static bool demangle_skip(struct reader *r, const char *text)
{
    if (!g_str_has_prefix(r->at, text)) {
        return false;
    }
    r->at += strlen(text);
    return true;
}

/* <source-name>: decimal length, then so many characters; an L before it: internal linkage. */
static bool read_source_name(struct reader *r)
{
    size_t length = 0;

    r->at += r->at[0] == 'L' && g_ascii_isdigit(r->at[1]);
    if (!g_ascii_isdigit(*r->at) || *r->at == '0') {
        return false;
    }
    while (g_ascii_isdigit(*r->at) && length < 4096) {
        length = length * 10 + (size_t)(*r->at++ - '0');
    }
    if (length > strlen(r->at)) {
        return false;
    }
    if (g_str_has_prefix(r->at, "_GLOBAL__N")) {
        g_string_append(r->out, "(anonymous namespace)");
    } else {
        g_string_append_len(r->out, r->at, (gssize)length);
    }
    r->at += length;
    return true;
}

static const char *builtin_type(char letter)
{
    static const char *const names[26] = {
        ['a' - 'a'] = "signed char",
        ['b' - 'a'] = "bool",
        ['c' - 'a'] = "char",
        ['d' - 'a'] = "double",
        ['f' - 'a'] = "float",
        ['h' - 'a'] = "unsigned char",
        ['i' - 'a'] = "int",
        ['j' - 'a'] = "unsigned int",
        ['l' - 'a'] = "long",
        ['m' - 'a'] = "unsigned long",
        ['s' - 'a'] = "short",
        ['t' - 'a'] = "unsigned short",
        ['v' - 'a'] = "void",
        ['x' - 'a'] = "long long",
        ['y' - 'a'] = "unsigned long long",
    };

    return letter >= 'a' && letter <= 'z' ? names[letter - 'a'] : NULL;
}

static bool read_type(struct reader *r)
{
    const char *builtin = builtin_type(*r->at);
    bool ok, pointer;

    if (builtin) {
        r->at++;
        g_string_append(r->out, builtin);
        return true;
    }
    if (r->depth > 32) {
        return false;
    }
    r->depth++;
    if (demangle_skip(r, "P")) {
        ok = read_type(r);
        g_string_append_c(r->out, '*');
    } else if (demangle_skip(r, "K")) {
        pointer = *r->at == 'P'; /* "char* const": before it, it would be the char's */
        g_string_append(r->out, pointer ? "" : "const ");
        ok = read_type(r);
        g_string_append(r->out, pointer ? " const" : "");
    } else {
        ok = read_name(r);
    }
    r->depth--;
    return ok;
}

/* L <type> [n] <digits> E */
static bool read_literal(struct reader *r)
{
    bool truth = g_str_has_prefix(r->at, "b");

    if (!builtin_type(*r->at)) {
        return false;
    }
    r->at++;
    if (truth && (demangle_skip(r, "0E") || demangle_skip(r, "1E"))) {
        g_string_append(r->out, r->at[-2] == '1' ? "true" : "false");
        return true;
    }
    if (demangle_skip(r, "n")) {
        g_string_append_c(r->out, '-');
    }
    if (!g_ascii_isdigit(*r->at)) {
        return false;
    }
    while (g_ascii_isdigit(*r->at)) {
        g_string_append_c(r->out, *r->at++);
    }
    return demangle_skip(r, "E");
}

static bool read_template_args(struct reader *r)
{
    const char *separator = "";

    g_string_append_c(r->out, '<');
    while (!demangle_skip(r, "E")) {
        g_string_append(r->out, separator);
        separator = ", ";
        if (!(demangle_skip(r, "L") ? read_literal(r) : read_type(r))) {
            return false;
        }
    }
    g_string_append_c(r->out, '>');
    return true;
}

static bool read_args_or_dots(struct reader *r)
{
    gsize start = r->out->len;

    if (!demangle_skip(r, "I") || read_template_args(r)) {
        return true;
    }
    g_string_truncate(r->out, start);
    g_string_append(r->out, "<...>");
    return false;
}

/* N <prefix>... E, or a plain name; each may have template arguments. */
static bool read_name(struct reader *r)
{
    if (!demangle_skip(r, "N")) {
        return read_source_name(r) && read_args_or_dots(r);
    }
    for (const char *separator = ""; !demangle_skip(r, "E"); separator = "::") {
        g_string_append(r->out, separator);
        if (!read_source_name(r) || !read_args_or_dots(r)) {
            return false;
        }
    }
    return true;
}

char *demangle(const char *name)
{
    struct reader r = { .at = name };
    bool ok;

    if (!demangle_skip(&r, "_Z")) {
        return g_strdup(name);
    }
    r.out = g_string_new(NULL);
    ok = read_name(&r);
    if (!ok && !g_str_has_suffix(r.out->str, "<...>")) {
        g_string_free(r.out, TRUE);
        return g_strdup(name);
    }
    return g_string_free(r.out, FALSE);
}

char *demangle_text(const char *text)
{
    static const char letters[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_$";
    GString *s = g_string_new(NULL);

    while (*text) {
        size_t length = strspn(text, letters);
        g_autofree char *word = g_strndup(text, length ? length : 1);
        g_autofree char *name = length ? demangle(word) : NULL;

        g_string_append(s, name ? name : word);
        text += length ? length : 1;
    }
    return g_string_free(s, FALSE);
}
