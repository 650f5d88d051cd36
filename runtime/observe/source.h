/* SPDX-License-Identifier: MIT */
/* From addresses of this process to the lines a developer wrote, through DWARF (libdwfl).
 * Every call is made under the checker's lock. */
#ifndef RUNTIME_OBSERVE_SOURCE_H
#define RUNTIME_OBSERVE_SOURCE_H

#include "runtime/observe/check.h"

/**
 * struct source_place - a place in the application
 * @text: "app.cu:41 in main", without line information "app+0x1234 in main"; never a host address.
 *        Empty if nothing is known
 * @api: the call of ours made there, "cudaMalloc"; NULL if unknown
 * @foreign: it is in a header or in a library of the system: nothing of the application is known
 */
struct source_place {
    char *text, *api;
    bool foreign;
};

/* Cached; owned here until source_close(). */
const struct source_place *source_place(const struct check_caller *caller);
void source_close(void);

/* The loaded file that an address lies in; NULL if unknown, or lines are not asked for. */
struct Dwfl_Module *source_module(uintptr_t address);

/* A library of the system, or ours: not the application's. */
bool source_is_system(const char *path);

/* How a file of a kernel is printed, @path of its PTX: as the host's lines in the same file are.
 * @caller: of the launch; the first one decides. Owned here. */
const char *source_kernel_file(const char *path, const struct check_caller *caller);

/* How a path is printed: less the compilation folder, at most one folder before the name. g_free()
 */
char *source_path(const char *path, const char *comp_dir);

#endif
