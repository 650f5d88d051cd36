/* SPDX-License-Identifier: MIT */
/* Versions of the bytes of a line: which of the CPU's cache, the L2 and DRAM holds the newest,
 * which access reads older ones, which write-back overwrites newer ones. */
#include "checker/hb/hb_cell_internal.h"

/* What a read at the port returns. */
static uint64_t hb_version_at_port(const struct hb_cells *c, const struct hb_state *s)
{
    return c->io_coherent && s->cpu_valid && s->cpu_dirty ? s->cpu : s->dram;
}

void hb_version_l2_leave(struct hb_state *s)
{
    s->l2 = s->l2_valid = 0;
    s->l2_epoch = 0;
}

static enum hb_rule hb_version_stale_rule(const struct hb_state *s, enum hb_place reader,
                                          uint64_t byte)
{
    bool cpu = s->cpu_valid && (s->cpu & byte), l2 = s->l2 & byte, dram = s->dram & byte;

    if (!cpu && !l2 && !dram) {
        return HB_STALE_LOST;
    }
    if (dram) {
        return reader == HB_CPU_CACHE ? HB_STALE_INVALIDATE_CPU : HB_STALE_INVALIDATE_L2;
    }
    return l2 ? HB_STALE_CLEAN_L2 : HB_STALE_CLEAN_CPU;
}

/* The reader's place holds an older version of these bytes than their last store made. Where that
 * store is not ordered before the read it is a race, and reported as one. */
static void hb_version_stale_find(const struct hb_cells *c, const struct hb_state *s,
                                  const struct hb_entry *e, const struct hb_step *step,
                                  struct hb_hits *h)
{
    uint64_t have = step->place == HB_CPU_CACHE ? (s->cpu_valid ? s->cpu : s->dram)
                    : step->place == HB_L2      ? s->l2 | ~s->l2_valid
                    : step->place == HB_DRAM    ? s->dram
                                                : hb_version_at_port(c, s);
    uint64_t stale = step->e.mask & ~have;

    if (hb_cell_is_cpu(c, step->e.agent) && step->place == HB_MEMORY) {
        stale = step->e.mask & ~s->dram;
    }
    for (unsigned i = 0; i < s->stores && stale; i++) {
        uint64_t mask = hb_cell_is_foreign(c, &e[i]) ? 0 : stale & e[i].mask;

        if (mask && hb_ordered(c->clocks, step->e.agent, e[i].agent, e[i].clock)) {
            enum hb_rule rule = hb_version_stale_rule(s, step->place, mask & -mask);

            if (rule == HB_STALE_CLEAN_CPU && c->io_coherent && step->place != HB_DRAM) {
                rule = HB_STALE_INVALIDATE_L2; /* the port would have found it */
            }
            hb_hit_add(h, rule, mask, &e[i]);
        }
    }
}

/* The last store of this side in the line: the one whose write-back it was. */
static const struct hb_entry *hb_version_store_of(const struct hb_cells *c,
                                                  const struct hb_state *s,
                                                  const struct hb_entry *e, bool cpu)
{
    for (unsigned i = s->stores; i > 0; i--) {
        if (hb_cell_is_cpu(c, e[i - 1].agent) == cpu) {
            return &e[i - 1];
        }
    }
    return NULL;
}

/* Newest bytes are overwritten by older ones: report it once, then count them as saved. */
static void hb_version_lost_find(const struct hb_cells *c, struct hb_state *s,
                                 const struct hb_entry *e, enum hb_rule rule, uint64_t lost,
                                 struct hb_hits *h)
{
    const struct hb_entry *by = lost ? hb_version_store_of(c, s, e, rule == HB_LOST_CPU) : NULL;

    for (unsigned i = 0; i < s->stores; i++) {
        if ((lost & e[i].mask) && !hb_cell_is_foreign(c, &e[i])) {
            struct hb_hit *hit = hb_hit_add(h, rule, lost & e[i].mask, &e[i]);

            hit->has_by = by != NULL;
            hit->by = by ? *by : hit->by;
        }
    }
    s->dram |= lost;
}

static void hb_version_cpu_to_dram(const struct hb_cells *c, struct hb_state *s,
                                   const struct hb_entry *e, struct hb_hits *h)
{
    uint64_t lost = s->dram & ~s->cpu;

    s->dram = s->cpu;
    s->cpu_dirty = 0;
    hb_version_lost_find(c, s, e, HB_LOST_CPU, lost, h);
}

static void hb_version_store(const struct hb_cells *c, struct hb_state *s, enum hb_place place,
                             uint64_t mask)
{
    s->cpu &= ~mask;
    s->l2 &= ~mask;
    s->dram &= ~mask;
    switch (place) {
    case HB_CPU_CACHE:
        s->cpu |= mask;
        s->cpu_valid = s->cpu_dirty = 1;
        break;
    case HB_L2:
        s->l2 |= mask;
        s->l2_valid |= mask;
        s->l2_epoch = c->l2_epoch;
        break;
    default:
        s->dram |= mask;
        break;
    }
}

void hb_version_step(struct hb_cells *c, struct hb_state_edit *w, const struct hb_step *step,
                     struct hb_hits *h)
{
    struct hb_state *s = &w->s;
    uint64_t mask = step->e.mask;

    switch (step->kind) {
    case HB_STEP_ACCESS:
        if (step->e.access != HB_WRITE && step->place != HB_ELSEWHERE) {
            hb_version_stale_find(c, s, w->e, step, h);
        }
        if (step->e.access != HB_READ) {
            hb_version_store(c, s, step->place, mask);
        }
        break;
    case HB_STEP_CPU_FILL:
        s->cpu_valid = 1;
        s->cpu_dirty = 0;
        s->cpu = s->dram;
        break;
    case HB_STEP_CPU_WRITEBACK:
    case HB_STEP_CPU_LEAVE:
        if (s->cpu_valid && (step->kind == HB_STEP_CPU_WRITEBACK || step->e.access == HB_WRITE)) {
            hb_version_cpu_to_dram(c, s, w->e, h);
        } else if (s->cpu_valid && step->kind == HB_STEP_CPU_LEAVE) {
            s->dram |=
                s->cpu & ~s->dram & ~s->l2; /* thrown away: rule lost-bytes has reported it */
        }
        if (step->kind == HB_STEP_CPU_LEAVE) {
            s->cpu = s->cpu_valid = s->cpu_dirty = 0;
        }
        break;
    case HB_STEP_CPU_FOUND:
        if (!s->cpu_valid) {
            s->cpu = s->dram;
        }
        hb_version_store(c, s, HB_CPU_CACHE, mask);
        break;
    case HB_STEP_L2_FILL:
        s->l2 |= hb_version_at_port(c, s) & mask & ~s->l2_valid;
        s->l2_valid |= mask;
        s->l2_epoch = c->l2_epoch;
        break;
    case HB_STEP_L2_WRITEBACK: {
        uint64_t lost = mask & s->dram & ~s->l2;

        s->dram = (s->dram & ~mask) | (s->l2 & mask);
        hb_version_lost_find(c, s, w->e, HB_LOST_L2, lost, h);
        break;
    }
    case HB_STEP_L2_LEAVE:
        hb_version_l2_leave(s);
        break;
    }
}
