/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tools/cmd.h"
#include "tools/survey/survey.h"

/* The project's own text: what a comment names is not there. */
static char *commands_of(const char *path)
{
    static GRegex *comment;
    g_autofree char *text = NULL;
    gsize size;

    if (!comment) {
        comment = g_regex_new("#.*$", G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
    }
    return g_file_get_contents(path, &text, &size, NULL)
               ? g_regex_replace_literal(comment, text, (gssize)size, 0, "", 0, NULL)
               : NULL;
}

static gboolean has_command(const char *text, const char *name)
{
    g_autofree char *pattern = g_strdup_printf("\\b%s\\s*\\(", name);

    return g_regex_match_simple(pattern, text, G_REGEX_CASELESS | G_REGEX_RAW, 0);
}

static void project_add(GPtrArray *programs, const char *root, const char *dir)
{
    g_autofree char *base = g_path_get_basename(dir);

    /* survey_add() takes the name below the root, which the root itself has not. */
    survey_add(programs, strcmp(root, dir) == 0 ? "" : root, dir,
               strcmp(root, dir) == 0 ? base : dir, NULL);
}

static gboolean is_folder(const char *name, const char *path)
{
    return name[0] != '.' && !g_file_test(path, G_FILE_TEST_IS_SYMLINK) &&
           g_file_test(path, G_FILE_TEST_IS_DIR);
}

/* FALSE after a line on stderr */
static gboolean folder_walk(GPtrArray *programs, const char *root, const char *dir)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GDir) d = g_dir_open(dir, 0, &error);
    g_autofree char *list = g_build_filename(dir, "CMakeLists.txt", NULL);
    g_autofree char *text = commands_of(list);
    gboolean project = text && has_command(text, "project");
    guint before = programs->len;
    const char *name;

    if (!d) {
        cmd_error(SURVEY_CMD, "%s", error->message);
        return FALSE;
    }
    if (project && has_command(text, "add_executable")) {
        if (strstr(text, "CUDA")) {
            project_add(programs, root, dir);
        }
        return TRUE;
    }
    while ((name = g_dir_read_name(d))) {
        g_autofree char *path = g_build_filename(dir, name, NULL);

        if (is_folder(name, path) && !folder_walk(programs, root, path)) {
            return FALSE;
        }
    }
    if (project && programs->len == before && strstr(text, "CUDA")) {
        project_add(programs, root, dir);
    }
    return TRUE;
}

GPtrArray *survey_projects(const char *root)
{
    GPtrArray *programs = g_ptr_array_new_with_free_func(survey_program_free);

    if (!folder_walk(programs, root, root)) {
        g_ptr_array_unref(programs);
        return NULL;
    }
    survey_sort(programs);
    return programs;
}
