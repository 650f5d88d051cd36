/* SPDX-License-Identifier: MIT */
/* Where there may be closed memory, by the address in blocks of 2 MiB, without a lock; never taken
 * back. Calls for locks ask each time, and most locks lie elsewhere. */
#include <stdatomic.h>

#include "runtime/observe/closed_internal.h"

#define BLOCK_BITS 21
#define BLOCKS 4096u

static atomic_bool near[BLOCKS];

static atomic_bool *near_of(uintptr_t at)
{
    return &near[at >> BLOCK_BITS & (BLOCKS - 1)];
}

void closed_near_add(uintptr_t at, size_t len)
{
    uintptr_t last = ((uintptr_t)1 << BLOCK_BITS) - 1;

    for (uintptr_t end = at + len; at < end; at = (at | last) + 1) {
        atomic_store(near_of(at), true);
    }
}

bool closed_near(uintptr_t at)
{
    return atomic_load(near_of(at));
}
