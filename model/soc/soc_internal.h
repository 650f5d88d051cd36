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
#include "model/soc/dram.h"
#include "model/soc/l1.h"

struct irq {
    bool level;
};

/* A GPU's view of memory: the SM's L1, GMMU, then L2 or the I/O port. gpu_port.c */
#define GPU_HITS 4096u

/* A load that found its line in the L2, to be done again without a look-up where nothing has
 * changed. One line of the host.
 * @tag: 128 bytes of a context's addresses
 * @region: of the L2's line, and there as long as that is */
struct gpu_hit {
    uint64_t tag;
    const struct gmmu_entry *entry;
    struct ioc_region *region;
    struct l2_place place;
} __attribute__((aligned(L2_HOST_LINE)));

/* Where a page was when the TLB got its translation, for hints alone: the TLB forgets sooner.
 * @tag: as in struct gmmu_entry; @page, @dram: perhaps gone, never read */
#define GPU_GUESSES 16384u
struct gpu_guess {
    uint64_t tag, pa;
    const struct ioc_page *page;
    const uint8_t *dram;
};

struct gpu_port {
    struct bus_port port; /* first */
    struct soc *soc;
    struct l2 *l2;
    struct gmmu *gmmu;
    enum unit_id unit;
    enum bus_agent sm_agent;
    uint64_t link_bytes; /* that have passed the L2 by: of a discrete GPU, over its link */
    struct l1 l1;
    struct gmmu_entry *tlb;
    const unsigned *generation;
    struct gpu_hit *hit;     /* GPU_HITS, from the first load on; a GPU that is not used has none */
    struct gpu_guess *guess; /* by page: GPU_GUESSES, likewise */
    uint64_t reported_place; /* port.place of the last GPU_AT, and its channel */
    uint32_t reported_channel;
    uint8_t bounce[BUS_LINE]
        __attribute__((aligned(L2_HOST_LINE))); /* a line that no cache holds */
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

/* A GPU with what is its own: the integrated one, or the only one; and a discrete one beside it.
 * gpus.c
 * @profile: the board as this GPU has it (soc_profile_gpu())
 * @port_bytes: its traffic at the I/O port that no virtual time has passed for yet
 * @miss_cycles: what the last loads that the L1 did not have took, on average */
struct soc_gpu {
    struct soc *soc;
    enum unit_id unit;
    struct igpu_agents agents;
    struct soc_profile profile;
    struct l2 *l2;
    struct gmmu *gmmu;
    struct igpu *igpu;
    struct gpu_port port;
    uint64_t port_bytes;
    double miss_cycles;
};
#define SOC_GPUS 2u

/* Where a unit's registers are; size 0: the chip has none. */
struct soc_window {
    uint64_t base, size;
    const struct mmio_ops *ops;
    void *dev;
};

struct soc {
    struct soc_profile profile;
    struct sensor sensor; /* .line NULL: no camera */
    struct soc_window window[UNIT_COUNT];
    struct trace trace;
    struct ioc *ioc;
    struct host1x *host1x;
    struct soc_gpu gpu[SOC_GPUS];
    unsigned gpus, next_gpu;      /* whose turn it is first */
    bool newest_first;            /* of the channels of all GPUs */
    uint64_t rungs;               /* doorbells of all GPUs */
    struct smmu *smmu[SOC_SMMUS]; /* NULL where the chip has none */
    struct soc_walker walker[SOC_SMMUS];
    struct soc_engine engine[ENGINES_MAX];
    unsigned engines; /* that this SoC has */
    uint8_t *cvsram;
    unsigned next_engine; /* whose turn it is */
    enum order order;
    uint64_t engines_random; /* of the seeded order between the iGPU and the engines */
    uint64_t shim_page;      /* bytes between two syncpoints for engines */
    struct irq irq[UNIT_COUNT];
    GHashTable *regions;                  /* id -> struct ioc_region */
    uint64_t work, slice;                 /* units that all have done, and that a step does */
    uint64_t port_bytes, port_bytes_seen; /* traffic of the GPUs' side at the I/O port */
    struct dram dram;
    uint64_t cpu_ps;             /* CPU time not yet a whole ns */
    struct soc_config decisions; /* choose and draw alone */
    uint64_t dram_base;
    soc_translate *translate; /* NULL: bus addresses are physical */
    void *translate_opaque;
    unsigned dma_forgotten;      /* soc_dma_forget() calls */
    struct soc_process *process; /* NULL: the iGPU reaches no process's pages */
    struct soc_beside *beside;   /* NULL: no kernel has got there yet */
};

/* dma.c: the page behind a bus address, NULL if there is none or the machine's IOMMU refuses. */
struct ioc_page *soc_dma_page(struct soc *soc, enum unit_id engine, uint64_t bus, bool write);
/* By bus address, as the front ends do, behind the I/O port. */
bool soc_phys_access(struct soc *soc, enum unit_id engine, enum bus_agent agent, uint64_t pa,
                     void *buf, size_t len, bool write);
/* Changes whenever a page found before may be another one now. */
unsigned soc_dma_generation(const struct soc *soc);

/* gpus.c. End: no kernel runs any more; free: nothing else uses them. */
void soc_gpus_build(struct soc *soc, const struct soc_config *config);
void soc_gpus_end(struct soc *soc);
void soc_gpus_free(struct soc *soc);
/* Each GPU by one channel; who begins changes from step to step. */
enum igpu_progress soc_gpus_step(struct soc *soc, uint64_t quantum);
/* For soc_config.choose: the channels that can go on, in numbers of all GPUs; @spins: SOC_GPUS
 * places, those that only spin. One of them; and none. */
unsigned soc_gpus_ready(struct soc *soc, uint32_t *channel, unsigned *spins);
enum igpu_progress soc_gpus_run(struct soc *soc, uint32_t channel, uint64_t quantum);
enum igpu_progress soc_gpus_rest(struct soc *soc, const unsigned *spins);
/* Bytes of a page are about to change below all L1s. */
void soc_page_before_change(struct soc *soc, struct ioc_page *p, unsigned off, unsigned len);

/* process.c. Only where soc->process is not NULL: a translation of this step, good for @write;
 * NULL: there is none, or the process has no such page (@fault). */
struct gmmu_entry *soc_process_hit(struct soc *soc, uint64_t va, bool write);
struct gmmu_entry *soc_process_walk(struct soc *soc, uint64_t va, bool write,
                                    struct bus_fault *fault);
void soc_process_step(struct soc *soc);
void soc_process_free(struct soc *soc);

/* beside.c: the page at @va of an address space that no allocation has; NULL: there are enough. */
struct ioc_page *soc_beside_page(struct soc *soc, enum unit_id gpu, uint32_t context, uint64_t va);
void soc_beside_free(struct soc *soc);
/* An access of an SM to such a page, or behind what was asked for in a region's last one, is noted
 * in the port. */
struct gmmu_entry *gpu_beside_resolve(struct gpu_port *gp, struct gmmu_entry *e, uint64_t va,
                                      bool write, enum bus_status *status);
void gpu_beside_load(struct gpu_port *gp, const struct gmmu_entry *e, uint64_t line_va,
                     unsigned sectors);
void gpu_beside_write(struct gpu_port *gp, const struct gmmu_entry *e, uint64_t va);
void gpu_behind_note(struct gpu_port *gp, const struct ioc_page *p, uint64_t va, unsigned first,
                     unsigned last, bool write);
void gpu_behind_line(struct gpu_port *gp, const struct ioc_page *p, uint64_t line_va,
                     const struct bus_mask *bytes, bool write);
unsigned gpu_mask_first(const struct bus_mask *m);

/* gpu_ahead.c: life; bus_port_ops.ahead, and for it a translation that is new */
void gpu_tables_init(struct gpu_port *gp);
void gpu_tables_hits(struct gpu_port *gp); /* one is about to be kept */
void gpu_tables_fini(struct gpu_port *gp);
void gpu_ahead_keep(struct gpu_port *gp, const struct gmmu_entry *e, uint64_t va);
void gpu_ahead(struct bus_port *port, const uint64_t *va, uint64_t add, uint32_t lanes,
               unsigned how, bool store);

/* atomic.c: an atomic on bytes that the L2 holds */
void soc_atomic_in_l2(uint8_t *at, enum bus_atomic_op op, unsigned size, uint64_t operand,
                      uint64_t compare, uint64_t *old);
/* dma.c: an atomic at the I/O port */
void soc_atomic_at_port(struct soc *soc, struct ioc_page *p, unsigned off, enum bus_atomic_op op,
                        unsigned size, uint64_t operand, uint64_t compare, enum bus_agent agent,
                        uint64_t *old);

/* engine_port.c */
void soc_engine_port_init(struct soc_engine_port *ep, const struct soc_engine *engine,
                          struct smmu *smmu, enum bus_agent agent);
bool soc_engine_port_syncpt(struct soc_engine_port *ep, uint64_t iova, uint32_t *id);

/* smmus.c */
void soc_smmus_build(struct soc *soc);
void soc_smmus_free(struct soc *soc);

/* soc.c: bytes of the DRAM for work that takes @ns alone and begins now. Return: ns it takes */
uint64_t soc_dram_take(struct soc *soc, enum bus_agent agent, uint64_t ns, uint64_t bytes);

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
/* Nothing else can happen: let time pass to the end of the first timeout. Return: false if there is
 * none. */
bool soc_engines_skip(struct soc *soc);

void gpu_port_init(struct gpu_port *gp, struct soc_gpu *gpu, const struct soc_config *config);
void gpu_port_fini(struct gpu_port *gp);

#endif
