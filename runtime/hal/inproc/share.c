/* SPDX-License-Identifier: MIT */
#include "runtime/hal/share.h"

#include "runtime/hal/inproc/inproc.h"

void hal_share(const struct hal *hal, struct hal_shared *out)
{
    *out = (struct hal_shared){ { hal->dram_fd, hal->view_fd }, SOC_DRAM_BASE, hal->dram_bytes };
}
