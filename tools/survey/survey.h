/* SPDX-License-Identifier: MIT */
/* vtegra survey: which CUDA programs of a folder run on the virtual board, and what stops the rest.
 *
 * survey_find.c and survey_projects.c find the programs, survey_try.c and survey_cmake.c build and
 * run one, survey.c prints the table. */
#ifndef TOOLS_SURVEY_H
#define TOOLS_SURVEY_H

#include <glib.h>

#define SURVEY_CMD "survey"

/* PASS: status 0. WAIVED: status 2, with which NVIDIA's samples say that the device lacks
 * something. */
enum survey_result {
    SURVEY_PASS,
    SURVEY_WAIVED,
    SURVEY_FAILED,
    SURVEY_NOT_ENDED,
    SURVEY_NOT_BUILT,
    SURVEY_RESULTS
};

/**
 * struct survey_program - one program, or one CMake project
 * @name: its path below the folder that was named, without .cu; @sources: what it is built from
 * @dir: where its sources lie, and where it runs: samples open files beside them
 * @cause: why it is not PASS, one line
 */
struct survey_program {
    char *name, *dir;
    GPtrArray *sources;
    enum survey_result result;
    char *cause;
};

/**
 * struct survey_options
 * @soc: the board; @arch: sm_87, what it is built for unless @flags say; @seconds: of processor
 * time that a program may take, and SURVEY_WAIT times that of real time
 * @clang: build with vtegra cc, not @nvcc; @cmake: build CMake projects, not files
 * @flags: for the compiler, or for cmake
 */
struct survey_options {
    const char *soc, *arch, *nvcc;
    int seconds;
    gboolean clang, cmake;
    char **flags;
};

#define SURVEY_WAIT 5

/**
 * survey_find - the programs below @root, by name
 *
 * A file with a main() is a program. Where a folder has one main() alone, all its sources belong to
 * that program.
 * Return: struct survey_program, NULL after a line on stderr; g_ptr_array_unref() it.
 */
GPtrArray *survey_find(const char *root);

/**
 * survey_projects - the CMake projects with CUDA in them below @root, by name
 *
 * A folder whose CMakeLists.txt has a project() and an add_executable() is one, and so is a folder
 * with a project() below which there is no other.
 * Return: as survey_find(), with no @sources.
 */
GPtrArray *survey_projects(const char *root);

/* Builds and runs @p in @work, and sets @result and @cause. FALSE after a line on stderr: no
 * program can be tried. */
gboolean survey_try(struct survey_program *p, const struct survey_options *o, const char *work);

/**
 * survey_cmake - the same for a CMake project
 *
 * It is built in a folder of @work, where each file and folder of the project has a link, and its
 * executables run there: one finds its data and what the build made beside it. All of them have to
 * pass. nvcc is called for the board's GPU and the shared runtime, whatever the project asks for.
 */
gboolean survey_cmake(struct survey_program *p, const struct survey_options *o, const char *work);

/* Both ways: the parts of survey_try.c that survey_cmake.c uses. */
gboolean survey_run(struct survey_program *p, const struct survey_options *o, const char *dir,
                    const char *program);

/* Runs @argv in @dir; its output is in *@out, the errors first. @seconds: of processor time; 0: any
 * number. Return: its exit status, 128 + a signal's number, -1 after a line on stderr. */
int survey_spawn(GPtrArray *argv, const char *dir, int seconds, char **out);

/* Sets @p's result to NOT_BUILT, with the cause that @out names. */
void survey_not_built(struct survey_program *p, const char *out);

/* A program of @dir whose sources are @sources (NULL: none), @path its name below @root */
void survey_add(GPtrArray *programs, const char *root, const char *dir, const char *path,
                GPtrArray *sources);
void survey_program_free(void *data);
void survey_sort(GPtrArray *programs);

#endif
