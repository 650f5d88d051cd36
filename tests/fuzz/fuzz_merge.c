/* SPDX-License-Identifier: MIT */
/* Bytes as the results of an exploration: each line has its key, or is none. */
#include <string.h>

#include "tools/cmd.h"
#include "tools/explore/explore.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void cmd_error(const char *cmd, const char *format, ...)
{
    (void)cmd;
    (void)format;
}

gboolean explore_timed_out(const char *why)
{
    (void)why;
    return FALSE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JsonParser *parser = json_parser_new();
    GHashTable *bugs = explore_bugs_new();

    for (size_t at = 0; at < size;) {
        const char *line = (const char *)data + at;
        const char *end = memchr(line, '\n', size - at);
        size_t length = end ? (size_t)(end - line) : size - at;
        guint64 seed;
        char *key = explore_line_key(parser, line, length, &seed);

        if (key) {
            explore_bugs_take(bugs, explore_line_object(parser, line, (gssize)length));
        }
        g_free(key);
        at += length + 1;
    }
    g_hash_table_destroy(bugs);
    g_object_unref(parser);
    return 0;
}
