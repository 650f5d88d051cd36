/* SPDX-License-Identifier: MIT */
#include "trace/note.h"

#include <inttypes.h>
#include <string.h>

void note_init(struct note *n, const char *name)
{
    n->count = 0;
    n->name = g_strdup(name);
}

void note_clear(struct note *n)
{
    for (unsigned i = 0; i < n->count; i++) {
        g_free(n->key[i]); /* and its value, which is behind it */
    }
    g_free(n->name);
    n->name = NULL;
    n->count = 0;
}

/* One piece of memory for both: there are a dozen pairs for each launch. */
static void note_take(struct note *n, const char *key, size_t key_bytes, const char *value,
                      size_t value_bytes)
{
    char *pair = g_malloc(key_bytes + value_bytes + 2);

    g_assert(n->count < NOTE_KEYS);
    memcpy(pair, key, key_bytes);
    pair[key_bytes] = '\0';
    memcpy(pair + key_bytes + 1, value, value_bytes);
    pair[key_bytes + 1 + value_bytes] = '\0';
    n->key[n->count] = pair;
    n->value[n->count++] = pair + key_bytes + 1;
}

#define DIGITS 24u
#define DIGITS_SURE 19 /* which no overflow needs */

/* Of a number to @base, which ends at @end. Return: where it begins */
static char *digits_put(char *end, uint64_t value, unsigned base)
{
    do {
        *--end = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    return end;
}

void note_str(struct note *n, const char *key, const char *value)
{
    if (value) {
        note_take(n, key, strlen(key), value, strlen(value));
    }
}

void note_u64(struct note *n, const char *key, uint64_t value)
{
    char text[DIGITS], *end = text + DIGITS, *begin = digits_put(end, value, 10);

    note_take(n, key, strlen(key), begin, (size_t)(end - begin));
}

void note_dims(struct note *n, const char *key, const uint32_t dims[3])
{
    char text[3 * DIGITS], *end = text + sizeof(text);
    char *begin = digits_put(end, dims[2], 10);

    *--begin = ',';
    begin = digits_put(begin, dims[1], 10);
    *--begin = ',';
    begin = digits_put(begin, dims[0], 10);
    note_take(n, key, strlen(key), begin, (size_t)(end - begin));
}

void note_hex(struct note *n, const char *key, uint64_t value)
{
    char text[DIGITS], *end = text + DIGITS, *begin = digits_put(end, value, 16);

    *--begin = 'x';
    *--begin = '0';
    note_take(n, key, strlen(key), begin, (size_t)(end - begin));
}

const char *note_get(const struct note *n, const char *key)
{
    for (unsigned i = 0; i < n->count; i++) {
        if (*n->key[i] == *key && strcmp(n->key[i], key) == 0) {
            return n->value[i];
        }
    }
    return NULL;
}

uint64_t note_num(const struct note *n, const char *key)
{
    const char *value = note_get(n, key), *p = value;
    uint64_t sum = 0;

    if (!value) {
        return 0;
    }
    while (*p >= '0' && *p <= '9' && p < value + DIGITS_SURE) {
        sum = sum * 10 + (uint64_t)(*p++ - '0');
    }
    /* "0x..", octal digits, large numbers */
    return *p || *value == '0' ? g_ascii_strtoull(value, NULL, 0) : sum;
}

static bool is_plain(const char *text)
{
    return *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_.:+-/<>*,()#&")] == '\0';
}

/* Everything that is not printable ASCII leaves as an octal escape: names are the program's, any
 * bytes. */
char *note_format(const struct note *n)
{
    GString *line = g_string_new("@");

    g_string_append(line, n->name);
    for (unsigned i = 0; i < n->count; i++) {
        if (is_plain(n->value[i])) {
            g_string_append_printf(line, " %s=%s", n->key[i], n->value[i]);
        } else {
            char *escaped = g_strescape(n->value[i], NULL);

            g_string_append_printf(line, " %s=\"%s\"", n->key[i], escaped);
            g_free(escaped);
        }
    }
    return g_string_free(line, FALSE);
}

/* The value that begins at *@at; moves *@at behind it. NULL: malformed. */
static char *value_parse(const char **at)
{
    const char *p = *at;
    char *raw, *value;

    if (*p != '"') {
        *at = p + strcspn(p, " ");
        return g_strndup(p, (gsize)(*at - p));
    }
    for (p++; *p && *p != '"'; p++) {
        p += *p == '\\' && p[1];
    }
    if (*p != '"') {
        return NULL;
    }
    raw = g_strndup(*at + 1, (gsize)(p - *at - 1));
    value = g_strcompress(raw);
    g_free(raw);
    *at = p + 1;
    return value;
}

static bool pair_parse(const char **at, struct note *n)
{
    size_t length = strcspn(*at, "= ");
    const char *p = *at + length;
    g_autofree char *value = NULL;

    if (length == 0 || *p != '=' || n->count == NOTE_KEYS) {
        return false;
    }
    p++;
    value = value_parse(&p);
    if (!value) {
        return false;
    }
    note_take(n, *at, length, value, strlen(value));
    *at = p;
    return true;
}

bool note_parse(const char *line, struct note *n)
{
    size_t length;

    n->name = NULL;
    n->count = 0;
    if (line[0] != '@') {
        return false;
    }
    line++;
    length = strcspn(line, " ");
    n->name = g_strndup(line, length);
    for (line += length; *line == ' ';) {
        line++;
        if (!pair_parse(&line, n)) {
            note_clear(n);
            return false;
        }
    }
    if (*line || length == 0) {
        note_clear(n);
        return false;
    }
    return true;
}
