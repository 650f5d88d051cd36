/* SPDX-License-Identifier: MIT */
/* Captures begin and end. */
#include "runtime/driver/stream/capture_internal.h"
#include "runtime/driver/stream/graph.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/stream/rt_stream.h"
#include "runtime/driver/stream/stream_internal.h"

/* Its graph stays. */
static void capture_free_all(struct capture *c)
{
    if (graph_find(c->graph)) {
        graph_find(c->graph)->capturing = false;
    }
    capture_free(c);
}

static void graph_drop(CUgraph handle, bool given)
{
    if (!given && graph_find(handle)) {
        graph_free(graph_find(handle));
    }
}

static void capture_drop(struct capture *c)
{
    CUgraph graph = c->graph;
    bool given = c->given;

    capture_free_all(c);
    graph_drop(graph, given);
}

static const struct capture_maker maker = { capture_make_work, capture_make_alloc,
                                            capture_make_free, capture_drop };

static CUresult capture_enter(CUstream handle, struct stream **s)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, handle, s);
    return error ? core_leave(error) : CUDA_SUCCESS;
}

static CUresult begin(struct stream *s, struct graph *g, bool given, const CUgraphNode *deps,
                      size_t n, CUstreamCaptureMode mode)
{
    struct capture *c = g_new0(struct capture, 1);

    c->maker = &maker;
    c->mode = mode;
    c->graph = g->base.handle;
    c->given = given;
    g->capturing = true;
    capture_begin(c);
    capture_join(c, s, deps, n);
    return CUDA_SUCCESS;
}

static CUresult may_begin(struct stream *s, CUstreamCaptureMode mode)
{
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (s == stream_legacy(s->base.context)) {
        CUresult error = capture_touch(s);

        return error ? error : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return s->capture ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

CUresult rt_stream_begin_capture(CUstream stream, CUstreamCaptureMode mode)
{
    struct stream *s;
    CUresult error = capture_enter(stream, &s);

    if (error) {
        return error;
    }
    error = may_begin(s, mode);
    error = error ? error : object_room("cuStreamBeginCapture", 1, "graph");
    return core_leave(error ? error : begin(s, graph_new(), false, NULL, 0, mode));
}

CUresult rt_stream_begin_capture_to(CUstream stream, CUgraph graph, struct rt_deps deps,
                                    CUstreamCaptureMode mode)
{
    struct graph *g;
    struct stream *s;
    CUresult error = capture_enter(stream, &s);

    if (error) {
        return error;
    }
    g = graph_find(graph);
    error = may_begin(s, mode);
    error = error ? error
            : !g  ? CUDA_ERROR_INVALID_VALUE
                  : graph_deps_check(g, deps.nodes, deps.data, deps.n);
    if (!error && g->capturing) {
        error = CUDA_ERROR_ILLEGAL_STATE;
    }
    return core_leave(error ? error : begin(s, g, true, deps.nodes, deps.n, mode));
}

/* Is @node one of @deps, or before one of them? Marks what it has seen. */
static void mark_before(struct graph_node *n)
{
    if (n->mark) {
        return;
    }
    n->mark = 1;
    for (guint e = 0; e < n->in->len; e++) {
        mark_before(g_array_index(n->in, struct graph_edge, e).node);
    }
}

static bool capture_marked(const GArray *nodes)
{
    for (guint k = 0; k < nodes->len; k++) {
        const struct graph_node *n = graph_node_find(g_array_index(nodes, CUgraphNode, k));

        if (n && !n->mark) {
            return false;
        }
    }
    return true;
}

/* What another stream has captured has to come before where the first one stands. */
static bool capture_joined(const struct capture *c)
{
    const struct stream *origin = g_ptr_array_index(c->streams, 0);
    const struct graph *g = graph_find(c->graph);

    for (guint i = 0; i < g->nodes->len; i++) {
        ((struct graph_node *)g_ptr_array_index(g->nodes, i))->mark = 0;
    }
    for (guint i = 0; i < origin->capture->deps->len; i++) {
        struct graph_node *n =
            graph_node_find(g_array_index(origin->capture->deps, CUgraphNode, i));

        if (n) {
            mark_before(n);
        }
    }
    for (guint i = 1; i < c->streams->len; i++) {
        const struct stream *s = g_ptr_array_index(c->streams, i);

        if (!capture_marked(s->capture->deps)) {
            return false;
        }
    }
    return capture_marked(c->gone);
}

static CUresult capture_end(struct stream *s, CUgraph *graph)
{
    struct capture *c = s->capture->capture;
    CUgraph handle = c->graph;
    bool given = c->given;
    CUresult error = CUDA_SUCCESS;

    if (g_ptr_array_index(c->streams, 0) != s) {
        c->spoilt = true;
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !capture_is_own(c)) {
        error = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    } else if (c->spoilt || !graph_find(handle)) {
        error = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    } else if (!capture_joined(c)) {
        error = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
    capture_free_all(c);
    if (error || !graph) {
        graph_drop(handle, given);
        handle = NULL;
    }
    if (graph) {
        *graph = handle;
    }
    return error;
}

CUresult rt_stream_end_capture(CUstream stream, CUgraph *graph)
{
    struct stream *s;
    CUresult error = capture_enter(stream, &s);

    if (error) {
        return error;
    }
    if (!s->capture) {
        return core_leave(CUDA_ERROR_ILLEGAL_STATE);
    }
    if (graph) {
        *graph = NULL;
    }
    return core_leave(capture_end(s, graph));
}

CUresult rt_stream_capture_info(CUstream stream, CUstreamCaptureStatus *status,
                                struct rt_capture_info *info)
{
    struct stream *s;
    CUresult error = capture_enter(stream, &s);

    if (error) {
        return error;
    }
    if (!status) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (capture_implicit(s)) { /* asked only: it stays as it is (driver reference) */
        return core_leave(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    *status = !s->capture                   ? CU_STREAM_CAPTURE_STATUS_NONE
              : s->capture->capture->spoilt ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                            : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (info && *status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        if (info->id) {
            *info->id = s->capture->capture->id;
        }
        if (info->graph) {
            *info->graph = s->capture->capture->graph;
        }
        if (info->deps) {
            *info->deps = (const void *)s->capture->deps->data;
        }
        if (info->edges) {
            g_array_set_size(s->capture->edges, 0);
            g_array_set_size(s->capture->edges, s->capture->deps->len);
            *info->edges = (const void *)s->capture->edges->data;
        }
        if (info->n) {
            *info->n = s->capture->deps->len;
        }
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_stream_update_capture(CUstream stream, struct rt_deps deps, unsigned flags)
{
    struct stream *s;
    CUresult error = capture_enter(stream, &s);

    if (error) {
        return error;
    }
    if (!s->capture) {
        return core_leave(CUDA_ERROR_ILLEGAL_STATE);
    }
    error = capture_touch(s);
    if (!error && flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
        error = CUDA_ERROR_INVALID_VALUE;
    }
    error = error ? error
                  : graph_deps_check(graph_find(s->capture->capture->graph), deps.nodes, deps.data,
                                     deps.n);
    if (error) {
        return core_leave(error);
    }
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
        g_array_set_size(s->capture->deps, 0);
    }
    for (size_t i = 0; i < deps.n; i++) {
        capture_deps_add(s, deps.nodes[i]);
    }
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_thread_capture_mode(CUstreamCaptureMode *mode)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!mode) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *mode = capture_mode(*mode);
    return core_leave(CUDA_SUCCESS);
}
