/* SPDX-License-Identifier: MIT */
/* vtegra survey: which CUDA programs of a folder run on the virtual board, and what stops the rest.
 *
 * survey_find.c finds the programs, survey_try.c builds and runs one, survey.c prints the table. */
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
 * struct survey_program - one program
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
 * @soc: the board; @arch: sm_87, what it is built for unless @flags say; @seconds: a program may
 * take, real time; @clang: build with vtegra cc, not nvcc
 * @flags: for the compiler
 */
struct survey_options {
    const char *soc, *arch;
    int seconds;
    gboolean clang;
    char **flags;
};

/**
 * survey_find - the programs below @root, by name
 *
 * A file with a main() is a program. Where a folder has one main() alone, all its sources belong to
 * that program.
 * Return: struct survey_program, NULL after a line on stderr; g_ptr_array_unref() it.
 */
GPtrArray *survey_find(const char *root);

/* Builds and runs @p in @work, and sets @result and @cause. FALSE after a line on stderr: no
 * program can be tried. */
gboolean survey_try(struct survey_program *p, const struct survey_options *o, const char *work);

#endif
