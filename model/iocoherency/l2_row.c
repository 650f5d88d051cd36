/* SPDX-License-Identifier: MIT */
/* Whole lines in a row, one after the other: as l2_load() and l2_store() of each, with what is
 * equal for all of them done once. */
#include "model/iocoherency/l2_come.h"
#include "model/iocoherency/l2_fast.h"
#include "model/iocoherency/l2_internal.h"

/* Does each line have to go by itself? Without a geometry, and where the CPU follows each store */
static bool row_is_slow(const struct l2 *l2, const struct ioc_page *p)
{
    return l2->never || (l2->config.cpu_snoops && p->view);
}

#define ROW_SETS 24u  /* so many lines ahead: which line will leave; measured, as the next */
#define ROW_CELLS 16u /* and its bytes */

/* Prefetches into the host's caches what the lines behind this one will need, if the row continues
 * as it has so far. A guess, on which nothing depends. Always inline: gcc takes a function that
 * only prefetches for one without effect, and leaves its calls out. */
static inline __attribute__((always_inline)) void row_ahead(const struct l2 *l2, uint64_t line_pa)
{
    const struct l2_sets *s = &l2->sets;
    unsigned far = l2_set_number(s, line_pa + ROW_SETS * BUS_LINE);
    unsigned near = l2_set_number(s, line_pa + ROW_CELLS * BUS_LINE);
    uint32_t i = l2_line_number(s, near, l2_order_last(s->set[near].order, s->ways));

    __builtin_prefetch(s->tag[far]);
    __builtin_prefetch(&s->set[far], 1);
    if (i / SLAB_LINES < l2->n_slabs) {
        struct l2_line *line = line_at(l2, i);

        __builtin_prefetch(line, 1);
        __builtin_prefetch(line_data(line), 1);
        __builtin_prefetch(line_data(line) + L2_HOST_LINE, 1);
    }
}

/* Return: NULL: the line is not in its set, which has been renewed. */
static inline struct l2_line *row_find(struct l2 *l2, uint64_t line_pa, unsigned *set)
{
    struct l2_line *line;
    unsigned way;

    row_ahead(l2, line_pa);
    *set = l2_set_number(&l2->sets, line_pa);
    l2_set_tags(&l2->sets, *set);
    line = set_find(l2, *set, line_pa, &way);
    if (line) {
        l2_order_touch(&l2->sets.set[*set].order, way);
        line_recent(l2, line, l2_line_number(&l2->sets, *set, way));
    }
    return line;
}

void l2_store_row(struct l2 *l2, struct ioc_page *p, unsigned off, const uint8_t *data,
                  unsigned lines, enum bus_agent agent)
{
    static const struct bus_mask whole = { { UINT64_MAX, UINT64_MAX } };
    struct ioc_count *count = ioc_count(l2->ioc, p, agent);
    bool slow = row_is_slow(l2, p);

    for (; lines > 0; lines--, off += BUS_LINE, data += BUS_LINE) {
        struct l2_line *line;
        unsigned set;

        if (slow) {
            l2_store(l2, p, off, data, &whole, agent);
            continue;
        }
        line = row_find(l2, p->pa + off, &set);
        if (line) { /* what is there has valid bytes */
            count->write_hits++;
        } else {
            line = line_come(l2, set, p, p->pa + off, agent);
            count->write_misses++;
        }
        memcpy(line_data(line), data, BUS_LINE);
        line->valid = line->dirty = whole;
        line_log(l2, line);
    }
}

/* Four sectors that are there, or that were read */
static inline void row_count(struct l2 *l2, struct ioc_count *count, bool there)
{
    unsigned hits = there ? BUS_LINE / BUS_SECTOR : 0, misses = BUS_LINE / BUS_SECTOR - hits;

    l2->front.totals.hits += hits;
    l2->front.totals.misses += misses;
    count->read_sectors += BUS_LINE / BUS_SECTOR;
    count->read_hits += hits;
    count->read_misses += misses;
}

static inline void row_fill(struct l2 *l2, struct l2_line *line, enum bus_agent agent)
{
    if (trace_wants(l2->trace, TRACE_CACHE) || !fast_line_fill(l2, line, agent)) {
        l2_sectors_fill(l2, line, BUS_SECTORS_ALL, agent);
    }
}

void l2_load_row(struct l2 *l2, struct ioc_page *p, unsigned off, uint8_t *data, unsigned lines,
                 enum bus_agent agent)
{
    struct ioc_count *count = ioc_count(l2->ioc, p, agent);
    bool slow = row_is_slow(l2, p);

    for (; lines > 0; lines--, off += BUS_LINE, data += BUS_LINE) {
        struct l2_line *line = NULL;
        unsigned set;

        if (!slow) {
            line = row_find(l2, p->pa + off, &set);
        }
        if (slow || (line && !mask_all(&line->valid))) { /* some sectors may be there */
            memcpy(data, l2_load(l2, p, off, BUS_SECTORS_ALL, agent), BUS_LINE);
            continue;
        }
        row_count(l2, count, line != NULL);
        if (!line) {
            line = line_come(l2, set, p, p->pa + off, agent);
            row_fill(l2, line, agent);
        }
        memcpy(data, line_data(line), BUS_LINE);
    }
}
