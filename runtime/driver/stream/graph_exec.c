/* SPDX-License-Identifier: MIT */
/* Instantiate and launch. */
#include "runtime/driver/stream/graph_exec.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/graph_condition.h"
#include "runtime/driver/stream/stream_internal.h"

struct graph_exec *graph_exec_find(CUgraphExec handle)
{
    return handle_find(HANDLE_GRAPH_EXEC, handle);
}

static void graph_exec_end(void *object)
{
    struct graph_exec *e = object;

    if (!e->root) { /* a body's graph belongs to its node */
        graph_free(e->graph);
    }
    graph_plan_drop(e);
    g_array_free(e->steps, TRUE);
    if (e->last_known) {
        g_array_unref(e->last_known);
    }
}

static const struct object_kind exec_kind = { .name = "graph instance",
                                              .type = HANDLE_GRAPH_EXEC,
                                              .end = graph_exec_end };

void graph_exec_unmake(struct graph_exec *e)
{
    object_unref(&e->base);
}

struct graph_exec *graph_exec_hold(struct graph_exec *e)
{
    e = e->root ? e->root : e;
    object_ref(&e->base);
    return e;
}

void graph_exec_release(struct graph_exec *e)
{
    object_unref(&e->base);
}

static unsigned lane_next; /* lanes of contexts that instances were given */

static struct graph_exec *exec_make(struct graph *g)
{
    struct graph_exec *e = object_new(&exec_kind, sizeof(*e), NULL);

    e->graph = g;
    e->steps = g_array_new(FALSE, FALSE, sizeof(struct graph_step));
    graph_plan(e);
    e->lane_first = lane_next;
    lane_next += e->n_lanes ? e->n_lanes - 1 : 0;
    return e;
}

struct graph_exec *graph_exec_of_body(struct graph *body, struct graph_exec *root)
{
    struct graph_exec *e = exec_make(body);

    e->root = root;
    return e;
}

/* A graph whose memory has one set of addresses has one instance at a time. */
static bool has_memory(const struct graph *g)
{
    return graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
           graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_FREE);
}

static CUresult graph_exec_instantiable(const struct graph *g, CUgraphInstantiateResult *result)
{
    GPtrArray *order = graph_order(g);

    *result = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    if (!order) {
        *result = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
        return report_error(CUDA_ERROR_INVALID_VALUE, "cuGraphInstantiate",
                            "CUDA Driver API, cuGraphInstantiate", "the graph has a cycle");
    }
    g_ptr_array_free(order, TRUE);
    if (has_memory(g) && g->instances) {
        *result = CUDA_GRAPH_INSTANTIATE_ERROR;
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return graph_conditions_check(g, result);
}

/* The kinds of nodes that a graph may have which a kernel launches (Programming Guide, device graph
 * launch). */
static CUresult device_launch(const struct graph *g)
{
    for (guint i = 0; i < g->nodes->len; i++) {
        const struct graph_node *n = g_ptr_array_index(g->nodes, i);

        if (n->type > CU_GRAPH_NODE_TYPE_GRAPH || n->type == CU_GRAPH_NODE_TYPE_HOST) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return report_error(CUDA_ERROR_NOT_SUPPORTED, "cuGraphInstantiate", "vtegra",
                        "vtegra launches no graphs from kernels "
                        "(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)");
}

static CUresult graph_exec_instantiate(struct graph *g, unsigned long long flags, CUgraphExec *exec,
                                       CUgraphInstantiateResult *result)
{
    CUgraphInstantiateResult unused;
    struct graph_exec *e;
    CUresult error = graph_exec_instantiable(g, result ? result : &unused);

    if (!error && (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)) {
        error = device_launch(g);
    }
    error = error ? error : object_room("cuGraphInstantiate", 2 + g->nodes->len, "graph");
    if (error) {
        return error;
    }
    e = exec_make(graph_clone(g, NULL));
    e->flags = flags;
    e->source = g->base.handle;
    g->instances++;
    *exec = object_open(&e->base);
    return CUDA_SUCCESS;
}

static CUresult graph_enter(CUgraph graph, const void *out, struct graph **g)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *g = graph_find(graph);
    error = *g && out ? capture_unsafe() : CUDA_ERROR_INVALID_VALUE;
    return error ? core_leave(error) : CUDA_SUCCESS;
}

#define FLAGS                                                                                      \
    (CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | \
     CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)

CUresult rt_graph_instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags,
                              CUgraphNode *error_node, CUgraphInstantiateResult *result)
{
    struct graph *g;
    CUresult error = graph_enter(graph, exec, &g);

    if (error) {
        return error;
    }
    if (error_node) {
        *error_node = NULL;
    }
    /* Measured: to upload it has to know a stream, and only cuGraphInstantiateWithParams does. */
    return core_leave(flags & ~(unsigned long long)FLAGS
                          ? CUDA_ERROR_INVALID_VALUE
                          : graph_exec_instantiate(g, flags, exec, result));
}

CUresult rt_graph_instantiate_params(CUgraphExec *exec, CUgraph graph,
                                     CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
    struct graph *g;
    CUresult error = graph_enter(graph, exec, &g);

    if (error) {
        return error;
    }
    if (!p || (p->flags & ~(unsigned long long)(FLAGS | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    p->hErrNode_out = NULL;
    return core_leave(graph_exec_instantiate(g, p->flags, exec, &p->result_out));
}

CUresult rt_graph_exec_destroy(CUgraphExec exec)
{
    struct graph_exec *e;
    struct graph *source;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    e = graph_exec_find(exec);
    error = e ? capture_unsafe() : CUDA_ERROR_INVALID_VALUE;
    if (error) {
        return core_leave(error);
    }
    source = graph_find(e->source);
    if (source) {
        source->instances--;
    }
    object_close(&e->base);
    object_unref(&e->base);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_graph_exec_flags(CUgraphExec exec, cuuint64_t *flags)
{
    const struct graph_exec *e;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    e = graph_exec_find(exec);
    if (!e || !flags) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *flags = e->flags & ~(unsigned long long)CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    return core_leave(CUDA_SUCCESS); /* measured: without the priorities */
}

/* Of a launch that is under way. @stream: that it was launched into; @last, @fence: of each lane,
 * the stream that had its last node, and where that is */
struct launching {
    struct stream *stream, *last[GRAPH_LANES_MAX + 1];
    struct fence fence[GRAPH_LANES_MAX + 1];
    struct work_after entered;
};

/* A stream of @c for a lane. The nodes of a lane that are of several contexts have one each. */
static CUresult lane_stream(struct graph_exec *e, struct launching *l, struct context *c,
                            unsigned lane, struct stream **out)
{
    struct stream **own;
    CUresult error = CUDA_SUCCESS;

    if (!lane && c == l->stream->base.context) {
        *out = l->stream;
        return CUDA_SUCCESS;
    }
    own = &streams_of(c)->lanes[(e->lane_first + lane + GRAPH_LANES_MAX - 1) % GRAPH_LANES_MAX];
    if (!*own) {
        error = stream_new(c, CU_STREAM_NON_BLOCKING, 0, own);
        if (error) {
            return error;
        }
        (*own)->is_default = true; /* it cannot be destroyed */
    }
    *out = *own;
    stream_number(*own, l->stream->ordinal); /* reports: where the launch was */
    return CUDA_SUCCESS;
}

/* What every lane comes after: the stream's work until now, and the previous launch. */
static CUresult graph_exec_entry(struct graph_exec *e, struct launching *l)
{
    struct stream *s = l->stream;
    struct work_after last = { e->last, e->last_known };
    struct work work = { .kind = &work_empty, .after = &last, .n_after = 1 };
    CUresult error = CUDA_SUCCESS;

    if (e->n_lanes > 1 || (e->last.id && e->last.id != channel_fence(s->channel).id)) {
        error = stream_submit(s, &work);
    }
    error = error ? error : graph_conditions_assign(e->graph, s);
    l->entered.fence = stream_fence(s);
    l->entered.known = e->n_lanes > 1 && s->known ? g_array_copy(s->known) : NULL;
    l->last[0] = s;
    l->fence[0] = l->entered.fence;
    return error;
}

/* Whose GPU does it: the kernel's, or that whose memory is filled (measured with two GPUs). NULL:
 * it has no context any more. */
static struct context *step_context(const struct graph_step *step, struct context *launched)
{
    const struct work *work = &step->node->work;
    const struct region *r;
    struct context *c;

    switch (step->node->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        c = launch_context(work);
        return c ? c : launched; /* which says what is gone */
    case CU_GRAPH_NODE_TYPE_MEMSET:
        r = region_at(work->fill.dst);
        return r ? region_context_near(r, launched) : launched;
    default:
        return launched;
    }
}

static CUresult step_run(struct graph_exec *e, struct graph_step *step, struct launching *l)
{
    struct work_after after[GRAPH_LANES_MAX + 2];
    struct context *c = step_context(step, l->stream->base.context);
    struct work work = step->node->work;
    struct stream *lane, *last = l->last[step->lane];
    CUresult error = c ? lane_stream(e, l, c, step->lane, &lane) : CUDA_ERROR_INVALID_CONTEXT;

    if (error) {
        return error;
    }
    if (step->first) {
        after[work.n_after++] = l->entered;
    }
    if (last && last != lane) {
        after[work.n_after++] =
            (struct work_after){ .fence = l->fence[step->lane], .known = last->known };
    }
    for (guint i = 0; i < step->waits->len; i++) {
        unsigned from = g_array_index(step->waits, unsigned, i);

        after[work.n_after++] =
            (struct work_after){ .fence = g_array_index(e->steps, struct graph_step, from).fence };
    }
    work.after = after;
    report_as(&step->node->caller);
    if (step->node->condition) {
        work.kind = &work_empty;
    }
    error = stream_submit(lane, &work);
    if (!error && step->node->condition) {
        error = graph_condition_begin(e, step->node, lane);
    }
    report_as(NULL);
    step->fence = l->fence[step->lane] = stream_fence(lane);
    l->last[step->lane] = lane;
    return error;
}

/* The stream comes after all lanes. */
static CUresult graph_exec_leave(const struct graph_exec *e, const struct launching *l)
{
    struct work_after after[GRAPH_LANES_MAX + 1];
    struct work work = { .kind = &work_empty, .after = after };

    for (unsigned lane = 0; lane < MAX(e->n_lanes, 1); lane++) {
        if (l->last[lane] && l->last[lane] != l->stream) {
            after[work.n_after++] =
                (struct work_after){ stream_fence(l->last[lane]), l->last[lane]->known };
        }
    }
    return work.n_after ? stream_submit(l->stream, &work) : CUDA_SUCCESS;
}

CUresult graph_exec_run(struct graph_exec *e, struct stream *s)
{
    struct launching l = { .stream = s };
    CUresult error, left;

    if (!e->planned) {
        graph_plan(e);
    }
    cost_pass(COST_GRAPH_NODE, e->steps->len);
    error = graph_exec_entry(e, &l);
    for (guint i = 0; !error && i < e->steps->len; i++) {
        error = step_run(e, &g_array_index(e->steps, struct graph_step, i), &l);
    }
    if (l.entered.known) {
        g_array_unref(l.entered.known);
    }
    left = graph_exec_leave(e, &l);
    e->last = stream_fence(s);
    if (e->last_known) {
        g_array_unref(e->last_known);
    }
    e->last_known = s->known ? g_array_copy(s->known) : NULL;
    return error ? error : left;
}

CUresult graph_launch(struct graph_exec *e, struct stream *s)
{
    CUresult error = graph_memory_begin(e->graph, s, e->flags);

    if (error) {
        return error;
    }
    graph_exec_hold(e);
    error = graph_exec_run(e, s);
    graph_exec_release(e);
    return error;
}

static CUresult node_enter(CUgraphExec exec, CUgraphNode node, struct graph_exec **e,
                           struct graph_node **n)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *e = graph_exec_find(exec);
    *n = *e && node ? graph_node_of_origin((*e)->graph, node) : NULL;
    return *n ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_VALUE);
}

/* Kernels, fills and copies alone can be left out (driver reference, cuGraphNodeSetEnabled). */
static bool can_disable(const struct graph_node *n)
{
    return n->type <= CU_GRAPH_NODE_TYPE_MEMSET;
}

CUresult rt_graph_enabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled)
{
    struct graph_exec *e;
    struct graph_node *n;
    CUresult error = node_enter(exec, node, &e, &n);

    if (error) {
        return error;
    }
    if (!enabled || !can_disable(n)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *enabled = !n->disabled;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_graph_set_enabled(CUgraphExec exec, CUgraphNode node, unsigned enabled)
{
    struct graph_exec *e;
    struct graph_node *n;
    CUresult error = node_enter(exec, node, &e, &n);

    if (error) {
        return error;
    }
    if (!can_disable(n)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (n->disabled != !enabled) {
        n->disabled = !enabled;
        e->planned = false;
    }
    return core_leave(CUDA_SUCCESS);
}
