/* SPDX-License-Identifier: MIT */
/* What the CPU's loads, stores and cache maintenance do.
 *
 * The CPU cores are coherent with each other (Arm inner shareable), so one cache stands for all of
 * them. Every rule below is one branch of the table in ARCHITECTURE, "Two images of memory".
 */
#include <string.h>

#include "model/iocoherency/ioc_internal.h"

static void line_drop(struct ioc *c, struct ioc_page *p, unsigned line)
{
    uint64_t bit = UINT64_C(1) << line;

    p->valid &= ~bit;
    p->dirty &= ~bit;
    if (c->lru) {
        ioc_lru_forget(c->lru, p->pa + line * IOC_LINE);
    }
}

/* A write-back of the line is about to replace bytes that an engine has written under it. */
static void overwrite_trace(struct ioc *c, struct ioc_page *p, unsigned line)
{
    unsigned bytes = 0;

    if (!p->twin || !trace_wants(c->trace, TRACE_CACHE)) {
        return;
    }
    for (unsigned i = line * IOC_LINE; i < (line + 1) * IOC_LINE; i++) {
        bytes += p->twin[i] != p->dram[i];
    }
    if (bytes) {
        trace_emit(c->trace, TRACE_EVENT_CPU_OVERWRITE, BUS_AGENT_CPU, p->region->id,
                   p->pa + line * IOC_LINE, bytes, 0, 0);
    }
}

void ioc_cpu_line_evict(struct ioc *c, struct ioc_page *p, unsigned line)
{
    bool dirty = page_line_is(p->dirty, line);

    if (dirty) {
        overwrite_trace(c, p, line);
        page_line_write_back(p, line);
        c->totals.cpu_writebacks++;
    } else {
        page_line_refresh(p, line);
    }
    line_drop(c, p, line);
    page_twin_drop_if_equal(p);
    c->totals.cpu_evictions++;
    trace_emit(c->trace, TRACE_EVENT_CPU_EVICT, BUS_AGENT_CPU, p->region->id,
               p->pa + line * IOC_LINE, dirty, 0, 0);
}

/* A line comes in; where the geometry is full another one must leave first. */
static void line_fill(struct ioc *c, struct ioc_page *p, unsigned line)
{
    uint64_t victim;

    page_line_reload(p, line);
    p->valid |= UINT64_C(1) << line;
    trace_emit(c->trace, TRACE_EVENT_CPU_FILL, BUS_AGENT_CPU, p->region->id, p->pa + line * IOC_LINE,
               0, 0, 0);
    if (c->lru && ioc_lru_touch(c->lru, p->pa + line * IOC_LINE, &victim)) {
        struct ioc_page *vp = ioc_page_find(c, victim);

        if (vp && vp->view) {
            page_settle_line(c, vp, victim % IOC_PAGE / IOC_LINE);
            ioc_cpu_line_evict(c, vp, victim % IOC_PAGE / IOC_LINE);
        }
    }
}

/* Return: true on a hit. */
static bool line_access(struct ioc *c, struct ioc_page *p, unsigned line, bool store)
{
    bool hit;

    page_settle_line(c, p, line);
    hit = page_line_is(p->valid, line);
    if (!hit) {
        line_fill(c, p, line);
        c->totals.cpu_misses++;
    } else {
        c->totals.cpu_hits++;
        if (c->lru) {
            ioc_lru_touch(c->lru, p->pa + line * IOC_LINE, NULL);
        }
        if (trace_wants(c->trace, TRACE_CACHE) && !store && !page_line_is(p->dirty, line) &&
            !view_equal(p, line * IOC_LINE, p->dram + line * IOC_LINE, IOC_LINE)) {
            trace_emit(c->trace, TRACE_EVENT_CPU_STALE, BUS_AGENT_CPU, p->region->id,
                       p->pa + line * IOC_LINE, 0, 0, 0);
        }
    }
    if (store) {
        p->dirty |= UINT64_C(1) << line;
    }
    return hit;
}

void ioc_cpu_sync(struct ioc *c, bool sync)
{
    c->sync = sync;
}

static void cpu_trace(struct ioc *c, struct ioc_page *p, uint64_t pa, uint64_t va, size_t len,
                      enum access_kind access, bool hit)
{
    static const enum trace_event event[] = {
        [ACCESS_LOAD] = TRACE_EVENT_CPU_LOAD,
        [ACCESS_STORE] = TRACE_EVENT_CPU_STORE,
        [ACCESS_ATOMIC] = TRACE_EVENT_CPU_ATOMIC,
    };

    if (trace_wants(c->trace, TRACE_ACCESS)) {
        trace_emit_more(c->trace, event[access], BUS_AGENT_CPU, p->region->id,
                        (const uint64_t[TRACE_ARGS]){ va, len, hit, pa, c->sync });
    }
}

static inline void cpu_count(struct ioc *c, struct ioc_page *p, size_t len, enum access_kind access,
                             unsigned hits, unsigned misses)
{
    struct ioc_count *n = ioc_count(c, p, BUS_AGENT_CPU);

    if (access == ACCESS_LOAD) {
        n->read_bytes += len;
        n->read_sectors++; /* CPU: number of accesses */
        n->read_hits += hits;
        n->read_misses += misses;
    } else {
        n->write_bytes += len;
        n->write_lines++;
        n->write_hits += hits;
        n->write_misses += misses;
        n->atomics += access == ACCESS_ATOMIC;
    }
}

int ioc_cpu_access(struct ioc *c, uint64_t pa, uint64_t va, size_t len, enum access_kind access)
{
    struct ioc_page *p = ioc_page_find(c, pa);
    unsigned first = pa % IOC_PAGE / IOC_LINE;
    unsigned last = (pa % IOC_PAGE + len - 1) / IOC_LINE;
    unsigned misses = 0;

    if (!p) {
        return 0;
    }
    if (!p->view) {
        c->totals.cpu_uncached++;
        cpu_count(c, p, len, access, 0, 0);
        cpu_trace(c, p, pa, va, len, access, false);
        if (access == ACCESS_ATOMIC) { /* CUDA for Tegra 3.2, "GNU Atomic operations on pinned memory" */
            trace_emit(c->trace, TRACE_EVENT_CPU_UNCACHED_ATOMIC, BUS_AGENT_CPU, p->region->id, pa,
                       len, 0, 0);
        }
        return -1;
    }
    for (unsigned line = first; line <= last; line++) {
        misses += !line_access(c, p, line, access != ACCESS_LOAD);
    }
    cpu_count(c, p, len, access, last - first + 1 - misses, misses);
    cpu_trace(c, p, pa, va, len, access, misses == 0);
    return (int)misses;
}

/* --- reported afterwards ----------------------------------------------------------------------------- */

/* A line that the caches did not hold: the view equals DRAM but for what this access stored, so nothing
 * is copied. A load that finds a difference has found an unreported store. Return: true on a hit. */
static bool line_accessed(struct ioc *c, struct ioc_page *p, unsigned line, bool store)
{
    uint64_t bit = UINT64_C(1) << line, pa = p->pa + line * IOC_LINE, victim;
    bool hit = p->valid & bit;

    if (hit) {
        c->totals.cpu_hits++;
        if (p->twin && !store && !(p->dirty & bit) &&
            !view_equal(p, line * IOC_LINE, p->dram + line * IOC_LINE, IOC_LINE)) {
            trace_emit(c->trace, TRACE_EVENT_CPU_STALE, BUS_AGENT_CPU, p->region->id, pa, 0, 0, 0);
        }
    } else {
        c->totals.cpu_misses++;
        if (!store) {
            page_settle_line(c, p, line);
        }
        p->valid |= bit;
        trace_emit(c->trace, TRACE_EVENT_CPU_FILL, BUS_AGENT_CPU, p->region->id, pa, 0, 0, 0);
    }
    p->dirty |= store ? bit : 0;
    if (c->lru && ioc_lru_touch(c->lru, pa, &victim)) {
        struct ioc_page *vp = ioc_page_find(c, victim);

        if (vp && vp->view) {
            ioc_cpu_line_evict(c, vp, victim % IOC_PAGE / IOC_LINE);
        }
    }
    return hit;
}

/* Arm ARM B2.8, mismatched memory attributes: what a store does to a held line, and a load sees of it, is
 * unpredictable; here the store reaches both, so that nothing the program computed is lost. */
static void uncached_accessed(struct ioc *c, struct ioc_page *p, uint64_t pa, uint64_t va, size_t len,
                              enum access_kind access, uint64_t lines)
{
    unsigned off = pa % IOC_PAGE;

    c->totals.cpu_uncached++;
    cpu_count(c, p, len, access, 0, 0);
    cpu_trace(c, p, pa, va, len, access, false);
    if (p->valid & lines) {
        trace_emit(c->trace, TRACE_EVENT_CPU_MISMATCH, BUS_AGENT_CPU, p->region->id, pa, va, len,
                   access != ACCESS_LOAD);
    }
    if (access == ACCESS_ATOMIC) { /* CUDA for Tegra 3.2, "GNU Atomic operations on pinned memory" */
        trace_emit(c->trace, TRACE_EVENT_CPU_UNCACHED_ATOMIC, BUS_AGENT_CPU, p->region->id, pa, len, 0, 0);
    }
    if (access != ACCESS_LOAD && p->view) {
        view_get(p, off, p->dram + off, len);
        if (p->twin) {
            view_get(p, off, p->twin + off, len);
        }
    }
}

bool ioc_cpu_hit(struct ioc *c, uint64_t pa, size_t len, enum access_kind access)
{
    struct ioc_page *p = ioc_page_find(c, pa);
    uint64_t bit = UINT64_C(1) << pa % IOC_PAGE / IOC_LINE;
    struct ioc_count *n;

    if (!p || !(p->valid & bit) || p->twin || !p->region->touched || access == ACCESS_ATOMIC ||
        pa % IOC_LINE + len > IOC_LINE || trace_wants(c->trace, TRACE_ACCESS)) {
        return false;
    }
    n = &p->region->count[BUS_AGENT_CPU];
    if (access == ACCESS_LOAD) {
        n->read_bytes += len;
        n->read_sectors++;
        n->read_hits++;
    } else {
        n->write_bytes += len;
        n->write_lines++;
        n->write_hits++;
        p->dirty |= bit;
    }
    c->totals.cpu_hits++;
    if (c->lru) {
        ioc_lru_hit(c->lru, pa & ~(uint64_t)(IOC_LINE - 1));
    }
    return true;
}

int ioc_cpu_accessed(struct ioc *c, uint64_t pa, uint64_t va, size_t len, enum access_kind access,
                     bool cached)
{
    struct ioc_page *p = ioc_page_find(c, pa);
    unsigned first = pa % IOC_PAGE / IOC_LINE;
    unsigned last = (pa % IOC_PAGE + len - 1) / IOC_LINE;
    unsigned misses = 0;

    if (!p || len == 0) {
        return 0;
    }
    if (!cached || !p->view) {
        uncached_accessed(c, p, pa, va, len, access,
                          (~UINT64_C(0) >> (63 - last)) & (~UINT64_C(0) << first));
        return -1;
    }
    for (unsigned line = first; line <= last; line++) {
        misses += !line_accessed(c, p, line, access != ACCESS_LOAD);
    }
    cpu_count(c, p, len, access, last - first + 1 - misses, misses);
    cpu_trace(c, p, pa, va, len, access, misses == 0);
    return (int)misses;
}

int ioc_cpu_hits(struct ioc *c, uint64_t pa, enum access_kind access, uint64_t n, uint64_t bytes)
{
    struct ioc_page *p = ioc_page_find(c, pa);
    struct ioc_count *count;
    uint64_t hits;

    if (!p || n == 0) {
        return 0;
    }
    hits = p->view ? n : 0;
    c->totals.cpu_hits += hits;
    c->totals.cpu_uncached += n - hits;
    count = ioc_count(c, p, BUS_AGENT_CPU);
    if (access == ACCESS_LOAD) {
        count->read_bytes += bytes;
        count->read_sectors += n;
        count->read_hits += hits;
    } else {
        count->write_bytes += bytes;
        count->write_lines += n;
        count->write_hits += hits;
    }
    return p->view ? 0 : -1;
}

/* A clean line with a twin is rare (an engine wrote under it) and may be stale: each access is compared. */
unsigned ioc_cpu_repeats(struct ioc *c, uint64_t pa, const uint8_t **memory)
{
    struct ioc_page *p = ioc_page_find(c, pa);
    unsigned line = pa % IOC_PAGE / IOC_LINE;

    *memory = NULL;
    if (!p) {
        return 0;
    }
    if (!p->view) {
        return IOC_REPEATS_LOADS | IOC_REPEATS_STORES;
    }
    if (!page_line_is(p->valid, line) ||
        (c->lru && !ioc_lru_is_first(c->lru, p->pa + line * IOC_LINE))) {
        return 0;
    }
    if (page_line_is(p->dirty, line)) {
        return IOC_REPEATS_LOADS | IOC_REPEATS_STORES;
    }
    *memory = p->dram + line * IOC_LINE;
    return p->twin ? 0 : IOC_REPEATS_LOADS;
}

unsigned ioc_cpu_set(const struct ioc *c, uint64_t pa)
{
    return c->lru ? ioc_lru_set_number(c->lru, pa) : (unsigned)(pa / IOC_LINE);
}

/* --- maintenance --------------------------------------------------------------------------------- */

/* Mask of the lines of page @p that [pa, pa + len) touches: maintenance works on whole lines. */
static uint64_t lines_of(const struct ioc_page *p, uint64_t pa, uint64_t len)
{
    uint64_t start = pa > p->pa ? pa - p->pa : 0;
    uint64_t end = MIN(pa + len - p->pa, IOC_PAGE);
    unsigned first = (unsigned)(start / IOC_LINE), last = (unsigned)((end - 1) / IOC_LINE);

    return (~UINT64_C(0) >> (63 - last)) & (~UINT64_C(0) << first);
}

enum maint { MAINT_CLEAN, MAINT_CLEAN_INVALIDATE, MAINT_INVALIDATE };

/* Return: lines written back, or dropped by a plain invalidate. */
static unsigned page_maintain(struct ioc *c, struct ioc_page *p, uint64_t lines, enum maint what,
                              unsigned *lost)
{
    unsigned count = 0;

    page_settle(c, p);
    for (uint64_t todo = lines & p->valid; todo; todo &= todo - 1) {
        unsigned line = (unsigned)__builtin_ctzll(todo);
        bool dirty = page_line_is(p->dirty, line);

        if (what == MAINT_INVALIDATE) {
            *lost += dirty;
            count++;
        } else if (dirty) {
            overwrite_trace(c, p, line);
            page_line_write_back(p, line);
            count++;
            trace_emit(c->trace, TRACE_EVENT_CPU_WRITEBACK, BUS_AGENT_CPU, p->region->id,
                       p->pa + line * IOC_LINE, 0, 0, 0);
        }
        if (what != MAINT_CLEAN) {
            trace_emit(c->trace, TRACE_EVENT_CPU_DROP, BUS_AGENT_CPU, p->region->id,
                       p->pa + line * IOC_LINE, dirty && what == MAINT_INVALIDATE, 0, 0);
            if (!dirty) {
                page_line_refresh(p, line);
            } else if (what == MAINT_INVALIDATE) {
                page_line_reload(p, line);
            }
            line_drop(c, p, line);
        }
    }
    page_twin_drop_if_equal(p);
    return count;
}

static int64_t maintain(struct ioc *c, uint64_t pa, uint64_t len, enum maint what)
{
    static const enum trace_event event[] = {
        [MAINT_CLEAN] = TRACE_EVENT_CPU_CLEAN,
        [MAINT_CLEAN_INVALIDATE] = TRACE_EVENT_CPU_CLEAN_INVALIDATE,
        [MAINT_INVALIDATE] = TRACE_EVENT_CPU_INVALIDATE,
    };
    uint32_t region = 0;
    unsigned lost = 0;
    int64_t count = 0;

    if (len == 0 || pa + len < pa) {
        return 0;
    }
    for (uint64_t at = pa & ~(uint64_t)(IOC_PAGE - 1); at < pa + len; at += IOC_PAGE) {
        struct ioc_page *p = ioc_page_find(c, at);

        if (p && p->view) {
            region = p->region->id;
            count += page_maintain(c, p, lines_of(p, pa, len), what, &lost);
        }
    }
    trace_emit(c->trace, event[what], BUS_AGENT_CPU, region, pa, len, (uint64_t)count, lost);
    return count;
}

int64_t ioc_cpu_clean(struct ioc *c, uint64_t pa, uint64_t len)
{
    return maintain(c, pa, len, MAINT_CLEAN);
}

int64_t ioc_cpu_clean_invalidate(struct ioc *c, uint64_t pa, uint64_t len)
{
    return maintain(c, pa, len, MAINT_CLEAN_INVALIDATE);
}

int64_t ioc_cpu_invalidate(struct ioc *c, uint64_t pa, uint64_t len)
{
    return maintain(c, pa, len, MAINT_INVALIDATE);
}

void ioc_cpu_evict_some(struct ioc *c)
{
    uint64_t number, pa;

    if (c->config.evict != EVICT_SEEDED) {
        return;
    }
    if (c->config.draw) {
        number = c->config.draw(c->config.draw_opaque);
    } else {
        number = ioc_random(c) % 4 == 0 ? ioc_random(c) | 1 : 0;
    }
    if (number && ioc_lru_pick(c->lru, number >> 1, &pa)) {
        struct ioc_page *p = ioc_page_find(c, pa);

        if (p && p->view) {
            page_settle_line(c, p, pa % IOC_PAGE / IOC_LINE);
            ioc_cpu_line_evict(c, p, pa % IOC_PAGE / IOC_LINE);
        }
    }
}
