/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what NvSci objects are to CUDA. */
#ifndef RUNTIME_DRIVER_MEMORY_EXTERNAL_INTERNAL_H
#define RUNTIME_DRIVER_MEMORY_EXTERNAL_INTERNAL_H

#include "runtime/driver/core/object.h"
#include "runtime/driver/memory/external.h"
#include "runtime/driver/memory/rt_planes.h"

/* Dirty lines when the CPU signalled, not flushed since: [first, end) of the memory. */
struct unflushed {
    uint64_t lines, first, end;
    struct check_caller caller; /* of the signal */
};

/**
 * struct rt_shared
 * @bytes: as asked for; mem.size is whole pages
 * @reserved: addresses kept, guard page included
 * @imports: CUDA and cuDLA objects that stand for it
 */
struct rt_shared {
    struct object base;
    unsigned imports;
    struct hal_mem mem;
    size_t bytes, reserved; /* @reserved 0: another process's */
    struct unflushed unflushed;
    struct rt_plane plane[RT_PLANES]; /* @n_planes: 0: no picture that the program maintains */
    bool plane_reads[RT_PLANES];      /* mapped for the CPU, which may read it */
    bool plane_loaded[RT_PLANES];     /* once: its lines are in the CPU's caches */
    unsigned n_planes;
};

/* shared_flush.c: lines of [first, end) that the CPU's caches hold dirty; without @caller. */
struct unflushed shared_lines_dirty(const struct rt_shared *s, uint64_t first, uint64_t end);

/* A page of slots. */
struct sync_chunk {
    struct hal_mem mem;
    uint64_t used[HAL_PAGE / sizeof(struct hal_signal_slot) / 64];
};

/**
 * struct rt_sync
 * @start: the syncpoint's value at 0; @reached: the newest value that was seen
 * @target: what all signals that were submitted will reach
 * @signaler: where the newest signal of a CUDA stream is done; id 0: none, or another engine's
 * @signaler_stream: of that stream
 * @signals: struct sync_signal of CUDA's streams, oldest first; of those that are reached one
 * @chunk, @slot: where its 16 bytes lie; @imported: they are another process's, and the chunk has
 * no other slot
 * @number: among all processes of the board, 0: it is of one process
 * @engines: not only the CPU signals it here
 * @imports: as of struct rt_shared; @freed: a finding has said that it was freed too early
 */
struct rt_sync {
    struct object base;
    unsigned imports;
    enum rt_sync_kind kind;
    uint32_t syncpt, start;
    uint64_t target, reached;
    struct fence signaler;
    uint32_t signaler_stream;
    GArray *signals;
    struct sync_chunk *chunk;
    unsigned slot;
    bool imported, engines;
    uint64_t number;
};

/* What is done once a value is reached: the stream's work before the signal, and what that had
 * waited for. */
struct sync_signal {
    uint64_t value;
    struct fence before;
    GArray *known; /* struct fence; may be NULL */
};

/**
 * struct external_memory - imported (cuImportExternalMemory)
 * @size: as the application gave it; the rest: struct rt_sci_buf
 */
struct external_memory {
    struct object base;
    struct rt_shared *shared;
    uint64_t size;
    struct rt_sci_buf buf;
};

/* @object: the NvSciSyncObj. */
struct external_semaphore {
    struct object base;
    struct rt_sync *sync;
    const void *object;
    bool may_wait, may_signal, deterministic, timestamps;
};

#endif
