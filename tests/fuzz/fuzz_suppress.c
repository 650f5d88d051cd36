/* SPDX-License-Identifier: MIT */
/* Bytes as a file of suppressions: read, or refused with file, line and column. */
#include <stdlib.h>
#include <string.h>

#include "checker/run/run.h"
#include "checker/run/suppress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    GError *error = NULL;
    struct suppressions *s = suppressions_parse(text, "f", &error);
    struct note n;

    if (!s) {
        if (!g_str_has_prefix(error->message, "f:")) {
            abort();
        }
        g_error_free(error);
        return 0;
    }
    note_init(&n, "finding");
    note_str(&n, "rule", "race");
    note_str(&n, "where", text);
    note_str(&n, "kernel", text);
    suppressions_cover(s, &n);
    note_clear(&n);
    suppressions_free(s);
    return 0;
}
