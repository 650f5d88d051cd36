/* SPDX-License-Identifier: MIT */
/* Call frames: registers, constants and special registers of a function for one warp. */
#include "model/igpu/sm.h"
#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* Special registers that hold for a warp, PTX ISA chapter 10. Those of clusters: without one, each
 * block is its own cluster. */
static uint64_t special_value(const struct warp *w, enum ptx_special s, uint32_t lane)
{
    const struct grid *g = w->grid;
    const struct grid_desc *d = &g->desc;
    uint32_t tid[3];

    switch (s) {
    case PTX_SPECIAL_TID_X:
    case PTX_SPECIAL_TID_Y:
    case PTX_SPECIAL_TID_Z:
        sm_thread_id(w, lane, tid);
        return tid[s - PTX_SPECIAL_TID_X];
    case PTX_SPECIAL_NTID_X:
    case PTX_SPECIAL_NTID_Y:
    case PTX_SPECIAL_NTID_Z:
        return d->block[s - PTX_SPECIAL_NTID_X];
    case PTX_SPECIAL_CTAID_X:
    case PTX_SPECIAL_CTAID_Y:
    case PTX_SPECIAL_CTAID_Z:
        return w->block->ctaid[s - PTX_SPECIAL_CTAID_X];
    case PTX_SPECIAL_CLUSTERID_X:
    case PTX_SPECIAL_CLUSTERID_Y:
    case PTX_SPECIAL_CLUSTERID_Z:
        return w->block->ctaid[s - PTX_SPECIAL_CLUSTERID_X];
    case PTX_SPECIAL_NCTAID_X:
    case PTX_SPECIAL_NCTAID_Y:
    case PTX_SPECIAL_NCTAID_Z:
        return d->grid[s - PTX_SPECIAL_NCTAID_X];
    case PTX_SPECIAL_NCLUSTERID_X:
    case PTX_SPECIAL_NCLUSTERID_Y:
    case PTX_SPECIAL_NCLUSTERID_Z:
        return d->grid[s - PTX_SPECIAL_NCLUSTERID_X];
    case PTX_SPECIAL_CLUSTER_NCTAID_X:
    case PTX_SPECIAL_CLUSTER_NCTAID_Y:
    case PTX_SPECIAL_CLUSTER_NCTAID_Z:
    case PTX_SPECIAL_CLUSTER_NCTARANK:
        return 1;
    case PTX_SPECIAL_LANEID:
        return lane;
    case PTX_SPECIAL_WARPID:
        return w->id;
    case PTX_SPECIAL_NWARPID:
        return w->block->n_warps;
    case PTX_SPECIAL_SMID:
        return d->sm_count ? w->block->linear % d->sm_count : 0;
    case PTX_SPECIAL_NSMID:
        return d->sm_count;
    case PTX_SPECIAL_GRIDID:
        return d->grid_id;
    case PTX_SPECIAL_LANEMASK_EQ:
        return 1u << lane;
    case PTX_SPECIAL_LANEMASK_LT:
        return (1u << lane) - 1;
    case PTX_SPECIAL_LANEMASK_LE:
        return (2u << lane) - 1;
    case PTX_SPECIAL_LANEMASK_GT:
        return ~((2u << lane) - 1);
    case PTX_SPECIAL_LANEMASK_GE:
        return ~((1u << lane) - 1);
    case PTX_SPECIAL_TOTAL_SMEM_SIZE:
    case PTX_SPECIAL_AGGR_SMEM_SIZE:
        return g->shared_bytes;
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
        return d->dynamic_shared;
    case PTX_SPECIAL_ENVREG1: /* the cooperative grid's workspace, in two halves */
        return d->grid_workspace >> 32;
    case PTX_SPECIAL_ENVREG2:
        return d->grid_workspace & UINT32_MAX;
    default:
        return 0;
    }
}

static uint64_t const_value(const struct warp *w, const struct frame *f, const struct ptx_const *c,
                            uint32_t lane)
{
    const struct grid *g = w->grid;

    switch (c->kind) {
    case PTX_CONST_SPECIAL:
        return special_value(w, (enum ptx_special)c->special, lane);
    case PTX_CONST_GLOBAL:
        return g->desc.global_base + c->value;
    case PTX_CONST_CONST:
        return g->desc.const_base + c->value;
    case PTX_CONST_DYNAMIC_SHARED:
        return g->dynamic_shared_offset + c->value;
    case PTX_CONST_LOCAL:
        return f->local_base + c->value;
    default:
        return c->value;
    }
}

/* From lane to lane */
static bool const_varies(const struct ptx_const *c)
{
    return c->kind == PTX_CONST_SPECIAL &&
           ((c->special >= PTX_SPECIAL_TID_X && c->special <= PTX_SPECIAL_TID_Z) ||
            c->special == PTX_SPECIAL_LANEID ||
            (c->special >= PTX_SPECIAL_LANEMASK_EQ && c->special <= PTX_SPECIAL_LANEMASK_GT));
}

static void const_fill(const struct warp *w, struct frame *f, const struct ptx_const *c)
{
    void *slot = f->rf + c->offset;
    uint64_t v = 0;

    if (c->wide == 2) {
        *(uint32_t *)slot = (uint32_t)c->value;
        return;
    }
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        if (l == 0 || const_varies(c)) {
            v = const_value(w, f, c, l);
        }
        if (c->wide) {
            ((uint64_t *)slot)[l] = v;
        } else {
            ((uint32_t *)slot)[l] = (uint32_t)v;
        }
    }
}

/* Values that no use of the frame changes are filled once, when it is made. */
static bool const_is_fixed(const struct ptx_const *c)
{
    return c->wide != 2 && (c->kind == PTX_CONST_VALUE || c->kind == PTX_CONST_GLOBAL ||
                            c->kind == PTX_CONST_CONST || c->kind == PTX_CONST_DYNAMIC_SHARED);
}

static struct frame *frame_make(const struct warp *w, const struct ptx_code *code)
{
    struct frame *f = g_new0(struct frame, 1);

    f->code = code;
    f->rf = aligned_alloc(64, code->frame_bytes);
    g_assert(f->rf);
    memset(f->rf, 0, code->frame_bytes);
    for (uint32_t i = 0; i < code->n_consts; i++) {
        if (const_is_fixed(&code->consts[i])) {
            const_fill(w, f, &code->consts[i]);
        }
    }
    return f;
}

/* Registers start as zero: PTX leaves them undefined, a run must not depend on the run before. */
static void frame_prepare(const struct warp *w, struct frame *f)
{
    memset(f->rf, 0, f->code->register_bytes);
    *(uint32_t *)(void *)(f->rf + PTX_SLOT_ALL) = LANES_ALL;
    for (uint32_t i = 0; i < f->code->n_consts; i++) {
        if (!const_is_fixed(&f->code->consts[i])) {
            const_fill(w, f, &f->code->consts[i]);
        }
    }
}

/* Return: NULL if the call is too deep or local memory would exceed what a thread has */
struct frame *frame_new(struct warp *w, const struct ptx_code *code, struct frame *up,
                        uint32_t lanes)
{
    struct frame **pool = &w->grid->frame_pool[code->func->index], *f = *pool;
    uint64_t base = up ? up->local_top : 0, top = base + code->local_bytes;

    if ((up && up->depth + 1 > CALL_DEPTH_MAX) || top > LOCAL_BYTES_MAX ||
        !warp_local_grow(w, (uint32_t)top)) {
        return NULL;
    }
    if (f) {
        *pool = f->next;
    } else {
        f = frame_make(w, code);
    }
    f->next = NULL;
    f->up = up;
    f->lanes = lanes;
    f->depth = up ? up->depth + 1 : 0;
    f->local_base = (uint32_t)base;
    f->local_top = (uint32_t)top;
    frame_prepare(w, f);
    return f;
}

void frame_leave(struct warp *w, struct frame *f, uint32_t lanes)
{
    struct frame **pool = &w->grid->frame_pool[f->code->func->index];

    f->lanes &= ~lanes;
    if (f->lanes == 0) {
        f->next = *pool;
        *pool = f;
    }
}

void frame_pool_free(struct grid *g)
{
    for (uint32_t i = 0; i < g->program->program->n_code; i++) {
        while (g->frame_pool[i]) {
            struct frame *f = g->frame_pool[i];

            g->frame_pool[i] = f->next;
            free(f->rf);
            g_free(f);
        }
    }
}
