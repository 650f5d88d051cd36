/* SPDX-License-Identifier: MIT */
/* From what an engine puts on the bus to a page of memory. In the SoC alone that is the physical
 * address; inside another machine its IOMMU decides. */
#include "model/soc/soc_internal.h"

void soc_dma_hook(struct soc *soc, soc_translate *translate, void *opaque)
{
    soc->translate = translate;
    soc->translate_opaque = opaque;
    soc_dma_forget(soc);
}

void soc_dma_forget(struct soc *soc)
{
    soc->dma_forgotten++;
}

unsigned soc_dma_generation(const struct soc *soc)
{
    return ioc_generation(soc->ioc) + soc->dma_forgotten;
}

struct ioc_page *soc_dma_page(struct soc *soc, enum soc_unit engine, uint64_t bus, bool write)
{
    uint64_t pa = bus;

    if (soc->translate &&
        !soc->translate(soc->translate_opaque, engine, bus & ~(uint64_t)(IOC_PAGE - 1), write,
                        &pa)) {
        return NULL;
    }
    return ioc_page_find(soc->ioc, pa);
}
