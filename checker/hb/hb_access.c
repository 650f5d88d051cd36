/* SPDX-License-Identifier: MIT */
/* Accesses of the CPU, and what caches did: steps of lines. */
#include <string.h>

#include "checker/hb/hb_internal.h"

/* --- lines ------------------------------------------------------------------------------------ */

/* Return: lines that have a state of their own. */
static uint64_t region_rename(struct hb_cells *c, struct hb_region *r)
{
    uint64_t lines = 0;

    for (uint64_t page = 0; r->pages && page < r->len / HB_PAGE; page++) {
        for (unsigned line = 0; r->pages[page] && line < HB_PAGE_LINES; line++) {
            r->pages[page][line] = hb_cell_rename(c, r->pages[page][line]);
            lines++;
        }
    }
    r->untouched = hb_cell_rename(c, r->untouched);
    return lines;
}

void hb_cells_tidy(struct hb *hb)
{
    struct hb_region *r = NULL;
    uint64_t lines = 0;

    hb_cells_begin(hb->cells);
    while ((r = hb_region_next(hb, r)) != NULL) {
        lines += region_rename(hb->cells, r);
    }
    hb_cells_end(hb->cells, lines);
    hb->turn++;
}

uint32_t *hb_line_state(struct hb_region *r, uint64_t line)
{
    uint64_t page = (line - r->pa) / HB_PAGE;

    if (!r->pages) {
        r->pages = g_new0(uint32_t *, r->len / HB_PAGE);
    }
    if (!r->pages[page]) {
        r->pages[page] = g_new(uint32_t, HB_PAGE_LINES);
        for (unsigned i = 0; i < HB_PAGE_LINES; i++) {
            r->pages[page][i] = r->untouched;
        }
    }
    return &r->pages[page][line % HB_PAGE / HB_LINE];
}

/* A kernel has read a flag that was stored while the kernel ran: it polls that flag. */
static void flag_was_seen(struct hb *hb, const struct hb_agent *a, const struct hb_entry *e)
{
    if (a->kind == HB_CHANNEL && a->site && (e->site & HB_SITE_LABEL)) {
        hb_label(hb, a->site)->flag = e->site;
    }
}

/* @line: a multiple of HB_LINE; outside the region nothing happens (a trace file may say anything).
 */
static void line_step(struct hb *hb, struct hb_region *r, uint64_t line, const struct hb_step *step)
{
    struct hb_hit hits[HB_HITS];
    uint32_t *state;
    unsigned n;

    if (line - r->pa >= r->len) {
        return;
    }
    state = hb_line_state(r, line);
    *state = hb_cell_step(hb_cells_get(hb), *state, step, r->track, hits, &n);
    for (unsigned i = 0; i < n; i++) {
        if (hits[i].flag) {
            hb_saw(hb->clocks, step->e.agent, hits[i].with.agent, hits[i].with.clock);
            flag_was_seen(hb, hb_agent(hb->clocks, step->e.agent), &step->e);
        } else {
            hb_hit_report(hb, r, line, &hits[i], &step->e);
        }
    }
    if (hb_cells_crowded(hb->cells)) {
        hb_cells_tidy(hb);
    }
}

static void cache_step(struct hb *hb, const struct trace_record *t, enum hb_step_kind kind,
                       uint64_t low, uint64_t high, enum hb_access access)
{
    struct hb_region *r = hb_region_find(hb, t->region);
    struct hb_step step = { .kind = kind, .e = { .access = (uint8_t)access } };
    uint64_t line = t->arg[0] & ~(uint64_t)(HB_LINE - 1);

    if (!r || !r->track) {
        return;
    }
    step.e.mask = low;
    line_step(hb, r, line, &step);
    if (high) {
        step.e.mask = high;
        line_step(hb, r, line + HB_LINE, &step);
    }
}

/* --- accesses --------------------------------------------------------------------------------- */

/* What an access to a flag takes over before it, and hands over after it: to the CPU only at system
 * scope, to other kernels at device scope, too. Return: true if that was news. */
static bool flags_order(struct hb *hb, const struct hb_entry *e, unsigned agent, uint64_t line,
                        bool acquire)
{
    bool cpu = hb_agent(hb->clocks, agent)->kind == HB_CPU;
    enum hb_space first = !cpu && e->sync == HB_SYNC_GPU ? HB_PLACES_GPU : HB_PLACES;
    enum hb_space last = cpu ? HB_PLACES : HB_PLACES_GPU;
    bool news = false;

    for (unsigned i = 0; i < HB_LINE / HB_FLAG_BYTES; i++) {
        uint64_t key = line + i * HB_FLAG_BYTES;

        for (enum hb_space space = first; e->mask >> i * HB_FLAG_BYTES & 0xff && space <= last;
             space++) {
            news |= acquire ? hb_acquire(hb->clocks, agent, space, key)
                            : hb_release(hb->clocks, agent, space, key);
        }
    }
    return news;
}

/* The place of the first of its bytes. */
static uint64_t flag_key(uint64_t line, uint64_t mask)
{
    return line + (uint64_t)__builtin_ctzll(mask) / HB_FLAG_BYTES * HB_FLAG_BYTES;
}

/* Where threads do not take turns, another thread may set a flag between the record of a load and
 * the load itself, which comes after it (runtime/track/track.h). The load has happened by the
 * thread's next record: what it may have read is taken over there, too. */
static void flag_is_read(const struct hb *hb, const struct hb_entry *e, unsigned agent,
                         uint64_t line)
{
    struct hb_agent *a = hb_agent(hb->clocks, agent);

    if (a->kind == HB_CPU && g_strcmp0(hb->run->policy, "seeded") != 0) {
        a->looked = e->mask;
        a->looked_at = line;
    }
}

void hb_flag_was_read(struct hb *hb, unsigned agent)
{
    struct hb_agent *a = hb_agent(hb->clocks, agent);
    const struct hb_entry e = { .mask = a->looked, .sync = HB_SYNC_SYS };

    if (e.mask) {
        a->looked = 0;
        if (hb_known(hb->clocks, HB_PLACES, flag_key(a->looked_at, e.mask))) { /* not freed since */
            flags_order(hb, &e, agent, a->looked_at, true);
        }
    }
}

/* A plain access of the CPU to what others use as a flag. */
static bool is_flag(const struct hb *hb, const struct hb_region *r, uint64_t line, uint64_t mask)
{
    return r->flags && mask && __builtin_popcountll(mask) <= (int)HB_FLAG_BYTES &&
           hb_known(hb->clocks, HB_PLACES, flag_key(line, mask));
}

void hb_access_line(struct hb *hb, struct hb_region *r, unsigned agent, uint64_t line,
                    struct hb_step *step)
{
    const struct hb_entry *e = &step->e;
    bool flag = e->sync != HB_PLAIN ||
                (hb_agent(hb->clocks, agent)->kind == HB_CPU && is_flag(hb, r, line, e->mask));

    if (!e->mask) {
        return;
    }
    hb->turn++;
    hb->ordered = false;
    if (flag && e->access != HB_WRITE) {
        hb->ordered = flags_order(hb, e, agent, line, true);
        flag_is_read(hb, e, agent, line);
        if (hb->ordered) {
            flag_was_seen(hb, hb_agent(hb->clocks, agent), e);
        }
    } else if (!flag) {
        hb_released(hb->clocks, agent);
    }
    step->e.agent = (uint16_t)agent;
    step->e.clock = hb_agent_clock(hb->clocks, agent);
    line_step(hb, r, line, step);
    if (flag && e->access != HB_READ) {
        hb->ordered |= flags_order(hb, e, agent, line, false);
    }
    r->flags |= e->sync != HB_PLAIN;
}

/* Without hooks no record shows that a store sets a flag; a kernel that reads it later (hb_saw())
 * has not seen what is stored behind it. So a store at another place of the program has a clock of
 * its own, the first STORES_APART times. */
#define STORES_APART 64u

static void stores_part(struct hb *hb, unsigned agent, enum hb_access access, uint64_t site,
                        uint64_t len)
{
    struct hb_agent *a = hb_agent(hb->clocks, agent);

    if (hb->run->hooks || access != HB_WRITE) {
        return;
    }
    if (a->stored_clock != hb_agent_clock(hb->clocks, agent)) {
        a->stored_n = 0;
    }
    if (a->stored && a->stored != site && a->stored_n < STORES_APART) {
        a->stored_n++;
        a->released = true;
        hb_released(hb->clocks, agent);
    }
    a->stored_clock = hb_agent_clock(hb->clocks, agent);
    a->stored = len <= HB_FLAG_BYTES ? site : 0;
}

static void cpu_access(struct hb *hb, const struct trace_record *t, enum hb_access access,
                       uintptr_t pc)
{
    struct hb_region *r = hb_region_find(hb, t->region);
    uint64_t pa = t->arg[3], end = pa + MIN(t->arg[1], HB_PAGE);
    bool sync = t->arg[4] || access == HB_UPDATE;
    uint64_t site;
    unsigned agent;

    if (!r) {
        return;
    }
    agent = hb_cpu(hb, t);
    site = t->process ? hb_label_foreign(hb, hb_agent(hb->clocks, agent)) : pc & ~HB_SITE_LABEL;
    if (!t->process && !sync) {
        stores_part(hb, agent, access, site, t->arg[1]);
    }
    while (pa < end) {
        unsigned first = pa % HB_LINE;
        uint64_t n = MIN(end - pa, HB_LINE - first);
        struct hb_step step = {
            .kind = HB_STEP_ACCESS,
            .place = t->process  ? HB_ELSEWHERE
                     : r->cached ? HB_CPU_CACHE
                                 : HB_MEMORY,
            .e = { .mask = hb_bytes_mask(first, n),
                   .site = site,
                   .access = (uint8_t)access,
                   .sync = sync ? HB_SYNC_SYS : HB_PLAIN },
        };

        hb_access_line(hb, r, agent, pa - first, &step);
        pa += n;
    }
}

/* --- accesses without a record ---------------------------------------------------------------- */

const uint32_t *hb_changes(struct hb *hb)
{
    return hb_cells_changes(hb_cells_get(hb));
}

void hb_thread_look(struct hb *hb, struct hb_thread *thread)
{
    thread->agent = (uint16_t)hb_thread(hb, thread->number);
    thread->clock = hb_agent_clock(hb->clocks, thread->agent);
    thread->looked = hb_agent(hb->clocks, thread->agent)->looked != 0;
}

/* Where something is a flag, plain accesses may be, too. */
bool hb_line_look(struct hb *hb, uint32_t region, uint64_t pa, struct hb_line *line)
{
    struct hb_region *r = hb_region_find(hb, region);

    if (!r || r->flags || pa - r->pa >= r->len) {
        return false;
    }
    line->state = hb_line_state(r, pa);
    line->cached = r->cached;
    line->track = r->track;
    return true;
}

bool hb_again(struct hb *hb, const struct hb_thread *thread, const struct hb_line *line,
              unsigned first, unsigned len, bool store, uintptr_t pc)
{
    const struct hb_step step = {
        .kind = HB_STEP_ACCESS,
        .place = line->cached ? HB_CPU_CACHE : HB_MEMORY,
        .e = { .mask = hb_bytes_mask(first, len),
               .site = pc & ~HB_SITE_LABEL,
               .clock = thread->clock,
               .agent = thread->agent,
               .access = store ? HB_WRITE : HB_READ,
               .sync = HB_PLAIN },
    };

    return hb->cells && hb_cell_again(hb->cells, line->state, &step, line->track);
}

static uint64_t sectors_mask(uint64_t sectors)
{
    return (sectors & 1 ? UINT64_C(0xffffffff) : 0) |
           (sectors & 2 ? UINT64_C(0xffffffff) << 32 : 0);
}

/* --- records ---------------------------------------------------------------------------------- */

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

void hb_cache_record(struct hb *hb, const struct trace_record *t)
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

void hb_access_record(struct hb *hb, const struct trace_record *t, uintptr_t pc)
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
        hb_engine_access(hb, t, HB_READ);
        break;
    case TRACE_EVENT_GPU_STORE:
    case TRACE_EVENT_DLA_STORE:
        hb_engine_access(hb, t, HB_WRITE);
        break;
    case TRACE_EVENT_GPU_ATOMIC:
        hb_engine_access(hb, t, HB_UPDATE);
        break;
    case TRACE_EVENT_GPU_AT:
        hb_engine_at(hb, t);
        break;
    default:
        break;
    }
}
