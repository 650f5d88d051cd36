/* SPDX-License-Identifier: MIT */
/* Which memory an allocation takes room of: the DRAM that CPU and iGPU share, or a discrete GPU's
 * own. */
#ifndef RUNTIME_DRIVER_MEMORY_ROOM_H
#define RUNTIME_DRIVER_MEMORY_ROOM_H

#include "runtime/driver/memory/memory_use.h"
#include "runtime/hal.h"

/* Bytes that CUDA has of the memory of @kind: add what is allocated, subtract what is freed. */
uint64_t *room_used(enum hal_mem_kind kind);

/**
 * room_figures - what of the memory of @kind is in use, by CUDA and by others
 *
 * The DRAM also holds the process and the rest of the system. A discrete GPU's own memory is CUDA's
 * alone, and has no swap space: cudaMemGetInfo() answers it (CUDA for Tegra 3.3).
 */
void room_figures(enum hal_mem_kind kind, struct memory_figures *out);

/* No allocation of @kind can be larger. */
uint64_t room_most(enum hal_mem_kind kind);

#endif
