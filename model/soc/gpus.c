/* SPDX-License-Identifier: MIT */
/* The GPUs of the SoC: each with a GMMU, an L2 and a port of its own. One, or the integrated one
 * and a discrete one beside it. */
#include "model/soc/soc_internal.h"

#include "model/library/library.h"
#include "model/regs/regs.h"
#include "model/tex/tex.h"

#define L2_LINE_WORK 4u /* units of work of a line in maintenance of the whole L2 */

/* --- what a GPU asks of its neighbours -------------------------------------------------------
 */

static bool board_phys_read(void *opaque, uint64_t bus, void *dst, size_t len)
{
    struct soc_gpu *gpu = opaque;

    return soc_phys_access(gpu->soc, gpu->unit, gpu->agents.host, bus, dst, len, false);
}

static bool board_phys_write(void *opaque, uint64_t bus, const void *src, size_t len)
{
    struct soc_gpu *gpu = opaque;

    return soc_phys_access(gpu->soc, gpu->unit, gpu->agents.host, bus, (void *)src, len, true);
}

static bool gmmu_phys_read(void *opaque, uint64_t pa, uint64_t *value)
{
    return board_phys_read(opaque, pa, value, sizeof(*value));
}

static void board_context_set(void *opaque, uint32_t index, uint64_t pdb)
{
    struct soc_gpu *gpu = opaque;

    gmmu_context_set(gpu->gmmu, index, pdb);
}

static void board_mmu_invalidate(void *opaque)
{
    struct soc_gpu *gpu = opaque;

    gmmu_invalidate(gpu->gmmu);
}

static void board_l2_clean(void *opaque)
{
    struct soc_gpu *gpu = opaque;

    gpu->soc->work += L2_LINE_WORK * (gpu->profile.gpu.l2_bytes / BUS_LINE);
    l2_clean(gpu->l2, gpu->agents.host);
}

static void board_l2_invalidate(void *opaque)
{
    struct soc_gpu *gpu = opaque;

    gpu->soc->work += L2_LINE_WORK * (gpu->profile.gpu.l2_bytes / BUS_LINE);
    l1_keep_all(&gpu->port.l1);
    l2_invalidate(gpu->l2, gpu->agents.host);
}

static void board_syncpt_incr(void *opaque, uint32_t id)
{
    struct soc_gpu *gpu = opaque;

    host1x_incr(gpu->soc->host1x, id, gpu->agents.host);
}

static uint32_t board_syncpt_value(void *opaque, uint32_t id)
{
    struct soc_gpu *gpu = opaque;

    return host1x_value(gpu->soc->host1x, id);
}

static bool board_syncpt_reached(void *opaque, uint32_t id, uint32_t threshold)
{
    struct soc_gpu *gpu = opaque;

    return host1x_reached(gpu->soc->host1x, id, threshold);
}

static uint64_t board_syncpt_reached_ns(void *opaque, uint32_t id, uint32_t threshold)
{
    struct soc_gpu *gpu = opaque;

    return host1x_reached_ns(gpu->soc->host1x, id, threshold);
}

/* What has passed the I/O port since the last call was this GPU's. */
static void gpu_traffic_take(struct soc_gpu *gpu)
{
    struct soc *soc = gpu->soc;

    gpu->port_bytes += soc->port_bytes - soc->port_bytes_seen;
    soc->port_bytes_seen = soc->port_bytes;
}

/* Bytes at a part of the nominal bandwidth, in ns. */
static uint64_t bytes_ns(const struct soc_profile *p, uint64_t bytes, uint32_t permille)
{
    return bytes * 1000 / MAX((uint64_t)p->memory.bandwidth_mb_s * permille / 1000, 1);
}

static uint64_t cycles_ns(const struct soc_profile *p, uint64_t cycles)
{
    return cycles * 1000000 / p->gpu.clock_khz;
}

static uint64_t traffic_bytes(const struct ioc_traffic *t)
{
    uint64_t bytes = 0;

    for (unsigned kind = 0; kind < IOC_KINDS; kind++) {
        bytes += t->port[kind];
    }
    return bytes;
}

/* Each kind of memory has its way to the GPU, and all have the same DRAM. */
static uint64_t traffic_ns(const struct soc_profile *p, const struct ioc_traffic *t)
{
    const uint32_t permille[IOC_KINDS] = {
        [IOC_DEVICE] = p->timing.gpu_permille,
        [IOC_MANAGED] = p->timing.managed_permille,
        [IOC_PINNED] = p->timing.pinned_permille,
        [IOC_PAGEABLE] = p->timing.pageable_permille,
    };
    uint64_t ns = bytes_ns(p, traffic_bytes(t), p->timing.dram_permille);

    for (unsigned kind = 0; kind < IOC_KINDS; kind++) {
        ns = MAX(ns, bytes_ns(p, t->port[kind], permille[kind]));
    }
    return ns;
}

static uint64_t l2_ns(const struct soc_profile *p, const struct ioc_traffic *t)
{
    uint64_t a_cycle = (uint64_t)p->gpu.sm_count * p->timing.l2_sm_bytes;

    return cycles_ns(p, t->l2 / MAX(a_cycle, 1));
}

/* Little's law: a warp that waits for one access at a time. An access that the L1 answers takes no
 * longer than another instruction, but where the line was still on its way (l1_is_late()) as long
 * as the last that missed took on average: they may be of an earlier piece of the kernel's work.
 * All inferred. */
static uint64_t latency_ns(struct soc_gpu *gpu, const struct ioc_traffic *t, uint64_t waits)
{
    const struct soc_profile *p = &gpu->profile;
    uint64_t missed = t->reads_l2 + t->reads_port, late = gpu->port.l1.late_bytes;
    double cycles = (double)(t->reads_l2 * p->timing.gpu_l2_hit_cycles +
                             t->reads_port * p->timing.gpu_dram_cycles);

    gpu->port.l1.late_bytes = 0;
    gpu->miss_cycles = missed ? cycles / (double)missed : gpu->miss_cycles;
    cycles += gpu->miss_cycles * (double)late;
    return t->reads
               ? cycles_ns(p, (uint64_t)((double)waits * cycles / (double)t->reads / IGPU_WAIT))
               : 0;
}

/* A discrete GPU: what passes the link, and what its own memory takes. */
static uint64_t dgpu_ns(const struct soc_gpu *gpu)
{
    const struct soc_profile *p = &gpu->profile;
    uint64_t link = MIN(gpu->port.link_bytes, gpu->port_bytes);
    uint64_t ns = bytes_ns(p, gpu->port_bytes - link, p->timing.gpu_permille);

    return link ? MAX(ns, link * 1000 / p->dgpu_memory.link_mb_s) : ns;
}

static unsigned agents_of(const struct soc_gpu *gpu)
{
    return 1u << gpu->agents.sm | 1u << gpu->agents.ce | 1u << gpu->agents.host;
}

/* Virtual time of a piece of a GPU's work, whichever is longest: what its instructions need
 * (model/igpu/clock.c), its bytes on the way from DRAM, by kind of memory, or from the L2, and the
 * waits of its warps. All figures are the profile's [timing]. DRAM is one server for all engines
 * (dram.h); a discrete GPU has its own. */
static uint64_t board_elapse(void *opaque, uint64_t cycles, uint64_t waits)
{
    struct soc_gpu *gpu = opaque;
    struct soc *soc = gpu->soc;
    const struct soc_profile *p = &gpu->profile;
    uint64_t ns = cycles_ns(p, cycles), latency;
    struct ioc_traffic t;

    ioc_traffic(soc->ioc, agents_of(gpu), &t);
    gpu_traffic_take(gpu);
    latency = latency_ns(gpu, &t, waits);
    ns = MAX(ns, MAX(l2_ns(p, &t), latency));
    if (gpu->unit == UNIT_DGPU) {
        ns = MAX(ns, dgpu_ns(gpu));
    } else {
        ns = MAX(ns, traffic_ns(p, &t));
        ns = soc_dram_take(soc, gpu->port.port.agent, ns, traffic_bytes(&t));
    }
    gpu->port_bytes = gpu->port.link_bytes = 0;
    soc->trace.now_ns += ns;
    ioc_counts_flush(soc->ioc);
    return ns;
}

static uint64_t l2_draw(void *opaque)
{
    struct soc *soc = opaque;

    return soc->decisions.draw(soc->decisions.opaque, CACHE_L2);
}

/* --- life ---------------------------------------------------------------------------------------
 */

void soc_page_before_change(struct soc *soc, struct ioc_page *p, unsigned off, unsigned len)
{
    for (unsigned g = 0; g < soc->gpus; g++) {
        l1_before_change(&soc->gpu[g].port.l1, p, off, len);
    }
}

static const struct {
    enum unit_id unit;
    struct igpu_agents agents;
} gpu_rows[SOC_GPUS] = {
    { UNIT_IGPU, { BUS_AGENT_IGPU, BUS_AGENT_CE, BUS_AGENT_HOST } },
    { UNIT_DGPU, { BUS_AGENT_DGPU, BUS_AGENT_DCE, BUS_AGENT_DHOST } },
};

static void igpu_build(struct soc_gpu *gpu, const struct soc_config *config)
{
    struct soc *soc = gpu->soc;

    gpu->igpu = igpu_new(
        &(struct igpu_board){
            .opaque = gpu,
            .port = &gpu->port.port,
            .trace = &soc->trace,
            .work = &soc->work,
            .slice = soc->slice,
            .rungs = &soc->rungs,
            .profile = &gpu->profile,
            .phys_read = board_phys_read,
            .phys_write = board_phys_write,
            .context_set = board_context_set,
            .mmu_invalidate = board_mmu_invalidate,
            .l2_clean = board_l2_clean,
            .l2_invalidate = board_l2_invalidate,
            .syncpt_incr = board_syncpt_incr,
            .syncpt_value = board_syncpt_value,
            .syncpt_reached = board_syncpt_reached,
            .syncpt_reached_ns = board_syncpt_reached_ns,
            .elapse = board_elapse,
            .irq = &soc->irq[gpu->unit],
            .tex = &tex_ops,
            .library = &library_ops,
            .agents = gpu->agents,
            .first_channel = (uint32_t)(gpu - soc->gpu) * CHAN_COUNT,
        },
        config->order, config->seed);
}

static void gpu_build(struct soc *soc, unsigned g, const struct soc_config *config)
{
    struct soc_gpu *gpu = &soc->gpu[g];

    gpu->soc = soc;
    gpu->unit = gpu_rows[g].unit;
    gpu->agents = gpu_rows[g].agents;
    gpu->profile = soc_profile_gpu(&soc->profile, g);
    gpu->l2 = l2_new(
        &(struct l2_config){
            .bytes = gpu->profile.gpu.l2_bytes,
            .ways = gpu->profile.gpu.l2_ways,
            .evict = config->evict,
            .seed = config->seed,
            .draw = config->draw ? l2_draw : NULL,
            .draw_opaque = soc,
            .agent = gpu->agents.sm,
            .cpu_snoops = soc->profile.rules.cpu_snoops_l2,
        },
        soc->ioc, &soc->trace);
    gpu->gmmu = gmmu_new(gmmu_phys_read, gpu, &soc->trace, gpu->agents.host);
    gpu_port_init(&gpu->port, gpu, config);
    igpu_build(gpu, config);
}

static void gpu_free(struct soc_gpu *gpu)
{
    gmmu_free(gpu->gmmu);
    gpu_port_fini(&gpu->port);
    l2_free(gpu->l2);
}

void soc_gpus_build(struct soc *soc, const struct soc_config *config)
{
    soc->gpus = soc_profile_gpus(&soc->profile);
    soc->newest_first = config->order == ORDER_NEWEST;
    for (unsigned g = 0; g < soc->gpus; g++) {
        gpu_build(soc, g, config);
    }
}

void soc_gpus_end(struct soc *soc)
{
    for (unsigned g = 0; g < soc->gpus; g++) {
        igpu_free(soc->gpu[g].igpu);
    }
}

void soc_gpus_free(struct soc *soc)
{
    for (unsigned g = 0; g < soc->gpus; g++) {
        gpu_free(&soc->gpu[g]);
    }
}

/* --- steps --------------------------------------------------------------------------------------
 */

/* What several GPUs have done, as what one has. */
static enum igpu_progress progress_of(enum igpu_progress a, enum igpu_progress b)
{
    static const unsigned char rank[] = {
        [IGPU_IDLE] = 0, [IGPU_SPINS] = 1, [IGPU_SPUN] = 2, [IGPU_PROGRESS] = 3
    };

    return rank[a] > rank[b] ? a : b;
}

/* The GPU whose channel is the newest that is ready; NULL: none is ready. */
static struct soc_gpu *gpu_newest(struct soc *soc)
{
    struct soc_gpu *newest = NULL;
    uint64_t rung = 0;

    for (unsigned g = 0; g < soc->gpus; g++) {
        uint64_t own = igpu_newest(soc->gpu[g].igpu);

        if (own > rung) {
            rung = own;
            newest = &soc->gpu[g];
        }
    }
    return newest;
}

/* Each GPU by one channel; who begins changes from step to step. Where the newest work goes first,
 * it does so before that of the other GPU. */
enum igpu_progress soc_gpus_step(struct soc *soc, uint64_t quantum)
{
    struct soc_gpu *newest = soc->gpus > 1 && soc->newest_first ? gpu_newest(soc) : NULL;
    enum igpu_progress p = IGPU_IDLE;

    if (newest) {
        p = igpu_step(newest->igpu, quantum);
        gpu_traffic_take(newest);
        return p;
    }
    for (unsigned i = 0; i < soc->gpus; i++) {
        struct soc_gpu *gpu = &soc->gpu[(soc->next_gpu + i) % soc->gpus];

        p = progress_of(p, igpu_step(gpu->igpu, quantum));
        if (soc->gpus > 1) {
            gpu_traffic_take(gpu);
        }
    }
    soc->next_gpu = (soc->next_gpu + 1) % soc->gpus;
    return p;
}

enum igpu_progress soc_gpus_run(struct soc *soc, uint32_t channel, uint64_t quantum)
{
    struct soc_gpu *gpu = &soc->gpu[channel / CHAN_COUNT];
    enum igpu_progress p = igpu_run(gpu->igpu, channel, quantum);

    if (soc->gpus > 1) {
        gpu_traffic_take(gpu);
    }
    return p;
}

/* None has its turn. */
enum igpu_progress soc_gpus_rest(struct soc *soc, const unsigned *spins)
{
    enum igpu_progress p = IGPU_IDLE;

    for (unsigned g = 0; g < soc->gpus; g++) {
        p = progress_of(p, igpu_rest(soc->gpu[g].igpu, spins[g]));
    }
    return p;
}

unsigned soc_gpus_ready(struct soc *soc, uint32_t *channel, unsigned *spins)
{
    unsigned n = 0;

    for (unsigned g = 0; g < soc->gpus; g++) {
        n += igpu_ready(soc->gpu[g].igpu, channel + n, &spins[g]);
    }
    return n;
}
