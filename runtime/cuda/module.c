/* SPDX-License-Identifier: MIT */
/* Modules and linking. */
#include "runtime/cuda/api.h"

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
    return fname && *fname ? rt_module_load_file(module, fname)
                           : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return rt_module_load(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                            CUjit_option *options, void **optionValues)
{
    return rt_module_load(module, image, numOptions, options, optionValues);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return rt_module_load(module, fatCubin, 0, NULL, NULL);
}

CUresult cuModuleUnload(CUmodule hmod)
{
    return rt_module_unload(hmod);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    return rt_module_loading_mode(mode);
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    return name && *name ? rt_module_function(hfunc, hmod, name)
                         : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    return rt_module_function_count(count, mod);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
    return rt_module_functions(functions, numFunctions, mod);
}

CUresult cuModuleGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    return rt_module_global(dptr, bytes, hmod, name);
}

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                      CUlinkState *stateOut)
{
    return rt_link_create(numOptions, options, optionValues, stateOut);
}

/* Options of single inputs are hints to an assembler that does not exist here. */
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int numOptions, CUjit_option *options,
                       void **optionValues)
{
    if (numOptions && (!options || !optionValues)) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    return rt_link_add(state, type, data, size, name);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    if (numOptions && (!options || !optionValues)) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    return rt_link_add_file(state, type, path);
}

CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    return rt_link_complete(state, cubinOut, sizeOut);
}

CUresult cuLinkDestroy(CUlinkState state)
{
    return rt_link_destroy(state);
}
