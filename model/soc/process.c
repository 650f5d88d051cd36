/* SPDX-License-Identifier: MIT */
/* Pageable memory: where the iGPU's tables end, those of the process go on.
 *
 * A miss in the GMMU becomes a translation request to the SMMU (PCIe ATS, Arm SMMUv3 chapter 3.9), answered from the
 * process's page tables; the answer is kept in a cache of its own, the ATC. Linux takes it back when the process
 * changes a mapping (an MMU notifier); here it lasts for one step of the SoC.
 */
#include <errno.h>

#include "model/soc/soc_internal.h"

#define ATC_ENTRIES 1024u

struct soc_process {
    soc_process_find *find;
    void *opaque;
    struct ioc_region *region;
    unsigned step;
    struct gmmu_entry atc[ATC_ENTRIES];
};

int soc_process_pages(struct soc *soc, uint32_t id, soc_process_find *find, void *opaque)
{
    struct soc_process *p;

    if (!soc->profile.gpu.pageable_uses_host_page_tables) {
        return -ENOTSUP;
    }
    if (id == 0 || soc->process || g_hash_table_contains(soc->regions, GUINT_TO_POINTER(id))) {
        return -EEXIST;
    }
    p = g_new0(struct soc_process, 1);
    p->find = find;
    p->opaque = opaque;
    p->region = ioc_region_add(soc->ioc, id, 0, 0, NULL, NULL, false);
    g_hash_table_insert(soc->regions, GUINT_TO_POINTER(id), p->region);
    soc->process = p;
    return 0;
}

void soc_process_free(struct soc *soc)
{
    g_clear_pointer(&soc->process, g_free);
}

void soc_process_step(struct soc *soc)
{
    if (soc->process) {
        soc->process->step++;
    }
}

static struct gmmu_entry *entry_of(struct soc_process *p, uint64_t va)
{
    uint64_t vpn = va / IOC_PAGE;

    return &p->atc[(vpn ^ vpn >> 10) % ATC_ENTRIES];
}

struct gmmu_entry *soc_process_hit(struct soc *soc, uint64_t va, bool write)
{
    struct gmmu_entry *e = entry_of(soc->process, va);

    return e->tag == va / IOC_PAGE + 1 && e->owner_generation == soc->process->step &&
                   (e->page_writable || !write)
               ? e
               : NULL;
}

struct gmmu_entry *soc_process_walk(struct soc *soc, uint64_t va, bool write, struct bus_fault *fault)
{
    struct soc_process *p = soc->process;
    struct gmmu_entry *e = entry_of(p, va);
    struct soc_process_page found;
    struct ioc_page *page;
    int error = p->find(p->opaque, va & ~(uint64_t)(IOC_PAGE - 1), write, &found);

    if (error) {
        fault->reason = error == -EACCES   ? "read-only"
                        : error == -ENOMEM ? "no memory at the physical address"
                                           : fault->reason; /* the GMMU's own */
        return NULL;
    }
    page = ioc_page_find(soc->ioc, found.pa);
    if (!page) {
        page = ioc_region_page_add(soc->ioc, p->region, found.pa, found.dram, found.view);
    }
    *e = (struct gmmu_entry){
        .tag = va / IOC_PAGE + 1,
        .pa = found.pa,
        .page_writable = write,
        .owner_generation = p->step,
        .page = page,
    };
    return e;
}
