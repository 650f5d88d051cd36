/* SPDX-License-Identifier: MIT */
/* The cycles of a grid. An SM hides the latency of one warp behind the others, so a grid takes the
 * longer of
 *
 *   its path        what the slowest warp of each wave of resident blocks needs alone, at an
 *                   instruction a cycle; warps that meet at a barrier go on when the last has come
 *   its throughput  all instructions, at one a cycle and warp scheduler; those of double precision,
 *                   special functions, memory and tensor cores at what the SMs' units of each kind
 *                   take; all as long as the SM with the most blocks
 *
 * Blocks run one after the other here, and side by side on a board: that is why a wave counts its
 * slowest block and not their sum. Both are inferred: an instruction takes a cycle, and its unit
 * for longer where it has fewer lanes than a warp. %clock is the path: a kernel that waits until
 * %clock64 has moved by c takes c cycles. That warps share a scheduler it does not show.
 */
#include <glib.h>

#include "model/igpu/sm.h"

/* A warp that reads the clock at one instruction again, after so few others: it waits for time to
 * pass. */
#define POLL_INSTS 64u
#define POLL_CYCLES_MAX 1024u

/* In CLOCK_PARTS of a cycle: how long a warp instruction has the @lanes of an SM. */
static uint32_t clock_unit_parts(uint32_t lanes)
{
    return lanes ? CLOCK_PARTS * WARP_LANES / lanes : 0;
}

static uint32_t clock_tensor_parts(uint32_t fmas)
{
    return fmas ? CLOCK_PARTS * PTX_ISSUE_FMAS / fmas : 0;
}

void clock_grid_start(struct grid *g)
{
    uint32_t fp64 = clock_unit_parts(g->desc.units.fp64), sfu = clock_unit_parts(g->desc.units.sfu);

    g->issue_cycles[PTX_ISSUE_FP64] = fp64 - MIN(fp64, CLOCK_PARTS);
    g->issue_cycles[PTX_ISSUE_SFU] = sfu - MIN(sfu, CLOCK_PARTS);
    g->issue_cycles[PTX_ISSUE_TENSOR] = clock_tensor_parts(g->desc.units.tensor);
}

/* What the units of one SM need, if the blocks are spread evenly. */
static uint64_t clock_units(const struct grid *g)
{
    const struct grid_units *units = &g->desc.units;
    const struct grid_stats *s = &g->stats;
    uint64_t parts = s->issue[PTX_ISSUE_FP64] * clock_unit_parts(units->fp64);

    parts = MAX(parts, s->issue[PTX_ISSUE_SFU] * clock_unit_parts(units->sfu));
    parts = MAX(parts, s->issue[PTX_ISSUE_TENSOR] * clock_tensor_parts(units->tensor));
    parts = MAX(parts, (s->mem_insts + s->shared_insts + s->shared_passes) *
                           clock_unit_parts(units->ldst));
    return parts / CLOCK_PARTS / MAX(g->desc.sm_count, 1u);
}

/* Blocks are dealt out to the SMs in turn: with 17 of them on 16 SMs one SM has two, and all wait
 * for it. An SM starts one after the other, however little they do. */
static uint64_t clock_throughput(const struct grid *g)
{
    uint64_t even = MAX(g->stats.warp_insts / MAX(g->desc.schedulers, 1u), clock_units(g));
    uint64_t sms = MAX(g->desc.sm_count, 1u), most = (g->n_blocks + sms - 1) / sms;
    double uneven = (double)(most * sms) / (double)g->n_blocks;
    uint64_t starts = g->next_block * g->desc.units.block / sms;

    return (uint64_t)((double)MAX(even, starts) * uneven);
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

static uint64_t barrier_path(const struct block *b, uint32_t id)
{
    uint64_t path = 0;

    for (uint32_t i = 0; i < b->n_warps; i++) {
        path = b->arrived[id * b->n_warps + i] ? MAX(path, b->warp[i].path) : path;
    }
    return path;
}

static void barrier_path_set(struct block *b, uint32_t id, uint64_t path)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        if (b->arrived[id * b->n_warps + i]) {
            b->warp[i].path = path;
        }
    }
}

/* Those that waited at barrier @id go on with the last of them. @blocks: one, or a cluster, which
 * began together; NULL: has ended */
void clock_barrier(struct block *const *blocks, uint32_t n, uint32_t id)
{
    uint64_t path = 0;

    for (uint32_t i = 0; i < n; i++) {
        path = blocks[i] ? MAX(path, barrier_path(blocks[i], id)) : path;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (blocks[i]) {
            barrier_path_set(blocks[i], id, path);
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
