/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what a channel is. */
#ifndef RUNTIME_DRIVER_CORE_CHANNEL_INTERNAL_H
#define RUNTIME_DRIVER_CORE_CHANNEL_INTERNAL_H

#include "runtime/driver/core/channel.h"

/* What becomes free when the syncpoint has come to @threshold. */
struct channel_slot {
    uint32_t threshold, push_end, data_end;
};

/* Work that is queued behind a host function: as kernel_mark, work_mark and grid_id of struct
 * channel. */
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

/* A submission. @words: for the front end */
struct push {
    struct channel *channel;
    GArray *words;
};

#endif
