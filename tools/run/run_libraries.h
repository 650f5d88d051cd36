/* SPDX-License-Identifier: MIT */
/* vtegra run: which libraries the loader gives to the program. */
#ifndef TOOLS_RUN_LIBRARIES_H
#define TOOLS_RUN_LIBRARIES_H

#include <glib.h>

/**
 * run_libraries_set - the model's or silicon's libraries for what this process becomes
 * @path: the program; @board: the model is in a `vtegra board`
 *
 * Return: TRUE; FALSE after a line on stderr.
 */
gboolean run_libraries_set(const char *path, gboolean silicon, gboolean board);

/** run_calls_set - the record of API calls (runtime/calls) goes to @file */
gboolean run_calls_set(const char *file);

/** run_nvtx_set - the application's NVTX ranges go into the trace */
void run_nvtx_set(void);

#endif
