/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_PRELOAD_FILES_H
#define RUNTIME_PRELOAD_FILES_H

#include "runtime/preload/preload.h"

/* Who is asked for the figures of /proc/meminfo from now on. */
void files_of(vtegra_memory_fn *figures);

#endif
