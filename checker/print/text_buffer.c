/* SPDX-License-Identifier: MIT */
/* The buffers of the text report: who read and wrote each of them, and how. */
#include "checker/print/text_internal.h"

#include <inttypes.h>
#include <string.h>

#include "checker/print/group.h"

const char *text_cpu_column(const struct run *r, const struct run_region *region)
{
    if (rules_caching(&r->facts, run_rules_kind(region->kind), RULES_CPU) == RULES_NO_ACCESS) {
        return "no access";
    }
    return region->cpu_cached ? "cached" : "uncached";
}

const char *text_igpu_column(const struct run *r, const struct run_region *region)
{
    return region->vidmem ? "no access" : run_igpu_uncached(r, region) ? "uncached" : "cached";
}

const char *text_dgpu_column(const struct run *r, const struct run_region *region)
{
    static const char *const words[] = {
        [RULES_NO_ACCESS] = "no access", [RULES_UNCACHED] = "uncached", [RULES_CACHED] = "cached"
    };

    return region->kind == RUN_DEVICE && !region->vidmem ? "no access" /* of the other GPU: 3.6 */
                                                         : words[run_dgpu_caching(r, region)];
}

char *text_gpu_columns(const struct run *r, const struct run_region *region)
{
    if (r->gpus < 2) {
        return g_strconcat(run_gpu_name(r), " ", text_igpu_column(r, region), NULL);
    }
    if (region->kind == RUN_DEVICE) {
        return g_strdup(region->vidmem ? "dGPU cached" : "iGPU cached");
    }
    return g_strdup_printf("iGPU %s, dGPU %s", text_igpu_column(r, region),
                           text_dgpu_column(r, region));
}

static void text_buffer_cpu_print(struct text_printer *p, const struct run_region *region)
{
    const struct run_count *n = &region->agent[BUS_AGENT_CPU];
    GString *s = g_string_new(NULL);

    if (n->read_ops + n->write_ops == 0) {
        g_string_free(s, TRUE);
        return;
    }
    text_join_count(s, n->read_ops, "load", "loads");
    text_join_size(s, "read ", n->read_bytes);
    text_join_count(s, n->write_ops, "store", "stores");
    text_join_size(s, "wrote ", n->write_bytes);
    text_join_count(s, n->atomics, "of them atomic", "of them atomic");
    if (region->cpu_cached && n->read_hits + n->write_hits + n->read_misses + n->write_misses) {
        g_string_append_printf(s, "; cache hits %" PRIu64 ", misses %" PRIu64,
                               n->read_hits + n->write_hits, n->read_misses + n->write_misses);
    } else if (!region->cpu_cached) {
        g_string_append_printf(s, "; all %" PRIu64 " uncached", n->read_ops + n->write_ops);
    }
    g_string_append(s, region->watched ? "; while in use" : "");
    text_labelled(p, TEXT_INDENT, "CPU", g_string_free(s, FALSE));
}

static void text_buffer_sites_print(struct text_printer *p, const struct run_region *region)
{
    for (guint i = 0; i < region->sites->len && i < 3; i++) {
        const struct run_site *site = region->sites->pdata[i];
        GString *s = g_string_new(NULL);

        text_join_count(s, site->loads, "load", "loads");
        text_join_count(s, site->stores, "store", "stores");
        text_join_count(s, site->atomics, "atomic", "atomics");
        g_string_append_printf(s, " at %s", site->where ? site->where : "?");
        text_labelled(p, TEXT_INDENT, "", g_string_free(s, FALSE));
    }
    if (region->sites->len > 3) {
        text_labelled(p, TEXT_INDENT, "",
                      g_strdup_printf("and at %u more lines", region->sites->len - 3));
    }
}

/* What is known of the CPU without hooks: the lines that were found changed. */
static void text_buffer_pages_print(struct text_printer *p, const struct run_region *region)
{
    uint64_t cleaned = region->clean.lines + region->clean_invalidate.lines, snoops = 0;

    if (p->run->hooks ||
        region->agent[BUS_AGENT_CPU].read_ops + region->agent[BUS_AGENT_CPU].write_ops) {
        return;
    }
    for (unsigned agent = 0; agent < BUS_AGENT_COUNT; agent++) {
        snoops += region->agent[agent].snooped_lines;
    }
    if (cleaned || snoops) {
        GString *s = g_string_new(NULL);

        text_join_count(s, cleaned, "dirty line written back", "dirty lines written back");
        text_join_count(s, snoops, "line taken from the CPU's cache by engines (snoop hit)",
                        "lines taken from the CPU's cache by engines (snoop hits)");
        text_labelled(p, TEXT_INDENT, "CPU", g_strconcat("wrote: ", s->str, NULL));
        g_string_free(s, TRUE);
    } else if (region->kind == RUN_PINNED && !region->cpu_cached) {
        text_labelled(p, TEXT_INDENT, "CPU",
                      g_strdup("accesses to uncached memory are not seen per page"));
    }
}

static void text_buffer_uses_print(struct text_printer *p, const struct run_region *region)
{
    for (guint i = 0; i < region->uses->len; i++) {
        const struct run_use *use = region->uses->pdata[i];
        const struct run_count *n = &use->sum;
        GString *s = g_string_new(NULL);

        text_join_size(s, "read ", n->read_bytes);
        text_join_size(s, "wrote ", n->write_bytes);
        text_join_count(s, n->atomics, "atomic", "atomics");
        if (n->read_hits + n->read_misses) {
            g_string_append_printf(s, "; L2 hits %" PRIu64 " of %" PRIu64 " sectors read",
                                   n->read_hits, n->read_hits + n->read_misses);
        }
        text_join_count(s, n->snooped_lines, "snoop hit in the CPU caches",
                        "snoop hits in the CPU caches");
        if (s->len) {
            text_labelled(p, TEXT_INDENT, use->kernel->name, g_string_free(s, FALSE));
        } else {
            g_string_free(s, TRUE);
        }
    }
}

/* The L2 is read in whole sectors, so a small buffer shows more bytes than it has. */
static bool text_buffer_has_more_sectors(const struct run_region *region, uint64_t read_bytes)
{
    return region->size % 32 && read_bytes > region->size && read_bytes % 32 == 0;
}

static void text_buffer_agent_print(struct text_printer *p, const struct run_region *region,
                                    enum bus_agent agent, const char *label)
{
    const struct run_count *n = &region->agent[agent];
    bool uncached = run_igpu_uncached(p->run, region);
    uint64_t read = uncached ? MAX(n->read_bytes, n->port_read_bytes) : n->read_bytes;
    GString *s = g_string_new(NULL);

    text_join_size(s, "read ", read);
    if (text_buffer_has_more_sectors(region, read)) {
        g_string_append(s, " (whole sectors of 32 B)");
    }
    text_join_size(s, "wrote ",
                   uncached ? MAX(n->write_bytes, n->port_write_bytes) : n->write_bytes);
    text_join_count(s, n->snooped_lines, "snoop hit in the CPU caches",
                    "snoop hits in the CPU caches");
    if (s->len) {
        text_labelled(p, TEXT_INDENT, label, g_string_free(s, FALSE));
    } else {
        g_string_free(s, TRUE);
    }
}

/* Cached memory is written through the L2, so what a GPU wrote through the port left the L2: it was
 * cleaned (by the front end) or evicted. Other engines write past it. */
static void text_buffer_write_back_print(struct text_printer *p, const struct run_region *region)
{
    uint64_t bytes = 0;

    for (unsigned agent = BUS_AGENT_IGPU; agent < BUS_AGENT_COUNT; agent++) {
        const struct run_count *n = &region->agent[agent];
        bool gpu = agent_is_gpu(agent) || agent_is_copy_engine(agent) || agent_is_front_end(agent);

        bytes += gpu ? n->port_write_bytes
                     : n->port_write_bytes - MIN(n->port_write_bytes, n->write_bytes);
    }
    if (bytes && !run_igpu_uncached(p->run, region)) {
        text_labelled(p, TEXT_INDENT, "L2 wrote back", run_size_text(bytes));
    }
}

static void text_buffer_maint_join(GString *s, const char *what, const struct run_maint *m)
{
    char *part;

    if (m->ops) {
        part = g_strdup_printf("CPU %s %" PRIu64 " %s, %" PRIu64 " %s", what, m->ops,
                               m->ops == 1 ? "time" : "times", m->lines,
                               m->lines == 1 ? "line" : "lines");
        g_string_append_printf(s, "%s%s", s->len ? "; " : "", part);
        g_free(part);
    }
}

static void text_buffer_maint_print(struct text_printer *p, const struct run_region *region)
{
    GString *s = g_string_new(NULL);

    text_buffer_maint_join(s, "clean", &region->clean);
    text_buffer_maint_join(s, "clean+invalidate", &region->clean_invalidate);
    text_buffer_maint_join(s, "invalidate", &region->invalidate);
    text_join_count(s, region->attach_gpu, "hint moved it to the GPU", "hints moved it to the GPU");
    text_join_count(s, region->attach_cpu, "hint moved it to the CPU", "hints moved it to the CPU");
    text_join_count(s, region->stale_lines, "stale line read by the CPU",
                    "stale lines read by the CPU");
    text_join_count(s, region->lost_bytes, "dirty byte lost", "dirty bytes lost");
    if (s->len) {
        text_labelled(p, TEXT_INDENT, "maintenance", g_string_free(s, FALSE));
    } else {
        g_string_free(s, TRUE);
    }
}

static bool text_buffer_untouched(const struct run_region *region)
{
    uint64_t bytes = region->clean.lines + region->clean_invalidate.lines;

    for (unsigned agent = 0; agent < BUS_AGENT_COUNT; agent++) {
        const struct run_count *n = &region->agent[agent];

        bytes += n->read_bytes + n->write_bytes + n->port_read_bytes + n->port_write_bytes +
                 n->atomics + n->snooped_lines;
    }
    return bytes == 0 && region->sites->len == 0;
}

/* "#3"; "#3 to #9"; "#3 and 5 more". */
static char *text_buffer_numbers(const struct group *g)
{
    const struct run_region *last = g->members->pdata[g->members->len - 1];
    guint n = g->members->len;

    if (n == 1) {
        return g_strdup_printf("#%u", g->sum.number);
    }
    return last->number - g->sum.number == n - 1
               ? g_strdup_printf("#%u to #%u", g->sum.number, last->number)
               : g_strdup_printf("#%u and %u more", g->sum.number, n - 1);
}

static void text_buffer_members_print(struct text_printer *p, const struct group *g)
{
    g_autofree char *each = run_size_text(g->same_size);

    if (g->members->len > 1) {
        text_labelled(
            p, TEXT_INDENT, "buffers",
            g->same_size
                ? g_strdup_printf("%u of %s, reported together", g->members->len, each)
                : g_strdup_printf("%u of several sizes, reported together", g->members->len));
    }
}

static void text_buffer_print(struct text_printer *p, const struct group *g)
{
    const struct run_region *region = &g->sum;
    char *size = run_size_text(region->size);
    char *number = text_buffer_numbers(g);
    g_autofree char *gpus = text_gpu_columns(p->run, region);

    g_string_append_printf(p->out, "  %-3s %-12s%10s   CPU %-12s%s%s%s\n", number,
                           run_kind_name(region->kind), size, text_cpu_column(p->run, region), gpus,
                           region->attached ? ", attached " : "",
                           region->attached ? region->attached : "");
    text_buffer_members_print(p, g);
    if (region->api || region->where) {
        char *times = region->times > g->members->len
                          ? g_strdup_printf(", %" PRIu64 " times", region->times)
                          : g_strdup("");

        text_labelled(p, TEXT_INDENT, "allocated",
                      g_strdup_printf("%s%s%s%s", region->api ? region->api : "",
                                      region->where ? " at " : "",
                                      region->where ? region->where : "", times));
        g_free(times);
    }
    text_buffer_cpu_print(p, region);
    text_buffer_sites_print(p, region);
    text_buffer_pages_print(p, region);
    text_buffer_uses_print(p, region);
    if (region->uses->len == 0) {
        text_buffer_agent_print(p, region, BUS_AGENT_IGPU, run_gpu_name(p->run));
        text_buffer_agent_print(p, region, BUS_AGENT_DGPU, "dGPU");
    }
    text_buffer_agent_print(p, region, BUS_AGENT_CE, "copy engine");
    text_buffer_agent_print(p, region, BUS_AGENT_DCE, "dGPU's copies");
    text_buffer_write_back_print(p, region);
#define ENGINE(NAME, ...) text_buffer_agent_print(p, region, BUS_AGENT_##NAME, #NAME);
#include "model/engines.h"
    text_buffer_maint_print(p, region);
    if (region->kind == RUN_DEVICE && run_only_igpu(region)) {
        text_labelled(p, TEXT_INDENT, "use",
                      g_strdup_printf("only the %s touched it: device memory is right (3.1)",
                                      region->vidmem ? "dGPU" : run_gpu_name(p->run)));
    }
    if (text_buffer_untouched(region)) {
        text_labelled(p, TEXT_INDENT, "use", g_strdup("no access was observed"));
    }
    g_free(number);
    g_free(size);
}

void text_buffers_print(struct text_printer *p)
{
    g_autoptr(GPtrArray) groups = groups_make(p->run);
    uint64_t driver = 0;
    char *size;

    text_heading(p, "Buffers (caching as in Table 1 of CUDA for Tegra)");
    for (guint i = 0; i < groups->len; i++) {
        text_buffer_print(p, groups->pdata[i]);
    }
    for (guint i = 0; i < p->run->regions->len; i++) {
        const struct run_region *region = p->run->regions->pdata[i];

        driver += region->number ? 0 : region->len;
    }
    if (driver) {
        size = run_size_text(driver);
        g_string_append_printf(
            p->out, "  and %s of the driver's own (command buffers, page tables, code)\n", size);
        g_free(size);
    }
}
