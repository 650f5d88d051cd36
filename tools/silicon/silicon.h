/* SPDX-License-Identifier: MIT */
/* NVIDIA's driver on this machine. */
#ifndef TOOLS_SILICON_H
#define TOOLS_SILICON_H

#include <stdbool.h>

/**
 * silicon_missing - why programs would not find NVIDIA's libcuda.so.1 here
 *
 * Return: the reason; NULL: the loader finds it.
 */
const char *silicon_missing(void);

/** silicon_folder - where NVIDIA's libcuda.so.1 lies; NULL: nowhere. g_free() it. */
char *silicon_folder(void);

/** silicon_check - is it there? false after saying what to do */
bool silicon_check(void);

#endif
