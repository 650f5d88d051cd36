/* SPDX-License-Identifier: MIT */
/* An instruction whose lanes access many lines says so beforehand: what the ways of gpu_port.c will
 * touch of the L1, the TLB, the L2 and memory then comes into the host's caches at once, not line
 * by line.
 *
 * Taken by SMs for accesses with few lanes a line. It reads what is kept of translations and lines
 * and changes nothing, so that results, counts and records cannot depend on it: test_l2, which
 * holds an L2 with such hints against one without, fails if it did.
 */
#include "model/soc/soc_internal.h"

/* Which page of an L1 stands for this one, and who holds the line */
static void held_ahead(const struct l1 *l1, const struct ioc_page *page, uint64_t va)
{
    const struct l1_page *h = &l1->page[page->held < l1->pages ? page->held : 0];

    __builtin_prefetch(&h->page, 1);
    __builtin_prefetch(&h->held[va % IOC_PAGE / BUS_LINE], 1);
}

/* Return: the line is in the SM's L1, and what it has been asked for again is on its way. */
static bool l1_ahead(const struct gpu_port *gp, uint64_t va)
{
    uint64_t tag = l1_tag(gp->port.context, va & ~(uint64_t)(BUS_LINE - 1));
    const struct l1_line *held = l1_find(&gp->l1, gp->port.sm, tag);

    if (held) {
        __builtin_prefetch(held->below);
        __builtin_prefetch(l2_line_bytes(held->below) + va % BUS_LINE);
    }
    return held != NULL;
}

static const struct gmmu_entry *entry_ahead(const struct gpu_port *gp, uint64_t va)
{
    const struct gmmu_entry *e = gmmu_hit(gp->tlb, gp->port.context, va);

    return e && e->page && !e->volatile_ &&
                   e->owner_generation == *gp->generation + gp->soc->dma_forgotten
               ? e
               : NULL;
}

/* Those of a GPU that is not used: never written. */
static struct gpu_guess no_guesses[GPU_GUESSES];
static struct gpu_hit no_hits[GPU_HITS];

void gpu_tables_init(struct gpu_port *gp)
{
    gp->tlb = gmmu_tlb(gp->gmmu);
    gp->hit = no_hits;
    gp->guess = no_guesses;
}

void gpu_tables_hits(struct gpu_port *gp)
{
    if (gp->hit == no_hits) {
        gp->hit = g_aligned_alloc0(GPU_HITS, sizeof(*gp->hit), _Alignof(struct gpu_hit));
    }
}

void gpu_tables_fini(struct gpu_port *gp)
{
    if (gp->hit != no_hits) {
        g_aligned_free(gp->hit);
    }
    if (gp->guess != no_guesses) {
        g_free(gp->guess);
    }
}

static struct gpu_guess *guess_of(struct gpu_port *gp, uint64_t va)
{
    return &gp->guess[va / IOC_PAGE % GPU_GUESSES];
}

void gpu_ahead_keep(struct gpu_port *gp, const struct gmmu_entry *e, uint64_t va)
{
    const struct ioc_page *p = e->page;

    if (p && !e->volatile_) {
        if (gp->guess == no_guesses) {
            gp->guess = g_new0(struct gpu_guess, GPU_GUESSES);
        }
        *guess_of(gp, va) = (struct gpu_guess){ gmmu_tag(gp->port.context, va), e->pa, p, p->dram };
    }
}

/* What the TLB no longer has needs a walk: until then a guess does. */
static void guess_ahead(struct gpu_port *gp, uint64_t va, bool store, struct l2_want *want,
                        unsigned *n)
{
    const struct gpu_guess *g = guess_of(gp, va);

    if (g->tag == gmmu_tag(gp->port.context, va)) {
        __builtin_prefetch(g->page);
        want[(*n)++] = (struct l2_want){ g->pa + va % IOC_PAGE,
                                         store ? NULL : g->dram + (va & (IOC_PAGE - BUS_LINE)) };
    }
}

void gpu_ahead(struct bus_port *port, const uint64_t *va, uint64_t add, uint32_t lanes,
               unsigned how, bool store)
{
    struct gpu_port *gp = (struct gpu_port *)port;
    const struct ioc_page *page[L2_WANTS];
    struct l2_want want[L2_WANTS], guess[L2_WANTS];
    uint64_t at[L2_WANTS];
    unsigned n = 0, guesses = 0;

    if (gp->soc->process) {
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        uint64_t a = va[__builtin_ctz(lanes)] + add;
        const struct gmmu_entry *e;

        if (!store && gp->l1.takes[how] && l1_ahead(gp, a)) {
            continue;
        }
        e = entry_ahead(gp, a);
        if (e) {
            __builtin_prefetch(e->page);
            page[n] = e->page;
            want[n] = (struct l2_want){ .pa = e->pa + a % IOC_PAGE };
            at[n++] = a;
        } else {
            guess_ahead(gp, a, store, guess, &guesses);
        }
    }
    for (unsigned k = 0; k < n && !store; k++) {
        want[k].dram = page[k]->dram + (at[k] & (IOC_PAGE - BUS_LINE));
    }
    if (n == 0) {
        return;
    }
    l2_ahead(gp->l2, want, n);
    l2_ahead(gp->l2, guess, guesses);
    for (unsigned k = 0; k < n; k++) {
        held_ahead(&gp->l1, page[k], at[k]);
    }
}
