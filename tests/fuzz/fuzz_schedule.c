/* SPDX-License-Identifier: MIT */
/* Bytes as a schedule file: read, or refused with a line. */
#include <stdarg.h>

#include "tests/fuzz/fuzz_file.h"
#include "tools/cmd.h"
#include "tools/explore/schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned said;

void cmd_error(const char *cmd, const char *format, ...)
{
    va_list args;

    (void)cmd;
    va_start(args, format);
    g_free(g_strdup_vprintf(format, args));
    va_end(args);
    said++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schedule_key key = { .version = NULL };
    char *text = NULL;

    said = 0;
    if (schedule_read("fuzz", fuzz_file(data, size), &key, &text)) {
        g_free(schedule_header(&key));
        schedule_matches("fuzz", "f", &key, &key);
    } else if (!said) {
        abort();
    }
    schedule_key_clear(&key);
    g_free(text);
    return 0;
}
