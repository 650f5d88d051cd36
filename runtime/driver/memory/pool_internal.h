/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what a pool of stream-ordered memory is. */
#ifndef RUNTIME_DRIVER_MEMORY_POOL_INTERNAL_H
#define RUNTIME_DRIVER_MEMORY_POOL_INTERNAL_H

#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/object.h"
#include "runtime/driver/memory/memory.h"

/* A region whose free the stream has not reached. */
struct pool_waiting {
    uint64_t address, serial;
    struct fence fence;
};

/* Held by its handle and by the regions that are of it. */
struct pool {
    struct object base;
    CUdevice device;
    bool is_default, shareable;
    size_t max_bytes;
    int reuse[3];
    uint64_t threshold, used, used_high; /* whole pages */
    uint64_t asked, asked_high;          /* as the program asked for */
    GArray *waiting;                     /* struct pool_waiting */
};

/* core_enter() and the pool behind a handle. */
CUresult pool_enter(CUmemoryPool handle, struct pool **pool);

/* pool_reap.c */
void pool_reap_init(void);
extern const struct object_kind pool_kind;
extern struct object_list pool_all; /* struct pool */
void pool_reap_one(struct pool *pool);

#endif
