/* SPDX-License-Identifier: MIT */
/* Works, memory and graphs that a capturing stream is given become nodes. */
#include <string.h>

#include "runtime/driver/stream/capture_internal.h"
#include "runtime/driver/stream/graph.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/stream/stream_internal.h"

static struct graph_node *capture_node(struct stream *s, CUgraphNodeType type)
{
    struct graph_node *n = graph_node_add(graph_find(s->capture->capture->graph), type);

    n->caller = report_caller();
    for (guint i = 0; i < s->capture->deps->len; i++) {
        struct graph_node *from = graph_node_find(g_array_index(s->capture->deps, CUgraphNode, i));

        if (from && from->graph == n->graph) { /* the application may have destroyed it */
            graph_edge_add(from, n, NULL);
        }
    }
    return n;
}

/* The stream's next node comes after this one. */
static void capture_node_added(struct stream *s, struct graph_node *n)
{
    g_array_set_size(s->capture->deps, 0);
    capture_deps_add(s, n->base.handle);
}

/* Memory that is not there is refused now and spoils nothing (measured). */
static CUresult capture_work_check(const struct work *w)
{
    CUresult error = CUDA_SUCCESS;

    region_show_absent(true);
    if (w->kind == &work_copy) {
        error = copy_work_check(w);
    } else if (w->kind == &work_fill) {
        error = fill_work_check(w);
    }
    region_show_absent(false);
    return error;
}

/* Measured: no stream captures a copy between contexts, be they one and the same. */
static bool is_peer(const struct work *w)
{
    return strcmp(w->copy.api, "cuMemcpyPeer") == 0;
}

CUresult capture_make_work(struct stream *s, const struct work *w)
{
    struct graph_node *n;
    CUresult error;

    if (w->kind->node == WORK_NO_NODE || (w->kind == &work_host && w->host.callback) ||
        (w->kind == &work_copy && (w->copy.sync == RT_SYNC || is_peer(w))) ||
        (w->kind == &work_fill && w->fill.sync == RT_SYNC)) {
        return capture_refuse(s);
    }
    error = capture_work_check(w);
    error = error ? error : object_room("the capture", 1, "node");
    if (!error) {
        n = capture_node(s, w->kind->node);
        graph_node_take_work(n, w);
        capture_node_added(s, n);
    }
    return error;
}

CUresult capture_make_alloc(struct stream *s, size_t bytes, CUdeviceptr *ptr)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                       .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } },
        .bytesize = bytes,
    };
    struct graph_node *n;
    CUresult error;

    n = capture_node(s, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    error = graph_node_set_alloc(n, &params);
    if (error) {
        graph_node_free(n);
        return error;
    }
    *ptr = params.dptr;
    capture_node_added(s, n);
    return CUDA_SUCCESS;
}

CUresult capture_make_free(struct stream *s, CUdeviceptr ptr)
{
    struct graph_node *n = capture_node(s, CU_GRAPH_NODE_TYPE_MEM_FREE);
    CUresult error = graph_node_set_free(n, ptr);
    if (error) {
        graph_node_free(n);
        return error;
    }
    capture_node_added(s, n);
    return CUDA_SUCCESS;
}
