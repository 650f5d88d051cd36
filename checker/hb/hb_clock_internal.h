/* SPDX-License-Identifier: MIT */
/* What the parts of hb_clock.h share. */
#ifndef CHECKER_HB_CLOCK_INTERNAL_H
#define CHECKER_HB_CLOCK_INTERNAL_H

#include "checker/hb/hb_clock.h"

#define PAST 256u /* former clocks of an agent that are kept whole */

/* A lock or flag. @first: the only agent that has used it so far, as often as @releases; @shared:
 * there was another. */
struct object {
    struct hb_vc vc;
    unsigned first, releases;
    bool shared;
};

/* A thread that has ended; @clock: who knows that of it knows all that it did. */
struct over {
    unsigned index;
    uint32_t clock;
};

struct hb_clocks {
    GPtrArray *agents;
    GArray *over;        /* struct over, the oldest first */
    GHashTable *by_name; /* agent_name() -> index + 1 */
    int64_t last_name;   /* looked for; @last_index: 0: none yet */
    unsigned last_index;
    GHashTable *syncpts; /* id -> GArray of struct syncpt_step */
    GHashTable *spaces[HB_SPACES];
    GPtrArray *past; /* by agent: struct past */
    uint64_t submissions, forgot;
    uint32_t cpu_process, cpu_turn; /* the threads of which process act, for the how manieth time */
};

struct past {
    struct hb_vc vc[PAST];
    uint32_t clock[PAST];
    struct hb_moment moment[PAST];
};

static inline int64_t hb_agent_name(uint32_t process, enum hb_agent_kind kind, uint32_t number)
{
    return (int64_t)((uint64_t)kind << 62 | (uint64_t)(process & 0x3fffffff) << 32 | number);
}

/* A new clock: what the agent does from now on is not part of what it has handed over. */
void hb_clock_tick(struct hb_clocks *c, unsigned index);

#endif
