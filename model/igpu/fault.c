/* SPDX-License-Identifier: MIT */
/* Where and why a grid died. */
#include "model/igpu/sm.h"

void sm_thread_id(const struct warp *w, uint32_t lane, uint32_t id[3])
{
    const uint32_t *n = w->grid->desc.block;
    uint32_t t = w->id * WARP_LANES + lane;

    id[0] = t % n[0];
    id[1] = t / n[0] % n[1];
    id[2] = t / n[0] / n[1];
}

static void fault_position(struct grid_fault *f, const struct grid *g, const struct ptx_code *code,
                           uint32_t inst)
{
    const struct ptx_func *func = code->func;
    const struct ptx_module *m = g->program->module;

    f->func = func->name;
    f->line = func->pos.line;
    while (f->func_index + 1 < m->n_funcs && m->funcs[f->func_index] != func) {
        f->func_index++;
    }
    if (inst < func->n_inst) {
        const struct ptx_inst *i = &func->inst[inst];

        f->line = i->pos.line;
        f->source_line = i->source_line;
        f->source_file = i->file;
        f->file = i->source_line && i->file < m->n_files ? m->files[i->file] : NULL;
    }
}

uint64_t sm_place(const struct ptx_code *code, uint32_t inst)
{
    const struct ptx_inst *i = inst < code->func->n_inst ? &code->func->inst[inst] : NULL;

    return i && i->source_line ? (uint64_t)i->file << 32 | i->source_line : 0;
}

void sm_note_place(struct warp *w, const struct ptx_uop *u)
{
    w->grid->port->place =
        sm_place(w->frame ? w->frame->code : w->grid->entry, u ? u->inst : UINT32_MAX);
}

/* The first fault counts. @u: NULL if no instruction is at fault. */
const struct ptx_uop *sm_fault(struct warp *w, const struct ptx_uop *u, enum grid_fault_kind kind,
                               uint32_t lane, uint64_t va, uint32_t size, bool write,
                               const char *reason)
{
    struct grid *g = w->grid;
    struct grid_fault *f = &g->fault;

    w->event = EVENT_FAULT;
    w->stop = w->code;
    if (f->kind != GRID_FAULT_NONE) {
        return u;
    }
    *f = (struct grid_fault){ .kind = kind, .va = va, .size = size, .write = write,
                              .reason = reason };
    fault_position(f, g, w->frame ? w->frame->code : g->entry, u ? u->inst : UINT32_MAX);
    for (unsigned i = 0; i < 3; i++) {
        f->block[i] = w->block->ctaid[i];
    }
    sm_thread_id(w, lane, f->thread);
    return u;
}

const struct ptx_uop *sm_fault_port(struct warp *w, const struct ptx_uop *u, enum bus_status status,
                                    uint32_t lane, uint64_t va, uint32_t size, bool write)
{
    const char *reason = w->grid->port->fault.reason;

    if (status == BUS_UNSUPPORTED) {
        return sm_fault(w, u, GRID_FAULT_ATOMIC, lane, va, size, write,
                        reason ? reason : "this SoC has no such atomic");
    }
    return sm_fault(w, u, GRID_FAULT_MMU, lane, va, size, write,
                    reason ? reason : "no memory answers at this address");
}
