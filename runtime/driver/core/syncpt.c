/* SPDX-License-Identifier: MIT */
/* Syncpoints of the driver, each taken from the board and given back. */
#include "runtime/driver/core/channel.h"

#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"

uint32_t syncpt_take(void)
{
    uint32_t id;

    return hal_claim(core_hal(), HAL_CLAIM_SYNCPT, &id) ? 0 : id;
}

static GHashTable *shares; /* of syncpoints: uint64_t[2], tokens of hal_export() */

bool syncpt_share(uint32_t id, uint64_t token[2])
{
    const struct hal_pass pass = { .syncpt = id, .rights = HAL_RIGHT_READ, .often = true };
    uint64_t *share;

    shares = shares ? shares : g_hash_table_new_full(NULL, NULL, NULL, g_free);
    share = g_hash_table_lookup(shares, GUINT_TO_POINTER(id));
    if (!share) {
        share = g_new(uint64_t, 2);
        if (hal_export(core_hal(), &pass, share)) {
            g_free(share);
            return false;
        }
        g_hash_table_insert(shares, GUINT_TO_POINTER(id), share);
    }
    memcpy(token, share, 2 * sizeof(*share));
    return true;
}

void syncpt_give(uint32_t id)
{
    const uint64_t *share = shares ? g_hash_table_lookup(shares, GUINT_TO_POINTER(id)) : NULL;

    if (share) {
        hal_unexport(core_hal(), share);
        g_hash_table_remove(shares, GUINT_TO_POINTER(id));
    }
    if (id) {
        hal_release(core_hal(), HAL_CLAIM_SYNCPT, id);
    }
}

/* nvgpu does the same when it aborts a channel (set_min_eq_max). Counted before: a board that is
 * gone never shows the value. */
void syncpt_catch_up(uint32_t id, uint32_t value)
{
    for (int32_t n = id ? (int32_t)(value - syncpt_value(id)) : 0; n > 0; n--) {
        hal_write32(core_hal(), UNIT_HOST1X, HOST1X_SYNCPT_CPU_INCR + id / 32 * 4,
                    UINT32_C(1) << id % 32);
    }
}
