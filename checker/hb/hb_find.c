/* SPDX-License-Identifier: MIT */
/* Findings: one for each pair of sites, however often it happens. */
#include <inttypes.h>
#include <string.h>

#include "checker/hb/hb_internal.h"

/* Findings of one pair of sites; a race is the same whoever comes first. */
struct pair {
    struct hb_finding f;
    uint64_t site[2];
    /* The sites that @f.event_where, @f.sync_where, @f.frame_where and @f.function_where are of; 0:
     * none. */
    uint64_t event, sync, frame, function, flag;
    uint64_t more;
};

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

void hb_pairs_sites(const struct hb *hb, void (*use)(uint64_t site, void *opaque), void *opaque)
{
    for (guint i = 0; i < hb->pair_list->len; i++) {
        const struct pair *p = hb->pair_list->pdata[i];

        use(p->site[0], opaque);
        use(p->site[1], opaque);
        use(p->event, opaque);
        use(p->sync, opaque);
        use(p->frame, opaque);
        use(p->function, opaque);
        use(p->flag, opaque);
    }
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
        out->staged = l->staged;
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

/* The late side may have waited for an event that is not behind the other's work. Return: the
 * record's site, 0: for none. */
static uint64_t find_event(const struct hb *hb, const struct hb_entry *first,
                           const struct hb_entry *second, struct hb_finding *f)
{
    struct hb_moment at_first = hb_moment_at(hb->clocks, first->agent, first->clock);
    struct hb_moment at_second = hb_moment_at(hb->clocks, second->agent, second->clock);
    uint64_t site;

    f->first_late = first_is_late(f, at_first, at_second);
    if (f->rule != HB_RACE || (f->first.cpu && f->second.cpu)) {
        return 0;
    }
    site = f->first_late ? at_first.event : at_second.event;
    if (site) {
        f->event_where = hb_label(hb, site)->where;
        f->event_stream = hb_label(hb, site)->stream;
    }
    return site;
}

/* The first signal of the stream behind its submission @number, or its last wait before that. */
static const struct hb_sci_sync *sync_near(const struct hb *hb, bool signals, uint32_t stream,
                                           uint64_t number)
{
    const struct hb_sci_sync *best = NULL;
    unsigned n = MIN(hb->n_syncs, HB_SYNCS);

    for (unsigned i = 1; i <= n; i++) { /* newest first */
        const struct hb_sci_sync *s = &hb->syncs[(hb->n_syncs - i) % HB_SYNCS];

        if (s->signals != signals || s->stream != stream || number == 0) {
            continue;
        }
        if (signals && s->submissions >= number) {
            best = s;
        } else if (!signals && s->submissions < number) {
            return s;
        }
    }
    return best;
}

/* Return: the site of the signal or wait that the finding is about; 0: of none. */
static uint64_t find_sync(const struct hb *hb, const struct hb_entry *first,
                          const struct hb_entry *second, struct hb_finding *f)
{
    bool waits = f->rule == HB_STALE_INVALIDATE_L2;
    bool of_second = waits || (f->rule == HB_RACE && f->first_late);
    const struct hb_who *who = of_second ? &f->second : &f->first;
    const struct hb_entry *e = of_second ? second : first;
    const struct hb_sci_sync *s;

    if (who->cpu || who->stream == HB_NO_STREAM || who->process ||
        (f->rule != HB_RACE && f->rule != HB_STALE_CLEAN_L2 && !waits)) {
        return 0;
    }
    s = sync_near(hb, !waits, who->stream, hb_moment_at(hb->clocks, e->agent, e->clock).submission);
    if (s) {
        f->sync_where = hb_label(hb, s->site)->where;
        f->sync_skips = s->skips;
    }
    return s ? s->site : 0;
}

static bool frame_is_apart(const struct hb *hb, uint32_t region, uint32_t stream)
{
    bool known = false;

    for (unsigned i = 0; i < MIN(hb->n_frames, HB_FRAMES); i++) {
        if (hb->frames[i].region == region) {
            known = true;
            if (hb_label(hb, hb->frames[i].site)->stream == stream) {
                return false;
            }
        }
    }
    return known;
}

/* The call that has given the program the frame that the CPU accesses. Return: its site, 0: it is
 * none. */
static uint64_t find_frame(const struct hb *hb, const struct hb_entry *first,
                           const struct hb_entry *second, struct hb_finding *f)
{
    const struct hb_entry *cpu = f->first.cpu ? first : second;
    unsigned n = MIN(hb->n_frames, HB_FRAMES);

    for (unsigned i = 1; i <= n && f->first.cpu != f->second.cpu; i++) { /* newest first */
        const struct hb_frame *given = &hb->frames[(hb->n_frames - i) % HB_FRAMES];

        if (given->region == f->region && !given->taken &&
            (given->agent != cpu->agent || given->clock <= cpu->clock)) {
            f->frame_where = hb_label(hb, given->site)->where;
            f->frame_api = hb_label(hb, given->site)->name;
            f->frame_stream = hb_label(hb, given->site)->stream;
            f->frame_apart =
                frame_is_apart(hb, f->region, (cpu == first ? &f->second : &f->first)->stream);
            return given->site;
        }
    }
    return 0;
}

/* One side is in a host function. Return: the site of the call that has queued it, 0: not known, or
 * several may be meant. */
static uint64_t find_function(const struct hb *hb, const struct hb_entry *first,
                              const struct hb_entry *second, struct hb_finding *f)
{
    bool of_first = f->first.number == hb->function;
    uint32_t clock = of_first ? first->clock : second->clock;
    const struct hb_function *newest = NULL;

    f->function = hb->function && f->rule == HB_RACE && f->first.cpu && f->second.cpu &&
                  !f->first.process && !f->second.process &&
                  of_first != (f->second.number == hb->function);
    for (unsigned i = 0; i < HB_FUNCTIONS && f->function; i++) {
        const struct hb_function *one = &hb->functions[i];

        if (!one->clock || one->clock > clock || (newest && one->clock < newest->clock)) {
            continue;
        }
        if (newest && one->clock == newest->clock && one->site != newest->site) {
            return 0;
        }
        newest = one;
    }
    if (!newest || !newest->site) {
        return 0;
    }
    f->function_where = hb_label(hb, newest->site)->where;
    f->function_api = hb_label(hb, newest->site)->name;
    f->function_stream = hb_label(hb, newest->site)->stream;
    return newest->site;
}

/* The work of a race with the CPU may wait for the CPU. Return: the site of its flag, 0: of none.
 */
static uint64_t find_flag(struct hb *hb, const struct hb_entry *first,
                          const struct hb_entry *second, struct hb_finding *f)
{
    struct hb_who *work = f->first.cpu ? &f->second : &f->first;
    uint64_t flag;

    if (f->rule != HB_RACE || f->first.cpu == f->second.cpu || work->process) {
        return 0;
    }
    flag = hb_label_flag(hb, work == &f->first ? first->site : second->site);
    if (flag) {
        work->flag = hb_label(hb, flag)->at ? hb_label(hb, flag)->at : "";
    }
    return flag;
}

static bool is_foreign(const struct hb *hb, const struct hb_entry *e)
{
    return hb_agent(hb->clocks, e->agent)->process != 0;
}

void hb_hit_report(struct hb *hb, const struct hb_region *r, uint64_t line,
                   const struct hb_hit *hit, const struct hb_entry *e)
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
    p->event = find_event(hb, &hit->with, second, &p->f);
    p->sync = find_sync(hb, &hit->with, second, &p->f);
    p->frame = find_frame(hb, &hit->with, second, &p->f);
    p->function = find_function(hb, &hit->with, second, &p->f);
    p->flag = find_flag(hb, &hit->with, second, &p->f);
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
