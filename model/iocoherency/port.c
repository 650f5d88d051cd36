/* SPDX-License-Identifier: MIT */
/* The I/O port: how an engine's reads and writes meet the CPU caches.
 *
 * Source: CUDA for Tegra 2.1, "I/O coherency (also known as one-way coherency) is a feature with
 * which an I/O device such as a GPU can read the latest updates in CPU caches". That a write from
 * the port merges with a dirty line and drops it follows from the same sentence and Arm's rules for
 * a coherent, non-caching requester (inferred: ACE-Lite WriteUnique).
 */
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "model/iocoherency/ioc_internal.h"

static void port_bytes_add(struct ioc *c, uint64_t bytes)
{
    if (c->config.port_bytes) {
        *c->config.port_bytes += bytes;
    }
}

/* Where reads that snoop a dirty line are counted; NULL: they are reported. */
static struct trace_counts *snoop_counts(struct ioc *c, const struct ioc_page *p)
{
    struct ioc_region *r = p->region;

    return trace_spare_counts(c->trace, r->id, &r->counts_asked, &r->counts);
}

static void snoop_trace(struct ioc *c, struct ioc_page *p, unsigned line, bool write, bool dirty,
                        enum bus_agent agent)
{
    struct trace_counts *counts =
        write || !trace_wants(c->trace, TRACE_CACHE) ? NULL : snoop_counts(c, p);

    ioc_count(c, p, agent)->snooped_lines++;
    if (counts) {
        counts->snoops++;
        trace_spared(c->trace);
        return;
    }
    trace_emit(c->trace, TRACE_EVENT_CPU_SNOOP, agent, p->region->id, p->pa + line * IOC_LINE,
               write, dirty, 0);
}

/* Does the port look into the CPU caches for this engine? */
static bool port_snoops(const struct ioc *c, enum bus_agent agent)
{
    return c->config.snoops >> agent & 1;
}

/* Where a read of this line finds its bytes. */
static const uint8_t *line_for_read(struct ioc *c, struct ioc_page *p, unsigned line,
                                    enum bus_agent agent)
{
    if (port_snoops(c, agent) && p->view) {
        page_settle_line(c, p, line);
        if (page_line_is(p->dirty, line)) {
            snoop_trace(c, p, line, false, true, agent);
            return p->view;
        }
    } else if (p->view && page_line_is(p->dirty, line) && trace_wants(c->trace, TRACE_CACHE) &&
               !view_equal(p, line * IOC_LINE, p->dram + line * IOC_LINE, IOC_LINE)) {
        trace_emit(c->trace, TRACE_EVENT_PORT_READ_STALE, agent, p->region->id,
                   p->pa + line * IOC_LINE, 0, 0, 0);
    }
    return p->dram;
}

static void read_count(struct ioc *c, struct ioc_page *p, unsigned len, enum bus_agent agent)
{
    ioc_count(c, p, agent)->port_read_bytes += len;
    port_bytes_add(c, len);
}

static uint64_t lines_mask(unsigned off, unsigned len)
{
    unsigned lines = len / IOC_LINE;

    return (lines == IOC_LINES ? UINT64_MAX : (UINT64_C(1) << lines) - 1) << off / IOC_LINE;
}

/* Whole lines: does DRAM answer for each of them, and is there nothing to report? */
static bool lines_are_plain(const struct ioc *c, const struct ioc_page *p, unsigned off,
                            unsigned len, enum bus_agent agent)
{
    if (!p->view) {
        return true;
    }
    if (p->dirty & lines_mask(off, len)) {
        return false;
    }
    return !port_snoops(c, agent) || (!p->twin && view_equal(p, off, p->dram + off, len));
}

bool ioc_port_read_plain(struct ioc *c, struct ioc_page *p, unsigned off, void *dst, unsigned len,
                         enum bus_agent agent)
{
    if (!lines_are_plain(c, p, off, len, agent)) {
        return false;
    }
    read_count(c, p, len, agent);
    memcpy(dst, p->dram + off, len);
    return true;
}

void ioc_port_read(struct ioc *c, struct ioc_page *p, unsigned off, void *dst, unsigned len,
                   enum bus_agent agent)
{
    uint8_t *out = dst;

    if (off % IOC_LINE == 0 && len % IOC_LINE == 0 && len &&
        ioc_port_read_plain(c, p, off, dst, len, agent)) {
        return;
    }
    read_count(c, p, len, agent);
    if (!p->view) {
        memcpy(dst, p->dram + off, len);
        return;
    }
    while (len > 0) {
        unsigned line = off / IOC_LINE;
        unsigned n = MIN(len, IOC_LINE - off % IOC_LINE);
        const uint8_t *from = line_for_read(c, p, line, agent);

        if (from == p->view) {
            view_get(p, off, out, n);
        } else {
            memcpy(out, from + off, n);
        }
        out += n;
        off += n;
        len -= n;
    }
}

bool ioc_port_read_sectors(struct ioc *c, struct ioc_page *p, unsigned off, void *dst, unsigned len,
                           enum bus_agent agent)
{
    struct trace_counts *counts = NULL;
    uint8_t *out = dst;

    if (ioc_port_read_plain(c, p, off, dst, len, agent)) {
        return true;
    }
    if (trace_wants(c->trace, TRACE_CACHE)) {
        counts = snoop_counts(c, p);
        if (!counts || !ioc_port_is_quiet(c, p, off, len, false, agent)) {
            return false;
        }
    }
    read_count(c, p, len, agent);
    if (port_snoops(c, agent) && !(~p->dirty & lines_mask(off, len))) { /* all are dirty */
        unsigned hits = len / BUS_SECTOR;

        ioc_count(c, p, agent)->snooped_lines += hits;
        if (counts) {
            counts->snoops += hits;
            trace_spared(c->trace);
        }
        view_get(p, off, dst, len);
        return true;
    }
    for (unsigned done = 0; done < len; done += IOC_LINE) {
        unsigned line = (off + done) / IOC_LINE;

        if (line_for_read(c, p, line, agent) == p->view) { /* which has counted one snoop */
            ioc_count(c, p, agent)->snooped_lines += IOC_LINE / BUS_SECTOR - 1;
            if (counts) {
                counts->snoops += IOC_LINE / BUS_SECTOR - 1;
            }
            view_get(p, off + done, out + done, IOC_LINE);
        } else {
            memcpy(out + done, p->dram + off + done, IOC_LINE);
        }
    }
    return true;
}

/* Before DRAM changes under this line. Return: true if the view must follow. */
static bool line_before_write(struct ioc *c, struct ioc_page *p, unsigned line,
                              enum bus_agent agent)
{
    bool dirty;

    if (!p->view) {
        return false;
    }
    page_settle_line(c, p, line);
    if (!page_line_is(p->valid, line)) {
        return true; /* not in the CPU caches: a load will fetch the new bytes */
    }
    if (!port_snoops(c, agent)) {
        trace_emit(c->trace, TRACE_EVENT_PORT_WRITE_UNSEEN, agent, p->region->id,
                   p->pa + line * IOC_LINE, page_line_is(p->dirty, line), 0, 0);
        page_twin_keep(c, p);
        return false; /* nothing invalidates the CPU's line: it is stale now */
    }
    dirty = page_line_is(p->dirty, line);
    snoop_trace(c, p, line, true, dirty, agent);
    if (dirty) {
        page_line_write_back(p, line); /* first, so that the engine's bytes merge into it */
    }
    p->valid &= ~(UINT64_C(1) << line);
    if (c->lru) {
        ioc_lru_forget(c->lru, p->pa + line * IOC_LINE);
    }
    return true;
}

static void copy_masked(uint8_t *dst, const uint8_t *src, unsigned len, const struct bus_mask *mask,
                        unsigned first)
{
    if (!mask) {
        memcpy(dst, src, len);
        return;
    }
    for (unsigned i = 0; i < len; i++) {
        if (mask->word[(first + i) / 64] >> (first + i) % 64 & 1) {
            dst[i] = src[i];
        }
    }
}

static void view_put_masked(struct ioc_page *p, unsigned off, const uint8_t *src, unsigned len,
                            const struct bus_mask *mask, unsigned first)
{
    if (!mask) {
        view_put(p, off, src, len);
    } else if (p->own) {
        bare_copy_masked(p->view + off, src, len, mask, first);
    } else {
        copy_masked(p->view + off, src, len, mask, first);
    }
}

static bool mask_touches(const struct bus_mask *mask, unsigned first, unsigned len)
{
    struct bus_mask want;

    if (!mask) {
        return true;
    }
    want = bus_mask_range(first, len);
    return (want.word[0] & mask->word[0]) || (want.word[1] & mask->word[1]);
}

/* Whole lines that the CPU's caches do not hold, as far as the model knows */
static bool lines_are_unheld(const struct ioc_page *p, unsigned off, unsigned len)
{
    return !p->twin && !(p->valid & lines_mask(off, len)) && view_equal(p, off, p->dram + off, len);
}

/* A read finds each line in DRAM, or dirty as is known already. */
static bool lines_are_settled(const struct ioc_page *p, unsigned off, unsigned len)
{
    for (unsigned at = off; at < off + len && !p->twin; at += IOC_LINE) {
        if (!page_line_is(p->dirty, at / IOC_LINE) && !view_equal(p, at, p->dram + at, IOC_LINE)) {
            return false;
        }
    }
    return !p->twin;
}

bool ioc_port_is_quiet(struct ioc *c, const struct ioc_page *p, unsigned off, unsigned len,
                       bool write, enum bus_agent agent)
{
    if (write) {
        return !p->view || lines_are_unheld(p, off, len);
    }
    if (lines_are_plain(c, p, off, len, agent)) {
        return true;
    }
    return port_snoops(c, agent) && p->view && snoop_counts(c, p) && lines_are_settled(p, off, len);
}

#if defined(__SSE2__)
/* One pass: what is compared is in the host's caches when it is overwritten. */
static inline bool put_if_equal(uint8_t *view, uint8_t *dram, const uint8_t *src, unsigned n)
{
    __m128i *v = (__m128i *)(void *)view, *d = (__m128i *)(void *)dram;
    const __m128i *s = (const __m128i *)(const void *)src;
    __m128i same = _mm_set1_epi8(-1);

    for (unsigned i = 0; i < n / sizeof(*v); i++) {
        same = _mm_and_si128(same, _mm_cmpeq_epi8(_mm_loadu_si128(v + i), _mm_loadu_si128(d + i)));
    }
    if (_mm_movemask_epi8(same) != 0xffff) {
        return false;
    }
    for (unsigned i = 0; i < n / sizeof(*v); i++) {
        __m128i bytes = _mm_loadu_si128(s + i);

        _mm_storeu_si128(v + i, bytes);
        _mm_storeu_si128(d + i, bytes);
    }
    return true;
}
#else
static inline bool put_if_equal(uint8_t *view, uint8_t *dram, const uint8_t *src, unsigned n)
{
    if (memcmp(view, dram, n) != 0) {
        return false;
    }
    memcpy(view, src, n);
    memcpy(dram, src, n);
    return true;
}
#endif

/* Both images change, of the first whole @unit (a multiple of a line) that the CPU's caches do not
 * hold. Return: bytes. */
static unsigned lines_write_unheld(struct ioc_page *p, unsigned off, const uint8_t *src,
                                   unsigned len, unsigned unit)
{
    unsigned done = 0;

    if (off % IOC_LINE || p->twin) {
        return 0;
    }
    if (p->own) {
        len -= len % unit;
        if (!len || !lines_are_unheld(p, off, len)) {
            return 0;
        }
        memcpy(p->dram + off, src, len);
        view_put(p, off, src, len);
        return len;
    }
    while (len - done >= unit && !(p->valid & lines_mask(off + done, unit)) &&
           put_if_equal(p->view + off + done, p->dram + off + done, src + done, unit)) {
        done += unit;
    }
    return done;
}

static void dram_put(uint8_t *dst, const uint8_t *src, unsigned len)
{
    if (len % BUS_LINE) {
        memcpy(dst, src, len);
        return;
    }
    for (unsigned done = 0; done < len; done += BUS_LINE) {
        ioc_dram_put_line(dst + done, src + done);
    }
}

static void port_write(struct ioc *c, struct ioc_page *p, unsigned off, const uint8_t *src,
                       unsigned len, const struct bus_mask *mask, enum bus_agent agent)
{
    uint64_t bytes = mask ? bus_mask_count(mask) : len;

    ioc_count(c, p, agent)->port_write_bytes += bytes;
    port_bytes_add(c, bytes);
    if (!p->view && !mask) {
        dram_put(p->dram + off, src, len);
        return;
    }
    for (unsigned done = mask ? 0 : lines_write_unheld(p, off, src, len, IOC_LINE); done < len;) {
        unsigned at = off + done;
        unsigned n = MIN(len - done, IOC_LINE - at % IOC_LINE);

        if (mask_touches(mask, done, n)) {
            bool follow = line_before_write(c, p, at / IOC_LINE, agent);

            copy_masked(p->dram + at, src + done, n, mask, done);
            if (follow) {
                view_put_masked(p, at, src + done, n, mask, done);
                if (p->twin) {
                    copy_masked(p->twin + at, src + done, n, mask, done);
                }
            }
        }
        done += n;
    }
}

void ioc_port_write(struct ioc *c, struct ioc_page *p, unsigned off, const uint8_t *src,
                    unsigned len, const struct bus_mask *mask, enum bus_agent agent)
{
    if (!p->view) { /* else the L2 asks before a line leaves */
        ioc_before_change(c, p, off, len);
        p->behind = true;
    }
    port_write(c, p, off, src, len, mask, agent);
}

unsigned ioc_port_write_plain(struct ioc *c, struct ioc_page *p, unsigned off, const uint8_t *src,
                              unsigned len, enum bus_agent agent)
{
    unsigned done = len;

    if (p->view) {
        done = lines_write_unheld(p, off, src, len, BUS_LINE);
        ioc_count(c, p, agent)->port_write_bytes += done;
        port_bytes_add(c, done);
    } else {
        ioc_port_write(c, p, off, src, len, NULL, agent);
    }
    return done;
}

void ioc_port_write_back(struct ioc *c, struct ioc_page *p, unsigned off, const uint8_t *src,
                         const struct bus_mask *mask, enum bus_agent agent)
{
    port_write(c, p, off, src, BUS_LINE, mask, agent);
}
