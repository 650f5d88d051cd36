/* SPDX-License-Identifier: MIT */
/* NVIDIA's driver on this machine. */
#ifndef TOOLS_SILICON_H
#define TOOLS_SILICON_H

/**
 * silicon_missing - why programs would not find NVIDIA's libcuda.so.1 here
 *
 * Return: the reason; NULL: the loader finds it.
 */
const char *silicon_missing(void);

/** silicon_folder - where NVIDIA's libcuda.so.1 lies; NULL: nowhere. g_free() it. */
char *silicon_folder(void);

/** silicon_complain - one line on stderr where it is missing */
void silicon_complain(void);

#endif
