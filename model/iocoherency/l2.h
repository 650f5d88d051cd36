/* SPDX-License-Identifier: MIT */
/* The iGPU's L2: physically addressed, write-back, with data of its own.
 *
 * A line of 128 bytes in four sectors; each byte knows whether it is valid and whether it is dirty.
 * A hit returns the L2's bytes however old they are: only the driver invalidates them (and,
 * on a SoC where the CPU snoops the L2, the hardware). A store fills nothing: it sets bytes and
 * marks them dirty; they reach DRAM, byte by byte, when the line is cleaned or evicted. Source:
 * CUDA for Tegra, Table 1 and 2.1; sectors: CUDA best practices, "32-byte transactions".
 */
#ifndef MODEL_IOCOHERENCY_L2_H
#define MODEL_IOCOHERENCY_L2_H

#include "model/iocoherency/iocoherency.h"

struct l2;

struct l2_config {
    uint64_t bytes;
    unsigned ways;
    enum evict evict;
    uint64_t seed;
    uint64_t (*draw)(void *opaque); /* as in struct ioc_config */
    void *draw_opaque;
    enum bus_agent agent; /* the SMs, to which evictions by the seed are counted */
    bool cpu_snoops;      /* Thor: what the CPU sees and what the L2 holds are always the same */
};

/* @c, @trace: not owned, outlive it. */
struct l2 *l2_new(const struct l2_config *config, struct ioc *c, struct trace *trace);
void l2_free(struct l2 *l2);

/**
 * l2_load - bytes of one line
 * @off: of the line in the page; @sectors: which are wanted
 * Return: 128 bytes, the wanted sectors valid; until the next call.
 */
const uint8_t *l2_load(struct l2 *l2, struct ioc_page *p, unsigned off, unsigned sectors,
                       enum bus_agent agent);
void l2_store(struct l2 *l2, struct ioc_page *p, unsigned off, const uint8_t *data,
              const struct bus_mask *mask, enum bus_agent agent);
/* The same for @lines whole lines in a row within the page, one after the other. */
void l2_load_row(struct l2 *l2, struct ioc_page *p, unsigned off, uint8_t *data, unsigned lines,
                 enum bus_agent agent);
void l2_store_row(struct l2 *l2, struct ioc_page *p, unsigned off, const uint8_t *data,
                  unsigned lines, enum bus_agent agent);
/* The sector's bytes for a read-modify-write, to be changed by the caller before anything else
 * happens;
 * @off within the page; the @size bytes become dirty. Not for memory that a snooping CPU sees. */
uint8_t *l2_modify(struct l2 *l2, struct ioc_page *p, unsigned off, unsigned size,
                   enum bus_agent agent);

/* Of a line that will be accessed soon: where its bytes are in DRAM, NULL: they will not be read */
struct l2_want {
    uint64_t pa;
    const uint8_t *dram;
};
#define L2_WANTS 32u
/* l2_ahead.c: @n lines, at most L2_WANTS; not an access. */
void l2_ahead(struct l2 *l2, const struct l2_want *want, unsigned n);

/* Clean: dirty bytes to memory, lines stay. Invalidate: every line goes, dirty bytes are lost. */
void l2_clean(struct l2 *l2, enum bus_agent agent);
void l2_invalidate(struct l2 *l2, enum bus_agent agent);

/* The memory under these lines goes away (a region is removed): drop them, write nothing. */
void l2_forget(struct l2 *l2, uint64_t pa, uint64_t len);

/* SEEDED: perhaps one line leaves. */
void l2_evict_some(struct l2 *l2);

/* What it holds of the line at @pa goes over @line, 128 bytes; not an access. */
void l2_look(struct l2 *l2, uint64_t pa, uint8_t *line);

/* What the L2 holds of the line at @pa. Return: false if nothing. */
bool l2_line_state(struct l2 *l2, uint64_t pa, unsigned *dirty_bytes);

struct l2_totals {
    uint64_t hits, misses; /* sectors loaded */
    uint64_t evictions, written_back_bytes;
};
const struct l2_totals *l2_totals(const struct l2 *l2);

#endif
