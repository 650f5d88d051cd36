/* SPDX-License-Identifier: MIT */
/* A launch of an instance: it runs; a stream that captures takes none. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/graph_exec.h"
#include "runtime/driver/stream/stream_internal.h"

/* core_enter_context(), the instance and the stream. */
static CUresult launch_enter(CUgraphExec exec, CUstream stream, struct graph_exec **e,
                             struct stream **s)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    *e = graph_exec_find(exec);
    error = *e ? stream_resolve(c, stream, s) : CUDA_ERROR_INVALID_VALUE;
    error = error ? error : capture_refuse(*s); /* measured: it is no child graph, ... */
    if (error == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) {
        error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; /* and not _INVALIDATED as of other works */
    }
    return error ? core_leave(error) : CUDA_SUCCESS;
}

/* There is nothing to upload. */
CUresult rt_graph_upload(CUgraphExec exec, CUstream stream)
{
    struct graph_exec *e;
    struct stream *s;
    CUresult error = launch_enter(exec, stream, &e, &s);

    return error ? error : core_leave(CUDA_SUCCESS);
}

CUresult rt_graph_launch(CUgraphExec exec, CUstream stream)
{
    struct graph_exec *e;
    struct stream *s;
    CUresult error = launch_enter(exec, stream, &e, &s);

    if (error) {
        return error;
    }
    cost_pass(COST_SUBMIT, 1);
    return core_leave(graph_launch(e, s));
}
