/* SPDX-License-Identifier: MIT */
/* Stand-in for GLib: GKeyFile, for the profiles that are built in. */
#include <glib.h>

GKeyFile *g_key_file_new(void)
{
    return g_new0(GKeyFile, 1);
}

gboolean g_key_file_load_from_data(GKeyFile *k, const char *text, gsize len, int flags, GError **e)
{
    char *copy = g_strndup(text, len);

    (void)flags;
    k->line = g_strsplit(copy, "\n", -1);
    free(copy);
    for (char **p = k->line; *p; p++) {
        char *line = g_strstrip(*p);

        if (line[0] == '[' && line[strlen(line) - 1] != ']') {
            g_set_error(e, 0, 0,
                        "Key file contains line “%s” which is not a key-value pair, "
                        "group, or comment",
                        line);
            return FALSE;
        }
    }
    return TRUE;
}

char *g_key_file_get_value(GKeyFile *k, const char *group, const char *key, GError **e)
{
    gboolean inside = FALSE;
    size_t n = strlen(group), m = strlen(key);

    (void)e; /* NULL always */
    for (char **p = k->line; *p; p++) {
        char *line = *p;

        if (line[0] == '[') {
            inside = strncmp(line + 1, group, n) == 0 && line[n + 1] == ']';
        } else if (inside && strncmp(line, key, m) == 0) {
            char *rest = line + m + strspn(line + m, " \t");

            if (*rest == '=') {
                return g_strchug(g_strdup(rest + 1));
            }
        }
    }
    return NULL;
}

void g_key_file_free(GKeyFile *k)
{
    g_strfreev(k->line);
    free(k);
}
