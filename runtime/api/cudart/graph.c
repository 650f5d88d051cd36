/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, Graph Management: nodes whose parameters the two APIs write differently. */
#include <string.h>

#include "runtime/api/cudart/module.h"

_Static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "passed on as it is");
_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS),
               "passed on as it is");
_Static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo),
               "passed on as it is");
_Static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS),
               "passed on as it is");
_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS),
               "passed on as it is");

/* Where a node's parameters go: a node to come, a node, a node of an instance. */
struct to {
    cudaGraphNode_t *added;
    cudaGraph_t graph;
    const cudaGraphNode_t *deps;
    const cudaGraphEdgeData *edges;
    size_t n;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
};
#define ADDED      \
    (&(struct to){ \
        .added = pGraphNode, .graph = graph, .deps = pDependencies, .n = numDependencies })
#define NODE (&(struct to){ .node = node })
#define INSTANCE (&(struct to){ .exec = hGraphExec, .node = node })

static cudaError_t graph_give(const struct to *to, CUgraphNodeParams *p)
{
    if (to->graph || !to->node) {
        return RT_DRIVER(cuGraphAddNode, to->added, to->graph, to->deps,
                         (const CUgraphEdgeData *)to->edges, to->n, p);
    }
    return to->exec ? RT_DRIVER(cuGraphExecNodeSetParams, to->exec, to->node, p)
                    : RT_DRIVER(cuGraphNodeSetParams, to->node, p);
}

/* --- kernels -----------------------------------------------------------------------------------
 */

/* Measured: NULL is no device function; what was never registered is no handle of the driver. */
static cudaError_t kernel_params(const struct cudaKernelNodeParams *k, CUgraphNodeParams *p)
{
    cudaError_t err;

    memset(p, 0, sizeof(*p));
    p->type = CU_GRAPH_NODE_TYPE_KERNEL;
    err = rt_launchable(k->func, &p->kernel.kern);
    p->kernel.gridDimX = k->gridDim.x;
    p->kernel.gridDimY = k->gridDim.y;
    p->kernel.gridDimZ = k->gridDim.z;
    p->kernel.blockDimX = k->blockDim.x;
    p->kernel.blockDimY = k->blockDim.y;
    p->kernel.blockDimZ = k->blockDim.z;
    p->kernel.sharedMemBytes = k->sharedMemBytes;
    p->kernel.kernelParams = k->kernelParams;
    p->kernel.extra = k->extra;
    return err;
}

static cudaError_t give_kernel(const struct to *to, const struct cudaKernelNodeParams *k)
{
    CUgraphNodeParams p;

    RT_TRY(rt_context());
    RT_REQUIRE(k, cudaErrorInvalidValue);
    RT_TRY(kernel_params(k, &p));
    return graph_give(to, &p);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaKernelNodeParams *pNodeParams)
{
    return give_kernel(ADDED, pNodeParams);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *pNodeParams)
{
    return give_kernel(NODE, pNodeParams);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *pNodeParams)
{
    return give_kernel(INSTANCE, pNodeParams);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;

    RT_TRY(rt_context());
    RT_REQUIRE(pNodeParams, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuGraphKernelNodeGetParams(node, &p)));
    *pNodeParams = (struct cudaKernelNodeParams){
        .func = p.kern ? (void *)(size_t)rt_kernel_stub(p.kern) : (void *)p.func,
        .gridDim = { p.gridDimX, p.gridDimY, p.gridDimZ },
        .blockDim = { p.blockDimX, p.blockDimY, p.blockDimZ },
        .sharedMemBytes = p.sharedMemBytes,
        .kernelParams = p.kernelParams,
        .extra = p.extra,
    };
    if (!pNodeParams->func) { /* of a library that the program loaded itself */
        pNodeParams->func = p.kern;
    }
    return cudaSuccess;
}

/* --- copies ------------------------------------------------------------------------------------
 */

static cudaError_t give_copy(const struct to *to, const CUDA_MEMCPY3D *copy)
{
    CUgraphNodeParams p;

    memset(&p, 0, sizeof(p));
    p.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    p.memcpy.copyParams = *copy;
    return graph_give(to, &p);
}

static cudaError_t give_3d(const struct to *to, const struct cudaMemcpy3DParms *c)
{
    CUDA_MEMCPY3D copy;

    RT_TRY(rt_context());
    RT_REQUIRE(c, cudaErrorInvalidValue);
    RT_TRY(rt_copy_3d(c, &copy));
    return give_copy(to, &copy);
}

static cudaError_t give_1d(const struct to *to, void *dst, const void *src, size_t count,
                           enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D copy;

    RT_TRY(rt_context());
    RT_TRY(rt_copy_1d(dst, src, count, kind, &copy));
    return give_copy(to, &copy);
}

/* The part of a variable that a copy is about. */
static cudaError_t symbol_part(const void *symbol, size_t count, size_t offset, void **at)
{
    CUdeviceptr address;
    size_t bytes;
    cudaError_t err = rt_symbol_find(symbol, &address, &bytes);

    if (err != cudaSuccess) {
        return err;
    }
    *at = (void *)(size_t)(address + offset);
    return offset > bytes || count > bytes - offset ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t give_to_symbol(const struct to *to, const void *symbol, const void *src,
                                  size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    void *at;

    RT_TRY(symbol_part(symbol, count, offset, &at));
    return give_1d(to, at, src, count, kind);
}

static cudaError_t give_from_symbol(const struct to *to, void *dst, const void *symbol,
                                    size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    void *at;

    RT_TRY(symbol_part(symbol, count, offset, &at));
    return give_1d(to, dst, at, count, kind);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemcpy3DParms *pCopyParams)
{
    return give_3d(ADDED, pCopyParams);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *pNodeParams)
{
    return give_3d(NODE, pNodeParams);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *pNodeParams)
{
    return give_3d(INSTANCE, pNodeParams);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind)
{
    return give_1d(ADDED, dst, src, count, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t count, enum cudaMemcpyKind kind)
{
    return give_1d(NODE, dst, src, count, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind)
{
    return give_1d(INSTANCE, dst, src, count, kind);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies, const void *symbol,
                                           const void *src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind)
{
    return give_to_symbol(ADDED, symbol, src, count, offset, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *src, size_t count, size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    return give_to_symbol(NODE, symbol, src, count, offset, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                     cudaGraphNode_t node, const void *symbol,
                                                     const void *src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    return give_to_symbol(INSTANCE, symbol, src, count, offset, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies,
                                             size_t numDependencies, void *dst, const void *symbol,
                                             size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return give_from_symbol(ADDED, dst, symbol, count, offset, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                   const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    return give_from_symbol(NODE, dst, symbol, count, offset, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node, void *dst,
                                                       const void *symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind)
{
    return give_from_symbol(INSTANCE, dst, symbol, count, offset, kind);
}

static enum cudaMemcpyKind kind_of(CUmemorytype src, CUmemorytype dst)
{
    if (src == CU_MEMORYTYPE_UNIFIED || dst == CU_MEMORYTYPE_UNIFIED) {
        return cudaMemcpyDefault;
    }
    return src == CU_MEMORYTYPE_HOST
               ? (dst == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
               : (dst == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
}

static void *graph_pointer(CUmemorytype type, const void *host, CUdeviceptr device)
{
    if (type == CU_MEMORYTYPE_ARRAY) {
        return NULL;
    }
    return type == CU_MEMORYTYPE_HOST ? (void *)(size_t)host : (void *)(size_t)device;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemcpy3DParms *pNodeParams)
{
    CUDA_MEMCPY3D c;

    RT_TRY(rt_context());
    RT_REQUIRE(pNodeParams, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuGraphMemcpyNodeGetParams(node, &c)));
    *pNodeParams = (struct cudaMemcpy3DParms){
        .srcArray = c.srcMemoryType == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)c.srcArray : NULL,
        .dstArray = c.dstMemoryType == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)c.dstArray : NULL,
        .srcPos = { c.srcXInBytes, c.srcY, c.srcZ },
        .srcPtr = { graph_pointer(c.srcMemoryType, c.srcHost, c.srcDevice), c.srcPitch, c.srcPitch,
                    c.srcHeight },
        .dstPos = { c.dstXInBytes, c.dstY, c.dstZ },
        .dstPtr = { graph_pointer(c.dstMemoryType, c.dstHost, c.dstDevice), c.dstPitch, c.dstPitch,
                    c.dstHeight },
        .extent = { c.WidthInBytes, c.Height, c.Depth },
        .kind = kind_of(c.srcMemoryType, c.dstMemoryType),
    };
    return cudaSuccess;
}

/* --- fills -------------------------------------------------------------------------------------
 */

static cudaError_t give_fill(const struct to *to, const struct cudaMemsetParams *m)
{
    CUgraphNodeParams p;

    RT_TRY(rt_context());
    RT_REQUIRE(m, cudaErrorInvalidValue);
    memset(&p, 0, sizeof(p));
    p.type = CU_GRAPH_NODE_TYPE_MEMSET;
    p.memset = (CUDA_MEMSET_NODE_PARAMS_v2){ .dst = RT_PTR(m->dst),
                                             .pitch = m->pitch,
                                             .value = m->value,
                                             .elementSize = m->elementSize,
                                             .width = m->width,
                                             .height = m->height };
    return graph_give(to, &p);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemsetParams *pMemsetParams)
{
    return give_fill(ADDED, pMemsetParams);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *pNodeParams)
{
    return give_fill(NODE, pNodeParams);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *pNodeParams)
{
    return give_fill(INSTANCE, pNodeParams);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams)
{
    CUDA_MEMSET_NODE_PARAMS m;

    RT_TRY(rt_context());
    RT_REQUIRE(pNodeParams, cudaErrorInvalidValue);
    RT_TRY(rt_error(rt_drv.cuGraphMemsetNodeGetParams(node, &m)));
    *pNodeParams = (struct cudaMemsetParams){ .dst = (void *)(size_t)m.dst,
                                              .pitch = m.pitch,
                                              .value = m.value,
                                              .elementSize = m.elementSize,
                                              .width = m.width,
                                              .height = m.height };
    return cudaSuccess;
}

/* --- any kind ----------------------------------------------------------------------------------
 */

/* What is alike in both APIs keeps its bytes: the kinds without a structure here. */
static cudaError_t any_params(const struct cudaGraphNodeParams *from, CUgraphNodeParams *p)
{
    struct cudaKernelNodeParams k;
    cudaError_t err = cudaSuccess;

    memcpy(p, from, sizeof(*p));
    if (from->type == cudaGraphNodeTypeKernel) {
        memcpy(&k, &from->kernel, sizeof(k));
        err = kernel_params(&k, p);
    } else if (from->type == cudaGraphNodeTypeMemcpy) {
        memset(&p->memcpy, 0, sizeof(p->memcpy));
        err = rt_copy_3d(&from->memcpy.copyParams, &p->memcpy.copyParams);
    } else if (from->type == cudaGraphNodeTypeMemset) {
        p->memset.ctx = NULL;
    } else if (from->type == cudaGraphNodeTypeConditional) {
        err = rt_error(rt_drv.cuCtxGetCurrent(&p->conditional.ctx));
    }
    return err;
}

static cudaError_t give_any(const struct to *to, struct cudaGraphNodeParams *params)
{
    CUgraphNodeParams p;
    cudaError_t err;

    RT_TRY(rt_context());
    RT_REQUIRE(params, cudaErrorInvalidValue);
    RT_TRY(any_params(params, &p));
    err = graph_give(to, &p);
    if (err == cudaSuccess && params->type == cudaGraphNodeTypeMemAlloc) {
        params->alloc.dptr = (void *)(size_t)p.alloc.dptr;
    } else if (err == cudaSuccess && params->type == cudaGraphNodeTypeConditional) {
        params->conditional.phGraph_out = p.conditional.phGraph_out;
    }
    return err;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t *pDependencies,
                             const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                             struct cudaGraphNodeParams *nodeParams)
{
    struct to to = *ADDED;

    to.edges = dependencyData;
    return give_any(&to, nodeParams);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams)
{
    return give_any(NODE, nodeParams);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams)
{
    return give_any(&(struct to){ .exec = graphExec, .node = node }, nodeParams);
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out,
                                             cudaGraph_t graph, unsigned int defaultLaunchValue,
                                             unsigned int flags)
{
    CUcontext ctx;

    RT_TRY(rt_context());
    RT_TRY(rt_error(rt_drv.cuCtxGetCurrent(&ctx)));
    return RT_DRIVER(cuGraphConditionalHandleCreate, (CUgraphConditionalHandle *)pHandle_out, graph,
                     ctx, defaultLaunchValue, flags);
}
