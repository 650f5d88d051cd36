/* SPDX-License-Identifier: MIT */
/* Branches, calls, returns, barriers: PTX ISA 9.7.12, 9.7.13. */
#include "model/igpu/race/race.h"
#include "model/igpu/sm_lanes.h"

/* The fragment comes apart: @taken goes to @target, the rest falls through. */
static const struct ptx_uop *exec_diverge(struct warp *w, const struct ptx_uop *u, u32 taken,
                                          u32 target)
{
    warp_count(w, u->inst + 1);
    w->grid->stats.divergences++;
    w->quota -= target <= (u32)(u - w->code);
    fragment_add(w, w->frame, target, taken);
    fragment_add(w, w->frame, (u32)(u - w->code) + 1, w->active & ~taken);
    return warp_leave(w, u + 1, EVENT_PICK);
}

HANDLER(BRA)
{
    return m == w->active ? warp_jump(w, u, u->target) : exec_diverge(w, u, m, u->target);
}

/* brx.idx: lanes with equal targets stay together; an index beyond the table is undefined in PTX
 * and a fault here. */
HANDLER(BRX)
{
    const struct ptx_jump_table *t = &w->frame->code->tables[u->imm];
    u32 rest = m;

    LANES_OF(m)
    {
        if (SLOT(u32, u->d)[l] >= t->count) {
            return sm_fault(w, u, GRID_FAULT_INSTRUCTION, l, 0, 0, false,
                            "brx.idx beyond its list of targets");
        }
    }
    warp_count(w, u->inst + 1);
    while (rest) {
        u32 index = SLOT(u32, u->d)[lane_first(rest)], same = 0;

        LANES_OF(rest)
        {
            same |= t->target[SLOT(u32, u->d)[l]] == t->target[index] ? 1u << l : 0;
        }
        fragment_add(w, w->frame, t->target[index], same);
        rest &= ~same;
    }
    if (w->active & ~m) {
        fragment_add(w, w->frame, (u32)(u - w->code) + 1, w->active & ~m);
    }
    w->quota--;
    return warp_leave(w, u + 1, EVENT_PICK);
}

/* Calls */

static void copy_places(struct warp *w, u32 m, u32 from_base, const struct ptx_place *from,
                        u32 to_base, const struct ptx_place *to, u32 n)
{
    LANES_OF(m)
    {
        uint8_t *p = warp_lane_local(w, l);

        for (u32 i = 0; i < n; i++) {
            u32 len = from[i].size < to[i].size ? from[i].size : to[i].size;

            memcpy(p + to_base + to[i].offset, p + from_base + from[i].offset, len);
        }
    }
}

static const struct ptx_uop *exec_call(struct warp *w, const struct ptx_uop *u, u32 m,
                                       const struct ptx_call_site *site,
                                       const struct ptx_code *callee)
{
    struct frame *f = frame_new(w, callee, w->frame, m);

    if (!f) {
        return sm_fault(w, u, GRID_FAULT_STACK, lane_first(m), 0, 0, false,
                        "calls are nested too deeply, or local memory is used up");
    }
    f->ret_pc = (u32)(u - w->code) + 1;
    f->site = site;
    copy_places(w, m, w->frame->local_base, site->args, f->local_base, callee->params,
                callee->n_params);
    warp_count(w, u->inst + 1);
    fragment_add(w, f, 0, m);
    if (w->active & ~m) {
        fragment_add(w, w->frame, (u32)(u - w->code) + 1, w->active & ~m);
    }
    return warp_leave(w, u + 1, EVENT_PICK);
}

HANDLER(CALL)
{
    const struct ptx_call_site *site = &w->frame->code->calls[u->imm];

    return exec_call(w, u, m, site, &w->grid->program->program->code[site->callee->index]);
}

/* Through a pointer: one target at a time, the rest come back to this instruction. */
HANDLER(CALL_INDIRECT)
{
    const struct ptx_call_site *site = &w->frame->code->calls[u->imm];
    u64 address = SLOT(u64, u->a)[lane_first(m)];
    const struct ptx_func *f = ptx_func_at(w->grid->program->module, address);
    const struct ptx_code *callee = f ? &w->grid->program->program->code[f->index] : NULL;
    u32 same = 0, rest;

    if (!callee || !callee->n_uops || f->is_entry) {
        return sm_fault(w, u, GRID_FAULT_INSTRUCTION, lane_first(m), address, 8, false,
                        "call through a pointer that is no function's address");
    }
    if (callee->n_params != site->n_args || callee->n_rets != site->n_rets) {
        return sm_fault(w, u, GRID_FAULT_INSTRUCTION, lane_first(m), address, 8, false,
                        "call through a pointer to a function of another type");
    }
    LANES_OF(m)
    {
        same |= SLOT(u64, u->a)[l] == address ? 1u << l : 0;
    }
    rest = m & ~same;
    if (rest) { /* these are still to call */
        fragment_add(w, w->frame, (u32)(u - w->code), rest);
        w->active &= ~rest;
    }
    return exec_call(w, u, same, site, callee);
}

/* Arguments of an intrinsic from the caller's local frame, one lane at a time */
static u64 place_get(const struct warp *w, u32 lane, struct ptx_place p)
{
    u64 v = 0;

    memcpy(&v, warp_lane_local(w, lane) + w->frame->local_base + p.offset, p.size < 8 ? p.size : 8);
    return v;
}

HANDLER(CALL_INTRINSIC)
{
    const struct ptx_call_site *site = &w->frame->code->calls[u->imm];

    LANES_OF(m)
    {
        u64 arg[8] = { 0 }, ret = 0;

        for (u32 i = 0; i < site->n_args && i < 8; i++) {
            arg[i] = place_get(w, l, site->args[i]);
        }
        if (!intrinsic_call(w, u, site->intrinsic, l, arg, &ret)) {
            return u; /* a fault: the loop is to stop */
        }
        if (site->n_rets) {
            memcpy(warp_lane_local(w, l) + w->frame->local_base + site->rets[0].offset, &ret,
                   site->rets[0].size < 8 ? site->rets[0].size : 8);
        }
    }
    return u + 1;
}

/* Lanes end: of a function they go back, of the entry they are gone. */
static void lanes_exit(struct warp *w, u32 m)
{
    struct frame *f = w->frame;

    while (f) {
        struct frame *up = f->up;

        frame_leave(w, f, m);
        f = up;
    }
    w->live &= ~m;
    w->effects++;
    w->grid->effects++;
    warp_wake(w);
    barrier_check(w->block);
}

static void lanes_return(struct warp *w, u32 m)
{
    struct frame *f = w->frame;

    copy_places(w, m, f->local_base, f->code->rets, f->up->local_base, f->site->rets,
                f->code->n_rets);
    fragment_add(w, f->up, f->ret_pc, m);
    frame_leave(w, f, m);
}

static const struct ptx_uop *exec_end(struct warp *w, const struct ptx_uop *u, u32 m, bool exit)
{
    u32 rest = w->active & ~m;

    warp_count(w, u->inst + (u->inst < w->frame->code->func->n_inst));
    if (rest) {
        fragment_add(w, w->frame, (u32)(u - w->code) + 1, rest);
    }
    if (exit || !w->frame->up) {
        lanes_exit(w, m);
    } else {
        lanes_return(w, m);
    }
    return warp_leave(w, u + 1, EVENT_PICK);
}

HANDLER(RET)
{
    return exec_end(w, u, m, false);
}

HANDLER(EXIT)
{
    return exec_end(w, u, m, true);
}

HANDLER(TRAP)
{
    return sm_fault(w, u, GRID_FAULT_TRAP, lane_first(m), 0, 0, false, "trap instruction");
}

/* A breakpoint without a debugger, 9.7.19.1 */
HANDLER(BRKPT)
{
    return sm_fault(w, u, GRID_FAULT_TRAP, lane_first(m), 0, 0, false,
                    "brkpt instruction without a debugger");
}

/* Reached through a pointer alone: a launch that names such a function is refused. */
HANDLER(LACKING)
{
    return sm_fault(w, u, GRID_FAULT_INSTRUCTION, lane_first(m), 0, 0, false,
                    "an instruction that vtegra does not have");
}

HANDLER(NOP)
{
    return u + 1;
}

/* nanosleep: others may go first; the duration is a hint, from 0 to twice its value (PTX
 * ISA 9.7.13): the longest of the lanes. */
HANDLER(NANOSLEEP)
{
    u64 ns = 0;

    LANES_OF(m)
    {
        u32 lane = SLOT(u32, u->d)[l];

        ns = lane > ns ? lane : ns;
    }
    w->path += ns * w->grid->desc.clock_mhz / 1000;
    w->quota--;
    return w->quota <= 0 ? warp_leave(w, u + 1, EVENT_NONE) : u + 1;
}

/* Block barriers: id and count may differ from lane to lane, each group arrives for itself. */

static const struct ptx_uop *bar_bad(struct warp *w, const struct ptx_uop *u, u32 lane)
{
    return sm_fault(w, u, GRID_FAULT_BARRIER, lane, 0, 0, false,
                    "barrier number above 15, or a thread count that is no multiple of 32");
}

static bool bar_good(const struct ptx_uop *u, u32 id, u32 count)
{
    return (id < PTX_BAR_OF_CLUSTER || u->flags & PTX_BAR_CLUSTER) &&
           ((u->flags & PTX_BAR_ALL) || (count && count % WARP_LANES == 0));
}

/* @ids, @counts: slots; @predicate: mask for bar.red */
static const struct ptx_uop *exec_bar(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 m,
                                      u32 ids, u32 counts, u32 predicate, bool wait)
{
    u32 rest = m, others = w->active & ~m;

    warp_count(w, u->inst + 1);
    if (others || !wait) {
        fragment_add(w, w->frame, (u32)(u - w->code) + 1, wait ? others : w->active);
    }
    w->grid->stats.barriers++;
    while (rest) {
        u32 lane = lane_first(rest), id = SLOT(u32, ids)[lane], count = SLOT(u32, counts)[lane];
        const u32 *each_id = SLOT(const u32, ids), *each_count = SLOT(const u32, counts);
        u32 same = 0;

        if (!bar_good(u, id, count)) {
            return bar_bad(w, u, lane);
        }
        LANES same |= (each_id[l] ^ id) | (each_count[l] ^ count) ? 0 : lane_bit[l];
        same &= rest;
        if (wait) {
            fragment_wait(w, w->frame, (u32)(u - w->code), same, WAIT_BARRIER, id);
        }
        barrier_reduce(w, id, same, predicate);
        barrier_arrive(w, u, id, u->flags & PTX_BAR_ALL ? 0 : count, same);
        rest &= ~same;
    }
    w->effects++;
    w->grid->effects++;
    barrier_check(w->block);
    return warp_leave(w, u + 1, EVENT_PICK);
}

HANDLER(BAR_SYNC)
{
    return exec_bar(w, u, rf, m, u->d, u->a, 0, true);
}

HANDLER(BAR_ARRIVE)
{
    return exec_bar(w, u, rf, m, u->d, u->a, 0, false);
}

HANDLER(BAR_RED_POPC)
{
    return exec_bar(w, u, rf, m, u->a, u->b, PRED(u->c), true);
}

HANDLER(BAR_RED_PRED)
{
    return exec_bar(w, u, rf, m, u->a, u->b, PRED(u->c), true);
}

/* barrier.cluster.wait: lanes whose phase is over go on. */
HANDLER(CLUSTER_WAIT)
{
    u32 waits = m & barrier_pending(w), others = w->active & ~waits;

    if (w->grid->race && m & ~waits) {
        race_cluster_wait(w, m & ~waits);
    }
    if (!waits) {
        return u + 1;
    }
    warp_count(w, u->inst + 1);
    if (others) {
        fragment_add(w, w->frame, (u32)(u - w->code) + 1, others);
    }
    fragment_wait(w, w->frame, (u32)(u - w->code), waits, WAIT_BARRIER, PTX_BAR_OF_CLUSTER);
    return warp_leave(w, u + 1, EVENT_PICK);
}
