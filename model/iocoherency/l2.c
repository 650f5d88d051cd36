/* SPDX-License-Identifier: MIT */
/* The rule of the L2. l2_fast.h has its fast ways, and when each is taken; l2_set.c where a line
 * is; l2_come.h how lines come and go.
 *
 * Load: find the line, or put one in place of its set's oldest, whose dirty bytes go to memory. A
 * wanted sector with bytes missing is read through the port; bytes that are there stay, however
 * old.
 *
 * Store: find the line likewise; set bytes and mark them valid and dirty. Nothing is read.
 *
 * Clean: dirty bytes go to memory, in the order in which lines became dirty. Invalidate loses them.
 */
#include "model/iocoherency/l2.h"

#include <string.h>

#include "model/iocoherency/l2_come.h"
#include "model/iocoherency/l2_fast.h"
#include "model/iocoherency/l2_internal.h"

#define SECTOR_MASK UINT64_C(0xffffffff)

struct l2 *l2_new(const struct l2_config *config, struct ioc *c, struct trace *trace)
{
    struct l2 *l2 = g_new0(struct l2, 1);

    l2->config = *config;
    l2->ioc = c;
    l2->trace = trace;
    l2->never = config->evict == EVICT_NEVER;
    if (l2->never) {
        l2_map_init(&l2->map);
    } else {
        l2_sets_init(&l2->sets, config->bytes, config->ways);
    }
    l2->front.recent_pa = L2_NO_LINE;
    l2->front.cpu_snoops = config->cpu_snoops;
    l2->random = config->seed ^ UINT64_C(0x6c32);
    return l2;
}

void l2_free(struct l2 *l2)
{
    if (!l2) {
        return;
    }
    for (uint32_t i = 0; i < l2->n_slabs; i++) {
        g_free(l2->slab[i].memory);
    }
    g_free(l2->slab);
    l2_map_free(&l2->map);
    l2_sets_free(&l2->sets);
    l2_log_free(&l2->log);
    g_free(l2);
}

/* --- records and parts of lines that come and go; the whole: l2_come.h --- */

void l2_evict_report(struct l2 *l2, const struct l2_line *line, enum bus_agent agent)
{
    struct trace_counts *counts = fast_counts(l2, line->page->region);

    if (counts) {
        counts->evicts++;
    } else {
        trace_emit(l2->trace, TRACE_EVENT_L2_EVICT, agent, line->page->region->id, line->pa,
                   bus_mask_count(&line->dirty), 0, 0);
    }
}

void l2_write_back_report(struct l2 *l2, const struct l2_line *line, enum bus_agent agent)
{
    if (!fast_counts(l2, line->page->region)) {
        trace_emit(l2->trace, TRACE_EVENT_L2_WRITEBACK, agent, line->page->region->id, line->pa,
                   line->dirty.word[0], line->dirty.word[1], 0);
    }
}

void l2_fill_report(struct l2 *l2, const struct l2_line *line, unsigned sectors,
                    enum bus_agent agent)
{
    struct trace_counts *counts = fast_counts(l2, line->page->region);

    if (counts) {
        counts->fills++;
    } else {
        trace_emit(l2->trace, TRACE_EVENT_L2_FILL, agent, line->page->region->id, line->pa, sectors,
                   0, 0);
    }
}

void l2_part_write_back(struct l2 *l2, const struct l2_line *line, enum bus_agent agent)
{
    bool all = mask_all(&line->dirty);

    ioc_port_write_back(l2->ioc, line->page, (unsigned)(line->pa % IOC_PAGE), l2_line_bytes(line),
                        all ? NULL : &line->dirty, agent);
    l2->front.totals.written_back_bytes += all ? BUS_LINE : bus_mask_count(&line->dirty);
}

/* Return: NULL: it is not there, but *@set may have it: set_miss(). */
static inline __attribute__((always_inline)) struct l2_line *
set_hit(struct l2 *l2, uint64_t line_pa, unsigned *set)
{
    struct l2_line *line;
    unsigned way;

    *set = l2_set_number(&l2->sets, line_pa);
    l2_set_tags(&l2->sets, *set);
    line = set_find(l2, *set, line_pa, &way);
    if (!line) {
        return NULL;
    }
    l2_order_touch(&l2->sets.set[*set].order, way);
    return line_recent(l2, line, l2_line_number(&l2->sets, *set, way));
}

/* As line_come(), with what later misses will need. */
static inline __attribute__((always_inline)) struct l2_line *
set_take(struct l2 *l2, unsigned set, struct ioc_page *p, uint64_t line_pa, enum bus_agent agent)
{
    fast_miss_ahead(l2, p, line_pa);
    return line_come(l2, set, p, line_pa, agent);
}

static __attribute__((noinline)) struct l2_line *
set_miss(struct l2 *l2, unsigned set, struct ioc_page *p, uint64_t line_pa, enum bus_agent agent)
{
    return set_take(l2, set, p, line_pa, agent);
}

static __attribute__((noinline)) struct l2_line *map_get(struct l2 *l2, struct ioc_page *p,
                                                         uint64_t line_pa)
{
    uint32_t i;

    if (l2_map_find(&l2->map, line_pa, &i)) {
        return line_recent(l2, line_at(l2, i), i);
    }
    i = l2_map_put(&l2->map, line_pa);
    l2_slabs_reach(l2, i);
    return line_start(l2, line_at(l2, i), i, p, line_pa);
}

static inline uint64_t access_pa(struct l2 *l2, const struct ioc_page *p, unsigned off)
{
    l2->front.found = true;
    return p->pa + (off & ~(BUS_LINE - 1));
}

/* For an access: from here on it is the line found last. */
static inline __attribute__((always_inline)) struct l2_line *
line_get(struct l2 *l2, struct ioc_page *p, unsigned off, enum bus_agent agent)
{
    uint64_t line_pa = access_pa(l2, p, off);
    struct l2_line *line;
    unsigned set;

    if (fast_recent(l2, line_pa)) {
        return line_at(l2, l2->front.recent);
    }
    if (l2->never) {
        return map_get(l2, p, line_pa);
    }
    line = set_hit(l2, line_pa, &set);
    return line ? line : set_miss(l2, set, p, line_pa, agent);
}

static void line_drop(struct l2 *l2, uint32_t i)
{
    struct l2_line *line = line_at(l2, i);

    if (l2->never) {
        l2_map_drop(&l2->map, line->pa);
    } else {
        l2_set_drop(&l2->sets, i);
    }
    line->pa = L2_NO_LINE;
    line->birth = 0;
    l2->front.recent_pa = L2_NO_LINE;
}

/* --- access --- */

static inline uint32_t sector_of(const struct bus_mask *m, unsigned s)
{
    return (uint32_t)(m->word[s / 2] >> (s % 2 * 32));
}

/* Bytes that are already there stay: they may be dirty, and they may be old. */
static void sector_fill(struct l2 *l2, struct l2_line *line, unsigned s, enum bus_agent agent)
{
    uint32_t have = sector_of(&line->valid, s);
    uint8_t bytes[BUS_SECTOR], *to = line_data(line) + s * BUS_SECTOR;

    ioc_port_read(l2->ioc, line->page, (unsigned)(line->pa % IOC_PAGE) + s * BUS_SECTOR, bytes,
                  BUS_SECTOR, agent);
    for (unsigned b = 0; b < BUS_SECTOR; b++) {
        to[b] = have >> b & 1 ? to[b] : bytes[b];
    }
    line->valid.word[s / 2] |= SECTOR_MASK << (s % 2 * 32);
}

/* Return: the sectors that were missing */
unsigned l2_sectors_fill(struct l2 *l2, struct l2_line *line, unsigned sectors,
                         enum bus_agent agent)
{
    unsigned missing = 0;

    if (sectors == BUS_SECTORS_ALL && fast_line_fill(l2, line, agent)) {
        missing = BUS_SECTORS_ALL;
    } else {
        for (unsigned s = 0; s < BUS_LINE / BUS_SECTOR; s++) {
            if (sectors >> s & 1 && sector_of(&line->valid, s) != UINT32_MAX) {
                sector_fill(l2, line, s, agent);
                missing |= 1u << s;
            }
        }
    }
    if (missing && trace_wants(l2->trace, TRACE_CACHE)) {
        l2_fill_report(l2, line, missing, agent);
    }
    return missing;
}

/* The same; the usual way has one call in it. */
static inline __attribute__((always_inline)) unsigned
sectors_get(struct l2 *l2, struct l2_line *line, unsigned sectors, enum bus_agent agent)
{
    bool all = sectors == BUS_SECTORS_ALL && !trace_wants(l2->trace, TRACE_CACHE);

    return all && fast_line_fill(l2, line, agent) ? BUS_SECTORS_ALL
                                                  : l2_sectors_fill(l2, line, sectors, agent);
}

/* Thor: a store by the CPU has reached the L2's copy as well. */
static void line_follow_cpu(struct l2 *l2, struct l2_line *line, enum bus_agent agent)
{
    ioc_port_read(l2->ioc, line->page, (unsigned)(line->pa % IOC_PAGE), line_data(line), BUS_LINE,
                  agent);
    line->valid = (struct bus_mask){ { UINT64_MAX, UINT64_MAX } };
}

static inline __attribute__((always_inline)) void line_load(struct l2 *l2, struct l2_line *line,
                                                            unsigned sectors, enum bus_agent agent)
{
    struct ioc_count *count = ioc_count(l2->ioc, line->page, agent);
    unsigned missing = mask_all(&line->valid) ? 0 : sectors_get(l2, line, sectors, agent);
    unsigned misses = bus_sectors_count(missing), hits = bus_sectors_count(sectors & ~missing);

    l2->front.totals.misses += misses;
    l2->front.totals.hits += hits;
    count->read_sectors += misses + hits;
    count->read_misses += misses;
    count->read_hits += hits;
    if (l2->config.cpu_snoops && line->page->view) {
        line_follow_cpu(l2, line, agent);
    }
}

/* The line's place and its bytes in one go: no sector that is wanted is there. */
static __attribute__((noinline)) const uint8_t *load_miss(struct l2 *l2, unsigned set,
                                                          struct ioc_page *p, uint64_t line_pa,
                                                          unsigned sectors, enum bus_agent agent)
{
    struct l2_line *line = set_take(l2, set, p, line_pa, agent);
    struct ioc_count *count = ioc_count(l2->ioc, p, agent);
    unsigned misses = bus_sectors_count(sectors);

    sectors_get(l2, line, sectors, agent);
    l2->front.totals.misses += misses;
    count->read_sectors += misses;
    count->read_misses += misses;
    if (l2->config.cpu_snoops && p->view) {
        line_follow_cpu(l2, line, agent);
    }
    return line_data(line);
}

static __attribute__((noinline)) const uint8_t *load_searched(struct l2 *l2, struct ioc_page *p,
                                                              unsigned off, unsigned sectors,
                                                              enum bus_agent agent)
{
    struct l2_line *line = line_get(l2, p, off, agent);

    line_load(l2, line, sectors, agent);
    return line_data(line);
}

const uint8_t *l2_load(struct l2 *l2, struct ioc_page *p, unsigned off, unsigned sectors,
                       enum bus_agent agent)
{
    uint64_t line_pa = p->pa + (off & ~(BUS_LINE - 1));
    unsigned set;

    return fast_absent(l2, line_pa, &set) ? load_miss(l2, set, p, line_pa, sectors, agent)
                                          : load_searched(l2, p, off, sectors, agent);
}

bool l2_place_of_last(struct l2 *l2, struct l2_place *place)
{
    uint32_t i = l2->front.recent;
    struct l2_line *line = line_at(l2, i);

    if (!l2->front.found || !mask_all(&line->valid)) {
        return false;
    }
    *place = (struct l2_place){
        .line = line, .birth = line->birth, .data = line_data(line), .number = i
    };
    if (!l2->never) {
        unsigned way, set = l2_line_set(&l2->sets, i, &way);

        place->order = &l2->sets.set[set].order;
        place->way = way;
    }
    return true;
}

static void line_mark_dirty(struct l2 *l2, struct l2_line *line, const struct bus_mask *mask,
                            enum bus_agent agent)
{
    mask_add(&line->valid, mask);
    mask_add(&line->dirty, mask);
    if (l2->config.cpu_snoops && line->page->view) {
        line_write_back(l2, line, agent); /* the CPU sees it at once */
    } else {
        line_log(l2, line);
    }
}

/* Eight bytes at a time where the mask has them all, and none where it has none */
static void data_put(uint8_t *to, const uint8_t *from, const struct bus_mask *mask)
{
    for (unsigned w = 0; w < 2; w++) {
        uint64_t bits = mask->word[w];

        while (bits) {
            unsigned first = (unsigned)__builtin_ctzll(bits) & ~7u, at = 64 * w + first;

            if ((bits >> first & 0xff) == 0xff) {
                memcpy(to + at, from + at, 8);
                bits &= ~(UINT64_C(0xff) << first);
                continue;
            }
            if ((bits >> first & 0xff) == 0xf0 || (bits >> first & 0xff) == 0x0f) {
                unsigned half = at + (bits >> first & 0x0f ? 0 : 4);

                memcpy(to + half, from + half, 4);
                bits &= ~(UINT64_C(0xff) << first);
                continue;
            }
            to[64 * w + (unsigned)__builtin_ctzll(bits)] =
                from[64 * w + (unsigned)__builtin_ctzll(bits)];
            bits &= bits - 1;
        }
    }
}

void l2_store(struct l2 *l2, struct ioc_page *p, unsigned off, const uint8_t *data,
              const struct bus_mask *mask, enum bus_agent agent)
{
    struct l2_line *line = line_get(l2, p, off, agent);
    struct ioc_count *count = ioc_count(l2->ioc, p, agent);

    if (mask_any(&line->valid)) {
        count->write_hits++;
    } else {
        count->write_misses++;
    }
    if (mask_all(mask)) {
        memcpy(line_data(line), data, BUS_LINE);
    } else {
        data_put(line_data(line), data, mask);
    }
    line_mark_dirty(l2, line, mask, agent);
}

uint8_t *l2_modify(struct l2 *l2, struct ioc_page *p, unsigned off, unsigned size,
                   enum bus_agent agent)
{
    struct l2_line *line = line_get(l2, p, off, agent);
    unsigned at = off % BUS_LINE;
    struct bus_mask mask = bus_mask_range(at, size);

    line_load(l2, line, 1u << at / BUS_SECTOR, agent);
    mask_add(&line->dirty, &mask);
    line_log(l2, line);
    return line_data(line) + at;
}

/* --- maintenance --- */

typedef void line_visit(struct l2 *l2, struct l2_line *line, enum bus_agent agent, uint64_t *sum);

/* Every line with dirty bytes, in the order they became dirty; then there is none. */
static uint64_t dirty_lines_visit(struct l2 *l2, line_visit *visit, enum bus_agent agent)
{
    uint64_t sum = 0;

    for (uint32_t e = 0; e < l2->log.n; e++) { /* which is 0 after the last one */
        struct l2_line *line = l2->log.entry[e];

        if (line) {
            visit(l2, line, agent, &sum);
            line_unlog(l2, line);
        }
    }
    return sum;
}

static void visit_clean(struct l2 *l2, struct l2_line *line, enum bus_agent agent, uint64_t *sum)
{
    uint64_t before = l2->front.totals.written_back_bytes;

    line_write_back(l2, line, agent);
    *sum += l2->front.totals.written_back_bytes - before;
}

static void visit_lose(struct l2 *l2, struct l2_line *line, enum bus_agent agent, uint64_t *sum)
{
    unsigned bytes = bus_mask_count(&line->dirty);

    *sum += bytes;
    trace_emit(l2->trace, TRACE_EVENT_LOST_BYTES, agent, line->page->region->id, line->pa, bytes, 0,
               0);
}

void l2_clean(struct l2 *l2, enum bus_agent agent)
{
    unsigned lines = l2->log.lines;
    uint64_t bytes = dirty_lines_visit(l2, visit_clean, agent);

    trace_emit(l2->trace, TRACE_EVENT_L2_CLEAN, agent, 0, lines, bytes, 0, 0);
}

void l2_invalidate(struct l2 *l2, enum bus_agent agent)
{
    uint64_t lost = dirty_lines_visit(l2, visit_lose, agent);

    if (l2->never) {
        l2_map_clear(&l2->map);
    } else {
        l2_sets_clear(&l2->sets);
    }
    l2->front.lost = l2->births;
    l2->front.recent_pa = L2_NO_LINE;
    trace_emit(l2->trace, TRACE_EVENT_L2_INVALIDATE, agent, 0, 0, lost, 0, 0);
}

void l2_forget(struct l2 *l2, uint64_t pa, uint64_t len)
{
    uint32_t line;

    for (uint64_t at = pa; at < pa + len; at += BUS_LINE) {
        if (line_find(l2, at, &line)) {
            line_unlog(l2, line_at(l2, line));
            line_drop(l2, line);
        }
    }
}

void l2_evict_some(struct l2 *l2)
{
    uint64_t number;
    uint32_t line;

    if (l2->config.evict != EVICT_SEEDED) {
        return;
    }
    if (l2->config.draw) {
        number = l2->config.draw(l2->config.draw_opaque);
    } else {
        l2->random = l2->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        number = l2->random ^ l2->random >> 32; /* low bits alone repeat soon */
    }
    if (number &&
        l2_sets_choose(&l2->sets, (unsigned)(number / 2 % l2->sets.sets), number >> 32, &line)) {
        line_leave(l2, line_at(l2, line), l2->config.agent);
        line_drop(l2, line);
    }
}

void l2_look(struct l2 *l2, uint64_t pa, uint8_t *line)
{
    struct l2_line *held;
    uint32_t i;

    if (line_find(l2, pa & ~(uint64_t)(BUS_LINE - 1), &i)) {
        held = line_at(l2, i);
        data_put(line, line_data(held), &held->valid);
    }
}

bool l2_line_state(struct l2 *l2, uint64_t pa, unsigned *dirty_bytes)
{
    uint32_t line;
    bool found = line_find(l2, pa & ~(uint64_t)(BUS_LINE - 1), &line);

    *dirty_bytes = found ? bus_mask_count(&line_at(l2, line)->dirty) : 0;
    return found;
}

const struct l2_totals *l2_totals(const struct l2 *l2)
{
    return &l2->front.totals;
}
