/* SPDX-License-Identifier: MIT */
/* The program that a command line names: the same words in run, explore and replay. */
#ifndef TOOLS_PROGRAM_FIND_H
#define TOOLS_PROGRAM_FIND_H

/**
 * program_find - the file that execvp() would run
 * @cmd: for the message
 * @status: CMD_OK, or the exit status
 *
 * Return: its path; g_free() it. NULL after printing why there is none.
 */
char *program_find(const char *cmd, const char *name, int *status);

#endif
