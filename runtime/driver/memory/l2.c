/* SPDX-License-Identifier: MIT */
/* Maintenance of the GPUs' L2: whole-cache operations, and whether the driver has to do any. Needs
 * no other file of the driver but where HAL and profile are. */
#include "model/rules/port.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/region_internal.h"

bool coherency_l2_needs_help(void)
{
    return rules_driver_keeps_l2(board_profile());
}

static void register_operation(const struct device *d, uint32_t offset)
{
    hal_write32(core_hal(), device_gpu(d), offset, 1); /* PENDING */
    while (hal_read32(core_hal(), device_gpu(d), offset) &
           (FIELD_MASK(IGPU_FLUSH_L2_FLUSH_DIRTY_PENDING) |
            FIELD_MASK(IGPU_FLUSH_L2_FLUSH_DIRTY_OUTSTANDING))) {
    }
}

void coherency_l2_clean(void)
{
    for (unsigned i = 0; i < device_count(); i++) {
        register_operation(device_nth(i), IGPU_FLUSH_L2_FLUSH_DIRTY);
    }
}

void coherency_l2_clean_invalidate(void)
{
    coherency_l2_clean();
    for (unsigned i = 0; i < device_count(); i++) {
        register_operation(device_nth(i), IGPU_FLUSH_L2_SYSTEM_INVALIDATE);
    }
}
