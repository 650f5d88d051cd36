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
    return *ioc_generation(soc->ioc) + soc->dma_forgotten;
}

struct ioc_page *soc_dma_page(struct soc *soc, enum unit_id engine, uint64_t bus, bool write)
{
    uint64_t pa = bus;

    if (soc->translate && !soc->translate(soc->translate_opaque, engine,
                                          bus & ~(uint64_t)(IOC_PAGE - 1), write, &pa)) {
        return NULL;
    }
    return ioc_page_find(soc->ioc, pa);
}

/* Within the page */
static void phys_access(struct soc *soc, struct ioc_page *page, uint64_t pa, uint8_t *at,
                        unsigned len, bool write)
{
    if (write) {
        ioc_port_write(soc->ioc, page, pa % IOC_PAGE, at, len, NULL, BUS_AGENT_HOST);
    } else {
        ioc_port_read(soc->ioc, page, pa % IOC_PAGE, at, len, BUS_AGENT_HOST);
    }
}

/* By bus address, as the front end does; engines behind the I/O port. All of it or nothing. */
bool soc_phys_access(struct soc *soc, enum unit_id engine, uint64_t pa, void *buf, size_t len,
                     bool write)
{
    uint8_t *at = buf;

    if (len && len <= IOC_PAGE - pa % IOC_PAGE) { /* an entry of a page table */
        struct ioc_page *page = soc_dma_page(soc, engine, pa, write);

        if (page) {
            phys_access(soc, page, pa, at, (unsigned)len, write);
        }
        return page;
    }
    for (uint64_t p = pa & ~(uint64_t)(IOC_PAGE - 1); p < pa + len; p += IOC_PAGE) {
        if (!soc_dma_page(soc, engine, p, write)) {
            return false;
        }
    }
    while (len > 0) {
        unsigned n = (unsigned)MIN(len, IOC_PAGE - pa % IOC_PAGE);

        phys_access(soc, soc_dma_page(soc, engine, pa, write), pa, at, n, write);
        at += n;
        pa += n;
        len -= n;
    }
    return true;
}
