/* SPDX-License-Identifier: MIT */
#include "model/rules/charge.h"

#include <stddef.h>

#include "model/rules/features.h"

#define CPU_WORD 8u   /* inferred: of a copy's bytes the program touches so many at a time */
#define LINE 64u      /* of a CPU cache */
#define EXPLAINED 1.2 /* times what is counted: a kernel that took no longer is bound by that */
#define STAGE_MOVES 2 /* a CPU that copies moves each byte over the memory bus twice */

static const struct {
    const char *text;
    enum rules_kind kind;
} kinds[CHARGE_KINDS] = {
    [CHARGE_COPIED] = { "device and copies", RULES_DEVICE },
    [CHARGE_PINNED] = { "pinned", RULES_PINNED },
    [CHARGE_REGISTERED] = { "registered", RULES_REGISTERED },
    [CHARGE_MANAGED] = { "managed", RULES_MANAGED },
    [CHARGE_PAGEABLE] = { "pageable", RULES_PAGEABLE },
};

const char *charge_kind_text(enum charge_kind kind)
{
    return kinds[kind].text;
}

enum rules_kind charge_rules_kind(enum charge_kind kind)
{
    return kinds[kind].kind;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static double most_of(double a, double b)
{
    return a > b ? a : b;
}

/* --- the GPU's part ----------------------------------------------------------------------------
 */

static bool gpu_caches(const struct soc_profile *p, enum charge_kind kind)
{
    struct rules_facts f = rules_facts_of(p);

    return rules_caching(&f, kinds[kind].kind, rules_gpu_side(&f)) == RULES_CACHED;
}

/* Bytes that a kernel moves between DRAM and a buffer of the kind @as.
 *
 * Uncached: each sector that it asks for. Cached: as the run counted; where the run did not cache
 * it, each byte once a launch (inferred: the counts do not hold the order of accesses, and kernels
 * come back to a byte soon). */
static double dram_bytes(const struct charge_run *run, const struct charge_use *u,
                         enum charge_kind as, const struct soc_profile *p)
{
    const struct charge_buffer *b = &run->buffers[u->buffer];
    uint64_t launches = run->kernels[u->kernel].launches, asked = u->read + u->written;
    uint64_t a_launch = launches ? asked / launches : 0;

    if (!gpu_caches(p, as)) {
        return (double)asked;
    }
    if (gpu_caches(run->profile, b->kind)) {
        return (double)least_of(u->dram, asked);
    }
    return (double)least_of(a_launch, b->size) * (double)launches;
}

/* Of the nominal bandwidth. */
static double bytes_ns(const struct soc_profile *p, double bytes, uint32_t permille)
{
    return bytes * 1e6 / ((double)p->memory.bandwidth_mb_s * permille);
}

/**
 * struct traffic - of one kernel, by way
 * @dram: by way_of()
 * @l2: bytes that pass between SMs and L2
 */
struct traffic {
    double dram[CHARGE_KINDS], l2;
};

/* Registered memory comes as pinned memory does; managed, too, where the GPU does not cache it. */
static enum charge_kind way_of(enum charge_kind as, const struct soc_profile *p)
{
    return as == CHARGE_REGISTERED || (as == CHARGE_MANAGED && !gpu_caches(p, as)) ? CHARGE_PINNED
                                                                                   : as;
}

static void traffic_add(const struct charge_run *run, const struct charge_use *u,
                        enum charge_kind as, const struct soc_profile *p, struct traffic *t)
{
    t->dram[way_of(as, p)] += dram_bytes(run, u, as, p);
    if (gpu_caches(p, as)) {
        t->l2 +=
            (double)(gpu_caches(run->profile, run->buffers[u->buffer].kind) ? u->l2
                                                                            : u->read + u->written);
    }
}

/* As model/soc/gpus.c has it: the longest, not the sum. */
static double traffic_ns(const struct traffic *t, const struct soc_profile *p)
{
    const uint32_t permille[CHARGE_KINDS] = {
        [CHARGE_COPIED] = p->timing.gpu_permille,
        [CHARGE_PINNED] = p->timing.pinned_permille,
        [CHARGE_REGISTERED] = p->timing.pinned_permille,
        [CHARGE_MANAGED] = p->timing.managed_permille,
        [CHARGE_PAGEABLE] = p->timing.pageable_permille,
    };
    double all = 0,
           ns = t->l2 * 1e6 / ((double)p->gpu.sm_count * p->timing.l2_sm_bytes * p->gpu.clock_khz);

    for (unsigned kind = 0; kind < CHARGE_KINDS; kind++) {
        all += t->dram[kind];
        ns = most_of(ns, bytes_ns(p, t->dram[kind], permille[kind]));
    }
    return most_of(ns, bytes_ns(p, all, p->timing.dram_permille));
}

static double issue_ns(const struct charge_kernel *k, const struct soc_profile *p)
{
    uint32_t schedulers = p->gpu.sm_count * p->gpu.cores_per_sm / p->gpu.warp_threads;

    return (double)k->warp_insts * 1e6 / ((double)(schedulers ? schedulers : 1) * p->gpu.clock_khz);
}

/* What a kernel takes beside its traffic, ns. Where the run took longer than its traffic and its
 * instructions explain (few warps that wait, a long path), it is bound by that: on another board in
 * proportion to the clock (inferred). */
static double other_ns(const struct charge_run *run, unsigned kernel, const struct soc_profile *p)
{
    const struct charge_kernel *k = &run->kernels[kernel];
    struct traffic t = { 0 };
    double issue = issue_ns(k, p), explained;

    for (unsigned i = 0; i < run->n_uses; i++) {
        const struct charge_use *u = &run->uses[i];

        if (u->kernel == kernel) {
            traffic_add(run, u, run->buffers[u->buffer].kind, run->profile, &t);
        }
    }
    explained = most_of(traffic_ns(&t, run->profile), issue_ns(k, run->profile));
    return (double)k->time_ns <= EXPLAINED * explained
               ? issue
               : most_of(issue,
                         (double)k->time_ns * run->profile->gpu.clock_khz / p->gpu.clock_khz);
}

/* @as: of the buffer; CHARGE_KINDS: its accesses take no time. */
static double kernel_ns(const struct charge_run *run, unsigned kernel, unsigned buffer,
                        enum charge_kind as, const struct soc_profile *p)
{
    struct traffic t = { 0 };

    for (unsigned i = 0; i < run->n_uses; i++) {
        const struct charge_use *u = &run->uses[i];
        enum charge_kind kind = u->buffer == buffer ? as : run->buffers[u->buffer].kind;

        if (u->kernel == kernel && kind != CHARGE_KINDS) {
            traffic_add(run, u, kind, p, &t);
        }
    }
    return most_of(traffic_ns(&t, p), other_ns(run, kernel, p));
}

static double kernels_ns(const struct charge_run *run, unsigned buffer, enum charge_kind as,
                         const struct soc_profile *p)
{
    double ns = 0;

    for (unsigned i = 0; i < run->n_uses; i++) {
        const struct charge_use *u = &run->uses[i];

        if (u->buffer == buffer) {
            ns += kernel_ns(run, u->kernel, buffer, as, p) -
                  kernel_ns(run, u->kernel, buffer, CHARGE_KINDS, p);
        }
    }
    return ns;
}

/* --- the CPU's part ------------------------------------------------------------------------------
 */

/* How often a side hands the buffer over: launches that use it, at most. */
static uint64_t launches_of(const struct charge_run *run, unsigned buffer)
{
    uint64_t launches = 1;

    for (unsigned i = 0; i < run->n_uses; i++) {
        const struct charge_use *u = &run->uses[i];

        if (u->buffer == buffer && run->kernels[u->kernel].launches > launches) {
            launches = run->kernels[u->kernel].launches;
        }
    }
    return launches;
}

/**
 * struct part - of the CPU in a buffer
 * @in, @out: how often it hands it to the GPU with new bytes, and looks at what the GPU has made
 * @in_bytes, @out_bytes: of all these turns together
 */
struct part {
    uint64_t accesses, bytes, misses, in, out, in_bytes, out_bytes;
};

static uint64_t turns_of(uint64_t bytes, uint64_t size, uint64_t launches)
{
    uint64_t whole = bytes && size ? bytes / size : 0;

    return bytes ? least_of(whole ? whole : 1, launches) : 0;
}

/* Of a buffer that the CPU reached itself: what it accessed. Of one with copies: it wrote what was
 * copied in, and read what was copied out, once (inferred). */
static struct part cpu_part_of(const struct charge_run *run, unsigned buffer)
{
    const struct charge_buffer *b = &run->buffers[buffer];
    uint64_t launches = launches_of(run, buffer);

    if (b->kind == CHARGE_COPIED) {
        return (struct part){ .accesses = (b->in + b->out) / CPU_WORD,
                              .bytes = b->in + b->out,
                              .misses = (b->in + b->out) / LINE,
                              .in = b->copies_in,
                              .out = b->copies_out,
                              .in_bytes = b->in,
                              .out_bytes = b->out };
    }
    return (struct part){ .accesses = b->loads + b->stores,
                          .bytes = b->read + b->written,
                          .misses = b->misses ? b->misses : (b->read + b->written) / LINE,
                          .in = turns_of(b->written, b->size, launches),
                          .out = turns_of(b->read, b->size, launches),
                          .in_bytes = least_of(b->written, b->size * launches),
                          .out_bytes = least_of(b->read, b->size * launches) };
}

static double cached_ns(const struct part *part, const struct soc_profile *p)
{
    uint64_t misses = least_of(part->misses, part->accesses);

    return ((double)misses * p->timing.cpu_miss_ps +
            (double)(part->accesses - misses) * p->timing.cpu_hit_ps) /
           1000;
}

/* Memory that the CPU does not reach: it has a copy of its own, which is cached. */
static double cpu_ns(const struct part *part, enum charge_kind as, const struct soc_profile *p)
{
    struct rules_facts f = rules_facts_of(p);

    if (rules_caching(&f, kinds[as].kind, RULES_CPU) == RULES_UNCACHED) {
        return (double)part->accesses * p->timing.cpu_uncached_ps / 1000;
    }
    return cached_ns(part, p);
}

/* Managed memory of a SoC whose GPU does not snoop: what the CPU wrote is cleaned, what it reads
 * was invalidated. */
static double caches_ns(const struct part *part, enum charge_kind as, const struct soc_profile *p)
{
    return as == CHARGE_MANAGED && !p->soc.io_coherent
               ? (double)(part->in_bytes + part->out_bytes) / LINE *
                     p->timing.cpu_maintain_line_ps / 1000
               : 0;
}

/* One copy a turn that the CPU waits for. Their other end is pinned, but for the bytes that the run
 * staged. */
static double copies_ns(const struct charge_buffer *b, const struct part *part,
                        const struct soc_profile *p)
{
    double turn = (double)p->timing.copy_ns + p->timing.sync_ns + p->timing.copy_sync_ns;
    double staged = b->kind == CHARGE_COPIED ? (double)b->staged * STAGE_MOVES : 0;

    return (double)(part->in + part->out) * turn +
           bytes_ns(p, (double)(part->in_bytes + part->out_bytes), p->timing.copy_permille) +
           bytes_ns(p, staged, 1000);
}

/* --- which kinds there are -----------------------------------------------------------------------
 */

static const char *why_not(enum charge_kind as, const struct soc_profile *p)
{
    struct rules_facts f = rules_facts_of(p);

    if (as == CHARGE_REGISTERED && !rules_support(&f, RULES_FEATURE_HOST_REGISTER)->there) {
        return "cudaHostRegister() is not there (CUDA for Tegra 3.6)";
    }
    if (rules_caching(&f, kinds[as].kind, rules_gpu_side(&f)) == RULES_NO_ACCESS) {
        return "the GPU does not reach it (Table 1)";
    }
    return NULL;
}

static const char *partial_why(const struct charge_buffer *b, const struct part *part,
                               enum charge_kind as, const struct soc_profile *p)
{
    struct rules_facts f = rules_facts_of(p);

    if (b->kind != CHARGE_COPIED && !b->cpu_known) {
        return "without what the CPU does: its accesses were not seen (vtegra cc --track)";
    }
    if (b->kind == CHARGE_COPIED && part->bytes &&
        rules_caching(&f, kinds[as].kind, RULES_CPU) == RULES_UNCACHED) {
        return "if the CPU touches each copied byte once, 8 at a time";
    }
    return NULL;
}

void charge(const struct charge_run *run, unsigned buffer, enum charge_kind as,
            const struct soc_profile *p, struct charge_cost *cost)
{
    const struct charge_buffer *b = &run->buffers[buffer];
    struct part part = cpu_part_of(run, buffer);

    *cost =
        (struct charge_cost){ .why_not = why_not(as, p), .partial = partial_why(b, &part, as, p) };
    if (cost->why_not) {
        return;
    }
    cost->kernels = kernels_ns(run, buffer, as, p);
    cost->cpu = cpu_ns(&part, as, p);
    cost->caches = caches_ns(&part, as, p);
    cost->copies = as == CHARGE_COPIED ? copies_ns(b, &part, p) : 0;
    cost->calls = as == CHARGE_PAGEABLE || !b->allocations
                      ? 0
                      : (double)(b->allocations - 1) *
                            (as == CHARGE_REGISTERED ? p->timing.map_ns : p->timing.alloc_ns);
}

double charge_sum(const struct charge_cost *cost)
{
    return cost->kernels + cost->cpu + cost->copies + cost->caches + cost->calls;
}

/* --- the answer ----------------------------------------------------------------------------------
 */

#define MEASURED_CC \
    87u /* of AGX Orin, Orin NX, Orin Nano and Thor there are rows (docs/timing.md) */

double charge_error_percent(const struct soc_profile *p)
{
    return soc_profile_cc(p) >= MEASURED_CC ? 20 : 100;
}

void charge_answer(const struct charge_run *run, unsigned buffer, uint64_t launches,
                   const struct soc_profile *p, struct charge_answer *out)
{
    double now;

    *out = (struct charge_answer){ .now = run->buffers[buffer].kind, .best = CHARGE_KINDS };
    for (unsigned kind = 0; kind < CHARGE_KINDS; kind++) {
        charge(run, buffer, kind, p, &out->cost[kind]);
    }
    now = charge_sum(&out->cost[out->now]);
    if (out->cost[out->now].why_not || out->cost[out->now].partial) {
        return;
    }
    out->best = out->now;
    for (unsigned kind = 0; kind < CHARGE_KINDS; kind++) {
        if (!out->cost[kind].why_not &&
            charge_sum(&out->cost[kind]) < charge_sum(&out->cost[out->best])) {
            out->best = kind;
        }
    }
    out->saves = now > 0 ? 1 - charge_sum(&out->cost[out->best]) / now : 0;
    /* The quotient of the two is off by the error to expect, at most. */
    out->sure = 1 - (1 - out->saves) * (1 + charge_error_percent(p) / 100) > 0;
    out->little = out->saves * now < (double)(launches ? launches : 1) * p->timing.submit_ns;
}

const char *charge_reason(const struct charge_answer *answer, const struct soc_profile *p)
{
    const struct charge_cost *now = &answer->cost[answer->now], *best = &answer->cost[answer->best];
    struct rules_facts f = rules_facts_of(p);
    enum rules_kind kind = charge_rules_kind(answer->now);

    if (now->copies > best->copies && now->copies - best->copies > (now->kernels - best->kernels)) {
        return "both lie in the same DRAM, so that no copy is needed (CUDA for Tegra 3.1)";
    }
    if (now->cpu - best->cpu > now->kernels - best->kernels &&
        rules_caching(&f, kind, RULES_CPU) == RULES_UNCACHED) {
        return "the CPU does not cache it (CUDA for Tegra, Table 1 and 3.2)";
    }
    if (rules_caching(&f, kind, rules_gpu_side(&f)) == RULES_UNCACHED) {
        return "the iGPU does not cache it (CUDA for Tegra, Table 1 and 3.1)";
    }
    return "the way from DRAM to the GPU is narrower for it (measured: docs/timing.md)";
}
