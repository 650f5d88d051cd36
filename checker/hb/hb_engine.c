/* SPDX-License-Identifier: MIT */
/* Accesses of engines: of a channel's work, at a place in its kernel. Most are like one before. */
#include <string.h>

#include "checker/hb/hb_internal.h"

#define BUS_LINES 2u /* lines of HB_LINE in one that an engine accesses */

/* --- who, where ------------------------------------------------------------------------------- */

static uint64_t site_of_label(struct hb *hb, const struct hb_agent *a)
{
    return a->label ? a->label : hb_label_get(hb, "work of unknown origin", NULL, NULL, a->number);
}

static uint64_t site_of(struct hb *hb, const struct trace_record *t, struct hb_agent *a)
{
    if (t->process) {
        return hb_label_foreign(hb, a);
    }
    if (agent_is_gpu(t->agent) && a->site) {
        if (!a->place_site) {
            a->place_site = a->place ? hb_label_at(hb, a->site, a->place) : a->site;
        }
        return a->place_site;
    }
    if (agent_is_front_end(t->agent)) {
        return hb_label_get(hb, "a memory operation of the stream", NULL, NULL, a->number);
    }
    return site_of_label(hb, a);
}

/* Atomics and flags of block scope order nothing outside their grid. The front end's semaphores are
 * there to be seen by all. */
static enum hb_sync sync_of(const struct trace_record *t)
{
    if (agent_is_front_end(t->agent) || t->arg[3] == BUS_SCOPE_SYS) {
        return HB_SYNC_SYS;
    }
    return t->arg[3] == BUS_SCOPE_GPU ? HB_SYNC_GPU : HB_PLAIN;
}

void hb_engine_at(struct hb *hb, const struct trace_record *t)
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
        if (!hb->move) {
            hb->move = g_new0(struct hb_move, HB_MOVES);
        }
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
    state = hb_line_state(r, pa);
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

void hb_engine_access(struct hb *hb, const struct trace_record *t, enum hb_access access)
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
        mask[0] = hb_bytes_mask(pa % HB_LINE, MIN(t->arg[1], HB_LINE - pa % HB_LINE));
        mask[1] = 0;
    }
    agent = engine_step(hb, t, access, &step);
    pa &= ~(uint64_t)(HB_LINE - 1);
    if (!atomic && engine_again(hb, t, r, agent, &step, mask)) {
        return;
    }
    for (unsigned i = 0; i < BUS_LINES; i++) {
        step.e.mask = mask[i];
        hb_access_line(hb, r, agent, pa + i * HB_LINE, &step);
    }
}

/* --- accesses without a record ---------------------------------------------------------------- */

bool hb_follows(const struct hb *hb, uint32_t region)
{
    const struct hb_region *r = hb_region_find(hb, region);

    return r && r->track;
}

static enum hb_access access_of(const struct trace_record *t)
{
    return t->event == TRACE_EVENT_GPU_STORE || t->event == TRACE_EVENT_DLA_STORE ? HB_WRITE
                                                                                  : HB_READ;
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
    state = hb_line_state(r, first->arg[5]);
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
        hb_cells_tidy(hb);
    }
    return true;
}

/* After an atomic that ordered nothing new. Its own bytes alone: others of the line may order. */
static void atomic_again(struct hb *hb, const struct trace_record *t, struct hb_region *r,
                         uint64_t bytes[2])
{
    uint64_t pa = t->arg[5], line = pa & ~(uint64_t)(HB_LINE - 1), own;
    struct hb_step step;
    unsigned agent = engine_step(hb, t, HB_UPDATE, &step);

    own = hb_bytes_mask(pa % HB_LINE, MIN(t->arg[1], HB_LINE - pa % HB_LINE));
    step.e.agent = (uint16_t)agent;
    step.e.clock = hb_agent_clock(hb->clocks, agent);
    step.e.mask = own;
    if (!hb->ordered) {
        bytes[pa / HB_LINE % BUS_LINES] =
            own & hb_cell_again_bytes(hb_cells_get(hb), *hb_line_state(r, line), &step, r->track);
    }
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
    if (t->event == TRACE_EVENT_GPU_ATOMIC) {
        atomic_again(hb, t, r, bytes);
        return;
    }
    agent = engine_step(hb, t, access_of(t), &step);
    step.e.agent = (uint16_t)agent;
    step.e.clock = hb_agent_clock(hb->clocks, agent);
    for (unsigned i = 0; i < BUS_LINES; i++) {
        bytes[i] = hb_cell_again_bytes(hb_cells_get(hb), hb_line_state(r, pa)[i], &step, r->track);
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
            hb_access_line(hb, r, agent, r->pa + page * HB_PAGE + i * HB_LINE, &step);
        }
    }
    step.e.agent = (uint16_t)agent;
    step.e.clock = hb_agent_clock(hb->clocks, agent);
    r->untouched = hb_cell_step(hb_cells_get(hb), 0, &step, r->track, hits, &n);
}
