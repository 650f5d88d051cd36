/* SPDX-License-Identifier: MIT */
/* The engines of model/engines.def: how they are built, and which one goes next. */
#include <errno.h>
#include <string.h>

#include "model/regs/regs.h"
#include "model/rules/port.h"
#include "model/soc/soc_internal.h"

/* Where one instance stands on this SoC. */
struct place {
    uint32_t cores; /* of its like */
    uint64_t window;
    enum unit_id smmu;
    uint32_t stream_id;
};

struct soc_engine_row {
    const struct engine_ops *ops;
    enum unit_id unit; /* of instance 0, as first_queue */
    enum bus_agent agent;
    uint32_t first_queue;
    unsigned instances, queues;
    struct place (*place)(const struct soc_profile *p, unsigned i);
};

#define ENGINE(NAME, name, words, instances, queues, doorbell, cores, window, smmu, stream_id, \
               coherent)                                                                       \
    extern const struct engine_ops name##_engine_ops;                                          \
    static struct place name##_place(const struct soc_profile *p, unsigned i)                  \
    {                                                                                          \
        (void)p, (void)i;                                                                      \
        return (struct place){ cores, window, smmu, stream_id };                               \
    }
#include "model/engines.h"

#define ENGINE(NAME, name, words, instances, queues, ...)                                      \
    _Static_assert((queues) <= ENGINE_QUEUES_MAX, #NAME " has more queues than there is room " \
                                                        "for");
#include "model/engines.h"

static const struct soc_engine_row rows[] = {
#define ENGINE(NAME, name, words, instances, queues, ...)              \
    { &name##_engine_ops, UNIT_##NAME, BUS_AGENT_##NAME, QUEUE_##NAME, \
      instances,          queues,      name##_place },
#include "model/engines.h"
};

/* --- what an engine asks of its neighbours --------------------------------------------------- */

static bool engine_phys_write(void *opaque, uint64_t bus, const void *src, size_t len)
{
    struct soc_engine *e = opaque;

    return soc_phys_access(e->soc, e->unit, BUS_AGENT_HOST, bus, (void *)src, len, true);
}

/* As the iGPU's: the time of computing or of the bytes, whichever is longer (inferred); in the DRAM
 * that all share. */
static void engine_elapse(void *opaque, uint64_t compute_ns, uint32_t mb_s)
{
    struct soc_engine *e = opaque;
    struct soc *soc = e->soc;
    uint64_t bytes = soc->port_bytes - soc->port_bytes_seen;
    uint64_t dram_mb_s = MAX(soc->dram.slot_bytes * 1000 / DRAM_SLOT_NS, 1);
    uint64_t memory_ns = bytes * 1000 / (mb_s ? MIN(mb_s, dram_mb_s) : dram_mb_s);

    soc->port_bytes_seen = soc->port_bytes;
    soc->trace.now_ns += soc_dram_take(soc, e->row->agent, MAX(compute_ns, memory_ns), bytes);
}

static void engine_counts_flush(void *opaque)
{
    struct soc_engine *e = opaque;

    ioc_counts_flush(e->soc->ioc);
}

static void engine_syncpt_incr(void *opaque, uint32_t id)
{
    struct soc_engine *e = opaque;

    host1x_incr(e->soc->host1x, id, e->row->agent);
}

static bool engine_syncpt_reached(void *opaque, uint32_t id, uint32_t threshold, uint64_t *ns)
{
    struct soc_engine *e = opaque;

    *ns = host1x_reached_ns(e->soc->host1x, id, threshold);
    return host1x_reached(e->soc->host1x, id, threshold);
}

static bool engine_syncpt_at(void *opaque, uint64_t iova, uint32_t *id)
{
    struct soc_engine *e = opaque;

    return soc_engine_port_syncpt(&e->port, iova, id);
}

/* --- life ------------------------------------------------------------------------------------ */

static void cvsram_build(struct soc *soc)
{
    uint64_t bytes = soc->profile.dla.cvsram_bytes & ~(uint64_t)(IOC_PAGE - 1);

    if (bytes) {
        soc->cvsram = g_malloc0(bytes);
        ioc_region_add(soc->ioc, SOC_CVSRAM_ID, SOC_CVSRAM_BASE, bytes, soc->cvsram, NULL, false);
    }
}

/* Nothing is added if the profile's figures make no such engine. */
static void engine_build(struct soc *soc, const struct soc_engine_row *row, unsigned i,
                         uint64_t seed)
{
    struct soc_engine *e = &soc->engine[soc->engines];
    struct place at = row->place(&soc->profile, i);
    struct smmu *smmu = soc->smmu[at.smmu - UNIT_SMMU0];

    if (!smmu) {
        return;
    }
    if (soc->engines == 0 && !soc->cvsram) {
        cvsram_build(soc);
    }
    *e = (struct soc_engine){
        .soc = soc,
        .row = row,
        .unit = row->unit + i,
        .smmu = at.smmu,
        .stream = at.stream_id,
        .first_queue = row->first_queue + i * row->queues,
        .random = seed + i,
    };
    soc_engine_port_init(&e->port, e, smmu, row->agent);
    soc_engine_port_init(&e->cvsram, e, NULL, row->agent);
    e->dev = row->ops->new(&(struct engine_board){
        .opaque = e,
        .memory = &e->port.port,
        .sram = soc->cvsram ? &e->cvsram.port : NULL,
        .trace = &soc->trace,
        .profile = &soc->profile,
        .sensor = soc->sensor.line ? &soc->sensor : NULL,
        .agent = row->agent,
        .instance = i,
        .first_queue = e->first_queue,
        .irq = &soc->irq[e->unit],
        .work = &soc->work,
        .slice = soc->slice,
        .phys_write = engine_phys_write,
        .elapse = engine_elapse,
        .counts_flush = engine_counts_flush,
        .syncpt_incr = engine_syncpt_incr,
        .syncpt_reached = engine_syncpt_reached,
        .syncpt_at = engine_syncpt_at,
    });
    if (e->dev) {
        soc->window[e->unit] =
            (struct soc_window){ at.window, row->ops->mmio->size, row->ops->mmio, e->dev };
        soc->engines++;
    }
}

void soc_engines_build(struct soc *soc, enum order order, uint64_t seed)
{
    soc->shim_page =
        strcmp(soc->profile.soc.chip, "t194") == 0 ? SYNCPT_SHIM_PAGE_T194 : SYNCPT_SHIM_PAGE_T234;
    soc->order = order;
    soc->engines_random = ~seed;
    for (unsigned r = 0; r < G_N_ELEMENTS(rows); r++) {
        for (unsigned i = 0; i < MIN(rows[r].place(&soc->profile, 0).cores, rows[r].instances);
             i++) {
            engine_build(soc, &rows[r], i, seed);
        }
    }
}

void soc_engines_free(struct soc *soc)
{
    for (unsigned i = 0; i < soc->engines; i++) {
        soc->engine[i].row->ops->free(soc->engine[i].dev);
    }
    g_free(soc->cvsram); /* its region goes with the others, by the caller */
}

void soc_engines_dump(struct soc *soc, void (*line)(void *opaque, const char *text), void *opaque)
{
    for (unsigned i = 0; i < soc->engines; i++) {
        const struct engine_ops *ops = soc->engine[i].row->ops;

        if (ops->dump) {
            ops->dump(soc->engine[i].dev, line, opaque);
        }
    }
}

/* --- the door -------------------------------------------------------------------------------- */

int soc_unit_smmu(const struct soc *soc, enum unit_id unit, enum unit_id *smmu, uint32_t *stream_id)
{
    for (unsigned i = 0; i < soc->engines; i++) {
        if (soc->engine[i].unit == unit) {
            *smmu = soc->engine[i].smmu;
            *stream_id = soc->engine[i].stream;
            return 0;
        }
    }
    return -ENODEV;
}

/* --- progress -------------------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators) */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

bool soc_engines_turn(struct soc *soc)
{
    uint64_t random = random_next(&soc->engines_random);

    return soc->order != ORDER_SEEDED || random & 1;
}

/* @a instead of @b, where @seen queues have been seen, @a among them? */
static bool goes_before(struct soc_engine *e, const struct engine_ready *a,
                        const struct engine_ready *b, unsigned seen)
{
    switch (e->soc->order) {
    case ORDER_OLDEST:
        return a->submitted < b->submitted;
    case ORDER_NEWEST:
        return a->submitted > b->submitted;
    default:
        return random_next(&e->random) % seen == 0;
    }
}

/* Looking takes no time. */
static unsigned engine_ready(struct soc_engine *e, struct engine_ready *out, bool *happened)
{
    struct trace *trace = &e->soc->trace;
    uint64_t caller_ns = trace->now_ns;
    unsigned n;

    trace->now_ns = e->ns;
    n = e->row->ops->ready(e->dev, out, happened);
    trace->now_ns = caller_ns;
    return n;
}

/* On its own clock. */
static void engine_run(struct soc_engine *e, uint32_t queue)
{
    struct trace *trace = &e->soc->trace;
    uint64_t caller_ns = trace->now_ns;

    trace->now_ns = e->ns;
    e->row->ops->run(e->dev, queue);
    e->ns = trace->now_ns;
    trace->now_ns = caller_ns;
}

static bool engine_step(struct soc_engine *e)
{
    struct engine_ready ready[ENGINE_QUEUES_MAX];
    const struct engine_ready *best = ready;
    bool happened = false;
    unsigned n = engine_ready(e, ready, &happened);

    for (unsigned i = 1; i < n; i++) {
        if (goes_before(e, &ready[i], best, i + 1)) {
            best = &ready[i];
        }
    }
    if (n > 0) {
        engine_run(e, best->queue);
    }
    return happened || n > 0;
}

unsigned soc_engines_ready(struct soc *soc, uint32_t *agent, bool *happened)
{
    unsigned n = 0;

    for (unsigned i = 0; i < soc->engines; i++) {
        struct soc_engine *e = &soc->engine[i];
        struct engine_ready ready[ENGINE_QUEUES_MAX];
        unsigned found = engine_ready(e, ready, happened);

        for (unsigned k = 0; k < found; k++) {
            agent[n++] = e->first_queue + ready[k].queue;
        }
    }
    return n;
}

void soc_engines_run(struct soc *soc, uint32_t agent)
{
    for (unsigned i = 0; i < soc->engines; i++) {
        struct soc_engine *e = &soc->engine[i];

        if (agent - e->first_queue < e->row->queues) {
            engine_run(e, agent - e->first_queue);
        }
    }
}

bool soc_engines_step(struct soc *soc)
{
    for (unsigned n = 0; n < soc->engines; n++) {
        if (engine_step(&soc->engine[soc->next_engine++ % soc->engines])) {
            return true;
        }
    }
    return false;
}

/* Its clock goes to the end of its first timeout, and it is looked at then. */
bool soc_engines_skip(struct soc *soc)
{
    struct soc_engine *first = NULL;
    uint64_t at = UINT64_MAX;

    for (unsigned i = 0; i < soc->engines; i++) {
        const struct engine_ops *ops = soc->engine[i].row->ops;
        uint64_t t = ops->next_ns ? ops->next_ns(soc->engine[i].dev) : 0;

        if (t && t < at) {
            first = &soc->engine[i];
            at = t;
        }
    }
    if (first) {
        first->ns = MAX(first->ns, at);
    }
    return first && engine_step(first);
}
