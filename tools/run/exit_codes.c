/* SPDX-License-Identifier: MIT */
#include "tools/run/exit_codes.h"

#include <glib.h>

#include "tools/cmd.h"

bool exit_codes_check(const char *value)
{
    g_auto(GStrv) part = g_strsplit(value, ",", 3);
    guint n = g_strv_length(part);
    bool good = n == 1 || n == 2;

    for (guint i = 0; good && i < n; i++) {
        good = g_ascii_string_to_unsigned(part[i], 10, i == 0, 255, NULL, NULL);
    }
    if (!good) {
        cmd_error(
            "run",
            "--error-exitcode \"%s\" must be an exit status, 1 to 255; after a comma a second "
            "one may follow, 0 to 255",
            value);
    }
    return good;
}
