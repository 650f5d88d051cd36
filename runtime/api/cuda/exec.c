/* SPDX-License-Identifier: MIT */
/* Execution: launches and what a function is. Compiled twice (api.h). */
#include "runtime/api/cuda/api.h"

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                          void **extra)
{
    if (!config) {
        return api_fail(CUDA_ERROR_INVALID_VALUE);
    }
    CUlaunchConfig launch = *config;
    launch.hStream = api_stream(config->hStream);
    return rt_launch(&launch, f, kernelParams, extra);
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void **kernelParams, void **extra)
{
    const CUlaunchConfig launch = {
        .gridDimX = gridDimX,
        .gridDimY = gridDimY,
        .gridDimZ = gridDimZ,
        .blockDimX = blockDimX,
        .blockDimY = blockDimY,
        .blockDimZ = blockDimZ,
        .sharedMemBytes = sharedMemBytes,
        .hStream = api_stream(hStream),
    };

    return rt_launch(&launch, f, kernelParams, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void **kernelParams)
{
    CUlaunchAttribute cooperative = {
        .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
        .value = { .cooperative = 1 },
    };
    const CUlaunchConfig launch = {
        .gridDimX = gridDimX,
        .gridDimY = gridDimY,
        .gridDimZ = gridDimZ,
        .blockDimX = blockDimX,
        .blockDimY = blockDimY,
        .blockDimZ = blockDimZ,
        .sharedMemBytes = sharedMemBytes,
        .hStream = api_stream(hStream),
        .attrs = &cooperative,
        .numAttrs = 1,
    };

    return rt_launch(&launch, f, kernelParams, NULL);
}

#if API_ONCE
CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    return hfunc ? rt_function_module(hmod, hfunc) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
    return hfunc ? rt_function_name(name, hfunc) : api_fail(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
                            size_t *paramSize)
{
    return func ? rt_function_param(func, paramIndex, paramOffset, paramSize)
                : api_fail(CUDA_ERROR_INVALID_VALUE);
}
#endif
