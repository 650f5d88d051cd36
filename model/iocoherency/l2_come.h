/* SPDX-License-Identifier: MIT */
/* Lines of the L2 come and go: for l2.c, one line at a time, and l2_row.c, many in a row. What is
 * usual has no call in it. */
#ifndef MODEL_IOCOHERENCY_L2_COME_H
#define MODEL_IOCOHERENCY_L2_COME_H

#include "model/iocoherency/l2_fast.h"
#include "model/iocoherency/l2_internal.h"

/* Dirty bytes go to memory: all of the line's, nearly always, and to memory that no CPU cache
 * holds. */
static inline __attribute__((always_inline)) void
line_write_back(struct l2 *l2, struct l2_line *line, enum bus_agent agent)
{
    struct ioc_page *p = line->page;

    if (!mask_any(&line->dirty)) {
        return;
    }
    if (mask_all(&line->dirty) && !p->view) {
        ioc_line_write_back(l2->ioc, p, (unsigned)(line->pa % IOC_PAGE), line_data(line), agent);
        l2->front.totals.written_back_bytes += BUS_LINE;
    } else {
        l2_part_write_back(l2, line, agent);
    }
    if (__builtin_expect(trace_wants(l2->trace, TRACE_CACHE), 0)) {
        l2_write_back_report(l2, line, agent);
    }
    line->dirty = (struct bus_mask){ 0 };
}

/* Where the line was is the caller's matter. */
static inline __attribute__((always_inline)) void line_leave(struct l2 *l2, struct l2_line *line,
                                                             enum bus_agent agent)
{
    struct ioc_page *p = line->page;

    if (__builtin_expect(trace_wants(l2->trace, TRACE_CACHE), 0)) {
        l2_evict_report(l2, line, agent);
    }
    if (p->held && (p->view || p->behind)) { /* DRAM may differ in bytes that are not dirty, too */
        ioc_before_change(l2->ioc, p, (unsigned)(line->pa % IOC_PAGE), BUS_LINE);
    }
    line_write_back(l2, line, agent);
    line_unlog(l2, line);
    l2->front.recent_pa = L2_NO_LINE;
    l2->front.totals.evictions++;
}

static inline struct l2_line *line_start(struct l2 *l2, struct l2_line *line, uint32_t i,
                                         struct ioc_page *p, uint64_t line_pa)
{
    l2->front.found = false;
    line->pa = line_pa;
    line->birth = ++l2->births;
    line->page = p;
    line->valid = line->dirty = (struct bus_mask){ 0 };
    return line_recent(l2, line, i);
}

/* In a set that has been renewed and does not have the line: what was in its place leaves. */
static inline __attribute__((always_inline)) struct l2_line *
line_come(struct l2 *l2, unsigned set, struct ioc_page *p, uint64_t line_pa, enum bus_agent agent)
{
    bool full;
    unsigned way = l2_set_place(&l2->sets, set, &full);
    uint32_t i = l2_line_number(&l2->sets, set, way);
    struct l2_line *line;

    if (full) {
        line = line_at(l2, i);
        line_leave(l2, line, agent);
        l2_set_replace(&l2->sets, set, way, line_pa);
    } else {
        l2_slabs_reach(l2, i);
        line = line_at(l2, i);
        l2_set_put(&l2->sets, set, way, line_pa);
    }
    return line_start(l2, line, i, p, line_pa);
}

#endif
