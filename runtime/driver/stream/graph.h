/* SPDX-License-Identifier: MIT */
/* Graphs: nodes that keep a struct work, edges between them, and what launches them.
 *
 *   graph.c            graphs, nodes, edges, clones
 *   graph_node.c       what a node of each kind is given and answers
 *   graph_query.c      lists of nodes and edges, attributes of nodes
 *   graph_exec.c       instantiate: a copy of the graph and a plan; launch
 *   graph_update.c     an instantiated graph gets other parameters
 *   graph_memory.c     memory that a graph allocates
 *   graph_condition.c  bodies that run as a value in memory says
 *   graph_dot.c        text for Graphviz
 *   user_object.c      counted objects of the application
 *   capture.c          streams whose work becomes nodes
 */
#ifndef RUNTIME_DRIVER_STREAM_GRAPH_H
#define RUNTIME_DRIVER_STREAM_GRAPH_H

#include "runtime/driver/core/object.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/stream/rt_graph.h"
#include "runtime/observe/check.h"

struct context;
struct graph;
struct graph_condition;
struct region;

struct graph_edge {
    struct graph_node *node;
    CUgraphEdgeData data;
};

/**
 * struct graph_node
 * @id: in its graph, in order of creation; never used again
 * @origin: the node that it is a copy of: its handle
 * @in, @out: struct graph_edge
 * @work: of nodes that give a stream one; @work.data is owned
 * @params: kernel: one pointer a parameter, into @work.data
 * @memcpy, @memset: as given
 * @alloc: @region is the graph's own memory, for as long as a graph or a copy has the node
 * @disabled: in a struct graph_exec: launches leave it out
 */
struct graph_node {
    struct object base;
    struct graph *graph;
    unsigned id;
    CUgraphNode origin;
    CUgraphNodeType type;
    GArray *in, *out;
    struct work work;
    bool disabled;
    struct check_caller caller;
    void **params;
    int priority;
    CUDA_MEMCPY3D copy;
    CUDA_MEMSET_NODE_PARAMS fill;
    struct graph *child;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc;
    struct graph_memory *memory;
    CUdeviceptr freed;
    struct graph_condition *condition;
    unsigned step; /* graph_exec.c: its place in the plan */
    unsigned mark; /* of a walk that is under way */
};

/**
 * struct graph
 * @owner: the node whose child or body it is; NULL: the application's
 * @origin: the graph that it is a copy of: its handle
 * @nodes: in order of creation
 * @objects: struct graph_object (user_object.c)
 * @conditions: struct graph_condition, made for this graph
 */
struct graph {
    struct object base;
    struct graph_node *owner;
    CUgraph origin;
    GPtrArray *nodes;
    GArray *objects;
    GPtrArray *conditions;
    unsigned next_id;
    bool capturing;
    unsigned instances; /* of a graph with memory nodes: one at a time */
};

/* Memory of an allocation node: its addresses stay the same from launch to launch. */
struct graph_memory {
    struct object base; /* held by nodes: of the graph, of its copies; and while it is live */
    uint64_t address, serial, bytes;
    bool live;     /* allocated and not freed */
    bool backed;   /* counts as reserved: launched since the last trim */
    bool reported; /* the checker knows it */
};

/* graph.c */
struct graph *graph_new(void);
void graph_free(struct graph *graph);
struct graph *graph_find(CUgraph handle);
struct graph_node *graph_node_find(CUgraphNode handle);
struct graph *graph_clone(const struct graph *graph, struct graph_node *owner);
struct graph_node *graph_node_add(struct graph *graph, CUgraphNodeType type);
void graph_node_free(struct graph_node *node);
/* What a node has beside its edges becomes a copy of @from's. */
void graph_node_copy(struct graph_node *node, const struct graph_node *from);
void graph_node_clear(struct graph_node *node);
bool graph_edge_has(const struct graph_node *from, const struct graph_node *to);
void graph_edge_add(struct graph_node *from, struct graph_node *to, const CUgraphEdgeData *data);
/* Nodes, each behind those that it depends on; by id where there is a choice. NULL: a cycle. */
GPtrArray *graph_order(const struct graph *graph);
bool graph_has_type(const struct graph *graph, CUgraphNodeType type);
struct graph_node *graph_node_of_origin(const struct graph *graph, CUgraphNode origin);

/* graph_node.c */
/* The works of streams that capture, as nodes; takes a copy of @work. */
void graph_node_take_work(struct graph_node *node, const struct work *work);
CUresult graph_node_set_kernel(struct graph_node *node, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult graph_node_set_copy(struct graph_node *node, const CUDA_MEMCPY3D *params);
CUresult graph_node_set_fill(struct graph_node *node, const CUDA_MEMSET_NODE_PARAMS *params);
CUresult graph_node_set_host(struct graph_node *node, const CUDA_HOST_NODE_PARAMS *params);
CUresult graph_node_set_event(struct graph_node *node, CUevent event);
CUresult graph_node_set_values(struct graph_node *node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p);
/* Any kind, by its own type. */
CUresult graph_node_set(struct graph_node *node, const CUgraphNodeParams *params);
/* Dependencies of a node to come: they exist, belong to @graph, none comes twice. */
CUresult graph_deps_check(const struct graph *graph, const CUgraphNode *deps,
                          const CUgraphEdgeData *data, size_t n);
void graph_deps_add(struct graph_node *node, const CUgraphNode *deps, const CUgraphEdgeData *data,
                    size_t n);

/* graph_memory.c */
CUresult graph_node_set_alloc(struct graph_node *node, CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult graph_node_set_free(struct graph_node *node, CUdeviceptr ptr);
void graph_memory_unref(struct graph_memory *memory);
struct graph_memory *graph_memory_at(CUdeviceptr ptr);
/* Before a launch of @graph. */
CUresult graph_memory_begin(const struct graph *graph, struct stream *stream,
                            unsigned long long flags);

/* graph_condition.c */
CUresult graph_node_set_condition(struct graph_node *node, CUDA_CONDITIONAL_NODE_PARAMS *params);
CUresult graph_conditions_check(const struct graph *graph, CUgraphInstantiateResult *result);
void graph_conditions_copy(struct graph *graph, const struct graph *from);
void graph_conditions_free(struct graph *graph);
void graph_condition_copy(struct graph_node *node, const struct graph_node *from);
void graph_condition_free(struct graph_condition *condition); /* its node goes */

/* graph_exec.c */
struct graph_exec;
struct graph_exec *graph_exec_find(CUgraphExec handle);
CUresult graph_launch(struct graph_exec *exec, struct stream *stream);

/* capture_work.c: a stream that captures takes a whole graph as a node. */
CUresult capture_graph(struct stream *stream, const struct graph *graph);

/* user_object.c */
struct graph_object {
    struct user_object *object;
    unsigned count;
};
void user_object_retain_all(const GArray *objects);
void user_object_release_all(GArray *objects);

#endif
