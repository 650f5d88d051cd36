/* SPDX-License-Identifier: MIT */
/* Inside the driver core: its objects, and who may touch them.
 *
 * One lock (core.lock) covers everything here and every call on the HAL. A public function begins
 * with core_enter*() and ends with core_leave(). Only hostop.c lets the lock go in between, to run
 * the application's host functions: what may have changed meanwhile is looked up again by handle.
 */
#ifndef RUNTIME_DRIVER_CORE_H
#define RUNTIME_DRIVER_CORE_H

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "include/cuda.h"
#include "model/regs/method.h"
#include "model/regs/regs.h"
#include "runtime/check/check.h"
#include "runtime/driver/rules.h"
#include "runtime/hal.h"

enum core_state { CORE_NEW, CORE_UP, CORE_FAILED, CORE_DOWN, CORE_FORKED };

/* "Everything before this has run": syncpoint @id has reached @threshold. id 0: always reached. */
struct fence {
    uint32_t id, threshold;
};

/* What the GPU may do at the region's own address. CODE and CONSTANTS: no stores; the driver's
 * copies reach constants at a second address (as_second_va). */
enum region_use { REGION_DATA, REGION_CODE, REGION_CONSTANTS };

/**
 * struct region - one allocation: application memory, or (KERNEL) the driver's own
 * @bytes: as asked for; mem.size is whole pages
 * @reserved: addresses kept, guard page included; 0 for registered memory
 * @context: owner; pinned and managed memory is mapped in every context
 * @serial: CU_POINTER_ATTRIBUTE_BUFFER_ID
 * @attach: CU_MEM_ATTACH_*; @attach_channel: whose stream, while it is SINGLE; @attach_first: as
 *          allocated
 * @gpu_owned: maintenance has handed the bytes to the GPU (coherency.c)
 * @closed: the CPU is kept out, because of @closed_grid (managed.c)
 * @uses: copies and fills that touch managed memory and were not waited for
 */
struct region {
    struct hal_mem mem;
    size_t bytes, reserved;
    struct context *context;
    uint64_t serial;
    unsigned flags; /* of cuMemHostAlloc, cuMemHostRegister */
    void *host;     /* registered: as the application passed it */
    unsigned attach, attach_first;
    struct channel *attach_channel;
    bool gpu_owned, closed, sync_memops;
    bool of_module; /* goes with its module: cuMemFree has no say */
    enum region_use use;
    GArray *uses; /* struct fence */
    struct pool *pool;
    bool freed_async; /* cuMemFreeAsync was called, its fence is not reached */
};

/* Page tables of one context, in kernel memory. */
struct address_space {
    GPtrArray *chunks;   /* struct hal_mem: tables are cut from them */
    uint32_t chunk_used; /* bytes of the newest */
    uint64_t pdb;        /* bus address of PDE3 */
    uint8_t *root;
};

/**
 * struct launched - the newest call of the application that gave a channel work of its own will: a
 *                   kernel, a fill, a copy that may go on after the call, a host function
 * @threshold: the channel's syncpoint has it when that work is done
 * @order: of these calls among all channels; 0: there was none
 */
struct launched {
    uint32_t threshold, grid_id;
    uint64_t order;
    struct check_caller caller;
};

/**
 * struct channel - a hardware queue with its memory
 * @start, @submitted: syncpoint value at the beginning and after all that was submitted
 * @kernel_mark, @work_mark: @submitted after the last kernel, after the last work of any kind, that
 *                           made the GPU active (managed.c); @grid_id: that kernel
 * @ordinal: of its stream
 * @memory: USERD, error record, GPFIFO, pushbuffer ring, data ring, in this order
 * @done: one entry a GPFIFO slot: what becomes free when the syncpoint gets there
 */
struct channel_slot {
    uint32_t threshold, push_end, data_end;
};
struct channel {
    uint32_t index, syncpt, host_syncpt, start, submitted, host_submitted;
    uint32_t kernel_mark, work_mark, grid_id, ordinal;
    struct context *context;
    struct hal_mem memory;
    uint32_t gp_put, gp_oldest; /* these and the next: they only grow, the low bits are the place */
    uint32_t push_head, push_tail, data_head, data_tail;
    struct channel_slot *done;
    struct launched launched;
    struct region *workspace; /* barrier of cooperative grids, allocated at the first */
    bool closing;
};

/**
 * struct stream
 * @ordinal: 0 = default, then order of creation: reports and traces
 * @known: what is certain once all submitted work has run: fences waited for on the way (clock.c)
 */
struct stream {
    CUstream handle;
    struct context *context;
    struct channel *channel;
    uint32_t ordinal;
    unsigned flags;
    int priority;
    bool is_default;
    GArray *known;      /* struct fence */
    unsigned not_ready; /* queries in a row that said so */
    CUsynchronizationPolicy sync_policy;
    CUlaunchMemSyncDomain mem_domain;
    CUlaunchMemSyncDomainMap mem_domain_map;
    CUaccessPolicyWindow window;
};

/* Where an event's time is written: the CPU's and the GPU's address of 16 bytes. */
struct stamp {
    uint8_t *cpu;
    uint64_t va;
};

struct context {
    CUcontext handle;
    uint64_t id;
    bool primary;
    unsigned flags;
    uint32_t index; /* CHAN_CONTEXT */
    CUresult error; /* sticky */
    struct address_space as;
    struct stream *legacy, *service; /* service: the driver's own copies */
    GHashTable *thread_streams;      /* thread number -> struct stream */
    GPtrArray *streams, *events, *modules;
    size_t limit[CU_LIMIT_MAX];
    CUfunc_cache cache_config;
    CUsharedconfig shared_config;
    struct hal_mem printf_ring;
    struct region *heap; /* of malloc() in kernels; NULL until a module calls it */
    struct hal_mem staging;
    struct fence *staging_busy;
    uint32_t staging_next, staging_held;
    GPtrArray *stamp_chunks; /* struct hal_mem: time stamps of events */
    GArray *stamps_free;     /* struct stamp */
    uint32_t next_ordinal;
};

struct core {
    pthread_mutex_t lock;
    enum core_state state;
    CUresult init_error;
    int owner_pid;
    atomic_bool leaving; /* a thread that exits waits for the lock */
    struct soc_profile *profile;
    char os[16];
    enum hal_policy policy;
    uint64_t step_limit;
    struct hal *hal;
    struct check *check;
    bool pageable;  /* engines reach the process's own pages */
    GTree *regions; /* by address: struct region */
    GArray *freed;  /* struct freed: the newest last */
    GPtrArray *managed;
    GPtrArray *contexts;
    GArray *synced; /* struct fence: what the CPU has waited for */
    struct context *primary;
    unsigned primary_refs, primary_flags;
    uint64_t used_bytes, next_serial, next_context, next_code, launches;
    uint32_t next_grid;
    uint32_t told_target; /* newest .target beyond the SoC's that the report knows of */
    uint32_t halting; /* index + 1 of the channel whose grid is being ended: it goes first */
    GPtrArray *channels;
    uint8_t channel_used[CHAN_COUNT];
    GArray *syncpts_idle; /* uint32_t, the next one last */
    GPtrArray *graves;    /* freed streams and contexts that a thread in core_yield() may hold */
    unsigned yielding;
    bool context_used[CHAN_COUNT];
    struct pool *pool_default, *pool_current;
    GPtrArray *pools;
    GPtrArray *libraries;
};
extern struct core core;

/* What an allocation was, for "freed twice" and "used after free". */
struct freed {
    uint64_t base, bytes, serial;
    enum hal_mem_kind kind;
    uint32_t id;
};

/* core.c */
CUresult core_state(void); /* CUDA_SUCCESS once rt_init() has succeeded */
CUresult core_enter(void);
CUresult core_enter_context(struct context **context);
CUresult core_leave(CUresult result);
/* At exit, which may come in a signal handler or beside calls of other threads. Return: false if the
 * lock cannot be had, because this thread is in a call or another one stays in one. */
bool core_lock_to_exit(void);
unsigned core_thread(void); /* number of the calling thread, by first call */
void core_thread_gone(unsigned thread);
struct context *core_context(CUcontext handle, CUresult *error); /* NULL: the current one */
void core_context_push(CUcontext handle);
bool core_context_pop(CUcontext *handle);
CUcontext core_context_top(void);
void core_in_callback(bool in);
void core_bury(void *object); /* g_free() once no thread can hold it any more */
void core_yield_begin(void);  /* the lock is let go around these: others may come in */
void core_yield_end(void);

/* handle.c */
enum handle_type {
    HANDLE_NONE,
    HANDLE_CONTEXT,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_MODULE,
    HANDLE_FUNCTION,
    HANDLE_LIBRARY,
    HANDLE_KERNEL,
    HANDLE_POOL,
    HANDLE_LINK,
    HANDLE_DLA,
    HANDLE_DLA_MODULE,
};
void *handle_new(enum handle_type type, void *object);
void *handle_find(enum handle_type type, const void *handle); /* NULL: stale or foreign */
enum handle_type handle_type_of(const void *handle);
void handle_free(const void *handle);

/* report.c: what the checker is told. @rule etc. as struct check_finding. */
void report_forget(void);            /* a call begins: nothing is told of it yet */
CUresult report_told(CUresult code); /* the checker knows that the call returns this */
CUresult report_error(CUresult code, const char *api, const char *section, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
void report_finding(const char *rule, enum check_severity severity, enum check_standing standing,
                    const char *section, uint32_t region, uint32_t grid, uint64_t address,
                    const char *todo, const char *format, ...) G_GNUC_PRINTF(9, 10);
/* Return: where the application called, for who needs it once more. */
struct check_caller report_note(enum check_note_kind kind, const char *api,
                                const struct region *region, const struct region *source,
                                uint64_t bytes, const struct stream *stream);
void report_region(const struct region *region, const char *api);
void report_event(struct fence fence, const struct stream *stream);

/* address_space.c */
int as_init(struct context *context);
void as_free(struct context *context);
/* Where the GPU sees memory: at the CPU's address (UVA). The driver's own lies apart, where no
 * pointer of the application leads by mistake. */
uint64_t as_va(const struct hal_mem *mem);
int as_map(struct context *context, const struct hal_mem *mem, bool read_only);
/* A writable second mapping, among the driver's own, of memory that is mapped read-only. */
uint64_t as_second_va(const struct hal_mem *mem);
int as_map_second(struct context *context, const struct hal_mem *mem);
void as_unmap_second(struct context *context, const struct hal_mem *mem);
void as_unmap(struct context *context, const struct hal_mem *mem);
void as_invalidate(void);

/* region.c */
struct region *region_alloc(struct context *context, enum hal_mem_kind kind, size_t bytes,
                            CUresult *error);
struct region *region_register(struct context *context, void *ptr, size_t bytes, unsigned flags,
                               CUresult *error);
void region_free(struct region *region);
/* From now on kernels may not store to it. */
CUresult region_protect(struct region *region, enum region_use use);
/* Where the driver's own copies and fills reach @address of it. */
uint64_t region_copy_va(const struct region *region, uint64_t address);
struct region *region_at(uint64_t address);
struct region *region_range(uint64_t address, size_t bytes); /* NULL unless all of it lies in one */
struct region *region_nearest(uint64_t address);
const struct freed *region_freed_at(uint64_t address);
int region_map_all(struct context *context); /* a new context sees pinned and managed memory */
CUresult kernel_alloc(struct context *context, size_t bytes, struct hal_mem *mem);
void kernel_free(struct context *context, struct hal_mem *mem);

/* channel.c */
CUresult channel_new(struct context *context, int priority, struct channel **out);
void channel_close(struct channel *channel); /* recycled once its work is done */
void channel_reap(void);
void channel_free_all(struct context *context);
void channel_stop(struct channel *channel); /* drops what has not run */
const struct chan_error *channel_error(const struct channel *channel);
struct channel *channel_at(uint32_t index);
uint32_t channel_host_syncpt(struct channel *channel); /* 0: no syncpoint left */
CUresult channel_workspace(struct channel *channel, uint64_t *va);
uint32_t syncpt_take(void); /* 0: none is left */
void syncpt_give(uint32_t id);
/* What was submitted will not come any more: whoever waits for it elsewhere goes on. */
void syncpt_catch_up(uint32_t id, uint32_t value);

/* push.c: one submission is put together at a time */
struct push {
    struct channel *channel;
    GArray *words;
};
/* Waits until the rings have room for any one submission; nothing after it waits. */
CUresult push_begin(struct push *p, struct channel *channel);
void push_cancel(struct push *p);
void push_method(struct push *p, unsigned subchannel, unsigned method, uint32_t value);
void push_inc(struct push *p, unsigned subchannel, unsigned method, const uint32_t *values,
              unsigned n);
void push_wait(struct push *p, struct fence fence);
void push_mem_op(struct push *p, unsigned op);
void push_semaphore(struct push *p, uint64_t va, uint64_t payload, uint32_t execute);
struct fence push_submit(struct push *p);
/* @bytes of the data ring, alive until the submission being built is done. In all no more than
 * PUSH_DATA_MAX, @align a power of two up to QMD_ALIGN. */
#define PUSH_DATA_MAX (40u * 1024)
#define PUSH_WORDS_MAX 3072u
void *push_data(struct push *p, size_t bytes, size_t align, uint64_t *gpu_va);
uint64_t push_bus(const struct push *p, uint64_t gpu_va); /* the bus address of such data */

/* wait.c */
uint32_t syncpt_value(uint32_t id);
bool fence_reached(struct fence fence);
CUresult wait_fence(struct context *context, struct fence fence);
void wait_poll(bool must_progress);

/* clock.c: lists of fences, at most one a syncpoint */
void clock_add(GArray **clock, struct fence fence);
void clock_merge(GArray **clock, const GArray *other);
void clock_synced(const GArray *known); /* core.synced grows */
bool clock_has(const GArray *clock, struct fence fence);

/* stream.c */
CUresult stream_resolve(struct context *context, CUstream handle, struct stream **out);
CUresult stream_new(struct context *context, unsigned flags, int priority, struct stream **out);
void stream_free(struct stream *stream);
struct fence stream_fence(const struct stream *stream);
/* push_begin() and the implicit order of default streams. */
CUresult stream_begin(struct stream *stream, struct push *p);
struct fence stream_end(struct stream *stream, struct push *p);
void stream_join(struct stream *stream, struct push *p, struct fence fence, const GArray *known);
/* What was submitted last is the application's wish; @grid_id: 0 if no kernel. */
void stream_launched(struct stream *stream, uint32_t grid_id, const struct check_caller *caller);
CUresult stream_wait(struct stream *stream); /* as the application's own synchronise */
CUresult context_wait(struct context *context);
void sync_covered(struct context *context); /* core.synced grew: maintenance, printf, protection */
bool stream_idle(const struct stream *stream);

/* event.c */
void event_free_all(struct context *context);

/* hostop.c */
typedef void hostop_fn(struct context *context, void *data, CUresult status);
CUresult hostop_push_user(struct stream *stream, CUhostFn fn, CUstreamCallback callback,
                          void *data);
CUresult hostop_push_internal(struct stream *stream, hostop_fn *fn, void *data);
bool hostop_pump(void);    /* runs what is due; true if something ran */
bool hostop_running(void); /* a host function has not come back yet */
bool hostop_pending(void);
unsigned hostop_threads(void); /* of ours */
/* For the one that runs. Return: it sleeps, and so do all other threads. */
bool hostop_wait(void);
void hostop_attend(void);      /* a thread is about to wait in the C library: see idle.c */
void hostop_finish(void); /* and has: perhaps for the function that runs, which goes on first */
void hostop_drop(struct channel *channel, CUresult status);
bool hostop_hold(struct channel *channel, bool kernel, uint32_t mark, uint32_t grid_id);
bool hostop_holds(const struct channel *channel);

/* coherency.c */
/* true: coherency_push() first */
bool coherency_before_kernel(struct channel *channel);
bool coherency_before_access(struct channel *channel, struct region *region);
void coherency_push(struct push *p);
void coherency_after_sync(void);
void coherency_to_cpu(struct region *region);
void coherency_to_gpu(struct region *region);
void coherency_l2_clean(void);
void coherency_l2_clean_invalidate(void);

/* managed.c */
void managed_update(void);
void managed_work(struct channel *channel, bool kernel, uint32_t grid_id); /* just submitted */
void managed_used(struct region *region, struct fence fence);
bool managed_gpu_may_use(const struct region *region);
bool managed_pending(struct region *region);
void managed_stream_gone(struct channel *channel);

/* printf.c */
CUresult printf_open(struct context *context);
void printf_close(struct context *context);
void printf_drain(struct context *context, bool assertion);

/* inuse.c */
void inuse_launched(const struct channel *channel, uint32_t grid_id); /* just submitted */
/* A copy or fill was: serials of its regions, 0 for what is none; @api: constant text. */
void inuse_moved(const struct channel *channel, uint64_t dst, uint64_t src, const char *api,
                 const struct check_caller *caller);
/* What was submitted and nobody has waited for. g_array_unref() it. */
GArray *inuse_pending(void);
/* @region is about to go, everything has run: did one of @pending use it? */
void inuse_tell(GArray *pending, const struct region *region, const char *api);

/* fault.c */
void fault_service(void);
void fault_context(struct context *context, CUresult code);
void fault_interrupted(struct channel *channel, const char *signal);
void fault_warn_stuck(struct fence fence, bool spinning, const struct check_caller *caller);
CUresult fault_deadlock(struct context *context, struct fence fence, bool spinning);

/* copy.c, staging.c */
CUresult copy_in(struct context *context, uint64_t dst, const void *src, size_t bytes);

/* pool.c */
void pool_init(void);
CUmemoryPool pool_handle(const struct pool *pool);
void pool_reap(void); /* frees what streams have reached */
void pool_drop_context(struct context *context);
CUresult pool_free_now(struct region *region);

#endif
