/* SPDX-License-Identifier: MIT */
/* Lists of nodes and edges, types and attributes of nodes. */
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/stream/graph.h"
#include "runtime/driver/stream/stream_internal.h"

/* A list of which the application takes as much as it has room for; what is over is NULL. Without
 * room for nodes it asks for their number. */
struct list {
    CUgraphNode *first, *second; /* second: the other end of an edge */
    CUgraphEdgeData *data;
    size_t room, n;
};

static void list_add(struct list *l, CUgraphNode first, CUgraphNode second,
                     const CUgraphEdgeData *data)
{
    if (l->n < l->room && l->first) {
        l->first[l->n] = first;
        if (l->second) {
            l->second[l->n] = second;
        }
        if (l->data) {
            l->data[l->n] = *data;
        }
    }
    l->n++;
}

static void list_end(struct list *l, size_t *n)
{
    for (size_t i = l->n; l->first && i < l->room; i++) {
        l->first[i] = NULL;
        if (l->second) {
            l->second[i] = NULL;
        }
        if (l->data) {
            memset(&l->data[i], 0, sizeof(l->data[i]));
        }
    }
    *n = l->first ? MIN(l->n, l->room) : l->n;
}

static bool edges_plain(const GArray *edges)
{
    static const CUgraphEdgeData plain;

    for (guint i = 0; i < edges->len; i++) {
        if (memcmp(&g_array_index(edges, struct graph_edge, i).data, &plain, sizeof(plain))) {
            return false;
        }
    }
    return true;
}

static CUresult graph_enter(CUgraph graph, const size_t *n, struct graph **g)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *g = graph_find(graph);
    return *g && n ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_VALUE);
}

static CUresult graph_query_nodes(CUgraph graph, CUgraphNode *out, size_t *n, bool roots)
{
    struct graph *g;
    CUresult error = graph_enter(graph, n, &g);
    struct list list = { .first = out };

    if (error) {
        return error;
    }
    list.room = out ? *n : 0;
    for (guint i = 0; i < g->nodes->len; i++) {
        const struct graph_node *node = g_ptr_array_index(g->nodes, i);

        if (!roots || !node->in->len) {
            list_add(&list, node->base.handle, NULL, NULL);
        }
    }
    list_end(&list, n);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_graph_nodes(CUgraph graph, CUgraphNode *out, size_t *n)
{
    return graph_query_nodes(graph, out, n, false);
}

CUresult rt_graph_roots(CUgraph graph, CUgraphNode *out, size_t *n)
{
    return graph_query_nodes(graph, out, n, true);
}

CUresult rt_graph_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                        size_t *n)
{
    struct graph *g;
    CUresult error = graph_enter(graph, n, &g);
    struct list list = { .first = from, .second = to, .data = data };

    if (error) {
        return error;
    }
    if (!from != !to) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    list.room = from ? *n : 0;
    for (guint i = 0; i < g->nodes->len; i++) {
        const struct graph_node *node = g_ptr_array_index(g->nodes, i);

        if (from && !data && !edges_plain(node->out)) {
            return core_leave(CUDA_ERROR_LOSSY_QUERY);
        }
        for (guint e = 0; e < node->out->len; e++) {
            const struct graph_edge *edge = &g_array_index(node->out, struct graph_edge, e);

            list_add(&list, node->base.handle, edge->node->base.handle, &edge->data);
        }
    }
    list_end(&list, n);
    return core_leave(CUDA_SUCCESS);
}

static CUresult graph_query_neighbours(CUgraphNode node, CUgraphNode *out, CUgraphEdgeData *data,
                                       size_t *n, bool dependents)
{
    const struct graph_node *at;
    const GArray *edges;
    struct list list = { .first = out, .data = data };
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    at = graph_node_find(node);
    if (!at || !n) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    edges = dependents ? at->out : at->in;
    if (out && !data && !edges_plain(edges)) {
        return core_leave(CUDA_ERROR_LOSSY_QUERY);
    }
    list.room = out ? *n : 0;
    for (guint i = 0; i < edges->len; i++) {
        const struct graph_edge *edge = &g_array_index(edges, struct graph_edge, i);

        list_add(&list, edge->node->base.handle, NULL, &edge->data);
    }
    list_end(&list, n);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_graph_node_dependencies(CUgraphNode node, CUgraphNode *out, CUgraphEdgeData *data,
                                    size_t *n)
{
    return graph_query_neighbours(node, out, data, n, false);
}

CUresult rt_graph_node_dependents(CUgraphNode node, CUgraphNode *out, CUgraphEdgeData *data,
                                  size_t *n)
{
    return graph_query_neighbours(node, out, data, n, true);
}

/* core_enter() and the node behind a handle. */
static CUresult node_enter(CUgraphNode handle, const void *out, struct graph_node **n)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *n = graph_node_find(handle);
    return *n && out ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_graph_node_type(CUgraphNode node, CUgraphNodeType *type)
{
    struct graph_node *n;
    CUresult error = node_enter(node, type, &n);

    if (error) {
        return error;
    }
    *type = n->type;
    return core_leave(CUDA_SUCCESS);
}

/* Hints read back as nothing was set; none changes what the board does. */
static CUresult attribute_get(const struct graph_node *n, CUkernelNodeAttrID attribute,
                              CUkernelNodeAttrValue *value)
{
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        value->cooperative = n->work.kernel.cooperative;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        value->priority = n->priority;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        memset(value, 0, sizeof(*value));
        memcpy(&value->clusterDim, n->work.kernel.cluster, sizeof(value->clusterDim));
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        memset(value, 0, sizeof(*value));
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult rt_graph_node_attribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                 CUkernelNodeAttrValue *value)
{
    struct graph_node *n;
    CUresult error = node_enter(node, value, &n);

    if (error) {
        return error;
    }
    return core_leave(n->type == CU_GRAPH_NODE_TYPE_KERNEL ? attribute_get(n, attribute, value)
                                                           : CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_graph_node_set_attribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                     const CUkernelNodeAttrValue *value)
{
    CUkernelNodeAttrValue before;
    struct graph_node *n;
    CUresult error = node_enter(node, value, &n);

    if (error) {
        return error;
    }
    error = n->type == CU_GRAPH_NODE_TYPE_KERNEL ? attribute_get(n, attribute, &before)
                                                 : CUDA_ERROR_INVALID_VALUE;
    if (!error && attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
        n->work.kernel.cooperative = value->cooperative != 0;
    } else if (!error && attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
        n->priority = value->priority;
    }
    return core_leave(error);
}

CUresult rt_graph_node_copy_attributes(CUgraphNode dst, CUgraphNode src)
{
    const struct graph_node *from;
    struct graph_node *to;
    CUresult error = node_enter(dst, dst, &to);

    if (error) {
        return error;
    }
    from = graph_node_find(src);
    if (!from || from->type != CU_GRAPH_NODE_TYPE_KERNEL || to->type != CU_GRAPH_NODE_TYPE_KERNEL) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    to->work.kernel.cooperative = from->work.kernel.cooperative;
    memcpy(to->work.kernel.cluster, from->work.kernel.cluster, sizeof(to->work.kernel.cluster));
    to->priority = from->priority;
    return core_leave(CUDA_SUCCESS);
}
