/* SPDX-License-Identifier: MIT */
#include "model/smmu/gmmu.h"

#include <glib.h>
#include <string.h>

#include "model/regs/gmmu.h"
#include "model/regs/regs.h"

struct gmmu {
    gmmu_read *read;
    void *opaque;
    struct trace *trace;
    uint64_t pdb[CHAN_COUNT];
    uint32_t agent;
    struct gmmu_entry *tlb;          /* none[] before the first translation */
    uint16_t used[GMMU_TLB_ENTRIES]; /* the first n_used: which are not empty */
    unsigned n_used;
    struct gmmu_entry
        beside; /* the last one: none is kept, since the page may be mapped any time */
};

static struct gmmu_entry none[GMMU_TLB_ENTRIES]; /* of a GPU that is not used: never written */

struct gmmu *gmmu_new(gmmu_read *read, void *opaque, struct trace *trace, uint32_t agent)
{
    struct gmmu *g = g_new0(struct gmmu, 1);

    g->read = read;
    g->opaque = opaque;
    g->trace = trace;
    g->agent = agent;
    g->tlb = none;
    return g;
}

void gmmu_free(struct gmmu *g)
{
    if (g && g->tlb != none) {
        g_free(g->tlb);
    }
    g_free(g);
}

void gmmu_invalidate(struct gmmu *g)
{
    unsigned n = g->n_used;

    for (unsigned i = 0; i < n; i++) {
        g->tlb[g->used[i]].tag = 0;
    }
    g->n_used = 0;
    trace_emit(g->trace, TRACE_EVENT_MMU_INVALIDATE, g->agent, 0, n, 0, 0, 0);
}

void gmmu_context_set(struct gmmu *g, uint32_t index, uint64_t pdb)
{
    if (index < CHAN_COUNT && g->pdb[index] != pdb) {
        g->pdb[index] = pdb;
        gmmu_invalidate(g);
    }
}

/* One step of the walk: the next table's address, 0 if the entry is invalid or unreadable. */
static uint64_t pde_next(struct gmmu *g, uint64_t table, unsigned index, unsigned entry_bytes)
{
    uint64_t pde;

    /* PDE0 is dual: the small-page half is the second 8 bytes. */
    if (!g->read(g->opaque, table + (uint64_t)index * entry_bytes + (entry_bytes - 8), &pde) ||
        (pde & GMMU_PDE_APERTURE_MASK) == 0) {
        return 0;
    }
    return GMMU_PDE_ADDRESS(pde);
}

static bool block_is_mapped(struct gmmu *g, uint64_t table)
{
    uint64_t pte;

    for (unsigned i = 0; i < GMMU_TABLE_BYTES / sizeof(pte); i++) {
        if (g->read(g->opaque, table + i * sizeof(pte), &pte) && pte & GMMU_PTE_VALID) {
            return true;
        }
    }
    return false;
}

/* Return: NULL and *@pte, or why not. */
static const char *gmmu_walk(struct gmmu *g, uint64_t pdb, uint64_t va, uint64_t *pte)
{
    uint64_t table = pdb;

    if (va >> GMMU_VA_BITS) {
        return "address beyond 49 bits";
    }
    if (!table || !(table = pde_next(g, table, va >> GMMU_PDE3_SHIFT & 0x3, 8)) ||
        !(table = pde_next(g, table, va >> GMMU_PDE2_SHIFT & 0x1ff, 8)) ||
        !(table = pde_next(g, table, va >> GMMU_PDE1_SHIFT & 0x1ff, 8)) ||
        !(table = pde_next(g, table, va >> GMMU_PDE0_SHIFT & 0xff, 16))) {
        return "PDE invalid";
    }
    if (!g->read(g->opaque, table + (va >> GMMU_PAGE_SHIFT & 0x1ff) * 8, pte) ||
        (!(*pte & GMMU_PTE_VALID) && !(*pte & GMMU_PTE_SPARSE && block_is_mapped(g, table)))) {
        return "PTE invalid";
    }
    return NULL;
}

struct gmmu_entry *gmmu_tlb(struct gmmu *g)
{
    return g->tlb;
}

struct gmmu_entry *gmmu_translate(struct gmmu *g, uint32_t context, uint64_t va,
                                  struct bus_fault *fault)
{
    uint64_t tag = gmmu_tag(context, va);
    struct gmmu_entry *e;
    uint64_t pte;
    const char *reason;

    if (g->tlb == none) {
        g->tlb = g_new0(struct gmmu_entry, GMMU_TLB_ENTRIES);
    }
    e = gmmu_place(g->tlb, context, va);
    if (e->tag == tag) {
        return e;
    }
    reason = gmmu_walk(g, context < CHAN_COUNT ? g->pdb[context] : 0, va, &pte);
    if (reason) {
        fault->va = va;
        fault->reason = reason;
        return NULL;
    }
    if (!(pte & GMMU_PTE_VALID)) {
        g->beside = (struct gmmu_entry){ .beside = true };
        return &g->beside;
    }
    if (!e->tag) {
        g->used[g->n_used++] = (uint16_t)(e - g->tlb);
    }
    *e = (struct gmmu_entry){
        .tag = tag,
        .pa = GMMU_PTE_ADDRESS(pte),
        .volatile_ = pte & GMMU_PTE_VOL,
        .read_only = pte & GMMU_PTE_READ_ONLY,
        .atomic_disable = pte & GMMU_PTE_ATOMIC_DISABLE,
    };
    return e;
}
