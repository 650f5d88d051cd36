/* SPDX-License-Identifier: MIT */
/* Texture and surface references of a module, and what its launches are given of them. */
#include "runtime/driver/module/module_ref.h"

#include "runtime/driver/module/module_internal.h"

void module_refs_free(struct module *m)
{
    for (uint32_t i = 0; m->references && i < m->image->ptx->n_refs; i++) {
        if (m->references[i]) {
            object_unref(&m->references[i]->base);
        }
    }
    g_free(m->references);
}

void module_refs_put(const struct module *m, uint64_t *to)
{
    for (uint32_t i = 0; i < m->image->ptx->n_refs; i++) {
        to[i] = m->references && m->references[i] ? m->references[i]->value(m->references[i]) : 0;
    }
}

static bool func_has_refs(const struct ptx_func *f, bool *seen);

static bool inst_has_refs(const struct ptx_inst *i, bool *seen)
{
    for (unsigned k = 0; k < i->n_operands; k++) {
        if (i->operand[k].var && ptx_type_is_ref(i->operand[k].var->type)) {
            return true;
        }
    }
    return i->call && i->call->target && func_has_refs(i->call->target, seen);
}

/* @seen: by number, functions that were looked at */
static bool func_has_refs(const struct ptx_func *f, bool *seen)
{
    if (seen[f->index]) {
        return false;
    }
    seen[f->index] = true;
    for (uint32_t i = 0; i < f->n_inst; i++) {
        if (inst_has_refs(&f->inst[i], seen)) {
            return true;
        }
    }
    return false;
}

bool function_has_refs(const struct function *f)
{
    const struct ptx_module *ptx = f->module->image->ptx;
    bool *seen, found;

    if (!ptx->n_refs) {
        return false;
    }
    seen = g_new0(bool, ptx->n_funcs);
    found = func_has_refs(f->func, seen);
    g_free(seen);
    return found;
}

struct module_ref **module_ref_place(struct module *m, const char *name, bool surface)
{
    const struct ptx_var *v = ptx_var_find(m->image->ptx, name);

    if (!v || v->type != (surface ? PTX_SURFREF : PTX_TEXREF)) {
        return NULL;
    }
    m->references =
        m->references ? m->references : g_new0(struct module_ref *, m->image->ptx->n_refs);
    return &m->references[v->ref];
}
