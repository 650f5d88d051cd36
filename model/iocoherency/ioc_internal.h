/* SPDX-License-Identifier: MIT */
#ifndef MODEL_IOCOHERENCY_IOC_INTERNAL_H
#define MODEL_IOCOHERENCY_IOC_INTERNAL_H

#include <glib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "model/iocoherency/iocoherency.h"

struct ioc_lru;

/* What a search found last: accesses stay in a few places for long. @chunk: NULL: unknown */
#define IOC_FOUND 64u
struct ioc_found {
    uint64_t key;
    struct ioc_chunk *chunk;
};

struct ioc {
    struct ioc_config config;
    struct trace *trace;
    GHashTable *chunks;                /* pa / 2 MiB -> struct ioc_chunk */
    struct ioc_found found[IOC_FOUND]; /* by key */
    GPtrArray *regions;
    struct ioc_region *touched, **touched_tail;
    struct ioc_lru *lru; /* NULL: lines never leave on their own */
    struct ioc_totals totals;
    uint64_t random;
    unsigned generation;
    bool sync; /* see ioc_cpu_sync() */
};

/* page.c: see there */
void page_settle_line(struct ioc *c, struct ioc_page *p, unsigned line);
void page_settle(struct ioc *c, struct ioc_page *p);
void page_twin_keep(struct ioc *c, struct ioc_page *p);
void page_twin_drop_if_equal(struct ioc_page *p);
void page_line_write_back(struct ioc_page *p, unsigned line);
void page_line_reload(struct ioc_page *p, unsigned line);
void page_line_refresh(struct ioc_page *p, unsigned line);

/* Whoever keeps what is at these bytes does so now. */
static inline void ioc_before_change(struct ioc *c, struct ioc_page *p, unsigned off, unsigned len)
{
    if (p->held && c->config.before_change) {
        c->config.before_change(c->config.change_opaque, p, off, len);
    }
}

/* port.c: ioc_port_write() of what the L2 has held so far */
void ioc_port_write_back(struct ioc *c, struct ioc_page *p, unsigned off, const uint8_t *src,
                         const struct bus_mask *mask, enum bus_agent agent);

/* A line of the L2 into DRAM. Lines that come from the L2, or from an engine, are not read soon:
 * past the host's caches, which would fetch first what is overwritten. Another thread looks at it
 * after a lock, and locked instructions wait for such stores. */
static inline void ioc_dram_put_line(uint8_t *dst, const uint8_t *src)
{
#if defined(__SSE2__)
    if (((uintptr_t)dst | (uintptr_t)src) % sizeof(__m128i) == 0) {
        __m128i *to = (__m128i *)(void *)dst;
        const __m128i *from = (const __m128i *)(const void *)src;
        __m128i a = _mm_load_si128(from), b = _mm_load_si128(from + 1);
        __m128i c = _mm_load_si128(from + 2), d = _mm_load_si128(from + 3);
        __m128i e = _mm_load_si128(from + 4), f = _mm_load_si128(from + 5);
        __m128i g = _mm_load_si128(from + 6), h = _mm_load_si128(from + 7);

        _mm_stream_si128(to, a);
        _mm_stream_si128(to + 1, b);
        _mm_stream_si128(to + 2, c);
        _mm_stream_si128(to + 3, d);
        _mm_stream_si128(to + 4, e);
        _mm_stream_si128(to + 5, f);
        _mm_stream_si128(to + 6, g);
        _mm_stream_si128(to + 7, h);
        return;
    }
#endif
    memcpy(dst, src, BUS_LINE);
}

/* ioc_port_write_back() of a whole line to memory of which the CPU's caches hold nothing */
static inline void ioc_line_write_back(struct ioc *c, struct ioc_page *p, unsigned off,
                                       const uint8_t *src, enum bus_agent agent)
{
    ioc_count(c, p, agent)->port_write_bytes += BUS_LINE;
    if (c->config.port_bytes) {
        *c->config.port_bytes += BUS_LINE;
    }
    ioc_dram_put_line(p->dram + off, src);
}

/* bare.c */
bool bare_equal(const uint8_t *a, const uint8_t *b, size_t n);
void bare_copy(uint8_t *dst, const uint8_t *src, size_t n);
void bare_copy_masked(uint8_t *dst, const uint8_t *src, unsigned n, const struct bus_mask *mask,
                      unsigned first);

/* The page's view, which there is: [off, off + n). */
static inline bool view_equal(const struct ioc_page *p, unsigned off, const uint8_t *bytes,
                              size_t n)
{
    return p->own ? bare_equal(p->view + off, bytes, n) : memcmp(p->view + off, bytes, n) == 0;
}

static inline void view_get(const struct ioc_page *p, unsigned off, uint8_t *dst, size_t n)
{
    if (p->own) {
        bare_copy(dst, p->view + off, n);
    } else {
        memcpy(dst, p->view + off, n);
    }
}

static inline void view_put(struct ioc_page *p, unsigned off, const uint8_t *src, size_t n)
{
    if (p->own) {
        bare_copy(p->view + off, src, n);
    } else {
        memcpy(p->view + off, src, n);
    }
}

/* ioc_port_read_plain() of a line of the L2: most often no CPU cache can hold it, and there is no
 * call. */
static inline bool ioc_port_read_line(struct ioc *c, struct ioc_page *p, unsigned off, void *dst,
                                      enum bus_agent agent)
{
    if (p->view) {
        return ioc_port_read_plain(c, p, off, dst, BUS_LINE, agent);
    }
    ioc_count(c, p, agent)->port_read_bytes += BUS_LINE;
    if (c->config.port_bytes) {
        *c->config.port_bytes += BUS_LINE;
    }
    memcpy(dst, p->dram + off, BUS_LINE);
    return true;
}

static inline bool page_line_is(uint64_t mask, unsigned line)
{
    return mask >> line & 1;
}

/* lru.c: the geometry says which line must leave when another comes in. */
struct ioc_lru *ioc_lru_new(uint64_t bytes, unsigned ways);
void ioc_lru_free(struct ioc_lru *l);
bool ioc_lru_touch(struct ioc_lru *l, uint64_t line_pa, uint64_t *victim_pa);
void ioc_lru_hit(struct ioc_lru *l, uint64_t line_pa);
void ioc_lru_forget(struct ioc_lru *l, uint64_t line_pa);
bool ioc_lru_is_first(struct ioc_lru *l, uint64_t line_pa); /* the youngest of its set */
unsigned ioc_lru_set_number(const struct ioc_lru *l, uint64_t line_pa);
bool ioc_lru_pick(struct ioc_lru *l, uint64_t random, uint64_t *line_pa);

uint64_t ioc_random(struct ioc *c);

#endif
