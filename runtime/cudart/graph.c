/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Graph Management: what a program needs to capture a stream and replay it. */
#include "runtime/cudart/rt.h"

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuGraphCreate, pGraph, flags);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuGraphDestroy, graph);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuGraphGetNodes, graph, nodes, numNodes);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuGraphInstantiateWithFlags, pGraphExec, graph, flags);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuGraphUpload, graphExec, stream);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuGraphLaunch, graphExec, stream);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuGraphExecDestroy, graphExec);
}
