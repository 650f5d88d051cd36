/* SPDX-License-Identifier: MIT */
/* Where every variable lies. Declaration order, each at its own alignment; one function of the
 * text, so that the driver and the iGPU, which parse it apart, agree. */
#include <stdio.h>

#include "ptx/parse.h"

bool layout_fail(struct ptx_error *error, struct ptx_pos pos, const char *segment, const char *name)
{
    error->pos = pos;
    snprintf(error->text, sizeof(error->text), "The .%s segment exceeds %llu bytes at '%.80s'.",
             segment, (unsigned long long)PARSE_MAX_BYTES, name);
    return false;
}

uint64_t layout_round(uint64_t offset, uint32_t align)
{
    return (offset + align - 1) & ~(uint64_t)(align - 1);
}

/* Gives @var the next place in a segment of @bytes. */
static bool layout_place(struct ptx_var *var, uint64_t *bytes, struct ptx_error *error)
{
    uint64_t offset = layout_round(*bytes, var->align);

    if (offset + var->size > PARSE_MAX_BYTES) { /* each is at most that: no overflow */
        return layout_fail(error, var->pos, ptx_space_name(var->space), var->name);
    }
    var->offset = offset;
    *bytes = offset + var->size;
    return true;
}

/* Parameters of an entry as the launch passes them (PTX ISA 5.1.6.1); those of a .func likewise. */
static bool layout_params(struct ptx_func *func, struct ptx_error *error)
{
    uint64_t rets = 0;

    func->param_align = 1;
    for (uint32_t i = 0; i < func->n_params; i++) {
        struct ptx_var *var = func->params[i];

        if (var->space == PTX_SPACE_PARAM && !layout_place(var, &func->param_bytes, error)) {
            return false;
        }
        func->param_align = var->align > func->param_align ? var->align : func->param_align;
    }
    for (uint32_t i = 0; i < func->n_rets; i++) {
        if (func->rets[i]->space == PTX_SPACE_PARAM && !layout_place(func->rets[i], &rets, error)) {
            return false;
        }
    }
    return true;
}

/* .local variables make the frame; each .param of a call sequence is a place of its own. */
static bool layout_frame(struct ptx_func *func, struct ptx_error *error)
{
    uint64_t params = 0;

    for (uint32_t i = 0; i < func->n_vars; i++) {
        struct ptx_var *var = func->vars[i];

        if (var->space == PTX_SPACE_LOCAL && !layout_place(var, &func->local_bytes, error)) {
            return false;
        }
        if (var->space == PTX_SPACE_PARAM && !layout_place(var, &params, error)) {
            return false;
        }
    }
    return true;
}

bool layout_module(struct ptx_module *m, struct ptx_error *error)
{
    for (uint32_t i = 0; i < m->n_vars; i++) {
        struct ptx_var *var = m->vars[i];
        bool constant = var->space == PTX_SPACE_CONST;

        if (ptx_type_is_ref(var->type)) {
            var->ref = m->n_refs++;
            continue;
        }
        if ((var->size || var->linkage != PTX_LINK_EXTERN) && var->space != PTX_SPACE_SHARED &&
            !layout_place(var, constant ? &m->const_bytes : &m->global_bytes, error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        struct ptx_func *func = m->funcs[i];

        if (!layout_params(func, error) || !layout_frame(func, error)) {
            return false;
        }
    }
    return layout_shared(m, error);
}
