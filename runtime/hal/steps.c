/* SPDX-License-Identifier: MIT */
/* Calls of hal.h that are several others in a row, where a call costs no request. */
#include "model/regs/regs.h"
#include "runtime/hal.h"

static uint32_t syncpt_read(struct hal *hal, uint32_t syncpt)
{
    return hal_read32(hal, UNIT_HOST1X, HOST1X_SYNCPT + syncpt * 4);
}

int hal_look_wait(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps)
{
    return (int32_t)(syncpt_read(hal, syncpt) - threshold) >= 0
               ? 0
               : hal_wait(hal, syncpt, threshold, timeout_steps);
}

uint64_t hal_signal(struct hal *hal, uint32_t syncpt, struct hal_signal_slot *slot,
                    uint64_t payload, uint32_t start, bool sole)
{
    (void)sole;
    payload += syncpt_read(hal, syncpt) - (start + (uint32_t)payload) + 1;
    *slot = (struct hal_signal_slot){ payload, hal_time_ns(hal) };
    hal_write32(hal, UNIT_HOST1X, HOST1X_SYNCPT_CPU_INCR + syncpt / 32 * 4,
                UINT32_C(1) << syncpt % 32);
    return payload;
}

/* Each call has made its records when it returns. */
void hal_settle(struct hal *hal)
{
    (void)hal;
}
