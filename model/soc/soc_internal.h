/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SOC_SOC_INTERNAL_H
#define MODEL_SOC_SOC_INTERNAL_H

#include <glib.h>

#include "model/bus.h"
#include "model/engine.h"
#include "model/host1x/host1x.h"
#include "model/igpu/igpu.h"
#include "model/iocoherency/iocoherency.h"
#include "model/iocoherency/l2_line.h"
#include "model/smmu/gmmu.h"
#include "model/smmu/smmu.h"
#include "model/soc.h"
#include "model/soc/l1.h"

struct irq {
    bool level;
};

/* The iGPU's view of memory: the SM's L1, GMMU, then L2 or the I/O port. gpu_port.c */
#define GPU_HITS 4096u

/* A load that found its line in the L2, to be done again without a look-up where nothing has changed.
 * One line of the host.
 * @tag: 128 bytes of a context's addresses
 * @region: of the L2's line, and there as long as that is */
struct gpu_hit {
    uint64_t tag;
    const struct gmmu_entry *entry;
    struct ioc_region *region;
    struct l2_place place;
} __attribute__((aligned(L2_HOST_LINE)));

struct gpu_port {
    struct bus_port port; /* first */
    struct soc *soc;
    struct l1 l1;
    struct gmmu_entry *tlb;
    const unsigned *generation;
    struct gpu_hit hit[GPU_HITS];
    uint64_t told_place; /* port.place of the last GPU_AT, and its channel */
    uint32_t told_channel;
    uint8_t bounce[BUS_LINE] __attribute__((aligned(L2_HOST_LINE))); /* a line that no cache holds */
};

/* An engine's view of memory. engine_port.c
 * @smmu: NULL: physical addresses of CVSRAM */
struct soc_engine_port {
    struct bus_port port; /* first */
    struct soc *soc;
    const struct soc_engine *engine;
    struct smmu *smmu;
    uint8_t bounce[BUS_LINE];
};

#define SOC_SMMUS 2u

/* Who reads an SMMU's tables. */
struct soc_walker {
    struct soc *soc;
    enum unit_id unit;
};

struct soc_engine_row;

/* engines.c: an engine with what stands around it */
struct soc_engine {
    struct soc *soc;
    const struct soc_engine_row *row;
    void *dev;
    enum unit_id unit, smmu;
    uint32_t stream, first_queue;
    uint64_t random; /* the seeded order among its queues */
    uint64_t ns;     /* its own clock: when what it ran has ended */
    struct soc_engine_port port, cvsram;
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
    struct soc_window window[UNIT_COUNT];
    struct trace trace;
    struct ioc *ioc;
    struct l2 *l2;
    struct gmmu *gmmu;
    struct host1x *host1x;
    struct igpu *igpu;
    struct gpu_port gpu_port;
    struct smmu *smmu[SOC_SMMUS]; /* NULL where the chip has none */
    struct soc_walker walker[SOC_SMMUS];
    struct soc_engine engine[ENGINES_MAX];
    unsigned engines; /* that this SoC has */
    uint8_t *cvsram;
    unsigned next_engine; /* whose turn it is */
    enum order order;
    uint64_t engines_random; /* of the seeded order between the iGPU and the engines */
    uint64_t shim_page; /* bytes between two syncpoints for engines */
    struct irq irq[UNIT_COUNT];
    GHashTable *regions; /* id -> struct ioc_region */
    uint64_t work, slice; /* units that all have done, and that a step does */
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
struct ioc_page *soc_dma_page(struct soc *soc, enum unit_id engine, uint64_t bus, bool write);
/* By bus address, as the front ends do, behind the I/O port. */
bool soc_phys_access(struct soc *soc, enum unit_id engine, uint64_t pa, void *buf, size_t len, bool write);
/* Changes whenever a page found before may be another one now. */
unsigned soc_dma_generation(const struct soc *soc);

/* process.c. Only where soc->process is not NULL: a translation of this step, good for @write; NULL: there is none, or
 * the process has no such page (@fault). */
struct gmmu_entry *soc_process_hit(struct soc *soc, uint64_t va, bool write);
struct gmmu_entry *soc_process_walk(struct soc *soc, uint64_t va, bool write, struct bus_fault *fault);
void soc_process_step(struct soc *soc);
void soc_process_free(struct soc *soc);

/* engine_port.c */
void soc_engine_port_init(struct soc_engine_port *ep, const struct soc_engine *engine, struct smmu *smmu,
                          enum bus_agent agent);
bool soc_engine_port_syncpt(struct soc_engine_port *ep, uint64_t iova, uint32_t *id);

/* smmus.c */
void soc_smmus_build(struct soc *soc);
void soc_smmus_free(struct soc *soc);

/* engines.c */
void soc_engines_build(struct soc *soc, enum order order, uint64_t seed);
void soc_engines_free(struct soc *soc);
void soc_engines_dump(struct soc *soc, void (*line)(void *opaque, const char *text), void *opaque);
/* While the iGPU makes progress: do the engines, too, now? Always, but under the seeded order. */
bool soc_engines_turn(struct soc *soc);
/* For soc_config.choose: the queues that can go on, in their own numbers. See engine_ops.ready. */
unsigned soc_engines_ready(struct soc *soc, uint32_t *agent, bool *happened);
void soc_engines_run(struct soc *soc, uint32_t agent);
/* One operation of one engine. Return: true if anything happened. */
bool soc_engines_step(struct soc *soc);
/* Nothing else can happen: let time pass to the end of the first timeout. Return: false if there is none. */
bool soc_engines_skip(struct soc *soc);

void gpu_port_init(struct gpu_port *gp, struct soc *soc, const struct soc_config *config);
void gpu_port_fini(struct gpu_port *gp);

#endif
