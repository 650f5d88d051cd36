/* SPDX-License-Identifier: MIT */
/* Regions, the map from physical addresses to pages, and the counts. */
#include "model/iocoherency/iocoherency.h"

#include <string.h>

#include "model/iocoherency/ioc_internal.h"

#define HOST_LINE 64u /* a page's struct is one */
#define CHUNK_SHIFT 21
#define CHUNK_PAGES (1u << (CHUNK_SHIFT - 12))

struct ioc_chunk {
    struct ioc_page *page[CHUNK_PAGES];
    unsigned used;
};

struct ioc_single {
    struct ioc_page page;
    struct ioc_single *next;
};

struct ioc *ioc_new(const struct ioc_config *config, struct trace *trace)
{
    struct ioc *c = g_new0(struct ioc, 1);

    c->config = *config;
    c->trace = trace;
    c->chunks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    c->regions = g_ptr_array_new();
    c->touched_tail = &c->touched;
    c->random = config->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    if (config->evict != EVICT_NEVER) {
        c->lru = ioc_lru_new(config->cpu_cache_bytes, config->cpu_cache_ways);
    }
    return c;
}

void ioc_free(struct ioc *c)
{
    if (!c) {
        return;
    }
    while (c->regions->len > 0) {
        ioc_region_remove(c, g_ptr_array_index(c->regions, c->regions->len - 1));
    }
    g_ptr_array_free(c->regions, TRUE);
    g_hash_table_destroy(c->chunks);
    ioc_lru_free(c->lru);
    g_free(c);
}

/* splitmix64: small, and the same everywhere */
uint64_t ioc_random(struct ioc *c)
{
    uint64_t z = c->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline struct ioc_chunk *chunk_find(struct ioc *c, uint64_t key)
{
    struct ioc_found *f = &c->found[key % IOC_FOUND];

    if (!f->chunk || f->key != key) {
        *f = (struct ioc_found){ key, g_hash_table_lookup(c->chunks, &key) };
    }
    return f->chunk;
}

struct ioc_page *ioc_page_find(struct ioc *c, uint64_t pa)
{
    struct ioc_chunk *chunk = chunk_find(c, pa >> CHUNK_SHIFT);

    return chunk ? chunk->page[pa >> 12 & (CHUNK_PAGES - 1)] : NULL;
}

const unsigned *ioc_generation(const struct ioc *c)
{
    return &c->generation;
}

static void page_insert(struct ioc *c, struct ioc_page *p)
{
    uint64_t key = p->pa >> CHUNK_SHIFT;
    struct ioc_chunk *chunk = chunk_find(c, key);

    if (!chunk) {
        chunk = g_new0(struct ioc_chunk, 1);
        g_hash_table_insert(c->chunks, g_memdup2(&key, sizeof(key)), chunk);
    }
    g_assert(!chunk->page[p->pa >> 12 & (CHUNK_PAGES - 1)]);
    chunk->page[p->pa >> 12 & (CHUNK_PAGES - 1)] = p;
    chunk->used++;
}

static void page_remove(struct ioc *c, uint64_t pa)
{
    uint64_t key = pa >> CHUNK_SHIFT;
    struct ioc_chunk *chunk = chunk_find(c, key);
    struct ioc_page *p = chunk->page[pa >> 12 & (CHUNK_PAGES - 1)];

    for (unsigned line = 0; c->lru && line < IOC_LINES; line++) {
        if (page_line_is(p->valid, line)) {
            ioc_lru_forget(c->lru, p->pa + line * IOC_LINE);
        }
    }
    g_free(p->twin);
    chunk->page[pa >> 12 & (CHUNK_PAGES - 1)] = NULL;
    if (--chunk->used == 0) {
        c->found[key % IOC_FOUND].chunk = NULL;
        g_hash_table_remove(c->chunks, &key);
    }
}

struct ioc_region *ioc_region_add(struct ioc *c, uint32_t id, uint64_t pa, uint64_t len,
                                  uint8_t *dram, uint8_t *view, bool keep_view)
{
    struct ioc_region *r = g_new0(struct ioc_region, 1);

    r->id = id;
    r->pa = pa;
    r->len = len;
    r->pages = g_aligned_alloc0(len / IOC_PAGE, sizeof(struct ioc_page), HOST_LINE);
    for (uint64_t off = 0; off < len; off += IOC_PAGE) {
        struct ioc_page *p = &r->pages[off / IOC_PAGE];

        p->pa = pa + off;
        p->dram = dram + off;
        p->view = view ? view + off : NULL;
        p->own = keep_view;
        p->region = r;
        page_insert(c, p);
    }
    if (view && keep_view) {
        bare_copy(dram, view, len);
    }
    g_ptr_array_add(c->regions, r);
    if (len > 0) {
        trace_emit(c->trace, TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, id, pa, len, view != NULL,
                   0);
    }
    return r;
}

void ioc_region_view(struct ioc_region *r, uint64_t off, uint64_t len, uint8_t *view)
{
    for (uint64_t i = 0; i < len; i += IOC_PAGE) {
        struct ioc_page *p = &r->pages[(off + i) / IOC_PAGE];

        p->view = view + i;
        p->own = false;
    }
}

struct ioc_page *ioc_region_page_add(struct ioc *c, struct ioc_region *r, uint64_t pa,
                                     uint8_t *dram, uint8_t *view)
{
    struct ioc_single *s = g_new0(struct ioc_single, 1);

    s->page = (struct ioc_page){ .pa = pa, .dram = dram, .view = view, .region = r, .own = true };
    s->next = r->singles;
    r->singles = s;
    page_insert(c, &s->page);
    bare_copy(dram, view, IOC_PAGE);
    trace_emit(c->trace, TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, r->id, pa, IOC_PAGE, 1, 0);
    return &s->page;
}

static void singles_remove(struct ioc *c, struct ioc_region *r)
{
    while (r->singles) {
        struct ioc_single *s = r->singles;

        r->singles = s->next;
        page_remove(c, s->page.pa);
        g_free(s);
    }
}

void ioc_region_remove(struct ioc *c, struct ioc_region *r)
{
    ioc_counts_flush(c);
    for (uint64_t off = 0; off < r->len; off += IOC_PAGE) {
        page_remove(c, r->pa + off);
    }
    singles_remove(c, r);
    trace_emit(c->trace, TRACE_EVENT_REGION_REMOVE, BUS_AGENT_DRIVER, r->id, r->pa, r->len, 0, 0);
    g_ptr_array_remove_fast(c->regions, r);
    c->generation++;
    g_aligned_free(r->pages);
    g_free(r);
}

void ioc_region_touch(struct ioc *c, struct ioc_region *r)
{
    r->touched = true;
    r->next_touched = NULL;
    *c->touched_tail = r;
    c->touched_tail = &r->next_touched;
}

static void count_emit(struct ioc *c, const struct ioc_region *r, uint32_t agent)
{
    const struct ioc_count *n = &r->count[agent];

    if (n->read_bytes) {
        trace_emit(c->trace, TRACE_EVENT_SUM_READ, agent, r->id, n->read_bytes, n->read_sectors,
                   n->read_hits, n->read_misses);
    }
    if (n->write_bytes) {
        trace_emit(c->trace, TRACE_EVENT_SUM_WRITE, agent, r->id, n->write_bytes, n->write_lines,
                   n->write_hits, n->write_misses);
    }
    if (n->port_read_bytes || n->port_write_bytes || n->atomics) {
        trace_emit(c->trace, TRACE_EVENT_SUM_PORT, agent, r->id, n->port_read_bytes,
                   n->port_write_bytes, n->snooped_lines, n->atomics);
    }
}

/* Memory of which some accesses have passed the L2 by is pinned, and registered memory is, too. */
static enum ioc_kind kind_of(const struct ioc_region *r, const struct ioc_count *n)
{
    if (r->len == 0) {
        return IOC_PAGEABLE; /* a process's pages, one by one */
    }
    if (n->read_sectors > n->read_hits + n->read_misses ||
        n->write_lines > n->write_hits + n->write_misses) {
        return IOC_PINNED;
    }
    return r->pages && r->pages[0].view ? IOC_MANAGED : IOC_DEVICE;
}

static void traffic_add(const struct ioc_region *r, const struct ioc_count *n,
                        struct ioc_traffic *t)
{
    enum ioc_kind kind = kind_of(r, n);
    uint64_t hits = n->read_hits * BUS_SECTOR, misses = n->read_misses * BUS_SECTOR;

    t->reads += n->read_bytes;
    if (kind == IOC_PINNED) {
        t->port[kind] += n->port_read_bytes + n->port_write_bytes;
        t->reads_port += n->read_bytes;
    } else {
        /* Not what the L2 looks at again because the CPU may have written it (Thor). */
        t->port[kind] += MIN(n->port_read_bytes, misses + n->write_bytes) + n->port_write_bytes;
        t->reads_l2 += hits;
        t->reads_port += misses;
        t->l2 += hits + misses + n->write_bytes;
    }
}

void ioc_traffic(const struct ioc *c, unsigned agents, struct ioc_traffic *out)
{
    *out = (struct ioc_traffic){ 0 };
    for (const struct ioc_region *r = c->touched; r; r = r->next_touched) {
        for (uint32_t agent = 0; agent < BUS_AGENT_COUNT; agent++) {
            if (agents >> agent & 1) {
                traffic_add(r, &r->count[agent], out);
            }
        }
    }
}

void ioc_counts_flush(struct ioc *c)
{
    for (struct ioc_region *r = c->touched; r; r = r->next_touched) {
        for (uint32_t agent = 0; agent < BUS_AGENT_COUNT; agent++) {
            count_emit(c, r, agent);
        }
        memset(r->count, 0, sizeof(r->count));
        r->touched = false;
    }
    c->touched = NULL;
    c->touched_tail = &c->touched;
}

const struct ioc_totals *ioc_totals(const struct ioc *c)
{
    return &c->totals;
}
