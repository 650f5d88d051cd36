/* SPDX-License-Identifier: MIT */
/* CUDA IPC (CUDA Driver API, device memory and events between processes), on a board that several
 * processes share. Rules: runtime/driver/driver.h. Codes are NVIDIA's as measured
 * (tests/golden/cuda_ipc_*); CUDA_ERROR_NOT_SUPPORTED where the edition has none, and on a board of
 * one's own. */
#ifndef RUNTIME_DRIVER_MEMORY_RT_IPC_H
#define RUNTIME_DRIVER_MEMORY_RT_IPC_H

#include "include/cuda.h"

/* The same handle each time, until the memory is freed or this process ends. */
CUresult rt_ipc_mem_get(CUipcMemHandle *handle, CUdeviceptr ptr);
/* @ptr: where it lies in the exporter, too; opened again it is the same. A handle of freed memory,
 * or of a process that has ended, is CUDA_ERROR_INVALID_HANDLE. */
CUresult rt_ipc_mem_open(CUdeviceptr *ptr, CUipcMemHandle handle, unsigned flags);
/* As often as it was opened; waits like rt_mem_free(). */
CUresult rt_ipc_mem_close(CUdeviceptr ptr);

CUresult rt_ipc_event_get(CUipcEventHandle *handle, CUevent event);
/* Ended by rt_event_destroy(). A handle of an event that is gone is CUDA_ERROR_MAP_FAILED. */
CUresult rt_ipc_event_open(CUevent *event, CUipcEventHandle handle);

#endif
