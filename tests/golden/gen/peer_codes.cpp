/* SPDX-License-Identifier: MIT */
/* Answers about two GPUs: a line a question, "section.case code"; values as "section.case.value
 * number".
 *
 *   nvcc -arch=sm_90 -cudart static peer_codes.cpp -o peer_codes -lcuda && ./peer_codes
 *
 * The output on a machine with two GPUs lies beside it as peer_codes.txt; tests/api compares ours
 * with it. Each section is a process of its own: lost contexts and crashes end one section only. */
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

static const char *section;
static const char *current = "begin";

static void row(const char *name, long long value)
{
    std::printf("%s.%s %lld\n", section, name, value);
    std::fflush(stdout);
}

#define C(name, call) (current = (name), row((name), (long long)(call)))
#define V(name, value) row(name ".value", (long long)(value))

static void crashed(int)
{
    std::printf("%s.%s SIGSEGV\n", section, current);
    std::fflush(stdout);
    _exit(0);
}

static const char ptx[] = ".version 7.0\n.target sm_53\n.address_size 64\n"
                          ".visible .global .u32 word = 5;\n"
                          ".visible .entry inc(.param .u64 p)\n{\n"
                          ".reg .u64 %rd<3>;\n.reg .u32 %r<2>;\n"
                          "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
                          "ld.global.u32 %r1, [%rd2];\nadd.u32 %r1, %r1, 1;\n"
                          "st.global.u32 [%rd2], %r1;\nret;\n}\n";

/* Of each of the two devices. Device 0 is current after up(). */
static CUcontext ctx[2];
static CUmodule mod[2];
static CUfunction inc[2];
static CUdeviceptr mem[2];
static CUstream stream[2];
static CUevent event[2], timed[2];
static void *at[2] = { &mem[0], &mem[1] };

static void up()
{
    bool bad = cuInit(0) != 0;

    for (int d = 0; d < 2 && !bad; d++) {
        bad = cudaSetDevice(d) || cudaFree(nullptr) || cuCtxGetCurrent(&ctx[d]) ||
              cuModuleLoadData(&mod[d], ptx) || cuModuleGetFunction(&inc[d], mod[d], "inc") ||
              cuMemAlloc(&mem[d], 4096) || cuMemsetD8(mem[d], 0, 4096) ||
              cuStreamCreate(&stream[d], CU_STREAM_NON_BLOCKING) ||
              cuEventCreate(&event[d], CU_EVENT_DISABLE_TIMING) || cuEventCreate(&timed[d], 0) ||
              cuCtxSynchronize();
    }
    if (bad || cudaSetDevice(0)) {
        std::printf("%s.setup failed\n", section);
        _exit(1);
    }
}

static unsigned word(CUdeviceptr from)
{
    unsigned w = ~0u;

    cuMemcpyDtoH(&w, from, 4);
    return w;
}

static CUresult launch(CUfunction f, CUdeviceptr *to, CUstream s)
{
    void *arguments[] = { to };

    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, arguments, nullptr);
}

static void use(int device)
{
    cudaSetDevice(device);
}

/* --- which there are ------------------------------------------------------------------------- */

static void devices()
{
    CUcontext c = nullptr;
    CUdevice d = 77;
    char name[64];
    int n = 77;
    CUuuid uuid;
    size_t bytes;

    C("count", cudaGetDeviceCount(&n));
    V("count", n);
    C("count_null", cudaGetDeviceCount(nullptr));
    C("cu_count", cuDeviceGetCount(&n));
    C("get_1", cuDeviceGet(&d, 1));
    C("get_2", cuDeviceGet(&d, 2));
    C("get_minus", cuDeviceGet(&d, -1));
    C("set_1", cudaSetDevice(1));
    C("set_2", cudaSetDevice(2));
    C("set_minus", cudaSetDevice(-1));
    C("current", cudaGetDevice(&n));
    V("current", n);
    C("peek", cudaGetLastError());
    C("attribute_2", cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 2));
    C("rt_attribute_2", cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 2));
    C("name_2", cuDeviceGetName(name, sizeof(name), 2));
    C("uuid_2", cuDeviceGetUuid(&uuid, 2));
    C("bytes_2", cuDeviceTotalMem(&bytes, 2));
    C("retain_2", cuDevicePrimaryCtxRetain(&c, 2));
    C("create_2", cuCtxCreate(&c, nullptr, 0, 2));
    C("create_1", cuCtxCreate(&c, nullptr, 0, 1));
    C("create_1_device", cuCtxGetDevice(&d));
    V("create_1_device", d);
    C("create_1_current", cudaGetDevice(&n));
    V("create_1_current", n);
    C("destroy", cuCtxDestroy(c));
    C("destroyed_current", cuCtxGetCurrent(&c));
    V("destroyed_current", c == ctx[1]);
    C("init_2", cudaInitDevice(2, 0, 0));
    C("init_1", cudaInitDevice(1, 0, 0));
    C("flags", cudaSetDevice(1));
    C("get_flags", cudaGetDeviceFlags((unsigned *)&n));
    n = 1;
    C("valid", cudaSetValidDevices(&n, 1));
    n = 5;
    C("valid_5", cudaSetValidDevices(&n, 1));
    C("valid_none", cudaSetValidDevices(nullptr, 0));
}

static void peer()
{
    int can = 77;

    C("self", cudaDeviceCanAccessPeer(&can, 0, 0));
    V("self", can);
    can = 77;
    C("can_2", cudaDeviceCanAccessPeer(&can, 0, 2));
    V("can_2", can);
    C("can_from_2", cudaDeviceCanAccessPeer(&can, 2, 0));
    C("can_minus", cudaDeviceCanAccessPeer(&can, 0, -1));
    C("can_null", cudaDeviceCanAccessPeer(nullptr, 0, 1));
    C("can_01", cudaDeviceCanAccessPeer(&can, 0, 1));
    V("can_01", can);
    C("can_10", cudaDeviceCanAccessPeer(&can, 1, 0));
    V("can_10", can);
    C("cu_self", cuDeviceCanAccessPeer(&can, 1, 1));
    V("cu_self", can);
    C("cu_can_2", cuDeviceCanAccessPeer(&can, 1, 2));
    C("cu_can_null", cuDeviceCanAccessPeer(nullptr, 0, 1));
    C("p2p_self", cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    C("p2p_2", cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 2));
    C("p2p_bad", cuDeviceGetP2PAttribute(&can, (CUdevice_P2PAttribute)99, 0, 1));
    C("p2p_null", cuDeviceGetP2PAttribute(nullptr, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    C("p2p_01", cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    V("p2p_01", can);
    C("rt_p2p_self", cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 1, 1));
    C("rt_p2p_2", cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 1, 2));
    C("disable_not_enabled", cudaDeviceDisablePeerAccess(1));
    C("disable_self", cudaDeviceDisablePeerAccess(0));
    C("disable_2", cudaDeviceDisablePeerAccess(2));
    C("enable_self", cudaDeviceEnablePeerAccess(0, 0));
    C("enable_2", cudaDeviceEnablePeerAccess(2, 0));
    C("enable_minus", cudaDeviceEnablePeerAccess(-1, 0));
    C("enable_flags", cudaDeviceEnablePeerAccess(1, 1));
    C("cu_enable_self", cuCtxEnablePeerAccess(ctx[0], 0));
    C("cu_enable_null", cuCtxEnablePeerAccess(nullptr, 0));
    C("cu_enable_flags", cuCtxEnablePeerAccess(ctx[1], 1));
    C("cu_disable_not_enabled", cuCtxDisablePeerAccess(ctx[1]));
    C("cu_disable_null", cuCtxDisablePeerAccess(nullptr));
    C("enable", cudaDeviceEnablePeerAccess(1, 0));
    C("enable_twice", cudaDeviceEnablePeerAccess(1, 0));
    C("disable", cudaDeviceDisablePeerAccess(1));
    C("cu_enable", cuCtxEnablePeerAccess(ctx[1], 0));
    C("no_context", (cuCtxSetCurrent(nullptr), cuCtxEnablePeerAccess(ctx[1], 0)));
}

/* --- memory of the other one ------------------------------------------------------------------ */

static void kernel_reaches()
{
    C("launch", launch(inc[0], &mem[1], stream[0]));
    C("sync", cuStreamSynchronize(stream[0]));
    C("again", launch(inc[0], &mem[0], stream[0]));
    C("other_sync", (use(1), cuCtxSynchronize()));
    C("other_launch", launch(inc[1], &mem[1], stream[1]));
    C("other_malloc", cudaMalloc((void **)&mem[0], 4096));
}

static void launches()
{
    C("foreign_stream", launch(inc[0], &mem[0], stream[1]));
    C("foreign_both", launch(inc[1], &mem[1], stream[1]));
    C("foreign_both_sync", cuStreamSynchronize(stream[1]));
    C("foreign_function", launch(inc[1], &mem[1], nullptr));
    C("foreign_function_stream", launch(inc[1], &mem[1], stream[0]));
    C("own", launch(inc[0], &mem[0], stream[0]));
    C("sync", cuCtxSynchronize());
    V("own", word(mem[0]));
    V("other", word(mem[1]));
    C("cooperative", cuLaunchCooperativeKernel(inc[0], 1, 1, 1, 1, 1, 1, 0, stream[1], at));
    C("no_context", (cuCtxSetCurrent(nullptr), launch(inc[1], &mem[1], stream[1])));
    C("no_context_null", launch(inc[1], &mem[1], nullptr));
}

static void copies()
{
    unsigned seven = 7, eight = 8, to = 0;
    cudaMemcpy3DPeerParms p = {};

    C("in", cudaMemcpy((void *)mem[1], &seven, 4, cudaMemcpyHostToDevice));
    V("in", word(mem[1]));
    C("out", cudaMemcpy(&to, (void *)mem[1], 4, cudaMemcpyDeviceToHost));
    V("out", to);
    C("default", cudaMemcpy((void *)mem[0], (void *)mem[1], 4, cudaMemcpyDefault));
    V("default", word(mem[0]));
    cuMemsetD32(mem[0], 9, 4);
    C("device_to_device", cudaMemcpy((void *)mem[1], (void *)mem[0], 4, cudaMemcpyDeviceToDevice));
    V("device_to_device", word(mem[1]));
    cuMemsetD32(mem[0], 10, 4);
    C("cu", cuMemcpy(mem[1], mem[0], 4));
    V("cu", word(mem[1]));
    cuMemsetD32(mem[0], 11, 4);
    C("cu_dtod", cuMemcpyDtoD(mem[1], mem[0], 4));
    V("cu_dtod", word(mem[1]));
    C("cu_htod", cuMemcpyHtoD(mem[1], &eight, 4));
    C("cu_dtoh", cuMemcpyDtoH(&to, mem[1], 4));
    V("cu_dtoh", to);
    C("async_in", cudaMemcpyAsync((void *)mem[1], &seven, 4, cudaMemcpyHostToDevice, stream[0]));
    C("async_in_sync", cuStreamSynchronize(stream[0]));
    V("async_in", word(mem[1]));
    C("async_stream",
      cudaMemcpyAsync((void *)mem[0], &eight, 4, cudaMemcpyHostToDevice, stream[1]));
    C("async_stream_sync", cuStreamSynchronize(stream[1]));
    V("async_stream", word(mem[0]));
    C("async_across",
      cudaMemcpyAsync((void *)mem[1], (void *)mem[0], 4, cudaMemcpyDefault, stream[1]));
    C("async_across_sync", cuStreamSynchronize(stream[1]));
    V("async_across", word(mem[1]));
    C("cu_async_stream", cuMemcpyDtoDAsync(mem[0], mem[1], 4, stream[1]));
    C("cu_async_stream_sync", cuStreamSynchronize(stream[1]));
    C("two_d", cudaMemcpy2D((void *)mem[1], 64, (void *)mem[0], 64, 4, 2, cudaMemcpyDefault));
    p.srcDevice = 0;
    p.dstDevice = 1;
    p.srcPtr.ptr = (void *)mem[0];
    p.dstPtr.ptr = (void *)mem[1];
    p.srcPtr.pitch = p.dstPtr.pitch = 64;
    p.srcPtr.xsize = p.dstPtr.xsize = 64;
    p.srcPtr.ysize = p.dstPtr.ysize = 2;
    p.extent.width = 4;
    p.extent.height = 2;
    p.extent.depth = 1;
    C("three_d", cudaMemcpy3DPeer(&p));
    C("three_d_async", cudaMemcpy3DPeerAsync(&p, stream[1]));
    p.dstDevice = 2;
    C("three_d_2", cudaMemcpy3DPeer(&p));
    C("three_d_null", cudaMemcpy3DPeer(nullptr));
    C("end", cuCtxSynchronize());
}

static void peer_copies()
{
    unsigned host = 3;

    cuMemsetD32(mem[0], 21, 4);
    C("one", cudaMemcpyPeer((void *)mem[1], 1, (void *)mem[0], 0, 4));
    V("one", word(mem[1]));
    cuMemsetD32(mem[0], 22, 4);
    C("swapped", cudaMemcpyPeer((void *)mem[1], 0, (void *)mem[0], 1, 4));
    V("swapped", word(mem[1]));
    C("same", cudaMemcpyPeer((void *)(mem[0] + 64), 0, (void *)mem[0], 0, 4));
    C("device_2", cudaMemcpyPeer((void *)mem[1], 2, (void *)mem[0], 0, 4));
    C("device_minus", cudaMemcpyPeer((void *)mem[1], 1, (void *)mem[0], -1, 4));
    C("zero", cudaMemcpyPeer((void *)mem[1], 1, (void *)mem[0], 0, 0));
    C("null", cudaMemcpyPeer(nullptr, 1, (void *)mem[0], 0, 4));
    C("beyond", cudaMemcpyPeer((void *)mem[1], 1, (void *)mem[0], 0, 1ull << 40));
    C("host", cudaMemcpyPeer((void *)mem[1], 1, &host, 0, 4));
    C("async_0", cudaMemcpyPeerAsync((void *)mem[1], 1, (void *)mem[0], 0, 4, stream[0]));
    C("async_1", cudaMemcpyPeerAsync((void *)mem[1], 1, (void *)mem[0], 0, 4, stream[1]));
    C("async_null", cudaMemcpyPeerAsync((void *)mem[1], 1, (void *)mem[0], 0, 4, nullptr));
    C("async_2", cudaMemcpyPeerAsync((void *)mem[1], 2, (void *)mem[0], 0, 4, stream[1]));
    C("sync_0", cuStreamSynchronize(stream[0]));
    C("sync_1", cuStreamSynchronize(stream[1]));
    C("cu", cuMemcpyPeer(mem[1], ctx[1], mem[0], ctx[0], 4));
    C("cu_swapped", cuMemcpyPeer(mem[1], ctx[0], mem[0], ctx[1], 4));
    C("cu_null", cuMemcpyPeer(mem[1], nullptr, mem[0], ctx[0], 4));
    C("cu_zero", cuMemcpyPeer(mem[1], ctx[1], mem[0], ctx[0], 0));
    C("cu_async", cuMemcpyPeerAsync(mem[0], ctx[0], mem[1], ctx[1], 4, stream[1]));
    C("cu_sync", cuStreamSynchronize(stream[1]));
    C("from_1", (use(1), cudaMemcpyPeer((void *)mem[0], 0, (void *)mem[1], 1, 4)));
    C("no_context", (cuCtxSetCurrent(nullptr), cuMemcpyPeer(mem[1], ctx[1], mem[0], ctx[0], 4)));
    C("end", (use(0), cuCtxSynchronize()));
}

static void fills()
{
    C("cu", cuMemsetD8(mem[1], 1, 64));
    C("runtime", cudaMemset((void *)mem[1], 1, 64));
    C("async_own_stream", cudaMemsetAsync((void *)mem[1], 1, 64, stream[0]));
    C("async_its_stream", cudaMemsetAsync((void *)mem[1], 1, 64, stream[1]));
    C("async_foreign_stream", cudaMemsetAsync((void *)mem[0], 1, 64, stream[1]));
    C("cu_its_stream", cuMemsetD32Async(mem[1], 1, 16, stream[1]));
    C("two_d", cudaMemset2D((void *)mem[1], 64, 1, 4, 2));
    C("write_own", cuStreamWriteValue32(stream[0], mem[1], 1, 0));
    C("write_its", cuStreamWriteValue32(stream[1], mem[1], 1, 0));
    C("wait_own", cuStreamWaitValue32(stream[0], mem[1], 1, CU_STREAM_WAIT_VALUE_GEQ));
    C("sync_0", cuStreamSynchronize(stream[0]));
    C("sync_1", cuStreamSynchronize(stream[1]));
}

static void pointers()
{
    cudaPointerAttributes a = {};
    CUcontext owner = nullptr;
    CUdeviceptr base = 0;
    size_t size = 0;
    int ordinal = 77, type = 77;

    C("context", cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, mem[1]));
    V("context", owner == ctx[1]);
    C("ordinal", cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, mem[1]));
    V("ordinal", ordinal);
    C("type", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mem[1]));
    V("type", type);
    C("device_pointer", cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, mem[1]));
    V("device_pointer", base == mem[1]);
    C("host_pointer", cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_HOST_POINTER, mem[1]));
    C("runtime", cudaPointerGetAttributes(&a, (void *)mem[1]));
    V("runtime_device", a.device);
    V("runtime_type", a.type);
    V("runtime_pointer", a.devicePointer == (void *)mem[1]);
    C("range", cuMemGetAddressRange(&base, &size, mem[1] + 8));
    V("range", base == mem[1]);
    C("free", cudaFree((void *)mem[1]));
    C("free_twice", cudaFree((void *)mem[1]));
    C("gone", cudaPointerGetAttributes(&a, (void *)mem[1]));
    V("gone_type", a.type);
    V("gone_device", a.device);
    C("no_context", (cuCtxSetCurrent(nullptr), cuMemFree(mem[0])));
}

/* --- streams, events ------------------------------------------------------------------------- */

static void CUDART_CB nothing(void *)
{
}

static void streams()
{
    CUcontext owner = nullptr;
    unsigned flags = 77;
    int d = 77;

    C("query", cudaStreamQuery(stream[1]));
    C("sync", cudaStreamSynchronize(stream[1]));
    C("flags", cudaStreamGetFlags(stream[1], &flags));
    C("device", cudaStreamGetDevice(stream[1], &d));
    V("device", d);
    C("null_device", cudaStreamGetDevice(nullptr, &d));
    V("null_device", d);
    C("context", cuStreamGetCtx(stream[1], &owner));
    V("context", owner == ctx[1]);
    C("host_function", cudaLaunchHostFunc(stream[1], nothing, nullptr));
    C("wait_unrecorded", cudaStreamWaitEvent(stream[1], event[0], 0));
    C("record", cudaEventRecord(event[0], stream[0]));
    C("wait", cudaStreamWaitEvent(stream[1], event[0], 0));
    C("wait_null", (use(1), cudaStreamWaitEvent(nullptr, event[0], 0)));
    C("wait_sync", cudaStreamSynchronize(stream[1]));
    C("destroy", (use(0), cudaStreamDestroy(stream[1])));
    C("current", cudaGetDevice(&d));
    V("current", d);
}

static void events()
{
    float ms = 0;

    C("record_foreign_stream", cudaEventRecord(event[0], stream[1]));
    C("record_foreign_event", cudaEventRecord(event[1], stream[0]));
    C("record_foreign_null", cudaEventRecord(event[1], nullptr));
    C("record_both", cudaEventRecord(event[1], stream[1]));
    C("cu_record_foreign_stream", cuEventRecord(event[0], stream[1]));
    C("cu_record_foreign_null", cuEventRecord(event[1], nullptr));
    C("cu_record_both", cuEventRecord(event[1], stream[1]));
    C("sync", cudaEventSynchronize(event[1]));
    C("query", cudaEventQuery(event[1]));
    C("time_0", cudaEventRecord(timed[0], stream[0]));
    C("time_1", cudaEventRecord(timed[1], stream[1]));
    cudaEventSynchronize(timed[0]);
    cudaEventSynchronize(timed[1]);
    C("elapsed", cudaEventElapsedTime(&ms, timed[0], timed[1]));
    C("cu_elapsed", cuEventElapsedTime(&ms, timed[0], timed[1]));
    C("elapsed_other", cudaEventElapsedTime(&ms, timed[1], timed[1]));
    C("destroy", cudaEventDestroy(event[1]));
    C("no_context", (cuCtxSetCurrent(nullptr), cuEventQuery(event[0])));
    C("no_context_record", cuEventRecord(event[0], stream[0]));
}

/* --- pools, graphs, pinned memory --------------------------------------------------------------
 */

static void pools()
{
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    cudaMemPoolProps props = {};
    cudaMemPool_t pool = nullptr, own = nullptr;
    cudaMemAccessDesc desc = {};
    cudaPointerAttributes a = {};
    cudaMemLocation where = {};
    void *p = nullptr;

    C("default_2", cudaDeviceGetDefaultMemPool(&pool, 2));
    C("current_2", cudaDeviceGetMemPool(&pool, 2));
    C("default_1", cudaDeviceGetDefaultMemPool(&pool, 1));
    C("set_foreign", cudaDeviceSetMemPool(0, pool));
    C("set_2", cudaDeviceSetMemPool(2, pool));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = 2;
    C("create_2", cudaMemPoolCreate(&own, &props));
    props.location.id = -1;
    C("create_minus", cudaMemPoolCreate(&own, &props));
    props.location.id = 1;
    C("create_1", cudaMemPoolCreate(&own, &props));
    desc.location.type = cudaMemLocationTypeDevice;
    desc.location.id = 2;
    desc.flags = cudaMemAccessFlagsProtReadWrite;
    C("access_2", cudaMemPoolSetAccess(own, &desc, 1));
    desc.location.id = 1;
    C("access_own", cudaMemPoolSetAccess(own, &desc, 1));
    desc.flags = cudaMemAccessFlagsProtNone;
    C("access_own_none", cudaMemPoolSetAccess(own, &desc, 1));
    where.type = cudaMemLocationTypeDevice;
    where.id = 1;
    C("get_own", cudaMemPoolGetAccess(&flags, own, &where));
    V("get_own", flags);
    where.id = 0;
    C("get_other", cudaMemPoolGetAccess(&flags, own, &where));
    V("get_other", flags);
    where.id = 2;
    C("get_2", cudaMemPoolGetAccess(&flags, own, &where));
    C("foreign_stream", cudaMallocAsync(&p, 64, stream[1]));
    C("foreign_stream_at", cudaPointerGetAttributes(&a, p));
    V("foreign_stream_at", a.device);
    C("free_in_other", cudaFreeAsync(p, stream[0]));
    C("free_sync", cuStreamSynchronize(stream[0]));
    C("pool_in_other", cudaMallocFromPoolAsync(&p, 64, own, stream[0]));
    C("pool_in_other_at", cudaPointerGetAttributes(&a, p));
    V("pool_in_other_at", a.device);
    C("pool_free", cudaFree(p));
    C("trim", cudaMemPoolTrimTo(own, 0));
    C("destroy", cudaMemPoolDestroy(own));
    desc.location.id = 0;
    desc.flags = cudaMemAccessFlagsProtReadWrite;
    C("access_peer", cudaMemPoolSetAccess(pool, &desc, 1));
    C("end", cuCtxSynchronize());
}

static void graph_memory()
{
    CUDA_MEMSET_NODE_PARAMS fill = {};
    CUDA_MEMCPY3D copy = {};
    CUgraph g = nullptr;
    CUgraphExec exec = nullptr;
    CUgraphNode n = nullptr;

    fill.elementSize = 4;
    fill.width = 4;
    fill.height = 1;
    fill.value = 31;
    fill.dst = mem[1];
    C("create", cuGraphCreate(&g, 0));
    C("fill_wrong", cuGraphAddMemsetNode(&n, g, nullptr, 0, &fill, ctx[0]));
    C("fill_right", cuGraphAddMemsetNode(&n, g, nullptr, 0, &fill, ctx[1]));
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = mem[1];
    copy.dstDevice = mem[0];
    copy.WidthInBytes = 4;
    copy.Height = copy.Depth = 1;
    C("copy", cuGraphAddMemcpyNode(&n, g, &n, 1, &copy, ctx[0]));
    C("instantiate", cuGraphInstantiate(&exec, g, 0));
    C("launch", cuGraphLaunch(exec, stream[0]));
    C("sync", cuStreamSynchronize(stream[0]));
    V("result", word(mem[0]));
    C("launch_other", cuGraphLaunch(exec, stream[1]));
    C("sync_other", cuStreamSynchronize(stream[1]));
}

static void graphs()
{
    CUDA_KERNEL_NODE_PARAMS p = {};
    CUgraph g = nullptr, captured = nullptr;
    CUgraphExec exec = nullptr;
    CUgraphNode n[2] = { nullptr, nullptr };
    size_t nodes = 0;

    p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
    C("create", cuGraphCreate(&g, 0));
    for (int d = 0; d < 2; d++) {
        p.func = inc[d];
        p.kernelParams = &at[d];
        C(d ? "kernel_1" : "kernel_0", cuGraphAddKernelNode(&n[d], g, n, d, &p));
    }
    C("instantiate", cuGraphInstantiate(&exec, g, 0));
    C("upload", cuGraphUpload(exec, stream[1]));
    C("launch_0", cuGraphLaunch(exec, stream[0]));
    C("sync_0", cuStreamSynchronize(stream[0]));
    C("launch_1", cuGraphLaunch(exec, stream[1]));
    C("sync_1", cuStreamSynchronize(stream[1]));
    V("word_0", word(mem[0]));
    V("word_1", word(mem[1]));
    p.func = inc[1];
    p.kernelParams = &at[1];
    C("set_foreign", cuGraphExecKernelNodeSetParams(exec, n[0], &p));
    C("node_set_foreign", cuGraphKernelNodeSetParams(n[0], &p));
    C("begin", cuStreamBeginCapture(stream[0], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    C("captured_launch", launch(inc[0], &mem[0], stream[0]));
    C("record", cuEventRecord(event[0], stream[0]));
    C("wait", cuStreamWaitEvent(stream[1], event[0], 0));
    C("other_launch", (use(1), launch(inc[1], &mem[1], stream[1])));
    C("other_record", cuEventRecord(event[1], stream[1]));
    C("join", (use(0), cuStreamWaitEvent(stream[0], event[1], 0)));
    C("end", cuStreamEndCapture(stream[0], &captured));
    C("nodes", cuGraphGetNodes(captured, nullptr, &nodes));
    V("nodes", nodes);
    C("captured_instantiate", cuGraphInstantiate(&exec, captured, 0));
    C("captured_run", cuGraphLaunch(exec, stream[1]));
    C("captured_sync", cuStreamSynchronize(stream[1]));
    V("captured_0", word(mem[0]));
    V("captured_1", word(mem[1]));
    C("begin_other", cuStreamBeginCapture(stream[1], CU_STREAM_CAPTURE_MODE_RELAXED));
    C("malloc_relaxed", cudaFree(nullptr));
    C("end_other", cuStreamEndCapture(stream[1], &captured));
}

static void pinned()
{
    static unsigned page[4096] __attribute__((aligned(4096)));
    cudaPointerAttributes a = {};
    unsigned *p = nullptr, flags = 77;
    CUdeviceptr reached;
    void *d = nullptr;

    C("alloc", cudaHostAlloc((void **)&p, 4096, cudaHostAllocDefault));
    *p = 0;
    use(1);
    C("device_pointer", cudaHostGetDevicePointer(&d, p, 0));
    V("device_pointer", d == p);
    C("attributes", cudaPointerGetAttributes(&a, p));
    V("attributes_type", a.type);
    V("attributes_device", a.device);
    C("flags", cudaHostGetFlags(&flags, p));
    reached = (CUdeviceptr)(uintptr_t)d;
    C("launch", launch(inc[1], &reached, stream[1]));
    C("sync", cuStreamSynchronize(stream[1]));
    V("seen", *p);
    C("free", cudaFreeHost(p));
    use(0);
    C("register", cudaHostRegister(page, 4096, cudaHostRegisterDefault));
    use(1);
    C("register_again", cudaHostRegister(page, 4096, cudaHostRegisterDefault));
    C("registered_pointer", cudaHostGetDevicePointer(&d, page, 0));
    V("registered_pointer", d == page);
    C("registered_attributes", cudaPointerGetAttributes(&a, page));
    V("registered_type", a.type);
    V("registered_device", a.device);
    C("unregister", cudaHostUnregister(page));
    C("unregister_again", cudaHostUnregister(page));
    C("end", cuCtxSynchronize());
}

static void managed()
{
    unsigned *p = nullptr;
    int n = 77;

    C("attribute_0", cudaDeviceGetAttribute(&n, cudaDevAttrManagedMemory, 0));
    V("attribute_0", n);
    C("alloc_0", cudaMallocManaged((void **)&p, 4096, cudaMemAttachGlobal));
    C("alloc_1", (use(1), cudaMallocManaged((void **)&p, 4096, cudaMemAttachGlobal)));
}

/* --- modules, arrays, virtual memory ---------------------------------------------------------- */

static void modules()
{
    CUdeviceptr global = 0;
    CUfunction f = nullptr;
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    size_t size = 0;
    int n = 77;

    C("global", cuModuleGetGlobal(&global, &size, mod[1], "word"));
    C("global_at", cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, global));
    V("global_at", n);
    C("function", cuModuleGetFunction(&f, mod[1], "inc"));
    V("function", f == inc[1]);
    C("attribute", cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, inc[1]));
    C("occupancy", cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, inc[1], 32, 0));
    C("library", cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    C("kernel", cuLibraryGetKernel(&kernel, library, "inc"));
    for (int d = 0; d < 2; d++) {
        use(d);
        C(d ? "kernel_function_1" : "kernel_function_0", cuKernelGetFunction(&f, kernel));
        C(d ? "kernel_launch_1" : "kernel_launch_0", launch(f, &mem[d], stream[d]));
        C(d ? "kernel_sync_1" : "kernel_sync_0", cuStreamSynchronize(stream[d]));
        C(d ? "kernel_handle_1" : "kernel_handle_0",
          launch((CUfunction)kernel, &mem[d], stream[d]));
        C(d ? "library_global_1" : "library_global_0",
          cuLibraryGetGlobal(&global, &size, library, "word"));
        cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, global);
        row(d ? "library_global_1.value" : "library_global_0.value", n);
    }
    use(0);
    C("kernel_handle_foreign", launch((CUfunction)kernel, &mem[1], stream[1]));
    C("kernel_foreign_sync", cuStreamSynchronize(stream[1]));
    V("word_1", word(mem[1]));
    C("kernel_attribute_2",
      cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 2));
    C("kernel_attribute_1",
      cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 1));
    C("unload", cuModuleUnload(mod[1]));
    C("unloaded_launch_own", launch(inc[0], &mem[0], stream[0]));
    C("end", cuCtxSynchronize());
}

static void arrays()
{
    cudaChannelFormatDesc format = { 32, 0, 0, 0, cudaChannelFormatKindUnsigned };
    cudaResourceDesc resource = {};
    cudaTextureDesc sampler = {};
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;
    cudaExtent extent;
    cudaArray_t array = nullptr, own = nullptr;
    unsigned words[64] = { 6 }, flags;

    cudaMallocArray(&own, &format, 8, 8, cudaArraySurfaceLoadStore);
    use(1);
    C("alloc", cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore));
    use(0);
    C("info", cudaArrayGetInfo(&format, &extent, &flags, array));
    C("in", cudaMemcpy2DToArray(array, 0, 0, words, 32, 32, 8, cudaMemcpyHostToDevice));
    C("out", cudaMemcpy2DFromArray(words, 32, array, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    V("out", words[0]);
    C("across", cudaMemcpy2DArrayToArray(own, 0, 0, array, 0, 0, 32, 8, cudaMemcpyDeviceToDevice));
    words[0] = 0;
    cudaMemcpy2DFromArray(words, 32, own, 0, 0, 32, 8, cudaMemcpyDeviceToHost);
    V("across", words[0]);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    C("texture", cudaCreateTextureObject(&texture, &resource, &sampler, nullptr));
    C("surface", cudaCreateSurfaceObject(&surface, &resource));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)mem[1];
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = 64;
    C("linear", cudaCreateTextureObject(&texture, &resource, &sampler, nullptr));
    C("free", cudaFreeArray(array));
    C("end", cuCtxSynchronize());
}

static void mapped()
{
    const size_t size = 2u << 20;
    CUmemAllocationProp prop = {};
    CUmemAccessDesc desc = {};
    CUmemGenericAllocationHandle handle = 0;
    CUmemLocation where = {};
    unsigned long long flags = 0;
    CUdeviceptr p = 0;
    size_t grain = 0;

    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = where.type = desc.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = 2;
    C("create_2", cuMemCreate(&handle, size, &prop, 0));
    C("grain_2", cuMemGetAllocationGranularity(&grain, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    prop.location.id = 1;
    C("create_1", cuMemCreate(&handle, size, &prop, 0));
    C("reserve", cuMemAddressReserve(&p, size, 0, 0, 0));
    C("map", cuMemMap(p, size, 0, handle, 0));
    C("fill_before", cuMemsetD8(p, 0, 64));
    desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    desc.location.id = 2;
    C("access_2", cuMemSetAccess(p, size, &desc, 1));
    desc.location.id = 1;
    C("access_1", cuMemSetAccess(p, size, &desc, 1));
    where.id = 0;
    C("get_0", cuMemGetAccess(&flags, &where, p));
    V("get_0", flags);
    C("fill_foreign", cuMemsetD8(p, 0, 64));
    C("fill_own", (use(1), cuMemsetD8(p, 0, 64)));
    use(0);
    desc.location.id = 0;
    C("access_0", cuMemSetAccess(p, size, &desc, 1));
    C("unmap", cuMemUnmap(p, size));
    C("release", cuMemRelease(handle));
    C("free", cuMemAddressFree(p, size));
    C("end", cuCtxSynchronize());
}

/* --- contexts that go --------------------------------------------------------------------------
 */

static void reset()
{
    cudaPointerAttributes a = {};
    CUdevice d = 77;
    unsigned flags = 77, value = 4;
    int active = 77;

    C("state", cuDevicePrimaryCtxGetState(1, &flags, &active));
    V("state", active);
    C("state_2", cuDevicePrimaryCtxGetState(2, &flags, &active));
    C("set_flags_2", cuDevicePrimaryCtxSetFlags(2, 0));
    C("reset_2", cuDevicePrimaryCtxReset(2));
    C("release_2", cuDevicePrimaryCtxRelease(2));
    use(1);
    C("reset", cudaDeviceReset());
    C("reset_state", cuDevicePrimaryCtxGetState(1, &flags, &active));
    V("reset_state", active);
    use(0);
    C("first_lives", launch(inc[0], &mem[0], stream[0]));
    C("first_sync", cuStreamSynchronize(stream[0]));
    V("first", word(mem[0]));
    C("gone_pointer", cudaPointerGetAttributes(&a, (void *)mem[1]));
    V("gone_type", a.type);
    C("gone_copy", cudaMemcpy((void *)mem[1], &value, 4, cudaMemcpyHostToDevice));
    C("gone_free", cudaFree((void *)mem[1]));
    use(1);
    C("again", cudaMalloc((void **)&mem[1], 4096));
    C("again_device", cuCtxGetDevice(&d));
    V("again_device", d);
    C("again_fill", cudaMemset((void *)mem[1], 0, 4096));
    C("end", cuCtxSynchronize());
}

static void released()
{
    CUcontext c = nullptr;
    unsigned flags = 77;
    int active = 77;

    C("retain", cuDevicePrimaryCtxRetain(&c, 1));
    V("retain", c == ctx[1]);
    C("release", cuDevicePrimaryCtxRelease(1));
    C("release_last", cuDevicePrimaryCtxRelease(1));
    C("state", cuDevicePrimaryCtxGetState(1, &flags, &active));
    V("state", active);
    C("release_more", cuDevicePrimaryCtxRelease(1));
    C("other_state", cuDevicePrimaryCtxGetState(0, &flags, &active));
    V("other_state", active);
    C("copy", cuMemcpyDtoH(&flags, mem[1], 4));
    C("peer", cuMemcpyPeer(mem[1], ctx[1], mem[0], ctx[0], 4));
    C("own", cuMemcpyDtoH(&flags, mem[0], 4));
    C("retain_again", cuDevicePrimaryCtxRetain(&c, 1));
    C("end", cuCtxSynchronize());
}

static const struct {
    const char *name;
    void (*run)();
} sections[] = {
    { "devices", devices },   { "peer", peer },         { "kernel_reaches", kernel_reaches },
    { "launches", launches }, { "copies", copies },     { "peer_copies", peer_copies },
    { "fills", fills },       { "pointers", pointers }, { "streams", streams },
    { "events", events },     { "pools", pools },       { "graph_memory", graph_memory },
    { "graphs", graphs },     { "pinned", pinned },     { "managed", managed },
    { "modules", modules },   { "arrays", arrays },     { "mapped", mapped },
    { "reset", reset },       { "released", released },
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
