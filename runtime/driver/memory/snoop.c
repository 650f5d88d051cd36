/* SPDX-License-Identifier: MIT */
/* Which engines see the CPU's caches, as NvSci's libraries ask. */
#include "runtime/driver/memory/external_internal.h"

#include <stdlib.h>

#include "include/nvscibuf.h"
#include "model/rules/port.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/planes.h"

static bool port_snoops(unsigned cores, enum bus_agent agent)
{
    return !cores || rules_port_snoops(board_profile(), agent);
}

bool rt_engine_snoops(uint32_t engine)
{
    bool snoops = true;

    if (core_enter_any() == CUDA_SUCCESS) {
        snoops = engine == NvSciBufHwEngName_Vic
                     ? port_snoops(board_profile()->vic.cores, BUS_AGENT_VIC)
                 : engine == NvSciBufHwEngName_DLA
                     ? port_snoops(board_profile()->dla.cores, BUS_AGENT_DLA)
                     : true;
        core_leave(CUDA_SUCCESS);
    }
    return snoops;
}

/* A VI without a camera writes nothing. */
static bool camera_is_past(void)
{
    const char *camera = getenv("VTEGRA_CAMERA");

    return camera && *camera && !port_snoops(board_profile()->vi.cores, BUS_AGENT_VI);
}

bool snoop_any_past(void)
{
    return !rules_port_snoops(board_profile(), BUS_AGENT_IGPU) ||
           !port_snoops(board_profile()->vic.cores, BUS_AGENT_VIC) || camera_is_past();
}

bool rt_port_snoops(void)
{
    bool snoops = false;

    if (core_enter_any() == CUDA_SUCCESS) {
        snoops = rules_port_snoops(board_profile(), BUS_AGENT_IGPU);
        core_leave(CUDA_SUCCESS);
    }
    return snoops;
}

void rt_shared_needs_flush(struct rt_shared *s)
{
    if (core_enter_any() == CUDA_SUCCESS) {
        shared_flush_watch(s);
        if (s->mem.cpu_cached) {
            pending_shared_cached(s, 0, s->mem.size, true);
        }
        core_leave(CUDA_SUCCESS);
    }
}
