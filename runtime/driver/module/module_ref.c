/* SPDX-License-Identifier: MIT */
/* Texture and surface references of a module, and what its launches are given of them. */
#include "runtime/driver/array/texref.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/module/module_internal.h"
#include "runtime/driver/module/rt_module.h"

void module_refs_free(struct module *m)
{
    for (uint32_t i = 0; m->texrefs && i < m->image->ptx->n_refs; i++) {
        if (m->texrefs[i]) {
            texref_free(m->texrefs[i]);
        }
    }
    g_free(m->texrefs);
}

void module_refs_put(const struct module *m, uint64_t *to)
{
    for (uint32_t i = 0; i < m->image->ptx->n_refs; i++) {
        to[i] = m->texrefs && m->texrefs[i] ? texref_object(m->texrefs[i]) : 0;
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

static CUresult ref_find(struct module *m, const char *name, enum ptx_type type, const char *api,
                         void **ref)
{
    const struct ptx_var *v = ptx_var_find(m->image->ptx, name);
    CUresult error;

    if (!v || v->type != type) {
        return CUDA_ERROR_NOT_FOUND;
    }
    m->texrefs = m->texrefs ? m->texrefs : g_new0(struct texref *, m->image->ptx->n_refs);
    if (!m->texrefs[v->ref]) {
        error = object_room(api, 1, "reference");
        if (error) {
            return error;
        }
        m->texrefs[v->ref] = texref_new(m->base.context, type == PTX_SURFREF);
    }
    *ref = texref_number(m->texrefs[v->ref]);
    return CUDA_SUCCESS;
}

/* Measured (H200, driver 580.159.04): the module is checked first; no context need be current. */
static CUresult ref_get(void **ref, CUmodule module, const char *name, enum ptx_type type,
                        const char *api)
{
    CUresult error = core_enter();
    struct module *m;

    if (error) {
        return error;
    }
    m = handle_find(HANDLE_MODULE, module);
    if (!m || !ref || !name || !*name) {
        return core_leave(m ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    }
    return core_leave(ref_find(m, name, type, api, ref));
}

CUresult rt_module_texref(CUtexref *ref, CUmodule module, const char *name)
{
    return ref_get((void **)ref, module, name, PTX_TEXREF, "cuModuleGetTexRef");
}

CUresult rt_module_surfref(CUsurfref *ref, CUmodule module, const char *name)
{
    return ref_get((void **)ref, module, name, PTX_SURFREF, "cuModuleGetSurfRef");
}
