/* SPDX-License-Identifier: MIT */
/* vtegra run for a program of an aarch64 board: QEMU's user mode runs it, with the board inside. */
#ifndef TOOLS_RUN_USER_H
#define TOOLS_RUN_USER_H

#include <glib.h>

/* Is everything there? Return: an exit status, CMD_OK to go on, after saying what is missing. */
int run_user_check(const char *path);

/**
 * run_user_exec - become qemu-aarch64, and in it the program
 * @soc: a name or an absolute path
 * The environment for the runtime is set. Returns only if that fails, with an exit status, after
 * saying why.
 */
int run_user_exec(const char *path, char **argv, const char *soc);

#endif
