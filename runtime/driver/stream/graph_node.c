/* SPDX-License-Identifier: MIT */
/* What a node of each kind is given, and what it says of itself. */
#include <string.h>

#include "ptx/ptx.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/module/module.h"
#include "runtime/driver/stream/graph.h"
#include "runtime/driver/stream/stream_internal.h"

/* @work replaces what the node had; its data is the node's from then on. */
static void graph_node_take(struct graph_node *n, const struct work *work)
{
    g_free((void *)n->work.data);
    n->work = *work;
    n->work.after = NULL;
    n->work.n_after = 0;
}

/* One pointer a parameter, as cuGraphKernelNodeGetParams() answers. */
static void params_point(struct graph_node *n)
{
    const struct ptx_func *f = launch_function(&n->work);

    g_clear_pointer(&n->params, g_free);
    n->params = g_new0(void *, (f ? f->n_params : 0) + 1);
    for (uint32_t i = 0; f && i < f->n_params; i++) {
        n->params[i] = (uint8_t *)n->work.data + f->params[i]->offset;
    }
}

static void describe_copy(CUDA_MEMCPY3D *m, const struct box *b)
{
    *m = (CUDA_MEMCPY3D){
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = b->src,
        .dstDevice = b->dst,
        .srcPitch = b->src_pitch,
        .dstPitch = b->dst_pitch,
        .srcHeight = b->height,
        .dstHeight = b->height,
        .WidthInBytes = b->width,
        .Height = b->height,
        .Depth = b->depth,
    };
}

static void describe_fill(CUDA_MEMSET_NODE_PARAMS *m, const struct work_fill *f)
{
    *m = (CUDA_MEMSET_NODE_PARAMS){ .dst = f->dst,
                                    .pitch = f->height > 1 ? f->pitch : 0,
                                    .value = f->value,
                                    .elementSize = f->element,
                                    .width = f->width,
                                    .height = f->height };
}

void graph_node_take_work(struct graph_node *n, const struct work *work)
{
    struct work copy = *work;

    copy.data = g_memdup2(work->data, work->data_bytes);
    graph_node_take(n, &copy);
    n->caller = report_caller();
    if (n->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        params_point(n);
    } else if (n->type == CU_GRAPH_NODE_TYPE_MEMCPY) {
        n->work.copy.sync = RT_ASYNC;
        n->work.copy.ordered = true;
        describe_copy(&n->copy, &work->copy.box);
    } else if (n->type == CU_GRAPH_NODE_TYPE_MEMSET) {
        n->work.fill.sync = RT_ASYNC;
        describe_fill(&n->fill, &work->fill);
    }
}

/* The node's cluster, as its attribute says, if it has one that the grid is made of */
static bool cluster_divides(const struct work_kernel *k, const uint32_t grid[3])
{
    return k->cluster[0] && grid[0] % k->cluster[0] == 0 && grid[1] % k->cluster[1] == 0 &&
           grid[2] % k->cluster[2] == 0;
}

CUresult graph_node_set_kernel(struct graph_node *n, const CUDA_KERNEL_NODE_PARAMS *p)
{
    CUlaunchConfig config = {
        .gridDimX = p->gridDimX,
        .gridDimY = p->gridDimY,
        .gridDimZ = p->gridDimZ,
        .blockDimX = p->blockDimX,
        .blockDimY = p->blockDimY,
        .blockDimZ = p->blockDimZ,
        .sharedMemBytes = p->sharedMemBytes,
    };
    CUfunction f = p->func ? p->func : (CUfunction)p->kern;
    struct context *c;
    struct work work;
    CUresult error;

    if (!f) {
        return CUDA_ERROR_INVALID_HANDLE; /* measured */
    }
    c = core_context(p->func ? NULL : p->ctx, &error);
    /* Both forms of parameters: the array counts (measured). */
    error = error ? error
                  : launch_work(c, &config, f, p->kernelParams, p->kernelParams ? NULL : p->extra,
                                &work);
    if (error) { /* measured: whatever is wrong with the launch, but for what no node can be */
        return error == CUDA_ERROR_INVALID_HANDLE || error == CUDA_ERROR_NOT_SUPPORTED
                   ? error
                   : CUDA_ERROR_INVALID_VALUE;
    }
    work.kernel.cooperative = n->work.kernel.cooperative;
    if (!work.kernel.cluster[0] && cluster_divides(&n->work.kernel, work.kernel.grid)) {
        memcpy(work.kernel.cluster, n->work.kernel.cluster, sizeof(work.kernel.cluster));
    }
    graph_node_take(n, &work);
    params_point(n);
    return CUDA_SUCCESS;
}

CUresult graph_node_set_copy(struct graph_node *n, const CUDA_MEMCPY3D *p)
{
    struct work work;
    CUresult error;

    if (!p->WidthInBytes || !p->Height || !p->Depth) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    error = copy_work_3d(p, &work);
    region_show_absent(true);
    error = error ? error : copy_work_check(&work);
    region_show_absent(false);
    if (!error) {
        work.copy.ordered = true;
        graph_node_take(n, &work);
        n->copy = *p;
    }
    return error;
}

CUresult graph_node_set_fill(struct graph_node *n, const CUDA_MEMSET_NODE_PARAMS *p)
{
    struct work work;
    CUresult error;

    if (!p->width || !p->height) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    error = fill_work_2d(p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, &work);
    region_show_absent(true);
    error = error ? error : fill_work_check(&work);
    region_show_absent(false);
    if (!error) {
        graph_node_take(n, &work);
        n->fill = *p;
    }
    return error;
}

CUresult graph_node_set_host(struct graph_node *n, const CUDA_HOST_NODE_PARAMS *p)
{
    if (!p->fn) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    graph_node_take(
        n, &(struct work){ .kind = &work_host, .host = { .fn = p->fn, .user = p->userData } });
    return CUDA_SUCCESS;
}

/* Measured: NULL is refused, and what is no event at all is found at the launch. */
CUresult graph_node_set_event(struct graph_node *n, CUevent event)
{
    if (!event) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    graph_node_take(n, &(struct work){ .kind = n->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD
                                                   ? &work_event_record
                                                   : &work_event_wait,
                                       .event = event });
    return CUDA_SUCCESS;
}

CUresult graph_node_set_values(struct graph_node *n, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    size_t bytes = p->count * sizeof(*p->paramArray);

    if (!p->count || p->count > 256 || !p->paramArray || p->flags) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    graph_node_take(n, &(struct work){ .kind = &work_values,
                                       .data = g_memdup2(p->paramArray, bytes),
                                       .data_bytes = bytes });
    return CUDA_SUCCESS;
}

static CUresult set_semaphores(struct graph_node *n, const struct work_kind *kind,
                               const CUexternalSemaphore *semaphores, const void *params,
                               unsigned count)
{
    struct work work;
    CUresult error = external_work(kind, semaphores, params, count, &work);

    if (!error) {
        graph_node_take(n, &work);
    }
    return error;
}

static CUresult set_child(struct graph_node *n, CUgraph handle)
{
    const struct graph *child = graph_find(handle);

    if (!child || child == n->graph) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (graph_has_type(child, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
        graph_has_type(child, CU_GRAPH_NODE_TYPE_MEM_FREE) ||
        graph_has_type(child, CU_GRAPH_NODE_TYPE_CONDITIONAL)) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (n->child) {
        graph_free(n->child);
    }
    n->child = graph_clone(child, n);
    return CUDA_SUCCESS;
}

CUresult graph_node_set(struct graph_node *n, const CUgraphNodeParams *p)
{
    switch (n->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return graph_node_set_kernel(n, (const CUDA_KERNEL_NODE_PARAMS *)&p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return graph_node_set_copy(n, &p->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return graph_node_set_fill(n, (const CUDA_MEMSET_NODE_PARAMS *)&p->memset);
    case CU_GRAPH_NODE_TYPE_HOST:
        return graph_node_set_host(n, (const CUDA_HOST_NODE_PARAMS *)&p->host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return set_child(n, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return graph_node_set_event(n, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return graph_node_set_event(n, p->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return graph_node_set_values(n, (const CUDA_BATCH_MEM_OP_NODE_PARAMS *)&p->memOp);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        return set_semaphores(n, &work_signal, p->extSemSignal.extSemArray,
                              p->extSemSignal.paramsArray, p->extSemSignal.numExtSems);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return set_semaphores(n, &work_external_wait, p->extSemWait.extSemArray,
                              p->extSemWait.paramsArray, p->extSemWait.numExtSems);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Nodes that make something of the graph's own when they are added, and keep it. */
static CUresult add_special(struct graph_node *n, CUgraphNodeParams *p)
{
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return graph_node_set_alloc(n, (CUDA_MEM_ALLOC_NODE_PARAMS *)&p->alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return graph_node_set_free(n, p->free.dptr);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return graph_node_set_condition(n, &p->conditional);
    default:
        return graph_node_set(n, p);
    }
}

CUresult rt_graph_add_node(CUgraphNode *node, CUgraph graph, struct rt_deps deps,
                           CUgraphNodeParams *p)
{
    struct graph *g;
    struct graph_node *n;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    g = graph_find(graph);
    if (!node || !g || !p || p->reserved0[0] || p->reserved0[1] || p->reserved0[2] ||
        p->reserved2 || (unsigned)p->type > CU_GRAPH_NODE_TYPE_CONDITIONAL) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = graph_deps_check(g, deps.nodes, deps.data, deps.n);
    error = error ? error : object_room("cuGraphAddNode", 1, "node");
    if (error) {
        return core_leave(error);
    }
    n = graph_node_add(g, p->type);
    n->caller = check_caller_get();
    error = add_special(n, p);
    if (error) {
        graph_node_free(n);
        return core_leave(error);
    }
    graph_deps_add(n, deps.nodes, deps.data, deps.n);
    *node = n->base.handle;
    return core_leave(CUDA_SUCCESS);
}

static bool graph_node_settable(CUgraphNodeType type)
{
    return type != CU_GRAPH_NODE_TYPE_MEM_ALLOC && type != CU_GRAPH_NODE_TYPE_MEM_FREE &&
           type != CU_GRAPH_NODE_TYPE_CONDITIONAL && type != CU_GRAPH_NODE_TYPE_EMPTY;
}

CUresult rt_graph_node_set(CUgraphNode node, const CUgraphNodeParams *p)
{
    struct graph_node *n;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    n = graph_node_find(node);
    if (!n || !p || n->type != p->type || !graph_node_settable(p->type)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(graph_node_set(n, p));
}

static void get_kernel(const struct graph_node *n, CUDA_KERNEL_NODE_PARAMS_v3 *p)
{
    const struct work_kernel *k = &n->work.kernel;

    *p = (CUDA_KERNEL_NODE_PARAMS_v3){
        .gridDimX = k->grid[0],
        .gridDimY = k->grid[1],
        .gridDimZ = k->grid[2],
        .blockDimX = k->block[0],
        .blockDimY = k->block[1],
        .blockDimZ = k->block[2],
        .sharedMemBytes = k->dynamic,
        .kernelParams = n->params,
    };
    p->kern = function_kernel(k->function);
    p->func = p->kern ? NULL : k->function;
}

static void get_semaphores(const struct graph_node *n, CUgraphNodeParams *p)
{
    const CUexternalSemaphore *semaphores;
    const void *params;
    unsigned count = external_work_parts(&n->work, &semaphores, &params);

    if (p->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL) {
        p->extSemSignal = (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2){ (CUexternalSemaphore *)semaphores,
                                                                params, count };
    } else {
        p->extSemWait =
            (CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2){ (CUexternalSemaphore *)semaphores, params, count };
    }
}

CUresult rt_graph_node_params(CUgraphNode node, CUgraphNodeType type, CUgraphNodeParams *p)
{
    const struct graph_node *n;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    n = graph_node_find(node);
    if (!n || !p || n->type != type) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    memset(p, 0, sizeof(*p));
    p->type = type;
    switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        get_kernel(n, &p->kernel);
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        p->memcpy.copyParams = n->copy;
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        memcpy(&p->memset, &n->fill, sizeof(n->fill));
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        p->host.fn = n->work.host.fn;
        p->host.userData = n->work.host.user;
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        p->graph.graph = n->child->base.handle;
        break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        p->eventWait.event = n->work.event;
        break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        p->eventRecord.event = n->work.event;
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        memcpy(&p->alloc, &n->alloc, sizeof(n->alloc));
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        p->free.dptr = n->freed;
        break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        get_semaphores(n, p);
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        p->memOp.paramArray = (void *)n->work.data;
        p->memOp.count = (unsigned)(n->work.data_bytes / sizeof(*p->memOp.paramArray));
        break;
    default:
        break;
    }
    return core_leave(CUDA_SUCCESS);
}
