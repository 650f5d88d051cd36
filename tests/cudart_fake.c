/* SPDX-License-Identifier: MIT */
#include "tests/cudart_fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)
#include "include/cuda.h"
fake_calls_fn fake_calls;
fake_fail_fn fake_fail;
#pragma GCC visibility pop

static char calls[8192], seen[8192];
static const char *failing;
static int failing_result;
static _Thread_local CUcontext current;
static char contexts[FAKE_DEVICES], functions[2], kernels[64], variables[64];
static int loads, managed_value;

const char *fake_calls(void)
{
    strcpy(seen, calls);
    calls[0] = '\0';
    return seen;
}

void fake_fail(const char *function, int result)
{
    failing = function;
    failing_result = result;
}

/* Writes the call down; returns what it shall answer. */
static CUresult called(const char *function, const char *format, ...)
{
    size_t used = strlen(calls);
    va_list args;

    used += (size_t)snprintf(calls + used, sizeof(calls) - used, "%s ", function);
    va_start(args, format);
    vsnprintf(calls + used, sizeof(calls) - used, format, args);
    va_end(args);
    strncat(calls, "\n", sizeof(calls) - strlen(calls) - 1);
    if (failing && !strcmp(failing, function)) {
        failing = NULL;
        return (CUresult)failing_result;
    }
    return CUDA_SUCCESS;
}

static int context_number(CUcontext ctx)
{
    return ctx ? (int)((char *)ctx - contexts) : -1;
}

CUresult cuInit(unsigned int Flags)
{
    return called("cuInit", "%u", Flags);
}

CUresult cuDriverGetVersion(int *driverVersion)
{
    *driverVersion = 13000;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    *count = FAKE_DEVICES;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    *pctx = (CUcontext)&contexts[dev];
    return called("cuDevicePrimaryCtxRetain", "%d", dev);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
    return called("cuDevicePrimaryCtxRelease", "%d", dev);
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
    return called("cuDevicePrimaryCtxReset", "%d", dev);
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
    current = ctx;
    return called("cuCtxSetCurrent", "%d", context_number(ctx));
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
    *pctx = current;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    *device = context_number(current);
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxSynchronize(void)
{
    return called("cuCtxSynchronize", "");
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                           void **jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption *libraryOptions, void **libraryOptionValues,
                           unsigned int numLibraryOptions)
{
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
    (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
    *library = (CUlibrary)&functions[loads++ & 1];
    return called("cuLibraryLoadData", "%s", *(const char *const *)code);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    (void)library;
    return called("cuLibraryUnload", "");
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    (void)library;
    *pKernel = (CUkernel)&kernels[name[0] & 63];
    return called("cuLibraryGetKernel", "%s", name);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    (void)library;
    *dptr = (CUdeviceptr)(size_t)&variables[0];
    *bytes = 16;
    return called("cuLibraryGetGlobal", "%s in context %d", name, context_number(current));
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    (void)library;
    *dptr = (CUdeviceptr)(size_t)&managed_value;
    *bytes = sizeof(managed_value);
    return called("cuLibraryGetManaged", "%s", name);
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void **kernelParams, void **extra)
{
    (void)kernelParams, (void)extra;
    char *at = (char *)f;
    int known = at >= kernels && at < kernels + sizeof(kernels);
    return called("cuLaunchKernel", "%c %u %u %u, %u %u %u, %u, stream %d",
                  known ? (int)(at - kernels) + 64 : '?', gridDimX, gridDimY, gridDimZ, blockDimX,
                  blockDimY, blockDimZ, sharedMemBytes, (int)(size_t)hStream);
}

CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize)
{
    *dptr = 0x1000;
    return called("cuMemAlloc", "%zu", bytesize);
}

CUresult cuMemFree(CUdeviceptr dptr)
{
    return called("cuMemFree", "%llx", dptr);
}

CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    (void)srcHost;
    return called("cuMemcpyHtoD", "+%llu %zu", dstDevice - (CUdeviceptr)(size_t)&variables[0],
                  ByteCount);
}

CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    (void)dstHost;
    return called("cuMemcpyDtoHAsync", "%llx %zu, stream %d", srcDevice, ByteCount,
                  (int)(size_t)hStream);
}

CUresult cuMemsetD2D8(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                      size_t Height)
{
    return called("cuMemsetD2D8", "%llx %zu %u %zu %zu", dstDevice, dstPitch, uc, Width, Height);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *pCopy)
{
    return called("cuMemcpy2DUnaligned", "%d -> %d, %zu x %zu", pCopy->srcMemoryType,
                  pCopy->dstMemoryType, pCopy->WidthInBytes, pCopy->Height);
}

CUresult cuStreamSynchronize(CUstream hStream)
{
    return called("cuStreamSynchronize", "%d", (int)(size_t)hStream);
}

CUresult cuStreamQuery(CUstream hStream)
{
    return called("cuStreamQuery", "%d", (int)(size_t)hStream);
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                             unsigned int flags)
{
    CUresult result = called("cuStreamAddCallback", "%u", flags);

    if (result == CUDA_SUCCESS) {
        callback(hStream, CUDA_ERROR_LAUNCH_FAILED, userData);
    }
    return result;
}
