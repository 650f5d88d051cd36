/* SPDX-License-Identifier: MIT */
#include "tools/save.h"

#include "trace/tracefile.h"

gboolean save(const char *path, const void *data, gsize len, GError **error)
{
    int failed = outfile_save(path, data, len);

    if (failed) {
        g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(failed),
                    "cannot write %s: %s", path, g_strerror(failed));
    }
    return failed == 0;
}
