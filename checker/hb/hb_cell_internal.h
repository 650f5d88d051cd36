/* SPDX-License-Identifier: MIT */
/* Shared by hb_cell.c (the accesses that a line remembers, and what was computed before) and
 * hb_version.c (which copy of a line holds the newest bytes). */
#ifndef CHECKER_HB_CELL_INTERNAL_H
#define CHECKER_HB_CELL_INTERNAL_H

#include <stddef.h>

#include "checker/hb/hb_cell.h"

/* Of one line; more accesses than that are forgotten, the oldest first (hb_cells_forgot()). */
#define HB_ENTRIES 255u

/**
 * struct hb_state - of one line, never changed
 * @fresh: bit i: the place holds the newest version of byte i (@cpu: only while @cpu_valid)
 * @l2_valid: bytes that the L2 holds; only while @l2_epoch is the cache's
 * @stores: number of entries that are stores; they come first, disjoint; loads follow
 */
struct hb_state {
    uint32_t hash, l2_epoch;
    uint64_t cpu, l2, dram, l2_valid;
    uint8_t cpu_valid, cpu_dirty, stores, entries, zero[4];
};

/* In memory the entries follow. */
static inline struct hb_entry *hb_state_entries(const struct hb_state *s)
{
    return (struct hb_entry *)(s + 1);
}

/* A state while it is worked on: laid out as in memory. */
struct hb_state_edit {
    struct hb_state s;
    struct hb_entry e[HB_ENTRIES];
};
G_STATIC_ASSERT(offsetof(struct hb_state_edit, e) == sizeof(struct hb_state));

struct hb_memo {
    uint32_t from, to, l2_epoch;
    bool track;
    struct hb_step step;
};

struct hb_cells {
    const struct hb_clocks *clocks;
    bool io_coherent, both;
    uint32_t l2_epoch, changes;
    uint64_t forgot;
    GPtrArray *states;
    GHashTable *known; /* struct hb_state -> index + 1 */
    guint crowd;
    struct hb_memo *memo;
    unsigned memo_size, memos; /* a power of two; stored since it has this size */
    /* while states are renamed */
    GPtrArray *old_states;
    uint32_t *names;
};

struct hb_hits {
    struct hb_hit *hit;
    unsigned n;
};

static inline struct hb_hit *hb_hit_add(struct hb_hits *h, enum hb_rule rule, uint64_t mask,
                                        const struct hb_entry *with)
{
    h->n -= h->n == HB_HITS; /* more than are read: the last place is used again */
    h->hit[h->n] = (struct hb_hit){ .rule = rule, .mask = mask, .with = *with };
    return &h->hit[h->n++];
}

static inline bool hb_cell_is_cpu(const struct hb_cells *c, unsigned agent)
{
    return hb_agent(c->clocks, agent)->kind == HB_CPU;
}

/* Of another process: what its caches did with the bytes is not known. */
static inline bool hb_cell_is_foreign(const struct hb_cells *c, const struct hb_entry *e)
{
    return hb_agent(c->clocks, e->agent)->process != 0;
}

/* What @step, which is no access of another process, does to the copies of the line; findings of
 * stale and lost bytes go to @h. */
void hb_version_step(struct hb_cells *c, struct hb_state_edit *w, const struct hb_step *step,
                     struct hb_hits *h);
/* The L2 no longer holds the line. */
void hb_version_l2_leave(struct hb_state *s);

#endif
