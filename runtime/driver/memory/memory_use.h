/* SPDX-License-Identifier: MIT */
/* One DRAM for CPU and iGPU (CUDA for Tegra 2.2): who has how much of it. Knows no other part of
 * the driver. */
#ifndef RUNTIME_DRIVER_MEMORY_MEMORY_USE_H
#define RUNTIME_DRIVER_MEMORY_MEMORY_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/preload/memory_text.h"

/**
 * memory_use_configure - from the environment
 * @total: the board's DRAM
 * @seeded: the process is not measured, so that a replay agrees: VTEGRA_HOST_MIB, or 0
 *
 * VTEGRA_HOST_MIB: the process's own memory, instead of measuring; VTEGRA_REST_MIB: what the rest
 * of the system has; VTEGRA_SWAP_MIB: free swap space. Return: NULL, or the variable that is no
 * number.
 */
const char *memory_use_configure(uint64_t total, bool seeded);

/**
 * memory_use_get - the figures now
 * @device: what CUDA has allocated
 *
 * The process's memory is what it has touched of anonymous memory (resident, not shared), less what
 * vtegra's libraries may have of it, in whole steps of 64 MiB: the same program gives the same
 * figure again.
 */
void memory_use_get(uint64_t device, struct memory_figures *out);

/**
 * memory_use_has - is there room for @bytes more, beside the @device that CUDA has?
 *
 * Measuring costs several times what an allocation does. So it is done once for each MiB of
 * allocations, and for each of them where less than a step of 64 MiB would be left: between two
 * measurements a process that touches gigabytes may be given this MiB too much.
 */
bool memory_use_has(uint64_t device, uint64_t bytes);

#endif
