/* SPDX-License-Identifier: MIT */
#include "model/iocoherency/l2.h"

#include <string.h>

#include "model/iocoherency/ioc_internal.h"

#define SECTOR_MASK UINT64_C(0xffffffff)

/* Most accesses hit, and what they cost is the host's own cache misses: a line begins with the 64 bytes
 * that every hit needs, and the data has host lines of its own. */
struct l2_line {
    uint64_t pa;
    struct ioc_page *page;
    struct bus_mask valid, dirty;
    uint64_t epoch, stamp; /* epoch: the line counts only if it is the cache's, see l2_invalidate() */
    uint8_t data[BUS_LINE] __attribute__((aligned(64)));
    bool listed;
    GList link; /* in l2.dirty while it may have dirty bytes */
};

#define SLAB_LINES 64

/* The line's address stands here as well, so that a look through a set stays in one place. */
struct l2_way {
    uint64_t pa;
    struct l2_line *line;
};

/* With NEVER a set grows without bound; with a real geometry it has at most config.ways. */
struct l2_set {
    struct l2_way recent; /* a copy of the way that was found last */
    struct l2_way *way;
    unsigned n, capacity;
};

struct l2 {
    struct l2_config config;
    struct ioc *ioc;
    struct trace *trace;
    struct l2_set *set;
    uint64_t *used; /* a bit a set: 0 only where no line is live */
    unsigned sets, set_shift; /* set_shift: log2 of sets if it is a power of two, else 0 */
    uint64_t epoch, stamp, random;
    GQueue dirty; /* lines with dirty bytes, in the order they became dirty */
    GPtrArray *slabs; /* of SLAB_LINES lines */
    unsigned slab_used; /* of the last one */
    struct l2_totals totals;
};

static unsigned used_words(const struct l2 *l2)
{
    return (l2->sets + 63) / 64;
}

struct l2 *l2_new(const struct l2_config *config, struct ioc *c, struct trace *trace)
{
    struct l2 *l2 = g_new0(struct l2, 1);

    l2->config = *config;
    l2->ioc = c;
    l2->trace = trace;
    l2->sets = (unsigned)MAX(config->bytes / BUS_LINE / MAX(config->ways, 1), 1);
    l2->set_shift = l2->sets & (l2->sets - 1) ? 0 : (unsigned)__builtin_ctz(l2->sets);
    l2->set = g_new0(struct l2_set, l2->sets);
    l2->used = g_new0(uint64_t, used_words(l2));
    g_queue_init(&l2->dirty);
    l2->slabs = g_ptr_array_new_with_free_func(g_aligned_free);
    l2->slab_used = SLAB_LINES;
    l2->epoch = 1;
    l2->random = config->seed ^ UINT64_C(0x6c32);
    return l2;
}

void l2_free(struct l2 *l2)
{
    if (!l2) {
        return;
    }
    for (unsigned i = 0; i < l2->sets; i++) {
        g_free(l2->set[i].way);
    }
    g_ptr_array_free(l2->slabs, true);
    g_free(l2->set);
    g_free(l2->used);
    g_free(l2);
}

static struct l2_line *line_new(struct l2 *l2)
{
    if (l2->slab_used == SLAB_LINES) {
        g_ptr_array_add(l2->slabs, g_aligned_alloc0(SLAB_LINES, sizeof(struct l2_line),
                                                    _Alignof(struct l2_line)));
        l2->slab_used = 0;
    }
    return (struct l2_line *)l2->slabs->pdata[l2->slabs->len - 1] + l2->slab_used++;
}

static bool line_live(const struct l2 *l2, const struct l2_line *line)
{
    return line->epoch == l2->epoch;
}

static bool mask_any(const struct bus_mask *m)
{
    return m->word[0] | m->word[1];
}

static bool mask_all(const struct bus_mask *m)
{
    return (m->word[0] & m->word[1]) == UINT64_MAX;
}

static void line_write_back(struct l2 *l2, struct l2_line *line, enum bus_agent agent)
{
    if (mask_any(&line->dirty)) {
        ioc_port_write(l2->ioc, line->page, (unsigned)(line->pa % IOC_PAGE), line->data, BUS_LINE,
                       mask_all(&line->dirty) ? NULL : &line->dirty, agent);
        l2->totals.written_back_bytes += bus_mask_count(&line->dirty);
        trace_emit(l2->trace, TRACE_EVENT_L2_WRITEBACK, agent, line->page->region->id, line->pa,
                   line->dirty.word[0], line->dirty.word[1], 0);
        line->dirty = (struct bus_mask){ 0 };
    }
}

static void dirty_list_add(struct l2 *l2, struct l2_line *line)
{
    if (!line->listed) {
        line->listed = true;
        line->link = (GList){ .data = line };
        g_queue_push_tail_link(&l2->dirty, &line->link);
    }
}

static void dirty_list_remove(struct l2 *l2, struct l2_line *line)
{
    if (line->listed) {
        g_queue_unlink(&l2->dirty, &line->link);
        line->listed = false;
    }
}

static void line_evict(struct l2 *l2, struct l2_line *line, enum bus_agent agent)
{
    trace_emit(l2->trace, TRACE_EVENT_L2_EVICT, agent, line->page->region->id, line->pa,
               bus_mask_count(&line->dirty), 0, 0);
    line_write_back(l2, line, agent);
    dirty_list_remove(l2, line);
    line->epoch = 0;
    l2->totals.evictions++;
}

/* The way a new line takes: a dead one's, a new one, or that of the least recently used, which leaves. */
static struct l2_way *set_way(struct l2 *l2, struct l2_set *set, enum bus_agent agent)
{
    unsigned victim = 0;

    for (unsigned i = 0; i < set->n; i++) {
        if (!line_live(l2, set->way[i].line)) {
            return &set->way[i];
        }
        if (set->way[i].line->stamp < set->way[victim].line->stamp) {
            victim = i;
        }
    }
    if (set->n < l2->config.ways || l2->config.evict == IOC_EVICT_NEVER) {
        if (set->n == set->capacity) {
            set->capacity = MAX(4, set->capacity * 2);
            set->way = g_renew(struct l2_way, set->way, set->capacity);
        }
        set->way[set->n].line = line_new(l2);
        return &set->way[set->n++];
    }
    line_evict(l2, set->way[victim].line, agent);
    return &set->way[victim];
}

/* The hash spreads power-of-two strides over the sets; NVIDIA's is not published (inferred). */
static struct l2_set *set_of(struct l2 *l2, uint64_t line_pa)
{
    uint64_t n = line_pa / BUS_LINE;

    if (l2->set_shift) {
        return &l2->set[(n ^ n >> l2->set_shift) & (l2->sets - 1)];
    }
    return &l2->set[(n ^ n / l2->sets) % l2->sets];
}

static bool way_holds(const struct l2 *l2, const struct l2_way *way, uint64_t line_pa)
{
    return way->pa == line_pa && line_live(l2, way->line);
}

static struct l2_line *set_find(const struct l2 *l2, struct l2_set *set, uint64_t line_pa)
{
    if (set->n && way_holds(l2, &set->recent, line_pa)) {
        return set->recent.line;
    }
    for (unsigned i = 0; i < set->n; i++) {
        if (way_holds(l2, &set->way[i], line_pa)) {
            set->recent = set->way[i];
            return set->way[i].line;
        }
    }
    return NULL;
}

static struct l2_line *line_find(struct l2 *l2, uint64_t line_pa)
{
    return set_find(l2, set_of(l2, line_pa), line_pa);
}

static struct l2_line *line_get(struct l2 *l2, struct ioc_page *p, unsigned off, enum bus_agent agent)
{
    uint64_t line_pa = p->pa + (off & ~(BUS_LINE - 1));
    struct l2_set *set = set_of(l2, line_pa);
    struct l2_line *line = set_find(l2, set, line_pa);

    if (!line) {
        struct l2_way *way = set_way(l2, set, agent);
        size_t number = (size_t)(set - l2->set);

        l2->used[number / 64] |= UINT64_C(1) << number % 64;
        line = way->line;
        line->pa = way->pa = line_pa;
        set->recent = *way;
        line->page = p;
        line->epoch = l2->epoch;
        line->valid = line->dirty = (struct bus_mask){ 0 };
    }
    line->stamp = ++l2->stamp;
    return line;
}

static uint32_t sector_of(const struct bus_mask *m, unsigned s)
{
    return (uint32_t)(m->word[s / 2] >> (s % 2 * 32));
}

/* Bytes that are already there stay: they may be dirty, and they may be old. */
static void sector_fill(struct l2 *l2, struct l2_line *line, unsigned s, enum bus_agent agent)
{
    uint32_t have = sector_of(&line->valid, s);
    uint8_t bytes[BUS_SECTOR];

    ioc_port_read(l2->ioc, line->page, (unsigned)(line->pa % IOC_PAGE) + s * BUS_SECTOR, bytes,
                  BUS_SECTOR, agent);
    for (unsigned i = 0; i < BUS_SECTOR; i++) {
        if (!(have >> i & 1)) {
            line->data[s * BUS_SECTOR + i] = bytes[i];
        }
    }
    line->valid.word[s / 2] |= SECTOR_MASK << (s % 2 * 32);
}

/* Thor: a store by the CPU has reached the L2's copy as well. */
static void line_follow_cpu(struct l2 *l2, struct l2_line *line, enum bus_agent agent)
{
    struct bus_mask all = { { UINT64_MAX, UINT64_MAX } };

    ioc_port_read(l2->ioc, line->page, (unsigned)(line->pa % IOC_PAGE), line->data, BUS_LINE, agent);
    line->valid = all;
}

static void line_load(struct l2 *l2, struct l2_line *line, unsigned sectors, enum bus_agent agent)
{
    struct ioc_count *count = ioc_count(l2->ioc, line->page, agent);
    unsigned missing = 0, misses, hits;

    if (!mask_all(&line->valid)) {
        for (unsigned s = 0; s < BUS_LINE / BUS_SECTOR; s++) {
            if (sectors >> s & 1 && sector_of(&line->valid, s) != UINT32_MAX) {
                sector_fill(l2, line, s, agent);
                missing |= 1u << s;
            }
        }
        if (missing) {
            trace_emit(l2->trace, TRACE_EVENT_L2_FILL, agent, line->page->region->id, line->pa, missing,
                       0, 0);
        }
    }
    misses = bus_sectors_count(missing);
    hits = bus_sectors_count(sectors & ~missing);
    l2->totals.misses += misses;
    l2->totals.hits += hits;
    count->read_sectors += misses + hits;
    count->read_misses += misses;
    count->read_hits += hits;
    if (l2->config.cpu_snoops && line->page->view) {
        line_follow_cpu(l2, line, agent);
    }
}

const uint8_t *l2_load(struct l2 *l2, struct ioc_page *p, unsigned off, unsigned sectors,
                       enum bus_agent agent)
{
    struct l2_line *line = line_get(l2, p, off, agent);

    line_load(l2, line, sectors, agent);
    return line->data;
}

static void line_mark_dirty(struct l2 *l2, struct l2_line *line, const struct bus_mask *mask,
                            enum bus_agent agent)
{
    for (unsigned w = 0; w < 2; w++) {
        line->valid.word[w] |= mask->word[w];
        line->dirty.word[w] |= mask->word[w];
    }
    if (l2->config.cpu_snoops && line->page->view) {
        line_write_back(l2, line, agent); /* the CPU sees it at once */
    } else {
        dirty_list_add(l2, line);
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
        memcpy(line->data, data, BUS_LINE);
    } else {
        for (unsigned w = 0; w < 2; w++) {
            for (uint64_t todo = mask->word[w]; todo; todo &= todo - 1) {
                unsigned i = w * 64 + (unsigned)__builtin_ctzll(todo);

                line->data[i] = data[i];
            }
        }
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
    for (unsigned w = 0; w < 2; w++) {
        line->dirty.word[w] |= mask.word[w];
    }
    dirty_list_add(l2, line);
    return line->data + at;
}

void l2_clean(struct l2 *l2, enum bus_agent agent)
{
    uint64_t before = l2->totals.written_back_bytes;
    unsigned lines = l2->dirty.length;

    while (l2->dirty.head) {
        struct l2_line *line = l2->dirty.head->data;

        line_write_back(l2, line, agent);
        dirty_list_remove(l2, line);
    }
    trace_emit(l2->trace, TRACE_EVENT_L2_CLEAN, agent, 0, lines,
               l2->totals.written_back_bytes - before, 0, 0);
}

void l2_invalidate(struct l2 *l2, enum bus_agent agent)
{
    uint64_t lost = 0;

    while (l2->dirty.head) {
        struct l2_line *line = l2->dirty.head->data;
        unsigned bytes = bus_mask_count(&line->dirty);

        lost += bytes;
        trace_emit(l2->trace, TRACE_EVENT_LOST_BYTES, agent, line->page->region->id, line->pa, bytes,
                   0, 0);
        dirty_list_remove(l2, line);
    }
    l2->epoch++; /* no line is of this epoch: all are gone */
    trace_emit(l2->trace, TRACE_EVENT_L2_INVALIDATE, agent, 0, 0, lost, 0, 0);
}

void l2_forget(struct l2 *l2, uint64_t pa, uint64_t len)
{
    for (uint64_t at = pa; at < pa + len; at += BUS_LINE) {
        struct l2_line *line = line_find(l2, at);

        if (line) {
            dirty_list_remove(l2, line);
            line->epoch = 0;
        }
    }
}

/* The first set from @from on that may have a live line, l2->sets if there is none. */
static unsigned used_next(const struct l2 *l2, unsigned from)
{
    uint64_t left;

    for (unsigned word = from / 64; word < used_words(l2); word++) {
        left = word == from / 64 ? l2->used[word] >> from % 64 << from % 64 : l2->used[word];
        if (left) {
            return word * 64 + (unsigned)__builtin_ctzll(left);
        }
    }
    return l2->sets;
}

static bool set_live(const struct l2 *l2, const struct l2_set *set)
{
    for (unsigned i = 0; i < set->n; i++) {
        if (line_live(l2, set->way[i].line)) {
            return true;
        }
    }
    return false;
}

/* The line in place @way of set @first, or of the next set where that place has one. */
static struct l2_line *line_chosen(struct l2 *l2, unsigned first, uint64_t way)
{
    for (unsigned lap = 0; lap < 2; lap++) {
        unsigned end = lap ? first : l2->sets;

        for (unsigned i = used_next(l2, lap ? 0 : first); i < end; i = used_next(l2, i + 1)) {
            const struct l2_set *set = &l2->set[i];
            struct l2_line *line = set->way[way % set->n].line;

            if (line_live(l2, line)) {
                return line;
            }
            if (!set_live(l2, set)) {
                l2->used[i / 64] &= ~(UINT64_C(1) << i % 64);
            }
        }
    }
    return NULL;
}

void l2_evict_some(struct l2 *l2)
{
    struct l2_line *line = NULL;
    uint64_t number;

    if (l2->config.evict != IOC_EVICT_SEEDED) {
        return;
    }
    if (l2->config.draw) {
        number = l2->config.draw(l2->config.draw_opaque);
    } else {
        l2->random = l2->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        number = l2->random >> 32;
    }
    if (number) {
        line = line_chosen(l2, (unsigned)(number / 2 % l2->sets), number >> 32);
    }
    if (line) {
        line_evict(l2, line, BUS_AGENT_IGPU);
    }
}

bool l2_line_state(struct l2 *l2, uint64_t pa, unsigned *dirty_bytes)
{
    struct l2_line *line = line_find(l2, pa & ~(uint64_t)(BUS_LINE - 1));

    *dirty_bytes = line ? bus_mask_count(&line->dirty) : 0;
    return line != NULL;
}

const struct l2_totals *l2_totals(const struct l2 *l2)
{
    return &l2->totals;
}
