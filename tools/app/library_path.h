/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_LIBRARY_PATH_H
#define TOOLS_LIBRARY_PATH_H

#include <glib.h>

/**
 * library_path_has - would the loader find a library on this machine?
 * @name: as in DT_NEEDED
 * @machine: e_machine it must have
 *
 * Looks in LD_LIBRARY_PATH, the folders of /etc/ld.so.conf and the system's own; nothing is loaded,
 * so no code of the library runs. A program's own DT_RUNPATH is not looked at.
 */
gboolean library_path_has(const char *name, unsigned machine);

#endif
