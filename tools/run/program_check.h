/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_PROGRAM_CHECK_H
#define TOOLS_PROGRAM_CHECK_H

#include <glib.h>

/**
 * program_check - can this machine run @path with our libraries?
 * @silicon: NVIDIA's driver serves it
 * @user: set to TRUE if QEMU's user mode has to run it: it is built for AArch64
 *
 * Return: an exit status after saying why not; CMD_OK to go on
 */
int program_check(const char *path, gboolean silicon, gboolean *user);

#endif
