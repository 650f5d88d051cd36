/* SPDX-License-Identifier: MIT */
/* libcuda.so.1 stands on the driver core's rt_ functions alone: a function of NVIDIA's reference is
 * one of them here. The core takes the lock, checks initialisation, arguments and handles
 * (runtime/driver/driver.h); this layer unfolds signatures. Most functions are a row of cuda.def;
 * those that are HAND there are in the files of this folder.
 *
 * Files whose HAND functions take a stream, or work in the default one, are compiled twice: with
 * CUDA_API_PER_THREAD_DEFAULT_STREAM cuda.h renames the functions to their _ptds and _ptsz forms,
 * and stream 0 means the calling thread's. Functions without such a form stand inside API_ONCE.
 */
#ifndef RUNTIME_CUDA_API_H
#define RUNTIME_CUDA_API_H

#include "include/cuda.h"
#include "include/cudaProfiler.h"
#include "runtime/driver/driver.h"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define API_ONCE 0
#define API_STREAM_0 CU_STREAM_PER_THREAD
#define API_PTSZ(name) name##_ptsz
#else
#define API_ONCE 1
#define API_STREAM_0 CU_STREAM_LEGACY
#define API_PTSZ(name) name
#endif

static inline CUstream api_stream(CUstream stream)
{
    return stream ? stream : API_STREAM_0;
}

static inline CUdeviceptr api_address(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

/* A device ordinal, or CU_DEVICE_CPU, as a location. */
static inline CUmemLocation api_location(CUdevice device)
{
    return device == CU_DEVICE_CPU
               ? (CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_HOST }
               : (CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device };
}

/* @code for an argument that never reaches the core; before cuInit that comes first. */
static inline CUresult api_fail(CUresult code)
{
    int count;
    CUresult rc = rt_device_count(&count);

    return rc == CUDA_SUCCESS ? code : rc;
}

#endif
