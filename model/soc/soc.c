/* SPDX-License-Identifier: MIT */
/* The SoC: builds the units from a profile and joins them. */
#include "model/soc.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "model/regs/regs.h"
#include "model/rules/port.h"
#include "model/soc/soc_internal.h"

/* --- what the owner decides, where it wants to
 * ---------------------------------------------------- */

static uint64_t cpu_cache_draw(void *opaque)
{
    struct soc *soc = opaque;

    return soc->decisions.draw(soc->decisions.opaque, CACHE_CPU);
}

/* --- life ---------------------------------------------------------------------------------------
 */

static void page_before_change(void *opaque, struct ioc_page *p, unsigned off, unsigned len)
{
    soc_page_before_change(opaque, p, off, len);
}

/* Device trees of L4T: T210 host1x@50000000, gpu@57000000; T186, T194, T234 host1x@13e00000,
 * gpu@17000000; Thor's are not the same, T234's are shown (inferred). */
static void windows_place(struct soc *soc)
{
    bool t210 = strcmp(soc->profile.soc.chip, "t210") == 0;

    soc->window[UNIT_HOST1X] = (struct soc_window){ t210 ? 0x50000000 : 0x13e00000, host1x_ops.size,
                                                    &host1x_ops, soc->host1x };
    soc->window[UNIT_IGPU] = (struct soc_window){ t210 ? 0x57000000 : 0x17000000, igpu_ops.size,
                                                  &igpu_ops, soc->gpu[0].igpu };
    if (soc->gpus > 1) { /* a BAR; where PCIe's windows are on T194 (inferred) */
        soc->window[UNIT_DGPU] =
            (struct soc_window){ 0x40000000, igpu_ops.size, &igpu_ops, soc->gpu[1].igpu };
    }
}

/* Bit i: the port looks into the CPU caches for agent i. */
static unsigned soc_snoopers(const struct soc_profile *p)
{
    unsigned agents = 0;

    for (enum bus_agent a = 0; a < BUS_AGENT_COUNT; a++) {
        agents |= (unsigned)rules_port_snoops(p, a) << a;
    }
    return agents;
}

struct soc *soc_new(const struct soc_config *config)
{
    struct soc *soc = g_aligned_alloc0(1, sizeof(*soc), _Alignof(struct soc));
    const struct soc_profile *p = config->profile;

    soc->profile = *p;
    soc->sensor = config->sensor ? *config->sensor : (struct sensor){ 0 };
    soc->decisions.choose = config->order == ORDER_SEEDED ? config->choose : NULL;
    soc->decisions.draw = config->draw;
    soc->decisions.opaque = config->opaque;
    soc->slice = config->slice ? config->slice : SOC_SLICE;
    soc->dram_base = config->dram_base ? config->dram_base : SOC_DRAM_BASE;
    soc->regions = g_hash_table_new(NULL, NULL);
    soc->ioc = ioc_new(
        &(struct ioc_config){
            .snoops = soc_snoopers(p),
            .evict = config->evict,
            .seed = config->seed,
            .cpu_cache_bytes = p->cpu.cache_bytes,
            .cpu_cache_ways = p->cpu.cache_ways,
            .port_bytes = &soc->port_bytes,
            .draw = config->draw ? cpu_cache_draw : NULL,
            .draw_opaque = soc,
            .before_change = page_before_change,
            .change_opaque = soc,
        },
        &soc->trace);
    dram_init(&soc->dram, (uint64_t)p->memory.bandwidth_mb_s * p->timing.dram_permille / 1000);
    soc->host1x = host1x_new(p->host1x.syncpts, &soc->trace, &soc->irq[UNIT_HOST1X]);
    soc_gpus_build(soc, config);
    soc_smmus_build(soc);
    soc_engines_build(soc, config->order, config->seed);
    windows_place(soc);
    return soc;
}

void soc_compile_hook(struct soc *soc, soc_compile *compile, void *opaque, uint64_t after)
{
    for (unsigned g = 0; g < soc->gpus; g++) {
        igpu_compile_hook(soc->gpu[g].igpu, compile, opaque, after);
    }
}

uint64_t soc_kernel_blocks(const struct soc *soc, uint64_t *done, uint64_t *all)
{
    uint64_t kernel = 0;

    for (unsigned g = 0; g < soc->gpus && !kernel; g++) {
        kernel = igpu_kernel_blocks(soc->gpu[g].igpu, done, all);
        kernel += kernel ? (uint64_t)g << 60 : 0;
    }
    return kernel;
}

void soc_compiled(struct soc *soc, uint64_t code_id, soc_door *door)
{
    for (unsigned g = 0; g < soc->gpus; g++) {
        igpu_native(soc->gpu[g].igpu, code_id, door);
    }
}

void soc_free(struct soc *soc)
{
    if (!soc) {
        return;
    }
    trace_spare_set(&soc->trace, NULL);
    soc->trace.sink = NULL;
    soc_gpus_end(soc);
    soc_engines_free(soc);
    soc_smmus_free(soc);
    host1x_free(soc->host1x);
    soc_gpus_free(soc);
    ioc_free(soc->ioc);
    soc_process_free(soc);
    soc_beside_free(soc);
    dram_fini(&soc->dram);
    g_hash_table_destroy(soc->regions);
    g_aligned_free(soc);
}

const struct soc_profile *soc_profile(const struct soc *soc)
{
    return &soc->profile;
}

/* --- registers ----------------------------------------------------------------------------------
 */

uint64_t soc_unit_base(const struct soc *soc, enum unit_id unit, uint64_t *size)
{
    if (size) {
        *size = soc->window[unit].size;
    }
    return soc->window[unit].base;
}

/* The unit that answers at @pa. */
static const struct mmio_ops *mmio_find(struct soc *soc, uint64_t pa, void **dev, uint64_t *offset)
{
    for (int unit = 0; unit < UNIT_COUNT; unit++) {
        const struct soc_window *w = &soc->window[unit];

        if (pa - w->base < w->size && pa % 4 == 0) {
            *dev = w->dev;
            *offset = pa - w->base;
            return w->ops;
        }
    }
    return NULL;
}

int soc_mmio_read32(struct soc *soc, uint64_t pa, uint32_t *value)
{
    uint64_t offset;
    void *dev;
    const struct mmio_ops *ops = mmio_find(soc, pa, &dev, &offset);

    *value = UINT32_MAX;
    if (!ops) {
        return -EFAULT;
    }
    *value = ops->read(dev, offset);
    return 0;
}

int soc_mmio_write32(struct soc *soc, uint64_t pa, uint32_t value)
{
    uint64_t offset;
    void *dev;
    const struct mmio_ops *ops = mmio_find(soc, pa, &dev, &offset);

    if (!ops) {
        return -EFAULT;
    }
    ops->write(dev, offset, value);
    return 0;
}

bool soc_irq(const struct soc *soc, enum unit_id unit)
{
    return soc->irq[unit].level;
}

/* --- time ---------------------------------------------------------------------------------------
 */

static const enum soc_progress progress[] = {
    [IGPU_IDLE] = SOC_IDLE,
    [IGPU_PROGRESS] = SOC_PROGRESS,
    [IGPU_SPINS] = SOC_SPINS,
    [IGPU_SPUN] = SOC_SPUN,
};

/* Each engine in its own order, and the engines beside the GPUs. */
static enum soc_progress step_ordered(struct soc *soc, uint64_t quantum)
{
    enum igpu_progress p = soc_gpus_step(soc, quantum);
    bool other = (p == IGPU_PROGRESS && !soc_engines_turn(soc)) ? false : soc_engines_step(soc);

    if (!other && (p == IGPU_IDLE || p == IGPU_SPINS)) {
        other = soc_engines_skip(soc);
    }
    return other ? SOC_PROGRESS : progress[p];
}

/* One agent among all that are ready, channels and queues alike. */
static enum soc_progress step_chosen(struct soc *soc, uint64_t quantum)
{
    uint32_t agent[SOC_GPUS * CHAN_COUNT + QUEUE_END - QUEUE_FIRST];
    unsigned spins[SOC_GPUS], channels = soc_gpus_ready(soc, agent, spins), n;
    bool happened = false;
    int choice;

    n = channels + soc_engines_ready(soc, agent + channels, &happened);
    if (happened) {
        return SOC_PROGRESS; /* a task's wait is over: it is there at the next step */
    }
    if (n == 0) {
        enum igpu_progress p = soc_gpus_rest(soc, spins);

        return soc_engines_skip(soc) ? SOC_PROGRESS : progress[p];
    }
    choice = soc->decisions.choose(soc->decisions.opaque, agent, n);
    if (choice < 0) {
        return SOC_YIELDS;
    }
    if ((unsigned)choice < channels) {
        return progress[soc_gpus_run(soc, agent[choice], quantum)];
    }
    soc_engines_run(soc, agent[choice]);
    return SOC_PROGRESS;
}

enum soc_progress soc_step(struct soc *soc, uint64_t quantum)
{
    enum soc_progress p;

    trace_spare_begin(&soc->trace);
    soc_counts_flush(soc); /* the CPU's, before the engines add theirs */
    soc_process_step(soc);
    p = soc->decisions.choose ? step_chosen(soc, quantum) : step_ordered(soc, quantum);
    ioc_cpu_evict_some(soc->ioc);
    for (unsigned g = 0; g < soc->gpus; g++) {
        l2_evict_some(soc->gpu[g].l2);
        l1_evict_some(&soc->gpu[g].port.l1);
    }
    return p;
}

bool soc_syncpt_reached(struct soc *soc, uint32_t id, uint32_t threshold)
{
    if (!host1x_reached(soc->host1x, id, threshold)) {
        return false;
    }
    soc->trace.now_ns = MAX(soc->trace.now_ns, host1x_reached_ns(soc->host1x, id, threshold));
    return true;
}

uint64_t soc_time_ns(const struct soc *soc)
{
    return soc->trace.now_ns;
}

void soc_time_advance(struct soc *soc, uint64_t ns)
{
    soc->trace.now_ns += ns;
}

/* --- looking ------------------------------------------------------------------------------------
 */

uint64_t soc_work(const struct soc *soc)
{
    return soc->work;
}

void soc_observe(struct soc *soc, unsigned mask, trace_sink *sink, void *opaque)
{
    soc->trace.mask = sink ? mask : 0;
    for (unsigned g = 0; g < soc->gpus; g++) {
        soc->gpu[g].port.port.observed = trace_wants(&soc->trace, TRACE_ACCESS);
    }
    trace_spare_set(&soc->trace, NULL);
    soc->trace.sink = sink;
    soc->trace.opaque = opaque;
}

void soc_spare(struct soc *soc, const struct trace_spare *spare)
{
    trace_spare_set(&soc->trace, spare);
}

void soc_spare_end(struct soc *soc)
{
    trace_spare_end(&soc->trace);
}

void soc_rest(struct soc *soc)
{
    trace_spare_rest(&soc->trace);
}

void soc_counts_flush(struct soc *soc)
{
    ioc_counts_flush(soc->ioc);
}

void soc_totals(const struct soc *soc, struct soc_totals *out)
{
    const struct ioc_totals *c = ioc_totals(soc->ioc);
    *out = (struct soc_totals){
        .cpu_hits = c->cpu_hits,
        .cpu_misses = c->cpu_misses,
        .cpu_uncached = c->cpu_uncached,
        .cpu_writebacks = c->cpu_writebacks,
    };
    for (unsigned g = 0; g < soc->gpus; g++) {
        const struct l2_totals *l = l2_totals(soc->gpu[g].l2);

        out->l2_hits += l->hits;
        out->l2_misses += l->misses;
        out->l2_evictions += l->evictions;
        out->l2_written_back_bytes += l->written_back_bytes;
    }
}

static void dump_line(void *opaque, const char *line)
{
    g_string_append_printf(opaque, "%s\n", line);
}

char *soc_dump(struct soc *soc)
{
    GString *out = g_string_new(NULL);

    g_string_append_printf(out, "%s at %" PRIu64 " ns\n", soc->profile.soc.name, soc->trace.now_ns);
    for (unsigned g = 0; g < soc->gpus; g++) {
        igpu_dump(soc->gpu[g].igpu, dump_line, out);
    }
    soc_engines_dump(soc, dump_line, out);
    return g_string_free(out, FALSE);
}

uint64_t soc_dram_take(struct soc *soc, enum bus_agent agent, uint64_t ns, uint64_t bytes)
{
    uint64_t took = dram_take(&soc->dram, soc->trace.now_ns, ns, bytes);

    if (took > ns && soc->trace.channel) {
        uint64_t from_ns = soc->trace.now_ns;

        soc->trace.now_ns += took;
        trace_emit(&soc->trace, TRACE_EVENT_QUEUED, agent, 0, soc->trace.channel - 1, QUEUE_DRAM, 0,
                   took - ns);
        soc->trace.now_ns = from_ns;
    }
    return took;
}
