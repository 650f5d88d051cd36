/* SPDX-License-Identifier: MIT */
#include "model/rules/port.h"

#include <string.h>

bool rules_port_snoops(const struct soc_profile *p, enum bus_agent agent)
{
    if (!p->soc.io_coherent) {
        return false;
    }
    switch (agent) {
#define ENGINE(NAME, name, words, instances, queues, doorbell, cores, window, smmu, stream_id, \
               coherent)                                                                       \
    case BUS_AGENT_##NAME:                                                                     \
        return coherent;
#include "model/engines.h"
    default:
        return true;
    }
}

bool rules_driver_keeps_cpu_caches(const struct soc_profile *p)
{
    return !rules_port_snoops(p, BUS_AGENT_IGPU);
}

bool rules_driver_keeps_l2(const struct soc_profile *p)
{
    return !p->rules.cpu_snoops_l2;
}
