/* SPDX-License-Identifier: MIT */
/* The entry points that compilers call; no header of CUDA declares them. */
#ifndef RUNTIME_CUDART_MODULE_H
#define RUNTIME_CUDART_MODULE_H

#include "runtime/api/cudart/rt.h"

/*
 * What a launch names: a registered kernel by its stub, or a CUkernel (cudaGetKernel,
 * cudaLibraryGetKernel) as it is. Errors as rt_kernel_find.
 */
cudaError_t rt_launchable(const void *func, CUkernel *kernel);

#pragma GCC visibility push(default)
void **__cudaRegisterFatBinary(void *fatCubin);
void __cudaRegisterFatBinaryEnd(void **fatCubinHandle);
void __cudaUnregisterFatBinary(void **fatCubinHandle);
void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
                            const char *deviceName, int thread_limit, struct uint3 *tid,
                            struct uint3 *bid, struct dim3 *bDim, struct dim3 *gDim, int *wSize);
void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
                       const char *deviceName, int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global);
void __cudaRegisterHostVar(void **fatCubinHandle, const char *deviceName, char *hostVar,
                           size_t size);
void __cudaRegisterUnifiedTable(void **fatCubinHandle, void *table);
char __cudaInitModule(void **fatCubinHandle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernelPtr, const void *func);
unsigned int __cudaPushCallConfiguration(struct dim3 gridDim, struct dim3 blockDim,
                                         size_t sharedMem, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(struct dim3 *gridDim, struct dim3 *blockDim,
                                       size_t *sharedMem, void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, struct dim3 gridDim, struct dim3 blockDim,
                               void **args, size_t sharedMem, cudaStream_t stream);
#pragma GCC visibility pop

#endif
