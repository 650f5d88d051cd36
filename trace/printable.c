/* SPDX-License-Identifier: MIT */
#include "trace/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DEL 0x7f
#define C1_FIRST 0x80u
#define C1_LAST 0x9fu

/* Unicode, table 3-7: the first byte says how many follow, and of which value. 0: none of UTF-8. */
static size_t utf8_length(const unsigned char *at, size_t len, uint32_t *value)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t n = *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;

    *value = n ? *at & (0x7fu >> n) : 0;
    for (size_t i = 1; i < n; i++) {
        if (i >= len || (at[i] & 0xc0) != 0x80) {
            return 0;
        }
        *value = *value << 6 | (at[i] & 0x3fu);
    }
    return n && *value >= least[n] && *value <= 0x10ffff && *value >> 11 != 0x1b ? n : 0;
}

/* How many bytes from @at on are one character that is printed as it is; 0: the byte is not. */
static size_t plain_length(const unsigned char *at, size_t len)
{
    uint32_t value;
    size_t n;

    if (*at < C1_FIRST) {
        return (*at >= ' ' && *at != DEL) || *at == '\n' || *at == '\t';
    }
    n = utf8_length(at, len, &value);
    return n && value > C1_LAST ? n : 0;
}

void printable_append(GString *out, const char *text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + len;

    while (at < end) {
        size_t n = plain_length(at, (size_t)(end - at));

        if (n) {
            for (; n > 0; n--) {
                g_string_append_c(out, (char)*at++);
            }
        } else {
            g_string_append_printf(out, "\\%03o", (unsigned)*at++);
        }
    }
}

char *printable(const char *text)
{
    GString *out = g_string_new(NULL);

    printable_append(out, text, strlen(text));
    return g_string_free(out, FALSE);
}
