/* SPDX-License-Identifier: MIT */
#include "checker/print/group.h"

#define ALONE_MAX 4u /* so many buffers of one line are still printed one by one */

static void group_free(gpointer data)
{
    struct group *g = data;

    if (g->members->len > 1) {
        g_ptr_array_unref(g->sum.uses);
        g_ptr_array_unref(g->sum.sites);
    }
    g_ptr_array_unref(g->members);
    g_free(g);
}

static struct group *group_new(struct run_region *first)
{
    struct group *g = g_new0(struct group, 1);

    g->sum = *first; /* strings and lists are the region's own */
    g->members = g_ptr_array_new();
    g->same_size = first->size;
    g_ptr_array_add(g->members, first);
    return g;
}

static void count_add(struct run_count *sum, const struct run_count *n)
{
    uint64_t *to = &sum->read_bytes;
    const uint64_t *from = &n->read_bytes;

    G_STATIC_ASSERT(sizeof(*n) == 12 * sizeof(*from)); /* nothing but counts */
    for (unsigned i = 0; i < sizeof(*n) / sizeof(*from); i++) {
        to[i] += from[i];
    }
}

static void maint_add(struct run_maint *sum, const struct run_maint *m)
{
    sum->ops += m->ops;
    sum->lines += m->lines;
    sum->empty += m->empty;
}

static void use_add(GPtrArray *uses, const struct run_use *use)
{
    for (guint i = 0; i < uses->len; i++) {
        struct run_use *u = uses->pdata[i];

        if (u->kernel == use->kernel) {
            count_add(&u->sum, &use->sum);
            return;
        }
    }
    g_ptr_array_add(uses, g_memdup2(use, sizeof(*use)));
}

static void site_add(GPtrArray *sites, const struct run_site *site)
{
    for (guint i = 0; i < sites->len; i++) {
        struct run_site *s = sites->pdata[i];

        if (g_strcmp0(s->where, site->where) == 0) {
            s->loads += site->loads;
            s->stores += site->stores;
            s->atomics += site->atomics;
            s->bytes += site->bytes;
            return;
        }
    }
    g_ptr_array_add(sites, g_memdup2(site, sizeof(*site))); /* its text stays the region's */
}

static void lists_add(struct run_region *sum, const struct run_region *r)
{
    for (guint i = 0; i < r->uses->len; i++) {
        use_add(sum->uses, r->uses->pdata[i]);
    }
    for (guint i = 0; i < r->sites->len; i++) {
        site_add(sum->sites, r->sites->pdata[i]);
    }
}

static void region_add(struct group *g, struct run_region *r)
{
    struct run_region *sum = &g->sum;

    if (g->members->len == 1) { /* lists of its own from now on */
        sum->uses = g_ptr_array_new_with_free_func(g_free);
        sum->sites = g_ptr_array_new_with_free_func(g_free);
        lists_add(sum, g->members->pdata[0]);
    }
    lists_add(sum, r);
    for (unsigned i = 0; i < BUS_AGENT_COUNT; i++) {
        count_add(&sum->agent[i], &r->agent[i]);
    }
    maint_add(&sum->clean, &r->clean);
    maint_add(&sum->clean_invalidate, &r->clean_invalidate);
    maint_add(&sum->invalidate, &r->invalidate);
    sum->size += r->size;
    sum->len += r->len;
    sum->times += r->times;
    sum->spared.snoops += r->spared.snoops;
    sum->stale_lines += r->stale_lines;
    sum->cpu_fills += r->cpu_fills;
    sum->cpu_evicts += r->cpu_evicts;
    sum->spared.fills += r->spared.fills;
    sum->spared.evicts += r->spared.evicts;
    sum->lost_bytes += r->lost_bytes;
    sum->attach_cpu += r->attach_cpu;
    sum->attach_gpu += r->attach_gpu;
    sum->copied_in += r->copied_in;
    sum->copied_out += r->copied_out;
    g->same_size = g->same_size == r->size ? g->same_size : 0;
    g_ptr_array_add(g->members, r);
}

static bool group_alike(const struct run_region *a, const struct run_region *b)
{
    return a->number && b->number && run_of_one_line(a, b) && a->cpu_cached == b->cpu_cached &&
           g_strcmp0(a->attached, b->attached) == 0;
}

static guint count_alike(const struct run *r, const struct run_region *region)
{
    guint n = 0;

    for (guint i = 0; i < r->regions->len; i++) {
        n += group_alike(region, r->regions->pdata[i]);
    }
    return n;
}

GPtrArray *groups_make(const struct run *r)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func(group_free);

    for (guint i = 0; i < r->regions->len; i++) {
        struct run_region *region = r->regions->pdata[i];
        struct group *g = NULL;

        for (guint k = groups->len; k > 0 && !g; k--) {
            struct group *have = groups->pdata[k - 1];

            g = group_alike(&have->sum, region) ? have : NULL;
        }
        if (g && (g->members->len > 1 || count_alike(r, region) > ALONE_MAX)) {
            region_add(g, region);
        } else if (region->number) {
            g_ptr_array_add(groups, group_new(region));
        }
    }
    return groups;
}
