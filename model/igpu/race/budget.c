/* SPDX-License-Identifier: MIT */
/* Which launches, and which blocks of them, are checked where checks may cost only so much; see
 * budget.h.
 *
 * A window is a part of a grid that is checked: from a block that starts while none is resident up
 * to the end of the grid, or to where its limit is reached. What happens before a window is not
 * known in it, so that blocks of two windows are not compared.
 */
#include "model/igpu/race/budget.h"

#include "model/igpu/race/race_priv.h"

/* Units of about 1 ns of the host. What work costs is rounded down, what checks cost is rounded up:
 * both depend on the kernel and on the host's caches. */
#define COST_INST 6u
#define COST_LINE 30u /* of memory outside the block; an atomic operation costs no less */
#define COMPILED 8u   /* compiled code is so many times faster */

/* Of all that is executed checks may take a fifth, and at the beginning START. Kernels that have
 * been checked before leave what is above RESERVE to others, but for the first half of START. */
#define SHARE 5u
#define START INT64_C(400000000)
#define RESERVE (START / 4)
/* A window is begun for that much, or for the whole launch if that costs less. */
#define WINDOW (START / 16)

static uint64_t grid_work(const struct grid *g)
{
    const struct grid_stats *s = &g->stats;

    return s->warp_insts * COST_INST + (s->mem_lines + s->atomics) * COST_LINE;
}

static struct race_share *share_of(const struct grid *g)
{
    struct grid_program *p = g->program;

    if (!p->shares) {
        p->shares = g_new0(struct race_share, p->program->n_code);
    }
    return &p->shares[g->desc.entry];
}

/* What was executed and checked since the last call. A checked kernel is not compiled: what this
 * loses is a cost, too. */
static void share_settle(struct grid *g)
{
    struct race_part *part = &g->part;
    struct race_share *share = share_of(g);
    bool compiled = g->program->native.asked;
    uint64_t work = grid_work(g) - part->work;
    uint64_t cost = g->race ? race_cost(g->race) - part->cost : 0;

    part->work += work;
    part->cost += cost;
    cost += compiled && g->race ? work : 0;
    work /= compiled ? COMPILED : 1;
    g->desc.budget->work += work;
    share->work += work;
    g->desc.budget->spent += cost;
    share->spent += cost;
    part->spent += cost;
}

/* Return: what a window that begins now may cost; 0: none may */
static int64_t window_limit(const struct grid *g)
{
    const struct grid_budget *all = g->desc.budget;
    const struct race_share *share = share_of(g);
    int64_t left = START + (int64_t)(all->work / SHARE) - (int64_t)all->spent;
    int64_t own = (int64_t)(share->work / SHARE) - (int64_t)share->spent;
    int64_t first = START / 2 - (int64_t)all->spent;

    if (!share->spent) {
        return MAX(left / 2, 0);
    }
    own = MAX(first, MIN(own, left - RESERVE));
    return own > 0 && own >= (int64_t)share->need ? own : 0;
}

void race_window_open(struct grid *g)
{
    struct race_part *part = &g->part;
    int64_t limit;

    share_settle(g);
    limit = window_limit(g);
    if (limit == 0 || part->never) {
        part->left_out = true;
        return;
    }
    g->race = g->paused ? g->paused : race_new(g);
    if (g->paused) {
        race_begin(g->race);
        g->paused = NULL;
    }
    part->limit = (uint64_t)limit;
    part->spent = 0;
    part->cost = race_cost(g->race);
    part->window = part->blocks;
}

/* Of the next window: what the whole launch would have cost, or more than was too little for one
 * block */
static uint64_t need_of(const struct grid *g)
{
    uint64_t blocks = g->part.blocks - g->part.window;

    return blocks == 0 ? MAX(2 * g->part.spent, WINDOW)
                       : MIN(WINDOW, g->part.spent / blocks * g->n_blocks);
}

/* What is known of the grid goes, except for the races. */
static void window_close(struct grid *g)
{
    share_of(g)->need = need_of(g);
    g->part.left_out = true;
    g->part.never = race_never(g->race);
    race_end(g->race);
    g->paused = g->race;
    g->race = NULL;
}

void race_window_turn(struct grid *g)
{
    share_settle(g);
    if (g->part.spent >= g->part.limit || race_is_stopped(g->race)) {
        window_close(g);
    }
}

void race_window_end(struct grid *g)
{
    share_settle(g);
    if (g->race && !g->part.left_out) {
        share_of(g)->need = MIN(g->part.spent, WINDOW);
    }
}

bool grid_races_part(const struct grid *g, uint64_t *blocks, bool *some)
{
    *blocks = g->part.blocks;
    *some = g->race || g->paused;
    return g->part.left_out;
}
