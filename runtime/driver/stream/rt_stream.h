/* SPDX-License-Identifier: MIT */
/* Streams, host functions, memory operations in stream order. Rules: runtime/driver/driver.h. */
#ifndef RUNTIME_DRIVER_STREAM_RT_STREAM_H
#define RUNTIME_DRIVER_STREAM_RT_STREAM_H

#include "include/cuda.h"
#include "runtime/driver/stream/rt_graph.h"

/* @priority is clamped to the range of the device. A channel a stream: when channels or syncpoints
 * are used up CUDA_ERROR_OUT_OF_MEMORY and a finding that says which. */
CUresult rt_stream_create(CUstream *stream, unsigned flags, int priority);
/* Returns at once; the channel goes back when its work is done. The default streams are
 * CUDA_ERROR_INVALID_HANDLE. */
CUresult rt_stream_destroy(CUstream stream);
CUresult rt_stream_synchronize(CUstream stream);
/* CUDA_SUCCESS (as good as a synchronise) or CUDA_ERROR_NOT_READY; gives the board a turn. */
CUresult rt_stream_query(CUstream stream);
CUresult rt_stream_wait_event(CUstream stream, CUevent event, unsigned flags);

CUresult rt_stream_priority(CUstream stream, int *priority);
CUresult rt_stream_flags(CUstream stream, unsigned *flags);
CUresult rt_stream_id(CUstream stream, unsigned long long *id);
CUresult rt_stream_context(CUstream stream, CUcontext *context);
CUresult rt_stream_device(CUstream stream, CUdevice *device);
CUresult rt_stream_attribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value);
CUresult rt_stream_set_attribute(CUstream stream, CUstreamAttrID attribute,
                                 const CUstreamAttrValue *value);
CUresult rt_stream_copy_attributes(CUstream dst, CUstream src);

/* Host functions run on one thread of the driver, in the order in which their streams reach them,
 * while another thread is inside a call that lets the board advance. The stream waits for them. */
CUresult rt_stream_host_func(CUstream stream, CUhostFn fn, void *data);
/* The older form: also called, with the error, when the context has failed. */
CUresult rt_stream_callback(CUstream stream, CUstreamCallback fn, void *data, unsigned flags);

/* @bits: 32 or 64. @flags: CU_STREAM_WAIT_VALUE_*, CU_STREAM_WRITE_VALUE_*. @ptr aligned to the
 * value, device-visible memory. */
CUresult rt_stream_wait_value(CUstream stream, CUdeviceptr ptr, uint64_t value, unsigned bits,
                              unsigned flags);
CUresult rt_stream_write_value(CUstream stream, CUdeviceptr ptr, uint64_t value, unsigned bits,
                               unsigned flags);
CUresult rt_stream_batch_mem_op(CUstream stream, unsigned count, CUstreamBatchMemOpParams *ops,
                                unsigned flags);

/* Capture. Codes: CUDA Driver API, stream management, and as measured. @info: what is written while
 * a capture is active; each may be NULL. */
struct rt_capture_info {
    cuuint64_t *id;
    CUgraph *graph;
    const CUgraphNode **deps;
    const CUgraphEdgeData **edges;
    size_t *n;
};
CUresult rt_stream_begin_capture(CUstream stream, CUstreamCaptureMode mode);
CUresult rt_stream_begin_capture_to(CUstream stream, CUgraph graph, struct rt_deps deps,
                                    CUstreamCaptureMode mode);
CUresult rt_stream_end_capture(CUstream stream, CUgraph *graph);
CUresult rt_stream_capture_info(CUstream stream, CUstreamCaptureStatus *status,
                                struct rt_capture_info *info);
/* @flags: CU_STREAM_ADD_ or _SET_CAPTURE_DEPENDENCIES */
CUresult rt_stream_update_capture(CUstream stream, struct rt_deps deps, unsigned flags);
CUresult rt_thread_capture_mode(CUstreamCaptureMode *mode);

#endif
