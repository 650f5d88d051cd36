/* SPDX-License-Identifier: MIT */
/* The cycles of a grid. An SM hides the latency of one warp behind the others, so a grid takes the
 * longer of
 *
 *   its path        what the slowest warp of each wave of resident blocks needs alone, at an
 *                   instruction a cycle; warps that meet at a barrier go on when the last has come
 *   its throughput  all instructions, at one a cycle and warp scheduler
 *
 * Blocks run one after the other here, and side by side on a board: that is why a wave counts its
 * slowest block and not their sum. Both are inferred: an instruction takes a cycle, whatever it is.
 * %clock is the path: a kernel that waits until %clock64 has moved by c takes c cycles. That warps
 * share a scheduler it does not show.
 */
#include <glib.h>

#include "model/igpu/sm.h"

/* A warp that reads the clock at one instruction again, after so few others: it waits for time to
 * pass. */
#define POLL_INSTS 64u
#define POLL_CYCLES_MAX 1024u

static uint64_t clock_throughput(const struct grid *g)
{
    return g->stats.warp_insts / MAX(g->desc.schedulers, 1u);
}

static uint64_t block_path(const struct block *b)
{
    uint64_t path = 0;

    for (uint32_t i = 0; i < b->n_warps; i++) {
        path = MAX(path, b->warp[i].path);
    }
    return path;
}

void clock_block_start(struct block *b, const struct grid *g)
{
    b->wave_from = g->wave_from;
    for (uint32_t i = 0; i < b->n_warps; i++) {
        b->warp[i].path = 0;
        b->warp[i].poll = (struct poll){ 0 };
    }
}

/* The wave is over when as many blocks have ended as the SoC holds at once. */
void clock_block_end(struct grid *g, const struct block *b)
{
    g->wave_path = MAX(g->wave_path, b->wave_from - g->wave_from + block_path(b));
    if (++g->wave_blocks >= MAX(g->desc.resident_blocks, 1u)) {
        g->wave_from += g->wave_path;
        g->wave_path = 0;
        g->wave_blocks = 0;
    }
}

/* Those that waited at barrier @id go on with the last of them. */
void clock_barrier(struct block *b, uint32_t id)
{
    uint64_t path = 0;

    for (uint32_t i = 0; i < b->n_warps; i++) {
        path = b->arrived[id * b->n_warps + i] ? MAX(path, b->warp[i].path) : path;
    }
    for (uint32_t i = 0; i < b->n_warps; i++) {
        if (b->arrived[id * b->n_warps + i]) {
            b->warp[i].path = path;
        }
    }
}

uint64_t clock_warp(const struct warp *w)
{
    return w->block->wave_from + w->path;
}

/* The clock is read at @u. Who polls it finds that more time has passed each time: a loop that
 * waits for a millisecond then costs thousands of instructions, not millions. */
void clock_read(struct warp *w, const struct ptx_uop *u)
{
    struct poll *p = &w->poll;

    p->cycles = p->at == u && w->path - p->path <= POLL_INSTS
                    ? MIN(MAX(p->cycles * 2, 1u), POLL_CYCLES_MAX)
                    : 0;
    w->path += p->cycles;
    p->at = u;
    p->path = w->path;
}

uint64_t grid_cycles(const struct grid *g)
{
    uint64_t path = g->wave_from + g->wave_path;

    for (const struct block *b = g->resident; b; b = b->next) {
        path = MAX(path, b->wave_from + block_path(b));
    }
    return MAX(path, clock_throughput(g));
}
