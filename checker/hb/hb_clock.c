/* SPDX-License-Identifier: MIT */
/* Vector clocks. Where exactness would need unbounded memory (submissions of long ago) a later
 * clock is taken: that can hide a race, never invent one, and is counted (hb_clocks_forgot()). */
#include "checker/hb/hb_clock_internal.h"
#include "checker/hb/hb_vc.h"

#include <string.h>

#define HISTORY 4096u /* increments of one syncpoint that are kept apart */
#define ALONE 8u      /* clocks that a kernel's own updates of one flag are worth */

/* @cut: those before it are gone; it stands for them */
struct syncpt_step {
    uint32_t value;
    bool cut;
    struct hb_vc vc;
};

struct site_visit {
    void (*use)(uint64_t site, void *opaque);
    void *opaque;
};

static void work_free(gpointer data)
{
    struct hb_work *w = data;

    vc_clear(&w->vc);
    g_free(w);
}

static void agent_free(gpointer data)
{
    struct hb_agent *a = data;

    g_queue_clear_full(&a->queue, work_free);
    vc_clear(&a->vc);
    g_free(a);
}

static void past_free(gpointer data)
{
    struct past *p = data;

    for (unsigned i = 0; i < PAST; i++) {
        vc_clear(&p->vc[i]);
    }
    g_free(p);
}

static void step_clear(gpointer data)
{
    vc_clear(&((struct syncpt_step *)data)->vc);
}

static void object_free(gpointer data)
{
    struct object *o = data;

    vc_clear(&o->vc);
    g_free(o);
}

struct hb_clocks *hb_clocks_new(void)
{
    struct hb_clocks *c = g_new0(struct hb_clocks, 1);

    c->agents = g_ptr_array_new_with_free_func(agent_free);
    c->past = g_ptr_array_new_with_free_func(past_free);
    c->over = g_array_new(FALSE, FALSE, sizeof(struct over));
    c->by_name = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    c->syncpts = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (unsigned i = 0; i < HB_SPACES; i++) {
        c->spaces[i] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, object_free);
    }
    return c;
}

void hb_clocks_free(struct hb_clocks *c)
{
    if (c) {
        for (unsigned i = 0; i < HB_SPACES; i++) {
            g_hash_table_destroy(c->spaces[i]);
        }
        g_hash_table_destroy(c->syncpts);
        g_hash_table_destroy(c->by_name);
        g_array_free(c->over, TRUE);
        g_ptr_array_free(c->past, TRUE);
        g_ptr_array_free(c->agents, TRUE);
        g_free(c);
    }
}

#define ENDED UINT32_MAX /* as an agent's process */

/* Boards outlive their processes: a new one takes the place of one that has ended. Return: its
 * index; -1: there is none. */
static int ended_find(const struct hb_clocks *c, enum hb_agent_kind kind)
{
    for (guint i = 0; i < c->agents->len; i++) {
        if (hb_agent(c, i)->process == ENDED && hb_agent(c, i)->kind == kind) {
            return (int)i;
        }
    }
    return -1;
}

static unsigned agent_new(struct hb_clocks *c, enum hb_agent_kind kind)
{
    unsigned index = c->agents->len;
    struct hb_agent *a = g_new0(struct hb_agent, 1);

    a->kind = kind;
    g_queue_init(&a->queue);
    vc_room(&a->vc, index + 1);
    a->vc.at[index] = 1;
    g_ptr_array_add(c->agents, a);
    g_ptr_array_add(c->past, g_new0(struct past, 1));
    return index;
}

unsigned hb_agent_get(struct hb_clocks *c, uint32_t process, enum hb_agent_kind kind,
                      uint32_t number)
{
    int64_t key = hb_agent_name(process, kind, number);
    unsigned index = c->last_index && c->last_name == key
                         ? c->last_index
                         : GPOINTER_TO_UINT(g_hash_table_lookup(c->by_name, &key));
    int ended;

    if (index) {
        c->last_name = key;
        c->last_index = index;
        return index - 1;
    }
    ended = process ? ended_find(c, kind) : -1;
    index = ended >= 0 ? (unsigned)ended : agent_new(c, kind);
    hb_agent(c, index)->process = process;
    hb_agent(c, index)->number = number;
    g_hash_table_insert(c->by_name, g_memdup2(&key, sizeof(key)), GUINT_TO_POINTER(index + 1));
    return index;
}

struct hb_agent *hb_agent(const struct hb_clocks *c, unsigned index)
{
    return c->agents->pdata[index];
}

uint32_t hb_agent_clock(const struct hb_clocks *c, unsigned index)
{
    return hb_agent(c, index)->vc.at[index];
}

bool hb_ordered(const struct hb_clocks *c, unsigned index, unsigned other, uint32_t clock)
{
    return index == other || clock <= vc_get(&hb_agent(c, index)->vc, other);
}

const struct hb_agent *hb_waiter(const struct hb_clocks *c, unsigned other, uint32_t clock)
{
    for (unsigned i = 0; i < c->agents->len; i++) {
        if (hb_agent(c, i)->kind == HB_CPU && hb_ordered(c, i, other, clock)) {
            return hb_agent(c, i);
        }
    }
    return NULL;
}

/* A new clock: what the agent does from now on is not part of what it has handed over. */
void hb_clock_tick(struct hb_clocks *c, unsigned index)
{
    struct hb_agent *a = hb_agent(c, index);
    struct past *p = c->past->pdata[index];
    uint32_t clock = a->vc.at[index];

    vc_copy(&p->vc[clock % PAST], &a->vc);
    p->clock[clock % PAST] = clock;
    p->moment[clock % PAST] = a->now;
    a->vc.at[index]++;
    a->released = false;
}

/* Return: true if it was news. */
static bool hb_clock_learn(struct hb_clocks *c, unsigned index, const struct hb_vc *from)
{
    struct hb_vc *vc = &hb_agent(c, index)->vc;
    bool news = false;

    for (unsigned i = 0; i < from->len && !news; i++) {
        news = i != index && from->at[i] > vc_get(vc, i);
    }
    if (news) {
        hb_clock_tick(c, index);
        vc_join(vc, from);
    }
    return news;
}

void hb_saw(struct hb_clocks *c, unsigned index, unsigned other, uint32_t clock)
{
    const struct past *p = c->past->pdata[other];
    uint32_t now = hb_agent_clock(c, other), kept = MAX(clock, now - MIN(now, PAST));

    if (now == clock) { /* its clock still runs: what it does next is not seen */
        hb_clock_learn(c, index, &hb_agent(c, other)->vc);
        hb_clock_tick(c, other);
    } else {
        c->forgot += kept != clock;
        hb_clock_learn(c, index, &p->vc[kept % PAST]);
    }
}

uint64_t hb_clocks_forgot(const struct hb_clocks *c)
{
    return c->forgot;
}

/* --- submissions ------------------------------------------------------------------------------ */

uint64_t hb_doorbell(struct hb_clocks *c, unsigned cpu, unsigned channel, uint32_t put,
                     uint64_t label, struct hb_claim claim)
{
    struct hb_agent *ch = hb_agent(c, channel);
    struct hb_work *w = g_new0(struct hb_work, 1);

    *w = (struct hb_work){ .put = put, .label = label, .number = ++c->submissions, .claim = claim };
    vc_copy(&w->vc, &hb_agent(c, cpu)->vc);
    g_queue_push_tail(&ch->queue, w);
    hb_clock_tick(c, cpu);
    return w->number;
}

static bool hb_clock_announced(const struct hb_agent *ch, uint32_t get)
{
    for (const GList *l = ch->queue.head; l; l = l->next) {
        if (((const struct hb_work *)l->data)->put == get) {
            return true;
        }
    }
    return false;
}

/* The doorbell that announced an entry: the one that says so, else (one doorbell for several
 * entries) the oldest. What lies before it was announced for nothing: no new entry, or the channel
 * was reset. */
void hb_segment(struct hb_clocks *c, unsigned channel, uint32_t get)
{
    struct hb_agent *ch = hb_agent(c, channel);
    bool exact = hb_clock_announced(ch, get);
    struct hb_work *w;

    while ((w = g_queue_peek_head(&ch->queue)) != NULL) {
        bool last = w->put == get;

        hb_clock_learn(c, channel, &w->vc);
        ch->label = w->label;
        ch->now.submission = w->number;
        ch->claim = w->claim;
        if (exact) {
            g_queue_pop_head(&ch->queue);
            work_free(w);
        }
        if (last || !exact) {
            break;
        }
    }
}

/* --- syncpoints ------------------------------------------------------------------------------- */

void hb_syncpt_incr(struct hb_clocks *c, unsigned index, uint32_t id, uint32_t value)
{
    GArray *steps = g_hash_table_lookup(c->syncpts, GUINT_TO_POINTER(id));
    struct syncpt_step step = { .value = value };

    if (!steps) {
        steps = g_array_new(FALSE, FALSE, sizeof(struct syncpt_step));
        g_array_set_clear_func(steps, step_clear);
        g_hash_table_insert(c->syncpts, GUINT_TO_POINTER(id), steps);
    }
    if (steps->len >= HISTORY) {
        g_array_remove_range(steps, 0, HISTORY / 2);
        g_array_index(steps, struct syncpt_step, 0).cut = true;
    }
    vc_copy(&step.vc, &hb_agent(c, index)->vc);
    if (steps->len) { /* a value stands for all increments up to it */
        vc_join(&step.vc, &g_array_index(steps, struct syncpt_step, steps->len - 1).vc);
    }
    g_array_append_val(steps, step);
    hb_clock_tick(c, index);
}

/* The fences that come along with the one waited for (the driver reports them all) are no news. */
bool hb_syncpt_wait(struct hb_clocks *c, unsigned index, uint32_t id, uint32_t threshold,
                    uint64_t event)
{
    const GArray *steps = g_hash_table_lookup(c->syncpts, GUINT_TO_POINTER(id));
    guint lo = 0, hi = steps ? steps->len : 0;

    while (lo < hi) {
        guint mid = (lo + hi) / 2;

        if ((int32_t)(g_array_index(steps, struct syncpt_step, mid).value - threshold) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    if (!steps || lo == steps->len) {
        return false;
    }
    c->forgot += g_array_index(steps, struct syncpt_step, lo).cut &&
                 g_array_index(steps, struct syncpt_step, lo).value != threshold;
    if (hb_clock_learn(c, index, &g_array_index(steps, struct syncpt_step, lo).vc)) {
        hb_agent(c, index)->now.event = event;
    }
    return true;
}

void hb_syncpts_wait(struct hb_clocks *c, unsigned index)
{
    GHashTableIter iter;
    gpointer steps;

    g_hash_table_iter_init(&iter, c->syncpts);
    while (g_hash_table_iter_next(&iter, NULL, &steps)) { /* in any order: the result is the same */
        const GArray *all = steps;

        hb_clock_learn(c, index, &g_array_index(all, struct syncpt_step, all->len - 1).vc);
    }
    for (guint i = 0; i < c->agents->len; i++) {
        if (hb_agent(c, i)->process != hb_agent(c, index)->process &&
            hb_clock_learn(c, index, &hb_agent(c, i)->vc)) {
            hb_clock_tick(c, i);
        }
    }
}

struct hb_moment hb_moment_at(const struct hb_clocks *c, unsigned index, uint32_t clock)
{
    const struct past *p = c->past->pdata[index];

    if (hb_agent_clock(c, index) == clock) {
        return hb_agent(c, index)->now;
    }
    return p->clock[clock % PAST] == clock ? p->moment[clock % PAST] : (struct hb_moment){ 0 };
}

static void work_sites(gpointer work, gpointer visit)
{
    const struct hb_work *w = work;
    const struct site_visit *v = visit;

    v->use(w->label, v->opaque);
    v->use(w->claim.event, v->opaque);
}

void hb_clocks_sites(const struct hb_clocks *c, void (*use)(uint64_t site, void *opaque),
                     void *opaque)
{
    struct site_visit v = { use, opaque };

    for (guint i = 0; i < c->agents->len; i++) {
        struct hb_agent *a = hb_agent(c, i);
        const struct past *p = c->past->pdata[i];
        const uint64_t site[] = { a->site, a->label, a->place_site, a->now.event, a->claim.event };

        for (gsize k = 0; k < G_N_ELEMENTS(site); k++) {
            use(site[k], opaque);
        }
        for (unsigned k = 0; k < PAST; k++) {
            use(p->moment[k].event, opaque);
        }
        g_queue_foreach(&a->queue, work_sites, &v);
    }
}

/* --- locks and flags -------------------------------------------------------------------------- */

static struct object *object_get(struct hb_clocks *c, enum hb_space space, uint64_t key,
                                 unsigned index)
{
    struct object *o = g_hash_table_lookup(c->spaces[space], &key);

    if (!o) {
        o = g_new0(struct object, 1);
        o->first = index;
        g_hash_table_insert(c->spaces[space], g_memdup2(&key, sizeof(key)), o);
    }
    o->shared |= o->first != index;
    return o;
}

/* A kernel may update flags a million times before anybody looks, say the bins of a histogram: as
 * long as no other agent has, its clock stands still until it accesses something else, and in the
 * end even then. */
bool hb_release(struct hb_clocks *c, unsigned index, enum hb_space space, uint64_t key)
{
    struct object *o = object_get(c, space, key, index);
    bool news = vc_join(&o->vc, &hb_agent(c, index)->vc);

    if (news && (o->shared || hb_agent(c, index)->kind == HB_CPU)) {
        hb_clock_tick(c, index);
    } else if (news && o->releases < ALONE) {
        o->releases++;
        hb_agent(c, index)->released = true;
    }
    return news;
}

void hb_released(struct hb_clocks *c, unsigned index)
{
    if (hb_agent(c, index)->released) {
        hb_clock_tick(c, index);
    }
}

bool hb_acquire(struct hb_clocks *c, unsigned index, enum hb_space space, uint64_t key)
{
    return hb_clock_learn(c, index, &object_get(c, space, key, index)->vc);
}

bool hb_known(const struct hb_clocks *c, enum hb_space space, uint64_t key)
{
    return g_hash_table_contains(c->spaces[space], &key);
}

void hb_forget(struct hb_clocks *c, uint64_t first, uint64_t len)
{
    GHashTableIter i;
    gpointer key;

    for (unsigned space = HB_PLACES; space <= HB_PLACES_GPU; space++) {
        g_hash_table_iter_init(&i, c->spaces[space]);
        while (g_hash_table_iter_next(&i, &key, NULL)) {
            if (*(const uint64_t *)key - first < len) {
                g_hash_table_iter_remove(&i);
            }
        }
    }
}

void hb_object_gone(struct hb_clocks *c, uint64_t key)
{
    g_hash_table_remove(c->spaces[HB_OBJECTS], &key);
}

/* --- processes -------------------------------------------------------------------------------- */

#define THREADS 0 /* the only object of HB_PROCESSES */

/* Only when threads of another process come next: threads of one process are not ordered among
 * themselves unless another one lies between. */
void hb_cpu_order(struct hb_clocks *c, unsigned index)
{
    struct hb_agent *a = hb_agent(c, index);

    for (guint i = 0; a->process != c->cpu_process && i < c->agents->len; i++) {
        struct hb_agent *other = hb_agent(c, i);

        if (other->acted && other->process == c->cpu_process) {
            other->acted = false;
            hb_release(c, i, HB_PROCESSES, THREADS);
        }
    }
    c->cpu_turn += a->process != c->cpu_process;
    c->cpu_process = a->process;
    a->acted = true;
    if (a->turn != c->cpu_turn) {
        a->turn = c->cpu_turn;
        hb_acquire(c, index, HB_PROCESSES, THREADS);
    }
}

void hb_learn_beside(struct hb_clocks *c, unsigned index, unsigned other)
{
    struct hb_vc *vc = &hb_agent(c, other)->vc;
    uint32_t own = vc->at[other];

    vc->at[other] = 0; /* for so long */
    hb_clock_learn(c, index, vc);
    vc->at[other] = own;
}

/* All agents know from now on what those of @process did, @every: what all did, and none of them
 * what the others do then. */
static void hb_clock_meet(struct hb_clocks *c, bool every, uint32_t process)
{
    struct hb_vc vc = { 0 };

    for (guint i = 0; i < c->agents->len; i++) {
        if (every || hb_agent(c, i)->process == process) {
            vc_join(&vc, &hb_agent(c, i)->vc);
        }
    }
    for (guint i = 0; i < c->agents->len; i++) {
        hb_clock_tick(c, i);
        vc_join(&hb_agent(c, i)->vc, &vc);
    }
    vc_clear(&vc);
}

static void agent_end(struct hb_clocks *c, struct hb_agent *a)
{
    int64_t name = hb_agent_name(a->process, a->kind, a->number);

    g_hash_table_remove(c->by_name, &name);
    g_queue_clear_full(&a->queue, work_free);
    a->process = ENDED;
    a->acted = false;
    a->site = a->label = 0;
    a->claim = (struct hb_claim){ 0 };
}

void hb_process_ended(struct hb_clocks *c, uint32_t process)
{
    c->last_index = 0;
    hb_clock_meet(c, false, process);
    for (guint i = 0; i < c->agents->len; i++) {
        if (hb_agent(c, i)->process == process) {
            agent_end(c, hb_agent(c, i));
        }
    }
}

void hb_all_order(struct hb_clocks *c)
{
    hb_clock_meet(c, true, 0);
}
