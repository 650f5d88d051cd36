/* SPDX-License-Identifier: MIT */
/* All channels, in the order in which they were made. Needs no other file of the driver but
 * state.c. */
#include "runtime/driver/core/channel_internal.h"
#include "runtime/driver/core/core.h"

static GPtrArray *channels;

unsigned channel_count(void)
{
    return channels ? channels->len : 0;
}

struct channel *channel_nth(unsigned i)
{
    return g_ptr_array_index(channels, i);
}

void channel_list_add(struct channel *ch)
{
    if (!channels) {
        channels = g_ptr_array_new();
    }
    g_ptr_array_add(channels, ch);
}

void channel_list_remove(struct channel *ch)
{
    g_ptr_array_remove(channels, ch);
}

struct channel *channel_at(uint32_t index)
{
    for (unsigned i = 0; i < channel_count(); i++) {
        if (channel_nth(i)->index == index) {
            return channel_nth(i);
        }
    }
    return NULL;
}

const struct chan_error *channel_error(const struct channel *ch)
{
    return (const struct chan_error *)((const uint8_t *)ch->memory.cpu + CHANNEL_ERROR_AT);
}

uint32_t channel_status(const struct channel *ch)
{
    return ch->index == CHANNEL_UNBOUND
               ? CHAN_IDLE
               : hal_read32(core_hal(), channel_unit(ch), channel_window(ch) + CHAN_STATUS);
}
