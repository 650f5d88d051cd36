/* SPDX-License-Identifier: MIT */
#include "tools/paths.h"

#include <glib.h>

char *paths_get(const char *relative)
{
    char *self = g_file_read_link("/proc/self/exe", NULL);
    char *bin = g_path_get_dirname(self ? self : "/usr/bin/vtegra");
    char *prefix = g_path_get_dirname(bin);
    char *path = g_build_filename(prefix, relative, NULL);

    g_free(prefix);
    g_free(bin);
    g_free(self);
    return path;
}
