/* SPDX-License-Identifier: MIT */
/* Call frames: registers, constants and special registers of a function for one warp, and the local
 * memory of its lanes. */
#include "model/igpu/sm.h"
#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* Special registers that hold for a warp, PTX ISA chapter 10 */
static uint64_t special_value(const struct warp *w, enum ptx_special s, uint32_t lane)
{
    const struct grid *g = w->grid;
    const struct grid_desc *d = &g->desc;
    uint64_t value;

    switch (s) {
    case PTX_SPECIAL_NTID_X:
    case PTX_SPECIAL_NTID_Y:
    case PTX_SPECIAL_NTID_Z:
        return d->block[s - PTX_SPECIAL_NTID_X];
    case PTX_SPECIAL_CTAID_X:
    case PTX_SPECIAL_CTAID_Y:
    case PTX_SPECIAL_CTAID_Z:
        return w->block->ctaid[s - PTX_SPECIAL_CTAID_X];
    case PTX_SPECIAL_NCTAID_X:
    case PTX_SPECIAL_NCTAID_Y:
    case PTX_SPECIAL_NCTAID_Z:
        return d->grid[s - PTX_SPECIAL_NCTAID_X];
    case PTX_SPECIAL_LANEID:
        return lane;
    case PTX_SPECIAL_WARPID:
        return w->id;
    case PTX_SPECIAL_NWARPID:
        return w->block->n_warps;
    case PTX_SPECIAL_SMID:
        return block_sm(w->block);
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
        return cluster_special(w->block, s, &value) ? value : 0;
    }
}

/* What the launch gave of the module's references, behind the parameters; 0 where nothing is bound
 */
static uint64_t ref_value(const struct grid *g, uint64_t n)
{
    const struct ptx_func *f = g->program->module->funcs[g->desc.entry];
    uint64_t value;

    memcpy(&value, g->param + ptx_refs_offset(f) + n * sizeof(value), sizeof(value));
    return value;
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
    case PTX_CONST_SHARED:
        return w->block->shared_from + c->value;
    case PTX_CONST_DYNAMIC_SHARED:
        return w->block->shared_from + g->dynamic_shared_offset + c->value;
    case PTX_CONST_LOCAL:
        return f->local_base + c->value;
    case PTX_CONST_REF:
        return ref_value(g, c->value);
    case PTX_CONST_GENERIC_SHARED:
        return g->desc.shared_window + w->block->shared_from + c->value;
    case PTX_CONST_GENERIC_DYNAMIC_SHARED:
        return g->desc.shared_window + w->block->shared_from + g->dynamic_shared_offset + c->value;
    case PTX_CONST_GENERIC_LOCAL:
        return g->desc.local_window + f->local_base + c->value;
    default:
        return c->value;
    }
}

/* From lane to lane */
static bool const_varies(const struct ptx_const *c)
{
    return c->kind == PTX_CONST_SPECIAL &&
           (c->special == PTX_SPECIAL_LANEID ||
            (c->special >= PTX_SPECIAL_LANEMASK_EQ && c->special <= PTX_SPECIAL_LANEMASK_GT));
}

static bool const_is_thread_id(const struct ptx_const *c)
{
    return c->kind == PTX_CONST_SPECIAL && c->special >= PTX_SPECIAL_TID_X &&
           c->special <= PTX_SPECIAL_TID_Z;
}

/* Lane @l of a slot. A slot is 64-byte aligned, which lets the loops over it become vector stores.
 */
#define SLOT_LANE(type, slot, l) ((type *)__builtin_assume_aligned(slot, 64))[l]

static void slot_splat(void *slot, bool wide, uint64_t v)
{
    if (wide) {
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            SLOT_LANE(uint64_t, slot, l) = v;
        }
    } else {
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            SLOT_LANE(uint32_t, slot, l) = (uint32_t)v;
        }
    }
}

static void slot_row(void *slot, bool wide, const uint32_t row[WARP_LANES])
{
    if (wide) {
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            SLOT_LANE(uint64_t, slot, l) = row[l];
        }
    } else {
        memcpy(slot, row, WARP_LANES * sizeof(*row));
    }
}

/* One axis of the warp's thread numbers. They are the same in all blocks of a grid: worked out
 * once, by counting, for the first warp that asks. */
static const uint32_t *thread_ids(const struct warp *w, unsigned axis)
{
    struct grid *g = w->grid;
    const uint32_t *n = g->desc.block;
    uint32_t rows = w->block->n_warps, x = 0, y = 0, z = 0;

    if (!g->thread_id) {
        g->thread_id = g_new(struct thread_ids, rows);
        for (uint32_t t = 0; t < rows * WARP_LANES; t++) {
            struct thread_ids *row = &g->thread_id[t / WARP_LANES];

            row->axis[0][t % WARP_LANES] = x;
            row->axis[1][t % WARP_LANES] = y;
            row->axis[2][t % WARP_LANES] = z;
            if (++x == n[0]) {
                x = 0;
                z += ++y == n[1];
                y = y == n[1] ? 0 : y;
            }
        }
    }
    return g->thread_id[w->id].axis[axis];
}

static void const_fill(const struct warp *w, struct frame *f, const struct ptx_const *c)
{
    void *slot = f->rf + c->offset;
    uint32_t row[WARP_LANES];

    if (c->wide == 2) {
        uint64_t all = c->kind == PTX_CONST_SPECIAL ? const_value(w, f, c, 0) : c->value;

        *(uint32_t *)slot = c->kind == PTX_CONST_SPECIAL && all ? LANES_ALL : (uint32_t)all;
    } else if (const_is_thread_id(c)) {
        slot_row(slot, c->wide, thread_ids(w, c->special - PTX_SPECIAL_TID_X));
    } else if (const_varies(c)) { /* 32 bits each */
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            row[l] = (uint32_t)const_value(w, f, c, l);
        }
        slot_row(slot, c->wide, row);
    } else {
        slot_splat(slot, c->wide, const_value(w, f, c, 0));
    }
}

/* Special registers that differ between the warps of a grid; a frame serves them one after another.
 */
static bool special_is_of_warp(enum ptx_special s)
{
    return (s >= PTX_SPECIAL_TID_X && s <= PTX_SPECIAL_TID_Z) ||
           (s >= PTX_SPECIAL_CTAID_X && s <= PTX_SPECIAL_CTAID_Z) ||
           (s >= PTX_SPECIAL_CLUSTERID_X && s <= PTX_SPECIAL_CLUSTERID_Z) ||
           (s >= PTX_SPECIAL_CLUSTER_CTAID_X && s <= PTX_SPECIAL_CLUSTER_CTAID_Z) ||
           s == PTX_SPECIAL_CLUSTER_CTARANK || s == PTX_SPECIAL_WARPID || s == PTX_SPECIAL_SMID;
}

/* In a cluster each block has its own. */
static bool const_is_shared_address(const struct ptx_const *c)
{
    return c->kind == PTX_CONST_SHARED || c->kind == PTX_CONST_DYNAMIC_SHARED ||
           c->kind == PTX_CONST_GENERIC_SHARED || c->kind == PTX_CONST_GENERIC_DYNAMIC_SHARED;
}

/* Values that no use of the frame changes are filled once, when it is made: nothing writes to a
 * constant's slot, and a frame belongs to one function of one grid. Predicates lie among the
 * registers, which start as zero each time. */
static bool const_is_fixed(const struct warp *w, const struct ptx_const *c)
{
    if (c->wide == 2 || c->kind == PTX_CONST_LOCAL || c->kind == PTX_CONST_GENERIC_LOCAL ||
        (w->block->cluster && const_is_shared_address(c))) {
        return false;
    }
    return c->kind != PTX_CONST_SPECIAL || !special_is_of_warp((enum ptx_special)c->special);
}

static struct frame *frame_make(const struct warp *w, const struct ptx_code *code)
{
    struct frame *f = g_new0(struct frame, 1);

    f->code = code;
    f->rf = aligned_alloc(64, code->frame_bytes);
    g_assert(f->rf);
    memset(f->rf, 0, code->frame_bytes);
    for (uint32_t i = 0; i < code->n_consts; i++) {
        if (const_is_fixed(w, &code->consts[i])) {
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
        if (!const_is_fixed(w, &f->code->consts[i])) {
            const_fill(w, f, &f->code->consts[i]);
        }
    }
}

/* Local memory: one stretch a lane, as long as the deepest frame so far needs. */
bool warp_local_grow(struct warp *w, uint32_t bytes)
{
    uint32_t stride = w->local_stride ? w->local_stride : 256;
    uint8_t *bigger;

    if (bytes > LOCAL_BYTES_MAX) {
        return false;
    }
    if (bytes <= w->local_stride) {
        return true;
    }
    while (stride < bytes) {
        stride *= 2;
    }
    bigger = g_malloc0((size_t)stride * WARP_LANES);
    for (uint32_t l = 0; w->local && l < WARP_LANES; l++) {
        memcpy(bigger + (size_t)l * stride, warp_lane_local(w, l), w->local_stride);
    }
    g_free(w->local);
    w->local = bigger;
    w->local_stride = stride;
    return true;
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
