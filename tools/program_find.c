/* SPDX-License-Identifier: MIT */
#include "tools/program_find.h"

#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"

char *program_find(const char *cmd, const char *name, int *status)
{
    char *path = strchr(name, '/') ? g_strdup(name) : g_find_program_in_path(name);

    *status = CMD_NOT_FOUND;
    if (!path) {
        cmd_error(cmd, "no program \"%s\" in PATH%s", name,
                  g_file_test(name, G_FILE_TEST_EXISTS) ? "; for the one in this folder write ./"
                                                        : "");
        return NULL;
    }
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        cmd_error(cmd, "no such program: %s", path);
    } else if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        *status = CMD_NOT_RUN;
        cmd_error(cmd, "%s is a folder", path);
    } else if (access(path, X_OK) != 0) {
        *status = CMD_NOT_RUN;
        cmd_error(cmd, "%s is not executable (chmod +x?)", path);
    } else {
        *status = CMD_OK;
        return path;
    }
    g_free(path);
    return NULL;
}
