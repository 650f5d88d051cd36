/* SPDX-License-Identifier: MIT */
/* What engines share that belongs to no API: memory and sync objects. libnvscibuf and libnvscisync
 * stand on this, CUDA and cuDLA import from it.
 *
 * rt_shared is memory of the SoC without a CUDA context, mapped for the CPU as long as it lives.
 * rt_sync counts: an engine or the CPU adds 1 (a signal), others wait for a number (a fence). Both
 * are counted references.
 *
 * The driver core includes nothing of the NvSci libraries: they give it struct rt_sci_ops, which
 * turns their handles into these objects, and finds handles that are none.
 *
 * Rules of runtime/driver/driver.h hold, with these differences: rt_shared_new() and rt_sync_new()
 * bring the driver up themselves, no context has to be current, and a host function may call these.
 */
#ifndef RUNTIME_DRIVER_MEMORY_RT_EXTERNAL_H
#define RUNTIME_DRIVER_MEMORY_RT_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/cuda.h"

struct rt_shared;
struct rt_sync;

/* --- processes of one board --------------------------------------------------------------------
 *
 * What one exports as a token another imports, once (hal_export()). The token is the exporter's
 * until then, and goes with it. */

/* A number of this process's board, if several processes share it; else 0, and exports are
 * CUDA_ERROR_NOT_SUPPORTED. No lock is taken: the answer stays. */
uint64_t rt_board_number(void);

/* What an import gives. */
enum rt_import {
    RT_IMPORT_OK,
    RT_IMPORT_GONE,   /* it was imported, its exporter has ended, or it never was */
    RT_IMPORT_DENIED, /* it was exported with less rights; it may be imported still */
    RT_IMPORT_FAILED, /* no memory, no board */
};

/* --- memory ----------------------------------------------------------------------------------- */

/**
 * rt_shared_new - memory of the SoC, zeroed
 * @size: > 0 bytes; @align: a power of two, of all addresses of it
 * @cpu_cached: the CPU's mapping is cacheable (EnableCpuCache)
 * @api: the call that the application made, for reports; constant text
 *
 * Return: CUDA_ERROR_INVALID_VALUE, _OUT_OF_MEMORY; _NOT_SUPPORTED: a guest cannot have memory that
 * its CPU does not cache. One reference is the caller's.
 */
CUresult rt_shared_new(size_t size, size_t align, bool cpu_cached, const char *api,
                       struct rt_shared **out);
/* The same in the own memory of a discrete GPU beside the integrated one; no CPU reaches it. */
CUresult rt_shared_new_vidmem(size_t bytes, size_t align, const char *api, struct rt_shared **out);
struct rt_shared *rt_shared_ref(struct rt_shared *shared);
void rt_shared_unref(struct rt_shared *shared); /* NULL: nothing */
void *rt_shared_cpu(const struct rt_shared *shared);
size_t rt_shared_size(const struct rt_shared *shared);
/* An engine that uses it reads DRAM past the CPU's caches (CpuNeedSwCacheCoherency): a finding if
 * the CPU signals and does not flush. */
void rt_shared_needs_flush(struct rt_shared *shared);
/* Do accesses of an engine (NvSciBufHwEngName) see the CPU's caches? True for those that this board
 * does not have. */
bool rt_engine_snoops(uint32_t engine);
/* Does the port of the SoC snoop at all? false: there is no device. */
bool rt_port_snoops(void);
/* The CPU cleans and invalidates its lines of a range, by address. CUDA_ERROR_INVALID_VALUE: the
 * range leaves the memory. */
CUresult rt_shared_flush(struct rt_shared *shared, uint64_t offset, uint64_t bytes);

CUresult rt_shared_export(struct rt_shared *shared, bool writable, uint64_t token[2]);
/* @writable: must it be; then whether it is. @api: as of rt_shared_new(). One reference is the
 * caller's; memory that this process has already is that object again. */
enum rt_import rt_shared_import(const uint64_t token[2], const char *api, bool *writable,
                                struct rt_shared **out);

/* --- sync objects ------------------------------------------------------------------------------
 */

/* What lies behind it: a syncpoint of host1x, or 16 bytes of memory, a payload of 32 or 64 bits and
 * a time stamp. A syncpoint counts for all kinds here, and waits are waits for it. */
enum rt_sync_kind { RT_SYNC_SYNCPT, RT_SYNC_SEMAPHORE, RT_SYNC_SEMAPHORE64 };

/* CUDA_ERROR_OUT_OF_MEMORY: no syncpoint is left. */
CUresult rt_sync_new(enum rt_sync_kind kind, struct rt_sync **out);
struct rt_sync *rt_sync_ref(struct rt_sync *sync);
void rt_sync_unref(struct rt_sync *sync); /* NULL: nothing */
enum rt_sync_kind rt_sync_kind(const struct rt_sync *sync);
/* One more signal will come: the value that it will reach. */
uint64_t rt_sync_next(struct rt_sync *sync);
/* What all signals that were submitted so far will reach, and what has been reached. */
uint64_t rt_sync_target(struct rt_sync *sync);
uint64_t rt_sync_value(struct rt_sync *sync);
/* The CPU signals: adds 1. What the calling thread did before it comes before what waits for it. */
CUresult rt_sync_signal(struct rt_sync *sync);
/* @rights: 1 may wait, 2 may signal. As of memory; the number is the object's on all processes of
 * the board, for its fences. */
CUresult rt_sync_export(struct rt_sync *sync, uint32_t rights, uint64_t token[2]);
enum rt_import rt_sync_import(const uint64_t token[2], uint32_t *rights, struct rt_sync **out);
uint64_t rt_sync_number(const struct rt_sync *sync);

/**
 * rt_sync_wait - the CPU waits until @value is reached; the board advances
 * @timeout_us: in virtual time; 0: asks only; -1: no limit
 *
 * Return: 0; -ETIMEDOUT; -EDEADLK: no engine and no other thread can signal it any more, and a
 * finding says so; -EIO: the board is gone.
 */
int rt_sync_wait(struct rt_sync *sync, uint64_t value, int64_t timeout_us);
/* When @value was reached, in us of the board's time; 0: not yet, or another signal has written its
 * time over it. */
uint64_t rt_sync_time_us(struct rt_sync *sync, uint64_t value);

/* --- what the NvSci libraries provide ----------------------------------------------------------
 */

#define RT_SCI_PLANES 3

/* A plane of an image; @format, @standard: values of NvSciBufAttrValColorFmt and -ColorStd, the
 * latter RT_SCI_NO_STANDARD where the lists did not say. */
#define RT_SCI_NO_STANDARD UINT32_MAX
struct rt_sci_plane {
    uint64_t offset;
    uint32_t pitch, width, height, format, standard;
};

/**
 * struct rt_sci_buf - an NvSciBufObj
 * @memory: borrowed; @size: of the buffer
 * @writable: false: a duplicate with less permission, which engines may only read
 * @gpu_listed: the GPU stands in GpuId; @gpu_cached: EnableGpuCache of it
 * @gpu_sw_coherency: GpuSwNeedCacheCoherency of it; @cpu_sw_coherency: CpuNeedSwCacheCoherency
 * @planes: of an image, else 0; @pitch_linear: its layout; @progressive: its scan type
 */
struct rt_sci_buf {
    struct rt_shared *memory;
    uint64_t size;
    bool writable, gpu_listed, gpu_cached, gpu_sw_coherency, cpu_sw_coherency;
    bool pitch_linear, progressive;
    unsigned planes;
    struct rt_sci_plane plane[RT_SCI_PLANES];
};

/* An NvSciSyncObj; @sync: borrowed. @cuda_may_wait, @cuda_may_signal: the lists asked so for CUDA.
 */
struct rt_sci_sync {
    struct rt_sync *sync;
    bool may_wait, may_signal, cuda_may_wait, cuda_may_signal, deterministic, timestamps;
};

/* An NvSciSyncFence; @sync: borrowed, NULL if @cleared. */
struct rt_sci_fence {
    bool cleared;
    struct rt_sync *sync;
    uint64_t value;
};

/**
 * struct rt_sci_ops - handles of NvSci, looked up; NULL: that library is not loaded
 * @buf, @sync: false: the handle is none
 * @fence_set: the caller's fence becomes one of the object at @value; what it held is released
 * @fence_get: false: no fence of NvSci
 * @sync_list: fills an attribute list for an engine: permission, primitives (values of
 *             NvSciSyncAttrValPrimitiveType), the GPU (NULL: none). 0; -EBADF: no list; -EINVAL:
 *             RequiredPerm is set, or the list is reconciled
 * @buf_list: an engine (NvSciBufHwEngName) joins PeerHwEngineArray of a list; answers alike
 *
 * All are called with the core's lock held, and call nothing of the driver core.
 */
struct rt_sci_ops {
    bool (*buf)(const void *bufobj, const uint8_t gpu_uuid[16], struct rt_sci_buf *out);
    bool (*sync)(const void *syncobj, struct rt_sci_sync *out);
    bool (*fence_set)(const void *syncobj, uint64_t value, void *fence);
    bool (*fence_get)(const void *fence, struct rt_sci_fence *out);
    int (*sync_list)(void *list, bool signal, bool wait, const uint32_t *primitives, unsigned count,
                     const uint8_t gpu_uuid[16]);
    int (*buf_list)(void *list, uint32_t engine);
};

/* Members that are not NULL take the place of what was there. */
void rt_sci_provide(const struct rt_sci_ops *ops);

/* The NvSciBufObj or NvSciSyncObj that owns it is freed: while an API has it imported, a finding
 * (case: freed before it is destroyed there). */
void rt_shared_freed(struct rt_shared *shared);
void rt_sync_freed(struct rt_sync *sync);

#endif
