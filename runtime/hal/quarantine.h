/* SPDX-License-Identifier: MIT */
/* Addresses of freed memory, kept back for a while: what still uses them meets no memory, and a
 * fault that names the freed buffer, instead of the bytes of the next allocation.
 *
 * Only addresses are kept. The memory itself goes back at once. How long a board's driver keeps
 * them is not documented; both bounds below are ours. */
#ifndef RUNTIME_HAL_QUARANTINE_H
#define RUNTIME_HAL_QUARANTINE_H

#include "runtime/hal/extents.h"

#define QUARANTINE_RANGES 64u
#define QUARANTINE_BYTES \
    (UINT64_C(1) << 30) /* fresh addresses cost page tables: 2 MiB for so many */

/**
 * struct quarantine - the ranges, the oldest first
 * @from: where they go back to
 */
struct quarantine {
    struct extents *from;
    GArray *held; /* struct extent */
    uint64_t bytes;
};

void quarantine_init(struct quarantine *q, struct extents *from);
void quarantine_clear(struct quarantine *q);

/* A taken range of @from becomes free in the end: when newer ones push it out. The newest one is
 * kept whatever its size. */
void quarantine_add(struct quarantine *q, uint64_t at, uint64_t len);

/* All of it is free now: for when nothing else is left. Return: true if there was any. */
bool quarantine_release(struct quarantine *q);

#endif
