/* SPDX-License-Identifier: MIT */
/* Leases, for boards of tests that give none, and that no signal handler finds busy. Included once a program. */
#ifndef TESTS_HAL_LEASES_H
#define TESTS_HAL_LEASES_H

#include "runtime/hal.h"

void hal_cpu_lease(struct hal *hal, const void *cpu, uintptr_t *lease, const void **memory)
{
    (void)hal, (void)cpu, (void)lease, (void)memory;
}

bool hal_busy(struct hal *hal)
{
    (void)hal;
    return false;
}

void hal_cpu_lease_end(struct hal *hal)
{
    (void)hal;
}

void hal_cpu_lease_holder(struct hal *hal, void (*tell)(void *opaque), void *opaque)
{
    (void)hal, (void)tell, (void)opaque;
}

void hal_cpu_hits(struct hal *hal, const struct hal_hits *hits)
{
    (void)hal, (void)hits;
}

#endif
