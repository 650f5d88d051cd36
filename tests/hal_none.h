/* SPDX-License-Identifier: MIT */
/* A HAL for tests of the checker that never call it. Included once a program. */
#ifndef TESTS_HAL_NONE_H
#define TESTS_HAL_NONE_H

#include "tests/hal_leases.h"

bool hal_mem_lost(struct hal *hal, const void *cpu)
{
    (void)hal, (void)cpu;
    return false;
}

bool hal_mem_find(struct hal *hal, const void *cpu, struct hal_mem *out)
{
    (void)hal, (void)cpu, (void)out;
    return false;
}

void hal_note(struct hal *hal, enum hal_note what, uint64_t a, uint64_t b)
{
    (void)hal, (void)what, (void)a, (void)b;
}

uint64_t hal_time_ns(struct hal *hal)
{
    (void)hal;
    return 0;
}

void hal_cpu_access(struct hal *hal, const void *cpu, size_t len, enum access_kind access)
{
    (void)hal, (void)cpu, (void)len, (void)access;
}

#endif
