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

/* Virtual time of a piece of a GPU's work: what its instructions need (model/igpu/clock.c), or what
 * its bytes need at the nominal bandwidth of its DRAM or of a discrete one's link, whichever is
 * longest (inferred; a ruler for comparisons inside one run, not a prediction). */
static uint64_t board_elapse(void *opaque, uint64_t cycles)
{
    struct soc_gpu *gpu = opaque;
    struct soc *soc = gpu->soc;
    const struct soc_profile *p = &gpu->profile;
    uint64_t ns = cycles * 1000000 / p->gpu.clock_khz, link;

    gpu_traffic_take(gpu);
    link = gpu->unit == UNIT_DGPU ? MIN(gpu->port.link_bytes, gpu->port_bytes) : 0;
    ns = MAX(ns, (gpu->port_bytes - link) * 1000 / p->memory.bandwidth_mb_s);
    if (link) {
        ns = MAX(ns, link * 1000 / p->dgpu_memory.link_mb_s);
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

/* Each GPU by one channel; who begins changes from step to step. */
enum igpu_progress soc_gpus_step(struct soc *soc, uint64_t quantum)
{
    enum igpu_progress p = IGPU_IDLE;

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
