/* SPDX-License-Identifier: MIT */
/* Accesses, and what caches did: steps of lines. */
#include <string.h>

#include "checker/hb_internal.h"

#define BUS_LINES 2u /* lines of HB_LINE in one that an engine accesses */

/* --- lines ------------------------------------------------------------------------------------ */

/* States of former launches and clocks pile up: keep those that a line has. */
static void cells_tidy(struct hb *hb)
{
    hb_cells_begin(hb->cells);
    for (guint i = 0; i < hb->regions->len; i++) {
        struct hb_region *r = hb->regions->pdata[i];

        for (uint64_t page = 0; r && r->pages && page < r->len / HB_PAGE; page++) {
            for (unsigned line = 0; r->pages[page] && line < HB_PAGE_LINES; line++) {
                r->pages[page][line] = hb_cell_rename(hb->cells, r->pages[page][line]);
            }
        }
        if (r) {
            r->untouched = hb_cell_rename(hb->cells, r->untouched);
        }
    }
    hb_cells_end(hb->cells);
    hb->turn++;
}

static uint32_t *line_state(struct hb_region *r, uint64_t line)
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
    state = line_state(r, line);
    *state = hb_cell_step(hb_cells_get(hb), *state, step, r->track, hits, &n);
    for (unsigned i = 0; i < n; i++) {
        if (hits[i].flag) {
            hb_saw(hb->clocks, step->e.agent, hits[i].with.agent, hits[i].with.clock);
        } else {
            hb_hit_tell(hb, r, line, &hits[i], &step->e);
        }
    }
    if (hb_cells_crowded(hb->cells)) {
        cells_tidy(hb);
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
 * scope, to other kernels at device scope, too. */
static void flags_order(struct hb *hb, const struct hb_entry *e, unsigned agent, uint64_t line,
                        bool acquire)
{
    bool cpu = hb_agent(hb->clocks, agent)->kind == HB_CPU;
    enum hb_space first = !cpu && e->sync == HB_SYNC_GPU ? HB_PLACES_GPU : HB_PLACES;
    enum hb_space last = cpu ? HB_PLACES : HB_PLACES_GPU;

    for (unsigned i = 0; i < HB_LINE / HB_FLAG_BYTES; i++) {
        uint64_t key = line + i * HB_FLAG_BYTES;

        for (enum hb_space space = first; e->mask >> i * HB_FLAG_BYTES & 0xff && space <= last;
             space++) {
            if (acquire) {
                hb_acquire(hb->clocks, agent, space, key);
            } else {
                hb_release(hb->clocks, agent, space, key);
            }
        }
    }
}

/* The place of the first of its bytes. */
static uint64_t flag_key(uint64_t line, uint64_t mask)
{
    return line + (uint64_t)__builtin_ctzll(mask) / HB_FLAG_BYTES * HB_FLAG_BYTES;
}

/* Where threads do not take turns, somebody may set a flag between the record of a load and the
 * load itself, which comes after it (runtime/track/track.h). The load has happened by the thread's
 * next record: what it may have read is taken over there, too. */
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

static void access_line(struct hb *hb, struct hb_region *r, unsigned agent, uint64_t line,
                        struct hb_step *step)
{
    const struct hb_entry *e = &step->e;
    bool flag = e->sync != HB_PLAIN ||
                (hb_agent(hb->clocks, agent)->kind == HB_CPU && is_flag(hb, r, line, e->mask));

    if (!e->mask) {
        return;
    }
    hb->turn++;
    if (flag && e->access != HB_WRITE) {
        flags_order(hb, e, agent, line, true);
        flag_is_read(hb, e, agent, line);
    } else if (!flag) {
        hb_released(hb->clocks, agent);
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
    while (pa < end) {
        unsigned first = pa % HB_LINE;
        uint64_t n = MIN(end - pa, HB_LINE - first);
        struct hb_step step = {
            .kind = HB_STEP_ACCESS,
            .place = t->process  ? HB_ELSEWHERE
                     : r->cached ? HB_CPU_CACHE
                                 : HB_MEMORY,
            .e = { .mask = bytes_mask(first, n),
                   .site = site,
                   .access = (uint8_t)access,
                   .sync = sync ? HB_SYNC_SYS : HB_PLAIN },
        };

        access_line(hb, r, agent, pa - first, &step);
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
    line->state = line_state(r, pa);
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
        .e = { .mask = bytes_mask(first, len),
               .site = pc & ~HB_SITE_LABEL,
               .clock = thread->clock,
               .agent = thread->agent,
               .access = store ? HB_WRITE : HB_READ,
               .sync = HB_PLAIN },
    };

    return hb->cells && hb_cell_again(hb->cells, line->state, &step, line->track);
}

/* --- engines ---------------------------------------------------------------------------------- */

static uint64_t site_of_label(struct hb *hb, const struct hb_agent *a)
{
    return a->label ? a->label : hb_label_get(hb, "work of unknown origin", NULL, NULL, a->number);
}

static uint64_t site_of(struct hb *hb, const struct trace_record *t, struct hb_agent *a)
{
    if (t->process) {
        return hb_label_foreign(hb, a);
    }
    if (t->agent == BUS_AGENT_IGPU && a->site) {
        if (!a->place_site) {
            a->place_site = a->place ? hb_label_at(hb, a->site, a->place) : a->site;
        }
        return a->place_site;
    }
    if (t->agent == BUS_AGENT_HOST) {
        return hb_label_get(hb, "a memory operation of the stream", NULL, NULL, a->number);
    }
    return site_of_label(hb, a);
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

static void engine_at(struct hb *hb, const struct trace_record *t)
{
    struct hb_agent *a;

    if (t->channel) {
        a = hb_agent(hb->clocks, hb_agent_get(hb->clocks, 0, HB_CHANNEL, t->channel - 1));
        a->place = t->arg[0] << 32 | (uint32_t)t->arg[1];
        a->place_site = 0;
    }
}

/* The engine's channel, and its step but for the bytes. */
static unsigned engine_step(struct hb *hb, const struct trace_record *t, enum hb_access access,
                            struct hb_step *step)
{
    unsigned agent = hb_agent_get(hb->clocks, t->process, HB_CHANNEL, t->channel - 1);

    *step = (struct hb_step){ .kind = HB_STEP_ACCESS,
                              .place = t->process                             ? HB_ELSEWHERE
                                       : t->arg[4]                            ? HB_L2
                                       : hb->run->past_caches >> t->agent & 1 ? HB_DRAM
                                                                              : HB_MEMORY,
                              .e = { .site = site_of(hb, t, hb_agent(hb->clocks, agent)),
                                     .access = (uint8_t)access,
                                     .sync = (uint8_t)sync_of(t) } };
    return agent;
}

/* --- the same step again --- */

static struct hb_like *like_of(struct hb *hb, const struct trace_record *t)
{
    return &hb->like[(t->region * 2 + t->event) % HB_LIKES];
}

static inline bool like_is(const struct hb *hb, const struct hb_like *like,
                           const struct trace_record *t)
{
    return like->turn == hb->turn && like->r->id == t->region && like->channel == t->channel &&
           like->process == t->process && like->event == t->event && like->agent == t->agent &&
           like->place == like->at->place && like->scope == t->arg[3] && like->l2 == t->arg[4] &&
           like->mask == t->arg[1] && like->mask == t->arg[2];
}

static inline struct hb_move *move_of(struct hb *hb, const struct hb_like *like, uint32_t from)
{
    return &hb->move[(from ^ like->number << 6) % HB_MOVES];
}

/* Most accesses of a kernel are like the one before at that place: all but the line is known. */
static bool engine_like(struct hb *hb, const struct trace_record *t)
{
    const struct hb_like *like = like_of(hb, t);
    const struct hb_move *move;
    uint32_t *state;
    uint64_t at;

    if (!like_is(hb, like, t)) {
        return false;
    }
    at = t->arg[5] - like->r->pa;
    if (at >= like->r->len || t->arg[5] % (BUS_LINES * HB_LINE) || !like->r->pages[at / HB_PAGE]) {
        return false;
    }
    state = &like->r->pages[at / HB_PAGE][t->arg[5] % HB_PAGE / HB_LINE];
    move = move_of(hb, like, state[0]);
    if (move->number != like->number || move->from != state[0] || move->from != state[1]) {
        return false;
    }
    state[0] = state[1] = move->to;
    return true;
}

/* Such an access has taken both halves of its line from one state to another. */
static void like_keep(struct hb *hb, const struct trace_record *t, struct hb_region *r,
                      unsigned agent, uint32_t from, uint32_t to)
{
    struct hb_like *like = like_of(hb, t);

    if (!like_is(hb, like, t)) {
        *like = (struct hb_like){ .turn = hb->turn,
                                  .number = ++hb->likes,
                                  .place = hb_agent(hb->clocks, agent)->place,
                                  .scope = t->arg[3],
                                  .l2 = t->arg[4],
                                  .mask = t->arg[1],
                                  .r = r,
                                  .at = hb_agent(hb->clocks, agent),
                                  .channel = t->channel,
                                  .process = t->process,
                                  .event = (uint16_t)t->event,
                                  .agent = (uint16_t)t->agent };
    }
    *move_of(hb, like, from) = (struct hb_move){ like->number, from, to };
}

/* The usual case: a plain access, to a line in a known state, that finds nothing. Both halves are
 * often the same step. Return: false: at least one of them is left to do, its mask is not 0. */
static bool engine_again(struct hb *hb, const struct trace_record *t, struct hb_region *r,
                         unsigned agent, struct hb_step *step, uint64_t mask[BUS_LINES])
{
    uint64_t pa = t->arg[5] & ~(uint64_t)(HB_LINE - 1), last = 0;
    uint32_t *state, first, from = UINT32_MAX, to = 0;

    if (step->e.sync != HB_PLAIN || pa - r->pa >= r->len || pa % (BUS_LINES * HB_LINE) ||
        !(mask[0] | mask[1])) {
        return false;
    }
    hb_released(hb->clocks, agent);
    step->e.agent = (uint16_t)agent;
    step->e.clock = hb_agent_clock(hb->clocks, agent);
    state = line_state(r, pa);
    first = state[0];
    for (unsigned i = 0; i < BUS_LINES; i++) {
        uint32_t before = state[i];

        step->e.mask = mask[i];
        if (mask[i] && mask[i] == last && before == from) {
            state[i] = to;
        } else if (mask[i] && !hb_cell_again(hb_cells_get(hb), &state[i], step, r->track)) {
            return false;
        }
        last = mask[i];
        from = before;
        to = state[i];
        mask[i] = 0;
    }
    if (t->arg[1] == t->arg[2] && from == first) { /* @from: the second half's */
        like_keep(hb, t, r, agent, first, to);
    }
    return true;
}

static void engine_access(struct hb *hb, const struct trace_record *t, enum hb_access access)
{
    uint64_t pa = t->arg[5], mask[BUS_LINES] = { t->arg[1], t->arg[2] };
    bool atomic = t->event == TRACE_EVENT_GPU_ATOMIC;
    struct hb_region *r;
    struct hb_step step;
    unsigned agent;

    if (engine_like(hb, t)) {
        return;
    }
    r = hb_region_find(hb, t->region);
    if (!r || t->channel == 0) {
        return; /* a front end that only looks whether it may go on */
    }
    if (atomic) {
        mask[0] = bytes_mask(pa % HB_LINE, MIN(t->arg[1], HB_LINE - pa % HB_LINE));
        mask[1] = 0;
    }
    agent = engine_step(hb, t, access, &step);
    pa &= ~(uint64_t)(HB_LINE - 1);
    if (!atomic && engine_again(hb, t, r, agent, &step, mask)) {
        return;
    }
    for (unsigned i = 0; i < BUS_LINES; i++) {
        step.e.mask = mask[i];
        access_line(hb, r, agent, pa + i * HB_LINE, &step);
    }
}

/* --- accesses of engines without a record
 * --------------------------------------------------------- */

bool hb_follows(const struct hb *hb, uint32_t region)
{
    const struct hb_region *r = hb_region_find(hb, region);

    return r && r->track;
}

static enum hb_access access_of(const struct trace_record *t)
{
    return t->event == TRACE_EVENT_GPU_STORE ? HB_WRITE : HB_READ;
}

bool hb_run(struct hb *hb, const struct trace_record *first, unsigned lines)
{
    struct hb_region *r = hb_region_find(hb, first->region);
    unsigned n = lines * BUS_LINES, agent, hits_n;
    uint32_t to[HB_PAGE_LINES], from = UINT32_MAX, *state;
    struct hb_hit hits[HB_HITS];
    struct hb_step step;

    if (!r || first->channel == 0) {
        return true;
    }
    if ((r->track && first->arg[4]) || first->arg[5] - r->pa >= r->len ||
        n > HB_PAGE_LINES - first->arg[5] % HB_PAGE / HB_LINE) {
        return false;
    }
    agent = engine_step(hb, first, access_of(first), &step);
    if (step.e.sync != HB_PLAIN) {
        return false;
    }
    hb_released(hb->clocks, agent);
    step.e.mask = UINT64_MAX;
    step.e.agent = (uint16_t)agent;
    step.e.clock = hb_agent_clock(hb->clocks, agent);
    state = line_state(r, first->arg[5]);
    for (unsigned i = 0; i < n; i++) { /* most lines of a page are in one state */
        if (state[i] == from) {
            to[i] = to[i - 1];
            continue;
        }
        from = state[i];
        to[i] = hb_cell_step(hb_cells_get(hb), from, &step, r->track, hits, &hits_n);
        if (hits_n) {
            return false;
        }
    }
    memcpy(state, to, n * sizeof(*to));
    if (hb_cells_crowded(hb->cells)) {
        cells_tidy(hb);
    }
    return true;
}

void hb_again_bytes(struct hb *hb, const struct trace_record *t, uint64_t bytes[2])
{
    struct hb_region *r = hb_region_find(hb, t->region);
    uint64_t pa = t->arg[5];
    struct hb_step step;
    unsigned agent;

    bytes[0] = bytes[1] = r && t->channel ? 0 : UINT64_MAX;
    if (!r || !t->channel || pa - r->pa >= r->len) {
        return;
    }
    agent = engine_step(hb, t, access_of(t), &step);
    step.e.agent = (uint16_t)agent;
    step.e.clock = hb_agent_clock(hb->clocks, agent);
    for (unsigned i = 0; i < BUS_LINES; i++) {
        bytes[i] = hb_cell_again_bytes(hb_cells_get(hb), line_state(r, pa)[i], &step, r->track);
    }
}

void hb_claim_access(struct hb *hb, struct hb_claim claim, unsigned agent)
{
    struct hb_region *r = hb_region_find(hb, claim.region);
    struct hb_step step = { .kind = HB_STEP_ACCESS,
                            .place = HB_MEMORY,
                            .e = { .mask = UINT64_MAX,
                                   .access = claim.allocates ? HB_ALLOC : HB_FREE } };
    struct hb_hit hits[HB_HITS];
    unsigned n;

    if (!r) {
        return;
    }
    step.e.site = site_of_label(hb, hb_agent(hb->clocks, agent));
    for (uint64_t page = 0; r->pages && page < r->len / HB_PAGE; page++) {
        for (unsigned i = 0; r->pages[page] && i < HB_PAGE_LINES; i++) {
            access_line(hb, r, agent, r->pa + page * HB_PAGE + i * HB_LINE, &step);
        }
    }
    step.e.agent = (uint16_t)agent;
    step.e.clock = hb_agent_clock(hb->clocks, agent);
    r->untouched = hb_cell_step(hb_cells_get(hb), 0, &step, r->track, hits, &n);
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
        engine_access(hb, t, HB_READ);
        break;
    case TRACE_EVENT_GPU_STORE:
    case TRACE_EVENT_DLA_STORE:
        engine_access(hb, t, HB_WRITE);
        break;
    case TRACE_EVENT_GPU_ATOMIC:
        engine_access(hb, t, HB_UPDATE);
        break;
    case TRACE_EVENT_GPU_AT:
        engine_at(hb, t);
        break;
    default:
        break;
    }
}
