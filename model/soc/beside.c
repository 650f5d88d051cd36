/* SPDX-License-Identifier: MIT */
/* Bytes that a board has mapped and that belong to no allocation: a block of 2 MiB is mapped whole.
 *
 * They are memory as any other: a kernel finds there what it stored. Zero at first (measured on an
 * H200 for fresh blocks), uncached here, which no program can see. Each page is kept for its
 * address, whatever is allocated and freed around it. */
#include "model/soc/soc_internal.h"

#define BESIDE_PA (UINT64_C(1) << 45) /* above all DRAM, GMMU_PTE_ADDRESS has 58 bits */

struct beside_key {
    enum unit_id gpu;
    uint32_t context;
    uint64_t vpn;
};

struct soc_beside {
    GHashTable *pages; /* struct beside_key -> struct ioc_page */
    uint8_t *dram[SOC_BESIDE_PAGES];
    unsigned n;
};

static guint key_hash(gconstpointer p)
{
    const struct beside_key *k = p;

    return (guint)(k->vpn ^ k->vpn >> 32) * 31 + k->context * 7 + (guint)k->gpu;
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const struct beside_key *x = a, *y = b;

    return x->vpn == y->vpn && x->context == y->context && x->gpu == y->gpu;
}

static struct soc_beside *beside_of(struct soc *soc)
{
    if (!soc->beside) {
        soc->beside = g_new0(struct soc_beside, 1);
        soc->beside->pages = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
    }
    return soc->beside;
}

struct ioc_page *soc_beside_page(struct soc *soc, enum unit_id gpu, uint32_t context, uint64_t va)
{
    struct soc_beside *s = beside_of(soc);
    struct beside_key key = { gpu, context, va / IOC_PAGE };
    struct ioc_page *page = g_hash_table_lookup(s->pages, &key);

    if (!page && s->n < SOC_BESIDE_PAGES) {
        uint64_t pa = BESIDE_PA + (uint64_t)s->n * IOC_PAGE;

        s->dram[s->n] = g_malloc0(IOC_PAGE);
        ioc_region_add(soc->ioc, SOC_BESIDE_ID + s->n, pa, IOC_PAGE, s->dram[s->n], NULL, false);
        s->n++;
        page = ioc_page_find(soc->ioc, pa);
        g_hash_table_insert(s->pages, g_memdup2(&key, sizeof(key)), page);
    }
    return page;
}

void soc_beside_free(struct soc *soc)
{
    struct soc_beside *s = soc->beside;

    for (unsigned i = 0; s && i < s->n; i++) {
        g_free(s->dram[i]);
    }
    if (s) {
        g_hash_table_destroy(s->pages);
        g_free(s);
    }
}

/* --- beside all allocations ------------------------------------------------------------------- */

/* Once for each place and page. */
static void beside_note(struct gpu_port *gp, uint64_t va, bool write)
{
    struct bus_port *port = &gp->port;
    uint64_t place = port->observed ? port->place : 0;

    for (unsigned i = 0; i < port->besides; i++) {
        if (port->beside[i].place == place && port->beside[i].va / IOC_PAGE == va / IOC_PAGE) {
            return;
        }
    }
    if (port->besides < BUS_BESIDES) {
        port->beside[port->besides++] = (struct bus_beside){ va, place, write };
    }
}

/* Only kernels get there: the driver checks what copies and fills name. The quick ways do not know
 * the page: they ask for its generation. */
struct gmmu_entry *gpu_beside_resolve(struct gpu_port *gp, struct gmmu_entry *e, uint64_t va,
                                      bool write, enum bus_status *status)
{
    *status = BUS_FAULT;
    gp->port.fault = (struct bus_fault){ .va = va, .write = write, .reason = "PTE invalid" };
    if (gp->port.agent != gp->sm_agent) {
        return NULL;
    }
    e->page = e->page ? e->page : soc_beside_page(gp->soc, gp->unit, gp->port.context, va);
    if (!e->page) {
        return NULL;
    }
    e->page_writable = e->volatile_ = true;
    e->owner_generation = soc_dma_generation(gp->soc) - 1;
    *status = BUS_OK;
    return e;
}

unsigned gpu_mask_first(const struct bus_mask *m)
{
    return m->word[0]   ? (unsigned)__builtin_ctzll(m->word[0])
           : m->word[1] ? 64 + (unsigned)__builtin_ctzll(m->word[1])
                        : 0;
}

static unsigned mask_last(const struct bus_mask *m)
{
    return m->word[1]   ? 127 - (unsigned)__builtin_clzll(m->word[1])
           : m->word[0] ? 63 - (unsigned)__builtin_clzll(m->word[0])
                        : 0;
}

/* Behind what was asked for, in the last page: bytes @first to @last from @va on. */
void gpu_behind_note(struct gpu_port *gp, const struct ioc_page *p, uint64_t va, unsigned first,
                     unsigned last, bool write)
{
    const struct ioc_region *r = p->region;
    uint64_t pa = p->pa + va % IOC_PAGE, end = r->pa + r->asked;

    if (r->asked && pa + last >= end && gp->port.agent == gp->sm_agent) {
        beside_note(gp, va + (MAX(pa + first, end) - pa), write);
    }
}

void gpu_behind_line(struct gpu_port *gp, const struct ioc_page *p, uint64_t line_va,
                     const struct bus_mask *bytes, bool write)
{
    gpu_behind_note(gp, p, line_va, gpu_mask_first(bytes), mask_last(bytes), write);
}

void gpu_beside_load(struct gpu_port *gp, const struct gmmu_entry *e, uint64_t line_va,
                     unsigned sectors)
{
    unsigned first = gp->port.observed ? gpu_mask_first(&gp->port.bytes)
                                       : BUS_SECTOR * (unsigned)__builtin_ctz(sectors);

    if (e->beside) {
        beside_note(gp, line_va + first, false);
    }
}

void gpu_beside_write(struct gpu_port *gp, const struct gmmu_entry *e, uint64_t va)
{
    if (e->beside) {
        beside_note(gp, va, true);
    }
}
