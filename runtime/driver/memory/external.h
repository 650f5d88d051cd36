/* SPDX-License-Identifier: MIT */
/* Inside the driver core: shared memory, sync objects, and what NvSci's libraries provide.
 *
 * All functions here are called with the core's lock held. */
#ifndef RUNTIME_DRIVER_MEMORY_EXTERNAL_H
#define RUNTIME_DRIVER_MEMORY_EXTERNAL_H

#include <glib.h>

#include "runtime/driver/core/fence.h"
#include "runtime/driver/memory/rt_external.h"
#include "runtime/hal.h"
#include "runtime/observe/check.h"

struct context;
struct push;
struct stream;

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
    unsigned refs, imports;
    struct hal_mem mem;
    size_t bytes, reserved; /* @reserved 0: another process's */
    struct unflushed unflushed;
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
    unsigned refs, imports;
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

/* A page of slots. */
struct sync_chunk {
    struct hal_mem mem;
    uint64_t used[HAL_PAGE / sizeof(struct hal_signal_slot) / 64];
};

/* shared.c */
extern GPtrArray *shared_all;               /* struct rt_shared; NULL: none */
void shared_keep(struct rt_shared *shared); /* a new one */
void shared_ref(struct rt_shared *shared);
void shared_unref(struct rt_shared *shared);

/* shared_object.c: memory of these kinds (1 << HAL_MEM_*) of another process. @rights: at least;
 * then which. Return: 0, or as hal_import(). */
int shared_import(const uint64_t token[2], unsigned kinds, const char *api, uint32_t *rights,
                  struct rt_shared **out);

/* shared_flush.c: the CPU has signalled; it has flushed a range; the memory goes */
void shared_flush_signalled(void);
void shared_flush_done(struct rt_shared *shared);
void shared_flush_freed(struct rt_shared *shared);

/* sync.c */
void sync_ref(struct rt_sync *sync);
void sync_unref(struct rt_sync *sync);
struct fence sync_fence(const struct rt_sync *sync, uint64_t value);
uint64_t sync_reached(struct rt_sync *sync);
uint64_t sync_next(struct rt_sync *sync); /* of a signal by an engine */
/* The newest value is signalled by a stream that has come to @before; @known: as of struct stream.
 */
void sync_signals_add(struct rt_sync *sync, struct fence before, const GArray *known);
/* Will another process signal the value? Also where the CPU of this one will. */
bool sync_is_foreign(const struct rt_sync *sync, uint64_t value);
/* Bus address of the slot, in sync->chunk->mem. */
uint64_t sync_slot_offset(const struct rt_sync *sync);
/* A signal of the front end: payload and time, then the syncpoint. The channel waits for its own
 * engines before. */
CUresult sync_map(struct context *context, const struct rt_sync *sync); /* before the push */
void sync_push_signal(struct push *p, const struct rt_sync *sync, uint64_t value);

/* sci_ops.c */
extern struct rt_sci_ops sci_ops;
void device_uuid(uint8_t uuid[16]); /* device.c: of the GPU */

/**
 * struct external_memory - imported (cuImportExternalMemory)
 * @size: as the application gave it; the rest: struct rt_sci_buf
 */
struct external_memory {
    CUexternalMemory handle;
    struct context *context;
    struct rt_shared *shared;
    uint64_t size;
    struct rt_sci_buf buf;
};

/* @object: the NvSciSyncObj. */
struct external_semaphore {
    CUexternalSemaphore handle;
    struct context *context;
    struct rt_sync *sync;
    const void *object;
    bool may_wait, may_signal, deterministic, timestamps;
};

/* external.c: buffers of NvSci that CUDA has imported, and those whose GpuSwNeedCacheCoherency is
 * true. */
unsigned external_buffers(void);
unsigned external_buffers_incoherent(void);
struct external_semaphore *external_semaphore_find(CUexternalSemaphore handle);
void external_import_sync(struct rt_sync *sync, bool on);
void external_import_shared(struct rt_shared *shared, bool on);

/* Of hal_import(). */
enum rt_import import_result(int error);

#endif
