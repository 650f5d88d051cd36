/* SPDX-License-Identifier: MIT */
/* Stream capture: what a capturing stream is given becomes nodes of a graph.
 *
 * Who may be called while a capture is under way, and what spoils it: CUDA Driver API, stream
 * management; the codes and what still works after them as measured (tests/golden/gen). */
#ifndef RUNTIME_DRIVER_STREAM_CAPTURE_H
#define RUNTIME_DRIVER_STREAM_CAPTURE_H

#include <glib.h>
#include <stdbool.h>

#include "include/cuda.h"

struct context;
struct stream;
struct work;

/* A stream is about to be given something. CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: the legacy stream,
 * while a blocking stream of its context captures; _INVALIDATED: its own capture is spoilt. */
CUresult capture_touch(struct stream *stream);
/* A stream is about to be waited for or asked: none that captures may be, and no other where the
 * thread's mode forbids it. */
CUresult capture_sync(struct stream *stream);
/* What no capture takes: spoils it, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED. */
CUresult capture_refuse(struct stream *stream);
CUresult capture_sync_context(struct context *context);
/* A call that a global capture forbids, cuMemAlloc for one. */
CUresult capture_unsafe(void);
CUresult capture_elsewhere(struct stream *stream); /* the same, of a call into @stream */
void capture_spoil(struct stream *stream); /* its capture, if there is one, has no good end */

/* Events: recorded in a capture they stand for nodes. */
CUresult capture_event_record(struct stream *stream, CUevent event, unsigned flags, bool *done);
CUresult capture_event_wait(struct stream *stream, CUevent event, bool recorded, unsigned flags,
                            bool *done);
CUresult capture_event_sync(CUevent event);  /* waited for or asked */
CUresult capture_event_times(CUevent event); /* its time is asked for */
void capture_event_forget(CUevent event);

CUresult capture_work(struct stream *stream, const struct work *work);
CUresult capture_alloc(struct stream *stream, size_t bytes, CUdeviceptr *ptr);
CUresult capture_free_memory(struct stream *stream, CUdeviceptr ptr);
void capture_stream_gone(struct stream *stream);

#endif
