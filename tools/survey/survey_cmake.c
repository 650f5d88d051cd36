/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/survey/survey.h"

/* What stands before nvcc: projects name many GPUs, and some of them machine code alone. A word
 * that names a GPU or a runtime goes, with its value; ours are added. */
static const char wrapper[] = "#!/bin/sh\n"
                              "skip=\n"
                              "for word do\n"
                              "    shift\n"
                              "    if [ -n \"$skip\" ]; then skip=; continue; fi\n"
                              "    case $word in\n"
                              "    -gencode | --generate-code | -arch | --gpu-architecture | -code "
                              "| --gpu-code | -cudart | --cudart) skip=1 ;;\n"
                              "    -gencode=* | --generate-code=* | -arch=* | --gpu-architecture=* "
                              "| -code=* | --gpu-code=*) ;;\n"
                              "    -cudart=* | --cudart=*) ;;\n"
                              "    *) set -- \"$@\" \"$word\" ;;\n"
                              "    esac\n"
                              "done\n"
                              "exec '%s' \"$@\" -arch=%s -cudart=shared\n";

static gboolean wrapper_write(const char *path, const struct survey_options *o)
{
    g_autofree char *text = g_strdup_printf(wrapper, o->nvcc, o->arch);
    g_autoptr(GError) error = NULL;

    if (!g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, &error)) {
        cmd_error(SURVEY_CMD, "%s", error->message);
        return FALSE;
    }
    return TRUE;
}

/* @call(path, name, data) for each entry of @dir */
static void each_entry(const char *dir,
                       void (*call)(const char *path, const char *name, void *data), void *data)
{
    g_autoptr(GDir) d = g_dir_open(dir, 0, NULL);
    const char *name;

    while (d && (name = g_dir_read_name(d))) {
        g_autofree char *path = g_build_filename(dir, name, NULL);

        call(path, name, data);
    }
}

static void entry_remove(const char *path, const char *name, void *data)
{
    (void)name;
    (void)data;
    if (!g_file_test(path, G_FILE_TEST_IS_SYMLINK) && g_file_test(path, G_FILE_TEST_IS_DIR)) {
        each_entry(path, entry_remove, NULL);
        g_rmdir(path);
    } else {
        g_unlink(path);
    }
}

/* A link that cannot be made: the program does not find its data, and says so. */
static void entry_link(const char *path, const char *name, void *data)
{
    g_autofree char *link = g_build_filename(data, name, NULL);

    if (strcmp(name, "CMakeLists.txt") != 0 && symlink(path, link) < 0 && errno != EEXIST) {
        g_debug("%s: %s", link, g_strerror(errno));
    }
}

static gboolean is_elf(const char *path)
{
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);

    return file && g_mapped_file_get_length(file) > 4 &&
           memcmp(g_mapped_file_get_contents(file), "\177ELF", 4) == 0;
}

/* Executables that the build made: no links, no shared libraries, not what CMake tried. */
static void entry_find(const char *path, const char *name, void *data)
{
    if (g_file_test(path, G_FILE_TEST_IS_SYMLINK) || strcmp(name, "CMakeFiles") == 0) {
        return;
    }
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        each_entry(path, entry_find, data);
    } else if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE) && !strstr(name, ".so") &&
               is_elf(path)) {
        g_ptr_array_add(data, g_strdup(path));
    }
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void survey_cmake_words(GPtrArray *argv, const char *const *texts)
{
    for (; *texts; texts++) {
        g_ptr_array_add(argv, g_strdup(*texts));
    }
}

/* *@said: what cmake and the build printed */
static gboolean project_build(struct survey_program *p, const struct survey_options *o,
                              const char *nvcc, const char *build, char **said)
{
    g_autoptr(GPtrArray) configure = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) make = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *compiler = g_strconcat("-DCMAKE_CUDA_COMPILER=", nvcc, NULL);
    g_autofree char *first = NULL, *second = NULL;
    int status;

    survey_cmake_words(configure, (const char *[]){ "cmake", "-S", p->dir, "-B", build,
                                                    "-DCMAKE_BUILD_TYPE=Release", compiler, NULL });
    survey_cmake_words(configure, (const char *const *)o->flags);
    survey_cmake_words(make, (const char *[]){ "cmake", "--build", build, NULL });
    status = survey_spawn(configure, NULL, 0, &first);
    if (status == 0) {
        status = survey_spawn(make, NULL, 0, &second);
    }
    *said = g_strconcat(second ? second : "", first, NULL);
    if (status > 0) {
        survey_not_built(p, *said);
    }
    return status >= 0;
}

static gboolean executables_run(struct survey_program *p, const struct survey_options *o,
                                const char *build, const char *said)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);

    each_entry(build, entry_find, found);
    g_ptr_array_sort(found, compare_paths);
    if (!found->len) {
        survey_not_built(p, said);
    }
    for (guint i = 0; i < found->len && p->result == SURVEY_PASS; i++) {
        g_autofree char *dir = g_path_get_dirname(found->pdata[i]);

        if (!survey_run(p, o, dir, found->pdata[i])) {
            return FALSE;
        }
    }
    return TRUE;
}

gboolean survey_cmake(struct survey_program *p, const struct survey_options *o, const char *work)
{
    g_autofree char *nvcc = g_build_filename(work, "nvcc", NULL);
    g_autofree char *build = g_build_filename(work, "build", NULL);
    g_autofree char *said = NULL;
    gboolean tried;

    if (!wrapper_write(nvcc, o)) {
        return FALSE;
    }
    if (g_mkdir(build, 0700) < 0) {
        cmd_error(SURVEY_CMD, "%s: %s", build, g_strerror(errno));
        return FALSE;
    }
    each_entry(p->dir, entry_link, build);
    tried = project_build(p, o, nvcc, build, &said) &&
            (p->result == SURVEY_NOT_BUILT || executables_run(p, o, build, said));
    entry_remove(build, "build", NULL);
    g_unlink(nvcc);
    return tried;
}
