/* SPDX-License-Identifier: MIT */
/* Kernels, copies and cache maintenance of the text report: a line each. */
#include "checker/print/text_internal.h"

#include <inttypes.h>
#include <string.h>

static char *text_dims(const uint32_t d[3])
{
    if (d[2] > 1) {
        return g_strdup_printf("%ux%ux%u", d[0], d[1], d[2]);
    }
    return d[1] > 1 ? g_strdup_printf("%ux%u", d[0], d[1]) : g_strdup_printf("%u", d[0]);
}

static char *text_rate(const struct run_count *n)
{
    uint64_t all = n->read_hits + n->read_misses; /* a store fills nothing: it cannot miss */

    return all ? g_strdup_printf("%.1f %%", 100.0 * (double)n->read_hits / (double)all)
               : g_strdup("-");
}

static void text_kernel_print(struct text_printer *p, const struct run_kernel *k)
{
    char *grid = text_dims(k->grid), *block = text_dims(k->block),
         *time = run_time_text(k->time_ns);
    char *rate = text_rate(&k->sum), *in = run_size_text(k->sum.read_bytes);
    char *out = run_size_text(k->sum.write_bytes);

    g_autofree char *name =
        k->gpu ? g_strdup_printf("%s on the %s", k->name, k->gpu) : g_strdup(k->name);

    g_string_append_printf(p->out, "  %-24s", name);
    if (strlen(name) > 23) {
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

void text_kernels_print(struct text_printer *p)
{
    if (p->run->kernels->len == 0) {
        return;
    }
    text_heading(p, "Kernels");
    g_string_append_printf(p->out, "  %-24s%-11s %-8s %5s %10s %8s %10s %10s\n", "name", "grid",
                           "block", "runs", "time", "L2 hits", "read", "wrote");
    for (guint i = 0; i < p->run->kernels->len; i++) {
        text_kernel_print(p, p->run->kernels->pdata[i]);
    }
}

static char *text_copy_end(const struct run *r, uint32_t id)
{
    const struct run_region *region = id ? run_region(r, id) : NULL;

    if (!id) {
        return g_strdup("pageable");
    }
    return region && region->number ? g_strdup_printf("#%u", region->number) : g_strdup("driver");
}

void text_copies_print(struct text_printer *p)
{
    if (p->run->copies->len == 0) {
        return;
    }
    text_heading(p, "Copies");
    for (guint i = 0; i < p->run->copies->len; i++) {
        const struct run_copy *c = p->run->copies->pdata[i];
        char *from = text_copy_end(p->run, c->src), *to = text_copy_end(p->run, c->dst);
        char *size = run_size_text(c->bytes);

        g_string_append_printf(p->out, "  %8s -> %-8s %10s in %" PRIu64 " %s of %s%s%s\n", from, to,
                               size, c->count, c->count == 1 ? "call" : "calls", c->api,
                               c->where ? " at " : "", c->where ? c->where : "");
        g_free(from);
        g_free(to);
        g_free(size);
    }
}

static void text_maint_sum(struct run_maint *sum, const struct run_maint *m)
{
    sum->ops += m->ops;
    sum->lines += m->lines;
    sum->empty += m->empty;
}

static void text_maint_print(struct text_printer *p, const char *label, const struct run_maint *m,
                             const char *more)
{
    if (m->ops) {
        g_string_append_printf(
            p->out,
            "  %-22s%6" PRIu64 " %-6s%10" PRIu64 " lines%s; %" PRIu64 " found nothing to do\n",
            label, m->ops, m->ops == 1 ? "time" : "times", m->lines, more, m->empty);
    }
}

void text_maintenance_print(struct text_printer *p)
{
    const struct run *r = p->run;
    struct run_maint clean = { 0 }, both = { 0 }, invalidate = { 0 };
    char *size, *more;

    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        text_maint_sum(&clean, &region->clean);
        text_maint_sum(&both, &region->clean_invalidate);
        text_maint_sum(&invalidate, &region->invalidate);
    }
    if (clean.ops + both.ops + invalidate.ops + r->l2_clean.ops + r->l2_invalidate.ops == 0) {
        return;
    }
    text_heading(p, "Cache maintenance by the driver");
    text_maint_print(p, "CPU clean", &clean, "");
    text_maint_print(p, "CPU clean+invalidate", &both, "");
    text_maint_print(p, "CPU invalidate", &invalidate, "");
    size = run_size_text(r->l2_clean_bytes);
    more = g_strconcat(", ", size, NULL);
    text_maint_print(p, "L2 clean", &r->l2_clean, more);
    g_free(size);
    g_free(more);
    if (r->l2_invalidate.ops) {
        g_string_append_printf(p->out, "  %-22s%6" PRIu64 " %s\n", "L2 invalidate",
                               r->l2_invalidate.ops, r->l2_invalidate.ops == 1 ? "time" : "times");
    }
}
