/* SPDX-License-Identifier: MIT */
/* One-way coherency: who sees which bytes of shared DRAM.
 *
 * Every byte has two images. The DRAM image is what is in memory. The CPU view is what a load
 * through a cacheable CPU mapping returns: where the CPU caches hold a line it is that line, where
 * they hold nothing it equals DRAM. An engine's access comes through the I/O port:
 *
 *              I/O coherent (cc >= 7.2)                     not coherent
 *   read       a dirty CPU line answers (snoop),            DRAM answers
 *              else DRAM
 *   write      a dirty CPU line is written back first,      DRAM changes; a valid CPU line stays
 *              then the line is dropped; DRAM changes       as it is: stale
 *
 * The other direction does not exist: a CPU load never looks into the iGPU's L2 (l2.h). That is why
 * it is called one way. Source: CUDA for Tegra, 2.1; Arm ARM, DC CVAC, CIVAC, IVAC.
 *
 * Files: cpu.c what the CPU does, port.c what engines do, page.c the two images, lru.c the real
 * geometry of the CPU caches, l2.c the iGPU's L2.
 */
#ifndef MODEL_IOCOHERENCY_IOCOHERENCY_H
#define MODEL_IOCOHERENCY_IOCOHERENCY_H

#include "model/bus.h"
#include "trace/record.h"

struct ioc_page;

#define IOC_PAGE 4096u
#define IOC_LINE \
    64u /* CPU cache line; 64 of them make a page, so one 64-bit mask describes a page */
#define IOC_LINES (IOC_PAGE / IOC_LINE)

/* What the report counts for one region of memory, per agent; reset when it is reported. */
struct ioc_count {
    uint64_t read_bytes, read_sectors, read_hits, read_misses; /* hits and misses: in the L2 */
    uint64_t write_bytes, write_lines, write_hits, write_misses;
    uint64_t port_read_bytes, port_write_bytes, snooped_lines, atomics;
};

/**
 * struct ioc_region - one allocation, as software sees it
 * @asked: bytes of @len that its owner asked for; the rest fills the last page
 * @touched: some count of some agent is not zero; linked in ioc.touched
 * @singles: pages that came one by one (ioc_region_page_add)
 * @counts, @counts_asked: trace_spare_counts()
 */
struct ioc_region {
    uint32_t id;
    uint64_t pa, len, asked;
    bool touched;
    struct ioc_count count[BUS_AGENT_COUNT];
    struct ioc_region *next_touched;
    struct ioc_page *pages;
    struct ioc_single *singles;
    struct trace_counts *counts;
    uint32_t counts_asked;
};

/**
 * struct ioc_page - one page of DRAM and what the CPU caches hold of it
 * @dram: the DRAM image
 * @view: the CPU view; NULL where the CPU has no cacheable mapping (then it reads DRAM itself)
 * @twin: what the view held when the model last knew; NULL when the DRAM image says it (see page.c)
 * @valid, @dirty: bit i for the line at 64 * i; dirty is a subset of valid
 * @own: the view is a page of the application's own (bare.c)
 * @behind: the CPU has no cacheable mapping, and DRAM may be newer than what the L2 holds
 * @held: of model/soc/l1.h: which of its pages this one is; 0: none
 */
struct ioc_page {
    uint8_t *dram, *view, *twin;
    uint64_t valid, dirty;
    uint64_t pa;
    struct ioc_region *region;
    bool own, behind;
    uint32_t held;
};

struct ioc_config {
    unsigned snoops; /* bit a: accesses of agent a through the I/O port snoop the CPU caches */
    enum evict evict;
    uint64_t seed;
    uint64_t cpu_cache_bytes;
    unsigned cpu_cache_ways;
    uint64_t *port_bytes; /* bytes through the I/O port are added here; may be NULL */
    /* SEEDED: 0, or a number that picks the line that leaves now; NULL: drawn from the seed */
    uint64_t (*draw)(void *opaque);
    void *draw_opaque;
    /* What the iGPU sees of these bytes of a page that is held may change: DRAM changes past the
     * L2, or a line leaves the L2 and DRAM may differ from it. May be NULL. */
    void (*before_change)(void *opaque, struct ioc_page *p, unsigned off, unsigned len);
    void *change_opaque;
};

/* Sums over the run, for bench and state dumps. */
struct ioc_totals {
    uint64_t cpu_hits, cpu_misses, cpu_uncached, cpu_evictions, cpu_writebacks;
};

struct ioc;

/* The module; @trace not owned. Aborts if memory runs out. */
struct ioc *ioc_new(const struct ioc_config *config, struct trace *trace);
void ioc_free(struct ioc *c);

/**
 * ioc_region_add - give the physical range a home
 * @pa, @len: page multiples, not overlapping another region
 * @dram: @len bytes, the DRAM image; @view: @len bytes, or NULL for an uncached or no CPU mapping
 * Neither is owned; both must stay until ioc_region_remove(). The caller makes them equal (fresh
 * memory is zero in both), or sets @keep_view: then DRAM is set equal to the view (the
 * application's own pages).
 */
struct ioc_region *ioc_region_add(struct ioc *c, uint32_t id, uint64_t pa, uint64_t len,
                                  uint8_t *dram, uint8_t *view, bool keep_view);
/* The view of [off, off + len) has moved to @view, with its bytes. */
void ioc_region_view(struct ioc_region *r, uint64_t off, uint64_t len, uint8_t *view);
void ioc_region_remove(struct ioc *c, struct ioc_region *r);
/* A region of no bytes (@len 0 above) grows: a page at @pa, where no other is. @view: holds the
 * contents; DRAM is set equal to it. */
struct ioc_page *ioc_region_page_add(struct ioc *c, struct ioc_region *r, uint64_t pa,
                                     uint8_t *dram, uint8_t *view);

/* The page at a physical address, NULL if there is no memory. Stays valid until a region goes;
 * What ioc_generation() points at changes then. */
struct ioc_page *ioc_page_find(struct ioc *c, uint64_t pa);
const unsigned *ioc_generation(const struct ioc *c); /* as long as @c lives */
/* Of these lines, those that are dirty, unreported stores included. */
uint64_t ioc_page_dirty(struct ioc *c, struct ioc_page *p, uint64_t lines);
/* Bring the line's valid and dirty bits up to date with unreported stores. */
void ioc_page_look(struct ioc *c, struct ioc_page *p, unsigned line);

/* --- CPU side, cpu.c ---------------------------------------------------------------------------
 */

/**
 * ioc_cpu_access - the CPU is about to access [pa, pa + len) within one page
 * @va: for the trace
 * The view (cached) or DRAM image (uncached) then is what the access must use.
 * Return: time it takes is the caller's matter: number of lines that missed, or -1 if uncached.
 */
int ioc_cpu_access(struct ioc *c, uint64_t pa, uint64_t va, size_t len, enum access_kind access);

/* For the records of the next accesses: they are atomic or volatile in the program. */
void ioc_cpu_sync(struct ioc *c, bool sync);

/**
 * ioc_cpu_accessed - the same, reported after the access happened on the view
 * @cached: by a write-back mapping; else it passes the caches: a store goes on to the DRAM image
 */
int ioc_cpu_accessed(struct ioc *c, uint64_t pa, uint64_t va, size_t len, enum access_kind access,
                     bool cached);
/* The usual case of it, quickly: a load or store of one line that the caches hold, of which no
 * record is made. Return: false: it is another case, and nothing was done. */
bool ioc_cpu_hit(struct ioc *c, uint64_t pa, size_t len, enum access_kind access);
/* @n hits of such accesses (or uncached ones) to the region of @pa that were not reported one by
 * one,
 * @bytes together: counts only. Return: as ioc_cpu_access(). */
int ioc_cpu_hits(struct ioc *c, uint64_t pa, enum access_kind access, uint64_t n, uint64_t bytes);

/**
 * ioc_cpu_repeats - which accesses to the line at @pa would change nothing but counts now
 * @memory: NULL, or what the line's view must still be equal to before each load: else there is a
 * unreported store, which the next access finds Return: IOC_REPEATS_*, none, one or both. It
 * holds until anything happens to the line, or to another one of the same ioc_cpu_set(), or counts
 * are reported.
 */
enum { IOC_REPEATS_LOADS = 1, IOC_REPEATS_STORES = 2 };
unsigned ioc_cpu_repeats(struct ioc *c, uint64_t pa, const uint8_t **memory);
/* Accesses to lines of different sets do not change each other's age. */
unsigned ioc_cpu_set(const struct ioc *c, uint64_t pa);

/* Maintenance by address range, any length; pages without memory are skipped. Return: lines written
 * back (clean, clean_invalidate) or dropped (invalidate). @lost: dirty lines an invalidate threw
 * away, may be NULL. */
int64_t ioc_cpu_clean(struct ioc *c, uint64_t pa, uint64_t len);
int64_t ioc_cpu_clean_invalidate(struct ioc *c, uint64_t pa, uint64_t len);
int64_t ioc_cpu_invalidate(struct ioc *c, uint64_t pa, uint64_t len);

/* One line leaves the CPU caches: written back whole if dirty. */
void ioc_cpu_line_evict(struct ioc *c, struct ioc_page *p, unsigned line);

/* SEEDED: perhaps evict something now. Called at fixed points of the virtual order. */
void ioc_cpu_evict_some(struct ioc *c);

/* --- I/O port, port.c --------------------------------------------------------------------------
 */

/* [off, off + len) within the page. @agent and the page's region get the counts. */
void ioc_port_read(struct ioc *c, struct ioc_page *p, unsigned off, void *dst, unsigned len,
                   enum bus_agent agent);
/* The same for whole lines (IOC_LINE) if DRAM answers for all of them and no record is due. Return:
 * false: it is another case, and nothing was done. */
bool ioc_port_read_plain(struct ioc *c, struct ioc_page *p, unsigned off, void *dst, unsigned len,
                         enum bus_agent agent);
/* Would a read or a write of these whole lines make no record but such as are counted, and change
 * nothing of the CPU's caches? */
bool ioc_port_is_quiet(struct ioc *c, const struct ioc_page *p, unsigned off, unsigned len,
                       bool write, enum bus_agent agent);
/* The same for whole lines as if sector by sector (BUS_SECTOR): a dirty line is snooped for each of
 * its two. Return: false: records are due, and nothing was done. */
bool ioc_port_read_sectors(struct ioc *c, struct ioc_page *p, unsigned off, void *dst, unsigned len,
                           enum bus_agent agent);
/* Writes the first of these whole lines (BUS_LINE) that the CPU's caches do not hold: no record is
 * due. Return: bytes written; the line behind them, if any, is another case. */
unsigned ioc_port_write_plain(struct ioc *c, struct ioc_page *p, unsigned off, const uint8_t *src,
                              unsigned len, enum bus_agent agent);
/* Bytes i with bit i of @mask set; len <= BUS_LINE. @mask NULL: all. */
void ioc_port_write(struct ioc *c, struct ioc_page *p, unsigned off, const uint8_t *src,
                    unsigned len, const struct bus_mask *mask, enum bus_agent agent);

/* --- counts ------------------------------------------------------------------------------------
 */

/* From now on the region's counts are reported by ioc_counts_flush(). */
void ioc_region_touch(struct ioc *c, struct ioc_region *r);

static inline struct ioc_count *ioc_count(struct ioc *c, struct ioc_page *p, enum bus_agent agent)
{
    if (!p->region->touched) {
        ioc_region_touch(c, p->region);
    }
    return &p->region->count[agent];
}

/**
 * struct ioc_traffic - what some agents have moved since the last ioc_counts_flush()
 * @port: bytes through the I/O port by kind of memory; @l2: bytes between SMs and L2
 * @reads: bytes the agents asked for; @reads_l2, @reads_port: of these from the L2, past it or by
 * its fills
 */
enum ioc_kind { IOC_DEVICE, IOC_MANAGED, IOC_PINNED, IOC_PAGEABLE, IOC_KINDS };
struct ioc_traffic {
    uint64_t port[IOC_KINDS], l2, reads, reads_l2, reads_port;
};
/* @agents: bit a: agent a */
void ioc_traffic(const struct ioc *c, unsigned agents, struct ioc_traffic *out);

/* Emit SUM records for every region touched since the last call, in the order first touched. */
void ioc_counts_flush(struct ioc *c);

const struct ioc_totals *ioc_totals(const struct ioc *c);

#endif
