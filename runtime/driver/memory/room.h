/* SPDX-License-Identifier: MIT */
/* Which memory an allocation takes room of: the DRAM that CPU and iGPU share, or a discrete GPU's
 * own. */
#ifndef RUNTIME_DRIVER_MEMORY_ROOM_H
#define RUNTIME_DRIVER_MEMORY_ROOM_H

#include "runtime/driver/memory/memory_use.h"
#include "runtime/hal.h"

/* CUDA has taken @bytes of the memory of @kind, and given them back. */
void room_take(enum hal_mem_kind kind, uint64_t bytes);
void room_give(enum hal_mem_kind kind, uint64_t bytes);
uint64_t room_used(enum hal_mem_kind kind);

/**
 * room_figures - what of the memory of @kind is in use, by CUDA and by others
 *
 * The DRAM also holds the process and the rest of the system. A discrete GPU's own memory is CUDA's
 * alone, and has no swap space: cudaMemGetInfo() answers it (CUDA for Tegra 3.3).
 */
void room_figures(enum hal_mem_kind kind, struct memory_figures *out);

/* Whether @bytes of @kind can be allocated now. Many small allocations measure the process's own
 * memory once (memory_use_has). */
bool room_has(enum hal_mem_kind kind, uint64_t bytes);

/* No allocation of @kind can be larger. */
uint64_t room_most(enum hal_mem_kind kind);

#endif
