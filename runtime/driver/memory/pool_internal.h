/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what a pool of stream-ordered memory is. */
#ifndef RUNTIME_DRIVER_MEMORY_POOL_INTERNAL_H
#define RUNTIME_DRIVER_MEMORY_POOL_INTERNAL_H

#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/object.h"
#include "runtime/driver/memory/memory.h"

/* A region whose free the stream has not reached. @order: of all frees of the pool */
struct pool_waiting {
    uint64_t address, serial, order;
    uint32_t threshold;
};

/* Frees behind one syncpoint, which reaches them in this order; those before @first are done. */
struct pool_line {
    uint32_t syncpt;
    guint first;
    GArray *waiting; /* struct pool_waiting */
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
    GArray *lines;                       /* struct pool_line */
    uint64_t frees;
};

/* core_enter() and the pool behind a handle. */
CUresult pool_enter(CUmemoryPool handle, struct pool **pool);

/* pool_reap.c */
void pool_reap_init(void);
extern const struct object_kind pool_kind;
extern struct object_list pool_all; /* struct pool */
void pool_reap_one(struct pool *pool);
/* @r of the pool is free when @fence is reached. */
void pool_free_later(struct pool *pool, const struct region *r, struct fence fence);

#endif
