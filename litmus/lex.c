/* SPDX-License-Identifier: MIT */
#include "litmus/lex.h"

#include <string.h>

static bool is_word(char c, bool first)
{
    return g_ascii_isalpha(c) || c == '_' || c == '%' ||
           (!first && (g_ascii_isdigit(c) || c == '.'));
}

/* Not g_strstr_len(), which ends at a byte 0. */
static const char *comment_end(const char *at, const char *end)
{
    for (; end - at >= 2; at++) {
        if (at[0] == '*' && at[1] == ')') {
            return at;
        }
    }
    return NULL;
}

void lex_space(struct lex *l)
{
    while (l->at < l->end) {
        if (g_ascii_isspace(*l->at)) {
            l->at++;
        } else if (l->end - l->at >= 2 && l->at[0] == '(' && l->at[1] == '*') {
            const char *close = comment_end(l->at + 2, l->end);

            if (!close) {
                lex_fail(l, l->at, "this comment has no end; expected \"*)\"");
                l->at = l->end;
                return;
            }
            l->at = close + 2;
        } else {
            return;
        }
    }
}

bool lex_peek(struct lex *l, char c)
{
    lex_space(l);
    return l->at < l->end && *l->at == c;
}

bool lex_take(struct lex *l, char c)
{
    if (!lex_peek(l, c)) {
        return false;
    }
    l->at++;
    return true;
}

/* The line that ends before this place; 0: something comes before it in its own line. */
static unsigned line_before(const struct lex *l)
{
    const char *last = l->at;

    while (last > l->text && g_ascii_isspace(last[-1])) {
        last--;
    }
    return lex_line(l, last) < lex_line(l, l->at) ? lex_line(l, last) : 0;
}

bool lex_need(struct lex *l, char c, const char *for_what)
{
    char *expected;
    unsigned before;

    if (l->failed) {
        return false;
    }
    if (lex_take(l, c)) {
        return true;
    }
    before = c == ';' ? line_before(l) : 0;
    expected = before ? g_strdup_printf("\"%c\" %s (line %u may lack it)", c, for_what, before)
                      : g_strdup_printf("\"%c\" %s", c, for_what);
    lex_expected(l, expected);
    g_free(expected);
    return false;
}

static size_t word_length(struct lex *l)
{
    size_t n = 0;

    lex_space(l);
    while (l->at + n < l->end && is_word(l->at[n], n == 0)) {
        n++;
    }
    return n;
}

bool lex_word(struct lex *l, char *word, size_t size)
{
    size_t n = word_length(l);

    if (n == 0) {
        return false;
    }
    if (n >= size) {
        return lex_fail(l, NULL, "\"%.12s...\" has %zu characters: %zu at most", l->at, n,
                        size - 1);
    }
    memcpy(word, l->at, n);
    word[n] = 0;
    l->at += n;
    return true;
}

bool lex_peek_word(struct lex *l, const char *word)
{
    size_t n = word_length(l);

    return n == strlen(word) && memcmp(l->at, word, n) == 0;
}

bool lex_number(struct lex *l, uint64_t *value)
{
    bool hex, fits = true;
    size_t n = 0, i;

    lex_space(l);
    while (l->at + n < l->end && g_ascii_isalnum(l->at[n])) {
        n++;
    }
    hex = n > 2 && l->at[0] == '0' && (l->at[1] | 32) == 'x';
    *value = 0;
    for (i = hex ? 2 : 0; i < n; i++) {
        int digit = hex ? g_ascii_xdigit_value(l->at[i]) : g_ascii_digit_value(l->at[i]);
        uint64_t base = hex ? 16 : 10;

        if (digit < 0) {
            return false;
        }
        fits &= *value <= (UINT64_MAX - (unsigned)digit) / base;
        *value = *value * base + (unsigned)digit;
    }
    if (n == 0) {
        return false;
    }
    if (!fits) {
        return lex_fail(l, NULL, "%.*s takes more than 64 bits", (int)MIN(n, 40), l->at);
    }
    l->at += n;
    return true;
}

bool lex_fits(struct lex *l, const char *at, uint64_t value, unsigned size)
{
    uint64_t most = size >= 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;

    return value <= most ||
           lex_fail(l, at, "%" G_GUINT64_FORMAT " does not fit %u byte%s: 0 to %" G_GUINT64_FORMAT,
                    value, size, size == 1 ? "" : "s", most);
}

unsigned lex_line(const struct lex *l, const char *at)
{
    unsigned line = 1;

    for (const char *c = l->text; c < at; c++) {
        line += *c == '\n';
    }
    return line;
}

unsigned lex_column(const struct lex *l, const char *at)
{
    unsigned column = 1;

    for (const char *c = at; c > l->text && c[-1] != '\n'; c--) {
        column++;
    }
    return column;
}

bool lex_fail(struct lex *l, const char *at, const char *format, ...)
{
    va_list args;
    char *message;

    if (l->failed) {
        return false;
    }
    l->failed = true;
    at = at ? at : l->at;
    va_start(args, format);
    message = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(l->error, LITMUS_ERROR, LITMUS_ERROR_SYNTAX, "%s:%u:%u: %s", l->file,
                lex_line(l, at), lex_column(l, at), message);
    g_free(message);
    return false;
}

bool lex_expected(struct lex *l, const char *expected)
{
    size_t n;

    if (l->failed) {
        return false;
    }
    n = word_length(l);
    if (l->failed) {
        return false;
    }
    if (l->at >= l->end) {
        return lex_fail(l, NULL, "expected %s, found the end of the file", expected);
    }
    if (n == 0 && !g_ascii_isprint(*l->at)) {
        return lex_fail(l, NULL, "expected %s, found byte 0x%02x: save the file as plain text",
                        expected, (unsigned char)*l->at);
    }
    if (*l->at == '<' || *l->at == '&' || *l->at == '`') { /* in no format of litmus tests */
        return lex_fail(l, NULL, "expected %s, found markup (%c): save the file as plain text",
                        expected, *l->at);
    }
    return lex_fail(l, NULL, "expected %s, found \"%.*s\"", expected, (int)CLAMP(n, 1, 40), l->at);
}
