/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what an allocation is. */
#ifndef RUNTIME_DRIVER_MEMORY_REGION_INTERNAL_H
#define RUNTIME_DRIVER_MEMORY_REGION_INTERNAL_H

#include "runtime/driver/memory/memory.h"

/**
 * struct region - one allocation: application memory, or (KERNEL) the driver's own
 * @bytes: as asked for; mem.size is whole pages
 * @reserved: addresses kept, guard page included; 0 for registered memory
 * @context: owner; pinned and managed memory is mapped in every context
 * @serial: CU_POINTER_ATTRIBUTE_BUFFER_ID
 * @attach: CU_MEM_ATTACH_*; @attach_channel: whose stream, while it is SINGLE; @attach_first: as
 *          allocated
 * @gpu_owned: maintenance has handed the bytes to the GPU (coherency.c)
 * @closed: the CPU is kept out, because of @keeper (managed.c)
 * @uses: copies and fills that touch managed memory and were not waited for; @kernels: the same of
 *        kernels that were given it, since it was attached last
 * @far: other GPUs' copy engines have reached it (copy_across.c): as_map_far()
 * @exported, @imported: of CUDA IPC, as @token; @opens: how often it is open here
 */
struct region {
    struct hal_mem mem;
    size_t bytes, reserved;
    struct context *context;
    uint64_t serial;
    unsigned flags;         /* of cuMemHostAlloc, cuMemHostRegister */
    void *host;             /* registered: as the application passed it */
    struct hal_mem adopted; /* registered: pages that can be closed (pending.c); size 0: none */
    unsigned attach, attach_first;
    struct channel *attach_channel;
    bool gpu_owned, closed, sync_memops;
    struct keeper keeper;
    bool of_module; /* goes with its module: cuMemFree has no say */
    enum region_use use;
    GArray *uses, *kernels; /* struct fence */
    struct pool *pool;
    struct physical *physical; /* a mapping of it; mem.cpu is where */
    CUmemAccess_flags access;  /* of a mapping */
    struct rt_shared *shared;  /* a mapping of it, as @physical; @gpu_uncached, @gpu_reads: how */
    bool gpu_uncached, gpu_reads;
    bool freed_async; /* cuMemFreeAsync was called, its fence is not reached */
    const struct region_owner *owner;
    struct graph_memory *graph; /* a graph's; @absent: but just now the program has none there */
    bool absent;
    bool far, exported, imported;
    unsigned opens;
    uint64_t token[2];
};

#endif
