/* SPDX-License-Identifier: MIT */
/* Fragments: which register of which lane holds which element of a matrix. PTX ISA 9.7.14.5 gives
 * the layouts of mma; those of wmma are opaque, here they are the same ones, as on sm_80 and newer.
 *
 * A matrix is cut into cores of 8 rows (B: columns) by four times as many elements as 32 bits hold;
 * a thread's registers go through the cores, A, C, D down the rows first, B along the depth first.
 * Private to exec_mma.c, exec_matrix.c and race/.
 */
#ifndef MODEL_IGPU_MATRIX_SM_MATRIX_H
#define MODEL_IGPU_MATRIX_SM_MATRIX_H

#include "model/igpu/sm_lanes.h"

/* @outer: rows of A, C and D, columns of B; @inner: depth of A and B, columns of C and D
 * @run: neighbours along @inner that a lane holds; @per_reg: elements in a register */
struct fragment_map {
    u32 outer, inner, run, per_reg, elems;
    bool depth_first;
};

static inline __attribute__((unused)) struct fragment_map
fragment_map(enum ptx_matrix_part p, enum ptx_elem e, int64_t shape)
{
    u32 bits = ptx_elem_bits(e);
    struct fragment_map f = { .outer =
                                  p == PTX_MATRIX_B ? PTX_MATRIX_N(shape) : PTX_MATRIX_M(shape),
                              .inner =
                                  p <= PTX_MATRIX_B ? PTX_MATRIX_K(shape) : PTX_MATRIX_N(shape),
                              .per_reg = bits < 32 ? 32 / bits : 1,
                              .depth_first = p == PTX_MATRIX_B };

    f.run = p <= PTX_MATRIX_B ? f.per_reg : 2;
    f.elems = f.outer * f.inner / 32;
    return f;
}

/* Where element @i (of @elems; beyond, it repeats them) of lane @l stands: its index in an array of
 * outer rows of inner elements */
static inline u32 fragment_index(const struct fragment_map *f, u32 i, u32 l)
{
    u32 core = i % f->elems / f->run, width = 4 * f->run;
    u32 n = f->depth_first ? f->inner / width : f->outer / 8;
    u32 first = core % n, second = core / n;
    u32 o = f->depth_first ? second : first, in = f->depth_first ? first : second;

    return (o * 8 + (l >> 2)) * f->inner + in * width + (l & 3) * f->run + i % f->run;
}

/* Slot @i of a matrix micro-op and the NOPs behind it */
static inline u32 matrix_slot(const struct ptx_uop *u, u32 i)
{
    const struct ptx_uop *x = u + i / 6;

    switch (i % 6) {
    case 0:
        return x->d;
    case 1:
        return x->a;
    case 2:
        return x->b;
    case 3:
        return x->c;
    case 4:
        return x->e;
    default:
        return x->target;
    }
}

/* A tile in memory: @lines of @bytes, @stride apart. All lanes give the same address and stride,
 * the manual says; the first lane's are taken. */
struct tile {
    u64 va;
    u32 lines, bytes, bits;
    s64 stride;
    bool across; /* a line runs along the fragment's outer direction */
};

/* Of wmma.load or wmma.store, whose fragment is @f */
static inline __attribute__((unused)) struct tile tile_of(const struct warp *w,
                                                          const struct ptx_uop *u, uint8_t *rf,
                                                          u32 lane, const struct fragment_map *f)
{
    struct tile t = { .bits = ptx_elem_bits((enum ptx_elem)u->size) };
    bool col = u->flags & PTX_MATRIX_COL;
    u32 length;

    t.across = u->scope == PTX_MATRIX_B ? !col : col;
    length = t.across ? f->outer : f->inner;
    t.lines = t.across ? f->inner : f->outer;
    t.bytes = length * t.bits / 8;
    t.stride =
        u->flags & PTX_MATRIX_STRIDE ? (s64)SLOT(const s32, u->a)[lane] * (s64)t.bits / 8 : t.bytes;
    t.va = u->flags & PTX_MATRIX_A32 ? SLOT(const u32, u->d)[lane] : SLOT(const u64, u->d)[lane];
    t.va += u->flags & PTX_MATRIX_SHARED ? w->grid->desc.shared_window : 0;
    return t;
}

/* All lanes of the warp that have not exited take part (.sync.aligned). */
static inline bool matrix_ready(const struct warp *w, u32 m)
{
    return m == w->live;
}

/* The lanes here wait for the others; those whose guard is false go on behind the @n slots. */
static inline __attribute__((unused)) const struct ptx_uop *
matrix_wait(struct warp *w, const struct ptx_uop *u, u32 m, u32 n)
{
    u32 pc = (u32)(u - w->code);

    warp_count(w, u->inst);
    fragment_wait(w, w->frame, pc, m, WAIT_WARP, 0);
    if (w->active & ~m) {
        fragment_add(w, w->frame, pc + (n + 5) / 6, w->active & ~m);
    }
    return warp_leave(w, u + 1, EVENT_PICK);
}

#endif
