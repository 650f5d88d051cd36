/* SPDX-License-Identifier: MIT */
/* From records to steps of lines and clocks, and from what is wrong with them to findings. */
#include "runtime/check/hb.h"

#include <string.h>

#include "runtime/check/hb_cell.h"

#define PAGE 4096u
#define LINE 64u
#define PAGE_LINES (PAGE / LINE)
#define FLAG_BYTES 8u

/* Sites are addresses of the program's code, or with this bit numbers of struct label. */
#define SITE_LABEL (UINT64_C(1) << 63)

/* A call that makes engines work: a launch, a copy. Strings owned. */
struct label {
    char *name, *where;
    uint32_t stream, grid_id;
};

/**
 * struct region - memory of the application
 * @pages: PAGE_LINES numbers of states each; NULL: never touched
 * @track: versions are followed
 * @flags: something in it was accessed as a flag
 */
struct region {
    uint32_t id;
    uint64_t pa, len, va;
    uint32_t **pages;
    bool known, cached, track, flags;
};

/* Findings of one pair of sites; a race is the same whoever comes first. */
struct pair {
    struct hb_finding f;
    uint64_t site[2];
    uint64_t more;
};

struct hb {
    const struct run *run;
    hb_found *found;
    void *opaque;
    struct hb_clocks *clocks;
    struct hb_cells *cells;
    GPtrArray *regions; /* by id; NULL where there is none */
    GPtrArray *labels;
    GHashTable *label_by_text; /* text -> number + 1 */
    GHashTable *grids;         /* grid id -> number of its label + 1 */
    uint64_t label;            /* of the last call that was told */
    uint64_t l2_leaving;       /* line whose write-back ends its stay, 0 = none */
    GHashTable *pairs;
    GPtrArray *pair_list;
};

/* --- life ---------------------------------------------------------------------------------------
 */

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

static void label_free(gpointer data)
{
    struct label *l = data;

    g_free(l->name);
    g_free(l->where);
    g_free(l);
}

static void pages_free(struct region *r)
{
    for (uint64_t i = 0; r->pages && i < r->len / PAGE; i++) {
        g_free(r->pages[i]);
    }
    g_clear_pointer(&r->pages, g_free);
}

static void region_free(gpointer data)
{
    if (data) {
        pages_free(data);
        g_free(data);
    }
}

struct hb *hb_new(const struct run *run, hb_found *found, void *opaque)
{
    struct hb *hb = g_new0(struct hb, 1);

    hb->run = run;
    hb->found = found;
    hb->opaque = opaque;
    hb->clocks = hb_clocks_new();
    hb->regions = g_ptr_array_new_with_free_func(region_free);
    hb->labels = g_ptr_array_new_with_free_func(label_free);
    hb->label_by_text = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    hb->grids = g_hash_table_new(NULL, NULL);
    hb->pairs = g_hash_table_new(pair_hash, pair_equal);
    hb->pair_list = g_ptr_array_new_with_free_func(g_free);
    return hb;
}

void hb_free(struct hb *hb)
{
    if (hb) {
        g_ptr_array_free(hb->pair_list, TRUE);
        g_hash_table_destroy(hb->pairs);
        g_hash_table_destroy(hb->grids);
        g_hash_table_destroy(hb->label_by_text);
        g_ptr_array_free(hb->labels, TRUE);
        g_ptr_array_free(hb->regions, TRUE);
        hb_cells_free(hb->cells);
        hb_clocks_free(hb->clocks);
        g_free(hb);
    }
}

unsigned hb_states(const struct hb *hb)
{
    return hb->cells ? hb_cells_count(hb->cells) : 0;
}

/* The board's rules come with the first note of a run. */
static struct hb_cells *cells(struct hb *hb)
{
    if (!hb->cells) {
        hb->cells = hb_cells_new(hb->clocks, hb->run->io_coherent, hb->run->snoops_l2);
    }
    return hb->cells;
}

/* --- regions and labels -------------------------------------------------------------------------
 */

#define REGIONS_MAX (1u << 24)

static struct region *region_get(struct hb *hb, uint32_t id)
{
    if (id == 0 || id >= REGIONS_MAX) {
        return NULL;
    }
    if (id >= hb->regions->len) {
        g_ptr_array_set_size(hb->regions, (gint)id + 1);
    }
    if (!hb->regions->pdata[id]) {
        hb->regions->pdata[id] = g_new0(struct region, 1);
        ((struct region *)hb->regions->pdata[id])->id = id;
    }
    return hb->regions->pdata[id];
}

/* Memory of the application that is there. */
static struct region *region_find(const struct hb *hb, uint32_t id)
{
    struct region *r = id < hb->regions->len ? hb->regions->pdata[id] : NULL;

    return r && r->known && r->len ? r : NULL;
}

static void region_add(struct hb *hb, const struct trace_record *t)
{
    struct region *r = region_get(hb, t->region);

    if (r && !r->len && t->arg[1] % PAGE == 0) {
        r->pa = t->arg[0];
        r->len = t->arg[1];
        r->cached = t->arg[2];
    }
}

static void region_remove(struct hb *hb, uint32_t id)
{
    struct region *r = id < hb->regions->len ? hb->regions->pdata[id] : NULL;

    if (r) {
        if (r->flags) {
            hb_forget(hb->clocks, r->pa, r->len);
        }
        pages_free(r);
        r->known = false;
        r->len = 0;
    }
}

static void region_note(struct hb *hb, const struct note *n)
{
    struct region *r = region_get(hb, (uint32_t)note_num(n, "id"));

    if (r) {
        r->known = g_strcmp0(note_get(n, "kind"), "driver") != 0;
        r->track = g_strcmp0(note_get(n, "kind"), "device") != 0;
        r->va = note_num(n, "va");
    }
}

static uint64_t label_get(struct hb *hb, const char *name, const char *where, uint32_t stream)
{
    g_autofree char *text = g_strdup_printf("%s\n%s\n%u", name, where ? where : "", stream);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(hb->label_by_text, text));
    struct label *l;

    if (!number) {
        l = g_new0(struct label, 1);
        l->name = g_strdup(name);
        l->where = g_strdup(where);
        l->stream = stream;
        g_ptr_array_add(hb->labels, l);
        number = hb->labels->len;
        g_hash_table_insert(hb->label_by_text, g_steal_pointer(&text), GUINT_TO_POINTER(number));
    }
    return SITE_LABEL | (number - 1);
}

static void call_note(struct hb *hb, const struct note *n, const char *name)
{
    hb->label =
        label_get(hb, name ? name : "?", note_get(n, "where"), (uint32_t)note_num(n, "stream"));
}

static void kernel_note(struct hb *hb, const struct note *n)
{
    uint32_t id = (uint32_t)note_num(n, "id");
    struct label *l;

    call_note(hb, n, note_get(n, "name"));
    l = hb->labels->pdata[hb->label & ~SITE_LABEL];
    l->grid_id = l->grid_id ? l->grid_id : id;
    g_hash_table_insert(hb->grids, GUINT_TO_POINTER(id),
                        GUINT_TO_POINTER((guint)(hb->label & ~SITE_LABEL) + 1));
}

void hb_note(struct hb *hb, const struct note *n)
{
    if (strcmp(n->name, "region") == 0) {
        region_note(hb, n);
    } else if (strcmp(n->name, "free") == 0) {
        region_remove(hb, (uint32_t)note_num(n, "id"));
    } else if (strcmp(n->name, "kernel") == 0) {
        kernel_note(hb, n);
    } else if (strcmp(n->name, "copy") == 0 || strcmp(n->name, "fill") == 0 ||
               strcmp(n->name, "task") == 0) {
        call_note(hb, n, note_get(n, "api"));
    }
}

/* --- findings -----------------------------------------------------------------------------------
 */

static void who(const struct hb *hb, const struct hb_entry *e, struct hb_who *out)
{
    const struct hb_agent *a = hb_agent(hb->clocks, e->agent);
    const struct label *l;

    *out = (struct hb_who){
        .cpu = a->kind == HB_CPU,
        .access = (enum hb_access)e->access,
        .number = a->number,
    };
    if (e->site & SITE_LABEL) {
        l = hb->labels->pdata[e->site & ~SITE_LABEL];
        out->name = l->name;
        out->where = l->where;
        out->stream = l->stream;
        out->grid_id = l->grid_id;
    } else {
        out->pc = (uintptr_t)e->site;
    }
}

static void hit_tell(struct hb *hb, const struct region *r, uint64_t line, const struct hb_hit *hit,
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

    if (p) {
        p->more++;
        return;
    }
    p = g_memdup2(&key, sizeof(key));
    p->f.offset = line - r->pa + first;
    p->f.size = (uint64_t)__builtin_popcountll(hit->mask);
    p->f.count = 1;
    who(hb, &hit->with, &p->f.first);
    who(hb, second, &p->f.second);
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

/* --- lines --------------------------------------------------------------------------------------
 */

/* States of former launches and clocks pile up: keep those that a line has. */
static void cells_tidy(struct hb *hb)
{
    hb_cells_begin(hb->cells);
    for (guint i = 0; i < hb->regions->len; i++) {
        struct region *r = hb->regions->pdata[i];

        for (uint64_t page = 0; r && r->pages && page < r->len / PAGE; page++) {
            for (unsigned line = 0; r->pages[page] && line < PAGE_LINES; line++) {
                r->pages[page][line] = hb_cell_rename(hb->cells, r->pages[page][line]);
            }
        }
    }
    hb_cells_end(hb->cells);
}

static uint32_t *line_state(struct region *r, uint64_t line)
{
    uint64_t page = (line - r->pa) / PAGE;

    if (!r->pages) {
        r->pages = g_new0(uint32_t *, r->len / PAGE);
    }
    if (!r->pages[page]) {
        r->pages[page] = g_new0(uint32_t, PAGE_LINES);
    }
    return &r->pages[page][line % PAGE / LINE];
}

/* @line: a multiple of LINE; outside the region nothing happens (a trace file may say anything). */
static void line_step(struct hb *hb, struct region *r, uint64_t line, const struct hb_step *step)
{
    struct hb_hit hits[HB_HITS];
    uint32_t *state;
    unsigned n;

    if (line - r->pa >= r->len) {
        return;
    }
    state = line_state(r, line);
    *state = hb_cell_step(cells(hb), *state, step, r->track, hits, &n);
    for (unsigned i = 0; i < n; i++) {
        if (hits[i].flag) {
            hb_saw(hb->clocks, step->e.agent, hits[i].with.agent, hits[i].with.clock);
        } else {
            hit_tell(hb, r, line, &hits[i], &step->e);
        }
    }
    if (hb_cells_crowded(hb->cells)) {
        cells_tidy(hb);
    }
}

static void cache_step(struct hb *hb, const struct trace_record *t, enum hb_step_kind kind,
                       uint64_t low, uint64_t high, enum hb_access access)
{
    struct region *r = region_find(hb, t->region);
    struct hb_step step = { .kind = kind, .e = { .access = (uint8_t)access } };
    uint64_t line = t->arg[0] & ~(uint64_t)(LINE - 1);

    if (!r || !r->track) {
        return;
    }
    step.e.mask = low;
    line_step(hb, r, line, &step);
    if (high) {
        step.e.mask = high;
        line_step(hb, r, line + LINE, &step);
    }
}

/* --- accesses -----------------------------------------------------------------------------------
 */

/* What an access to a flag takes over before it, and hands over after it: to the CPU only at system
 * scope, to other kernels at device scope, too. */
static void flags_order(struct hb *hb, const struct hb_entry *e, unsigned agent, uint64_t line,
                        bool acquire)
{
    bool cpu = hb_agent(hb->clocks, agent)->kind == HB_CPU;
    enum hb_space first = !cpu && e->sync == HB_SYNC_GPU ? HB_PLACES_GPU : HB_PLACES;
    enum hb_space last = cpu ? HB_PLACES : HB_PLACES_GPU;

    for (unsigned i = 0; i < LINE / FLAG_BYTES; i++) {
        uint64_t key = line + i * FLAG_BYTES;

        for (enum hb_space space = first; e->mask >> i * FLAG_BYTES & 0xff && space <= last;
             space++) {
            if (acquire) {
                hb_acquire(hb->clocks, agent, space, key);
            } else {
                hb_release(hb->clocks, agent, space, key);
            }
        }
    }
}

/* A plain access of the CPU to what others use as a flag. */
static bool is_flag(const struct hb *hb, const struct region *r, uint64_t line, uint64_t mask)
{
    return r->flags && mask && __builtin_popcountll(mask) <= (int)FLAG_BYTES &&
           hb_known(hb->clocks, HB_PLACES,
                    line + (uint64_t)__builtin_ctzll(mask) / FLAG_BYTES * FLAG_BYTES);
}

static void access_line(struct hb *hb, struct region *r, unsigned agent, uint64_t line,
                        struct hb_step *step)
{
    const struct hb_entry *e = &step->e;
    bool flag = e->sync != HB_PLAIN ||
                (hb_agent(hb->clocks, agent)->kind == HB_CPU && is_flag(hb, r, line, e->mask));

    if (!e->mask) {
        return;
    }
    if (flag && e->access != HB_WRITE) {
        flags_order(hb, e, agent, line, true);
    }
    step->e.agent = (uint16_t)agent;
    step->e.clock = hb_agent_clock(hb->clocks, agent);
    line_step(hb, r, line, step);
    if (flag && e->access != HB_READ) {
        flags_order(hb, e, agent, line, false);
    }
    r->flags |= e->sync != HB_PLAIN;
}

static uint64_t bytes_mask(unsigned first, uint64_t len)
{
    return (len >= 64 ? UINT64_MAX : (UINT64_C(1) << len) - 1) << first;
}

static void cpu_access(struct hb *hb, const struct trace_record *t, enum hb_access access,
                       uintptr_t pc)
{
    struct region *r = region_find(hb, t->region);
    uint64_t pa = t->arg[3], end = pa + MIN(t->arg[1], PAGE);
    bool sync = t->arg[4] || access == HB_UPDATE;
    unsigned agent;

    if (!r) {
        return;
    }
    agent = hb_agent_get(hb->clocks, HB_CPU, t->thread);
    while (pa < end) {
        unsigned first = pa % LINE;
        uint64_t n = MIN(end - pa, LINE - first);
        struct hb_step step = {
            .kind = HB_STEP_ACCESS,
            .place = r->cached ? HB_CPU_CACHE : HB_MEMORY,
            .e = { .mask = bytes_mask(first, n),
                   .site = pc & ~SITE_LABEL,
                   .access = (uint8_t)access,
                   .sync = sync ? HB_SYNC_SYS : HB_PLAIN },
        };

        access_line(hb, r, agent, pa - first, &step);
        pa += n;
    }
}

static uint64_t site_of(struct hb *hb, const struct trace_record *t, const struct hb_agent *a)
{
    if (t->agent == BUS_AGENT_IGPU && a->site) {
        return a->site;
    }
    if (t->agent == BUS_AGENT_HOST) {
        return label_get(hb, "a memory operation of the stream", NULL, a->number);
    }
    return a->label ? a->label : label_get(hb, "work of unknown origin", NULL, a->number);
}

/* Atomics and flags of block scope order nothing outside their grid. The front end's semaphores are
 * there to be seen by all. */
static enum hb_sync sync_of(const struct trace_record *t)
{
    if (t->agent == BUS_AGENT_HOST || t->arg[3] == BUS_SCOPE_SYS) {
        return HB_SYNC_SYS;
    }
    return t->arg[3] == BUS_SCOPE_GPU ? HB_SYNC_GPU : HB_PLAIN;
}

static void engine_access(struct hb *hb, const struct trace_record *t, enum hb_access access)
{
    struct region *r = region_find(hb, t->region);
    bool atomic = t->event == TRACE_EVENT_GPU_ATOMIC;
    uint64_t pa = t->arg[5], low = t->arg[1], high = t->arg[2];
    struct hb_step step = { .kind = HB_STEP_ACCESS };
    unsigned agent;

    if (!r || t->channel == 0) {
        return; /* a front end that only looks whether it may go on */
    }
    if (atomic) {
        low = bytes_mask(pa % LINE, MIN(t->arg[1], LINE - pa % LINE));
        high = 0;
    }
    agent = hb_agent_get(hb->clocks, HB_CHANNEL, t->channel - 1);
    step.place = t->arg[4] ? HB_L2 : HB_MEMORY;
    step.e.site = site_of(hb, t, hb_agent(hb->clocks, agent));
    step.e.access = (uint8_t)access;
    step.e.sync = (uint8_t)sync_of(t);
    pa &= ~(uint64_t)(LINE - 1);
    step.e.mask = low;
    access_line(hb, r, agent, pa, &step);
    step.e.mask = high;
    access_line(hb, r, agent, pa + LINE, &step);
}

/* --- records ------------------------------------------------------------------------------------
 */

static unsigned cpu_of(struct hb *hb, const struct trace_record *t)
{
    return hb_agent_get(hb->clocks, HB_CPU, t->thread);
}

static unsigned channel_of(struct hb *hb, const struct trace_record *t)
{
    return hb_agent_get(hb->clocks, HB_CHANNEL, (uint32_t)t->arg[0]);
}

/* A queue of a DLA, as its records carry it. */
static unsigned queue_of(struct hb *hb, const struct trace_record *t)
{
    return hb_agent_get(hb->clocks, HB_CHANNEL,
                        TRACE_CHANNEL_DLA + 16 * (uint32_t)t->arg[0] + (uint32_t)t->arg[1]);
}

/* Who increments a syncpoint: a channel, the CPU, or an engine with no channel. */
static unsigned agent_of(struct hb *hb, const struct trace_record *t)
{
    if (t->channel) {
        return hb_agent_get(hb->clocks, HB_CHANNEL, t->channel - 1);
    }
    return t->agent == BUS_AGENT_CPU ? cpu_of(hb, t)
                                     : hb_agent_get(hb->clocks, HB_ENGINE, t->agent);
}

static void grid_record(struct hb *hb, const struct trace_record *t)
{
    struct hb_agent *a = hb_agent(hb->clocks, channel_of(hb, t));
    gpointer grid = GUINT_TO_POINTER((guint)t->arg[3]);
    guint number;

    a->site = 0;
    if (t->event == TRACE_EVENT_GRID_BEGIN) {
        number = GPOINTER_TO_UINT(g_hash_table_lookup(hb->grids, grid));
        a->site = number ? SITE_LABEL | (number - 1) : 0;
        g_hash_table_remove(hb->grids, grid);
    }
}

/* The wait of a channel is over; the place is a flag of the application. */
static void semaphore_record(struct hb *hb, const struct trace_record *t)
{
    for (guint i = hb->regions->len; i > 0; i--) {
        const struct region *r = region_find(hb, i - 1);

        if (r && t->arg[1] - r->va < r->len) {
            hb_acquire(hb->clocks, channel_of(hb, t), HB_PLACES,
                       (r->pa + (t->arg[1] - r->va)) & ~(uint64_t)(FLAG_BYTES - 1));
            return;
        }
    }
}

static uint64_t sectors_mask(uint64_t sectors)
{
    return (sectors & 1 ? UINT64_C(0xffffffff) : 0) |
           (sectors & 2 ? UINT64_C(0xffffffff) << 32 : 0);
}

static void work_record(struct hb *hb, const struct trace_record *t)
{
    switch (t->event) {
    case TRACE_EVENT_DOORBELL:
        hb_doorbell(hb->clocks, cpu_of(hb, t), channel_of(hb, t), (uint32_t)t->arg[1], hb->label);
        break;
    case TRACE_EVENT_SEGMENT:
        hb_segment(hb->clocks, channel_of(hb, t), (uint32_t)t->arg[1]);
        break;
    case TRACE_EVENT_DLA_TASK_SUBMIT:
        hb_doorbell(hb->clocks, cpu_of(hb, t), queue_of(hb, t), (uint32_t)t->arg[3], hb->label);
        break;
    case TRACE_EVENT_DLA_TASK_BEGIN:
        hb_segment(hb->clocks, queue_of(hb, t), (uint32_t)t->arg[3]);
        break;
    case TRACE_EVENT_GRID_BEGIN:
    case TRACE_EVENT_GRID_END:
    case TRACE_EVENT_GRID_FAULT:
        grid_record(hb, t);
        break;
    case TRACE_EVENT_SYNCPT_INCR:
        hb_syncpt_incr(hb->clocks, agent_of(hb, t), (uint32_t)t->arg[0], (uint32_t)t->arg[1]);
        break;
    case TRACE_EVENT_SYNCPT_WAIT:
        hb_syncpt_wait(hb->clocks, channel_of(hb, t), (uint32_t)t->arg[1], (uint32_t)t->arg[2]);
        break;
    case TRACE_EVENT_SEM_ACQUIRE:
        semaphore_record(hb, t);
        break;
    case TRACE_EVENT_CPU_WAITED:
        hb_syncpt_wait(hb->clocks, cpu_of(hb, t), (uint32_t)t->arg[0], (uint32_t)t->arg[1]);
        break;
    case TRACE_EVENT_CPU_RELEASE:
        hb_release(hb->clocks, cpu_of(hb, t), HB_OBJECTS, t->arg[0]);
        break;
    case TRACE_EVENT_CPU_ACQUIRE:
        hb_acquire(hb->clocks, cpu_of(hb, t), HB_OBJECTS, t->arg[0]);
        break;
    default:
        break;
    }
}

static void l2_writeback(struct hb *hb, const struct trace_record *t)
{
    if (t->arg[1] || t->arg[2]) {
        cache_step(hb, t, HB_STEP_L2_WRITEBACK, t->arg[1], t->arg[2], HB_WRITE);
    }
    if (hb->l2_leaving == t->arg[0]) {
        cache_step(hb, t, HB_STEP_L2_LEAVE, UINT64_MAX, UINT64_MAX, HB_READ);
        hb->l2_leaving = 0;
    }
}

static void cache_record(struct hb *hb, const struct trace_record *t)
{
    switch (t->event) {
    case TRACE_EVENT_CPU_FILL:
        cache_step(hb, t, HB_STEP_CPU_FILL, UINT64_MAX, 0, HB_READ);
        break;
    case TRACE_EVENT_CPU_WRITEBACK:
        cache_step(hb, t, HB_STEP_CPU_WRITEBACK, UINT64_MAX, 0, HB_WRITE);
        break;
    case TRACE_EVENT_CPU_EVICT:
        cache_step(hb, t, HB_STEP_CPU_LEAVE, UINT64_MAX, 0, t->arg[1] ? HB_WRITE : HB_READ);
        break;
    case TRACE_EVENT_CPU_DROP:
        cache_step(hb, t, HB_STEP_CPU_LEAVE, UINT64_MAX, 0, HB_READ);
        break;
    case TRACE_EVENT_CPU_SNOOP:
        if (t->arg[1]) {
            cache_step(hb, t, HB_STEP_CPU_LEAVE, UINT64_MAX, 0, t->arg[2] ? HB_WRITE : HB_READ);
        }
        break;
    case TRACE_EVENT_CPU_FOUND:
        cache_step(hb, t, HB_STEP_CPU_FOUND, t->arg[1], 0, HB_WRITE);
        break;
    case TRACE_EVENT_L2_FILL:
        cache_step(hb, t, HB_STEP_L2_FILL, sectors_mask(t->arg[1]), sectors_mask(t->arg[1] >> 2),
                   HB_READ);
        break;
    case TRACE_EVENT_L2_WRITEBACK:
        l2_writeback(hb, t);
        break;
    case TRACE_EVENT_L2_EVICT:
        if (t->arg[1]) {
            hb->l2_leaving = t->arg[0]; /* its write-back comes next */
        } else {
            cache_step(hb, t, HB_STEP_L2_LEAVE, UINT64_MAX, UINT64_MAX, HB_READ);
        }
        break;
    default:
        break;
    }
}

static void access_record(struct hb *hb, const struct trace_record *t, uintptr_t pc)
{
    switch (t->event) {
    case TRACE_EVENT_CPU_LOAD:
        cpu_access(hb, t, HB_READ, pc);
        break;
    case TRACE_EVENT_CPU_STORE:
        cpu_access(hb, t, HB_WRITE, pc);
        break;
    case TRACE_EVENT_CPU_ATOMIC:
        cpu_access(hb, t, HB_UPDATE, pc);
        break;
    case TRACE_EVENT_GPU_LOAD:
    case TRACE_EVENT_DLA_LOAD:
        engine_access(hb, t, HB_READ);
        break;
    case TRACE_EVENT_GPU_STORE:
    case TRACE_EVENT_DLA_STORE:
        engine_access(hb, t, HB_WRITE);
        break;
    case TRACE_EVENT_GPU_ATOMIC:
        engine_access(hb, t, HB_UPDATE);
        break;
    default:
        break;
    }
}

void hb_record(struct hb *hb, const struct trace_record *t, uintptr_t pc)
{
    switch (t->event < TRACE_EVENT_COUNT ? trace_event_class[t->event] : 0) {
    case TRACE_ACCESS:
        access_record(hb, t, pc);
        break;
    case TRACE_CACHE:
        cache_record(hb, t);
        break;
    case TRACE_MAINT:
        if (t->event == TRACE_EVENT_L2_INVALIDATE) {
            hb_cells_l2_gone(cells(hb));
        }
        break;
    case TRACE_MEMORY:
        if (t->event == TRACE_EVENT_REGION_ADD) {
            region_add(hb, t);
        } else if (t->event == TRACE_EVENT_REGION_REMOVE) {
            region_remove(hb, t->region);
        }
        break;
    default:
        work_record(hb, t);
        break;
    }
}
