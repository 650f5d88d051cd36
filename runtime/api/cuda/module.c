/* SPDX-License-Identifier: MIT */
/* Modules and linking. */
#include "runtime/api/cuda/api.h"

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
    return fname && *fname ? rt_module_load_file(module, fname)
                           : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    return name && *name ? rt_module_function(hfunc, hmod, name)
                         : api_fail(CUDA_ERROR_INVALID_VALUE);
}

static bool options_are_valid(unsigned n, const CUjit_option *options, void **values)
{
    for (unsigned i = 0; n && options && i < n; i++) {
        if ((unsigned)options[i] >= CU_JIT_NUM_OPTIONS) {
            return false;
        }
    }
    return !n || (options && values);
}

/* Options of single inputs are hints to an assembler that does not exist here. */
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int numOptions, CUjit_option *options,
                       void **optionValues)
{
    if (!options_are_valid(numOptions, options, optionValues)) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    return rt_link_add(state, type, data, size, name);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    if (!options_are_valid(numOptions, options, optionValues)) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    return rt_link_add_file(state, type, path);
}
