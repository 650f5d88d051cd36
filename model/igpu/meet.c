/* SPDX-License-Identifier: MIT */
/* Lanes of a warp that wait for each other at different instructions.
 *
 * bar.warp.sync joins them, PTX ISA 9.7.13.2. Of vote, match, redux, elect and shfl the manual
 * leaves it open. A GPU waits until the lanes of the membermask are at such instructions, wherever,
 * and resumes; those at the same operation have it together: a vote in both arms of a branch is one
 * vote (measured, H200; of the other operations inferred). Only when nothing else of the warp can
 * run: as long as a lane does it may still reach the instruction where the others wait.
 */
#include "model/igpu/sm.h"
#include "model/regs/regs.h"
#include <string.h>

#define FIELDS 6u
#define FIELD_BYTES 256u /* 32 lanes of 64 bits */

static uint32_t uop_field(const struct ptx_uop *u, unsigned i)
{
    const uint32_t f[FIELDS] = { u->d, u->a, u->b, u->c, u->e, u->target };

    return f[i];
}

/* Instructions with a membermask, and which operand it is, as PTX_UOP() has them */
static const struct sync_op {
    enum ptx_uop_op first, last;
    unsigned mask;
    const char *never; /* its lanes do not meet */
} sync_ops[] = {
    { PTX_UOP_BAR_WARP_SYNC, PTX_UOP_BAR_WARP_SYNC, 0, "bar.warp.sync" CHAN_NEVER_MEETS },
    { PTX_UOP_VOTE_ALL, PTX_UOP_VOTE_BALLOT, 2, "vote.sync" CHAN_NEVER_MEETS },
    { PTX_UOP_ELECT, PTX_UOP_ELECT, 1, "elect.sync" CHAN_NEVER_MEETS },
    { PTX_UOP_SHFL_UP, PTX_UOP_SHFL_IDX, 4, "shfl.sync" CHAN_NEVER_MEETS },
    { PTX_UOP_MATCH_ANY_B32, PTX_UOP_MATCH_ALL_B64, 2, "match.sync" CHAN_NEVER_MEETS },
    { PTX_UOP_REDUX_ADD, PTX_UOP_REDUX_XOR, 2, "redux.sync" CHAN_NEVER_MEETS },
};

/* NULL: another instruction */
static const struct sync_op *sync_op(const struct ptx_uop *u)
{
    for (unsigned i = 0; i < sizeof(sync_ops) / sizeof(*sync_ops); i++) {
        if (u->op >= sync_ops[i].first && u->op <= sync_ops[i].last) {
            return &sync_ops[i];
        }
    }
    return NULL;
}

static const struct ptx_uop *fragment_uop(const struct fragment *x)
{
    return &x->frame->code->uop[x->pc];
}

/* Without a membermask all living lanes take part: the instructions of matrices. */
static uint32_t members_of(const struct warp *w, const struct fragment *x, uint32_t lane)
{
    const struct ptx_uop *u = fragment_uop(x);
    const struct sync_op *s = sync_op(u);

    return s ? ((const uint32_t *)(const void *)(x->frame->rf + uop_field(u, s->mask)))[lane]
             : w->live;
}

/* Lanes of @x that wait with membermask @mask */
static uint32_t lanes_waiting(const struct warp *w, const struct fragment *x, uint32_t mask)
{
    uint32_t lanes = 0;

    if (x->wait != WAIT_WARP || !sync_op(fragment_uop(x))) {
        return 0;
    }
    for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
        uint32_t lane = lane_first(rest);

        lanes |= members_of(w, x, lane) == mask ? 1u << lane : 0;
    }
    return lanes;
}

static bool mask_is_complete(const struct warp *w, uint32_t mask)
{
    uint32_t here = 0;

    for (uint32_t k = 0; k < w->n_fragments; k++) {
        here |= lanes_waiting(w, &w->fragment[k], mask);
    }
    return here && (mask & w->live & ~here) == 0;
}

/* --- one operation of lanes at several places --- */

struct part {
    struct frame *frame;
    const struct ptx_uop *uop;
    uint32_t pc, lanes;
};

/* Operand @i of a part's lanes, between its frame and the operands of the whole: @to the whole */
static void field_copy(const struct part *p, unsigned i, uint8_t *whole, bool to)
{
    char letter = i == FIELDS - 1 ? 'P' : ptx_uop_operands((enum ptx_uop_op)p->uop->op)[i];
    uint8_t *own = p->frame->rf + uop_field(p->uop, i), *all = whole + i * FIELD_BYTES;
    uint32_t *dst = (uint32_t *)(void *)(to ? all : own),
             *src = (uint32_t *)(void *)(to ? own : all);
    size_t size = letter == 'l' || letter == 'L' ? 8 : 4;

    if (letter == 'p' || letter == 'P') {
        *dst = (*dst & ~p->lanes) | (*src & p->lanes);
        return;
    }
    for (uint32_t rest = p->lanes; rest; rest &= rest - 1) {
        size_t at = lane_first(rest) * size;

        memcpy((uint8_t *)dst + at, (const uint8_t *)src + at, size);
    }
}

static void fields_copy(const struct part *p, unsigned which, uint8_t *whole, bool to)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        if (which >> i & 1) {
            field_copy(p, i, whole, to);
        }
    }
}

static bool same_operation(const struct part *a, const struct part *b)
{
    return a->uop->op == b->uop->op && a->uop->flags == b->uop->flags;
}

/* The parts from the first on that do what it does */
static void parts_execute(struct warp *w, const struct part *part, uint32_t n)
{
    uint8_t whole[FIELDS * FIELD_BYTES] __attribute__((aligned(64))) = { 0 };
    struct ptx_uop u = *part->uop;
    uint32_t lanes = 0;

    for (uint32_t k = 0; k < n; k++) {
        if (same_operation(&part[k], part)) {
            fields_copy(&part[k], part[k].uop->reads, whole, true);
            lanes |= part[k].lanes;
        }
    }
    u.flags |= PTX_SYNC_ACTIVE; /* all that take part are here */
    u.d = 0;
    u.a = FIELD_BYTES;
    u.b = 2 * FIELD_BYTES;
    u.c = 3 * FIELD_BYTES;
    u.e = 4 * FIELD_BYTES;
    u.target = 5 * FIELD_BYTES;
    sm_handlers[u.op](w, &u, whole, lanes);
    for (uint32_t k = 0; k < n; k++) {
        if (same_operation(&part[k], part)) {
            fields_copy(&part[k], part[k].uop->writes, whole, false);
        }
    }
}

/* Lanes that wait with @mask leave their fragments. Return: parts, one a fragment */
static uint32_t parts_take(struct warp *w, uint32_t mask, struct part *part)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < w->n_fragments;) {
        struct fragment *x = &w->fragment[k];
        uint32_t lanes = lanes_waiting(w, x, mask);

        if (lanes) {
            part[n++] = (struct part){ x->frame, fragment_uop(x), x->pc, lanes };
            x->mask &= ~lanes;
        }
        if (x->mask) {
            k++;
        } else {
            *x = w->fragment[--w->n_fragments];
        }
    }
    return n;
}

static bool is_first(const struct part *part, uint32_t k)
{
    for (uint32_t i = 0; i < k; i++) {
        if (same_operation(&part[i], &part[k])) {
            return false;
        }
    }
    return true;
}

bool warp_meet(struct warp *w)
{
    for (uint32_t i = 0; i < w->n_fragments; i++) {
        uint32_t mask = members_of(w, &w->fragment[i], lane_first(w->fragment[i].mask));
        struct part part[WARP_LANES];
        uint32_t n;

        if (w->fragment[i].wait != WAIT_WARP || !mask_is_complete(w, mask)) {
            continue;
        }
        n = parts_take(w, mask, part);
        for (uint32_t k = 0; k < n; k++) {
            if (is_first(part, k)) {
                parts_execute(w, &part[k], n - k);
            }
        }
        for (uint32_t k = 0; k < n; k++) {
            fragment_add(w, part[k].frame, part[k].pc + 1, part[k].lanes);
        }
        return true;
    }
    return false;
}

/* --- lanes that never meet --- */

bool meet_fault(struct warp *w)
{
    for (uint32_t i = 0; i < w->n_fragments; i++) {
        const struct fragment *x = &w->fragment[i];
        uint32_t lane = lane_first(x->mask), members = members_of(w, x, lane);
        const struct sync_op *s;

        if (x->wait != WAIT_WARP) {
            continue;
        }
        w->frame = x->frame;
        w->code = x->frame->code->uop;
        s = sync_op(fragment_uop(x));
        sm_fault(w, fragment_uop(x), GRID_FAULT_BARRIER, lane, 0, 0, false,
                 s ? s->never : "an instruction of matrices" CHAN_NEVER_MEETS);
        w->grid->fault.members = members;
        w->grid->fault.missing = members & w->live & ~x->mask;
        return true;
    }
    return false;
}
