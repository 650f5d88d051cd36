/* SPDX-License-Identifier: MIT */
/* Plain text, at most WIDTH columns, the same on every machine; bold headings only on a terminal.
 */
#include "checker/print/text.h"

#include <inttypes.h>
#include <string.h>

#include "checker/print/group.h"

#define WIDTH 96
#define INDENT 6 /* of what belongs to a buffer */
#define LABEL 14 /* width of the names before the values there */

struct printer {
    const struct run *run;
    GString *out;
    bool colour;
};

const char *text_cpu_column(const struct run *r, const struct run_region *region)
{
    if (rules_caching(&r->facts, run_rules_kind(region->kind), RULES_CPU) == RULES_NO_ACCESS) {
        return "no access";
    }
    return region->cpu_cached ? "cached" : "uncached";
}

const char *text_igpu_column(const struct run *r, const struct run_region *region)
{
    return run_igpu_uncached(r, region) ? "uncached" : "cached";
}

/* --- lines ------------------------------------------------------------------------------------ */

/* One word-wrapped paragraph: @first before its first line, @indent blanks before the others. */
static void paragraph(GString *out, const char *first, unsigned indent, const char *text)
{
    char **words = g_strsplit(text, " ", -1);
    size_t column = strlen(first);
    bool fresh = true;

    g_string_append(out, first);
    for (char **w = words; *w; w++) {
        size_t len = (size_t)g_utf8_strlen(*w, -1);

        if (len == 0) {
            continue;
        }
        if (!fresh && column + 1 + len > WIDTH) {
            g_string_append_printf(out, "\n%*s", (int)indent, "");
            column = indent;
            fresh = true;
        }
        g_string_append_printf(out, "%s%s", fresh ? "" : " ", *w);
        column += len + !fresh;
        fresh = false;
    }
    g_string_append_c(out, '\n');
    g_strfreev(words);
}

static void heading(struct printer *p, const char *title)
{
    g_string_append_printf(p->out, "\n%s%s%s\n", p->colour ? "\033[1m" : "", title,
                           p->colour ? "\033[0m" : "");
}

/* "      label         text", wrapped under the text. Takes @text. */
static void labelled(struct printer *p, unsigned indent, const char *label, char *text)
{
    char *first = g_strdup_printf("%*s%-*s", (int)indent, "", LABEL, label);

    if (strlen(label) >= LABEL) { /* a long kernel name has the line for itself */
        g_string_append_printf(p->out, "%*s%s\n", (int)indent, "", label);
        g_free(first);
        first = g_strdup_printf("%*s", (int)(indent + LABEL), "");
    }
    paragraph(p->out, first, indent + LABEL, text);
    g_free(first);
    g_free(text);
}

static void join(GString *s, const char *part)
{
    if (s->len) {
        g_string_append(s, ", ");
    }
    g_string_append(s, part);
}

static void join_count(GString *s, uint64_t n, const char *one, const char *many)
{
    char *part;

    if (n) {
        part = g_strdup_printf("%" PRIu64 " %s", n, n == 1 ? one : many);
        join(s, part);
        g_free(part);
    }
}

static void join_size(GString *s, const char *verb, uint64_t bytes)
{
    char *size, *part;

    if (bytes) {
        size = run_size_text(bytes);
        part = g_strconcat(verb, size, NULL);
        join(s, part);
        g_free(size);
        g_free(part);
    }
}

/* --- header ----------------------------------------------------------------------------------- */

/* Engines wrote memory that the CPU may touch at any time: open managed memory, pinned memory. */
static bool output_is_open(const struct run *r)
{
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];
        const struct run_count *igpu = &region->agent[BUS_AGENT_IGPU];
        bool open = run_is_pinned(region) || region->kind == RUN_PAGEABLE ||
                    (region->kind == RUN_MANAGED && r->facts.full_coherent);

        if (region->number && open &&
            igpu->write_bytes + igpu->port_write_bytes + igpu->atomics > 0) {
            return true;
        }
    }
    return false;
}

static bool kernels_use_pageable(const struct run *r)
{
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        if (region->kind == RUN_PAGEABLE && region->uses->len) {
            return true;
        }
    }
    return false;
}

#define NAMES 6u /* of code without hooks, that are named */

static void join_names(GString *s, const GPtrArray *names)
{
    for (guint i = 0; i < names->len && i < NAMES; i++) {
        g_string_append_printf(s, "%s%s", i ? ", " : "", (const char *)names->pdata[i]);
    }
    if (names->len > NAMES) {
        g_string_append_printf(s, " and %u more", names->len - NAMES);
    }
}

static void join_object(GString *s, const struct run_object *o)
{
    g_string_append(s, s->len ? "; " : "");
    if (g_strcmp0(o->hooks, "some") != 0) {
        g_string_append(s, o->name ? o->name : "?");
        return;
    }
    g_string_append_printf(s, "of %s ", o->name ? o->name : "?");
    join_names(s, o->files);
    if (o->functions->len) {
        g_string_append_printf(s,
                               "%swhat was compiled without -g: ", o->files->len ? ", and " : "");
        join_names(s, o->functions);
    }
}

/* @hooks: one or another. NULL: nobody. */
static char *objects_text(const struct run *r, const char *hooks, const char * or)
{
    GString *s = g_string_new(NULL);

    for (guint i = 0; i < r->objects->len; i++) {
        const struct run_object *o = r->objects->pdata[i];

        if (g_strcmp0(o->hooks, hooks) == 0 || g_strcmp0(o->hooks, or) == 0) {
            join_object(s, o);
        }
    }
    return g_string_free(s, s->len == 0);
}

static bool all_hooked(const struct run *r)
{
    for (guint i = 0; i < r->objects->len; i++) {
        const struct run_object *o = r->objects->pdata[i];

        if (g_strcmp0(o->hooks, "all") != 0) {
            return false;
        }
    }
    return true;
}

static char *accesses_text(const struct run *r)
{
    if (r->machine_sees_cpu) {
        return g_strdup("exact (the machine in QEMU sees each of them)");
    }
    if (!r->hooks) {
        return g_strdup("seen per page: reads, counts and uncached accesses are not known. Build "
                        "with `vtegra cc --track` for exact ones");
    }
    return g_strdup(!all_hooked(r)
                        ? "exact for code with compiler hooks only; other code is seen per page"
                    : r->objects->len
                        ? "exact (compiler hooks in all code of the program and its own libraries)"
                        : "exact (compiler hooks; code built without them is seen per page)");
}

/* Code of the application's whose accesses are not exact. */
static void print_hooks(struct printer *p)
{
    g_autofree char *without = objects_text(p->run, "none", "some"),
                    *unheard = objects_text(p->run, "unheard", "unheard"),
                    *unknown = objects_text(p->run, "unknown", "unknown");

    if (without && p->run->hooks) {
        labelled(p, 2, "without hooks", g_steal_pointer(&without));
    }
    if (unheard) {
        labelled(p, 2, "hooks ignored",
                 g_strconcat(unheard, ": hooks of another version of vtegra; build again", NULL));
    }
    if (unknown) {
        labelled(p, 2, "hooks unknown",
                 g_strconcat(unknown,
                             ": there are some, but the debug information does not say in "
                             "which files",
                             NULL));
    }
}

/* GNU atomics on uncached memory are not supported (3.2): only hooks and QEMU see them. */
static bool atomics_unseen(const struct run *r)
{
    bool uncached = false;

    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        uncached |= region->number && region->kind == RUN_PINNED && !region->cpu_cached;
    }
    return uncached && !r->machine_sees_cpu && !(r->hooks && all_hooked(r));
}

/* docs/suppressions.md */
static void print_suppressed(struct printer *p)
{
    const struct run *r = p->run;
    guint unused = suppressions_unused(r->suppressions);
    GString *s;

    if (!r->suppressed->len && !unused) {
        return;
    }
    s = g_string_new(NULL);
    g_string_printf(s, "%u finding%s", r->suppressed->len, r->suppressed->len == 1 ? "" : "s");
    for (guint i = 0; i < r->suppressed->len; i++) {
        const struct run_finding *f = r->suppressed->pdata[i];

        g_string_append_printf(s, "%s%s", i ? ", " : " (", f->rule);
    }
    g_string_append(s, r->suppressed->len ? ")" : "");
    if (unused) {
        g_string_append_printf(s, "; %u entr%s fitted none", unused, unused == 1 ? "y" : "ies");
    }
    labelled(p, 2, "suppressed", g_string_free(s, FALSE));
}

/* g_free(). Findings name the others by their numbers. */
static char *processes_text(const struct run *r)
{
    g_autofree char *number =
        r->process ? g_strdup_printf("; this is process %" PRIu64, r->process) : NULL;

    return g_strdup_printf("share the board and %s%s; accesses of the others are counted in their "
                           "own reports",
                           g_strcmp0(r->policy, "seeded") == 0
                               ? "take turns as the seed says"
                               : "run freely: their order is the host's, another run may have "
                                 "another",
                           number ? number : "");
}

static void print_header(struct printer *p)
{
    const struct run *r = p->run;
    char *time = run_time_text(r->time_ns);

    g_string_append_printf(p->out, "%svtegra report%s\n", p->colour ? "\033[1m" : "",
                           p->colour ? "\033[0m" : "");
    labelled(p, 2, "program", g_strdup(r->program ? r->program : "?"));
    labelled(p, 2, "board",
             g_strdup_printf(
                 "%s: %s, compute capability %u.%u, %s", r->soc ? r->soc : "?",
                 r->marketing ? r->marketing : "?", r->cc / 10, r->cc % 10,
                 r->facts.full_coherent ? "coherent both ways (CPU accesses snoop the L2)"
                 : r->facts.discrete
                     ? "discrete GPU (memory of its own; PCIe snoops the CPU caches)"
                 : r->facts.io_coherent ? "I/O coherent (one way: the iGPU snoops the CPU caches)"
                                        : "not I/O coherent"));
    labelled(p, 2, "run",
             g_strdup_printf("%s, policy %s%s, evictions %s, seed %" PRIu64 "%s",
                             r->os ? r->os : "?", r->policy ? r->policy : "?",
                             r->findings->len && g_strcmp0(r->policy, "lazy") == 0
                                 ? " (queued work runs as late as the API allows)"
                                 : "",
                             r->evict ? r->evict : "?", r->seed,
                             r->safety ? ", safety context" : ""));
    if (r->shared) {
        labelled(p, 2, "processes", processes_text(r));
    }
    labelled(p, 2, "CPU accesses", accesses_text(r));
    print_hooks(p);
    if (!r->hooks && output_is_open(r)) {
        labelled(p, 2, "not looked for",
                 g_strdup("did the CPU touch what a kernel writes before it waited for the kernel? "
                          "Page protection does not show it (docs/races.md)"));
    } else if (r->hooks && kernels_use_pageable(r)) {
        labelled(p, 2, "not looked for",
                 g_strdup("races in pageable memory (malloc, static, stack), which kernels used "
                          "(docs/races.md)"));
    }
    if (r->kernels->len) {
        labelled(p, 2, "not checked",
                 g_strdup("races between the threads of one kernel (docs/races.md)"));
    }
    if (atomics_unseen(r)) {
        labelled(p, 2, "not checked",
                 g_strdup("atomics of the CPU in uncached pinned memory, by code without hooks: "
                          "they work here and not on this board (CUDA for Tegra 3.2)"));
    }
    print_suppressed(p);
    labelled(
        p, 2, "virtual time",
        g_strdup_printf("%s; from the profile's figures, for comparisons on this board", time));
    g_free(time);
}

/* --- buffers ---------------------------------------------------------------------------------- */

static void print_cpu_counts(struct printer *p, const struct run_region *region)
{
    const struct run_count *n = &region->agent[BUS_AGENT_CPU];
    GString *s = g_string_new(NULL);

    if (n->read_ops + n->write_ops == 0) {
        g_string_free(s, TRUE);
        return;
    }
    join_count(s, n->read_ops, "load", "loads");
    join_size(s, "read ", n->read_bytes);
    join_count(s, n->write_ops, "store", "stores");
    join_size(s, "wrote ", n->write_bytes);
    join_count(s, n->atomics, "of them atomic", "of them atomic");
    if (region->cpu_cached && n->read_hits + n->write_hits + n->read_misses + n->write_misses) {
        g_string_append_printf(s, "; cache hits %" PRIu64 ", misses %" PRIu64,
                               n->read_hits + n->write_hits, n->read_misses + n->write_misses);
    } else if (!region->cpu_cached) {
        g_string_append_printf(s, "; all %" PRIu64 " uncached", n->read_ops + n->write_ops);
    }
    labelled(p, INDENT, "CPU", g_string_free(s, FALSE));
}

static void print_cpu_sites(struct printer *p, const struct run_region *region)
{
    for (guint i = 0; i < region->sites->len && i < 3; i++) {
        const struct run_site *site = region->sites->pdata[i];
        GString *s = g_string_new(NULL);

        join_count(s, site->loads, "load", "loads");
        join_count(s, site->stores, "store", "stores");
        join_count(s, site->atomics, "atomic", "atomics");
        g_string_append_printf(s, " at %s", site->where ? site->where : "?");
        labelled(p, INDENT, "", g_string_free(s, FALSE));
    }
    if (region->sites->len > 3) {
        labelled(p, INDENT, "", g_strdup_printf("and at %u more lines", region->sites->len - 3));
    }
}

/* What is known of the CPU without hooks: the lines that were found changed. */
static void print_cpu_pages(struct printer *p, const struct run_region *region)
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

        join_count(s, cleaned, "dirty line written back", "dirty lines written back");
        join_count(s, snoops, "snoop of an engine that hit one", "snoops of engines that hit one");
        labelled(p, INDENT, "CPU", g_strconcat("wrote: ", s->str, NULL));
        g_string_free(s, TRUE);
    } else if (region->kind == RUN_PINNED && !region->cpu_cached) {
        labelled(p, INDENT, "CPU", g_strdup("accesses to uncached memory are not seen per page"));
    }
}

static void print_uses(struct printer *p, const struct run_region *region)
{
    for (guint i = 0; i < region->uses->len; i++) {
        const struct run_use *use = region->uses->pdata[i];
        const struct run_count *n = &use->sum;
        GString *s = g_string_new(NULL);

        join_size(s, "read ", n->read_bytes);
        join_size(s, "wrote ", n->write_bytes);
        join_count(s, n->atomics, "atomic", "atomics");
        if (n->read_hits + n->read_misses) {
            g_string_append_printf(s, "; L2 hits %" PRIu64 " of %" PRIu64 " sectors read",
                                   n->read_hits, n->read_hits + n->read_misses);
        }
        join_count(s, n->snooped_lines, "snoop hit in the CPU caches",
                   "snoop hits in the CPU caches");
        if (s->len) {
            labelled(p, INDENT, use->kernel->name, g_string_free(s, FALSE));
        } else {
            g_string_free(s, TRUE);
        }
    }
}

/* The L2 is read in whole sectors, so a small buffer shows more bytes than it has. */
static bool more_for_sectors(const struct run_region *region, uint64_t read_bytes)
{
    return region->size % 32 && read_bytes > region->size && read_bytes % 32 == 0;
}

static void print_agent(struct printer *p, const struct run_region *region, enum bus_agent agent,
                        const char *label)
{
    const struct run_count *n = &region->agent[agent];
    bool uncached = run_igpu_uncached(p->run, region);
    uint64_t read = uncached ? MAX(n->read_bytes, n->port_read_bytes) : n->read_bytes;
    GString *s = g_string_new(NULL);

    join_size(s, "read ", read);
    if (more_for_sectors(region, read)) {
        g_string_append(s, " (whole sectors of 32 B)");
    }
    join_size(s, "wrote ", uncached ? MAX(n->write_bytes, n->port_write_bytes) : n->write_bytes);
    join_count(s, n->snooped_lines, "snoop hit in the CPU caches", "snoop hits in the CPU caches");
    if (s->len) {
        labelled(p, INDENT, label, g_string_free(s, FALSE));
    } else {
        g_string_free(s, TRUE);
    }
}

/* Cached memory is written through the L2, so what an engine wrote through the port left the L2: it
 * was cleaned (by the front end) or evicted. */
static void print_write_back(struct printer *p, const struct run_region *region)
{
    uint64_t bytes = 0;

    for (unsigned agent = BUS_AGENT_IGPU; agent < BUS_AGENT_COUNT; agent++) {
        bytes += region->agent[agent].port_write_bytes;
    }
    if (bytes && !run_igpu_uncached(p->run, region)) {
        labelled(p, INDENT, "L2 wrote back", run_size_text(bytes));
    }
}

static void join_maint(GString *s, const char *what, const struct run_maint *m)
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

static void print_region_maintenance(struct printer *p, const struct run_region *region)
{
    GString *s = g_string_new(NULL);

    join_maint(s, "clean", &region->clean);
    join_maint(s, "clean+invalidate", &region->clean_invalidate);
    join_maint(s, "invalidate", &region->invalidate);
    join_count(s, region->attach_gpu, "hint moved it to the GPU", "hints moved it to the GPU");
    join_count(s, region->attach_cpu, "hint moved it to the CPU", "hints moved it to the CPU");
    join_count(s, region->stale_lines, "stale line read by the CPU", "stale lines read by the CPU");
    join_count(s, region->lost_bytes, "dirty byte lost", "dirty bytes lost");
    if (s->len) {
        labelled(p, INDENT, "maintenance", g_string_free(s, FALSE));
    } else {
        g_string_free(s, TRUE);
    }
}

static bool region_untouched(const struct run_region *region)
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
static char *numbers_text(const struct group *g)
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

static void print_members(struct printer *p, const struct group *g)
{
    g_autofree char *each = run_size_text(g->same_size);

    if (g->members->len > 1) {
        labelled(p, INDENT, "buffers",
                 g->same_size
                     ? g_strdup_printf("%u of %s, reported together", g->members->len, each)
                     : g_strdup_printf("%u of several sizes, reported together", g->members->len));
    }
}

static void print_region(struct printer *p, const struct group *g)
{
    const struct run_region *region = &g->sum;
    char *size = run_size_text(region->size);
    char *number = numbers_text(g);

    g_string_append_printf(p->out, "  %-3s %-12s%10s   CPU %-12s%s %s%s%s\n", number,
                           run_kind_name(region->kind), size, text_cpu_column(p->run, region),
                           run_gpu_name(p->run), text_igpu_column(p->run, region),
                           region->attached ? ", attached " : "",
                           region->attached ? region->attached : "");
    print_members(p, g);
    if (region->api || region->where) {
        char *times = region->times > g->members->len
                          ? g_strdup_printf(", %" PRIu64 " times", region->times)
                          : g_strdup("");

        labelled(p, INDENT, "allocated",
                 g_strdup_printf("%s%s%s%s", region->api ? region->api : "",
                                 region->where ? " at " : "", region->where ? region->where : "",
                                 times));
        g_free(times);
    }
    print_cpu_counts(p, region);
    print_cpu_sites(p, region);
    print_cpu_pages(p, region);
    print_uses(p, region);
    if (region->uses->len == 0) {
        print_agent(p, region, BUS_AGENT_IGPU, run_gpu_name(p->run));
    }
    print_agent(p, region, BUS_AGENT_CE, "copy engine");
    print_write_back(p, region);
#define ENGINE(NAME, ...) print_agent(p, region, BUS_AGENT_##NAME, #NAME);
#include "model/engines.h"
    print_region_maintenance(p, region);
    if (region->kind == RUN_DEVICE && run_only_igpu(region)) {
        labelled(p, INDENT, "use",
                 g_strdup_printf("only the %s touched it: device memory is right (3.1)",
                                 run_gpu_name(p->run)));
    }
    if (region_untouched(region)) {
        labelled(p, INDENT, "use", g_strdup("no access was observed"));
    }
    g_free(number);
    g_free(size);
}

static void print_buffers(struct printer *p)
{
    g_autoptr(GPtrArray) groups = groups_make(p->run);
    uint64_t driver = 0;
    char *size;

    heading(p, "Buffers (caching as in Table 1 of CUDA for Tegra)");
    for (guint i = 0; i < groups->len; i++) {
        print_region(p, groups->pdata[i]);
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

/* --- kernels, copies, maintenance ------------------------------------------------------------- */

static char *dims_text(const uint32_t d[3])
{
    if (d[2] > 1) {
        return g_strdup_printf("%ux%ux%u", d[0], d[1], d[2]);
    }
    return d[1] > 1 ? g_strdup_printf("%ux%u", d[0], d[1]) : g_strdup_printf("%u", d[0]);
}

static char *rate_text(const struct run_count *n)
{
    uint64_t all = n->read_hits + n->read_misses; /* a store fills nothing: it cannot miss */

    return all ? g_strdup_printf("%.1f %%", 100.0 * (double)n->read_hits / (double)all)
               : g_strdup("-");
}

static void print_kernel(struct printer *p, const struct run_kernel *k)
{
    char *grid = dims_text(k->grid), *block = dims_text(k->block),
         *time = run_time_text(k->time_ns);
    char *rate = rate_text(&k->sum), *in = run_size_text(k->sum.read_bytes);
    char *out = run_size_text(k->sum.write_bytes);

    g_string_append_printf(p->out, "  %-24s", k->name);
    if (strlen(k->name) > 23) {
        g_string_append_printf(p->out, "\n%26s", "");
    }
    g_string_append_printf(p->out, "%-11s %-8s %5" PRIu64 " %10s %8s %10s %10s\n", grid, block,
                           k->launches, time, rate, in, out);
    if (k->ended < k->launches) {
        g_string_append_printf(p->out, "%26s%" PRIu64 " of them did not end\n", "",
                               k->launches - k->ended);
    }
    g_free(grid);
    g_free(block);
    g_free(time);
    g_free(rate);
    g_free(in);
    g_free(out);
}

static void print_kernels(struct printer *p)
{
    if (p->run->kernels->len == 0) {
        return;
    }
    heading(p, "Kernels");
    g_string_append_printf(p->out, "  %-24s%-11s %-8s %5s %10s %8s %10s %10s\n", "name", "grid",
                           "block", "runs", "time", "L2 hits", "read", "wrote");
    for (guint i = 0; i < p->run->kernels->len; i++) {
        print_kernel(p, p->run->kernels->pdata[i]);
    }
}

static char *end_text(const struct run *r, uint32_t id)
{
    const struct run_region *region = id ? run_region(r, id) : NULL;

    if (!id) {
        return g_strdup("pageable");
    }
    return region && region->number ? g_strdup_printf("#%u", region->number) : g_strdup("driver");
}

static void print_copies(struct printer *p)
{
    if (p->run->copies->len == 0) {
        return;
    }
    heading(p, "Copies");
    for (guint i = 0; i < p->run->copies->len; i++) {
        const struct run_copy *c = p->run->copies->pdata[i];
        char *from = end_text(p->run, c->src), *to = end_text(p->run, c->dst);
        char *size = run_size_text(c->bytes);

        g_string_append_printf(p->out, "  %8s -> %-8s %10s in %" PRIu64 " %s of %s%s%s\n", from, to,
                               size, c->count, c->count == 1 ? "call" : "calls", c->api,
                               c->where ? " at " : "", c->where ? c->where : "");
        g_free(from);
        g_free(to);
        g_free(size);
    }
}

static void maint_sum(struct run_maint *sum, const struct run_maint *m)
{
    sum->ops += m->ops;
    sum->lines += m->lines;
    sum->empty += m->empty;
}

static void print_maint(struct printer *p, const char *label, const struct run_maint *m,
                        const char *more)
{
    if (m->ops) {
        g_string_append_printf(
            p->out,
            "  %-22s%6" PRIu64 " %-6s%10" PRIu64 " lines%s; %" PRIu64 " found nothing to do\n",
            label, m->ops, m->ops == 1 ? "time" : "times", m->lines, more, m->empty);
    }
}

static void print_maintenance(struct printer *p)
{
    const struct run *r = p->run;
    struct run_maint clean = { 0 }, both = { 0 }, invalidate = { 0 };
    char *size, *more;

    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        maint_sum(&clean, &region->clean);
        maint_sum(&both, &region->clean_invalidate);
        maint_sum(&invalidate, &region->invalidate);
    }
    if (clean.ops + both.ops + invalidate.ops + r->l2_clean.ops + r->l2_invalidate.ops == 0) {
        return;
    }
    heading(p, "Cache maintenance by the driver");
    print_maint(p, "CPU clean", &clean, "");
    print_maint(p, "CPU clean+invalidate", &both, "");
    print_maint(p, "CPU invalidate", &invalidate, "");
    size = run_size_text(r->l2_clean_bytes);
    more = g_strconcat(", ", size, NULL);
    print_maint(p, "L2 clean", &r->l2_clean, more);
    g_free(size);
    g_free(more);
    if (r->l2_invalidate.ops) {
        g_string_append_printf(p->out, "  %-22s%6" PRIu64 " %s\n", "L2 invalidate",
                               r->l2_invalidate.ops, r->l2_invalidate.ops == 1 ? "time" : "times");
    }
}

/* --- findings and advice ---------------------------------------------------------------------- */

static void finding_lines(const struct run *r, GString *out, unsigned indent,
                          const struct run_finding *f)
{
    struct printer p = { .run = r, .out = out };
    const struct run_region *region = f->region ? run_region(r, f->region) : NULL;
    char *name;

    if (f->where) {
        labelled(&p, indent, "where", g_strdup(f->where));
    }
    if (region) {
        name = run_region_name(region);
        labelled(&p, indent, "buffer",
                 f->has_offset ? g_strdup_printf("%s, offset 0x%" PRIx64, name, f->offset)
                               : g_strdup(name));
        g_free(name);
    }
    if (f->kernel) {
        labelled(&p, indent, "kernel", g_strdup(f->kernel));
    }
    if (f->other) {
        labelled(&p, indent, "against", g_strdup(f->other));
    }
    labelled(&p, indent, "rule",
             g_strdup_printf("%s (%s: %s)", f->rule, run_standing_name[f->standing],
                             f->section ? f->section : "ours"));
    if (f->todo) {
        labelled(&p, indent, "what to do", g_strdup(f->todo));
    }
    if (r->gen_suppressions) { /* one line, however long: it is for a file */
        g_autofree char *entry = suppressions_entry(f);

        g_string_append_printf(out, "%*s%-*s%s\n", (int)indent, "", LABEL, "suppress", entry);
    }
    if (f->run) {
        /* One line, however long: it is for a shell. */
        g_string_append_printf(out, "%*s%-*s%s\n", (int)indent, "", LABEL, "seen with", f->run);
    }
}

char *text_finding_live(const struct run *r, const struct run_finding *f)
{
    GString *out = g_string_new(NULL);
    char *first = g_strdup_printf("vtegra: %s: ", run_severity_name[f->severity]);

    paragraph(out, first, 8, f->text ? f->text : f->rule);
    finding_lines(r, out, 8, f);
    g_free(first);
    return g_string_free(out, FALSE);
}

static const char *no_findings(const struct run *r)
{
    if (r->machine_sees_cpu && !r->checked) {
        return "none here; stale bytes that the CPU or an engine read are in QEMU's own report, at "
               "its end. Races, too, with --check on (in a guest: VTEGRA_CHECK=on)";
    }
    if (!r->checked) {
        return "none; no access was checked for races and stale bytes: `vtegra run --check "
               "on` does";
    }
    if (r->hooks && !all_hooked(r)) {
        return "none; what code without hooks reads was not checked (the head says which)";
    }
    return r->hooks
               ? "none"
               : "none. CPU accesses were checked only where page protection shows them; build "
                 "with `vtegra cc --track` to check all";
}

/* " (400 times, in 100 buffers, in 10 streams)": where that is more than one. */
static char *seen_text(const struct run_finding *f)
{
    guint buffers = g_hash_table_size(f->buffers), streams = g_hash_table_size(f->in_streams);
    GString *s = g_string_new(NULL);

    if (f->count > 1) {
        g_string_append_printf(s, " (%" PRIu64 " times", f->count);
        if (buffers > 1) {
            g_string_append_printf(s, ", in %u buffers", buffers);
        }
        if (streams > 1) {
            g_string_append_printf(s, ", in %u %sstreams", streams,
                                   strchr(f->streams, ',') ? "pairs of " : "");
        }
        g_string_append(s, buffers > 1 || streams > 1 ? "; what follows is the first)" : ")");
    }
    return g_string_free(s, FALSE);
}

static void print_findings(struct printer *p)
{
    heading(p, "Findings");
    if (p->run->findings->len == 0) {
        paragraph(p->out, "  ", 2, no_findings(p->run));
    }
    for (guint i = 0; i < p->run->findings->len; i++) {
        const struct run_finding *f = p->run->findings->pdata[i];
        char *first = g_strdup_printf("  %u. %s: ", i + 1, run_severity_name[f->severity]);
        char *times = seen_text(f);
        char *text = g_strconcat(f->text ? f->text : f->rule, times, NULL);

        paragraph(p->out, first, INDENT, text);
        finding_lines(p->run, p->out, INDENT, f);
        g_free(first);
        g_free(times);
        g_free(text);
    }
}

/* Calls that returned an error: the application's business, so only listed. */
static void print_errors(struct printer *p, const GPtrArray *calls, const char *title,
                         const char *verb)
{
    if (calls->len == 0) {
        return;
    }
    heading(p, title);
    for (guint i = 0; i < calls->len; i++) {
        const struct run_copy *c = calls->pdata[i];
        char *text = g_strdup_printf(
            "%s%s %s%s%s%s, %" PRIu64 " %s%s%s", c->api, verb, c->detail ? c->detail : "an error",
            c->section ? " (" : "", c->section ? c->section : "", c->section ? ")" : "", c->count,
            c->count == 1 ? "time" : "times", c->where ? ", at " : "", c->where ? c->where : "");

        paragraph(p->out, "  ", 4, text);
        g_free(text);
    }
}

static void print_advice(struct printer *p, const GPtrArray *advice)
{
    heading(p, "Advice");
    if (advice->len == 0) {
        g_string_append(p->out, "  none follows from this run's numbers\n");
    }
    for (guint i = 0; i < advice->len; i++) {
        const struct run_finding *f = advice->pdata[i];
        char *first = g_strdup_printf("  %u. ", i + 1);
        char *text =
            g_strdup_printf("[%s: %s] %s", run_standing_name[f->standing], f->section, f->text);

        paragraph(p->out, first, INDENT, text);
        if (f->where) {
            labelled(p, INDENT, "where", g_strdup(f->where));
        }
        if (f->todo) {
            labelled(p, INDENT, "what to do", g_strdup(f->todo));
        }
        g_free(first);
        g_free(text);
    }
}

char *text_report(const struct report *report, bool colour)
{
    const struct run *r = report->run;
    struct printer p = { .run = r, .out = g_string_new(NULL), .colour = colour };

    print_header(&p);
    print_buffers(&p);
    print_kernels(&p);
    print_copies(&p);
    print_maintenance(&p);
    print_errors(&p, r->unsupported, "Calls that this board does not support", ":");
    print_errors(&p, r->errors, "Calls that returned an error", " returned");
    print_findings(&p);
    print_advice(&p, report->advice);
    return g_string_free(p.out, FALSE);
}
