/* SPDX-License-Identifier: MIT */
/* An instance gets other parameters: of one node, or those of a graph of the same shape. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/stream/graph_exec.h"
#include "runtime/driver/stream/stream_internal.h"

/* Where a side of a copy is, whether or not its type says so. */
static CUmemorytype copy_side(CUmemorytype type, CUdeviceptr at)
{
    const struct region *r = type == CU_MEMORYTYPE_UNIFIED ? region_at_absent(at) : NULL;

    return type != CU_MEMORYTYPE_UNIFIED                 ? type
           : !r || region_mem(r)->kind == HAL_MEM_PINNED ? CU_MEMORYTYPE_HOST
                                                         : CU_MEMORYTYPE_DEVICE;
}

static CUmemorytype copy_from(const CUDA_MEMCPY3D *c)
{
    return copy_side(c->srcMemoryType, c->srcDevice);
}

static CUmemorytype copy_to(const CUDA_MEMCPY3D *c)
{
    return copy_side(c->dstMemoryType, c->dstDevice);
}

/* Parameters of an instance: a kernel keeps its context, a fill its number of dimensions, a copy
 * the kinds of memory (driver reference, cuGraphExecKernelNodeSetParams,
 * cuGraphExecMemsetNodeSetParams, cuGraphExecMemcpyNodeSetParams). */
static bool graph_update_changeable(const struct graph_node *n, const struct graph_node *to)
{
    switch (n->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return !launch_context(&n->work) || launch_context(&n->work) == launch_context(&to->work);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return (n->fill.height > 1) == (to->fill.height > 1);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return copy_from(&n->copy) == copy_from(&to->copy) &&
               copy_to(&n->copy) == copy_to(&to->copy);
    default:
        return true;
    }
}

static bool graph_update_settable(CUgraphNodeType type)
{
    return type != CU_GRAPH_NODE_TYPE_MEM_ALLOC && type != CU_GRAPH_NODE_TYPE_MEM_FREE &&
           type != CU_GRAPH_NODE_TYPE_CONDITIONAL && type != CU_GRAPH_NODE_TYPE_EMPTY;
}

static bool same_shape(const struct graph *g, const struct graph *other,
                       CUgraphExecUpdateResultInfo *info);

CUresult rt_graph_exec_set(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *p)
{
    struct graph_exec *e;
    struct graph_node *n, *other;
    CUgraphExecUpdateResultInfo info;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    e = graph_exec_find(exec);
    n = e && node ? graph_node_of_origin(e->graph, node) : NULL;
    if (!n || !p || n->type != p->type || !graph_update_settable(p->type)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    other = graph_node_add(graph_new(), n->type); /* so that an error changes nothing */
    other->caller = n->caller;
    error = graph_node_set(other, p);
    if (!error && (!graph_update_changeable(n, other) ||
                   (n->child && !same_shape(n->child, other->child, &info)))) {
        error = CUDA_ERROR_INVALID_VALUE;
    }
    if (!error) {
        graph_node_copy(n, other);
        e->planned = false;
    }
    graph_free(other->graph);
    return core_leave(error);
}

static bool graph_update_differ(CUgraphExecUpdateResultInfo *info, CUgraphExecUpdateResult result,
                                const struct graph_node *node)
{
    info->result = result;
    info->errorNode = node ? node->base.handle : NULL;
    return false;
}

/* The same nodes before it, by their place in the order? */
static bool same_edges(const struct graph_node *n, const struct graph_node *other,
                       const GPtrArray *order, GPtrArray *others)
{
    if (n->in->len != other->in->len || n->out->len != other->out->len) {
        return false;
    }
    for (guint i = 0; i < n->in->len; i++) {
        const struct graph_node *from = g_array_index(n->in, struct graph_edge, i).node;
        guint at;

        if (!g_ptr_array_find(others, g_array_index(other->in, struct graph_edge, i).node, &at) ||
            g_ptr_array_index(order, at) != from) {
            return false;
        }
    }
    return true;
}

static bool pair_fits(const struct graph_node *n, const struct graph_node *other,
                      CUgraphExecUpdateResultInfo *info)
{
    if (n->type != other->type) {
        return graph_update_differ(info, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, other);
    }
    if (n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || n->type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
        n->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
        return graph_update_differ(info, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, other);
    }
    if (!graph_update_changeable(n, other)) {
        return graph_update_differ(info, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, other);
    }
    return !n->child || same_shape(n->child, other->child, info);
}

static bool same_shape(const struct graph *g, const struct graph *other,
                       CUgraphExecUpdateResultInfo *info)
{
    g_autoptr(GPtrArray) order = graph_order(g);
    g_autoptr(GPtrArray) others = graph_order(other);

    if (!order || !others || order->len != others->len) {
        return graph_update_differ(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL);
    }
    for (guint i = 0; i < order->len; i++) {
        const struct graph_node *n = g_ptr_array_index(order, i);
        const struct graph_node *to = g_ptr_array_index(others, i);

        if (!pair_fits(n, to, info)) {
            return false;
        }
        if (!same_edges(n, to, order, others)) {
            return graph_update_differ(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, to);
        }
    }
    return true;
}

static void take_over(struct graph *g, const struct graph *other)
{
    g_autoptr(GPtrArray) order = graph_order(g);
    g_autoptr(GPtrArray) others = graph_order(other);

    for (guint i = 0; i < order->len; i++) {
        graph_node_copy(g_ptr_array_index(order, i), g_ptr_array_index(others, i));
    }
}

CUresult rt_graph_exec_update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    CUgraphExecUpdateResultInfo unused;
    struct graph_exec *e;
    const struct graph *g;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    e = graph_exec_find(exec);
    g = graph_find(graph);
    if (!e || !g) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    info = info ? info : &unused;
    *info = (CUgraphExecUpdateResultInfo){ .result = CU_GRAPH_EXEC_UPDATE_SUCCESS };
    if (!same_shape(e->graph, g, info)) {
        return core_leave(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    }
    take_over(e->graph, g);
    e->planned = false;
    return core_leave(CUDA_SUCCESS);
}
