/* SPDX-License-Identifier: MIT */
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/board.h"

static uint32_t cost_ns(enum cost cost)
{
    const struct soc_profile *p = board_profile();

    switch (cost) {
    case COST_SUBMIT:
        return p->timing.submit_ns;
    case COST_SYNC:
        return p->timing.sync_ns;
    case COST_SYNC_BLOCK:
        return p->timing.sync_block_ns;
    case COST_COPY_SYNC:
        return p->timing.sync_ns + p->timing.copy_sync_ns;
    case COST_EVENT:
        return p->timing.event_ns;
    case COST_GRAPH_NODE:
        return p->timing.graph_node_ns;
    case COST_ALLOC:
        return p->timing.alloc_ns;
    case COST_MAP:
        return p->timing.map_ns;
    }
    return 0;
}

void cost_pass(enum cost cost, unsigned times)
{
    uint64_t ns = (uint64_t)cost_ns(cost) * times;

    if (ns) {
        hal_time_advance(core_hal(), ns);
    }
}

uint64_t cost_now(void)
{
    hal_time_advance(core_hal(), 0); /* the time of accesses that hooks have counted is in it */
    return hal_time_ns(core_hal());
}

void cost_waited(enum cost cost, uint64_t began, bool sleeps)
{
    cost_pass(cost, 1);
    check_waited(core_check(), cost_now() - began, sleeps);
}
