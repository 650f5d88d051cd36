/* SPDX-License-Identifier: MIT */
/* Channels: a hardware queue, its rings in kernel memory, one syncpoint for its own progress and,
 * where host functions are used, one that the CPU increments. */
#include "runtime/driver/core/channel_internal.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/stream/stream.h"

G_STATIC_ASSERT(CHANNEL_ERROR_AT + sizeof(struct chan_error) <= HAL_PAGE);
G_STATIC_ASSERT(sizeof(struct qmd) <= QMD_ALIGN);

static void window_write(const struct channel *ch, unsigned word, uint32_t value)
{
    hal_write32(core_hal(), channel_unit(ch), channel_window(ch) + word, value);
}

static void window_write64(const struct channel *ch, unsigned word, uint64_t value)
{
    window_write(ch, word, (uint32_t)value);
    window_write(ch, word + 4, (uint32_t)(value >> 32));
}

static void window_open(const struct channel *ch)
{
    window_write(ch, CHAN_CTRL, 0);
    window_write(ch, CHAN_CONTEXT, context_index(ch->context) % CHAN_COUNT);
    window_write64(ch, CHAN_PDB_LO, as_pdb(ch->context));
    window_write64(ch, CHAN_GPFIFO_LO, ch->memory.bus + CHANNEL_GPFIFO_AT);
    window_write(ch, CHAN_GPFIFO_ENTRIES, CHANNEL_ENTRIES);
    window_write64(ch, CHAN_USERD_LO, ch->memory.bus);
    window_write64(ch, CHAN_ERROR_LO, ch->memory.bus + CHANNEL_ERROR_AT);
    /* CUDA: smaller is more urgent, from -5 to 0; the register is unsigned. */
    window_write(ch, CHAN_PRIORITY, (uint32_t)(ch->priority + 8));
    window_write(ch, CHAN_CTRL, 1);
}

static uint64_t binds; /* of channels, so far */

bool channel_try_bind(struct channel *ch, CUresult *error)
{
    uint32_t index = device_first_channel(context_device(ch->context)), syncpt;

    *error = CUDA_SUCCESS;
    if (hal_claim(core_hal(), HAL_CLAIM_CHANNEL, &index)) {
        return false;
    }
    syncpt = syncpt_take();
    if (syncpt) {
        *error = kernel_alloc(ch->context, CHANNEL_BYTES, &ch->memory);
    }
    if (!syncpt || *error) {
        syncpt_give(syncpt);
        hal_release(core_hal(), HAL_CLAIM_CHANNEL, index);
        return false;
    }
    ch->index = index;
    ch->syncpt = syncpt;
    ch->start = ch->submitted = ch->kernel_mark = ch->work_mark = syncpt_value(syncpt);
    ch->gp_put = ch->gp_oldest = ch->push_head = ch->push_tail = ch->data_head = ch->data_tail = 0;
    ch->done = g_new0(struct channel_slot, CHANNEL_ENTRIES);
    ch->bound_at = ++binds;
    window_open(ch);
    return true;
}

void channel_unbind(struct channel *ch)
{
    window_write(ch, CHAN_CTRL, 0);
    hal_release(core_hal(), HAL_CLAIM_CHANNEL, ch->index);
    ch->index = CHANNEL_UNBOUND;
    syncpt_give(ch->host_syncpt);
    syncpt_give(ch->syncpt);
    ch->host_syncpt = ch->host_submitted = 0;
    ch->launched.order = 0;
    kernel_free(ch->context, &ch->memory);
    g_free(ch->done);
    ch->done = NULL;
}

CUresult channel_new(struct context *context, int priority, struct channel **out)
{
    struct channel *ch = g_new0(struct channel, 1);
    CUresult error;

    channel_reap();
    ch->context = context;
    ch->priority = priority;
    ch->index = CHANNEL_UNBOUND;
    if (!channel_try_bind(ch, &error) && error) {
        g_free(ch);
        return error;
    }
    channel_list_add(ch);
    *out = ch;
    return CUDA_SUCCESS;
}

static void channel_free(struct channel *ch)
{
    if (ch->index != CHANNEL_UNBOUND) {
        channel_stop(ch);
        channel_unbind(ch);
    }
    channel_list_remove(ch);
    if (ch->workspace) {
        region_free(ch->workspace);
    }
    g_free(ch);
}

void channel_close(struct channel *ch)
{
    ch->closing = true;
    channel_reap();
}

void channel_reap(void)
{
    for (unsigned i = channel_count(); i > 0; i--) {
        struct channel *ch = channel_nth(i - 1);

        if (ch->closing && (context_error(ch->context) ||
                            fence_reached((struct fence){ ch->syncpt, ch->submitted }))) {
            channel_free(ch);
        }
    }
}

void channel_free_all(struct context *context)
{
    for (unsigned i = channel_count(); i > 0; i--) {
        struct channel *ch = channel_nth(i - 1);

        if (ch->context == context) {
            channel_free(ch);
        }
    }
}

uint32_t channel_host_syncpt(struct channel *ch)
{
    if (!ch->host_syncpt) {
        ch->host_syncpt = syncpt_find(ch);
        ch->host_submitted = ch->host_syncpt ? syncpt_value(ch->host_syncpt) : 0;
    }
    return ch->host_syncpt;
}

CUresult channel_workspace(struct channel *ch, uint64_t *va)
{
    CUresult error = CUDA_SUCCESS;

    if (!ch->workspace) {
        ch->workspace = region_alloc(ch->context, HAL_MEM_DEVICE, HAL_PAGE, &error);
    }
    *va = ch->workspace ? region_address(ch->workspace) : 0;
    return error;
}

/* --- more streams than channels ------------------------------------------------------------ */

/* More streams than the hardware has channels and syncpoints.
 *
 * A stream's channel has hardware from its beginning, as long as there is some. When that is used
 * up, a channel that needs some takes it from one whose work is done, which gets other hardware
 * when it has work again. So no two streams ever stand in one queue, and none waits for another
 * without reason, unless more are busy than the hardware has channels: then the oldest have to run
 * first. A board has the same limit elsewhere: its streams share work queues (CUDA C++ Programming
 * Guide, CUDA_DEVICE_MAX_CONNECTIONS). */

#define WAIT_STEPS 256u

static GArray *left; /* struct fence: at most one a syncpoint */

static struct fence end_of(const struct channel *ch)
{
    return ch->submitted == ch->start ? (struct fence){ 0 }
                                      : (struct fence){ ch->syncpt, ch->submitted };
}

static bool channel_idle(const struct channel *ch)
{
    return !ch->closing && fence_reached(end_of(ch)) && !ch->hold;
}

/* The streams that each context has of its own keep what they have. */
static bool channel_lends(const struct channel *ch)
{
    const struct stream *legacy = stream_legacy(ch->context);
    const struct stream *service = stream_service(ch->context);

    return ch->index != CHANNEL_UNBOUND && !context_error(ch->context) && legacy && service &&
           ch != stream_channel(legacy) && ch != stream_channel(service);
}

static bool channel_earlier(const struct channel *a, const struct channel *b)
{
    return !b || a->bound_at < b->bound_at;
}

/* One whose work the program has waited for, else any idle one; the one bound first. */
static struct channel *idle_find(const struct channel *but)
{
    struct channel *waited = NULL, *done = NULL;

    for (unsigned i = 0; i < channel_count(); i++) {
        struct channel *ch = channel_nth(i);

        if (ch == but || !channel_lends(ch) || !channel_idle(ch)) {
            continue;
        }
        if (fence_waited(end_of(ch))) {
            waited = channel_earlier(ch, waited) ? ch : waited;
        } else {
            done = channel_earlier(ch, done) ? ch : done;
        }
    }
    return waited ? waited : done;
}

static bool idle_unbind(const struct channel *but)
{
    struct channel *ch = idle_find(but);

    if (!ch) {
        return false;
    }
    if (end_of(ch).id) {
        ch->before = end_of(ch);
        clock_add(&left, ch->before);
    }
    channel_unbind(ch);
    return true;
}

/* The busy channel that was bound first. */
static struct channel *busy_find(const struct channel *but)
{
    struct channel *first = NULL;

    for (unsigned i = 0; i < channel_count(); i++) {
        struct channel *ch = channel_nth(i);

        if (ch != but && (channel_lends(ch) || ch->closing) && ch->index != CHANNEL_UNBOUND &&
            channel_earlier(ch, first)) {
            first = ch;
        }
    }
    return first;
}

/* Not all can be waited for: one may wait for what the program does next. Return: one has become
 * idle. */
static bool others_run(const struct channel *but)
{
    for (unsigned i = 0; i < channel_count(); i++) {
        struct channel *ch = channel_nth(i);

        if (ch == but || ch->index == CHANNEL_UNBOUND || context_error(ch->context)) {
            continue;
        }
        hal_wait(core_hal(), ch->syncpt, ch->submitted, WAIT_STEPS);
        notify_service();
        channel_reap();
        if (idle_find(but)) {
            return true;
        }
    }
    return false;
}

static CUresult channel_exhausted(void)
{
    report_finding(
        &check_rules[CHECK_RULE_STREAMS_EXHAUSTED], 0, 0, 0, NULL,
        "no channel is left for the work of another stream: there are %d, and %" G_GUINT32_FORMAT
        " syncpoints. On a board streams share work queues (CUDA_DEVICE_MAX_CONNECTIONS)",
        CHAN_COUNT, board_profile()->host1x.syncpts);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult channel_bind(struct channel *ch)
{
    CUresult error = CUDA_SUCCESS;

    while (!error && ch->index == CHANNEL_UNBOUND) {
        const struct channel *busy;

        channel_reap();
        if (channel_try_bind(ch, &error) || error || idle_unbind(ch)) {
            continue;
        }
        busy = busy_find(ch);
        if (!busy) {
            return channel_exhausted();
        }
        if (sched_active() || !others_run(ch)) {
            error = wait_fence(ch->context, (struct fence){ busy->syncpt, busy->submitted });
        }
    }
    return error;
}

uint32_t syncpt_find(const struct channel *but)
{
    uint32_t id = syncpt_take();

    while (!id && idle_unbind(but)) {
        id = syncpt_take();
    }
    return id;
}

void channel_left(GArray **fences)
{
    clock_merge(fences, left);
}

void channel_left_waited(void)
{
    if (left) {
        g_array_set_size(left, 0);
    }
}
