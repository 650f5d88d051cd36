/* SPDX-License-Identifier: MIT */
/* References that a module's variables are: made when the program asks for them. */
#include "runtime/driver/array/rt_texref.h"
#include "runtime/driver/array/texref.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/module/module_ref.h"

static CUresult texref_find(struct object *m, const char *name, bool surface, const char *api,
                            void **ref)
{
    struct module_ref **place = module_ref_place((struct module *)m, name, surface);
    CUresult error;

    if (!place) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (!*place) {
        error = object_room(api, 1, "reference");
        if (error) {
            return error;
        }
        *place = (struct module_ref *)texref_new(m->context, surface);
    }
    *ref = (*place)->base.handle;
    return CUDA_SUCCESS;
}

/* Measured (H200, driver 580.159.04): the module is checked first; no context need be current. */
static CUresult texref_get(void **ref, CUmodule module, const char *name, bool surface,
                           const char *api)
{
    CUresult error = core_enter();
    struct object *m;

    if (error) {
        return error;
    }
    m = handle_find(HANDLE_MODULE, module);
    if (!m || !ref || !name || !*name) {
        return core_leave(m ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    }
    return core_leave(texref_find(m, name, surface, api, ref));
}

CUresult rt_module_texref(CUtexref *ref, CUmodule module, const char *name)
{
    return texref_get((void **)ref, module, name, false, "cuModuleGetTexRef");
}

CUresult rt_module_surfref(CUsurfref *ref, CUmodule module, const char *name)
{
    return texref_get((void **)ref, module, name, true, "cuModuleGetSurfRef");
}
