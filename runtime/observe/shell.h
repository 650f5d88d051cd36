/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_OBSERVE_SHELL_H
#define RUNTIME_OBSERVE_SHELL_H

/* The words of a command as a line for a shell, quoted where they have to be. g_free() it. */
char *shell_line(const char *const *words);

#endif
