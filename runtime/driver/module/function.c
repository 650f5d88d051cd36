/* SPDX-License-Identifier: MIT */
/* Functions and kernels: attributes and parameters. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/module/module_internal.h"
#include "runtime/driver/module/rt_module.h"

static CUresult enter(CUfunction handle, struct function **f)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = function_resolve(c, handle, f);
    return error ? core_leave(error) : CUDA_SUCCESS;
}

static CUresult attribute_get(const struct function *f, CUfunction_attribute attribute, int *value)
{
    const struct ptx_module *ptx = f->module->image->ptx;

    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)occupancy_max_threads(f);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)f->func->shared_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)ptx->const_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)f->func->local_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)f->registers;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = (int)ptx->target_sm;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = (int)soc_profile_cc(function_profile(f));
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = f->max_dynamic;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = f->carveout;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        return CUDA_SUCCESS;
    default:
        return cluster_attribute(f, attribute, value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult attribute_check(const struct function *f, CUfunction_attribute attribute, int value)
{
    const uint64_t most = function_profile(f)->gpu.block_smem_optin_bytes;
    const uint64_t shared_bytes = f->func->shared_bytes;

    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        return value >= 0 && shared_bytes <= most && (uint64_t)value <= most - shared_bytes
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return value >= CU_SHAREDMEM_CARVEOUT_DEFAULT && value <= CU_SHAREDMEM_CARVEOUT_MAX_SHARED
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    default:
        return cluster_attribute_set(f, attribute, value, &(struct cluster_wish){ 0 });
    }
}

static CUresult attribute_refuse(const struct function *f, CUresult error,
                                 CUfunction_attribute attribute, int value)
{
    g_autofree char *name = check_demangle(f->func->name);

    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        return report_error(
            error, "cuFuncSetAttribute", "CUDA Programming Guide, technical specifications",
            "%s: %d bytes of dynamic shared memory beside %" G_GUINT64_FORMAT
            " static ones, a block on this SoC has %" G_GUINT32_FORMAT
            " at most (cudaDevAttrMaxSharedMemoryPerBlockOptin)",
            name, value, f->func->shared_bytes, function_profile(f)->gpu.block_smem_optin_bytes);
    }
    return report_error(error, "cuFuncSetAttribute", "CUDA Driver API, cuFuncSetAttribute",
                        "%s: %d does not fit attribute %d", name, value, (int)attribute);
}

CUresult rt_function_attribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct function *f;
    CUresult error = enter(function, &f);

    if (error) {
        return error;
    }
    return core_leave(value ? attribute_get(f, attribute, value) : CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_function_set_attribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    struct function *f;
    struct kernel *k;
    CUresult error = enter(function, &f);

    if (error) {
        return error;
    }
    error = attribute_check(f, attribute, value);
    if (error) {
        return core_leave(attribute_refuse(f, error, attribute, value));
    }
    k = handle_find(HANDLE_KERNEL, function);
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        f->max_dynamic = value;
        if (k) {
            k->max_dynamic = value;
        }
    } else if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
        f->carveout = value;
        if (k) {
            k->carveout = value;
        }
    } else {
        cluster_attribute_set(f, attribute, value, &f->cluster);
        if (k) {
            k->cluster = f->cluster;
        }
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_function_set_cache_config(CUfunction function, CUfunc_cache config)
{
    struct function *f;
    CUresult error = enter(function, &f);

    if (error) {
        return error;
    }
    return core_leave((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE
                                                                    : CUDA_SUCCESS);
}

CUresult rt_function_set_shared_config(CUfunction function, CUsharedconfig config)
{
    struct function *f;
    CUresult error = enter(function, &f);

    if (error) {
        return error;
    }
    return core_leave((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
                          ? CUDA_ERROR_INVALID_VALUE
                          : CUDA_SUCCESS);
}

CUresult rt_function_module(CUmodule *module, CUfunction function)
{
    struct function *f;
    CUresult error = enter(function, &f);

    if (error) {
        return error == CUDA_ERROR_INVALID_HANDLE && !function ? CUDA_ERROR_INVALID_VALUE : error;
    }
    if (!module) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *module = f->module->base.handle;
    return core_leave(CUDA_SUCCESS);
}

/* What a handle stands for, without loading anything. */
static const struct ptx_func *func_of(CUfunction handle)
{
    const struct kernel *k = handle_find(HANDLE_KERNEL, handle);
    const struct function *f = handle_find(HANDLE_FUNCTION, handle);

    return k ? k->func : f ? f->func : NULL;
}

CUresult rt_function_name(const char **name, CUfunction function)
{
    const struct ptx_func *func;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    func = func_of(function);
    if (!name || !func) {
        return core_leave(name && function ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    }
    *name = func->name;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_function_param(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    const struct ptx_func *func;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    func = func_of(function);
    if (!func) {
        return core_leave(function ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    }
    if (!offset || index >= func->n_params) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *offset = func->params[index]->offset;
    if (size) {
        *size = func->params[index]->size;
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_function_is_loaded(CUfunctionLoadingState *state, CUfunction function)
{
    struct function *f;
    CUresult error = enter(function, &f);

    if (error) {
        return error;
    }
    if (!state) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_function_load(CUfunction function)
{
    struct function *f;
    CUresult error = enter(function, &f);

    return error ? error : core_leave(CUDA_SUCCESS);
}

CUresult rt_kernel_function(CUfunction *function, CUkernel kernel)
{
    struct function *f;
    CUresult error = enter((CUfunction)kernel, &f);

    if (error) {
        return error;
    }
    if (!function) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *function = f->base.handle;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_kernel_library(CUlibrary *library, CUkernel kernel)
{
    const struct kernel *k;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    k = handle_find(HANDLE_KERNEL, kernel);
    if (!k || !library) {
        return core_leave(library ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    }
    *library = k->library->base.handle;
    return core_leave(CUDA_SUCCESS);
}

static CUresult device_check(CUdevice device)
{
    CUresult error = core_state();

    return error ? error : device_of(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult rt_kernel_attribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                             CUdevice device)
{
    CUresult error = device_check(device);

    return error ? error : rt_function_attribute(value, attribute, (CUfunction)kernel);
}

CUresult rt_kernel_set_attribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                 CUdevice device)
{
    CUresult error = device_check(device);

    return error ? error : rt_function_set_attribute((CUfunction)kernel, attribute, value);
}

CUkernel function_kernel(CUfunction handle)
{
    const struct function *f = handle_find(HANDLE_FUNCTION, handle);
    const struct library *l = f ? f->module->library : NULL;

    for (guint i = 0; l && i < l->kernels->len; i++) {
        const struct kernel *k = g_ptr_array_index(l->kernels, i);

        if (k->func == f->func || strcmp(k->func->name, f->func->name) == 0) {
            return k->base.handle;
        }
    }
    return NULL;
}
