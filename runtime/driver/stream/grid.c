/* SPDX-License-Identifier: MIT */
#include "runtime/driver/stream/grid.h"
#include "runtime/driver/stream/stream_internal.h"

static uint32_t last;

uint32_t grid_last(void)
{
    return last;
}

void grid_next(void)
{
    last = last == UINT32_MAX ? 1 : last + 1;
}
