/* SPDX-License-Identifier: MIT */
/* Programs and grids: blocks come in, take turns, and go. */
#include "model/igpu/native.h"
#include "model/igpu/race/block_order.h"
#include "model/igpu/race/budget.h"
#include "model/igpu/race/race.h"
#include "model/igpu/race/shadow.h"
#include <fenv.h>
#include <glib.h>
#include <string.h>

/* Warp instructions of one turn. Long, because a switch costs the host's caches. */
#define TURN_INSTS 4096
/* A warp that only read memory for so long counts as spinning even if its registers change (a loop
 * that counts its own tries). A turn more confirms it each time. One that reads none outside its
 * block waits for no other agent but one of its block: it computes, which takes as long as it
 * takes, and counts as spinning only after minutes of the host. */
#define QUIET_INSTS_MAX (1ull << 26)
#define BLIND_INSTS_MAX (1ull << 32)

struct grid_program *grid_program_new(struct ptx_module *m, struct ptx_error *error)
{
    struct ptx_program *decoded = ptx_decode(m, error);
    struct grid_program *p;

    if (!decoded) {
        ptx_module_free(m);
        return NULL;
    }
    p = g_new0(struct grid_program, 1);
    p->refs = 1;
    p->module = m;
    p->program = decoded;
    return p;
}

struct grid_program *grid_program_ref(struct grid_program *p)
{
    p->refs++;
    return p;
}

void grid_program_unref(struct grid_program *p)
{
    if (p && --p->refs == 0) {
        native_set_free(&p->native, p->program->n_code);
        shadow_pool_free(p->shadow_pages);
        g_free(p->shares);
        ptx_program_free(p->program);
        ptx_module_free(p->module);
        g_free(p);
    }
}

struct grid *grid_new(struct grid_program *program, struct bus_port *port,
                      const struct grid_desc *desc)
{
    struct grid *g = g_new0(struct grid, 1);
    const struct ptx_func *f = program->module->funcs[desc->entry];
    const uint32_t n_refs = program->module->n_refs;
    uint64_t refs_end = ptx_refs_offset(f) + n_refs * sizeof(uint64_t);
    uint64_t param_bytes = n_refs ? f->param_bytes : MAX(f->param_bytes, desc->param_bytes);

    sm_select();
    g->program = grid_program_ref(program);
    g->port = port;
    g->desc = *desc;
    g->entry = &program->program->code[desc->entry];
    g->param = g_malloc0(MAX(MAX(param_bytes, desc->param_bytes), refs_end) + 16);
    if (desc->param_bytes) {
        memcpy(g->param, desc->param, desc->param_bytes);
    }
    g->desc.param = g->param;
    g->desc.param_bytes = (uint32_t)param_bytes;
    g->dynamic_shared_offset = (uint32_t)((f->shared_bytes + 15) / 16 * 16);
    g->shared_bytes = g->dynamic_shared_offset + desc->dynamic_shared;
    g->block_threads = desc->block[0] * desc->block[1] * desc->block[2];
    g->n_blocks = (uint64_t)desc->grid[0] * desc->grid[1] * desc->grid[2];
    g->cluster_blocks = cluster_blocks(desc);
    g->frame_pool = g_new0(struct frame *, program->program->n_code);
    g->state = GRID_MORE;
    clock_grid_start(g);
    g->desc.budget = desc->races ? desc->budget : NULL;
    g->race = g->desc.budget ? NULL : race_new(g);
    if (port->ops->l1_empty) {
        port->ops->l1_empty(port, BUS_ALL_SMS);
    }
    return g;
}

/* Blocks */

static struct block *block_make(struct grid *g)
{
    struct block *b = g_new0(struct block, 1);

    b->n_warps = (g->block_threads + WARP_LANES - 1) / WARP_LANES;
    b->warp = g_new0(struct warp, b->n_warps);
    b->arrived = g_new0(uint32_t, (size_t)BARRIERS * b->n_warps);
    b->shared = g_malloc0((size_t)g->shared_bytes + BUS_LINE); /* vector code looks beyond */
    for (uint32_t i = 0; i < b->n_warps; i++) {
        b->warp[i].grid = g;
        b->warp[i].block = b;
        b->warp[i].shared = b->shared;
        b->warp[i].id = i;
    }
    return b;
}

static void block_free(struct block *b)
{
    race_block_free(b);
    for (uint32_t i = 0; i < b->n_warps; i++) {
        g_free(b->warp[i].local);
    }
    g_free(b->warp);
    g_free(b->arrived);
    g_free(b->shared);
    g_free(b);
}

/* It becomes resident, at the end of the round. @c: NULL: of no cluster */
static void block_start(struct grid *g, uint64_t linear, struct cluster *c, uint32_t rank)
{
    struct block *b = g->spare ? g->spare : block_make(g), **end = &g->resident;
    const uint32_t *n = g->desc.grid;

    g->spare = b == g->spare ? b->next : g->spare;
    b->linear = linear;
    g->next_block++;
    b->ctaid[0] = (uint32_t)(b->linear % n[0]);
    b->ctaid[1] = (uint32_t)(b->linear / n[0] % n[1]);
    b->ctaid[2] = (uint32_t)(b->linear / n[0] / n[1]);
    cluster_join(b, c, rank);
    block_turns(b, g->desc.order);
    b->ran = false;
    b->open = 0;
    memset(b->barrier, 0, sizeof(b->barrier));
    memset(b->arrived, 0, sizeof(uint32_t) * BARRIERS * b->n_warps);
    memset(b->shared, 0, g->shared_bytes);
    for (uint32_t i = 0; i < b->n_warps; i++) {
        uint32_t threads = g->block_threads - i * WARP_LANES;

        warp_start(&b->warp[i], threads >= WARP_LANES ? LANES_ALL : (1u << threads) - 1);
    }
    clock_block_start(b, g);
    if (g->race) {
        race_block_start(b);
    }
    b->next = NULL;
    while (*end) {
        end = &(*end)->next;
    }
    *end = b;
    g->n_resident++;
}

/* The next block, or all of the next cluster, whose blocks "are guaranteed to be co-scheduled"
 * (Programming Guide, thread block clusters) */
static void blocks_start(struct grid *g)
{
    const uint32_t n = g->cluster_blocks;
    uint64_t next = g->next_block / n;
    struct cluster *c;

    next = g->desc.order ? block_order(g->desc.order, g->n_blocks / n, next) : next;
    if (n == 1) {
        block_start(g, next, NULL, 0);
        return;
    }
    c = cluster_new(g, next);
    for (uint32_t rank = 0; rank < n; rank++) {
        block_start(g, cluster_linear(g, c, rank), c, rank);
    }
}

static bool block_done(const struct block *b)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        if (b->warp[i].live) {
            return false;
        }
    }
    return true;
}

static struct block *block_after(const struct grid *g, const struct block *b)
{
    return b->next ? b->next : g->resident;
}

static void block_retire(struct grid *g, struct block *b)
{
    struct block **p = &g->resident;

    clock_block_end(g, b);
    g->part.blocks += g->race != NULL;
    if (b->cluster && g->race) {
        race_block_end(b);
    }
    cluster_leave(b);
    g->current = b->next;
    while (*p != b) {
        p = &(*p)->next;
    }
    *p = b->next;
    b->next = g->spare;
    g->spare = b;
    g->n_resident--;
    g->n_stuck = 0;
    g->current = g->current ? g->current : g->resident;
}

static bool block_may_start(const struct grid *g)
{
    const uint32_t n = g->cluster_blocks;

    return g->next_block < g->n_blocks && g->n_resident + n <= MAX(g->desc.resident_blocks, n);
}

/* Spinning */

static uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
    const uint64_t *p = data;

    for (size_t i = 0; i < len / 8; i++) {
        h = (h ^ p[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

static uint64_t warp_hash(const struct warp *w)
{
    uint64_t h = w->n_fragments;

    for (uint32_t i = 0; i < w->n_fragments; i++) {
        const struct fragment *x = &w->fragment[i];
        uint64_t key[2] = { (uint64_t)x->pc << 32 | x->mask, x->wait };

        h = hash_bytes(h, key, sizeof(key));
        for (const struct frame *f = x->frame; f; f = f->up) {
            h = hash_bytes(h, f->rf, f->code->register_bytes);
        }
    }
    return h;
}

/* What counts before and after a turn: effects of the warp, instructions, accesses to memory
 * outside the block, the last reading of the clock, waits for an mbarrier in vain */
struct turn {
    uint64_t effects, insts, memory, clock, in_vain;
};

static struct turn turn_now(const struct warp *w)
{
    const struct grid_stats *s = &w->grid->stats;

    return (struct turn){ w->effects, s->warp_insts, s->mem_insts + s->mem_lines + s->atomics,
                          w->poll.path, w->grid->vain_waits };
}

/* After a turn. Equal registers and places at the end of two turns, and no change of
 * memory between them: from here on the warp can only repeat itself. Brent's cycle search. */
static void warp_judge(struct warp *w, const struct turn *before)
{
    struct spin *s = &w->spin;
    struct turn now = turn_now(w);
    uint64_t h;

    s->proven = s->repeats = false;
    if (now.effects != before->effects) {
        memset(s, 0, sizeof(*s));
        return;
    }
    s->quiet_insts += now.insts - before->insts;
    s->memory = s->memory || now.memory != before->memory;
    s->looked = s->looked || s->memory || w->block->cluster;
    s->clock = s->clock || now.clock != before->clock;
    s->in_vain += now.in_vain - before->in_vain;
    h = warp_hash(w);
    if (s->turns && s->effects == w->grid->effects && s->hash == h) {
        s->proven = s->repeats = true;
        return;
    }
    if (s->effects != w->grid->effects || s->turns >= s->compare_at) {
        s->compare_at = s->effects == w->grid->effects && s->compare_at ? s->compare_at * 2 : 1;
        s->turns = 0;
        s->hash = h;
        s->effects = w->grid->effects;
        s->memory = s->clock = false;
        s->in_vain = 0;
    }
    s->turns++;
    s->proven = s->quiet_insts > (s->looked ? QUIET_INSTS_MAX : BLIND_INSTS_MAX) ||
                s->in_vain >= VAIN_WAITS_MAX;
}

/* Running */

static void grid_timeout(struct grid *g, struct warp *w)
{
    if (g->desc.step_limit && g->stats.warp_insts > g->desc.step_limit && w->frame &&
        w->event != EVENT_FAULT) {
        const struct fragment *x = w->n_fragments ? &w->fragment[0] : NULL;

        if (x) {
            w->frame = x->frame;
            w->code = x->frame->code->uop;
        }
        sm_fault(w, x ? &x->frame->code->uop[x->pc] : NULL, GRID_FAULT_TIMEOUT,
                 x ? lane_first(x->mask) : 0, 0, 0, false, "step limit of the launch");
    }
}

static void grid_turn(struct grid *g, struct warp *w)
{
    struct turn before = turn_now(w);

    g->port->sm = block_sm(w->block);
    warp_turn(w, TURN_INSTS);
    if (w->live) {
        warp_judge(w, &before);
    }
    if (g->race && g->desc.budget) {
        race_window_turn(g);
    }
    grid_timeout(g, w);
}

static enum grid_state grid_stuck(struct grid *g, struct block *b)
{
    if (deadlock_fault(b)) {
        return GRID_FAULT;
    }
    g->n_stuck++;
    if (g->n_stuck < g->n_resident) {
        g->current = block_after(g, b);
        return GRID_MORE;
    }
    if (block_may_start(g)) {
        struct block *last = b;

        while (last->next) {
            last = last->next;
        }
        blocks_start(g);
        g->current = last->next; /* the new one */
        g->n_stuck = 0;
        return GRID_MORE;
    }
    return GRID_SPINNING;
}

/* One warp's turn, or the end of a block's round. */
static enum grid_state grid_step(struct grid *g)
{
    struct block *b = g->current;

    if (b->cursor < b->n_warps) {
        struct warp *w = block_warp(b, b->cursor++);

        if (warp_runnable(w) && !warp_spins(w)) {
            b->ran = true;
            grid_turn(g, w);
        }
        return g->fault.kind ? GRID_FAULT : GRID_MORE;
    }
    b->cursor = 0;
    if (block_done(b)) {
        block_retire(g, b);
        return GRID_MORE;
    }
    if (b->ran) {
        b->ran = false;
        g->n_stuck = 0;
        return GRID_MORE;
    }
    return grid_stuck(g, b);
}

static void grid_fill(struct grid *g)
{
    if (g->desc.budget && !g->race && !g->resident && g->next_block < g->n_blocks) {
        race_window_open(g);
    }
    if (g->desc.cooperative && g->next_block == 0) {
        while (block_may_start(g)) {
            blocks_start(g);
        }
    } else if (!g->resident && g->next_block < g->n_blocks) {
        uint32_t n = g->desc.order ? blocks_at_once(g->desc.order, g->next_block) : 1;

        blocks_start(g);
        while (--n && block_may_start(g)) {
            blocks_start(g);
        }
    }
    g->current = g->current ? g->current : g->resident;
}

enum grid_state grid_run(struct grid *g, uint64_t quantum)
{
    uint64_t end = g->stats.warp_insts + quantum;

    g->rounds_to_nearest = fegetround() == FE_TONEAREST;
    if (g->state == GRID_DONE || g->state == GRID_FAULT) {
        return g->state;
    }
    if (g->state == GRID_SPINNING) { /* others have acted: what spun may look again */
        g->effects++;
        g->n_stuck = 0;
    }
    g->yield = false;
    do {
        grid_fill(g);
        g->state = g->fault.kind ? GRID_FAULT : g->current ? grid_step(g) : GRID_DONE;
    } while (g->state == GRID_MORE && g->stats.warp_insts < end && !g->yield);
    g->program->native.insts += g->stats.warp_insts + quantum - end;
    if (g->desc.budget && (g->state == GRID_DONE || g->state == GRID_FAULT)) {
        race_window_end(g);
    }
    return g->state;
}

uint64_t grid_blocks_done(const struct grid *g, uint64_t *all)
{
    *all = g->n_blocks;
    return g->next_block - g->n_resident;
}

void grid_halt(struct grid *g)
{
    g->desc.step_limit = 1; /* is reached by then */
}

const struct grid_fault *grid_fault(const struct grid *g)
{
    return &g->fault;
}

bool grid_barrier_split(const struct grid *g, uint64_t place[2])
{
    if (g->split[0]) {
        place[0] = g->split[0] - 1;
        place[1] = g->split[1];
    }
    return g->split[0];
}

const struct grid_stats *grid_stats(const struct grid *g)
{
    return &g->stats;
}

/* Frames of warps that did not end go back to their pool first. */
static void block_abandon(struct block *b)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        struct warp *w = &b->warp[i];

        while (w->n_fragments) {
            struct fragment *x = &w->fragment[--w->n_fragments];
            struct frame *f = x->frame;

            while (f) {
                struct frame *up = f->up;

                frame_leave(w, f, x->mask);
                f = up;
            }
        }
        if (w->event == EVENT_FAULT) { /* the fragment that was running */
            for (struct frame *f = w->frame, *up; f; f = up) {
                up = f->up;
                if (f->lanes) {
                    frame_leave(w, f, LANES_ALL);
                }
            }
        }
    }
}

bool grid_tex_stale(const struct grid *g, uint64_t *place, uint64_t *va)
{
    *place = g->stale_place;
    *va = g->stale_va;
    return g->stale;
}

void grid_free(struct grid *g)
{
    if (!g) {
        return;
    }
    while (g->resident) {
        struct block *b = g->resident;

        g->resident = b->next;
        cluster_leave(b);
        block_abandon(b);
        block_free(b);
    }
    while (g->spare) {
        struct block *b = g->spare;

        g->spare = b->next;
        block_free(b);
    }
    if (g->tex) {
        g->desc.tex->close(g->tex);
    }
    if (g->library) {
        g->desc.library->close(g->library);
    }
    if (g->port->ops->l1_empty) { /* what it holds is of no use, and stores would have to copy it */
        g->port->ops->l1_empty(g->port, BUS_ALL_SMS);
    }
    race_free(g->race ? g->race : g->paused);
    frame_pool_free(g);
    grid_program_unref(g->program);
    g_free(g->frame_pool);
    g_free(g->thread_id);
    g_free(g->param);
    g_free(g);
}
