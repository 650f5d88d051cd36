/* SPDX-License-Identifier: MIT */
/* Channels: hardware queues with their memory, and the submissions that go into them. */
#ifndef RUNTIME_DRIVER_CORE_CHANNEL_H
#define RUNTIME_DRIVER_CORE_CHANNEL_H

#include <glib.h>

#include "include/cuda.h"
#include "model/regs/method.h"
#include "model/regs/regs.h"
#include "runtime/driver/core/fence.h"
#include "runtime/hal.h"
#include "runtime/observe/check.h"

struct channel_slot;
struct context;
struct region;

/* Layout of a channel's kernel memory. */
enum {
    CHANNEL_ERROR_AT = 0x800, /* behind USERD in its page */
    CHANNEL_GPFIFO_AT = HAL_PAGE,
    CHANNEL_ENTRIES = 512,
    CHANNEL_PUSH_AT = 2 * HAL_PAGE,
    CHANNEL_PUSH_BYTES = 64 * 1024,
    CHANNEL_DATA_AT = CHANNEL_PUSH_AT + CHANNEL_PUSH_BYTES,
    CHANNEL_DATA_BYTES = 128 * 1024,
    CHANNEL_BYTES = CHANNEL_DATA_AT + CHANNEL_DATA_BYTES,
    CHANNEL_UNBOUND = CHAN_COUNT, /* index */
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

/* Work that is queued behind a host function: before that has run it does not make the GPU active
 * (cuLaunchHostFunc). As kernel_mark, work_mark and grid_id of struct channel. */
struct channel_hold {
    bool kernel, work;
    uint32_t kernel_mark, work_mark, grid_id;
};

/**
 * struct channel - a stream's queue, and the hardware's that serves it with its memory
 * @index: CHANNEL_UNBOUND: it has none now; then @syncpt is the one it had, and the
 * rest stands as it was when that reached @submitted
 * @before: the end of its work on the hardware that it had before, until its stream waits for it
 * @start, @submitted: syncpoint value at the beginning and after all that was submitted
 * @kernel_mark, @work_mark: @submitted after the last kernel, after the last work of any kind, that
 *                           made the GPU active (managed.c); @grid_id: that kernel
 * @ordinal: of its stream
 * @memory: USERD, error record, GPFIFO, pushbuffer ring, data ring, in this order
 * @done: one entry a GPFIFO slot: what becomes free when the syncpoint gets there
 */
struct channel {
    uint32_t index, syncpt, host_syncpt, start, submitted, host_submitted;
    uint32_t kernel_mark, work_mark, grid_id, ordinal;
    struct context *context;
    int priority;
    uint64_t bound_at; /* order of binding */
    struct fence before;
    struct hal_mem memory;
    uint32_t gp_put, gp_oldest; /* these and the next: they only grow, the low bits are the place */
    uint32_t push_head, push_tail, data_head, data_tail;
    struct channel_slot *done;
    struct launched launched;
    struct channel_hold *hold; /* of the newest host function that has not returned, or NULL */
    struct region *workspace;  /* barrier of cooperative grids, allocated at the first */
    bool closing;
};

/* channel_list.c: of all contexts, in the order in which they were made */
unsigned channel_count(void);
struct channel *channel_nth(unsigned i);
struct channel *channel_at(uint32_t index); /* the bound one of this number, or NULL */
const struct chan_error *channel_error(const struct channel *channel);
uint32_t channel_status(const struct channel *channel); /* enum chan_status */
void channel_list_add(struct channel *channel);
void channel_list_remove(struct channel *channel);

/* channel.c */
CUresult channel_new(struct context *context, int priority, struct channel **out);
void channel_close(struct channel *channel); /* recycled once its work is done */
void channel_reap(void);
void channel_free_all(struct context *context);
void channel_stop(struct channel *channel); /* drops what has not run */
/* Of a bound channel; 0: no syncpoint left. */
uint32_t channel_host_syncpt(struct channel *channel);
bool channel_try_bind(struct channel *channel, CUresult *error); /* with what is free now */
void channel_unbind(struct channel *channel);                    /* its work is done */
CUresult channel_workspace(struct channel *channel, uint64_t *va);
uint32_t syncpt_take(void); /* 0: none is left */
void syncpt_give(uint32_t id);
/* Other processes may wait for it, until it is given back. false: none can. */
bool syncpt_share(uint32_t id, uint64_t token[2]);
/* What was submitted will not come any more: whoever waits for it elsewhere goes on. */
void syncpt_catch_up(uint32_t id, uint32_t value);
/* Hardware for @channel, if need be that of one which is idle, or after a wait for one. */
CUresult channel_bind(struct channel *channel);
/* A syncpoint, if need be of an idle channel other than @but; 0: none is left. */
uint32_t syncpt_find(const struct channel *but);
/* Ends of work of channels that are unbound and perhaps bound anew: context_wait() waits for them,
 * too. */
void channel_left(GArray **fences);
void channel_left_waited(void); /* channel_left() has none any more */

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

#endif
