/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SOC_SOC_INTERNAL_H
#define MODEL_SOC_SOC_INTERNAL_H

#include <glib.h>

#include "model/bus.h"
#include "model/host1x/host1x.h"
#include "model/igpu/igpu.h"
#include "model/iocoherency/iocoherency.h"
#include "model/iocoherency/l2.h"
#include "model/smmu/gmmu.h"
#include "model/soc.h"

struct irq {
    bool level;
};

/* The iGPU's view of memory: GMMU, then L2 or the I/O port. gpu_port.c */
struct gpu_port {
    struct bus_port port; /* first */
    struct soc *soc;
    uint8_t bounce[BUS_LINE]; /* a line that no cache holds */
};

struct soc {
    struct soc_profile profile;
    struct trace trace;
    struct ioc *ioc;
    struct l2 *l2;
    struct gmmu *gmmu;
    struct host1x *host1x;
    struct igpu *igpu;
    struct gpu_port gpu_port;
    struct irq irq[SOC_UNIT_COUNT];
    GHashTable *regions; /* id -> struct ioc_region */
    uint64_t port_bytes, port_bytes_seen; /* traffic of the iGPU's side at the I/O port */
    uint64_t cpu_ps;                      /* CPU time not yet a whole ns */
    uint64_t dram_base;
    soc_translate *translate; /* NULL: bus addresses are physical */
    void *translate_opaque;
    unsigned dma_forgotten; /* soc_dma_forget() calls */
};

/* dma.c: the page behind a bus address, NULL if there is none or the machine's IOMMU refuses. */
struct ioc_page *soc_dma_page(struct soc *soc, uint64_t bus, bool write);
/* Changes whenever a page found before may be another one now. */
unsigned soc_dma_generation(const struct soc *soc);

void gpu_port_init(struct gpu_port *gp, struct soc *soc);

#endif
