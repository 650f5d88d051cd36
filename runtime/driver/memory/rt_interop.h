/* SPDX-License-Identifier: MIT */
/* External memory and semaphores: objects of NvSci in CUDA. Rules: runtime/driver/driver.h. Where
 * the type of a handle is none that is supported, CUDA_ERROR_NOT_SUPPORTED and a line that names
 * it. */
#ifndef RUNTIME_DRIVER_MEMORY_RT_INTEROP_H
#define RUNTIME_DRIVER_MEMORY_RT_INTEROP_H

#include "include/cuda.h"

CUresult rt_external_memory_import(CUexternalMemory *out,
                                   const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc);
/* cuMemFree() ends the mapping, which keeps the memory. */
CUresult rt_external_memory_buffer(CUdeviceptr *ptr, CUexternalMemory memory,
                                   const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc);
CUresult rt_external_memory_mipmap(CUmipmappedArray *out, CUexternalMemory memory,
                                   const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc);
CUresult rt_external_memory_destroy(CUexternalMemory memory);

CUresult rt_external_semaphore_import(CUexternalSemaphore *out,
                                      const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc);
CUresult rt_external_semaphore_destroy(CUexternalSemaphore semaphore);
/* CUDA_ERROR_NOT_SUPPORTED: the object's lists had no permission for it; CUDA_ERROR_INVALID_VALUE:
 * a fence of another object. The fences of signals are written before the call returns. */
CUresult rt_external_signal(const CUexternalSemaphore *semaphores,
                            const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params, unsigned n,
                            CUstream stream);
CUresult rt_external_wait(const CUexternalSemaphore *semaphores,
                          const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params, unsigned n,
                          CUstream stream);

CUresult rt_nvscisync_attributes(void *list, CUdevice device, int flags);

#endif
