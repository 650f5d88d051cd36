/* SPDX-License-Identifier: MIT */
/* What a kernel may touch: what its parameters lead to, its module's references and variables, and,
 * where it takes addresses from memory, anything. */
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/module/module_internal.h"

static void references_reach(const struct module *m, struct fence fence)
{
    uint32_t n = m->image->ptx->n_refs;
    uint64_t *refs;

    if (n) {
        refs = g_new(uint64_t, n);
        module_refs_put(m, refs);
        pending_kernel(m->base.context, refs, n * sizeof(*refs), fence);
        g_free(refs);
    }
}

void function_reaches(struct function *f, const void *params, struct fence fence)
{
    uint64_t variables = f->module->global ? region_address(f->module->global) : 0;

    pending_kernel(f->module->base.context, params, f->func->param_bytes, fence);
    pending_kernel(f->module->base.context, &variables, sizeof(variables),
                   fence); /* __managed__ ones */
    references_reach(f->module, fence);
    if (pending_any() && function_chases(f)) {
        pending_reached(fence);
    }
}
