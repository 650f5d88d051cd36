/* SPDX-License-Identifier: MIT */
/* Answers of the graph and capture API: a line a call, "case code"; values as "case.value number".
 *
 *   nvcc -arch=sm_90 -cudart static graph_codes.cpp -o graph_codes -lcuda && ./graph_codes
 *
 * The output on a real GPU lies beside it as graph_codes.txt; tests/api compares ours with it. Each
 * section is a process of its own, so that a crash of a driver ends one section only. */
#include <cuda.h>
#include <cuda_runtime.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static const char *section;

static void row(const char *name, long long value)
{
    std::printf("%s.%s %lld\n", section, name, value);
    std::fflush(stdout);
}

static const char *current = "begin";

#define C(name, call) (current = (name), row((name), (long long)(call)))
#define V(name, value) row(name ".value", (long long)(value))

static void crashed(int)
{
    std::printf("%s.%s SIGSEGV\n", section, current);
    std::fflush(stdout);
    _exit(0);
}

static const char ptx[] =
    ".version 7.0\n.target sm_72\n.address_size 64\n"
    ".visible .entry inc(.param .u64 p)\n{\n"
    ".reg .u64 %rd<3>;\n.reg .u32 %r<2>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "ld.global.u32 %r1, [%rd2];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n"
    ".visible .entry two(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .u64 %rd<3>;\n.reg .u32 %r<2>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "st.global.u32 [%rd2], %r1;\nret;\n}\n";

static CUcontext ctx;
static CUdevice dev;
static CUmodule mod;
static CUfunction inc, two;
static CUdeviceptr mem;
static void *arguments[2];
static unsigned number = 7;

static void up(void)
{
    cuInit(0);
    cuDeviceGet(&dev, 0);
    cuDevicePrimaryCtxRetain(&ctx, dev);
    cuCtxSetCurrent(ctx);
    if (cuModuleLoadData(&mod, ptx) || cuModuleGetFunction(&inc, mod, "inc") ||
        cuModuleGetFunction(&two, mod, "two") || cuMemAlloc(&mem, 4096) ||
        cuMemsetD8(mem, 0, 4096) || cuCtxSynchronize()) {
        std::printf("%s.setup failed\n", section);
        _exit(1);
    }
    arguments[0] = &mem;
    arguments[1] = &number;
}

static unsigned word(void)
{
    unsigned w = ~0u;

    cuMemcpyDtoH(&w, mem, 4);
    return w;
}

static CUDA_KERNEL_NODE_PARAMS kernel(CUfunction f)
{
    CUDA_KERNEL_NODE_PARAMS p;

    std::memset(&p, 0, sizeof(p));
    p.func = f;
    p.gridDimX = p.gridDimY = p.gridDimZ = 1;
    p.blockDimX = p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = arguments;
    return p;
}

static CUDA_MEMSET_NODE_PARAMS fill(CUdeviceptr at, unsigned value, size_t words)
{
    CUDA_MEMSET_NODE_PARAMS p;

    std::memset(&p, 0, sizeof(p));
    p.dst = at;
    p.value = value;
    p.elementSize = 4;
    p.width = words;
    p.height = 1;
    return p;
}

static CUDA_MEMCPY3D copy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    CUDA_MEMCPY3D p;

    std::memset(&p, 0, sizeof(p));
    p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    p.srcDevice = from;
    p.dstDevice = to;
    p.WidthInBytes = bytes;
    p.Height = p.Depth = 1;
    return p;
}

static int calls;
static void host_fn(void *)
{
    calls++;
}

/* ---- explicit graphs ---- */

static void graphs(void)
{
    CUgraph g, h;
    CUgraphNode a, b, c, out[16];
    size_t n;
    CUgraphNodeType type;

    C("create", cuGraphCreate(&g, 0));
    C("create_null", cuGraphCreate(NULL, 0));
    C("create_flags", cuGraphCreate(&h, 1));
    C("destroy_null", cuGraphDestroy(NULL));
    C("nodes_null_graph", cuGraphGetNodes(NULL, out, &n));
    C("nodes_null_count", cuGraphGetNodes(g, out, NULL));
    n = 8;
    C("nodes_empty", cuGraphGetNodes(g, NULL, &n));
    V("nodes_empty", n);
    C("empty_null_node", cuGraphAddEmptyNode(NULL, g, NULL, 0));
    C("empty_null_graph", cuGraphAddEmptyNode(&a, NULL, NULL, 0));
    C("empty_null_deps", cuGraphAddEmptyNode(&a, g, NULL, 1));
    C("empty", cuGraphAddEmptyNode(&a, g, NULL, 0));
    C("empty_after", cuGraphAddEmptyNode(&b, g, &a, 1));
    CUgraphNode twice[2] = { a, a }, none[1] = { NULL };
    C("empty_dep_twice", cuGraphAddEmptyNode(&c, g, twice, 2));
    C("empty_dep_null", cuGraphAddEmptyNode(&c, g, none, 1));
    C("empty_third", cuGraphAddEmptyNode(&c, g, &b, 1));
    C("type", cuGraphNodeGetType(a, &type));
    V("type", type);
    C("type_null", cuGraphNodeGetType(a, NULL));
    C("type_null_node", cuGraphNodeGetType(NULL, &type));
    n = 0;
    C("nodes_count", cuGraphGetNodes(g, NULL, &n));
    V("nodes_count", n);
    n = 1;
    C("nodes_short", cuGraphGetNodes(g, out, &n));
    V("nodes_short", n);
    n = 8;
    C("nodes_long", cuGraphGetNodes(g, out, &n));
    V("nodes_long", n);
    V("nodes_long_order", out[0] == a && out[1] == b && out[2] == c);
    V("nodes_long_rest_null", out[3] == NULL && out[7] == NULL);
    n = 8;
    C("roots", cuGraphGetRootNodes(g, out, &n));
    V("roots", n);
    C("roots_null", cuGraphGetRootNodes(g, NULL, NULL));
    n = 8;
    C("edges", cuGraphGetEdges(g, out, out + 8, NULL, &n));
    V("edges", n);
    V("edges_pairs", out[0] == a && out[8] == b && out[1] == b && out[9] == c);
    n = 8;
    C("edges_only_from", cuGraphGetEdges(g, out, NULL, NULL, &n));
    C("edges_null", cuGraphGetEdges(g, NULL, NULL, NULL, NULL));
    C("edges_null_graph", cuGraphGetEdges(NULL, NULL, NULL, NULL, &n));
    n = 8;
    C("deps", cuGraphNodeGetDependencies(b, out, NULL, &n));
    V("deps", n);
    C("deps_null", cuGraphNodeGetDependencies(b, out, NULL, NULL));
    C("deps_null_node", cuGraphNodeGetDependencies(NULL, out, NULL, &n));
    n = 8;
    C("dependents", cuGraphNodeGetDependentNodes(b, out, NULL, &n));
    V("dependents", n);
    C("dependents_null", cuGraphNodeGetDependentNodes(b, out, NULL, NULL));

    C("add_dep", cuGraphAddDependencies(g, &a, &c, NULL, 1));
    C("add_dep_again", cuGraphAddDependencies(g, &a, &c, NULL, 1));
    C("add_dep_self", cuGraphAddDependencies(g, &a, &a, NULL, 1));
    C("add_dep_null", cuGraphAddDependencies(g, NULL, NULL, NULL, 1));
    C("add_dep_none", cuGraphAddDependencies(g, NULL, NULL, NULL, 0));
    C("add_dep_null_graph", cuGraphAddDependencies(NULL, &a, &c, NULL, 1));
    C("add_dep_null_node", cuGraphAddDependencies(g, none, &c, NULL, 1));
    C("remove_dep", cuGraphRemoveDependencies(g, &a, &c, NULL, 1));
    C("remove_dep_again", cuGraphRemoveDependencies(g, &a, &c, NULL, 1));
    C("remove_dep_null", cuGraphRemoveDependencies(g, NULL, NULL, NULL, 1));
    C("remove_dep_null_graph", cuGraphRemoveDependencies(NULL, &a, &c, NULL, 1));

    /* A cycle: when is it found? */
    CUgraphExec exec = NULL;
    C("add_dep_cycle", cuGraphAddDependencies(g, &c, &a, NULL, 1));
    n = 8;
    C("cycle_edges", cuGraphGetEdges(g, NULL, NULL, NULL, &n));
    V("cycle_edges", n);
    C("cycle_instantiate", cuGraphInstantiate(&exec, g, 0));
    V("cycle_exec_null", exec == NULL);
    CUDA_GRAPH_INSTANTIATE_PARAMS ip;
    std::memset(&ip, 0, sizeof(ip));
    C("cycle_instantiate_params", cuGraphInstantiateWithParams(&exec, g, &ip));
    V("cycle_result", ip.result_out);
    C("cycle_remove", cuGraphRemoveDependencies(g, &c, &a, NULL, 1));

    /* Nodes of another graph */
    CUgraphNode foreign, node;
    cuGraphCreate(&h, 0);
    C("foreign_node", cuGraphAddEmptyNode(&foreign, h, NULL, 0));
    C("foreign_dep", cuGraphAddEmptyNode(&node, g, &foreign, 1));
    C("foreign_add_dep", cuGraphAddDependencies(g, &foreign, &a, NULL, 1));
    C("foreign_remove_dep", cuGraphRemoveDependencies(g, &foreign, &a, NULL, 1));

    /* Edge data */
    CUgraphEdgeData edge;
    std::memset(&edge, 0, sizeof(edge));
    C("edge_zero", cuGraphAddDependencies(g, &a, &c, &edge, 1));
    n = 8;
    CUgraphEdgeData edges[8];
    C("edge_get", cuGraphGetEdges(g, out, out + 8, edges, &n));
    V("edge_get", n);
    C("edge_remove", cuGraphRemoveDependencies(g, &a, &c, &edge, 1));
    edge.from_port = 1;
    C("edge_port_of_empty", cuGraphAddDependencies(g, &a, &c, &edge, 1));
    edge.from_port = 0;
    edge.type = 99;
    C("edge_type", cuGraphAddDependencies(g, &a, &c, &edge, 1));
    edge.type = 0;
    edge.reserved[0] = 1;
    C("edge_reserved", cuGraphAddDependencies(g, &a, &c, &edge, 1));

    C("destroy_node", cuGraphDestroyNode(b));
    n = 8;
    C("after_destroy_node", cuGraphGetEdges(g, NULL, NULL, NULL, &n));
    V("after_destroy_node", n);
    C("destroy_node_null", cuGraphDestroyNode(NULL));
    C("destroy", cuGraphDestroy(h));
    C("destroy_g", cuGraphDestroy(g));
}

static void nodes(void)
{
    CUgraph g, h, got;
    CUgraphNode k, m, s, f, e, w, c, x;
    CUDA_KERNEL_NODE_PARAMS kp = kernel(inc), kq;
    CUDA_MEMSET_NODE_PARAMS mp = fill(mem, 3, 4), mq;
    CUDA_MEMCPY3D cp = copy(mem + 64, mem, 16), cq;
    CUDA_HOST_NODE_PARAMS hp, hq;
    CUevent event, other;
    CUgraphNodeType type;

    std::memset(&hp, 0, sizeof(hp));
    hp.fn = host_fn;
    cuEventCreate(&event, 0);
    cuEventCreate(&other, CU_EVENT_DISABLE_TIMING);
    cuGraphCreate(&g, 0);
    cuGraphCreate(&h, 0);

    C("kernel", cuGraphAddKernelNode(&k, g, NULL, 0, &kp));
    C("kernel_null", cuGraphAddKernelNode(&x, g, NULL, 0, NULL));
    C("kernel_null_node", cuGraphAddKernelNode(NULL, g, NULL, 0, &kp));
    C("kernel_null_graph", cuGraphAddKernelNode(&x, NULL, NULL, 0, &kp));
    kq = kp;
    kq.func = NULL;
    C("kernel_null_func", cuGraphAddKernelNode(&x, g, NULL, 0, &kq));
    kq = kp;
    kq.gridDimX = 0;
    C("kernel_grid_0", cuGraphAddKernelNode(&x, g, NULL, 0, &kq));
    kq = kp;
    kq.blockDimX = 2048;
    C("kernel_block_2048", cuGraphAddKernelNode(&x, g, NULL, 0, &kq));
    kq = kp;
    kq.kernelParams = NULL;
    C("kernel_no_params", cuGraphAddKernelNode(&x, g, NULL, 0, &kq));
    kq = kp;
    kq.sharedMemBytes = 1 << 20;
    C("kernel_shared", cuGraphAddKernelNode(&x, g, NULL, 0, &kq));
    kq = kp;
    void *extra[] = { CU_LAUNCH_PARAM_END };
    kq.extra = extra;
    C("kernel_params_and_extra", cuGraphAddKernelNode(&x, g, NULL, 0, &kq));
    C("kernel_get", cuGraphKernelNodeGetParams(k, &kq));
    V("kernel_get", kq.func == inc && kq.gridDimX == 1 && kq.kernelParams && kq.kernelParams[0] &&
                        *(CUdeviceptr *)kq.kernelParams[0] == mem);
    C("kernel_get_null", cuGraphKernelNodeGetParams(k, NULL));
    C("kernel_get_null_node", cuGraphKernelNodeGetParams(NULL, &kq));
    kq = kp;
    kq.gridDimX = 2;
    C("kernel_set", cuGraphKernelNodeSetParams(k, &kq));
    C("kernel_set_null", cuGraphKernelNodeSetParams(k, NULL));
    kq.func = two;
    C("kernel_set_other_func", cuGraphKernelNodeSetParams(k, &kq));
    C("kernel_set_back", cuGraphKernelNodeSetParams(k, &kp));
    CUkernelNodeAttrValue av;
    std::memset(&av, 0, sizeof(av));
    C("kernel_attr_get", cuGraphKernelNodeGetAttribute(k, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &av));
    V("kernel_attr_get", av.cooperative);
    C("kernel_attr_set", cuGraphKernelNodeSetAttribute(k, CU_LAUNCH_ATTRIBUTE_PRIORITY, &av));
    C("kernel_attr_bad", cuGraphKernelNodeGetAttribute(k, (CUkernelNodeAttrID)999, &av));
    C("kernel_attr_copy", cuGraphKernelNodeCopyAttributes(k, k));

    C("memset", cuGraphAddMemsetNode(&m, g, &k, 1, &mp, ctx));
    C("memset_null", cuGraphAddMemsetNode(&x, g, NULL, 0, NULL, ctx));
    C("memset_null_ctx", cuGraphAddMemsetNode(&x, g, NULL, 0, &mp, NULL));
    mq = mp;
    mq.elementSize = 3;
    C("memset_element_3", cuGraphAddMemsetNode(&x, g, NULL, 0, &mq, ctx));
    mq = mp;
    mq.width = 0;
    C("memset_width_0", cuGraphAddMemsetNode(&x, g, NULL, 0, &mq, ctx));
    mq = mp;
    mq.height = 0;
    C("memset_height_0", cuGraphAddMemsetNode(&x, g, NULL, 0, &mq, ctx));
    mq = mp;
    mq.dst = 0;
    C("memset_dst_0", cuGraphAddMemsetNode(&x, g, NULL, 0, &mq, ctx));
    mq = mp;
    mq.dst = mem + 1;
    C("memset_misaligned", cuGraphAddMemsetNode(&x, g, NULL, 0, &mq, ctx));
    mq = mp;
    mq.width = 1u << 20;
    C("memset_past_end", cuGraphAddMemsetNode(&x, g, NULL, 0, &mq, ctx));
    mq = mp;
    mq.height = 2;
    mq.pitch = 4;
    C("memset_pitch_small", cuGraphAddMemsetNode(&x, g, NULL, 0, &mq, ctx));
    mq = mp;
    mq.elementSize = 1;
    mq.value = 0x1ff;
    C("memset_value_wide", cuGraphAddMemsetNode(&x, g, NULL, 0, &mq, ctx));
    C("memset_get", cuGraphMemsetNodeGetParams(m, &mq));
    V("memset_get",
      mq.dst == mem && mq.value == 3 && mq.elementSize == 4 && mq.width == 4 && mq.height == 1);
    C("memset_get_wrong_kind", cuGraphMemsetNodeGetParams(k, &mq));
    C("memset_set", cuGraphMemsetNodeSetParams(m, &mp));
    C("memset_set_null", cuGraphMemsetNodeSetParams(m, NULL));

    C("memcpy", cuGraphAddMemcpyNode(&c, g, &m, 1, &cp, ctx));
    C("memcpy_null", cuGraphAddMemcpyNode(&x, g, NULL, 0, NULL, ctx));
    C("memcpy_null_ctx", cuGraphAddMemcpyNode(&x, g, NULL, 0, &cp, NULL));
    cq = cp;
    cq.WidthInBytes = 0;
    C("memcpy_width_0", cuGraphAddMemcpyNode(&x, g, NULL, 0, &cq, ctx));
    cq = cp;
    cq.srcDevice = 0;
    C("memcpy_src_0", cuGraphAddMemcpyNode(&x, g, NULL, 0, &cq, ctx));
    cq = cp;
    cq.WidthInBytes = 1 << 20;
    C("memcpy_past_end", cuGraphAddMemcpyNode(&x, g, NULL, 0, &cq, ctx));
    cq = cp;
    cq.srcMemoryType = (CUmemorytype)99;
    C("memcpy_type", cuGraphAddMemcpyNode(&x, g, NULL, 0, &cq, ctx));
    cq = cp;
    cq.Height = 2;
    cq.srcPitch = cq.dstPitch = 8;
    C("memcpy_pitch", cuGraphAddMemcpyNode(&x, g, NULL, 0, &cq, ctx));
    C("memcpy_get", cuGraphMemcpyNodeGetParams(c, &cq));
    V("memcpy_get", cq.dstDevice == mem + 64 && cq.srcDevice == mem && cq.WidthInBytes == 16);
    C("memcpy_get_wrong_kind", cuGraphMemcpyNodeGetParams(m, &cq));
    C("memcpy_set", cuGraphMemcpyNodeSetParams(c, &cp));
    C("memcpy_set_null", cuGraphMemcpyNodeSetParams(c, NULL));

    C("host", cuGraphAddHostNode(&f, g, &c, 1, &hp));
    C("host_null", cuGraphAddHostNode(&x, g, NULL, 0, NULL));
    hq = hp;
    hq.fn = NULL;
    C("host_null_fn", cuGraphAddHostNode(&x, g, NULL, 0, &hq));
    C("host_get", cuGraphHostNodeGetParams(f, &hq));
    V("host_get", hq.fn == host_fn);
    C("host_get_wrong_kind", cuGraphHostNodeGetParams(c, &hq));
    C("host_set", cuGraphHostNodeSetParams(f, &hp));
    C("host_set_null", cuGraphHostNodeSetParams(f, NULL));

    C("record", cuGraphAddEventRecordNode(&e, g, &f, 1, event));
    C("record_null", cuGraphAddEventRecordNode(&x, g, NULL, 0, NULL));
    CUevent ev;
    C("record_get", cuGraphEventRecordNodeGetEvent(e, &ev));
    V("record_get", ev == event);
    C("record_set", cuGraphEventRecordNodeSetEvent(e, other));
    C("record_set_null", cuGraphEventRecordNodeSetEvent(e, NULL));
    C("record_get_null", cuGraphEventRecordNodeGetEvent(e, NULL));
    C("record_get_wrong_kind", cuGraphEventRecordNodeGetEvent(f, &ev));
    C("wait", cuGraphAddEventWaitNode(&w, g, &e, 1, event));
    C("wait_null", cuGraphAddEventWaitNode(&x, g, NULL, 0, NULL));
    C("wait_get", cuGraphEventWaitNodeGetEvent(w, &ev));
    C("wait_set", cuGraphEventWaitNodeSetEvent(w, other));
    C("wait_get_wrong_kind", cuGraphEventWaitNodeGetEvent(e, &ev));

    cuGraphAddEmptyNode(&x, h, NULL, 0);
    C("child", cuGraphAddChildGraphNode(&s, g, &w, 1, h));
    C("child_null", cuGraphAddChildGraphNode(&x, g, NULL, 0, NULL));
    C("child_self", cuGraphAddChildGraphNode(&x, g, NULL, 0, g));
    C("child_get", cuGraphChildGraphNodeGetGraph(s, &got));
    V("child_get_is_clone", got != h);
    C("child_get_null", cuGraphChildGraphNodeGetGraph(s, NULL));
    C("child_get_wrong_kind", cuGraphChildGraphNodeGetGraph(k, &got));
    cuGraphChildGraphNodeGetGraph(s, &got);
    C("child_type", cuGraphNodeGetType(s, &type));
    V("child_type", type);

    CUgraphNodeParams np;
    std::memset(&np, 0, sizeof(np));
    np.type = CU_GRAPH_NODE_TYPE_EMPTY;
    C("addnode_empty", cuGraphAddNode(&x, g, NULL, NULL, 0, &np));
    C("addnode_null", cuGraphAddNode(&x, g, NULL, NULL, 0, NULL));
    np.type = (CUgraphNodeType)99;
    C("addnode_type", cuGraphAddNode(&x, g, NULL, NULL, 0, &np));
    std::memset(&np, 0, sizeof(np));
    np.type = CU_GRAPH_NODE_TYPE_EMPTY;
    np.reserved0[0] = 1;
    C("addnode_reserved0", cuGraphAddNode(&x, g, NULL, NULL, 0, &np));
    std::memset(&np, 0, sizeof(np));
    np.type = CU_GRAPH_NODE_TYPE_EMPTY;
    np.reserved2 = 1;
    C("addnode_reserved2", cuGraphAddNode(&x, g, NULL, NULL, 0, &np));
    std::memset(&np, 0, sizeof(np));
    np.type = CU_GRAPH_NODE_TYPE_KERNEL;
    np.kernel.func = inc;
    np.kernel.gridDimX = np.kernel.gridDimY = np.kernel.gridDimZ = 1;
    np.kernel.blockDimX = np.kernel.blockDimY = np.kernel.blockDimZ = 1;
    np.kernel.kernelParams = arguments;
    C("addnode_kernel", cuGraphAddNode(&x, g, NULL, NULL, 0, &np));
    C("node_set_params", cuGraphNodeSetParams(x, &np));
    C("node_set_params_kind", cuGraphNodeSetParams(m, &np));
    C("node_set_params_null", cuGraphNodeSetParams(x, NULL));

    size_t n = 0;
    cuGraphGetNodes(g, NULL, &n);
    V("nodes_now", n);
    C("dot_null", cuGraphDebugDotPrint(g, NULL, 0));
    C("dot_null_graph", cuGraphDebugDotPrint(NULL, "/dev/null", 0));
    C("dot", cuGraphDebugDotPrint(g, "/dev/null", CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    C("dot_no_folder", cuGraphDebugDotPrint(g, "/nonexistent/x.dot", 0));

    CUgraph clone;
    C("clone_null", cuGraphClone(NULL, g));
    C("clone_null_graph", cuGraphClone(&clone, NULL));
    C("clone", cuGraphClone(&clone, g));
    C("find", cuGraphNodeFindInClone(&x, k, clone));
    V("find_other", x != k);
    C("find_in_original", cuGraphNodeFindInClone(&x, k, g));
    C("find_null", cuGraphNodeFindInClone(NULL, k, clone));
    C("find_null_graph", cuGraphNodeFindInClone(&x, k, NULL));
    C("find_null_node", cuGraphNodeFindInClone(&x, NULL, clone));
    C("find_in_child", cuGraphNodeFindInClone(&x, k, got));
    C("destroy_clone", cuGraphDestroy(clone));
    C("destroy_child", cuGraphDestroy(got));
}

static void exec(void)
{
    CUgraph g, h;
    CUgraphNode k, m, e, x, foreign;
    CUgraphExec ge, gf;
    CUstream s;
    CUDA_KERNEL_NODE_PARAMS kp = kernel(inc), kq;
    CUDA_MEMSET_NODE_PARAMS mp = fill(mem, 10, 1), mq;
    CUDA_MEMCPY3D cp = copy(mem + 64, mem, 16);
    CUDA_HOST_NODE_PARAMS hp;
    cuuint64_t flags = 99;
    unsigned enabled = 9;

    std::memset(&hp, 0, sizeof(hp));
    hp.fn = host_fn;
    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cuGraphCreate(&g, 0);
    C("empty_graph", cuGraphInstantiate(&ge, g, 0));
    C("empty_graph_launch", cuGraphLaunch(ge, s));
    C("empty_graph_destroy", cuGraphExecDestroy(ge));
    cuGraphAddMemsetNode(&m, g, NULL, 0, &mp, ctx);
    cuGraphAddKernelNode(&k, g, &m, 1, &kp);
    C("instantiate_null", cuGraphInstantiate(NULL, g, 0));
    C("instantiate_null_graph", cuGraphInstantiate(&ge, NULL, 0));
    C("instantiate_flags", cuGraphInstantiate(&ge, g, 1u << 20));
    C("instantiate_upload_flag", cuGraphInstantiate(&ge, g, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));
    C("instantiate_priority",
      cuGraphInstantiate(&gf, g, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
    C("flags_priority", cuGraphExecGetFlags(gf, &flags));
    V("flags_priority", flags);
    C("instantiate_auto_free",
      cuGraphInstantiate(&gf, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    C("instantiate", cuGraphInstantiate(&ge, g, 0));
    C("flags", cuGraphExecGetFlags(ge, &flags));
    V("flags", flags);
    C("flags_null", cuGraphExecGetFlags(ge, NULL));
    C("flags_null_exec", cuGraphExecGetFlags(NULL, &flags));
    CUDA_GRAPH_INSTANTIATE_PARAMS ip;
    std::memset(&ip, 0, sizeof(ip));
    ip.result_out = (CUgraphInstantiateResult)77;
    C("params", cuGraphInstantiateWithParams(&gf, g, &ip));
    V("params", ip.result_out);
    C("params_null", cuGraphInstantiateWithParams(&gf, g, NULL));
    ip.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    ip.hUploadStream = s;
    C("params_upload", cuGraphInstantiateWithParams(&gf, g, &ip));

    C("upload", cuGraphUpload(ge, s));
    C("upload_null", cuGraphUpload(NULL, s));
    C("launch", cuGraphLaunch(ge, s));
    C("launch_null", cuGraphLaunch(NULL, s));
    C("sync", cuStreamSynchronize(s));
    V("word", word());
    C("launch_legacy", cuGraphLaunch(ge, NULL));
    cuCtxSynchronize();
    V("word_again", word());

    C("enabled", cuGraphNodeGetEnabled(ge, k, &enabled));
    V("enabled", enabled);
    C("enabled_null", cuGraphNodeGetEnabled(ge, k, NULL));
    C("enabled_null_exec", cuGraphNodeGetEnabled(NULL, k, &enabled));
    C("disable", cuGraphNodeSetEnabled(ge, k, 0));
    C("disable_null", cuGraphNodeSetEnabled(ge, NULL, 0));
    cuGraphLaunch(ge, s);
    cuStreamSynchronize(s);
    V("word_disabled", word());
    C("enable", cuGraphNodeSetEnabled(ge, k, 1));

    kq = kp;
    kq.gridDimX = 0;
    C("kernel_set_grid_0", cuGraphExecKernelNodeSetParams(ge, k, &kq));
    C("kernel_set_null", cuGraphExecKernelNodeSetParams(ge, k, NULL));
    C("kernel_set", cuGraphExecKernelNodeSetParams(ge, k, &kp));
    C("kernel_set_kind", cuGraphExecKernelNodeSetParams(ge, m, &kp));
    kq = kernel(two);
    C("kernel_set_func", cuGraphExecKernelNodeSetParams(ge, k, &kq));
    cuGraphLaunch(ge, s);
    cuStreamSynchronize(s);
    V("word_func", word());
    mq = fill(mem, 20, 1);
    C("memset_set", cuGraphExecMemsetNodeSetParams(ge, m, &mq, ctx));
    C("memset_set_null", cuGraphExecMemsetNodeSetParams(ge, m, NULL, ctx));
    mq.height = 2;
    mq.pitch = 64;
    C("memset_set_2d", cuGraphExecMemsetNodeSetParams(ge, m, &mq, ctx));
    C("memset_set_kind", cuGraphExecMemsetNodeSetParams(ge, k, &mp, ctx));
    C("memcpy_set_kind", cuGraphExecMemcpyNodeSetParams(ge, k, &cp, ctx));
    C("host_set_kind", cuGraphExecHostNodeSetParams(ge, k, &hp));
    C("kernel_set_back", cuGraphExecKernelNodeSetParams(ge, k, &kp));
    cuGraphLaunch(ge, s);
    cuStreamSynchronize(s);
    V("word_memset", word());

    cuGraphCreate(&h, 0);
    cuGraphAddEmptyNode(&foreign, h, NULL, 0);
    C("foreign_enabled", cuGraphNodeGetEnabled(ge, foreign, &enabled));
    cuGraphAddKernelNode(&x, h, NULL, 0, &kp);
    C("foreign_kernel_set", cuGraphExecKernelNodeSetParams(ge, x, &kp));
    cuGraphAddEmptyNode(&e, g, NULL, 0);
    C("late_node_enabled", cuGraphNodeGetEnabled(ge, e, &enabled));

    /* Whole-graph update */
    CUgraphExecUpdateResultInfo info;
    std::memset(&info, 0, sizeof(info));
    info.result = (CUgraphExecUpdateResult)55;
    C("update_more_nodes", cuGraphExecUpdate(ge, g, &info));
    V("update_more_nodes", info.result);
    cuGraphDestroyNode(e);
    C("update", cuGraphExecUpdate(ge, g, &info));
    V("update", info.result);
    C("update_null_info", cuGraphExecUpdate(ge, g, NULL));
    C("update_null_graph", cuGraphExecUpdate(ge, NULL, &info));
    C("update_null_exec", cuGraphExecUpdate(NULL, g, &info));
    CUgraph u;
    CUgraphNode um, uk;
    cuGraphCreate(&u, 0);
    cuGraphAddMemsetNode(&um, u, NULL, 0, &mp, ctx);
    cuGraphAddKernelNode(&uk, u, NULL, 0, &kp);
    C("update_no_edge", cuGraphExecUpdate(ge, u, &info));
    V("update_no_edge", info.result);
    V("update_no_edge_node", info.errorNode == uk   ? 1
                             : info.errorNode == um ? 2
                                                    : !!info.errorNode * 3);
    cuGraphAddDependencies(u, &uk, &um, NULL, 1);
    C("update_other_edge", cuGraphExecUpdate(ge, u, &info));
    V("update_other_edge", info.result);
    cuGraphDestroyNode(um);
    C("update_fewer", cuGraphExecUpdate(ge, u, &info));
    V("update_fewer", info.result);
    CUgraph t;
    CUgraphNode t1, t2;
    cuGraphCreate(&t, 0);
    cuGraphAddKernelNode(&t1, t, NULL, 0, &kp);
    cuGraphAddMemsetNode(&t2, t, &t1, 1, &mp, ctx);
    C("update_types", cuGraphExecUpdate(ge, t, &info));
    V("update_types", info.result);
    cuGraphCreate(&t, 0);
    mq = fill(mem, 30, 1);
    cuGraphAddMemsetNode(&t1, t, NULL, 0, &mq, ctx);
    kq = kernel(two);
    cuGraphAddKernelNode(&t2, t, &t1, 1, &kq);
    C("update_func", cuGraphExecUpdate(ge, t, &info));
    V("update_func", info.result);
    cuGraphKernelNodeSetParams(t2, &kp);
    C("update_params", cuGraphExecUpdate(ge, t, &info));
    cuGraphLaunch(ge, s);
    cuStreamSynchronize(s);
    V("word_update", word());

    C("destroy_graph_first", cuGraphDestroy(g));
    C("launch_without_graph", cuGraphLaunch(ge, s));
    cuStreamSynchronize(s);
    C("exec_destroy", cuGraphExecDestroy(ge));
    C("exec_destroy_null", cuGraphExecDestroy(NULL));
}

static void memory(void)
{
    CUgraph g;
    CUgraphNode a, f, x;
    CUgraphExec ge, gf;
    CUstream s;
    CUDA_MEM_ALLOC_NODE_PARAMS ap, aq;
    CUdeviceptr p = 0, q = 0;
    cuuint64_t value = 99, zero = 0, one = 1;

    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cuGraphCreate(&g, 0);
    std::memset(&ap, 0, sizeof(ap));
    ap.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    ap.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    ap.poolProps.location.id = 0;
    ap.bytesize = 1024;
    C("attr_used", cuDeviceGetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &value));
    V("attr_used", value);
    C("attr_null", cuDeviceGetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, NULL));
    C("attr_bad", cuDeviceGetGraphMemAttribute(dev, (CUgraphMem_attribute)99, &value));
    C("attr_bad_device",
      cuDeviceGetGraphMemAttribute(99, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &value));
    C("attr_set_high", cuDeviceSetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    C("attr_set_high_1", cuDeviceSetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &one));
    C("attr_set_current",
      cuDeviceSetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero));
    C("trim", cuDeviceGraphMemTrim(dev));
    C("trim_bad_device", cuDeviceGraphMemTrim(99));

    aq = ap;
    aq.bytesize = 0;
    C("alloc_0", cuGraphAddMemAllocNode(&x, g, NULL, 0, &aq));
    aq = ap;
    aq.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    C("alloc_type", cuGraphAddMemAllocNode(&x, g, NULL, 0, &aq));
    aq = ap;
    aq.poolProps.location.id = 99;
    C("alloc_device", cuGraphAddMemAllocNode(&x, g, NULL, 0, &aq));
    C("alloc_null", cuGraphAddMemAllocNode(&x, g, NULL, 0, NULL));
    C("alloc", cuGraphAddMemAllocNode(&a, g, NULL, 0, &ap));
    p = ap.dptr;
    V("alloc_address", p != 0);
    C("alloc_get", cuGraphMemAllocNodeGetParams(a, &aq));
    V("alloc_get", aq.dptr == p && aq.bytesize == 1024);
    C("alloc_get_null", cuGraphMemAllocNodeGetParams(a, NULL));
    CUdeviceptr base;
    size_t size;
    C("range_before_launch", cuMemGetAddressRange(&base, &size, p));
    C("memset_before_launch", cuMemsetD8(p, 0, 16));
    CUDA_MEMSET_NODE_PARAMS mp = fill(p, 5, 4);
    C("memset_in_graph", cuGraphAddMemsetNode(&x, g, &a, 1, &mp, ctx));
    C("free_0", cuGraphAddMemFreeNode(&f, g, &a, 1, 0));
    C("free_foreign", cuGraphAddMemFreeNode(&f, g, &a, 1, mem));
    C("free", cuGraphAddMemFreeNode(&f, g, &x, 1, p));
    C("free_twice", cuGraphAddMemFreeNode(&x, g, &f, 1, p));
    C("free_get", cuGraphMemFreeNodeGetParams(f, &q));
    V("free_get", q == p);
    CUgraph clone;
    C("clone", cuGraphClone(&clone, g));
    C("destroy_node", cuGraphDestroyNode(a));
    C("remove_dep", cuGraphRemoveDependencies(g, &x, &f, NULL, 1));
    C("as_child", cuGraphAddChildGraphNode(&x, clone, NULL, 0, g));
    C("instantiate", cuGraphInstantiate(&ge, g, 0));
    C("instantiate_second", cuGraphInstantiate(&gf, g, 0));
    C("launch", cuGraphLaunch(ge, s));
    C("launch_again", cuGraphLaunch(ge, s));
    C("sync", cuStreamSynchronize(s));
    C("attr_reserved",
      cuDeviceGetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &value));
    V("attr_reserved_some", value > 0);
    C("exec_destroy", cuGraphExecDestroy(ge));
    C("trim_after", cuDeviceGraphMemTrim(dev));
    C("instantiate_third", cuGraphInstantiate(&gf, g, 0));

    /* Allocated and not freed in the graph */
    CUgraph o;
    cuGraphCreate(&o, 0);
    ap.dptr = 0;
    C("open_alloc", cuGraphAddMemAllocNode(&a, o, NULL, 0, &ap));
    p = ap.dptr;
    C("open_instantiate", cuGraphInstantiate(&ge, o, 0));
    C("open_launch", cuGraphLaunch(ge, s));
    C("open_launch_again", cuGraphLaunch(ge, s));
    cuStreamSynchronize(s);
    C("open_memset", cuMemsetD8(p, 1, 1024));
    C("open_free", cuMemFree(p));
    C("open_free_again", cuMemFree(p));
    C("open_launch_after_free", cuGraphLaunch(ge, s));
    C("open_free_async", cuMemFreeAsync(p, s));
    C("open_launch_after_async", cuGraphLaunch(ge, s));
    C("open_sync", cuStreamSynchronize(s));
    C("open_free_last", cuMemFree(p));
    C("open_exec_destroy", cuGraphExecDestroy(ge));
    C("open_auto", cuGraphInstantiate(&ge, o, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    C("open_auto_launch", cuGraphLaunch(ge, s));
    C("open_auto_launch_again", cuGraphLaunch(ge, s));
    C("open_auto_sync", cuStreamSynchronize(s));
    C("open_auto_free", cuMemFree(p));

    /* Freed in the graph, allocated outside */
    CUgraph r;
    cuGraphCreate(&r, 0);
    CUdeviceptr plain = 0, async = 0;
    cuMemAlloc(&plain, 256);
    cuMemAllocAsync(&async, 256, s);
    cuStreamSynchronize(s);
    C("outside_free_plain", cuGraphAddMemFreeNode(&f, r, NULL, 0, plain));
    C("outside_free_async", cuGraphAddMemFreeNode(&f, r, NULL, 0, async));
}

static void conditional(void)
{
    CUgraph g, h;
    CUgraphNode c, x;
    CUgraphExec ge;
    CUgraphConditionalHandle handle = 0, other = 0;
    CUgraphNodeParams np;
    CUstream s;
    CUDA_KERNEL_NODE_PARAMS kp = kernel(inc);

    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cuGraphCreate(&g, 0);
    cuGraphCreate(&h, 0);
    C("handle", cuGraphConditionalHandleCreate(&handle, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    V("handle", handle != 0);
    C("handle_null", cuGraphConditionalHandleCreate(NULL, g, ctx, 1, 0));
    C("handle_null_graph", cuGraphConditionalHandleCreate(&other, NULL, ctx, 1, 0));
    C("handle_flags", cuGraphConditionalHandleCreate(&other, g, ctx, 1, 99));
    C("unused_handle", cuGraphInstantiate(&ge, g, 0));
    std::memset(&np, 0, sizeof(np));
    np.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    np.conditional.handle = handle;
    np.conditional.type = CU_GRAPH_COND_TYPE_IF;
    np.conditional.size = 3;
    np.conditional.ctx = ctx;
    C("if_size_3", cuGraphAddNode(&c, g, NULL, NULL, 0, &np));
    np.conditional.size = 0;
    C("if_size_0", cuGraphAddNode(&c, g, NULL, NULL, 0, &np));
    np.conditional.size = 2;
    np.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    C("while_size_2", cuGraphAddNode(&c, g, NULL, NULL, 0, &np));
    np.conditional.size = 1;
    np.conditional.type = (CUgraphConditionalNodeType)9;
    C("type_9", cuGraphAddNode(&c, g, NULL, NULL, 0, &np));
    np.conditional.type = CU_GRAPH_COND_TYPE_IF;
    np.conditional.handle = 0;
    C("handle_0", cuGraphAddNode(&c, g, NULL, NULL, 0, &np));
    np.conditional.handle = handle;
    C("other_graph", cuGraphAddNode(&c, h, NULL, NULL, 0, &np));
    C("if", cuGraphAddNode(&c, g, NULL, NULL, 0, &np));
    V("if_body", np.conditional.phGraph_out && np.conditional.phGraph_out[0]);
    CUgraph body = np.conditional.phGraph_out ? np.conditional.phGraph_out[0] : NULL;
    CUgraphNodeParams again = np;
    C("handle_twice", cuGraphAddNode(&x, g, NULL, NULL, 0, &again));
    C("body_kernel", cuGraphAddKernelNode(&x, body, NULL, 0, &kp));
    CUgraphNode bx;
    CUDA_HOST_NODE_PARAMS hp;
    std::memset(&hp, 0, sizeof(hp));
    hp.fn = host_fn;
    C("body_host", cuGraphAddHostNode(&bx, body, NULL, 0, &hp));
    C("body_destroy", cuGraphDestroy(body));
    C("clone", cuGraphClone(&h, g));
    C("instantiate", cuGraphInstantiate(&ge, g, 0));
    cuGraphDestroyNode(bx);
    C("instantiate_no_host", cuGraphInstantiate(&ge, g, 0));
    cuMemsetD8(mem, 0, 4);
    C("launch", cuGraphLaunch(ge, s));
    C("sync", cuStreamSynchronize(s));
    V("word", word());
    CUgraphNodeType type = (CUgraphNodeType)77;
    C("type", cuGraphNodeGetType(c, &type));
    V("type", type);
    CUgraph parent;
    cuGraphCreate(&parent, 0);
    C("as_child", cuGraphAddChildGraphNode(&x, parent, NULL, 0, g));
}

static void user_objects(void)
{
    CUgraph g;
    CUuserObject o, p;

    calls = 0;
    cuGraphCreate(&g, 0);
    C("create", cuUserObjectCreate(&o, &calls, host_fn, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    C("create_null",
      cuUserObjectCreate(NULL, &calls, host_fn, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    C("create_null_fn", cuUserObjectCreate(&p, &calls, NULL, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    C("create_count_0",
      cuUserObjectCreate(&p, &calls, host_fn, 0, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    C("create_flags_0", cuUserObjectCreate(&p, &calls, host_fn, 1, 0));
    C("create_flags_2", cuUserObjectCreate(&p, &calls, host_fn, 1, 2));
    C("retain", cuUserObjectRetain(o, 1));
    C("retain_0", cuUserObjectRetain(o, 0));
    C("retain_null", cuUserObjectRetain(NULL, 1));
    C("retain_many", cuUserObjectRetain(o, 0x80000000u));
    C("release", cuUserObjectRelease(o, 1));
    C("release_0", cuUserObjectRelease(o, 0));
    C("release_null", cuUserObjectRelease(NULL, 1));
    C("graph_retain", cuGraphRetainUserObject(g, o, 1, 0));
    C("graph_retain_0", cuGraphRetainUserObject(g, o, 0, 0));
    C("graph_retain_flags", cuGraphRetainUserObject(g, o, 1, 2));
    C("graph_retain_null", cuGraphRetainUserObject(NULL, o, 1, 0));
    C("graph_retain_null_object", cuGraphRetainUserObject(g, NULL, 1, 0));
    C("graph_release", cuGraphReleaseUserObject(g, o, 1));
    C("graph_release_0", cuGraphReleaseUserObject(g, o, 0));
    C("graph_release_many", cuGraphReleaseUserObject(g, o, 5));
    C("graph_retain_move", cuGraphRetainUserObject(g, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
    V("calls_before", calls);
    C("destroy", cuGraphDestroy(g));
    usleep(200000);
    V("calls_after", calls);
}

/* ---- capture ---- */

static void begin(CUstream s, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED)
{
    cuStreamBeginCapture(s, mode);
}

static CUgraph end(CUstream s)
{
    CUgraph g = NULL;

    cuStreamEndCapture(s, &g);
    return g;
}

static CUresult launch(CUstream s)
{
    return cuLaunchKernel(inc, 1, 1, 1, 1, 1, 1, 0, s, arguments, NULL);
}

static size_t count(CUgraph g)
{
    size_t n = 999;

    return g && cuGraphGetNodes(g, NULL, &n) == CUDA_SUCCESS ? n : 999;
}

static void capture(void)
{
    CUstream s, t, b;
    CUgraph g = NULL;
    CUgraphExec ge;
    CUstreamCaptureStatus status;
    cuuint64_t id = 0, id2 = 0;
    const CUgraphNode *deps;
    const CUgraphEdgeData *edges;
    size_t n;

    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&t, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&b, CU_STREAM_DEFAULT);

    C("begin_legacy", cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
    C("begin_legacy_handle",
      cuStreamBeginCapture(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_RELAXED));
    C("begin_mode_3", cuStreamBeginCapture(s, (CUstreamCaptureMode)3));
    C("end_none", cuStreamEndCapture(s, &g));
    C("end_null", cuStreamEndCapture(s, NULL));
    C("end_legacy", cuStreamEndCapture(NULL, &g));
    C("is_none", cuStreamIsCapturing(s, &status));
    V("is_none", status);
    C("is_null", cuStreamIsCapturing(s, NULL));
    C("is_legacy", cuStreamIsCapturing(NULL, &status));
    V("is_legacy", status);
    C("info_none", cuStreamGetCaptureInfo(s, &status, &id, &g, &deps, &edges, &n));
    C("info_null_status", cuStreamGetCaptureInfo(s, NULL, &id, &g, &deps, &edges, &n));
    C("update_none", cuStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 0));

    C("begin", cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    C("begin_again", cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    C("is_active", cuStreamIsCapturing(s, &status));
    V("is_active", status);
    C("info", cuStreamGetCaptureInfo(s, &status, &id, &g, &deps, &edges, &n));
    V("info_deps", n);
    V("info_graph", g != NULL);
    C("info_only_status", cuStreamGetCaptureInfo(s, &status, NULL, NULL, NULL, NULL, NULL));
    C("kernel", launch(s));
    C("kernel_2", launch(s));
    C("memset", cuMemsetD32Async(mem + 64, 1, 4, s));
    C("memcpy", cuMemcpyDtoDAsync(mem + 128, mem + 64, 16, s));
    C("host", cuLaunchHostFunc(s, host_fn, NULL));
    C("info_then", cuStreamGetCaptureInfo(s, &status, &id2, &g, &deps, &edges, &n));
    V("info_then_deps", n);
    V("info_then_id", id == id2 && id != 0);
    g = NULL;
    C("end", cuStreamEndCapture(s, &g));
    V("end_nodes", count(g));
    if (g) {
        cuGraphGetEdges(g, NULL, NULL, NULL, &n);
        V("end_edges", n);
        C("instantiate", cuGraphInstantiate(&ge, g, 0));
        C("launch", cuGraphLaunch(ge, s));
        C("sync", cuStreamSynchronize(s));
        V("word", word());
    }
    begin(s);
    launch(s);
    C("end_null_active", cuStreamEndCapture(s, NULL));
    C("is_after_end_null", cuStreamIsCapturing(s, &status));
    V("is_after_end_null", status);
    begin(s);
    C("empty_end", cuStreamEndCapture(s, &g));
    V("empty_end_nodes", count(g));

    /* Fork and join */
    CUevent e, f, fresh;
    cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
    cuEventCreate(&f, CU_EVENT_DISABLE_TIMING);
    cuEventCreate(&fresh, CU_EVENT_DISABLE_TIMING);
    begin(s);
    launch(s);
    C("fork_record", cuEventRecord(e, s));
    C("fork_wait", cuStreamWaitEvent(t, e, 0));
    cuStreamIsCapturing(t, &status);
    V("fork_status", status);
    C("fork_kernel", launch(t));
    C("join_record", cuEventRecord(f, t));
    C("join_wait", cuStreamWaitEvent(s, f, 0));
    C("join_kernel", launch(s));
    g = NULL;
    C("join_end", cuStreamEndCapture(s, &g));
    V("join_nodes", count(g));
    if (g) {
        cuGraphGetEdges(g, NULL, NULL, NULL, &n);
        V("join_edges", n);
    }
    cuStreamIsCapturing(t, &status);
    V("join_other_status", status);
    begin(s);
    launch(s);
    cuEventRecord(e, s);
    cuStreamWaitEvent(t, e, 0);
    launch(t);
    C("fork_end_wrong_stream", cuStreamEndCapture(t, &g));
    cuStreamIsCapturing(s, &status);
    V("fork_end_wrong_status", status);
    C("fork_end_wrong_kernel", launch(s));
    C("fork_end_wrong_then", cuStreamEndCapture(s, &g));
    begin(s);
    cuEventRecord(e, s);
    cuStreamWaitEvent(t, e, 0);
    launch(t);
    g = (CUgraph)&calls;
    C("unjoined_end", cuStreamEndCapture(s, &g));
    V("unjoined_graph_null", g == NULL);
    cuStreamIsCapturing(s, &status);
    V("unjoined_status", status);
    cuStreamIsCapturing(t, &status);
    V("unjoined_other_status", status);
    C("unjoined_end_again", cuStreamEndCapture(s, &g));
    /* A join of a stream that has got nothing to do */
    begin(s);
    cuEventRecord(e, s);
    cuStreamWaitEvent(t, e, 0);
    C("idle_fork_end", cuStreamEndCapture(s, &g));

    /* Events of a capture used outside */
    begin(s);
    launch(s);
    cuEventRecord(e, s);
    C("captured_event_query", cuEventQuery(e));
    cuStreamIsCapturing(s, &status);
    V("captured_event_query_status", status);
    end(s);
    begin(s);
    launch(s);
    cuEventRecord(e, s);
    C("captured_event_sync", cuEventSynchronize(e));
    cuStreamIsCapturing(s, &status);
    V("captured_event_sync_status", status);
    C("captured_event_end", cuStreamEndCapture(s, &g));
    begin(s);
    launch(s);
    cuEventRecord(e, s);
    end(s);
    C("stale_event_query", cuEventQuery(e));
    C("stale_event_wait", cuStreamWaitEvent(t, e, 0));
    C("stale_event_sync", cuEventSynchronize(e));

    /* Isolation: an event recorded outside, waited for inside */
    cuEventRecord(f, t);
    begin(s);
    C("outside_event_wait", cuStreamWaitEvent(s, f, 0));
    cuStreamIsCapturing(s, &status);
    V("outside_event_status", status);
    C("outside_event_end", cuStreamEndCapture(s, &g));
    begin(s);
    C("unrecorded_event_wait", cuStreamWaitEvent(s, fresh, 0));
    C("unrecorded_event_end", cuStreamEndCapture(s, &g));
    begin(s);
    C("external_wait", cuStreamWaitEvent(s, f, CU_EVENT_WAIT_EXTERNAL));
    C("external_record", cuEventRecordWithFlags(fresh, s, CU_EVENT_RECORD_EXTERNAL));
    C("external_end", cuStreamEndCapture(s, &g));
    V("external_nodes", count(g));
    C("external_record_outside", cuEventRecordWithFlags(fresh, s, CU_EVENT_RECORD_EXTERNAL));
    C("external_wait_outside", cuStreamWaitEvent(s, f, CU_EVENT_WAIT_EXTERNAL));

    /* Two captures merge */
    begin(s);
    begin(t);
    launch(s);
    cuEventRecord(e, s);
    C("merge_wait", cuStreamWaitEvent(t, e, 0));
    cuStreamIsCapturing(s, &status);
    V("merge_status_s", status);
    cuStreamIsCapturing(t, &status);
    V("merge_status_t", status);
    C("merge_end_s", cuStreamEndCapture(s, &g));
    C("merge_end_t", cuStreamEndCapture(t, &g));
}

static void capture_forbidden(void)
{
    CUstream s, b, x;
    CUgraph g = NULL;
    CUstreamCaptureStatus status;
    CUevent e, timed, timed2;
    CUdeviceptr p;
    void *hostmem;
    float ms;

    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&b, CU_STREAM_DEFAULT);
    cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
    cuEventCreate(&timed, 0);
    cuEventCreate(&timed2, 0);

#define FORBIDDEN(name, mode, stream, call)             \
    do {                                                \
        begin(stream, mode);                            \
        launch(stream);                                 \
        C(name, call);                                  \
        cuStreamIsCapturing(stream, &status);           \
        V(name "_status", status);                      \
        C(name "_kernel", launch(stream));              \
        g = NULL;                                       \
        C(name "_end", cuStreamEndCapture(stream, &g)); \
    } while (0)
    const CUstreamCaptureMode global = CU_STREAM_CAPTURE_MODE_GLOBAL,
                              local = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                              relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
    static char ptxs[8192];
    CUmodule spare;
    cuModuleLoadData(&spare, ptx);
    FORBIDDEN("stream_sync", relaxed, s, cuStreamSynchronize(s));
    FORBIDDEN("stream_query", relaxed, s, cuStreamQuery(s));
    FORBIDDEN("other_stream_sync", global, s, cuStreamSynchronize(b));
    FORBIDDEN("other_stream_query", global, s, cuStreamQuery(b));
    FORBIDDEN("other_stream_kernel", global, s, launch(b));
    FORBIDDEN("ctx_sync", relaxed, s, cuCtxSynchronize());
    FORBIDDEN("ctx_sync_global", global, s, cuCtxSynchronize());
    FORBIDDEN("malloc_global", global, s, cuMemAlloc(&p, 64));
    FORBIDDEN("malloc_local", local, s, cuMemAlloc(&p, 64));
    FORBIDDEN("malloc_relaxed", relaxed, s, cuMemAlloc(&p, 64));
    FORBIDDEN("free_global", global, s, cuMemFree(p));
    FORBIDDEN("host_alloc_global", global, s, cuMemHostAlloc(&hostmem, 64, 0));
    FORBIDDEN("managed_global", global, s, cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL));
    FORBIDDEN("event_query_other", global, s, cuEventQuery(e));
    FORBIDDEN("event_create", global, s, cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    FORBIDDEN("stream_create", global, s, cuStreamCreate(&x, 0));
    FORBIDDEN("mem_info", global, s, cuMemGetInfo(NULL, NULL));
    FORBIDDEN("memcpy_sync", relaxed, s, cuMemcpyDtoD(mem + 64, mem, 4));
    FORBIDDEN("memcpy_sync_global", global, s, cuMemcpyDtoD(mem + 64, mem, 4));
    FORBIDDEN("memset_sync_blocking", relaxed, b, cuMemsetD8(mem + 64, 0, 4));
    FORBIDDEN("legacy_kernel", relaxed, s, launch(NULL));
    FORBIDDEN("legacy_kernel_blocking", relaxed, b, launch(NULL));
    FORBIDDEN("legacy_sync_blocking", relaxed, b, cuStreamSynchronize(NULL));
    FORBIDDEN("legacy_query_blocking", relaxed, b, cuStreamQuery(NULL));
    FORBIDDEN("legacy_memcpy_blocking", relaxed, b, cuMemcpyDtoD(mem + 64, mem, 4));
    FORBIDDEN("legacy_memcpy_async_blocking", relaxed, b,
              cuMemcpyDtoDAsync(mem + 64, mem, 4, NULL));
    FORBIDDEN("legacy_event_blocking", relaxed, b, cuEventRecord(e, NULL));
    FORBIDDEN("callback", relaxed, s, cuStreamAddCallback(s, (CUstreamCallback)host_fn, NULL, 0));
    FORBIDDEN("attach", relaxed, s, cuStreamAttachMemAsync(s, mem, 0, CU_MEM_ATTACH_GLOBAL));
    FORBIDDEN("write_value", relaxed, s, cuStreamWriteValue32(s, mem, 1, 0));
    FORBIDDEN("timed_event", relaxed, s, cuEventRecord(timed, s));
    FORBIDDEN("elapsed", relaxed, s, cuEventElapsedTime(&ms, timed, timed2));
    FORBIDDEN("graph_create", global, s, cuGraphCreate(&g, 0));
    FORBIDDEN("bad_grid", relaxed, s, cuLaunchKernel(inc, 0, 1, 1, 1, 1, 1, 0, s, arguments, NULL));
    FORBIDDEN("bad_copy", relaxed, s, cuMemcpyDtoDAsync(0, mem, 4, s));
    FORBIDDEN("pageable_copy", relaxed, s, cuMemcpyHtoDAsync(mem, &ms, 4, s));
    FORBIDDEN("alloc_async", relaxed, s, cuMemAllocAsync(&p, 64, s));
    FORBIDDEN("free_async_outside", relaxed, s, cuMemFreeAsync(mem, s));
    unsigned w = 0;
    FORBIDDEN("htod_sync_global", global, s, cuMemcpyHtoD(mem, &w, 4));
    FORBIDDEN("dtoh_sync_global", global, s, cuMemcpyDtoH(&w, mem, 4));
    FORBIDDEN("dtoh_sync_relaxed", relaxed, s, cuMemcpyDtoH(&w, mem, 4));
    FORBIDDEN("dtoh_async_pageable", relaxed, s, cuMemcpyDtoHAsync(&w, mem, 4, s));
    FORBIDDEN("memset_sync_global", global, s, cuMemsetD8(mem + 64, 0, 4));
    FORBIDDEN("event_sync_other", global, s, cuEventSynchronize(timed2));
    FORBIDDEN("event_query_relaxed", relaxed, s, cuEventQuery(timed2));
    FORBIDDEN("other_stream_sync_relaxed", relaxed, s, cuStreamSynchronize(b));
    FORBIDDEN("host_register_global", global, s, cuMemHostRegister(ptxs, 4096, 0));
    FORBIDDEN("alloc_async_other", global, s, cuMemAllocAsync(&p, 64, b));
    FORBIDDEN("mem_range", global, s, cuMemGetAddressRange(&p, NULL, mem));
    FORBIDDEN("func_attr", global, s,
              cuFuncSetAttribute(inc, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0));
    FORBIDDEN("module_unload_global", global, s, cuModuleUnload(spare));
    FORBIDDEN("limit_global", global, s, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    FORBIDDEN("launch_null_function", relaxed, s,
              cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, s, arguments, NULL));
    FORBIDDEN("null_host_fn", relaxed, s, cuLaunchHostFunc(s, NULL, NULL));
    FORBIDDEN("bad_wait_flags", relaxed, s, cuStreamWaitEvent(s, timed2, 99));
    FORBIDDEN("copy_0", relaxed, s, cuMemcpyDtoDAsync(mem, mem + 64, 0, s));
    FORBIDDEN("fill_0", relaxed, s, cuMemsetD8Async(mem, 0, 0, s));
    FORBIDDEN("ctx_record", relaxed, s, cuCtxRecordEvent(ctx, timed2));
    FORBIDDEN("ctx_wait", relaxed, s, cuCtxWaitEvent(ctx, timed2));
    FORBIDDEN("event_destroy", relaxed, s, cuEventDestroy(e));
    FORBIDDEN("stream_attr", global, s, cuStreamGetPriority(s, (int *)&ms));

    CUmodule m;
    FORBIDDEN("module_load_global", global, s, cuModuleLoadData(&m, ptx));

    /* What another thread may do */
    long long code = 0, code2 = 0, code3 = 0;
    begin(s, global);
    std::thread([&] {
        cuCtxSetCurrent(ctx);
        CUdeviceptr q;
        code = cuMemAlloc(&q, 64);
    }).join();
    row("thread_malloc_global", code);
    cuStreamIsCapturing(s, &status);
    V("thread_malloc_global_status", status);
    end(s);
    begin(s, local);
    std::thread([&] {
        cuCtxSetCurrent(ctx);
        CUdeviceptr q;
        code = cuMemAlloc(&q, 64);
        code3 = launch(s);
        CUgraph h;
        code2 = cuStreamEndCapture(s, &h);
    }).join();
    row("thread_malloc_local", code);
    row("thread_kernel_local", code3);
    row("thread_end_local", code2);
    cuStreamIsCapturing(s, &status);
    V("thread_end_local_status", status);
    C("thread_end_then", cuStreamEndCapture(s, &g));
    begin(s, relaxed);
    std::thread([&] {
        cuCtxSetCurrent(ctx);
        CUgraph h;
        code2 = cuStreamEndCapture(s, &h);
    }).join();
    row("thread_end_relaxed", code2);
    end(s);

    CUstreamCaptureMode mode = relaxed;
    C("exchange", cuThreadExchangeStreamCaptureMode(&mode));
    V("exchange", mode);
    CUstreamCaptureMode bad = (CUstreamCaptureMode)7;
    C("exchange_bad", cuThreadExchangeStreamCaptureMode(&bad));
    FORBIDDEN("exchanged_malloc_global", global, s, cuMemAlloc(&p, 64));
    mode = local;
    cuThreadExchangeStreamCaptureMode(&mode);
    V("exchange_local_was", mode);
    FORBIDDEN("exchanged_local_malloc_global", global, s, cuMemAlloc(&p, 64));
    mode = global;
    cuThreadExchangeStreamCaptureMode(&mode);

    /* Graphs and streams while a capture is under way */
    CUgraph h;
    CUgraphNode node;
    CUgraphExec ge;
    cuGraphCreate(&h, 0);
    CUDA_KERNEL_NODE_PARAMS kp = kernel(inc);
    cuGraphAddKernelNode(&node, h, NULL, 0, &kp);
    cuGraphInstantiate(&ge, h, 0);
    begin(s, global);
    C("instantiate_in_capture", cuGraphInstantiate(&ge, h, 0));
    C("graph_launch_in_capture", cuGraphLaunch(ge, s));
    C("graph_launch_in_capture_end", cuStreamEndCapture(s, &g));
    size_t n = 0;
    CUgraphNode out[4];
    CUgraphNodeType type = (CUgraphNodeType)77;
    if (g) {
        n = 4;
        cuGraphGetNodes(g, out, &n);
        cuGraphNodeGetType(out[0], &type);
    }
    V("graph_launch_in_capture_nodes", n);
    V("graph_launch_in_capture_type", type);
    C("destroy_capturing",
      (cuStreamCreate(&x, CU_STREAM_NON_BLOCKING), begin(x, relaxed), cuStreamDestroy(x)));
    cuGraphExecDestroy(ge);
}

static void capture_graph(void)
{
    CUstream s, t;
    CUgraph g, h = NULL;
    CUgraphNode a, b, foreign;
    CUstreamCaptureStatus status;
    cuuint64_t id;
    const CUgraphNode *deps;
    const CUgraphEdgeData *edges;
    size_t n;

    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&t, CU_STREAM_NON_BLOCKING);
    cuGraphCreate(&g, 0);
    cuGraphCreate(&h, 0);
    cuGraphAddEmptyNode(&a, g, NULL, 0);
    cuGraphAddEmptyNode(&foreign, h, NULL, 0);
    C("to_null",
      cuStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    C("to_null_deps",
      cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
    C("to_foreign",
      cuStreamBeginCaptureToGraph(s, g, &foreign, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
    cuStreamIsCapturing(s, &status);
    V("to_foreign_status", status);
    C("to", cuStreamBeginCaptureToGraph(s, g, &a, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
    C("to_info", cuStreamGetCaptureInfo(s, &status, &id, &h, &deps, &edges, &n));
    V("to_info_deps", n);
    V("to_info_same", h == g && n == 1 && deps[0] == a);
    C("add_in_capture", cuGraphAddEmptyNode(&b, g, NULL, 0));
    C("update_add",
      cuStreamUpdateCaptureDependencies(s, &b, NULL, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    cuStreamGetCaptureInfo(s, &status, &id, &h, &deps, &edges, &n);
    V("update_add_deps", n);
    C("update_set_foreign",
      cuStreamUpdateCaptureDependencies(s, &foreign, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    C("update_null",
      cuStreamUpdateCaptureDependencies(s, NULL, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    C("update_flags", cuStreamUpdateCaptureDependencies(s, &b, NULL, 1, 7));
    C("update_set_none",
      cuStreamUpdateCaptureDependencies(s, NULL, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    cuStreamGetCaptureInfo(s, &status, &id, &h, &deps, &edges, &n);
    V("update_set_none_deps", n);
    cuStreamUpdateCaptureDependencies(s, &b, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    C("kernel", launch(s));
    C("same_graph_again",
      cuStreamBeginCaptureToGraph(t, g, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    C("to_end", cuStreamEndCapture(s, &h));
    V("to_end_same", h == g);
    V("to_end_nodes", count(h));
    /* The tail left out on purpose: unjoined? */
    begin(s);
    launch(s);
    cuStreamUpdateCaptureDependencies(s, NULL, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    launch(s);
    C("dropped_tail_end", cuStreamEndCapture(s, &h));
    V("dropped_tail_nodes", count(h));

    /* Memory in a capture */
    CUdeviceptr p = 0;
    CUgraphExec ge;
    CUgraph m = NULL;
    begin(s);
    C("alloc", cuMemAllocAsync(&p, 4096, s));
    V("alloc_address", p != 0);
    C("fill", cuMemsetD32Async(p, 9, 16, s));
    C("out", cuMemcpyDtoDAsync(mem, p, 16, s));
    C("free", cuMemFreeAsync(p, s));
    C("free_again", cuMemFreeAsync(p, s));
    m = end(s);
    V("memory_nodes", count(m));
    if (m) {
        C("memory_instantiate", cuGraphInstantiate(&ge, m, 0));
        C("memory_launch", cuGraphLaunch(ge, s));
        C("memory_sync", cuStreamSynchronize(s));
        V("memory_word", word());
    }
}

/* ---- the runtime: the same through cudart ---- */

static void runtime(void)
{
    cudaGraph_t g, h = NULL;
    cudaGraphNode_t a, b, m;
    cudaGraphExec_t ge = NULL;
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCaptureStatus status;
    size_t n;
    char *d, *d2;
    char host[64];

    cudaMalloc((void **)&d, 256);
    cudaMalloc((void **)&d2, 256);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    C("create", cudaGraphCreate(&g, 0));
    C("create_null", cudaGraphCreate(NULL, 0));
    C("create_flags", cudaGraphCreate(&h, 3));
    C("destroy_null", cudaGraphDestroy(NULL));
    C("empty", cudaGraphAddEmptyNode(&a, g, NULL, 0));
    C("empty_null", cudaGraphAddEmptyNode(NULL, g, NULL, 0));
    C("memset_null", cudaGraphAddMemsetNode(&m, g, NULL, 0, NULL));
    cudaMemsetParams mp;
    std::memset(&mp, 0, sizeof(mp));
    mp.dst = d;
    mp.value = 3;
    mp.elementSize = 1;
    mp.width = 64;
    mp.height = 1;
    C("memset", cudaGraphAddMemsetNode(&m, g, &a, 1, &mp));
    C("memset_get", cudaGraphMemsetNodeGetParams(m, &mp));
    V("memset_get", mp.width == 64 && mp.dst == d);
    C("memcpy1d", cudaGraphAddMemcpyNode1D(&b, g, &m, 1, d2, d, 64, cudaMemcpyDeviceToDevice));
    C("memcpy1d_kind", cudaGraphAddMemcpyNode1D(&b, g, &m, 1, d2, d, 64, (cudaMemcpyKind)9));
    C("memcpy1d_null",
      cudaGraphAddMemcpyNode1D(&b, g, &m, 1, NULL, d, 64, cudaMemcpyDeviceToDevice));
    C("memcpy1d_0", cudaGraphAddMemcpyNode1D(&b, g, &m, 1, d2, d, 0, cudaMemcpyDeviceToDevice));
    C("memcpy1d_wrong_way",
      cudaGraphAddMemcpyNode1D(&b, g, &m, 1, d2, d, 64, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms cp;
    std::memset(&cp, 0, sizeof(cp));
    C("memcpy_zero", cudaGraphAddMemcpyNode(&b, g, NULL, 0, &cp));
    cp.srcPtr = make_cudaPitchedPtr(d, 64, 64, 1);
    cp.dstPtr = make_cudaPitchedPtr(host, 64, 64, 1);
    cp.extent = make_cudaExtent(64, 1, 1);
    cp.kind = cudaMemcpyDeviceToHost;
    C("memcpy", cudaGraphAddMemcpyNode(&b, g, &m, 1, &cp));
    C("memcpy_get", cudaGraphMemcpyNodeGetParams(b, &cp));
    V("memcpy_get_width", cp.extent.width);
    V("memcpy_get_kind", cp.kind);
    C("kernel_null", cudaGraphAddKernelNode(&b, g, NULL, 0, NULL));
    cudaKernelNodeParams kp;
    std::memset(&kp, 0, sizeof(kp));
    C("kernel_null_func", cudaGraphAddKernelNode(&b, g, NULL, 0, &kp));
    kp.func = (void *)host;
    kp.gridDim.x = kp.gridDim.y = kp.gridDim.z = kp.blockDim.x = kp.blockDim.y = kp.blockDim.z = 1;
    C("kernel_bad_func", cudaGraphAddKernelNode(&b, g, NULL, 0, &kp));
    cudaHostNodeParams hp;
    std::memset(&hp, 0, sizeof(hp));
    C("host_null_fn", cudaGraphAddHostNode(&b, g, NULL, 0, &hp));
    hp.fn = host_fn;
    C("host", cudaGraphAddHostNode(&b, g, &m, 1, &hp));
    C("record", cudaGraphAddEventRecordNode(&b, g, &m, 1, e));
    C("wait", cudaGraphAddEventWaitNode(&b, g, &b, 1, e));
    C("nodes", cudaGraphGetNodes(g, NULL, &n));
    V("nodes", n);
    C("edges", cudaGraphGetEdges(g, NULL, NULL, NULL, &n));
    V("edges", n);
    C("instantiate_null", cudaGraphInstantiate(NULL, g, 0));
    C("instantiate_null_graph", cudaGraphInstantiate(&ge, NULL, 0));
    C("instantiate", cudaGraphInstantiate(&ge, g, 0));
    C("instantiate_device_flag",
      cudaGraphInstantiate(&ge, g, cudaGraphInstantiateFlagDeviceLaunch));
    cudaGraphInstantiate(&ge, g, 0);
    calls = 0;
    C("launch", cudaGraphLaunch(ge, s));
    C("sync", cudaStreamSynchronize(s));
    V("calls", calls);
    C("launch_null", cudaGraphLaunch(NULL, s));
    C("upload_null", cudaGraphUpload(NULL, s));
    C("exec_destroy_null", cudaGraphExecDestroy(NULL));
    C("exec_destroy", cudaGraphExecDestroy(ge));
    C("node_type_null", cudaGraphNodeGetType(a, NULL));
    C("destroy_node", cudaGraphDestroyNode(a));
    C("peek", cudaPeekAtLastError());
    C("last", cudaGetLastError());

    C("begin_legacy", cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal));
    C("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    C("memset_async", cudaMemsetAsync(d, 1, 64, s));
    C("malloc", cudaMalloc((void **)&d2, 64));
    C("is", cudaStreamIsCapturing(s, &status));
    V("is", status);
    C("end", cudaStreamEndCapture(s, &h));
    C("last_2", cudaGetLastError());
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    C("device_sync", cudaDeviceSynchronize());
    C("device_sync_end", cudaStreamEndCapture(s, &h));
    cudaGetLastError();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    C("stream_sync", cudaStreamSynchronize(s));
    C("last_3", cudaGetLastError());
    C("stream_sync_end", cudaStreamEndCapture(s, &h));
    cudaGetLastError();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaMemsetAsync(d, 1, 64, s);
    C("good_end", cudaStreamEndCapture(s, &h));
    C("good_nodes", cudaGraphGetNodes(h, NULL, &n));
    V("good_nodes", n);
    C("good_instantiate", cudaGraphInstantiate(&ge, h, 0));
    cudaGraphExecUpdateResultInfo info;
    C("update", cudaGraphExecUpdate(ge, h, &info));
    V("update", info.result);
    C("update_other", cudaGraphExecUpdate(ge, g, &info));
    V("update_other", info.result);
    C("last_4", cudaGetLastError());
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    C("exchange", cudaThreadExchangeStreamCaptureMode(&mode));
    V("exchange", mode);
    cudaUserObject_t o;
    C("user_object", cudaUserObjectCreate(&o, host, host_fn, 1, cudaUserObjectNoDestructorSync));
    C("user_object_flags", cudaUserObjectCreate(&o, host, host_fn, 1, 0));
    C("user_object_release", cudaUserObjectRelease(o, 1));
    unsigned long long value;
    C("mem_attr", cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value));
    C("mem_attr_device",
      cudaDeviceGetGraphMemAttribute(99, cudaGraphMemAttrUsedMemCurrent, &value));
    C("mem_trim", cudaDeviceGraphMemTrim(0));
}

/* ---- freed and foreign handles: each in a process of its own, because a driver may crash ---- */

static CUgraph freed_graph;
static CUgraphNode freed_node;
static CUgraphExec freed_exec;
static char garbage[4096];

static void prepare(void)
{
    CUgraph g;

    cuGraphCreate(&freed_graph, 0);
    cuGraphAddEmptyNode(&freed_node, freed_graph, NULL, 0);
    cuGraphInstantiate(&freed_exec, freed_graph, 0);
    cuGraphExecDestroy(freed_exec);
    cuGraphDestroy(freed_graph);
    (void)g;
}

static void freed_1(void)
{
    size_t n;

    prepare();
    C("nodes", cuGraphGetNodes(freed_graph, NULL, &n));
    C("destroy", cuGraphDestroy(freed_graph));
}

static void freed_3(void)
{
    prepare();
    C("launch", cuGraphLaunch(freed_exec, NULL));
    C("exec_destroy", cuGraphExecDestroy(freed_exec));
}

static void foreign_1(void)
{
    size_t n;

    C("nodes", cuGraphGetNodes((CUgraph)garbage, NULL, &n));
    C("launch", cuGraphLaunch((CUgraphExec)garbage, NULL));
    C("destroy", cuGraphDestroy((CUgraph)garbage));
}

static void foreign_2(void)
{
    CUgraph g;
    CUgraphNode x, y = (CUgraphNode)garbage;

    cuGraphCreate(&g, 0);
    C("dep", cuGraphAddEmptyNode(&x, g, &y, 1));
    C("record", cuGraphAddEventRecordNode(&x, g, NULL, 0, (CUevent)garbage));
}

static const struct {
    const char *name;
    void (*run)(void);
} sections[] = {
    { "graphs", graphs },
    { "nodes", nodes },
    { "exec", exec },
    { "memory", memory },
    { "conditional", conditional },
    { "user", user_objects },
    { "capture", capture },
    { "forbidden", capture_forbidden },
    { "to_graph", capture_graph },
    { "runtime", runtime },
    { "freed_graph", freed_1 },
    { "freed_exec", freed_3 },
    { "foreign", foreign_1 },
    { "foreign_node", foreign_2 },
};

/* Loads no driver before the fork but to ask for the version. @only: one section. */
int main(int argc, char **argv)
{
    int version = 0;

    cuDriverGetVersion(&version);
    std::printf("driver %d\n", version);
    std::fflush(stdout);
    for (const auto &s : sections) {
        if (argc > 1 && std::strcmp(argv[1], s.name)) {
            continue;
        }
        pid_t pid = fork();

        if (pid == 0) {
            section = s.name;
            std::signal(SIGSEGV, crashed);
            std::signal(SIGABRT, crashed);
            alarm(15);
            up();
            s.run();
            std::fflush(stdout);
            _exit(0);
        }
        int status = 0;

        waitpid(pid, &status, 0);
        if (WIFSIGNALED(status)) {
            std::printf("%s.signal %d\n", s.name, WTERMSIG(status));
            std::fflush(stdout);
        }
    }
    return 0;
}
