/* SPDX-License-Identifier: MIT */
/* Graphs, their nodes and edges, copies of them. */
#include "runtime/driver/stream/graph.h"

#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/stream/stream_internal.h"

static void graph_end(void *object)
{
    struct graph *g = object;

    while (g->nodes->len) {
        graph_node_free(g_ptr_array_index(g->nodes, g->nodes->len - 1));
    }
    g_ptr_array_free(g->nodes, TRUE);
    graph_conditions_free(g);
    user_object_release_all(g->objects);
    g_array_free(g->objects, TRUE);
}

static const struct object_kind graph_kind = { .name = "graph",
                                               .type = HANDLE_GRAPH,
                                               .end = graph_end };

struct graph *graph_new(void)
{
    struct graph *g = object_new(&graph_kind, sizeof(*g), NULL);

    g->nodes = g_ptr_array_new();
    g->conditions = g_ptr_array_new();
    g->objects = g_array_new(FALSE, TRUE, sizeof(struct graph_object));
    object_open(&g->base);
    return g;
}

struct graph *graph_find(CUgraph handle)
{
    return handle_find(HANDLE_GRAPH, handle);
}

struct graph_node *graph_node_find(CUgraphNode handle)
{
    return handle_find(HANDLE_GRAPH_NODE, handle);
}

static int edge_index(const GArray *edges, const struct graph_node *node)
{
    for (guint i = 0; i < edges->len; i++) {
        if (g_array_index(edges, struct graph_edge, i).node == node) {
            return (int)i;
        }
    }
    return -1;
}

bool graph_edge_has(const struct graph_node *from, const struct graph_node *to)
{
    return edge_index(to->in, from) >= 0;
}

void graph_edge_add(struct graph_node *from, struct graph_node *to, const CUgraphEdgeData *data)
{
    struct graph_edge edge = { .node = to };

    if (data) {
        edge.data = *data;
    }
    g_array_append_val(from->out, edge);
    edge.node = from;
    g_array_append_val(to->in, edge);
}

static void edge_remove(struct graph_node *from, struct graph_node *to)
{
    g_array_remove_index(from->out, (guint)edge_index(from->out, to));
    g_array_remove_index(to->in, (guint)edge_index(to->in, from));
}

/* What a node is given goes; its type and its edges stay. */
void graph_node_clear(struct graph_node *n)
{
    g_free((void *)n->work.data);
    g_free(n->params);
    if (n->child) {
        graph_free(n->child);
    }
    if (n->memory) {
        graph_memory_unref(n->memory);
    }
    if (n->condition) {
        graph_condition_free(n->condition);
    }
    g_free((void *)n->alloc.accessDescs);
    n->params = NULL;
    n->child = NULL;
    n->memory = NULL;
    n->condition = NULL;
    n->alloc.accessDescs = NULL;
    memset(&n->work, 0, sizeof(n->work));
}

/* From the end: a graph that goes frees its nodes in this order. */
static void graph_node_unlist(const struct graph_node *n)
{
    GPtrArray *nodes = n->graph->nodes;
    guint i = nodes->len;

    while (i > 0 && nodes->pdata[i - 1] != n) {
        i--;
    }
    if (i > 0) {
        g_ptr_array_remove_index(nodes, i - 1);
    }
}

static void node_end(void *object)
{
    struct graph_node *n = object;

    while (n->in->len) {
        edge_remove(g_array_index(n->in, struct graph_edge, 0).node, n);
    }
    while (n->out->len) {
        edge_remove(n, g_array_index(n->out, struct graph_edge, 0).node);
    }
    graph_node_clear(n);
    g_array_free(n->in, TRUE);
    g_array_free(n->out, TRUE);
    graph_node_unlist(n);
}

static const struct object_kind node_kind = { .name = "graph node",
                                              .type = HANDLE_GRAPH_NODE,
                                              .end = node_end };

struct graph_node *graph_node_add(struct graph *g, CUgraphNodeType type)
{
    struct graph_node *n = object_new(&node_kind, sizeof(*n), NULL);

    n->graph = g;
    n->id = g->next_id++;
    n->type = type;
    n->in = g_array_new(FALSE, FALSE, sizeof(struct graph_edge));
    n->out = g_array_new(FALSE, FALSE, sizeof(struct graph_edge));
    object_open(&n->base);
    g_ptr_array_add(g->nodes, n);
    return n;
}

void graph_node_free(struct graph_node *n)
{
    object_unref(&n->base);
}

void graph_free(struct graph *g)
{
    object_unref(&g->base);
}

static void params_repoint(struct graph_node *n, const struct graph_node *from)
{
    guint count = 0;

    while (from->params[count]) {
        count++;
    }
    n->params = g_new0(void *, count + 1);
    for (guint i = 0; i < count; i++) {
        ptrdiff_t at = (const uint8_t *)from->params[i] - (const uint8_t *)from->work.data;

        n->params[i] = (uint8_t *)n->work.data + at;
    }
}

void graph_node_copy(struct graph_node *n, const struct graph_node *from)
{
    graph_node_clear(n);
    n->work = from->work;
    n->work.data = g_memdup2(from->work.data, from->work.data_bytes);
    n->caller = from->caller;
    n->priority = from->priority;
    n->copy = from->copy;
    n->fill = from->fill;
    n->alloc = from->alloc;
    n->alloc.accessDescs =
        g_memdup2(from->alloc.accessDescs, from->alloc.accessDescCount * sizeof(CUmemAccessDesc));
    n->freed = from->freed;
    n->memory = from->memory;
    if (n->memory) {
        object_ref(&n->memory->base);
    }
    if (from->params) {
        params_repoint(n, from);
    }
    if (from->child) {
        n->child = graph_clone(from->child, n);
    }
    if (from->condition) {
        graph_condition_copy(n, from);
    }
}

struct graph *graph_clone(const struct graph *from, struct graph_node *owner)
{
    struct graph *g = graph_new();

    g->owner = owner;
    g->origin = from->base.handle;
    graph_conditions_copy(g, from);
    for (guint i = 0; i < from->nodes->len; i++) {
        struct graph_node *old = g_ptr_array_index(from->nodes, i);
        struct graph_node *n = graph_node_add(g, old->type);

        old->mark = i; /* by which its copy is found below */
        n->id = old->id;
        n->origin = old->base.handle;
        graph_node_copy(n, old);
    }
    for (guint i = 0; i < from->nodes->len; i++) {
        const struct graph_node *old = g_ptr_array_index(from->nodes, i);

        for (guint e = 0; e < old->in->len; e++) {
            const struct graph_edge *edge = &g_array_index(old->in, struct graph_edge, e);

            graph_edge_add(g_ptr_array_index(g->nodes, edge->node->mark),
                           g_ptr_array_index(g->nodes, i), &edge->data);
        }
    }
    g->next_id = from->next_id;
    g_array_append_vals(g->objects, from->objects->data, from->objects->len);
    user_object_retain_all(g->objects);
    return g;
}

struct graph_node *graph_node_of_origin(const struct graph *g, CUgraphNode origin)
{
    for (guint i = 0; i < g->nodes->len; i++) {
        struct graph_node *n = g_ptr_array_index(g->nodes, i);

        if (n->origin == origin) {
            return n;
        }
    }
    return NULL;
}

bool graph_has_type(const struct graph *g, CUgraphNodeType type)
{
    for (guint i = 0; i < g->nodes->len; i++) {
        const struct graph_node *n = g_ptr_array_index(g->nodes, i);

        if (n->type == type || (n->child && graph_has_type(n->child, type))) {
            return true;
        }
    }
    return false;
}

GPtrArray *graph_order(const struct graph *g)
{
    GPtrArray *order = g_ptr_array_new();
    GPtrArray *ready = g_ptr_array_new();

    for (guint i = 0; i < g->nodes->len; i++) {
        struct graph_node *n = g_ptr_array_index(g->nodes, i);

        n->mark = n->in->len;
        if (!n->mark) {
            g_ptr_array_add(ready, n);
        }
    }
    for (guint next = 0; next < ready->len; next++) {
        struct graph_node *n = g_ptr_array_index(ready, next);

        g_ptr_array_add(order, n);
        for (guint e = 0; e < n->out->len; e++) {
            struct graph_node *to = g_array_index(n->out, struct graph_edge, e).node;

            if (--to->mark == 0) {
                g_ptr_array_add(ready, to);
            }
        }
    }
    g_ptr_array_free(ready, TRUE);
    if (order->len != g->nodes->len) {
        g_ptr_array_free(order, TRUE);
        order = NULL;
    }
    return order;
}

/* --- the application's calls -------------------------------------------------------------------
 */

CUresult rt_graph_create(CUgraph *graph, unsigned flags)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!graph || flags) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = object_room("cuGraphCreate", 1, "graph");
    if (!error) {
        *graph = graph_new()->base.handle;
    }
    return core_leave(error);
}

CUresult rt_graph_destroy(CUgraph graph)
{
    struct graph *g;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    g = graph_find(graph);
    if (!g || g->owner) { /* a child or a body goes with its node */
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    graph_free(g);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_graph_clone(CUgraph *clone, CUgraph graph)
{
    struct graph *g;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    g = graph_find(graph);
    if (!clone || !g) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
        graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_FREE) ||
        graph_has_type(g, CU_GRAPH_NODE_TYPE_CONDITIONAL)) {
        return core_leave(CUDA_ERROR_NOT_SUPPORTED);
    }
    error = object_room("cuGraphClone", 1 + g->nodes->len, "graph");
    if (!error) {
        *clone = graph_clone(g, NULL)->base.handle;
    }
    return core_leave(error);
}

CUresult rt_graph_find_in_clone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    struct graph *g;
    struct graph_node *n = NULL;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    g = graph_find(clone);
    if (node && g && graph_node_find(original)) {
        n = graph_node_of_origin(g, original);
    }
    if (!n) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *node = n->base.handle;
    return core_leave(CUDA_SUCCESS);
}

/* A graph with memory nodes keeps its nodes and edges (Programming Guide, graph memory nodes). */
static bool graph_frozen(const struct graph *g)
{
    return graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
           graph_has_type(g, CU_GRAPH_NODE_TYPE_MEM_FREE);
}

CUresult rt_graph_node_destroy(CUgraphNode node)
{
    struct graph_node *n;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    n = graph_node_find(node);
    if (!n) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (graph_frozen(n->graph)) {
        return core_leave(CUDA_ERROR_NOT_SUPPORTED);
    }
    graph_node_free(n);
    return core_leave(CUDA_SUCCESS);
}

/* Only edges between kernels may say more than "after" (driver reference, CUgraphEdgeData). */
static bool edge_valid(const struct graph_node *from, const CUgraphEdgeData *d)
{
    static const unsigned char zero[sizeof(d->reserved)];

    if (!d) {
        return true;
    }
    if (memcmp(d->reserved, zero, sizeof(zero)) || d->to_port || d->type > 1 /* programmatic */ ||
        d->from_port > CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER) {
        return false;
    }
    return (!d->from_port && !d->type) || from->type == CU_GRAPH_NODE_TYPE_KERNEL;
}

CUresult graph_deps_check(const struct graph *g, const CUgraphNode *deps,
                          const CUgraphEdgeData *data, size_t n)
{
    if (n && !deps) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < n; i++) {
        const struct graph_node *from = graph_node_find(deps[i]);

        if (!from || from->graph != g || !edge_valid(from, data ? &data[i] : NULL)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        for (size_t k = 0; k < i; k++) {
            if (deps[k] == deps[i]) {
                return CUDA_ERROR_INVALID_VALUE;
            }
        }
    }
    return CUDA_SUCCESS;
}

void graph_deps_add(struct graph_node *node, const CUgraphNode *deps, const CUgraphEdgeData *data,
                    size_t n)
{
    for (size_t i = 0; i < n; i++) {
        graph_edge_add(graph_node_find(deps[i]), node, data ? &data[i] : NULL);
    }
}

/* All pairs are checked before the first is added or taken away. */
static CUresult pairs_check(const struct graph *g, const CUgraphNode *from, const CUgraphNode *to,
                            const CUgraphEdgeData *data, size_t n, bool present)
{
    for (size_t i = 0; i < n; i++) {
        const struct graph_node *a = graph_node_find(from[i]), *b = graph_node_find(to[i]);

        if (!a || !b || a->graph != g || b->graph != g || a == b ||
            graph_edge_has(a, b) != present || !edge_valid(a, data ? &data[i] : NULL)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult pairs_enter(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n,
                            struct graph **g)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    *g = graph_find(graph);
    if (!*g || (n && (!from || !to))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return CUDA_SUCCESS;
}

CUresult rt_graph_add_dependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t n)
{
    struct graph *g;
    CUresult error = pairs_enter(graph, from, to, n, &g);

    if (error) {
        return error;
    }
    error = pairs_check(g, from, to, data, n, false);
    for (size_t i = 0; !error && i < n; i++) {
        graph_edge_add(graph_node_find(from[i]), graph_node_find(to[i]), data ? &data[i] : NULL);
    }
    return core_leave(error);
}

CUresult rt_graph_remove_dependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *data, size_t n)
{
    struct graph *g;
    CUresult error = pairs_enter(graph, from, to, n, &g);

    if (error) {
        return error;
    }
    error = pairs_check(g, from, to, data, n, true);
    if (!error && n && graph_frozen(g)) {
        error = CUDA_ERROR_NOT_SUPPORTED;
    }
    for (size_t i = 0; !error && i < n; i++) {
        edge_remove(graph_node_find(from[i]), graph_node_find(to[i]));
    }
    return core_leave(error);
}
