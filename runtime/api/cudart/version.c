/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Version Management, Profiler Control, Driver Entry Point Access; libraries. */
#include "runtime/api/cudart/rt.h"

/* Without a driver the version is 0, and that is no error (reference). */
cudaError_t cudaDriverGetVersion(int *driverVersion)
{
    RT_REQUIRE(driverVersion, cudaErrorInvalidValue);
    *driverVersion = 0;
    rt_init();
    if (rt_drv.cuDriverGetVersion) {
        rt_drv.cuDriverGetVersion(driverVersion);
    }
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
    RT_REQUIRE(runtimeVersion, cudaErrorInvalidValue);
    *runtimeVersion = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void)
{
    RT_TRY(rt_context());
    return rt_result(rt_drv.cuProfilerStart());
}

cudaError_t cudaProfilerStop(void)
{
    RT_TRY(rt_context());
    return rt_result(rt_drv.cuProfilerStop());
}

/* The flags and the answers have the driver's numbers. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
                                             unsigned int cudaVersion, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *driverStatus)
{
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    CUresult result;

    RT_TRY(rt_init());
    RT_REQUIRE(symbol && funcPtr, cudaErrorInvalidValue);
    result = rt_drv.cuGetProcAddress(symbol, funcPtr, (int)cudaVersion, flags, &found);
    if (driverStatus && (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_FOUND)) {
        /* Not to find a function is an answer, for a caller that asks for it. */
        *driverStatus = (enum cudaDriverEntryPointQueryResult)found;
        return cudaSuccess;
    }
    return rt_result(result);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *driverStatus)
{
    return cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}

/* Libraries: code that the program loads by hand. Options have the driver's numbers. */

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                            int value, int device)
{
    CUdevice dev;

    RT_TRY(rt_device_check(device, &dev));
    return RT_DRIVER(cuKernelSetAttribute, (CUfunction_attribute)attr, value, kernel, dev);
}
