/* SPDX-License-Identifier: MIT */
/* Planes of picture buffers, for words. */
#ifndef CHECKER_RUN_RUN_PLANES_H
#define CHECKER_RUN_RUN_PLANES_H

#include "checker/run/run.h"

#define RUN_LINE 64u /* bytes of a line of the CPU's caches */

bool run_planes_note(struct run *r, const struct note *n);
/* Of bytes of the region: "in plane 1, lines 3 to 7", counted from the plane's first byte. NULL:
 * the region has no planes, or they do not lie in one. g_free() it. */
char *run_plane_text(const struct run_region *region, uint64_t offset, uint64_t size);
/* The call that is missing between the CPU and an engine. NULL: as above. g_free() it. */
char *run_plane_todo(const struct run_region *region, uint64_t offset, bool for_cpu);

#endif
