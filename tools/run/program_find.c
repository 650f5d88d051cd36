/* SPDX-License-Identifier: MIT */
#include "tools/run/program_find.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"

/* A path that stands alone says where it was looked for. */
static void program_missing_print(const char *cmd, const char *path)
{
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *here = g_canonicalize_filename(dir, NULL);

    if (!g_file_test(dir, G_FILE_TEST_IS_DIR)) {
        cmd_error(cmd, "no such program: %s: there is no folder %s", path, here);
    } else {
        cmd_error(cmd,
                  "no such program: %s: the folder %s has none of that name. Is it built, and "
                  "there? (vtegra cc -o NAME, nvcc -o NAME)",
                  path, here);
    }
}

/* A source that was named for the program that it makes. */
static bool source_reported(const char *cmd, const char *name)
{
    static const char *const endings[] = { ".cu", ".cpp", ".cc", ".cxx", ".c" };

    for (gsize i = 0; i < G_N_ELEMENTS(endings); i++) {
        if (g_str_has_suffix(name, endings[i]) && g_file_test(name, G_FILE_TEST_IS_REGULAR)) {
            cmd_error(cmd,
                      "%s is a source: build it first (vtegra cc -g --track %s -o app), then name "
                      "./app",
                      name, name);
            return true;
        }
    }
    return false;
}

char *program_find(const char *cmd, const char *name, int *status)
{
    char *path = strchr(name, '/') ? g_strdup(name) : g_find_program_in_path(name);

    *status = CMD_NOT_RUN;
    if (source_reported(cmd, name)) {
        g_free(path);
        return NULL;
    }
    *status = CMD_NOT_FOUND;
    if (!path) {
        cmd_error(cmd, "no program \"%s\" in PATH; %s", name,
                  g_file_test(name, G_FILE_TEST_EXISTS)
                      ? "for the one in this folder write ./"
                      : "name it with its folder (./NAME: in this one)");
        return NULL;
    }
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        program_missing_print(cmd, path);
    } else if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        *status = CMD_NOT_RUN;
        cmd_error(cmd, "%s is a folder: name the program in it", path);
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
