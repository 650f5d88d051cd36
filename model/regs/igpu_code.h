/* SPDX-License-Identifier: MIT */
/* Loaded code that the driver takes away: invented (on hardware an invalidation of the instruction
 * caches, NV_PGRAPH_..._ICACHE, of whatever they hold). */
#ifndef MODEL_REGS_IGPU_CODE_H
#define MODEL_REGS_IGPU_CODE_H

/* Write a qmd's code_id: no launch will name it any more. A grid that runs it ends as it would. */
enum { IGPU_CODE_GONE = 0x100cc0 };

#endif
