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
struct external_memory;
struct external_semaphore;
struct push;
struct rt_shared;
struct rt_sync;
struct stream;
struct sync_signal;

/* shared.c */
extern struct object_list shared_all; /* struct rt_shared */
/* @reserved: 0: another process's */
struct rt_shared *shared_new(const struct hal_mem *mem, size_t bytes, size_t reserved);
/* Of which room it takes its bytes. */
enum hal_mem_kind shared_room(const struct hal_mem *mem);
void shared_ref(struct rt_shared *shared);
void shared_unref(struct rt_shared *shared);
const struct hal_mem *shared_mem(const struct rt_shared *shared);
size_t shared_bytes(const struct rt_shared *shared); /* as asked for */

/* shared_object.c: as rt_shared_new(); memory of these kinds (1 << HAL_MEM_*) of another process.
 * @rights: at least; then which. Return: 0, or as hal_import(). */
CUresult shared_make(size_t bytes, size_t align, bool cpu_cached, const char *api,
                     struct rt_shared **out);
int shared_import(const uint64_t token[2], unsigned kinds, const char *api, uint32_t *rights,
                  struct rt_shared **out);

/* shared_flush.c: the CPU has to flush it; the CPU has signalled; it has flushed a range; the
 * memory goes */
void shared_flush_watch(struct rt_shared *shared);
void shared_flush_signalled(void);
void shared_flush_done(struct rt_shared *shared);
void shared_flush_freed(struct rt_shared *shared);

/* sync.c */
void sync_ref(struct rt_sync *sync);
void sync_unref(struct rt_sync *sync);
enum rt_sync_kind sync_kind(const struct rt_sync *sync);
uint32_t sync_syncpt(const struct rt_sync *sync);            /* of kind RT_SYNC_SYNCPT */
const struct hal_mem *sync_page(const struct rt_sync *sync); /* with the slot: sync_slot_offset() */
struct fence sync_fence(const struct rt_sync *sync, uint64_t value);
uint64_t sync_reached(struct rt_sync *sync);
uint64_t sync_next(struct rt_sync *sync); /* of a signal by an engine */
/* The newest value is signalled by a stream or engine that has come to @before; @known: as of
 * struct stream. */
void sync_signals_add(struct rt_sync *sync, struct fence before, const GArray *known);
/* Who waits for @value knows this. */
void sync_known_add(const struct rt_sync *sync, uint64_t value, GArray **known);
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
