/* SPDX-License-Identifier: MIT */
/* Device code of several object files, linked into one program (vtegra cc -rdc=true). */
#ifndef TOOLS_CC_DEVICE_LINK_H
#define TOOLS_CC_DEVICE_LINK_H

#include <glib.h>

/**
 * cc_device_link_source - C source that registers the device code of object files as one program
 * @words: of the linker's command line. Object files and archives are read, -l's in the folders of
 *         -L too; what is none or cannot be read is left to the linker
 * @header: tools/sdk/device_link.h
 * @always: not NULL if there is no such device code
 *
 * Return: the source, g_free() it; NULL if no file needs it.
 */
char *cc_device_link_source(const GPtrArray *words, const char *header, gboolean always);

#endif
