/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what a pool of stream-ordered memory is. */
#ifndef RUNTIME_DRIVER_MEMORY_POOL_INTERNAL_H
#define RUNTIME_DRIVER_MEMORY_POOL_INTERNAL_H

#include "runtime/driver/memory/memory.h"

struct pool {
    CUmemoryPool handle;
    CUdevice device;
    bool is_default, destroyed, shareable;
    size_t max_bytes;
    int reuse[3];
    uint64_t threshold, used, used_high; /* whole pages */
    uint64_t asked, asked_high;          /* as the program asked for */
    GArray *waiting;                     /* struct waiting */
};

/* core_enter() and the pool behind a handle. */
CUresult pool_enter(CUmemoryPool handle, struct pool **pool);

#endif
