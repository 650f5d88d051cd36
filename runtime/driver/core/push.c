/* SPDX-License-Identifier: MIT */
/* Submissions: words for the front end, put into the channel's rings and announced at its doorbell.
 *
 * Every submission ends in "wait for idle, increment the channel's syncpoint": its fence. */
#include <string.h>

#include "runtime/driver/core/channel_internal.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/stream.h"

struct channel *push_channel(const struct push *p)
{
    return p->channel;
}

void push_cancel(struct push *p)
{
    g_array_free(p->words, TRUE);
    g_free(p);
}

void push_inc(struct push *p, unsigned subchannel, unsigned method, const uint32_t *values,
              unsigned n)
{
    uint32_t header = PB_HEADER(PB_INC, subchannel, method, n);

    g_array_append_val(p->words, header);
    g_array_append_vals(p->words, values, n);
}

void push_method(struct push *p, unsigned subchannel, unsigned method, uint32_t value)
{
    push_inc(p, subchannel, method, &value, 1);
}

void push_wait(struct push *p, struct fence fence)
{
    if (fence.id) {
        push_inc(p, 0, HOST_SYNCPOINTA, (uint32_t[]){ fence.threshold, SYNCPT_WAIT(fence.id) }, 2);
    }
}

void push_mem_op(struct push *p, unsigned op)
{
    push_inc(p, 0, HOST_MEM_OP_A, (uint32_t[]){ 0, 0, 0, MEM_OP_D(op) }, 4);
}

void push_semaphore(struct push *p, uint64_t va, uint64_t payload, uint32_t execute)
{
    push_inc(p, 0, HOST_SEM_ADDR_LO,
             (uint32_t[]){ (uint32_t)va, (uint32_t)(va >> 32), (uint32_t)payload,
                           (uint32_t)(payload >> 32), execute },
             5);
}

/* A piece of a ring that does not wrap; @head grows past it. */
static uint32_t ring_take(uint32_t *head, uint32_t ring, uint32_t bytes, uint32_t align)
{
    uint32_t at = (*head + align - 1) & ~(align - 1);

    if ((at & (ring - 1)) + bytes > ring) {
        at = (at + ring - 1) & ~(ring - 1);
    }
    *head = at + bytes;
    return at & (ring - 1);
}

void *push_data(struct push *p, size_t bytes, size_t align, uint64_t *gpu_va)
{
    struct channel *ch = p->channel;
    uint32_t at = ring_take(&ch->data_head, CHANNEL_DATA_BYTES, (uint32_t)bytes, (uint32_t)align);
    uint8_t *data = (uint8_t *)ch->memory.cpu + CHANNEL_DATA_AT + at;

    g_assert(bytes <= PUSH_DATA_MAX); /* launch.c checks the parameters; a descriptor is small */
    memset(data, 0, bytes);
    *gpu_va = as_va(&ch->memory) + CHANNEL_DATA_AT + at;
    return data;
}

uint64_t push_bus(const struct push *p, uint64_t gpu_va)
{
    const struct hal_mem *memory = &p->channel->memory;

    return gpu_va - as_va(memory) + memory->bus;
}

struct fence push_submit(struct push *p)
{
    struct channel *ch = p->channel;
    uint8_t *base = ch->memory.cpu;
    struct fence fence = { ch->syncpt, ch->submitted + 1 };
    uint32_t entry[2];
    uint32_t at, bytes;

    push_method(p, 0, HOST_WFI, 0);
    push_inc(p, 0, HOST_SYNCPOINTA, (uint32_t[]){ 0, SYNCPT_INCR(ch->syncpt) }, 2);
    g_assert(p->words->len <= PUSH_WORDS_MAX); /* push_begin.c cuts long ones in two */
    bytes = p->words->len * 4;
    at = ring_take(&ch->push_head, CHANNEL_PUSH_BYTES, bytes, 4);
    memcpy(base + CHANNEL_PUSH_AT + at, p->words->data, bytes);
    entry[0] = GP_ENTRY0(ch->memory.bus + CHANNEL_PUSH_AT + at);
    entry[1] = GP_ENTRY1(ch->memory.bus + CHANNEL_PUSH_AT + at, p->words->len);
    memcpy(base + CHANNEL_GPFIFO_AT + ch->gp_put % CHANNEL_ENTRIES * 8, entry, sizeof(entry));
    ch->done[ch->gp_put % CHANNEL_ENTRIES] =
        (struct channel_slot){ fence.threshold, ch->push_head, ch->data_head };
    ch->gp_put++;
    ch->submitted = fence.threshold;
    push_cancel(p);
    *(volatile uint32_t *)(base + USERD_GP_PUT) = ch->gp_put % CHANNEL_ENTRIES;
    hal_write32(core_hal(), channel_unit(ch), IGPU_USERMODE_NOTIFY_CHANNEL_PENDING,
                ch->index % CHAN_COUNT);
    sched_work();
    return fence;
}
