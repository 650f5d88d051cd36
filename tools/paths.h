/* SPDX-License-Identifier: MIT */
/* Where things lie: beside the running program, so that an installed tree can be moved. */
#ifndef TOOLS_PATHS_H
#define TOOLS_PATHS_H

/**
 * paths_get - a file of this vtegra
 * @relative: below the prefix, e.g. "lib", "include", "share/vtegra/sdk"
 *
 * Return: its absolute path, there or not; g_free() it.
 */
char *paths_get(const char *relative);

#endif
