/* SPDX-License-Identifier: MIT */
/* Places name a file by at most one folder and its name; tools that open files need the rest. */
#ifndef RUNTIME_OBSERVE_SOURCE_FILE_H
#define RUNTIME_OBSERVE_SOURCE_FILE_H

#include <stdbool.h>

/* A place was made that names @path, as the compiler wrote it. @comp_dir: NULL: not known. */
void source_file_add(const char *path, const char *comp_dir);

/* @name: as places have it. @relative: from the compilation folder, the same on every machine; NULL
 * if nothing but / is common to both. @absolute: on this machine; NULL: not known */
typedef void source_file_take(void *opaque, const char *name, const char *relative,
                              const char *absolute);

/* The files so far, by name; without those whose name stands for several. */
void source_files(source_file_take *take, void *opaque);

void source_files_close(void);

/* The way from the folder @from to @path, both absolute and without "..": "../src/app.cu". NULL:
 * nothing but / is common to both. g_free(). */
char *source_relative(const char *from, const char *path);

#endif
