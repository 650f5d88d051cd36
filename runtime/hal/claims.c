/* SPDX-License-Identifier: MIT */
#include "runtime/hal/claims.h"

#include <errno.h>

/* Syncpoint 0 is never handed out: host1x keeps it, and drivers take it for "none". */
void claims_init(struct claims *c, unsigned syncpts, unsigned gpus)
{
    *c = (struct claims){ .gpus = gpus, .syncpts = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    for (uint32_t id = syncpts; id > 1; id--) {
        uint32_t last = id - 1;

        g_array_append_val(c->syncpts, last);
    }
}

void claims_clear(struct claims *c)
{
    if (c->syncpts) {
        g_array_unref(c->syncpts);
        c->syncpts = NULL;
    }
}

/* The numbers of one GPU lie side by side. */
static int lowest_take(bool used[CHANS_ALL], unsigned gpus, uint32_t *index)
{
    uint32_t first = *index / CHAN_COUNT * CHAN_COUNT;

    if (first / CHAN_COUNT >= gpus) {
        return -EINVAL;
    }
    for (uint32_t i = first; i < first + CHAN_COUNT; i++) {
        if (!used[i]) {
            used[i] = true;
            *index = i;
            return 0;
        }
    }
    return -ENOSPC;
}

static int syncpt_take(struct claims *c, uint32_t *index)
{
    if (!c->syncpts->len) {
        return -ENOSPC;
    }
    *index = g_array_index(c->syncpts, uint32_t, c->syncpts->len - 1);
    g_array_set_size(c->syncpts, c->syncpts->len - 1);
    return 0;
}

static int unit_take(struct claims *c, uint32_t unit)
{
    if (unit >= UNIT_COUNT) {
        return -EINVAL;
    }
    if (c->units >> unit & 1) {
        return -EBUSY;
    }
    c->units |= UINT64_C(1) << unit;
    return 0;
}

G_STATIC_ASSERT(UNIT_COUNT <= 64);

int claims_take(struct claims *c, enum hal_claim what, uint32_t *index)
{
    switch (what) {
    case HAL_CLAIM_CHANNEL:
        return lowest_take(c->channel, c->gpus, index);
    case HAL_CLAIM_CONTEXT:
        return lowest_take(c->context, c->gpus, index);
    case HAL_CLAIM_SYNCPT:
        return syncpt_take(c, index);
    case HAL_CLAIM_CODE:
        *index = ++c->code;
        return 0;
    case HAL_CLAIM_UNIT:
        return unit_take(c, *index);
    }
    return -EINVAL;
}

void claims_give(struct claims *c, enum hal_claim what, uint32_t index)
{
    switch (what) {
    case HAL_CLAIM_CHANNEL:
        c->channel[index] = false;
        break;
    case HAL_CLAIM_CONTEXT:
        c->context[index] = false;
        break;
    case HAL_CLAIM_SYNCPT:
        g_array_append_val(c->syncpts, index);
        break;
    case HAL_CLAIM_CODE: /* never used again */
        break;
    case HAL_CLAIM_UNIT:
        c->units &= ~(UINT64_C(1) << index);
        break;
    }
}
