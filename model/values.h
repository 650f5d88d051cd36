/* SPDX-License-Identifier: MIT */
/* Plain numbers that every part of vtegra names alike: units, bus agents, orders, kinds of access.
 */
#ifndef MODEL_VALUES_H
#define MODEL_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* When lines leave a cache on their own. */
enum evict {
    EVICT_NEVER,  /* a line stays until maintenance: shows the most stale data */
    EVICT_LRU,    /* the profile's sets and ways */
    EVICT_SEEDED, /* as LRU, and lines leave when the seed says so */
};

/* Which one goes next of those that can: channels of the iGPU, queues of the other engines. */
enum order {
    ORDER_OLDEST, /* the one whose doorbell rang first */
    ORDER_NEWEST, /* last: shows a missing order between streams */
    ORDER_SEEDED,
};

/* ACCESS_SYNC: or-ed to a load or store that is atomic or volatile in the program. */
enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_SYNC = 4 };

enum cache_kind { CACHE_CPU, CACHE_L2 };

/* What has a register window: by these numbers it is found in the SoC, behind the HAL and in QEMU.
 */
enum unit_id {
#define UNIT(NAME) UNIT_##NAME,
#define ENGINE(NAME, name, words, instances, ...) \
    UNIT_##NAME, UNIT_##NAME##_LAST = UNIT_##NAME + (instances) - 1,
#include "model/engines.h"
    UNIT_COUNT
};

/* Who makes an access: the columns of the report. */
enum bus_agent {
#define AGENT(NAME, name, words) BUS_AGENT_##NAME,
#define ENGINE(NAME, ...) BUS_AGENT_##NAME,
#include "model/engines.h"
    BUS_AGENT_DRIVER, /* kernel driver on the CPU: page tables, staging */
    BUS_AGENT_COUNT
};

/* What work waits for while others have it. ENGINE: of the record's agent. */
enum queue_resource { QUEUE_SMS, QUEUE_CE, QUEUE_DRAM, QUEUE_ENGINE };

/* Task queues of all engines in one row, instance after instance: what records have as their
 * channel (plus one) and what the seeded order chooses among. Channels of the iGPU are the numbers
 * below. */
enum {
    QUEUE_BEFORE_FIRST = 0xffff,
#define ENGINE(NAME, name, words, instances, queues, ...) \
    QUEUE_##NAME, QUEUE_##NAME##_LAST = QUEUE_##NAME + (instances) * (queues) - 1,
#include "model/engines.h"
    QUEUE_END,
    QUEUE_FIRST = QUEUE_BEFORE_FIRST + 1
};

/* PTX memory scopes (PTX ISA 8.5); a plain access is BUS_SCOPE_NONE (weak). */
enum bus_scope {
    BUS_SCOPE_NONE,
    BUS_SCOPE_CTA,
    BUS_SCOPE_GPU,
    BUS_SCOPE_SYS,
};

/* How a load or an atomic is done: its scope, and what its instruction says of the L1 (PTX ISA,
 * cache operators; 8.8, acquire patterns). */
enum bus_how {
    BUS_HOW_SCOPE = 15, /* enum bus_scope of it */
    BUS_HOW_CA = 16,    /* a load that asks for the L1: ld.ca, ld.nc */
    BUS_HOW_PAST = 32,  /* a load past the L1: ld.cg, ld.cv, what the SM does by itself */
    BUS_HOW_ACQUIRE =
        64, /* acquire at the scope of the iGPU or of the system: the L1 is empty behind it */
    BUS_HOWS = 128
};

/* Races between threads of one grid: what an access is, and which threads the two are of */
enum grid_race_kind { GRID_RACE_LOAD, GRID_RACE_STORE, GRID_RACE_ATOMIC, GRID_RACE_ASYNC };
enum grid_race_relation { GRID_RACE_WARP, GRID_RACE_BLOCK, GRID_RACE_GRID, GRID_RACE_CLUSTER };
/* In the place of an enum bus_scope: of the cluster */
enum { GRID_RACE_SCOPE_CLUSTER = BUS_SCOPE_SYS + 1 };
/* What would have ordered the two accesses, or made them strong */
enum grid_race_missing {
    GRID_RACE_MISSING_UNKNOWN,
    GRID_RACE_MISSING_BARRIER,      /* a barrier of the block, or the cluster, between the two */
    GRID_RACE_MISSING_WARP_BARRIER, /* bar.warp.sync between the two */
    GRID_RACE_MISSING_FENCE,  /* they are ordered once each strong access acquires and releases */
    GRID_RACE_MISSING_SCOPE,  /* both are strong, and the scope of one leaves the other's thread out
                               */
    GRID_RACE_MISSING_WAIT,   /* the issuer of an asynchronous copy has not waited for it */
    GRID_RACE_MISSING_ATOMIC, /* one is strong, the other is not */
    GRID_RACE_MISSING_ACQUIRE, /* as FENCE, and the earlier thread has released: the later one has
                                  observed it */
    /* The earlier one is no access, but the begin or the end of the block whose shared memory it
       is: nothing orders the two */
    GRID_RACE_MISSING_BEGIN,
    GRID_RACE_MISSING_END,
};

/* In the last argument of KERNEL_RACE: enum grid_race_kind of the later access, and from these bits
 * on */
enum {
    KERNEL_RACE_SCOPE = 4, /* enum bus_scope of it */
    KERNEL_RACE_OTHER = 8, /* the same of the earlier one */
    KERNEL_RACE_RELATION = 16,
    KERNEL_RACE_MISSING = 20,
    KERNEL_RACE_SHARED = 24,
    KERNEL_RACE_SAME_VALUE = 25,
    KERNEL_RACE_LOOP = 26,  /* a barrier orders the two in one turn of a loop, and none this turn's
                               and the next one's */
    KERNEL_RACE_OWNER = 27, /* 0, or of whose shared memory: the rank in the cluster plus 1, where
                               one of the two is of another block */
    KERNEL_RACE_BYTES = 32
};

enum { ENGINE_QUEUES_MAX = 64 }; /* of one instance; model/soc asserts it for each row */

/* All instances of all engines. */
enum {
    ENGINES_MAX = 0
#define ENGINE(NAME, name, words, instances, ...) +(instances)
#include "model/engines.h"
};

/* Has channels: registers of model/regs/igpu.def. */
static inline bool unit_is_gpu(enum unit_id unit)
{
    return unit == UNIT_IGPU || unit == UNIT_DGPU;
}

/* Parts of a GPU, the integrated one or a discrete one beside it. */
static inline bool agent_is_gpu(uint32_t agent) /* its SMs */
{
    return agent == BUS_AGENT_IGPU || agent == BUS_AGENT_DGPU;
}

static inline bool agent_is_copy_engine(uint32_t agent)
{
    return agent == BUS_AGENT_CE || agent == BUS_AGENT_DCE;
}

static inline bool agent_is_front_end(uint32_t agent)
{
    return agent == BUS_AGENT_HOST || agent == BUS_AGENT_DHOST;
}

static inline bool agent_is_of_dgpu(uint32_t agent)
{
    return agent == BUS_AGENT_DGPU || agent == BUS_AGENT_DCE || agent == BUS_AGENT_DHOST;
}

/* The number of an engine among all instances of all engines. Return: -1 if the unit is none. */
static inline int unit_engine(enum unit_id unit)
{
    int before = 0;

#define ENGINE(NAME, ...)                                    \
    if (unit >= UNIT_##NAME && unit <= UNIT_##NAME##_LAST) { \
        return before + (int)(unit - UNIT_##NAME);           \
    }                                                        \
    before += UNIT_##NAME##_LAST - UNIT_##NAME + 1;
#include "model/engines.h"
    return -1;
}

/* Offset of the register of an engine whose write gives it work. */
static inline uint32_t unit_doorbell(enum unit_id unit)
{
#define ENGINE(NAME, name, words, instances, queues, doorbell, ...) \
    if (unit >= UNIT_##NAME && unit <= UNIT_##NAME##_LAST) {        \
        return doorbell;                                            \
    }
#include "model/engines.h"
    return UINT32_MAX;
}

#endif
