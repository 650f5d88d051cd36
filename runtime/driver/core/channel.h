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

struct channel;
struct channel_hold;
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
    CHANNEL_UNBOUND = CHANS_ALL, /* index */
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

/* channel_list.c: of all contexts, in the order in which they were made */
unsigned channel_count(void);
struct channel *channel_nth(unsigned i);
struct channel *channel_at(uint32_t index); /* the bound one of this number, or NULL */
const struct chan_error *channel_error(const struct channel *channel);
uint32_t channel_status(const struct channel *channel); /* enum chan_status */
void channel_list_add(struct channel *channel);
void channel_list_remove(struct channel *channel);

/* channel_use.c: what a channel is doing */
struct context *channel_context(const struct channel *channel);
uint32_t channel_ordinal(const struct channel *channel); /* of its stream */
void channel_ordinal_set(struct channel *channel, uint32_t ordinal);
uint32_t channel_index(const struct channel *channel); /* CHANNEL_UNBOUND: it has no hardware now */
/* Where its registers are, while it has hardware. */
enum unit_id channel_unit(const struct channel *channel);
uint32_t channel_window(const struct channel *channel);
const struct hal_mem *channel_memory(const struct channel *channel);
struct fence channel_fence(const struct channel *channel); /* after all that was submitted */
bool channel_unused(const struct channel *channel);        /* nothing was, since it was bound */
bool channel_submitted(const struct channel *channel, struct fence fence); /* was that here? */
/* The end of its work on the hardware that it had before, until its stream waits for it. */
struct fence channel_before(const struct channel *channel);
struct fence channel_before_take(struct channel *channel);
const struct launched *channel_launched(const struct channel *channel);
void channel_launched_set(struct channel *channel, uint32_t grid_id, uint64_t order,
                          const struct check_caller *caller);
void channel_launched_seen(struct channel *channel, uint64_t order); /* it need not be waited for */
/* Work was submitted that makes the GPU active (managed.c). Return: now, and not when the host
 * function before it has run. */
bool channel_mark(struct channel *channel, bool kernel, uint32_t grid_id);
/* The last such kernel, and such work of any kind; no fence: none. */
struct fence channel_kernel(const struct channel *channel);
struct fence channel_work(const struct channel *channel);
uint32_t channel_grid(const struct channel *channel); /* of channel_kernel() */
/* A host function is queued: until it has run, work behind it does not make the GPU active
 * (cuLaunchHostFunc). The caller has to g_free() what it gets. */
struct channel_hold *channel_hold_begin(struct channel *channel);
bool channel_held(const struct channel *channel);
/* It has run. Return: there was work behind it, which counts now. */
bool channel_hold_end(struct channel *channel, const struct channel_hold *hold);
void channel_hold_drop(struct channel *channel);
/* The host's own syncpoint: its next value, for which the channel will wait, and one more. */
struct fence channel_host_next(struct channel *channel);
void channel_host_signal(const struct channel *channel);
void channel_stop(struct channel *channel); /* drops what has not run */

/* syncpt.c */
uint32_t syncpt_take(void); /* 0: none is left */
void syncpt_give(uint32_t id);
/* Other processes may wait for it, until it is given back. false: none can. */
bool syncpt_share(uint32_t id, uint64_t token[2]);
/* Submitted work will not run any more: waits for it on other channels end. */
void syncpt_catch_up(uint32_t id, uint32_t value);

/* channel.c */
CUresult channel_new(struct context *context, int priority, struct channel **out);
void channel_close(struct channel *channel); /* recycled once its work is done */
void channel_reap(void);
void channel_free_all(struct context *context);
/* Of a bound channel; 0: no syncpoint left. */
uint32_t channel_host_syncpt(struct channel *channel);
bool channel_try_bind(struct channel *channel, CUresult *error); /* with what is free now */
void channel_unbind(struct channel *channel);                    /* its work is done */
CUresult channel_workspace(struct channel *channel, uint64_t *va);
/* Hardware for @channel, if need be that of one which is idle, or after a wait for one. */
CUresult channel_bind(struct channel *channel);
/* A syncpoint, if need be of an idle channel other than @but; 0: none is left. */
uint32_t syncpt_find(const struct channel *but);
/* Ends of work of channels that are unbound and perhaps bound anew: context_wait() waits for them,
 * too. */
void channel_left(GArray **fences);
void channel_left_waited(void); /* channel_left() has none any more */

/* push_begin.c, push.c: a submission that is put together */
struct push;
/* Waits until the rings have room for any one submission; nothing after it waits. */
CUresult push_begin(struct push **p, struct channel *channel);
/* Before each of any number of waits: where @p has no room for many more, it is submitted and
 * another begins in its place. On an error @p is gone. */
CUresult push_go_on(struct push **p);
struct channel *push_channel(const struct push *p);
void push_cancel(struct push *p); /* it is gone then, as after push_submit() */
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
