/* SPDX-License-Identifier: MIT */
/* What the in-process board shows to a server that lets another process use it (hal/board). */
#ifndef RUNTIME_HAL_SHARE_H
#define RUNTIME_HAL_SHARE_H

#include "runtime/hal.h"

/**
 * struct hal_shared - where the bytes of memory are, for another process to map
 * @files: DRAM, and the CPU's views of what it caches; the board's own, not to be closed
 * @base: the bus address of offset 0 in both; @bytes: of each
 */
struct hal_shared {
    int files[2];
    uint64_t base, bytes;
};

void hal_share(const struct hal *hal, struct hal_shared *out);

/* hal_wait() that leaves out pending interrupts of units in @ignored, by bit: another program
 * services them. */
int hal_wait_but(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps,
                 uint64_t ignored);

/**
 * hal_accessed - as hal_cpu_access(), but the access has just happened (QEMU reports afterwards)
 * Any thread, any time. The driver's own memory (HAL_MEM_KERNEL) is left out: no program touches
 * it.
 */
void hal_accessed(struct hal *hal, const void *cpu, size_t len, enum access_kind access);

#endif
