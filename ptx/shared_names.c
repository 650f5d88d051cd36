/* SPDX-License-Identifier: MIT */
#include "ptx/shared_names.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/parse.h"

/**
 * struct walk - functions that an entry reaches
 * @todo: those to come, @seen: by index, each is walked once; NULL: no memory
 */
struct walk {
    const struct ptx_func *entry, **todo;
    uint8_t *seen;
    uint32_t n_todo;
    struct ptx_shared_name *names;
    size_t n_names, cap_names;
};

static void walk_var(struct walk *w, const struct ptx_var *var)
{
    bool dynamic = var->linkage == PTX_LINK_EXTERN;

    for (size_t i = 0; i < w->n_names; i++) {
        if (w->names[i].name == var->name) {
            return;
        }
    }
    *PARSE_PUSH(w, names) = (struct ptx_shared_name){
        .name = var->name,
        .offset = var->offset + (dynamic ? w->entry->shared_bytes : 0),
        .bytes = dynamic ? UINT64_MAX : var->size,
    };
}

static void walk_operand(struct walk *w, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_VECTOR) {
        for (uint32_t i = 0; i < o->count; i++) {
            walk_operand(w, &o->element[i]);
        }
    } else if (o->var && o->var->space == PTX_SPACE_SHARED) {
        walk_var(w, o->var);
    }
}

static void walk_reach(struct walk *w, const struct ptx_func *f)
{
    if (f && !w->seen[f->index]) {
        w->seen[f->index] = 1;
        w->todo[w->n_todo++] = f;
    }
}

static void walk_func(struct walk *w, const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->n_inst; i++) {
        const struct ptx_inst *inst = &f->inst[i];

        for (unsigned k = 0; k < inst->n_operands; k++) {
            walk_operand(w, &inst->operand[k]);
        }
        for (uint32_t k = 0; inst->call && k < inst->call->n_args; k++) {
            walk_operand(w, &inst->call->args[k]);
        }
        walk_reach(w, inst->call ? inst->call->target : NULL);
    }
}

uint32_t ptx_shared_names(const struct ptx_module *m, const struct ptx_func *entry,
                          struct ptx_shared_name **out)
{
    struct walk w = { .entry = entry };

    w.seen = calloc(m->n_funcs + 1, 1);
    w.todo = calloc(m->n_funcs + 1, sizeof(const struct ptx_func *));
    if (w.seen && w.todo) {
        walk_reach(&w, entry);
    }
    while (w.n_todo) {
        walk_func(&w, w.todo[--w.n_todo]);
    }
    free(w.seen);
    free(w.todo);
    *out = w.names;
    return (uint32_t)w.n_names;
}
