/* SPDX-License-Identifier: MIT */
/* The DLAs and the SMMUs before them.
 *
 * Where they lie: device trees of L4T and upstream Linux. T194: both DLAs behind the SMMU at
 * 0x12000000. T234: DLA0 behind NISO1 (0x8000000), DLA1 behind NISO0 (0x12000000). T186 has the
 * SMMU and no DLA. On T194 and T234 a second instance at 0x11000000 or 0x7000000 shares the load
 * and is programmed alike: one stands here for both.
 *
 * Time: engines take turns and their times add up; that they overlap on a board is not modelled.
 */
#include <errno.h>
#include <string.h>

#include "model/regs/dla_task.h"
#include "model/regs/regs.h"
#include "model/soc/soc_internal.h"

static bool chip_is(const struct soc *soc, const char *chip)
{
    return strcmp(soc->profile.soc.chip, chip) == 0;
}

/* --- what an engine asks of its neighbours --------------------------------------------------- */

static bool dla_phys_write(void *opaque, uint64_t bus, const void *src, size_t len)
{
    struct soc_dla *d = opaque;

    return soc_phys_access(d->soc, d->unit, bus, (void *)src, len, true);
}

/* As the iGPU's: the time of the cycles or of the bytes, whichever is longer (inferred). */
static void dla_elapse(void *opaque, uint64_t cycles)
{
    struct soc_dla *d = opaque;
    struct soc *soc = d->soc;
    const struct soc_profile *p = &soc->profile;
    uint64_t bytes = soc->port_bytes - soc->port_bytes_seen;
    uint64_t compute_ns = p->dla.clock_khz ? cycles * 1000000 / p->dla.clock_khz : 0;
    uint64_t memory_ns = bytes * 1000 / p->memory.bandwidth_mb_s;

    soc->port_bytes_seen = soc->port_bytes;
    soc->trace.now_ns += MAX(compute_ns, memory_ns);
}

static void dla_task_done(void *opaque)
{
    struct soc_dla *d = opaque;

    ioc_counts_flush(d->soc->ioc);
}

static bool dla_syncpt_at(void *opaque, uint64_t iova, uint32_t *id)
{
    struct soc_dla *d = opaque;

    return soc_dla_port_syncpt(&d->port, iova, id);
}

static bool smmu_table_read(void *opaque, uint64_t pa, uint64_t *value)
{
    const struct soc_walker *w = opaque;

    return soc_phys_access(w->soc, w->unit, pa, value, sizeof(*value), false);
}

/* --- life ------------------------------------------------------------------------------------ */

/* Linux: "64 context banks" on T186 and T194, 128 on T234 (windows of 8 and 16 MiB). */
static void smmus_build(struct soc *soc)
{
    bool t234 = chip_is(soc, "t234");
    unsigned n = t234 ? 2 : chip_is(soc, "t186") || chip_is(soc, "t194") ? 1 : 0;

    for (unsigned i = 0; i < n; i++) {
        soc->walker[i] = (struct soc_walker){ soc, SOC_UNIT_SMMU0 + i };
        soc->smmu[i] = smmu_new(&(struct smmu_config){
            .context_banks = t234 ? 128 : 64,
            .coherent_walk = soc->profile.soc.io_coherent,
            .read = smmu_table_read,
            .opaque = &soc->walker[i],
            .trace = &soc->trace,
            .irq = &soc->irq[SOC_UNIT_SMMU0 + i],
        });
    }
}

static void cvsram_build(struct soc *soc)
{
    uint64_t bytes = soc->profile.dla.cvsram_bytes & ~(uint64_t)(IOC_PAGE - 1);

    if (bytes) {
        soc->cvsram = g_malloc0(bytes);
        ioc_region_add(soc->ioc, SOC_CVSRAM_ID, SOC_CVSRAM_BASE, bytes, soc->cvsram, NULL, false);
    }
}

static void dla_build(struct soc *soc, unsigned i, enum soc_order order, uint64_t seed)
{
    static const enum dla_order orders[] = {
        [SOC_ORDER_OLDEST] = DLA_OLDEST,
        [SOC_ORDER_NEWEST] = DLA_NEWEST,
        [SOC_ORDER_SEEDED] = DLA_SEEDED,
    };
    struct soc_dla *d = &soc->dla[i];
    unsigned smmu = chip_is(soc, "t234") && i == 0 ? 1 : 0;

    d->soc = soc;
    d->unit = SOC_UNIT_DLA0 + i;
    d->smmu = SOC_UNIT_SMMU0 + smmu;
    d->stream = i == 0 ? soc->profile.dla.stream_id0 : soc->profile.dla.stream_id1;
    soc_dla_port_init(&d->port, soc, d->unit, soc->smmu[smmu], d->stream);
    soc_dla_port_init(&d->cvsram, soc, d->unit, NULL, 0);
    d->engine = dla_engine_new(
        &(struct dla_board){
            .opaque = d,
            .dram = &d->port.port,
            .cvsram = soc->cvsram ? &d->cvsram.port : NULL,
            .trace = &soc->trace,
            .phys_write = dla_phys_write,
            .elapse = dla_elapse,
            .task_done = dla_task_done,
            .syncpt_at = dla_syncpt_at,
            .irq = &soc->irq[SOC_UNIT_DLA0 + i],
            .config = soc->profile.dla.config,
            .instance = i,
        },
        orders[order], seed);
}

void soc_dlas_build(struct soc *soc, enum soc_order order, uint64_t seed)
{
    soc->shim_page = chip_is(soc, "t194") ? SYNCPT_SHIM_PAGE_T194 : SYNCPT_SHIM_PAGE_T234;
    soc->dla_seeded = order == SOC_ORDER_SEEDED;
    soc->dla_random = ~seed;
    smmus_build(soc);
    for (unsigned i = 0; i < MIN(soc->profile.dla.cores, SOC_DLAS) && soc->smmu[0]; i++) {
        if (i == 0) {
            cvsram_build(soc);
        }
        dla_build(soc, i, order, seed);
    }
}

void soc_dlas_free(struct soc *soc)
{
    for (unsigned i = 0; i < SOC_DLAS; i++) {
        dla_engine_free(soc->dla[i].engine);
    }
    for (unsigned i = 0; i < SOC_SMMUS; i++) {
        smmu_free(soc->smmu[i]);
    }
    g_free(soc->cvsram); /* its region goes with the others, by the caller */
}

/* --- registers ------------------------------------------------------------------------------- */

bool soc_dlas_unit(const struct soc *soc, enum soc_unit unit, const struct mmio_ops **ops,
                   void **dev, uint64_t *base, uint64_t *size)
{
    if (unit == SOC_UNIT_DLA0 || unit == SOC_UNIT_DLA1) {
        *ops = &dla_engine_ops;
        *dev = soc->dla[unit - SOC_UNIT_DLA0].engine;
        *base = unit == SOC_UNIT_DLA0 ? 0x15880000 : 0x158c0000;
        *size = dla_engine_ops.size;
    } else {
        *ops = &smmu_ops;
        *dev = soc->smmu[unit - SOC_UNIT_SMMU0];
        *base = unit == SOC_UNIT_SMMU0 ? 0x12000000 : 0x8000000;
        *size = *dev ? smmu_window(*dev) : 0;
    }
    return *dev;
}

int soc_unit_smmu(const struct soc *soc, enum soc_unit unit, enum soc_unit *smmu,
                  uint32_t *stream_id)
{
    const struct soc_dla *d = &soc->dla[unit == SOC_UNIT_DLA1];

    if ((unit != SOC_UNIT_DLA0 && unit != SOC_UNIT_DLA1) || !d->engine) {
        return -ENODEV;
    }
    *smmu = d->smmu;
    *stream_id = d->stream;
    return 0;
}

/* --- progress -------------------------------------------------------------------------------- */

bool soc_dlas_turn(struct soc *soc)
{
    uint64_t z = soc->dla_random += UINT64_C(0x9e3779b97f4a7c15);

    if (!soc->dla_seeded) {
        return true;
    }
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) & 1;
}

unsigned soc_dlas_ready(struct soc *soc, uint32_t *agent, bool *happened)
{
    unsigned n = 0;

    for (unsigned i = 0; i < SOC_DLAS; i++) {
        unsigned first = n;

        if (soc->dla[i].engine) {
            n += dla_engine_ready(soc->dla[i].engine, agent + n, happened);
        }
        for (; first < n; first++) {
            agent[first] += SOC_AGENT_QUEUE + i * DLA_TASK_QUEUES;
        }
    }
    return n;
}

void soc_dlas_run(struct soc *soc, uint32_t agent)
{
    uint32_t queue = agent - SOC_AGENT_QUEUE;

    dla_engine_run(soc->dla[queue / DLA_TASK_QUEUES].engine, queue % DLA_TASK_QUEUES);
}

bool soc_dlas_step(struct soc *soc)
{
    for (unsigned n = 0; n < SOC_DLAS; n++) {
        struct dla_engine *e = soc->dla[soc->next_dla++ % SOC_DLAS].engine;

        if (e && dla_engine_step(e) == DLA_PROGRESS) {
            return true;
        }
    }
    return false;
}

bool soc_dlas_skip(struct soc *soc)
{
    uint64_t first = 0;

    for (unsigned i = 0; i < SOC_DLAS; i++) {
        uint64_t t = soc->dla[i].engine ? dla_engine_deadline(soc->dla[i].engine) : 0;

        first = t && (!first || t < first) ? t : first;
    }
    soc->trace.now_ns = MAX(soc->trace.now_ns, first);
    return first && soc_dlas_step(soc);
}
