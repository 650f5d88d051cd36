/* SPDX-License-Identifier: MIT */
/* Findings: one for each pair of sites, however often it happens. */
#include <inttypes.h>
#include <string.h>

#include "checker/hb/hb_internal.h"

/* Findings of one pair of sites; a race is the same whoever comes first. */
struct pair {
    struct hb_finding f;
    uint64_t site[2];
    uint64_t more;
};

/* --- sites ------------------------------------------------------------------------------------ */

void hb_label_free(gpointer data)
{
    struct hb_label *l = data;

    g_free(l->name);
    g_free(l->where);
    g_free(l->at);
    g_free(l);
}

struct hb_label *hb_label(const struct hb *hb, uint64_t site)
{
    return hb->labels->pdata[site & ~HB_SITE_LABEL];
}

uint64_t hb_label_get(struct hb *hb, const char *name, const char *where, const char *at,
                      uint32_t stream)
{
    g_autofree char *text =
        g_strdup_printf("%s\n%s\n%s\n%u", name, where ? where : "", at ? at : "", stream);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(hb->label_by_text, text));
    struct hb_label *l;

    if (!number) {
        l = g_new0(struct hb_label, 1);
        l->name = g_strdup(name);
        l->where = g_strdup(where);
        l->at = g_strdup(at);
        l->stream = stream;
        g_ptr_array_add(hb->labels, l);
        number = hb->labels->len;
        g_hash_table_insert(hb->label_by_text, g_steal_pointer(&text), GUINT_TO_POINTER(number));
    }
    return HB_SITE_LABEL | (number - 1);
}

uint64_t hb_label_foreign(struct hb *hb, struct hb_agent *a)
{
    g_autofree char *name = NULL;

    if (!a->site) {
        name = g_strdup_printf("%s of process %" PRIu32, a->kind == HB_CPU ? "the CPU" : "work",
                               a->process);
        a->site = hb_label_get(hb, name, NULL, NULL, HB_NO_STREAM);
        hb_label(hb, a->site)->process = a->process;
    }
    return a->site;
}

static uint64_t label_at(struct hb *hb, uint64_t site, uint64_t place)
{
    const struct hb_label *l = hb_label(hb, site);
    g_autofree char *key = g_strdup_printf("%" PRIu64 " %" PRIu64, l->code, place >> 32);
    const char *path = g_hash_table_lookup(hb->files, key);
    g_autofree char *at = path ? g_strdup_printf("%s:%" PRIu32, path, (uint32_t)place) : NULL;
    uint64_t there = site;

    if (at) {
        uint32_t grid_id = l->grid_id;

        there = hb_label_get(hb, l->name, l->where, at, l->stream);
        hb_label(hb, there)->grid_id = grid_id;
    }
    return there;
}

uint64_t hb_label_at(struct hb *hb, uint64_t site, uint64_t place)
{
    struct hb_at *at = &hb->at[(site ^ place ^ place >> 32) % HB_ATS];

    if (at->site != site || at->place != place) {
        *at = (struct hb_at){ site, place, label_at(hb, site, place) };
    }
    return at->there;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static guint pair_hash(gconstpointer key)
{
    const struct pair *p = key;
    uint64_t h = (p->site[0] + p->site[1]) * UINT64_C(0x9e3779b97f4a7c15);

    return (guint)(h >> 32) ^ p->f.region * 8u ^ (guint)p->f.rule;
}

static gboolean pair_equal(gconstpointer a, gconstpointer b)
{
    const struct pair *x = a, *y = b;

    bool same = x->site[0] == y->site[0] && x->site[1] == y->site[1];
    bool turned = x->site[0] == y->site[1] && x->site[1] == y->site[0];

    return (same || (turned && x->f.rule == HB_RACE)) && x->f.rule == y->f.rule &&
           x->f.region == y->f.region;
}

void hb_pairs_open(struct hb *hb)
{
    hb->pairs = g_hash_table_new(pair_hash, pair_equal);
    hb->pair_list = g_ptr_array_new_with_free_func(g_free);
}

void hb_pairs_close(struct hb *hb)
{
    g_ptr_array_free(hb->pair_list, TRUE);
    g_hash_table_destroy(hb->pairs);
}

static void hb_find_who(const struct hb *hb, const struct hb_entry *e, struct hb_who *out)
{
    const struct hb_agent *a = hb_agent(hb->clocks, e->agent);
    const struct hb_label *l;

    *out = (struct hb_who){
        .cpu = a->kind == HB_CPU,
        .access = (enum hb_access)e->access,
        .number = a->number,
    };
    if (e->site & HB_SITE_LABEL) {
        l = hb_label(hb, e->site);
        out->name = l->name;
        out->where = l->where;
        out->at = l->at;
        out->stream = l->stream;
        out->grid_id = l->grid_id;
        out->process = l->process;
    } else {
        out->pc = (uintptr_t)e->site;
    }
}

/* An engine's work that some thread has waited for races with another thread. */
static void find_waiter(const struct hb *hb, const struct hb_entry *engine, struct hb_finding *f)
{
    const struct hb_agent *waiter;

    if (f->rule == HB_RACE && !f->first.cpu && f->second.cpu && !f->first.process &&
        !f->second.process) {
        waiter = hb_waiter(hb->clocks, engine->agent, engine->clock);
        f->waited = waiter != NULL;
        f->waiter = waiter ? waiter->number : 0;
    }
}

/* Of a race with an engine's work, the side that should have waited for it: the CPU; who frees; of
 * two streams whose work was submitted later, though it may have run first. */
static bool first_is_late(const struct hb_finding *f, struct hb_moment first,
                          struct hb_moment second)
{
    if (f->first.cpu || f->first.access == HB_FREE) {
        return true;
    }
    if (f->second.cpu || f->second.access == HB_FREE) {
        return false;
    }
    return first.submission > second.submission;
}

/* The late side may have waited for an event that is not behind the other's work. */
static void find_event(const struct hb *hb, const struct hb_entry *first,
                       const struct hb_entry *second, struct hb_finding *f)
{
    struct hb_moment at_first = hb_moment_at(hb->clocks, first->agent, first->clock);
    struct hb_moment at_second = hb_moment_at(hb->clocks, second->agent, second->clock);
    uint64_t site;

    f->first_late = first_is_late(f, at_first, at_second);
    if (f->rule != HB_RACE || (f->first.cpu && f->second.cpu)) {
        return;
    }
    site = f->first_late ? at_first.event : at_second.event;
    if (site) {
        f->event_where = hb_label(hb, site)->where;
        f->event_stream = hb_label(hb, site)->stream;
    }
}

static bool is_foreign(const struct hb *hb, const struct hb_entry *e)
{
    return hb_agent(hb->clocks, e->agent)->process != 0;
}

void hb_hit_tell(struct hb *hb, const struct hb_region *r, uint64_t line, const struct hb_hit *hit,
                 const struct hb_entry *e)
{
    bool lost = hit->rule == HB_LOST_CPU || hit->rule == HB_LOST_L2;
    const struct hb_entry *second = hit->has_by ? &hit->by : lost ? &hit->with : e;
    struct pair key = {
        .f = { .rule = hit->rule, .region = r->id },
        .site = { hit->with.site, second->site },
    };
    struct pair *p = g_hash_table_lookup(hb->pairs, &key);
    unsigned first = (unsigned)__builtin_ctzll(hit->mask);

    if (is_foreign(hb, &hit->with) && is_foreign(hb, second)) {
        return; /* those find it themselves */
    }
    if (p) {
        p->more++;
        return;
    }
    p = g_memdup2(&key, sizeof(key));
    p->f.offset = line - r->pa + first;
    p->f.size = (uint64_t)__builtin_popcountll(hit->mask);
    p->f.count = 1;
    hb_find_who(hb, &hit->with, &p->f.first);
    hb_find_who(hb, second, &p->f.second);
    find_waiter(hb, &hit->with, &p->f);
    find_event(hb, &hit->with, second, &p->f);
    g_hash_table_add(hb->pairs, p);
    g_ptr_array_add(hb->pair_list, p);
    hb->found(hb->opaque, &p->f);
}

void hb_repeats(struct hb *hb)
{
    for (guint i = 0; i < hb->pair_list->len; i++) {
        struct pair *p = hb->pair_list->pdata[i];

        if (p->more) {
            p->f.count = p->more;
            p->more = 0;
            hb->found(hb->opaque, &p->f);
        }
    }
}
