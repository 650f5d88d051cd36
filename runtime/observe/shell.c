/* SPDX-License-Identifier: MIT */
#include "runtime/observe/shell.h"

#include <glib.h>
#include <string.h>

/* Characters that no shell looks at (POSIX 2.2). */
static gboolean is_plain(const char *word)
{
    static const char others[] = "_-+=./:,@%^";
    const char *c = word;

    while (g_ascii_isalnum(*c) || (*c && strchr(others, *c))) {
        c++;
    }
    return *word && !*c;
}

char *shell_line(const char *const *words)
{
    GString *line = g_string_new(NULL);

    for (; *words; words++) {
        g_autofree char *quoted = is_plain(*words) ? NULL : g_shell_quote(*words);

        g_string_append_printf(line, "%s%s", line->len ? " " : "", quoted ? quoted : *words);
    }
    return g_string_free(line, FALSE);
}
