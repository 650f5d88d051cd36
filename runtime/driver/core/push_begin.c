/* SPDX-License-Identifier: MIT */
/* A submission begins when the channel's rings have room for it: nothing after that waits. */
#include "runtime/driver/core/channel_internal.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/stream/stream.h"

/* Give back what finished submissions occupied. */
static void push_begin_reclaim(struct channel *ch)
{
    uint32_t now = syncpt_value(ch->syncpt);

    while (ch->gp_oldest != ch->gp_put) {
        const struct channel_slot *slot = &ch->done[ch->gp_oldest % CHANNEL_ENTRIES];

        if ((int32_t)(now - slot->threshold) < 0) {
            break;
        }
        ch->push_tail = slot->push_end;
        ch->data_tail = slot->data_end;
        ch->gp_oldest++;
    }
}

/* Twice the most a submission takes: a ring is skipped to its end when a piece does not fit there.
 */
static bool push_begin_room(const struct channel *ch)
{
    return ch->gp_put - ch->gp_oldest < CHANNEL_ENTRIES - 1 &&
           CHANNEL_PUSH_BYTES - (ch->push_head - ch->push_tail) >= 2 * 4 * PUSH_WORDS_MAX &&
           CHANNEL_DATA_BYTES - (ch->data_head - ch->data_tail) >= 2 * PUSH_DATA_MAX;
}

CUresult push_begin(struct push **out, struct channel *ch)
{
    CUresult bound = channel_bind(ch);
    struct push *p;

    if (bound) {
        return bound;
    }
    for (push_begin_reclaim(ch); !push_begin_room(ch); push_begin_reclaim(ch)) {
        uint32_t oldest = ch->done[ch->gp_oldest % CHANNEL_ENTRIES].threshold;
        CUresult error = wait_fence(ch->context, (struct fence){ ch->syncpt, oldest });

        if (error) {
            return error;
        }
    }
    p = g_new(struct push, 1);
    p->channel = ch;
    p->words = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), 64);
    *out = p;
    return CUDA_SUCCESS;
}

CUresult push_go_on(struct push **p)
{
    struct channel *ch = (*p)->channel;

    if ((*p)->words->len < PUSH_WORDS_MAX / 2) {
        return CUDA_SUCCESS;
    }
    push_submit(*p);
    return push_begin(p, ch);
}
