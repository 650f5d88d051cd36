/* SPDX-License-Identifier: MIT */
/* What a channel is doing, for the rooms that wait for it. Needs no other file of the driver but
 * state.c. */
#include "runtime/driver/core/channel_internal.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/devices.h"

struct context *channel_context(const struct channel *ch)
{
    return ch->context;
}

uint32_t channel_ordinal(const struct channel *ch)
{
    return ch->ordinal;
}

void channel_ordinal_set(struct channel *ch, uint32_t ordinal)
{
    ch->ordinal = ordinal;
}

enum unit_id channel_unit(const struct channel *ch)
{
    return device_gpu(context_device(ch->context));
}

uint32_t channel_window(const struct channel *ch)
{
    return IGPU_CHAN_BASE + ch->index % CHAN_COUNT * CHAN_WINDOW;
}

uint32_t channel_index(const struct channel *ch)
{
    return ch->index;
}

const struct hal_mem *channel_memory(const struct channel *ch)
{
    return &ch->memory;
}

struct fence channel_fence(const struct channel *ch)
{
    return (struct fence){ ch->syncpt, ch->submitted };
}

bool channel_unused(const struct channel *ch)
{
    return ch->submitted == ch->start;
}

bool channel_submitted(const struct channel *ch, struct fence f)
{
    return ch->syncpt == f.id && (int32_t)(f.threshold - ch->start) > 0 &&
           (int32_t)(ch->submitted - f.threshold) >= 0;
}

struct fence channel_before(const struct channel *ch)
{
    return ch->before;
}

struct fence channel_before_take(struct channel *ch)
{
    struct fence before = ch->before;

    ch->before = (struct fence){ 0 };
    return before;
}

const struct launched *channel_launched(const struct channel *ch)
{
    return &ch->launched;
}

void channel_launched_set(struct channel *ch, uint32_t grid_id, uint64_t order,
                          const struct check_caller *caller)
{
    ch->launched = (struct launched){
        .threshold = ch->submitted,
        .grid_id = grid_id,
        .order = order,
        .caller = *caller,
    };
}

void channel_launched_seen(struct channel *ch, uint64_t order)
{
    if (ch->launched.order == order) {
        ch->launched.order = 0;
    }
}

/* The CPU keeps the memory until the host function has run. */
static void channel_use_hold(struct channel_hold *h, bool kernel, uint32_t mark, uint32_t grid_id)
{
    h->work = true;
    h->work_mark = mark;
    if (kernel) {
        h->kernel = true;
        h->kernel_mark = mark;
        h->grid_id = grid_id;
    }
}

bool channel_mark(struct channel *ch, bool kernel, uint32_t grid_id)
{
    if (ch->hold) {
        channel_use_hold(ch->hold, kernel, ch->submitted, grid_id);
        return false;
    }
    ch->work_mark = ch->submitted;
    if (kernel) {
        ch->kernel_mark = ch->submitted;
        ch->grid_id = grid_id;
    }
    return true;
}

static struct fence mark_fence(const struct channel *ch, uint32_t mark)
{
    return mark == ch->start ? (struct fence){ 0 } : (struct fence){ ch->syncpt, mark };
}

struct fence channel_kernel(const struct channel *ch)
{
    return mark_fence(ch, ch->kernel_mark);
}

struct fence channel_work(const struct channel *ch)
{
    return mark_fence(ch, ch->work_mark);
}

uint32_t channel_grid(const struct channel *ch)
{
    return ch->grid_id;
}

struct channel_hold *channel_hold_begin(struct channel *ch)
{
    ch->hold = g_new0(struct channel_hold, 1);
    return ch->hold;
}

bool channel_held(const struct channel *ch)
{
    return ch->hold != NULL;
}

bool channel_hold_end(struct channel *ch, const struct channel_hold *h)
{
    if (ch->hold == h) {
        ch->hold = NULL;
    }
    if (h->kernel) {
        ch->kernel_mark = h->kernel_mark;
        ch->grid_id = h->grid_id;
    }
    if (h->work) {
        ch->work_mark = h->work_mark;
    }
    return h->work;
}

void channel_hold_drop(struct channel *ch)
{
    ch->hold = NULL;
}

struct fence channel_host_next(struct channel *ch)
{
    return (struct fence){ ch->host_syncpt, ++ch->host_submitted };
}

void channel_host_signal(const struct channel *ch)
{
    hal_write32(core_hal(), UNIT_HOST1X, HOST1X_SYNCPT_CPU_INCR + ch->host_syncpt / 32 * 4,
                UINT32_C(1) << ch->host_syncpt % 32);
}

void channel_stop(struct channel *ch)
{
    if (ch->index == CHANNEL_UNBOUND) {
        return;
    }
    hal_write32(core_hal(), channel_unit(ch), channel_window(ch) + CHAN_CTRL, 0);
    syncpt_catch_up(ch->syncpt, ch->submitted);
    syncpt_catch_up(ch->host_syncpt, ch->host_submitted);
}
