/* SPDX-License-Identifier: MIT */
/* Libraries and their kernels. */
#include "runtime/api/cuda/api.h"

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    int value;
    CUresult rc = rt_device_attribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev);

    return rc == CUDA_SUCCESS ? rt_function_set_cache_config((CUfunction)kernel, config) : rc;
}

CUresult cuKernelGetName(const char **name, CUkernel hfunc)
{
    return hfunc ? rt_function_name(name, (CUfunction)hfunc) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                              size_t *paramSize)
{
    return kernel ? rt_function_param((CUfunction)kernel, paramIndex, paramOffset, paramSize)
                  : api_fail(CUDA_ERROR_INVALID_VALUE);
}
