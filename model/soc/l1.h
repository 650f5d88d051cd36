/* SPDX-License-Identifier: MIT */
/* The L1 of each SM: by virtual address, and no other SM, engine or CPU keeps it up to date.
 *
 * Global loads of cached memory fill it; pinned memory, which Table 1 says is uncached, never comes
 * here. A store of the SM goes through and updates a line that is there, an atomic drops it. A
 * fence that acquires at the iGPU's scope or more empties it, and so does the begin of a kernel.
 * litmus/gpu.c says the same. Sources: PTX ISA, cache operators (ld.ca: "the L1 may hold stale
 * data"), 8.8; CUDA for Tegra, Table 1. Which loads come here is the profile's l1_loads, how large
 * it is l1_bytes. Standing of its geometry (direct-mapped, lines of 128 bytes in four sectors):
 * inferred.
 *
 * A line has bytes of its own only once it needs them. Until then they are those below: the L2's
 * line as long as that stays, then DRAM. Before anything but the SM's own stores changes these,
 * l1_before_store() or l1_before_change() copies them. Where DRAM may be newer than what the L2
 * held (the CPU caches it, or an engine has written it), they are copied when the line leaves the
 * L2, and on Thor, whose L2 follows the CPU, at once. Not noticed: stores of a CPU that passes its
 * caches, to memory that the iGPU caches, where no line of the L2 holds it any more.
 */
#ifndef MODEL_SOC_L1_H
#define MODEL_SOC_L1_H

#include "model/bus.h"
#include "model/iocoherency/l2_line.h"
#include "model/profile.h"

/**
 * struct l1_line
 * @tag: the address and its context, l1_tag(); @epoch: when it came: older ones hold nothing
 * @below, @birth: the L2's line when it came, with the proof that it is that one still
 * @moment: of the load that asked for each sector
 * @page: of the memory under it, its place in struct l1
 * @copied: has bytes of its own
 * So small because programs that load each line once touch all of them
 */
struct l1_line {
    uint64_t tag, birth : 48, epoch : 16;
    const struct l2_line *below;
    uint8_t moment[BUS_LINE / BUS_SECTOR];
    uint32_t page : 27, sectors : 4, copied : 1;
};

#define L1_BIRTHS ((UINT64_C(1) << 48) - 1)    /* lines that the L2 has had */
#define L1_PAGES_MAX ((UINT32_C(1) << 27) - 1) /* 512 GiB of memory */

/* @line: one that holds nothing until it is used; @mask: number of lines - 1; @copy: NULL until one
 * is copied */
struct l1_sm {
    struct l1_line *line;
    uint8_t (*copy)[BUS_LINE];
    uint32_t mask;
    uint16_t epoch;
};

#define L1_PAGE_LINES (IOC_PAGE / BUS_LINE)
#define L1_BITS 16u /* in a mask of SMs; SM s has bit s % L1_BITS */
typedef uint16_t l1_mask;

/**
 * struct l1_page - which SMs may hold lines of a page, since the L1s were empty
 * @tag: l1_tag() of the page, for the first that came; lines by another address are copied at once
 * @held, @copied: bit of an SM: may have the line without and with bytes of its own
 */
struct l1_page {
    struct ioc_page *page;
    uint64_t tag;
    l1_mask held[L1_PAGE_LINES], copied[L1_PAGE_LINES];
};

/* @takes: bit i: loads of enum bus_how i come here
 * @snoops: the port finds dirty lines of the CPU's caches
 * @page: by ioc_page.held; the first is of no page, @pages are in use
 * @moment: of the load that is under way
 * @late_bytes: of hits that have to wait; who accounts time clears it */
struct l1 {
    bool takes[BUS_HOWS], l2_follows_cpu, snoops;
    enum evict evict;
    uint64_t random;
    unsigned sms;
    uint32_t mask; /* of each SM */
    struct l1_sm *sm;
    struct l1_page *page;
    uint32_t pages, room;
    struct l2 *l2;
    const uint8_t *moment;
    uint64_t late_bytes;
};

/* @moment: of the load that is under way, kept by the caller */
void l1_init(struct l1 *l1, struct l2 *l2, const struct soc_profile *p, enum evict evict,
             uint64_t seed, const uint8_t *moment);
void l1_fini(struct l1 *l1);

static inline uint64_t l1_tag(uint32_t context, uint64_t line_va)
{
    return line_va << 5 | (context + 1);
}

/* Of the line in its page */
static inline unsigned l1_offset(uint64_t tag)
{
    return (unsigned)(tag >> 5) % IOC_PAGE;
}

/* Where a line is, if it is there. */
static inline struct l1_line *l1_place(const struct l1_sm *s, uint64_t tag)
{
    uint64_t number = (tag >> 5) / BUS_LINE;

    return &s->line[(number ^ number >> 10) & s->mask];
}

static inline struct l1_line *l1_find(const struct l1 *l1, unsigned sm, uint64_t tag)
{
    struct l1_line *line = sm < l1->sms ? l1_place(&l1->sm[sm], tag) : NULL;

    return line && line->tag == tag && line->epoch == l1->sm[sm].epoch ? line : NULL;
}

/* Have @sectors, which are there, to be waited for by a load at @moment? Warps of an SM run one
 * after the other here and side by side on a board: what another has asked for in the same cycle is
 * on its way there, and this one waits for it, too. Standing: inferred. A warp that comes earlier
 * than the one that asked is not noticed; one in 256 hits is taken for such by chance. */
static inline bool l1_is_late(const struct l1_line *line, unsigned sectors, uint8_t moment)
{
    return line->moment[__builtin_ctz(sectors | 8)] == moment;
}

static inline struct ioc_page *l1_line_page(const struct l1 *l1, const struct l1_line *line)
{
    return l1->page[line->page].page;
}

/* Return: NULL: nothing of it is held */
static inline struct l1_page *l1_page_of(const struct l1 *l1, const struct ioc_page *page)
{
    struct l1_page *h = &l1->page[page->held < l1->pages ? page->held : 0];

    return h->page == page ? h : NULL;
}

/* Bytes of its own from now on */
const uint8_t *l1_keep(struct l1 *l1, unsigned sm, struct l1_line *line);

/* The bytes of a line that is there */
static inline const uint8_t *l1_bytes(struct l1 *l1, unsigned sm, struct l1_line *line)
{
    if (line->copied) {
        return l1->sm[sm].copy[line - l1->sm[sm].line];
    }
    return line->below->birth == line->birth ? l2_line_bytes(line->below) : l1_keep(l1, sm, line);
}

/* The bytes that a load wants: are they others than those behind the L1? */
bool l1_is_old(const struct l1 *l1, const struct l1_line *line, const uint8_t *bytes,
               const struct bus_mask *want);

/* A fill of sectors of a line that is not there with what l2_load() gave, @from. Return: the line's
 * bytes. */
const uint8_t *l1_fill(struct l1 *l1, unsigned sm, uint64_t tag, const uint8_t *from,
                       unsigned sectors);
/* The same of one that is there, for which they are new */
const uint8_t *l1_fill_more(struct l1 *l1, unsigned sm, struct l1_line *line, const uint8_t *from,
                            unsigned sectors);

void l1_follow(struct l1 *l1, struct l1_page *h, unsigned sm, uint64_t tag, const uint8_t *data,
               const struct bus_mask *mask);
void l1_leave(struct l1 *l1, struct l1_page *h, unsigned sm, uint64_t tag);

/* A store to the page by @sm, or BUS_NO_SM: what it has of the line follows, what others have
 * stays. */
static inline void l1_before_store(struct l1 *l1, const struct ioc_page *page, unsigned sm,
                                   uint64_t tag, const uint8_t *data, const struct bus_mask *mask)
{
    struct l1_page *h = l1_page_of(l1, page);
    unsigned i = l1_offset(tag) / BUS_LINE;

    if (h && (h->held[i] | h->copied[i])) {
        l1_follow(l1, h, sm, tag, data, mask);
    }
}

/* The same for an atomic, or a store past the L1: what @sm has is dropped. */
static inline void l1_before_atomic(struct l1 *l1, const struct ioc_page *page, unsigned sm,
                                    uint64_t tag)
{
    struct l1_page *h = l1_page_of(l1, page);
    unsigned i = l1_offset(tag) / BUS_LINE;

    if (h && (h->held[i] | h->copied[i])) {
        l1_leave(l1, h, sm, tag);
    }
}

/* Anything else changes what is below these bytes of the page. */
void l1_before_change(struct l1 *l1, const struct ioc_page *page, unsigned off, unsigned len);
/* What is below changes anywhere. */
void l1_keep_all(struct l1 *l1);
/* @sm: BUS_ALL_SMS: of all */
void l1_empty(struct l1 *l1, unsigned sm);
/* SEEDED: perhaps what one SM holds leaves. */
void l1_evict_some(struct l1 *l1);

#endif
