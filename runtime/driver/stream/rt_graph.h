/* SPDX-License-Identifier: MIT */
/* Graphs, their instances, user objects. Rules: runtime/driver/driver.h; but a stale or foreign
 * handle of these is CUDA_ERROR_INVALID_VALUE (measured). */
#ifndef RUNTIME_DRIVER_STREAM_RT_GRAPH_H
#define RUNTIME_DRIVER_STREAM_RT_GRAPH_H

#include "include/cuda.h"

/* What a new node comes after. */
struct rt_deps {
    const CUgraphNode *nodes;
    const CUgraphEdgeData *data; /* NULL: plain edges */
    size_t n;
};

CUresult rt_graph_create(CUgraph *graph, unsigned flags);
CUresult rt_graph_destroy(CUgraph graph);
CUresult rt_graph_clone(CUgraph *clone, CUgraph graph);
CUresult rt_graph_find_in_clone(CUgraphNode *node, CUgraphNode original, CUgraph clone);
CUresult rt_graph_node_destroy(CUgraphNode node);
CUresult rt_graph_add_dependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t n);
CUresult rt_graph_remove_dependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *data, size_t n);

/* All kinds of nodes; the entry points of one kind unfold to it. Results (the address of an
 * allocation, the bodies of a conditional node) are written to @params. */
CUresult rt_graph_add_node(CUgraphNode *node, CUgraph graph, struct rt_deps deps,
                           CUgraphNodeParams *params);
CUresult rt_graph_node_set(CUgraphNode node, const CUgraphNodeParams *params);
/* @type: what the caller believes the node to be. */
CUresult rt_graph_node_params(CUgraphNode node, CUgraphNodeType type, CUgraphNodeParams *params);

CUresult rt_graph_nodes(CUgraph graph, CUgraphNode *nodes, size_t *n);
CUresult rt_graph_roots(CUgraph graph, CUgraphNode *nodes, size_t *n);
/* @data NULL: CUDA_ERROR_LOSSY_QUERY where an edge is no plain one. */
CUresult rt_graph_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                        size_t *n);
CUresult rt_graph_node_dependencies(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
                                    size_t *n);
CUresult rt_graph_node_dependents(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
                                  size_t *n);
CUresult rt_graph_node_type(CUgraphNode node, CUgraphNodeType *type);
CUresult rt_graph_node_attribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                 CUkernelNodeAttrValue *value);
CUresult rt_graph_node_set_attribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                     const CUkernelNodeAttrValue *value);
CUresult rt_graph_node_copy_attributes(CUgraphNode dst, CUgraphNode src);
CUresult rt_graph_dot(CUgraph graph, const char *path, unsigned flags);

/* @error_node, @result: may be NULL. */
CUresult rt_graph_instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags,
                              CUgraphNode *error_node, CUgraphInstantiateResult *result);
CUresult rt_graph_instantiate_params(CUgraphExec *exec, CUgraph graph,
                                     CUDA_GRAPH_INSTANTIATE_PARAMS *params);
CUresult rt_graph_exec_destroy(CUgraphExec exec);
CUresult rt_graph_exec_flags(CUgraphExec exec, cuuint64_t *flags);
CUresult rt_graph_exec_set(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *params);
CUresult rt_graph_exec_update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info);
CUresult rt_graph_enabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled);
CUresult rt_graph_set_enabled(CUgraphExec exec, CUgraphNode node, unsigned enabled);
CUresult rt_graph_upload(CUgraphExec exec, CUstream stream);
CUresult rt_graph_launch(CUgraphExec exec, CUstream stream);

CUresult rt_graph_memory_trim(CUdevice device);
CUresult rt_graph_memory_attribute(CUdevice device, CUgraphMem_attribute attribute, void *value);
CUresult rt_graph_memory_set_attribute(CUdevice device, CUgraphMem_attribute attribute,
                                       void *value);
CUresult rt_graph_condition_create(CUgraphConditionalHandle *handle, CUgraph graph,
                                   CUcontext context, unsigned initial, unsigned flags);

CUresult rt_user_object_create(CUuserObject *object, void *ptr, CUhostFn destroy, unsigned count,
                               unsigned flags);
CUresult rt_user_object_retain(CUuserObject object, unsigned count);
CUresult rt_user_object_release(CUuserObject object, unsigned count);
CUresult rt_graph_retain_object(CUgraph graph, CUuserObject object, unsigned count, unsigned flags);
CUresult rt_graph_release_object(CUgraph graph, CUuserObject object, unsigned count);

#endif
