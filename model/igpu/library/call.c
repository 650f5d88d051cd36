/* SPDX-License-Identifier: MIT */
/* Calls of libraries: the body of a kernel of one thread is a loop of vtegra_library(), a step each
 * time. */
#include <glib.h>

#include "model/igpu/intrinsic.h"

#define CALL_BYTES_MAX 4096u

/* The step is over, and so is the turn: others may come before the next one. */
static void library_turn_end(const struct lane_call *c)
{
    struct grid *g = c->w->grid;

    g->yield = true;
    c->w->turn_insts = 0;
    c->w->quota = 1; /* used up by the jump back */
    c->w->effects++;
    g->effects++;
}

static bool library_begin(const struct lane_call *c, uint64_t call)
{
    struct grid *g = c->w->grid;
    uint8_t bytes[CALL_BYTES_MAX];
    size_t head = g->desc.library ? g->desc.library->call_bytes : 0, tail;

    if (!g->desc.library || g->n_blocks != 1 || g->block_threads != 1) {
        sm_fault(c->w, c->u, GRID_FAULT_INSTRUCTION, c->lane, 0, 0, false,
                 "library call: not in a kernel of one thread");
        return false;
    }
    if (!sm_read(c->w, c->u, c->lane, call, bytes, head)) {
        return false;
    }
    tail = g->desc.library->tail_bytes(bytes);
    if (tail && !sm_read(c->w, c->u, c->lane, call + head, bytes + head, tail)) {
        return false;
    }
    g->library = g->desc.library->open(g->port, bytes);
    return true;
}

static bool library_failed(const struct lane_call *c)
{
    const struct bus_library_fault *f = c->w->grid->desc.library->fault(c->w->grid->library);

    if (f->reason) {
        sm_fault(c->w, c->u, GRID_FAULT_INSTRUCTION, c->lane, 0, 0, false, f->reason);
    } else if (f->misaligned) {
        sm_fault(c->w, c->u, GRID_FAULT_MISALIGNED, c->lane, f->va, f->size, f->write,
                 "not aligned to an element");
    } else {
        sm_fault_port(c->w, c->u, f->status, c->lane, f->va, f->size, f->write);
    }
    c->w->grid->fault.line = 0; /* the line of the kernel's text says nothing of the program */
    return false;
}

/* All SMs share the work: a fused multiply-add a core and cycle in single precision; in half what
 * the tensor cores do, or twice as many where there are none (inferred: CUDA C++ Programming Guide,
 * Arithmetic Instructions); fewer in double as the profile says. */
static void library_charge(struct warp *w, const struct bus_library_cost *cost)
{
    const struct grid_desc *d = &w->grid->desc;
    uint64_t lanes = (uint64_t)MAX(d->schedulers, 1u) * WARP_LANES;

    uint64_t tensor = (uint64_t)d->units.tensor * d->sm_count;

    w->path += cost->single / lanes + cost->half / MAX(2 * lanes, tensor) +
               cost->twice / lanes * MAX(d->fp64_ratio, 1u);
}

/* a[0]: generic address of the call */
bool nv_vtegra_library(const struct lane_call *c, const uint64_t *a, uint64_t *r)
{
    struct grid *g = c->w->grid;
    struct bus_library_cost cost = { 0 };
    enum bus_library_result result;

    if (!g->library && !library_begin(c, a[0])) {
        return false;
    }
    sm_note_place(c->w, c->u);
    result = g->desc.library->step(g->library, &cost);
    library_charge(c->w, &cost);
    library_turn_end(c);
    *r = result == BUS_LIBRARY_MORE;
    if (result == BUS_LIBRARY_DONE) {
        g->desc.library->close(g->library);
        g->library = NULL;
    }
    return result != BUS_LIBRARY_FAILED || library_failed(c);
}
