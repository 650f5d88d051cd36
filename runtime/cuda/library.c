/* SPDX-License-Identifier: MIT */
/* Libraries and their kernels. */
#include "runtime/cuda/api.h"

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                           void **jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption *libraryOptions, void **libraryOptionValues,
                           unsigned int numLibraryOptions)
{
    return rt_library_load(library, code, jitOptions, jitOptionsValues, numJitOptions,
                           libraryOptions, libraryOptionValues, numLibraryOptions);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                               void **jitOptionsValues, unsigned int numJitOptions,
                               CUlibraryOption *libraryOptions, void **libraryOptionValues,
                               unsigned int numLibraryOptions)
{
    return rt_library_load_file(library, fileName, jitOptions, jitOptionsValues, numJitOptions,
                                libraryOptions, libraryOptionValues, numLibraryOptions);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    return rt_library_unload(library);
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    return rt_library_kernel(pKernel, library, name);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
    return rt_library_kernel_count(count, lib);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
    return rt_library_kernels(kernels, numKernels, lib);
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    return rt_library_module(pMod, library);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    return rt_library_global(dptr, bytes, library, name);
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    return rt_library_managed(dptr, bytes, library, name);
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    return rt_kernel_function(pFunc, kernel);
}

CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    return rt_kernel_library(pLib, kernel);
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
    return rt_kernel_attribute(pi, attrib, kernel, dev);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev)
{
    return rt_kernel_set_attribute(attrib, val, kernel, dev);
}

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
