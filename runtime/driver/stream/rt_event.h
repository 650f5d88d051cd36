/* SPDX-License-Identifier: MIT */
/* Events. Rules: runtime/driver/driver.h. */
#ifndef RUNTIME_DRIVER_STREAM_RT_EVENT_H
#define RUNTIME_DRIVER_STREAM_RT_EVENT_H

#include "include/cuda.h"

/* CU_EVENT_INTERPROCESS: rt_ipc.h. */
CUresult rt_event_create(CUevent *event, unsigned flags);
CUresult rt_event_destroy(CUevent event); /* at once, also when recorded and not reached */
CUresult rt_event_record(CUevent event, CUstream stream, unsigned flags);
CUresult rt_event_query(CUevent event); /* never recorded: CUDA_SUCCESS */
CUresult rt_event_synchronize(CUevent event);
/* Virtual time of the board. Never recorded or without timing: CUDA_ERROR_INVALID_HANDLE; not yet
 * reached: CUDA_ERROR_NOT_READY. */
CUresult rt_event_elapsed(float *milliseconds, CUevent start, CUevent end);

#endif
