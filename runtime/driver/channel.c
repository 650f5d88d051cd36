/* SPDX-License-Identifier: MIT */
/* Channels: a hardware queue, its rings in kernel memory, one syncpoint for its own progress and,
 * where host functions are used, one that the CPU increments. */
#include "runtime/driver/channel.h"

#include <string.h>

G_STATIC_ASSERT(CHANNEL_ERROR_AT + sizeof(struct chan_error) <= HAL_PAGE);
G_STATIC_ASSERT(sizeof(struct qmd) <= QMD_ALIGN);

static void window_write(const struct channel *ch, unsigned word, uint32_t value)
{
    hal_write32(core.hal, HAL_UNIT_IGPU, IGPU_CHAN_BASE + ch->index * CHAN_WINDOW + word, value);
}

static void window_write64(const struct channel *ch, unsigned word, uint64_t value)
{
    window_write(ch, word, (uint32_t)value);
    window_write(ch, word + 4, (uint32_t)(value >> 32));
}

/* Syncpoint 0 is never handed out (host1x keeps it, and here it means "none"). */
uint32_t syncpt_take(void)
{
    uint32_t id = 0;

    if (core.syncpts_idle->len) {
        id = g_array_index(core.syncpts_idle, uint32_t, core.syncpts_idle->len - 1);
        g_array_set_size(core.syncpts_idle, core.syncpts_idle->len - 1);
    }
    return id;
}

void syncpt_give(uint32_t id)
{
    if (id) {
        g_array_append_val(core.syncpts_idle, id);
    }
}

/* nvgpu does the same when it aborts a channel (set_min_eq_max). Counted before: a board that is
 * gone never shows the value. */
void syncpt_catch_up(uint32_t id, uint32_t value)
{
    for (int32_t n = id ? (int32_t)(value - syncpt_value(id)) : 0; n > 0; n--) {
        hal_write32(core.hal, HAL_UNIT_HOST1X, HOST1X_SYNCPT_CPU_INCR + id / 32 * 4,
                    UINT32_C(1) << id % 32);
    }
}

static CUresult exhausted(const char *what, uint32_t limit)
{
    report_finding("streams-exhausted", CHECK_WARNING, CHECK_INFERRED, "vtegra", 0, 0, 0,
                   "reuse streams, or destroy those that are done",
                   "no %s is left for another stream: this SoC has %" G_GUINT32_FORMAT, what,
                   limit);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult channel_make(struct context *context, struct channel **out)
{
    struct channel *ch;
    uint32_t index = 0;
    uint32_t syncpt;
    CUresult error;

    while (index < CHAN_COUNT && core.channel_used[index]) {
        index++;
    }
    if (index == CHAN_COUNT) {
        return exhausted("channel", CHAN_COUNT);
    }
    syncpt = syncpt_take();
    if (!syncpt) {
        return exhausted("syncpoint", core.profile->host1x.syncpts);
    }
    ch = g_new0(struct channel, 1);
    error = kernel_alloc(context, CHANNEL_BYTES, &ch->memory);
    if (error) {
        syncpt_give(syncpt);
        g_free(ch);
        return error;
    }
    core.channel_used[index] = 1;
    ch->index = index;
    ch->syncpt = syncpt;
    ch->done = g_new0(struct channel_slot, CHANNEL_ENTRIES);
    *out = ch;
    return CUDA_SUCCESS;
}

CUresult channel_new(struct context *context, int priority, struct channel **out)
{
    struct channel *ch;
    CUresult error;

    channel_reap();
    error = channel_make(context, &ch);
    if (error) {
        return error;
    }
    ch->context = context;
    ch->submitted = syncpt_value(ch->syncpt);
    g_ptr_array_add(core.channels, ch);
    window_write(ch, CHAN_CTRL, 0);
    window_write(ch, CHAN_CONTEXT, context->index);
    window_write64(ch, CHAN_PDB_LO, context->as.pdb);
    window_write64(ch, CHAN_GPFIFO_LO, ch->memory.bus + CHANNEL_GPFIFO_AT);
    window_write(ch, CHAN_GPFIFO_ENTRIES, CHANNEL_ENTRIES);
    window_write64(ch, CHAN_USERD_LO, ch->memory.bus);
    window_write64(ch, CHAN_ERROR_LO, ch->memory.bus + CHANNEL_ERROR_AT);
    /* CUDA: smaller is more urgent, from -5 to 0; the register is unsigned. */
    window_write(ch, CHAN_PRIORITY, (uint32_t)(priority + 8));
    window_write(ch, CHAN_CTRL, 1);
    *out = ch;
    return CUDA_SUCCESS;
}

void channel_stop(struct channel *ch)
{
    window_write(ch, CHAN_CTRL, 0);
    syncpt_catch_up(ch->syncpt, ch->submitted);
    syncpt_catch_up(ch->host_syncpt, ch->host_submitted);
}

static void channel_free(struct channel *ch)
{
    channel_stop(ch);
    core.channel_used[ch->index] = 0;
    syncpt_give(ch->host_syncpt);
    syncpt_give(ch->syncpt);
    g_ptr_array_remove(core.channels, ch);
    kernel_free(ch->context, &ch->memory);
    if (ch->workspace) {
        region_free(ch->workspace);
    }
    g_free(ch->done);
    g_free(ch);
}

void channel_close(struct channel *ch)
{
    ch->closing = true;
    channel_reap();
}

void channel_reap(void)
{
    for (guint i = core.channels->len; i > 0; i--) {
        struct channel *ch = g_ptr_array_index(core.channels, i - 1);

        if (ch->closing &&
            (ch->context->error || fence_reached((struct fence){ ch->syncpt, ch->submitted }))) {
            channel_free(ch);
        }
    }
}

void channel_free_all(struct context *context)
{
    for (guint i = core.channels->len; i > 0; i--) {
        struct channel *ch = g_ptr_array_index(core.channels, i - 1);

        if (ch->context == context) {
            channel_free(ch);
        }
    }
}

const struct chan_error *channel_error(const struct channel *ch)
{
    return (const struct chan_error *)((const uint8_t *)ch->memory.cpu + CHANNEL_ERROR_AT);
}

struct channel *channel_at(uint32_t index)
{
    for (guint i = 0; i < core.channels->len; i++) {
        struct channel *ch = g_ptr_array_index(core.channels, i);

        if (ch->index == index) {
            return ch;
        }
    }
    return NULL;
}

uint32_t channel_host_syncpt(struct channel *ch)
{
    if (!ch->host_syncpt) {
        ch->host_syncpt = syncpt_take();
        if (!ch->host_syncpt) {
            exhausted("syncpoint", core.profile->host1x.syncpts);
        } else {
            ch->host_submitted = syncpt_value(ch->host_syncpt);
        }
    }
    return ch->host_syncpt;
}

CUresult channel_workspace(struct channel *ch, uint64_t *va)
{
    CUresult error = CUDA_SUCCESS;

    if (!ch->workspace) {
        ch->workspace = region_alloc(ch->context, HAL_MEM_DEVICE, HAL_PAGE, &error);
    }
    *va = ch->workspace ? (uintptr_t)ch->workspace->mem.cpu : 0;
    return error;
}
