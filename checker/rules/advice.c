/* SPDX-License-Identifier: MIT */
/* What chapter 3 of CUDA for Tegra advises, where this run's numbers support it.
 *
 * The note gives no thresholds ("large", "small", "repetitive"): those here are ours, and every
 * advice prints the numbers it comes from, so that a reader can disagree. Times are virtual times
 * made from the profile's figures, which are inferred.
 */
#include "checker/rules/advice.h"

#include <inttypes.h>
#include <string.h>

#include "checker/rules/rules.h"

#define SMALL_BYTES 65536u  /* 3.1 "small buffers": copies below are not worth a word */
#define REPEATS 2u          /* "repetitive": read more often than this, whole size each time */
#define UNCACHED_NS 100000u /* uncached CPU time that is worth a word */
#define IDLE_MAINTENANCE 8u /* maintenance operations that found nothing to do */

struct maker {
    const struct run *run;
    GPtrArray *out;
};

static void advice_free(gpointer data)
{
    struct run_finding *f = data;

    g_free(f->rule);
    g_free(f->section);
    g_free(f->text);
    g_free(f->todo);
    g_free(f->where);
    g_clear_pointer(&f->buffers, g_hash_table_unref);
    g_free(f);
}

/* Takes @text. @todo: NULL: the rule's. */
static void advice_advise(struct maker *m, enum check_rule_id id, uint32_t region,
                          const char *where, char *text, const char *todo)
{
    const struct check_rule *rule = &check_rules[id];
    struct run_finding *f = g_new0(struct run_finding, 1);

    f->rule = g_strdup(rule->name);
    f->severity = rule->severity;
    f->standing = rule->standing;
    f->section = g_strdup(rule->section);
    f->text = text;
    f->todo = g_strdup(todo ? todo : rule->todo);
    f->where = where && *where ? g_strdup(where) : NULL;
    f->region = region;
    f->count = 1;
    g_ptr_array_add(m->out, f);
}

static bool is_pinned(const struct run_region *region)
{
    return region && run_is_pinned(region);
}

static uint64_t cpu_accesses(const struct run_region *region)
{
    const struct run_count *n = &region->agent[BUS_AGENT_CPU];

    return n->read_ops + n->write_ops;
}

/* "k1", "k1 and k2", "k1, k2 and 3 more": the kernels that use a region. g_free(). */
static char *kernels_text(const struct run_region *region)
{
    guint n = region->uses->len;
    GString *s = g_string_new(NULL);

    for (guint i = 0; i < n && i < 2; i++) {
        const struct run_use *use = region->uses->pdata[i];

        g_string_append_printf(s, "%s%s", i == 0 ? "" : n == 2 ? " and " : ", ", use->kernel->name);
    }
    if (n > 2) {
        g_string_append_printf(s, " and %u more", n - 2);
    }
    return g_string_free(s, FALSE);
}

/* --- 3.1, 3.2: copies that Tegra does not need ------------------------------------------------ */

/* Which of the two kinds that both sides reach: 3.1 weighs how often each side comes back to it. */
static const char *copy_todo(const struct run *r, const struct run_region *device,
                             const struct run_region *host, uint64_t copies)
{
    const struct run_count gpu = run_gpu_count(device);
    bool gpu_repeats = gpu.read_bytes + gpu.write_bytes > REPEATS * device->size * copies;
    bool uncached = rules_caching(&r->facts, RULES_PINNED, RULES_CPU) == RULES_UNCACHED;
    /* Accesses that were not seen may be many. */
    bool cpu_uncached = uncached && (!r->hooks || !host || cpu_accesses(host) > host->size / 64);

    if (r->safety) {
        return "Drop the copy and the device buffer: allocate one pinned buffer (cudaMallocHost) "
               "and "
               "give it to the kernels.";
    }
    if (cpu_uncached && !gpu_repeats) {
        return "Drop the copy and the device buffer: allocate one unified buffer "
               "(cudaMallocManaged) for both sides. Pinned memory would not do: below compute "
               "capability 7.2 the CPU does not cache it.";
    }
    if (gpu_repeats) {
        return "Drop the copy and the device buffer: allocate one unified buffer "
               "(cudaMallocManaged) "
               "for both sides. It is cached on both, and the kernels use it repeatedly.";
    }
    return "Drop the copy and the device buffer: give the kernels a pinned buffer "
           "(cudaMallocHost). "
           "They use it once, so that it is not cached on the iGPU hardly matters.";
}

static char *copy_use(const struct run_region *device)
{
    const struct run_count gpu = run_gpu_count(device);
    uint64_t bytes = gpu.read_bytes + gpu.write_bytes;
    char *kernels = device->uses->len ? kernels_text(device) : g_strdup("no kernel");
    char *text = g_strdup_printf(" Kernels used the device buffer %.1f times its size (%s).",
                                 device->size ? (double)bytes / (double)device->size : 0, kernels);

    g_free(kernels);
    return text;
}

static void advise_copy(struct maker *m, const struct run_copy *copy)
{
    const struct run_region *dst = copy->dst ? run_region(m->run, copy->dst) : NULL;
    const struct run_region *src = copy->src ? run_region(m->run, copy->src) : NULL;
    bool in = dst && dst->kind == RUN_DEVICE && (!src || is_pinned(src));
    bool out = src && src->kind == RUN_DEVICE && (!dst || is_pinned(dst));
    const struct run_region *device = in ? dst : src;
    char *size, *from, *to, *use;

    /* A discrete GPU's memory is not the same DRAM. */
    if ((!in && !out) || m->run->facts.discrete || device->vidmem ||
        copy->bytes / copy->count < SMALL_BYTES) {
        return;
    }
    size = run_size_text(copy->bytes);
    from = src ? run_region_name(src) : g_strdup("pageable memory");
    to = dst ? run_region_name(dst) : g_strdup("pageable memory");
    use = copy_use(device);
    advice_advise(m, CHECK_RULE_COPY_UNNEEDED, device->id, copy->where,
                  g_strdup_printf("%s copied %s in %" PRIu64
                                  " %s from %s to %s. Both lie in the same DRAM: "
                                  "no transfer is needed.%s",
                                  copy->api, size, copy->count, copy->count == 1 ? "call" : "calls",
                                  from, to, use),
                  copy_todo(m->run, device, in ? src : dst, copy->count));
    g_free(size);
    g_free(from);
    g_free(to);
    g_free(use);
}

/* --- 3.4: the discrete GPU of a board with two -------------------------------------------------
 */

static bool is_vidmem(const struct run *r, uint32_t id)
{
    const struct run_region *region = id ? run_region(r, id) : NULL;

    return region && region->vidmem;
}

static uint64_t dgpu_kernels_ns(const struct run *r)
{
    uint64_t sum = 0;

    for (guint i = 0; i < r->kernels->len; i++) {
        const struct run_kernel *k = r->kernels->pdata[i];

        sum += g_strcmp0(k->gpu, "dGPU") == 0 ? k->time_ns : 0;
    }
    return sum;
}

/* What the integrated GPU would need is estimated by the bandwidth of both memories (inferred: most
 * short kernels are bound by it). */
static void advise_dgpu(struct maker *m)
{
    const struct run *r = m->run;
    uint64_t in = 0, out = 0, link_ns, kernels_ns = dgpu_kernels_ns(r), igpu_ns;
    const struct run_copy *most = NULL;

    for (guint i = 0; i < r->copies->len; i++) {
        const struct run_copy *c = r->copies->pdata[i];
        bool to = is_vidmem(r, c->dst), from = is_vidmem(r, c->src);

        in += to && !from ? c->bytes : 0;
        out += from && !to ? c->bytes : 0;
        most = to != from && (!most || c->bytes > most->bytes) ? c : most;
    }
    if (!r->link_mb_s || !r->bandwidth_mb_s || in < SMALL_BYTES || out < SMALL_BYTES ||
        !kernels_ns) {
        return;
    }
    link_ns = (in + out) * 1000 / r->link_mb_s;
    igpu_ns = (uint64_t)((double)kernels_ns * (double)r->dgpu_mb_s / (double)r->bandwidth_mb_s);
    if (link_ns + kernels_ns > igpu_ns) {
        g_autofree char *in_text = run_size_text(in), *out_text = run_size_text(out);

        advice_advise(
            m, CHECK_RULE_DGPU_TRANSFERS,
            most->dst && is_vidmem(r, most->dst) ? most->dst : most->src, most->where,
            g_strdup_printf("%s go to the discrete GPU and %s come back: %.1f us on the link. Its "
                            "kernels take %.1f us. The integrated GPU needs no transfer, and would "
                            "take about %.1f us for them by the bandwidth of both memories.",
                            in_text, out_text, (double)link_ns / 1e3, (double)kernels_ns / 1e3,
                            (double)igpu_ns / 1e3),
            NULL);
    }
}

/* --- 3.2: the CPU on uncached memory ---------------------------------------------------------- */

static const struct run_site *busiest_site(const struct run_region *region)
{
    return region->sites->len ? region->sites->pdata[0] : NULL;
}

static uint64_t kernels_time(const struct run *r)
{
    uint64_t sum = 0;

    for (guint i = 0; i < r->kernels->len; i++) {
        sum += ((const struct run_kernel *)r->kernels->pdata[i])->time_ns;
    }
    return sum;
}

static bool only_cpu(const struct run_region *region)
{
    static const enum bus_agent users[] = {
        BUS_AGENT_IGPU,
        BUS_AGENT_CE,
        BUS_AGENT_DGPU,
        BUS_AGENT_DCE,
#define ENGINE(NAME, ...) BUS_AGENT_##NAME,
#include "model/engines.h"
    };
    uint64_t engines = region->copied_in + region->copied_out;

    for (gsize i = 0; i < G_N_ELEMENTS(users); i++) {
        const struct run_count *n = &region->agent[users[i]];

        engines +=
            n->read_bytes + n->write_bytes + n->port_read_bytes + n->port_write_bytes + n->atomics;
    }
    return engines == 0;
}

static void advise_uncached(struct maker *m, const struct run_region *region)
{
    const struct run *r = m->run;
    const struct run_count *n = &region->agent[BUS_AGENT_CPU];
    const struct run_site *site = busiest_site(region);
    uint64_t accesses = cpu_accesses(region), lines, slow_ns, fast_ns;
    char *name, *slow, *fast, *kernels;

    if (!is_pinned(region) || region->cpu_cached || r->cpu_line == 0) {
        return;
    }
    lines = (n->read_bytes + n->write_bytes) / r->cpu_line;
    slow_ns = accesses * r->cpu_uncached_ps / 1000;
    fast_ns = (accesses * r->cpu_hit_ps + lines * r->cpu_miss_ps) / 1000;
    if (slow_ns < UNCACHED_NS || slow_ns < 2 * fast_ns) {
        return;
    }
    name = run_region_name(region);
    slow = run_time_text(slow_ns);
    fast = run_time_text(fast_ns);
    kernels = run_time_text(kernels_time(r));
    advice_advise(m, only_cpu(region) ? CHECK_RULE_PINNED_CPU_ONLY : CHECK_RULE_PINNED_UNCACHED_CPU,
                  region->id, site ? site->where : NULL,
                  g_strdup_printf(
                      "The CPU made %" PRIu64 " accesses to pinned %s, which is not cached on the "
                      "CPU below compute capability 7.2: about %s, against %s through the caches "
                      "and %s of all kernels (virtual time).",
                      accesses, name, slow, fast, kernels),
                  NULL);
    g_free(name);
    g_free(slow);
    g_free(fast);
    g_free(kernels);
}

/* --- 3.1: the iGPU on pinned memory ----------------------------------------------------------- */

/* Of one launch: between two of them the CPU may write the buffer, and no cache would serve the
 * second. */
static const struct run_use *most_read(const struct run_region *region)
{
    const struct run_use *most = NULL;

    for (guint i = 0; i < region->uses->len; i++) {
        const struct run_use *use = region->uses->pdata[i];

        most = !most || use->most_read > most->most_read ? use : most;
    }
    return most;
}

static void advise_pinned_repeat(struct maker *m, const struct run_region *region)
{
    const struct run_use *use = most_read(region);
    uint64_t read = use ? use->most_read : 0;
    bool dgpu = use && g_strcmp0(use->kernel->gpu, "dGPU") == 0;
    char *name, *size;

    if (!is_pinned(region) || !run_igpu_uncached(m->run, region) || region->size < SMALL_BYTES ||
        read <= REPEATS * region->size) {
        return;
    }
    name = run_region_name(region);
    size = run_size_text(read);
    advice_advise(
        m, CHECK_RULE_PINNED_GPU_REPEAT, region->id, NULL,
        g_strdup_printf(
            "In one launch %s read %s from pinned %s, %.1f times its size. Pinned memory is "
            "not cached on the %s: each read went to DRAM%s.",
            use->kernel->name, size, name, (double)read / (double)region->size,
            dgpu ? "dGPU" : "iGPU", dgpu ? " over the link" : ""),
        dgpu ? "Copy it into memory of the dGPU first (cudaMalloc, cudaMemcpyAsync): its L2 caches "
               "that."
        : region->agent[BUS_AGENT_CPU].read_ops + region->agent[BUS_AGENT_CPU].write_ops == 0 &&
                m->run->hooks
            ? "Only the iGPU uses it: allocate it with cudaMalloc."
            : "Allocate it with cudaMallocManaged: repeated accesses then hit the iGPU's L2 and "
              "pay "
              "for the cache maintenance.");
    g_free(name);
    g_free(size);
}

/* --- 3.1: buffers that only the iGPU uses ----------------------------------------------------- */

static const char *users_name(const struct run *r, const struct run_region *region)
{
    const struct run_count *i = &region->agent[BUS_AGENT_IGPU], *d = &region->agent[BUS_AGENT_DGPU];

    return d->read_bytes + d->write_bytes == 0   ? run_gpu_name(r)
           : i->read_bytes + i->write_bytes == 0 ? "dGPU"
                                                 : "GPUs";
}

/* Without hooks the CPU's reads are not seen, so nothing is said then. */
static void advise_gpu_only(struct maker *m, const struct run_region *region)
{
    char *name, *kernels;

    if (!m->run->hooks || !(region->kind == RUN_MANAGED || is_pinned(region)) ||
        !run_only_igpu(region)) {
        return;
    }
    name = run_region_name(region);
    kernels = kernels_text(region);
    advice_advise(m, CHECK_RULE_DEVICE_MEMORY_FITS, region->id, NULL,
                  g_strdup_printf("%s is %s memory, but only the %s touched it (%s).", name,
                                  run_kind_name(region->kind), users_name(m->run, region), kernels),
                  NULL);
    g_free(name);
    g_free(kernels);
}

/* --- 3.3: hints for managed memory ------------------------------------------------------------ */

static void advise_hint(struct maker *m, const struct run_region *region)
{
    uint64_t ops = region->clean.ops + region->clean_invalidate.ops + region->invalidate.ops;
    uint64_t idle = region->clean.empty + region->clean_invalidate.empty + region->invalidate.empty;
    char *name;

    if (region->kind != RUN_MANAGED || region->attach_cpu + region->attach_gpu > 0 ||
        idle < IDLE_MAINTENANCE || strcmp(m->run->os ? m->run->os : "", "qnx") == 0) {
        return;
    }
    name = run_region_name(region);
    advice_advise(m, CHECK_RULE_MANAGED_HINT, region->id, NULL,
                  g_strdup_printf("Managed %s was maintained %" PRIu64 " times at launches and "
                                  "synchronisations; %" PRIu64
                                  " of them found no line to write back or drop. "
                                  "No attachment hint was given for it.",
                                  name, ops, idle),
                  NULL);
    g_free(name);
}

static void advise_small_managed(struct maker *m, const struct run_region *region)
{
    uint64_t ops = region->clean.ops + region->clean_invalidate.ops + region->invalidate.ops;
    char *name;

    if (region->kind != RUN_MANAGED || region->size >= SMALL_BYTES || ops < IDLE_MAINTENANCE ||
        m->run->safety) {
        return;
    }
    name = run_region_name(region);
    advice_advise(
        m, CHECK_RULE_SMALL_PINNED, region->id, NULL,
        g_strdup_printf("Managed %s is small and was maintained %" PRIu64 " times.", name, ops),
        NULL);
    g_free(name);
}

static void advise_safety(struct maker *m, const struct run_region *region)
{
    char *name;

    if (!m->run->safety || region->kind != RUN_MANAGED) {
        return;
    }
    name = run_region_name(region);
    advice_advise(
        m, CHECK_RULE_MANAGED_SAFETY, region->id, NULL,
        g_strdup_printf("%s is unified memory in a safety context. Its coherence is managed by "
                        "software, which is by nature not deterministic.",
                        name),
        NULL);
    g_free(name);
}

/* --- NvBufSurface: calls that maintain the CPU's caches for nothing ----------------------------
 */

static bool agent_used(const struct run_region *region, unsigned agent)
{
    const struct run_count *n = &region->agent[agent];

    return n->read_bytes + n->write_bytes + n->port_read_bytes + n->port_write_bytes > 0;
}

/* Do all engines that have used it look into the CPU's caches? */
static bool all_snoop(const struct run *r, const struct run_region *region)
{
    bool used = false;

    for (unsigned agent = 0; agent < BUS_AGENT_COUNT; agent++) {
        if (agent != BUS_AGENT_CPU && agent_used(region, agent)) {
            used = true;
            if (!r->facts.io_coherent || (r->past_caches >> agent & 1)) {
                return false;
            }
        }
    }
    return used;
}

static void advise_syncs(struct maker *m, const struct run_region *region)
{
    uint64_t ops = region->clean.ops + region->invalidate.ops;
    uint64_t idle = region->clean.empty + region->invalidate.empty;
    uint64_t lines = region->clean.lines + region->invalidate.lines;
    bool snooped = all_snoop(m->run, region);
    g_autofree char *name = NULL;

    if (!region->planes || !ops || (!snooped && idle < IDLE_MAINTENANCE)) {
        return;
    }
    name = run_region_name(region);
    advice_advise(
        m, CHECK_RULE_SURFACE_SYNC_UNNEEDED, region->id, NULL,
        snooped ? g_strdup_printf("%s was synchronised %" PRIu64 " times (%" PRIu64
                                  " lines, %.1f us), and every engine that used it looks into the "
                                  "CPU's caches on this SoC.",
                                  name, ops, lines, (double)(lines * m->run->cpu_maintain_ps) / 1e6)
                : g_strdup_printf("%s was synchronised %" PRIu64 " times; %" PRIu64
                                  " of these calls found no line to write back or drop.",
                                  name, ops, idle),
        NULL);
}

/* --- of the whole run ------------------------------------------------------------------------- */

static void advise_run(struct maker *m)
{
    const struct run *r = m->run;

    if (g_strcmp0(r->os, "qnx") == 0 && r->attaches > 0) {
        advice_advise(m, CHECK_RULE_QNX_HINTS, 0, NULL,
                      g_strdup_printf("The program gave %" PRIu64
                                      " attachment hints. On QNX they do not "
                                      "benefit performance.",
                                      r->attaches),
                      NULL);
    }
    if (r->attach_after_launch > 0) {
        advice_advise(m, CHECK_RULE_ATTACH_AFTER_LAUNCH, 0, NULL,
                      g_strdup_printf(
                          "%" PRIu64 " %s to the host followed a launch without a synchronisation "
                          "between them: the driver then works with callback threads, which "
                          "makes the call's time unpredictable.",
                          r->attach_after_launch,
                          r->attach_after_launch == 1 ? "attachment" : "attachments"),
                      NULL);
    }
}

/* Calls that this SoC or system does not support and for which the note names another way. */
static void advise_unsupported(struct maker *m)
{
    static const struct {
        const char *api;
        enum check_rule_id rule;
    } ways[] = {
        { "MemPrefetchAsync", CHECK_RULE_PREFETCH_UNSUPPORTED },
        { "HostRegister", CHECK_RULE_HOST_REGISTER_UNSUPPORTED },
        { "Ipc", CHECK_RULE_IPC_UNSUPPORTED },
        { "Peer", CHECK_RULE_P2P_UNSUPPORTED },
    };

    for (guint i = 0; i < m->run->unsupported->len; i++) {
        const struct run_copy *call = m->run->unsupported->pdata[i];

        if (g_strcmp0(call->section, "vtegra") == 0) { /* a board does it */
            continue;
        }
        for (gsize w = 0; w < G_N_ELEMENTS(ways); w++) {
            if (strstr(call->api, ways[w].api)) {
                advice_advise(m, ways[w].rule, 0, call->where,
                              g_strdup_printf("%s (%" PRIu64 " %s) %s", call->api, call->count,
                                              call->count == 1 ? "call" : "calls",
                                              check_rules[ways[w].rule].text),
                              NULL);
                break;
            }
        }
    }
}

static void advise_region(struct maker *m, const struct run_region *region)
{
    advise_uncached(m, region);
    advise_gpu_only(m, region);
    if (m->run->facts.discrete) { /* 4.1 and 4.3 weigh the iGPU's caches */
        return;
    }
    advise_pinned_repeat(m, region);
    advise_small_managed(m, region);
    advise_hint(m, region);
    advise_safety(m, region);
    advise_syncs(m, region);
}

/* What the driver saw, as its notes say. */
static void advise_noted(struct maker *m)
{
    for (guint i = 0; i < m->run->noted_advice->len; i++) {
        const struct run_finding *noted = m->run->noted_advice->pdata[i];
        struct run_finding *f = g_new0(struct run_finding, 1);

        f->rule = g_strdup(noted->rule);
        f->severity = noted->severity;
        f->standing = noted->standing;
        f->section = g_strdup(noted->section);
        f->text = g_strdup(noted->text);
        f->todo = g_strdup(noted->todo);
        f->where = g_strdup(noted->where);
        f->region = noted->region;
        f->count = noted->count;
        f->buffers = g_hash_table_ref(noted->buffers);
        g_ptr_array_add(m->out, f);
    }
}

GPtrArray *advice_make(const struct run *r)
{
    struct maker m = { r, g_ptr_array_new_with_free_func(advice_free) };

    advise_noted(&m);
    for (guint i = 0; i < r->copies->len; i++) {
        advise_copy(&m, r->copies->pdata[i]);
    }
    for (guint i = 0; i < r->regions->len; i++) {
        advise_region(&m, r->regions->pdata[i]);
    }
    advise_dgpu(&m);
    advise_unsupported(&m);
    advise_run(&m);
    return m.out;
}
