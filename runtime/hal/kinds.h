/* SPDX-License-Identifier: MIT */
/* Which row of Table 1 an allocation is: for the boards, which map it for the CPU, and the driver,
 * which maps it for the iGPU. Not in hal.h, whose readers need no rule. */
#ifndef RUNTIME_HAL_KINDS_H
#define RUNTIME_HAL_KINDS_H

#include "model/rules/kinds.h"
#include "runtime/hal.h"

static inline enum rules_kind hal_rules_kind(enum hal_mem_kind kind, bool registered)
{
    static const enum rules_kind row[] = {
        [HAL_MEM_DEVICE] = RULES_DEVICE,   [HAL_MEM_PINNED] = RULES_PINNED,
        [HAL_MEM_MANAGED] = RULES_MANAGED, [HAL_MEM_KERNEL] = RULES_KERNEL,
        [HAL_MEM_SHARED] = RULES_INTEROP,  [HAL_MEM_SHARED_UNCACHED] = RULES_INTEROP_UNCACHED,
        [HAL_MEM_VIDMEM] = RULES_DEVICE,
    };

    return registered ? RULES_REGISTERED : row[kind];
}

static inline enum rules_caching hal_caching(const struct soc_profile *p, enum hal_mem_kind kind,
                                             bool registered, enum rules_side side)
{
    struct rules_facts facts = rules_facts_of(p);

    return rules_caching(&facts, hal_rules_kind(kind, registered), side);
}

/* The same for the machine's GPU. */
static inline enum rules_caching hal_gpu_caching(const struct soc_profile *p,
                                                 enum hal_mem_kind kind, bool registered)
{
    struct rules_facts facts = rules_facts_of(p);

    return rules_caching(&facts, hal_rules_kind(kind, registered), rules_gpu_side(&facts));
}

/* Does an allocation lie in a discrete GPU's own memory? */
static inline bool hal_in_vidmem(const struct soc_profile *p, enum hal_mem_kind kind)
{
    return kind == HAL_MEM_VIDMEM || (kind == HAL_MEM_DEVICE && soc_profile_discrete(p));
}

#endif
