/* SPDX-License-Identifier: MIT */
/* Fast ways of the L2, for l2.c alone. Each has the same results, counts and records as the rule
 * there; a sentence says what must hold for it to be taken. One more is in l2_line.h: a load of a
 * line whose place the caller remembers.
 */
#ifndef MODEL_IOCOHERENCY_L2_FAST_H
#define MODEL_IOCOHERENCY_L2_FAST_H

#include "model/iocoherency/l2_internal.h"

/* Instead of a search. Taken if the line is the one found last: it is the youngest of its set
 * already, and whatever drops or replaces a line sets recent_pa to L2_NO_LINE. */
static inline bool fast_recent(const struct l2 *l2, uint64_t line_pa)
{
    return l2->front.recent_pa == line_pa;
}

/* Instead of a search that finds nothing. Taken if the set was renewed since the last invalidate
 * and none of its tags is the line's: equal tags may be another line's, which the search finds out.
 */
static inline bool fast_absent(const struct l2 *l2, uint64_t line_pa, unsigned *set)
{
    if (l2->never || fast_recent(l2, line_pa)) {
        return false;
    }
    *set = l2_set_number(&l2->sets, line_pa);
    return l2_set_is_known(&l2->sets, *set) && !l2_tags_equal(l2->sets.tag[*set], l2_tag(line_pa));
}

/* Instead of four fills of a sector. Taken if no byte of the line is valid, so that none must stay,
 * and no line of the CPU's caches answers instead of DRAM: such a line is asked once for each
 * sector. Return: false: sector by sector. */
static inline __attribute__((always_inline)) bool
fast_line_fill(struct l2 *l2, struct l2_line *line, enum bus_agent agent)
{
    if (mask_any(&line->valid) ||
        !ioc_port_read_line(l2->ioc, line->page, (unsigned)(line->pa % IOC_PAGE), line_data(line),
                            agent)) {
        return false;
    }
    line->valid = (struct bus_mask){ { UINT64_MAX, UINT64_MAX } };
    return true;
}

/* Instead of a record of each fill, eviction and write-back. Taken if the observer counts the
 * region's lines and follows none of them. Return: NULL: send the record. */
static inline struct trace_counts *fast_counts(struct l2 *l2, struct ioc_region *r)
{
    struct trace_counts *counts =
        trace_spare_counts(l2->trace, r->id, &r->counts_asked, &r->counts);

    if (!counts || counts->followed) {
        return NULL;
    }
    trace_spared(l2->trace);
    return counts;
}

/* Beside a miss: what a later one will need comes into the host's caches meanwhile. Taken if the
 * last two misses of the region were as far apart as this one from the last; a guess, on which
 * nothing depends. Four ahead: measured, against two and eight. */
#define MISSES_AHEAD 4

static __attribute__((noinline, unused)) void
fast_miss_ahead(struct l2 *l2, const struct ioc_page *p, uint64_t line_pa)
{
    struct l2_ahead *a = &l2->ahead[p->region->id % AHEAD];
    uint64_t step = line_pa - a->pa, next = line_pa + MISSES_AHEAD * step;

    if (step == a->step) {
        unsigned set = l2_set_number(&l2->sets, next);
        uint32_t i =
            l2_line_number(&l2->sets, set, l2_order_last(l2->sets.set[set].order, l2->sets.ways));
        const struct ioc_page *page = p + MISSES_AHEAD * (int64_t)step / IOC_PAGE;
        const uint8_t *from = p->dram + (line_pa - p->pa) + MISSES_AHEAD * step;

        __builtin_prefetch(from);
        __builtin_prefetch(from + BUS_LINE / 2);
        __builtin_prefetch(page);
        if (i / SLAB_LINES < l2->n_slabs) {
            struct l2_line *line = line_at(l2, i);

            __builtin_prefetch(line, 1);
            __builtin_prefetch(line_data(line), 1);
            __builtin_prefetch(line_data(line) + BUS_LINE / 2, 1);
        }
    }
    *a = (struct l2_ahead){ line_pa, step };
}

#endif
