/* SPDX-License-Identifier: MIT */
/* The iGPU's MMU: virtual addresses of a context to physical ones, by page tables in memory.
 *
 * Tables: model/regs/gmmu.h. Translations stay in a TLB until software invalidates it, so a driver
 * that forgets to sees what it would see on a board: the old mapping. */
#ifndef MODEL_SMMU_GMMU_H
#define MODEL_SMMU_GMMU_H

#include "model/bus.h"
#include "model/regs/gmmu.h"
#include "trace/record.h"

struct gmmu;

/* How the walk reads its tables: 64 bits at a physical address. Return: false if nothing is there.
 */
typedef bool gmmu_read(void *opaque, uint64_t pa, uint64_t *value);

/**
 * struct gmmu_entry - a translation
 * @page: opaque to the GMMU, filled by the owner (the page behind @pa) and kept with the entry, as
 * are
 *        @page_writable (it was looked up for a write) and @owner_generation
 * @beside: no allocation has the page, but its block of 2 MiB is mapped (GMMU_PTE_SPARSE)
 */
struct gmmu_entry {
    uint64_t tag; /* virtual page and context + 1; 0 = empty */
    uint64_t pa;  /* of the page */
    bool volatile_, read_only, atomic_disable, page_writable, beside;
    unsigned owner_generation;
    void *page;
};

#define GMMU_TLB_ENTRIES 4096u

/* The TLB itself, GMMU_TLB_ENTRIES, for gmmu_hit() alone: another one after the first
 * gmmu_translate(), then as long as the GMMU lives. */
struct gmmu_entry *gmmu_tlb(struct gmmu *g);

static inline uint64_t gmmu_tag(uint32_t context, uint64_t va)
{
    return va >> GMMU_PAGE_SHIFT << 12 | (context + 1);
}

/* Where in the TLB a translation is, if it is there. */
static inline struct gmmu_entry *gmmu_place(struct gmmu_entry *tlb, uint32_t context, uint64_t va)
{
    uint64_t vpn = va >> GMMU_PAGE_SHIFT;

    return &tlb[(vpn ^ vpn >> 12 ^ context * 257u) % GMMU_TLB_ENTRIES];
}

/* As gmmu_translate(), of what needs no walk. Return: NULL if it does. */
static inline struct gmmu_entry *gmmu_hit(struct gmmu_entry *tlb, uint32_t context, uint64_t va)
{
    struct gmmu_entry *e = gmmu_place(tlb, context, va);

    return e->tag == gmmu_tag(context, va) ? e : NULL;
}

/* @agent: whose records its invalidations are */
struct gmmu *gmmu_new(gmmu_read *read, void *opaque, struct trace *trace, uint32_t agent);
void gmmu_free(struct gmmu *g);

/* Context @index walks from the PDE3 table at @pdb from now on; its translations are forgotten. */
void gmmu_context_set(struct gmmu *g, uint32_t index, uint64_t pdb);

/**
 * gmmu_translate - find the translation of a virtual address
 * Return: the entry, valid until the next call; NULL with @fault filled if there is none.
 */
struct gmmu_entry *gmmu_translate(struct gmmu *g, uint32_t context, uint64_t va,
                                  struct bus_fault *fault);
void gmmu_invalidate(struct gmmu *g);

#endif
