/* SPDX-License-Identifier: MIT */
#include "checker/print/json_writer.h"

void json_writer_open(struct json_writer *w)
{
    *w = (struct json_writer){ .out = g_string_sized_new(4096), .empty = true };
}

char *json_writer_close(struct json_writer *w)
{
    g_assert(w->depth == 0);
    return g_string_free(w->out, FALSE);
}

static void new_line(struct json_writer *w)
{
    static const char line[] = "\n                                ";
    size_t left = w->compact ? 0 : 2 * (size_t)w->depth + 1;
    const char *from = line;

    while (left) {
        size_t n = MIN(left, sizeof(line) - 1 - (size_t)(from - line));

        g_string_append_len(w->out, from, (gssize)n);
        left -= n;
        from = line + 1; /* spaces alone */
    }
}

/* Before each value and key: what separates it from the one before. */
static void json_writer_separate(struct json_writer *w)
{
    if (!w->keyed && w->depth > 0) {
        g_string_append(w->out, w->empty ? "" : ",");
        new_line(w);
    }
    w->empty = false;
    w->keyed = false;
}

/* RFC 8259, 7. json-glib escapes DEL, too. */
static void append_char(GString *out, char c)
{
    static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (const char *n = named; *n; n += 2) {
        if (c == *n) {
            g_string_append_printf(out, "\\%c", n[1]);
            return;
        }
    }
    if ((c > 0 && c < 0x20) || c == 0x7f) {
        g_string_append_printf(out, "\\u%04x", (unsigned)c);
    } else {
        g_string_append_c(out, c);
    }
}

/* Bytes up to the next one that append_char() writes another way, or the end */
static size_t json_writer_plain(const char *text)
{
    size_t n = 0;

    while ((unsigned char)text[n] >= 0x20 && text[n] != '"' && text[n] != '\\' && text[n] != 0x7f) {
        n++;
    }
    return n;
}

static void append_text(GString *out, const char *text)
{
    g_autofree char *valid = g_utf8_validate(text, -1, NULL) ? NULL : g_utf8_make_valid(text, -1);
    const char *c = valid ? valid : text;

    g_string_append_c(out, '"');
    for (;;) {
        size_t n = json_writer_plain(c);

        g_string_append_len(out, c, (gssize)n);
        c += n;
        if (!*c) {
            break;
        }
        append_char(out, *c++);
    }
    g_string_append_c(out, '"');
}

void json_writer_key(struct json_writer *w, const char *key)
{
    json_writer_separate(w);
    append_text(w->out, key);
    g_string_append(w->out, w->compact ? ":" : " : ");
    w->keyed = true;
}

void json_writer_begin(struct json_writer *w, char bracket)
{
    json_writer_separate(w);
    g_string_append_c(w->out, bracket);
    w->depth++;
    w->empty = true;
}

void json_writer_end(struct json_writer *w, char bracket)
{
    w->depth--;
    if (!w->empty) {
        new_line(w);
    }
    g_string_append_c(w->out, bracket);
    w->empty = false;
}

void json_writer_int(struct json_writer *w, int64_t value)
{
    char digits[20], *at = digits + sizeof(digits);
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

    json_writer_separate(w);
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0) {
        g_string_append_c(w->out, '-');
    }
    g_string_append_len(w->out, at, digits + sizeof(digits) - at);
}

void json_writer_bool(struct json_writer *w, bool value)
{
    json_writer_separate(w);
    g_string_append(w->out, value ? "true" : "false");
}

void json_writer_text(struct json_writer *w, const char *value)
{
    json_writer_separate(w);
    if (value) {
        append_text(w->out, value);
    } else {
        g_string_append(w->out, "null");
    }
}
