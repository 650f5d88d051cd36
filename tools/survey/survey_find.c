/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tools/cmd.h"
#include "tools/survey/survey.h"

void survey_program_free(void *data)
{
    struct survey_program *p = data;

    g_free(p->name);
    g_free(p->dir);
    g_free(p->cause);
    g_ptr_array_unref(p->sources);
    g_free(p);
}

static gboolean is_source(const char *name)
{
    return g_str_has_suffix(name, ".cu") || g_str_has_suffix(name, ".cpp") ||
           g_str_has_suffix(name, ".cc") || g_str_has_suffix(name, ".c");
}

/* A file that cannot be read has no main(). */
static gboolean has_main(const char *path)
{
    static GRegex *regex;
    g_autofree char *text = NULL;
    gsize size;

    if (!regex) {
        regex = g_regex_new("^[ \\t]*(int|void|auto)[ \\t\\r\\n]+main[ \\t]*\\(",
                            G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
    }
    return g_file_get_contents(path, &text, &size, NULL) &&
           g_regex_match_full(regex, text, (gssize)size, 0, 0, NULL, NULL);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_names(const void *a, const void *b)
{
    const struct survey_program *p = *(struct survey_program *const *)a;
    const struct survey_program *q = *(struct survey_program *const *)b;

    return strcmp(p->name, q->name);
}

void survey_sort(GPtrArray *programs)
{
    g_ptr_array_sort(programs, compare_names);
}

void survey_add(GPtrArray *programs, const char *root, const char *dir, const char *path,
                GPtrArray *sources)
{
    struct survey_program *p = g_new0(struct survey_program, 1);
    const char *below = path + strlen(root);
    const char *dot;

    below += strspn(below, "/");
    dot = sources ? strrchr(below, '.') : NULL; /* a folder's name stays whole */
    p->name = g_strndup(below, dot ? (gsize)(dot - below) : strlen(below));
    p->dir = g_strdup(dir);
    p->sources = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; sources && i < sources->len; i++) {
        g_ptr_array_add(p->sources, g_strdup(g_ptr_array_index(sources, i)));
    }
    g_ptr_array_add(programs, p);
}

/* A folder that holds no .cu file holds no program of CUDA's. */
static void folder_programs(GPtrArray *programs, const char *root, const char *dir,
                            GPtrArray *sources)
{
    g_autoptr(GPtrArray) mains = g_ptr_array_new();
    gboolean cuda = FALSE;

    g_ptr_array_sort(sources, compare_paths);
    for (guint i = 0; i < sources->len; i++) {
        char *path = g_ptr_array_index(sources, i);

        cuda |= g_str_has_suffix(path, ".cu");
        if (has_main(path)) {
            g_ptr_array_add(mains, path);
        }
    }
    if (cuda && mains->len == 1) {
        survey_add(programs, root, dir, mains->pdata[0], sources);
    }
    for (guint i = 0; cuda && mains->len > 1 && i < mains->len; i++) {
        g_autoptr(GPtrArray) alone = g_ptr_array_new();

        if (g_str_has_suffix(mains->pdata[i], ".cu")) {
            g_ptr_array_add(alone, mains->pdata[i]);
            survey_add(programs, root, dir, mains->pdata[i], alone);
        }
    }
}

static gboolean folder_walk(GPtrArray *programs, const char *root, const char *dir)
{
    g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    g_autoptr(GDir) d = g_dir_open(dir, 0, &error);
    const char *name;

    if (!d) {
        cmd_error(SURVEY_CMD, "%s", error->message);
        return FALSE;
    }
    while ((name = g_dir_read_name(d))) {
        g_autofree char *path = g_build_filename(dir, name, NULL);

        if (name[0] == '.' || g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
            continue; /* a link may lead back */
        }
        if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            if (!folder_walk(programs, root, path)) {
                return FALSE;
            }
        } else if (is_source(name)) {
            g_ptr_array_add(sources, g_steal_pointer(&path));
        }
    }
    folder_programs(programs, root, dir, sources);
    return TRUE;
}

GPtrArray *survey_find(const char *root)
{
    GPtrArray *programs = g_ptr_array_new_with_free_func(survey_program_free);

    if (!folder_walk(programs, root, root)) {
        g_ptr_array_unref(programs);
        return NULL;
    }
    survey_sort(programs);
    return programs;
}
