/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SOC_SOC_INTERNAL_H
#define MODEL_SOC_SOC_INTERNAL_H

#include <glib.h>

#include "model/bus.h"
#include "model/dla/engine.h"
#include "model/host1x/host1x.h"
#include "model/igpu/igpu.h"
#include "model/iocoherency/iocoherency.h"
#include "model/iocoherency/l2.h"
#include "model/smmu/gmmu.h"
#include "model/smmu/smmu.h"
#include "model/soc.h"

struct irq {
    bool level;
};

/* The iGPU's view of memory: GMMU, then L2 or the I/O port. gpu_port.c */
struct gpu_port {
    struct bus_port port; /* first */
    struct soc *soc;
    uint64_t told_place; /* port.place of the last GPU_AT, and its channel */
    uint32_t told_channel;
    uint8_t bounce[BUS_LINE]; /* a line that no cache holds */
};

/* A DLA's view of memory. dla_port.c
 * @smmu: NULL: physical addresses of CVSRAM */
struct soc_dla_port {
    struct bus_port port; /* first */
    struct soc *soc;
    enum soc_unit unit;
    struct smmu *smmu;
    uint32_t stream;
    uint8_t bounce[BUS_LINE];
};

#define SOC_DLAS 2u
#define SOC_SMMUS 2u

/* Who reads an SMMU's tables. */
struct soc_walker {
    struct soc *soc;
    enum soc_unit unit;
};

/* dla_join.c: a DLA with what stands around it. @engine NULL: the chip has none */
struct soc_dla {
    struct soc *soc;
    enum soc_unit unit;
    struct dla_engine *engine;
    struct soc_dla_port port, cvsram;
    enum soc_unit smmu;
    uint32_t stream;
};

struct soc_process;

/* Where a unit's registers are; size 0: the chip has none. */
struct soc_window {
    uint64_t base, size;
    const struct mmio_ops *ops;
    void *dev;
};

struct soc {
    struct soc_profile profile;
    struct soc_window window[SOC_UNIT_COUNT];
    struct trace trace;
    struct ioc *ioc;
    struct l2 *l2;
    struct gmmu *gmmu;
    struct host1x *host1x;
    struct igpu *igpu;
    struct gpu_port gpu_port;
    struct smmu *smmu[SOC_SMMUS]; /* NULL where the chip has none */
    struct soc_walker walker[SOC_SMMUS];
    struct soc_dla dla[SOC_DLAS];
    uint8_t *cvsram;
    unsigned next_dla;  /* whose turn it is */
    bool dla_seeded;
    uint64_t dla_random;
    uint64_t shim_page; /* bytes between two syncpoints for engines */
    struct irq irq[SOC_UNIT_COUNT];
    GHashTable *regions; /* id -> struct ioc_region */
    uint64_t port_bytes, port_bytes_seen; /* traffic of the iGPU's side at the I/O port */
    uint64_t cpu_ps;                      /* CPU time not yet a whole ns */
    struct soc_config decisions;          /* choose and draw alone */
    uint64_t dram_base;
    soc_translate *translate; /* NULL: bus addresses are physical */
    void *translate_opaque;
    unsigned dma_forgotten;      /* soc_dma_forget() calls */
    struct soc_process *process; /* NULL: the iGPU reaches no process's pages */
};

/* dma.c: the page behind a bus address, NULL if there is none or the machine's IOMMU refuses. */
struct ioc_page *soc_dma_page(struct soc *soc, enum soc_unit engine, uint64_t bus, bool write);
/* Changes whenever a page found before may be another one now. */
unsigned soc_dma_generation(const struct soc *soc);

/* process.c. Only where soc->process is not NULL: a translation of this step, good for @write; NULL: there is none, or
 * the process has no such page (@fault). */
struct gmmu_entry *soc_process_hit(struct soc *soc, uint64_t va, bool write);
struct gmmu_entry *soc_process_walk(struct soc *soc, uint64_t va, bool write, struct bus_fault *fault);
void soc_process_step(struct soc *soc);
void soc_process_free(struct soc *soc);

/* dla_port.c */
void soc_dla_port_init(struct soc_dla_port *dp, struct soc *soc, enum soc_unit unit,
                       struct smmu *smmu, uint32_t stream);
bool soc_dla_port_syncpt(struct soc_dla_port *dp, uint64_t iova, uint32_t *id);

/* dla_join.c */
void soc_dlas_build(struct soc *soc, enum soc_order order, uint64_t seed);
void soc_dlas_free(struct soc *soc);
/* While the iGPU goes on: do the DLAs, too, now? Always, but under the seeded order. */
bool soc_dlas_turn(struct soc *soc);
/* For soc_config.choose: see dla_engine_ready(); queues as it has them. */
unsigned soc_dlas_ready(struct soc *soc, uint32_t *agent, bool *happened);
void soc_dlas_run(struct soc *soc, uint32_t agent);
/* One operation of one DLA. Return: true if anything happened. */
bool soc_dlas_step(struct soc *soc);
/* Nothing else can happen: let time pass to the end of the first timeout. Return: false if there is none. */
bool soc_dlas_skip(struct soc *soc);
/* The device of a DLA or SMMU; false if the chip has none. @size: of its window here. */
bool soc_dlas_unit(const struct soc *soc, enum soc_unit unit, const struct mmio_ops **ops, void **dev,
                   uint64_t *base, uint64_t *size);
/* By bus address, as the front ends do; soc.c. */
bool soc_phys_access(struct soc *soc, enum soc_unit engine, uint64_t pa, void *buf, size_t len,
                     bool write);

void gpu_port_init(struct gpu_port *gp, struct soc *soc);

#endif
