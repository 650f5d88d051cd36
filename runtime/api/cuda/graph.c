/* SPDX-License-Identifier: MIT */
/* Graph nodes by kind: each unfolds to the general form, which the driver core has. */
#include <string.h>

#include "runtime/api/cuda/api.h"

/* The kinds' structures and their places in CUgraphNodeParams have the same layout; where the place
 * has more behind it (a context), the rest is 0. */
#define PARAMS(kind, member, from)                 \
    if (!(from)) {                                 \
        return api_fail(CUDA_ERROR_INVALID_VALUE); \
    }                                              \
    VALUE(kind, member, from)

#define VALUE(kind, member, from)       \
    CUgraphNodeParams p;                \
                                        \
    memset(&p, 0, sizeof(p));           \
    p.type = CU_GRAPH_NODE_TYPE_##kind; \
    memcpy(&p.member, (from), MIN(sizeof(*(from)), sizeof(p.member)))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define DEPS ((struct rt_deps){ dependencies, NULL, numDependencies })
#define ADD rt_graph_add_node(phGraphNode, hGraph, DEPS, &p)

/* Before CUDA 12: without kern and ctx. */
struct kernel_v1 {
    CUfunction func;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
};

#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const struct kernel_v1 *nodeParams);
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, struct kernel_v1 *nodeParams);
CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const struct kernel_v1 *nodeParams);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const struct kernel_v1 *nodeParams);
CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                           CUgraphExecUpdateResult *updateResult_out);

/* --- add ---------------------------------------------------------------------------------------
 */

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const struct kernel_v1 *nodeParams)
{
    PARAMS(KERNEL, kernel, nodeParams);
    return ADD;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                 const CUgraphNode *dependencies, size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    PARAMS(KERNEL, kernel, nodeParams);
    return ADD;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    PARAMS(MEMCPY, memcpy.copyParams, copyParams);
    p.memcpy.copyCtx = ctx;
    return ADD;
}

CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    PARAMS(MEMSET, memset, memsetParams);
    p.memset.ctx = ctx;
    return ADD;
}

CUresult cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                            const CUgraphNode *dependencies, size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    PARAMS(HOST, host, nodeParams);
    return ADD;
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                  const CUgraphNode *dependencies, size_t numDependencies,
                                  CUgraph childGraph)
{
    VALUE(GRAPH, graph.graph, &childGraph);
    return ADD;
}

CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                             const CUgraphNode *dependencies, size_t numDependencies)
{
    CUgraphNodeParams p;

    memset(&p, 0, sizeof(p));
    p.type = CU_GRAPH_NODE_TYPE_EMPTY;
    return ADD;
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   CUevent event)
{
    VALUE(EVENT_RECORD, eventRecord.event, &event);
    return ADD;
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                 const CUgraphNode *dependencies, size_t numDependencies,
                                 CUevent event)
{
    VALUE(WAIT_EVENT, eventWait.event, &event);
    return ADD;
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                const CUgraphNode *dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
    CUresult error;

    PARAMS(MEM_ALLOC, alloc, nodeParams);
    error = ADD;
    if (!error) {
        nodeParams->dptr = p.alloc.dptr;
    }
    return error;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                               const CUgraphNode *dependencies, size_t numDependencies,
                               CUdeviceptr dptr)
{
    VALUE(MEM_FREE, free.dptr, &dptr);
    return ADD;
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                  const CUgraphNode *dependencies, size_t numDependencies,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    PARAMS(BATCH_MEM_OP, memOp, nodeParams);
    return ADD;
}

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                                const CUgraphNode *dependencies,
                                                size_t numDependencies,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    PARAMS(EXT_SEMAS_SIGNAL, extSemSignal, nodeParams);
    return ADD;
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                              const CUgraphNode *dependencies,
                                              size_t numDependencies,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    PARAMS(EXT_SEMAS_WAIT, extSemWait, nodeParams);
    return ADD;
}

/* --- get ---------------------------------------------------------------------------------------
 */

#define GET(kind, member, to)                                                          \
    CUgraphNodeParams p;                                                               \
    CUresult error = (to) ? rt_graph_node_params(hNode, CU_GRAPH_NODE_TYPE_##kind, &p) \
                          : api_fail(CUDA_ERROR_INVALID_VALUE);                        \
                                                                                       \
    if (!error) {                                                                      \
        memcpy((to), &p.member, MIN(sizeof(*(to)), sizeof(p.member)));                 \
    }                                                                                  \
    return error

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, struct kernel_v1 *nodeParams)
{
    GET(KERNEL, kernel, nodeParams);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    GET(KERNEL, kernel, nodeParams);
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    GET(MEMCPY, memcpy.copyParams, nodeParams);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    GET(MEMSET, memset, nodeParams);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    GET(HOST, host, nodeParams);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    GET(GRAPH, graph.graph, phGraph);
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    GET(EVENT_RECORD, eventRecord.event, event_out);
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    GET(WAIT_EVENT, eventWait.event, event_out);
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
    GET(MEM_ALLOC, alloc, params_out);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
    GET(MEM_FREE, free.dptr, dptr_out);
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out)
{
    GET(BATCH_MEM_OP, memOp, nodeParams_out);
}

CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode,
                                                      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params_out)
{
    GET(EXT_SEMAS_SIGNAL, extSemSignal, params_out);
}

CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode,
                                                    CUDA_EXT_SEM_WAIT_NODE_PARAMS *params_out)
{
    GET(EXT_SEMAS_WAIT, extSemWait, params_out);
}

/* --- set: of a node, of an instance ------------------------------------------------------------
 */

#define SET rt_graph_node_set(hNode, &p)
#define SET_EXEC rt_graph_exec_set(hGraphExec, hNode, &p)

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const struct kernel_v1 *nodeParams)
{
    PARAMS(KERNEL, kernel, nodeParams);
    return SET;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    PARAMS(KERNEL, kernel, nodeParams);
    return SET;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    PARAMS(MEMCPY, memcpy.copyParams, nodeParams);
    return SET;
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    PARAMS(MEMSET, memset, nodeParams);
    return SET;
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    PARAMS(HOST, host, nodeParams);
    return SET;
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    VALUE(EVENT_RECORD, eventRecord.event, &event);
    return SET;
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    VALUE(WAIT_EVENT, eventWait.event, &event);
    return SET;
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    PARAMS(BATCH_MEM_OP, memOp, nodeParams);
    return SET;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const struct kernel_v1 *nodeParams)
{
    PARAMS(KERNEL, kernel, nodeParams);
    return SET_EXEC;
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    PARAMS(KERNEL, kernel, nodeParams);
    return SET_EXEC;
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    PARAMS(MEMCPY, memcpy.copyParams, copyParams);
    p.memcpy.copyCtx = ctx;
    return SET_EXEC;
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    PARAMS(MEMSET, memset, memsetParams);
    p.memset.ctx = ctx;
    return SET_EXEC;
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    PARAMS(HOST, host, nodeParams);
    return SET_EXEC;
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUgraph childGraph)
{
    VALUE(GRAPH, graph.graph, &childGraph);
    return SET_EXEC;
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            CUevent event)
{
    VALUE(EVENT_RECORD, eventRecord.event, &event);
    return SET_EXEC;
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    VALUE(WAIT_EVENT, eventWait.event, &event);
    return SET_EXEC;
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    PARAMS(BATCH_MEM_OP, memOp, nodeParams);
    return SET_EXEC;
}

CUresult
cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode hNode,
                                             const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    PARAMS(EXT_SEMAS_SIGNAL, extSemSignal, nodeParams);
    return SET;
}

CUresult
cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    PARAMS(EXT_SEMAS_SIGNAL, extSemSignal, nodeParams);
    return SET_EXEC;
}

CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode hNode,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    PARAMS(EXT_SEMAS_WAIT, extSemWait, nodeParams);
    return SET;
}

CUresult
cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                               const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    PARAMS(EXT_SEMAS_WAIT, extSemWait, nodeParams);
    return SET_EXEC;
}

/* The form before CUDA 12. */
CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                           CUgraphExecUpdateResult *updateResult_out)
{
    CUgraphExecUpdateResultInfo info = { .result = CU_GRAPH_EXEC_UPDATE_ERROR };
    CUresult error = rt_graph_exec_update(hGraphExec, hGraph, &info);

    if (hErrorNode_out) {
        *hErrorNode_out = info.errorNode;
    }
    if (updateResult_out) {
        *updateResult_out = info.result;
    }
    return error;
}
