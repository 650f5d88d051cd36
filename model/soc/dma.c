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
    for (unsigned g = 0; g < soc->gpus; g++) {
        l1_empty(&soc->gpu[g].port.l1, BUS_ALL_SMS);
    }
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

/* By bus address, as the front end does; engines behind the I/O port. All of it or nothing: pages
 * are looked for first, unless there is only one, as for an entry of a page table. */
bool soc_phys_access(struct soc *soc, enum unit_id engine, enum bus_agent agent, uint64_t pa,
                     void *buf, size_t len, bool write)
{
    bool one = len && len <= IOC_PAGE - pa % IOC_PAGE;
    uint8_t *at = buf;

    for (uint64_t p = pa & ~(uint64_t)(IOC_PAGE - 1); !one && p < pa + len; p += IOC_PAGE) {
        if (!soc_dma_page(soc, engine, p, write)) {
            return false;
        }
    }
    while (len > 0) {
        unsigned off = pa % IOC_PAGE;
        unsigned n = (unsigned)MIN(len, IOC_PAGE - off);
        struct ioc_page *page = soc_dma_page(soc, engine, pa, write);

        if (!page) {
            return false;
        }
        if (write) {
            ioc_port_write(soc->ioc, page, off, at, n, NULL, agent);
        } else {
            ioc_port_read(soc->ioc, page, off, at, n, agent);
        }
        at += n;
        pa += n;
        len -= n;
    }
    return true;
}

/* At the port the read and the write are one: nothing else runs in between. */
void soc_atomic_at_port(struct soc *soc, struct ioc_page *p, unsigned off, enum bus_atomic_op op,
                        unsigned size, uint64_t operand, uint64_t compare, enum bus_agent agent,
                        uint64_t *old)
{
    uint64_t value;

    *old = 0;
    ioc_port_read(soc->ioc, p, off, old, size, agent);
    value = bus_atomic_apply(op, BUS_ATOMIC_AT_L2, size, *old, operand, compare);
    ioc_port_write(soc->ioc, p, off, (const uint8_t *)&value, size, NULL, agent);
}
