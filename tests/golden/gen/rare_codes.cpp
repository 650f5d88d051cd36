/* SPDX-License-Identifier: MIT */
/* What a driver answers to calls that programs make seldom, or by mistake: a line a call, "case
 * code"; values as "case.value number".
 *
 *   nvcc -arch=sm_90 -cudart static rare_codes.cpp -o rare_codes -lcuda && ./rare_codes
 *
 * The output on a real GPU lies beside it as rare_codes.txt; tests/api compares ours with it. Each
 * section is a process of its own, so that a crash of a driver ends one section only. */
#include <cuda.h>
#include <cuda_runtime.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

static const char *section, *current = "begin";

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

static const char ptx[] =
    ".version 7.0\n.target sm_72\n.address_size 64\n"
    ".visible .entry inc(.param .u64 p)\n{\n"
    ".reg .u64 %rd<3>;\n.reg .u32 %r<2>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "ld.global.u32 %r1, [%rd2];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n"
    ".visible .entry few(.param .u64 p)\n.maxntid 64, 1, 1\n{\nret;\n}\n"
    ".visible .entry fault()\n{\n.reg .u64 %rd<2>;\nmov.u64 %rd1, 16;\nst.global.u32 [%rd1], "
    "1;\nret;\n}\n";

static CUcontext ctx;
static CUdevice dev;
static CUmodule mod;
static CUfunction inc, few, faulty;
static CUdeviceptr mem;
static void *arguments[1];

static void up()
{
    cuInit(0);
    cuDeviceGet(&dev, 0);
    cuDevicePrimaryCtxRetain(&ctx, dev);
    cuCtxSetCurrent(ctx);
    if (cuModuleLoadData(&mod, ptx) || cuModuleGetFunction(&inc, mod, "inc") ||
        cuModuleGetFunction(&few, mod, "few") || cuModuleGetFunction(&faulty, mod, "fault") ||
        cuMemAlloc(&mem, 4096) || cuMemsetD8(mem, 0, 4096) || cuCtxSynchronize()) {
        std::printf("%s.setup failed\n", section);
        _exit(1);
    }
    arguments[0] = &mem;
}

static CUresult launch(CUfunction f, CUstream s = NULL)
{
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, arguments, NULL);
}

// --- after a fault

static void fault()
{
    CUstream s;
    CUevent e;
    void *p;
    size_t bytes;

    C("stream", cuStreamCreate(&s, 0));
    C("event", cuEventCreate(&e, 0));
    C("launch", launch(faulty));
    C("synchronize", cuCtxSynchronize());
    C("again", cuCtxSynchronize());
    C("launch_after", launch(inc));
    C("alloc", cudaMalloc(&p, 64));
    C("alloc_host", cudaMallocHost(&p, 64));
    C("info", cuMemGetInfo(&bytes, &bytes));
    C("record", cuEventRecord(e, s));
    C("query", cuStreamQuery(s));
    C("free", cuMemFree(mem));
    C("module", cuModuleLoadData(&mod, ptx));
    C("destroy_stream", cuStreamDestroy(s));
    C("destroy_event", cuEventDestroy(e));
    C("last", cudaGetLastError());
    C("last_again", cudaGetLastError());
    C("set_device", cudaSetDevice(0));
}

static void fault_reset()
{
    void *p;
    int n = 0;

    C("launch", launch(faulty));
    C("synchronize", cudaDeviceSynchronize());
    C("reset", cudaDeviceReset());
    C("count", cudaGetDeviceCount(&n));
    C("alloc", cudaMalloc(&p, 64));
    C("synchronize_after", cudaDeviceSynchronize());
    C("set_device", cudaSetDevice(0));
    C("init", cudaInitDevice(0, 0, 0));
    C("free", cudaFree(0));
    C("retain", cuDevicePrimaryCtxRetain(&ctx, dev));
    C("set", cuCtxSetCurrent(ctx));
    C("driver_alloc", cuMemAlloc(&mem, 64));
    C("create", cuCtxCreate(&ctx, NULL, 0, dev));
    C("last", cudaGetLastError());
}

// --- contexts

static void contexts()
{
    CUcontext other;
    CUevent theirs, mine;
    CUstream s;
    float ms;

    C("create", cuCtxCreate(&other, NULL, 0, dev));
    C("event", cuEventCreate(&theirs, 0));
    C("set", cuCtxSetCurrent(ctx));
    C("event_mine", cuEventCreate(&mine, 0));
    C("stream", cuStreamCreate(&s, 0));
    C("record_theirs", cuEventRecord(theirs, s));
    C("record_theirs_null", cuEventRecord(theirs, NULL));
    C("wait_theirs", cuStreamWaitEvent(s, theirs, 0));
    C("query_theirs", cuEventQuery(theirs));
    C("synchronize_theirs", cuEventSynchronize(theirs));
    C("record_mine", cuEventRecord(mine, s));
    C("elapsed", cuEventElapsedTime(&ms, theirs, mine));
    C("destroy_theirs", cuEventDestroy(theirs));
    C("launch", launch(inc, s));
    C("set_other", cuCtxSetCurrent(other));
    C("launch_other", launch(inc, s));
    C("launch_other_null", launch(inc, NULL));
    C("unload_theirs", cuModuleUnload(mod));
    C("free_theirs", cuMemFree(mem));
    C("destroy_stream", cuStreamDestroy(s));
    C("destroy", cuCtxDestroy(other));
}

// --- graphs

static CUDA_MEMCPY3D copy(CUmemorytype to_type, void *to, CUmemorytype from_type, void *from)
{
    CUDA_MEMCPY3D p;

    std::memset(&p, 0, sizeof(p));
    p.srcMemoryType = from_type;
    p.dstMemoryType = to_type;
    p.srcHost = from;
    p.srcDevice = (CUdeviceptr)from;
    p.dstHost = to;
    p.dstDevice = (CUdeviceptr)to;
    p.WidthInBytes = 64;
    p.Height = p.Depth = 1;
    return p;
}

static void direction()
{
    static char plain[64];
    void *pinned, *device = (void *)mem, *device2 = (void *)(mem + 128), *managed;
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode node;
    const CUmemorytype H = CU_MEMORYTYPE_HOST, D = CU_MEMORYTYPE_DEVICE, U = CU_MEMORYTYPE_UNIFIED;

    cudaMallocHost(&pinned, 64);
    cudaMallocManaged(&managed, 64);
    CUDA_MEMCPY3D h2d = copy(D, device, H, pinned), d2h = copy(H, pinned, D, device),
                  d2d = copy(D, device2, D, device), p2d = copy(D, device, H, plain),
                  u2u = copy(U, device2, U, device), m2d = copy(D, device, D, managed),
                  h2h = copy(H, pinned, H, plain);
    C("create", cuGraphCreate(&graph, 0));
    C("add", cuGraphAddMemcpyNode(&node, graph, NULL, 0, &h2d, ctx));
    C("instantiate", cuGraphInstantiate(&exec, graph, 0));
    C("same", cuGraphExecMemcpyNodeSetParams(exec, node, &h2d, ctx));
    C("d2h", cuGraphExecMemcpyNodeSetParams(exec, node, &d2h, ctx));
    C("d2d", cuGraphExecMemcpyNodeSetParams(exec, node, &d2d, ctx));
    C("pageable", cuGraphExecMemcpyNodeSetParams(exec, node, &p2d, ctx));
    C("unified", cuGraphExecMemcpyNodeSetParams(exec, node, &u2u, ctx));
    C("managed", cuGraphExecMemcpyNodeSetParams(exec, node, &m2d, ctx));
    C("host", cuGraphExecMemcpyNodeSetParams(exec, node, &h2h, ctx));
    C("node", cuGraphMemcpyNodeSetParams(node, &d2h));
    cudaGraphExec_t rt = (cudaGraphExec_t)exec;
    C("rt_h2d", cudaGraphExecMemcpyNodeSetParams1D(rt, (cudaGraphNode_t)node, device, pinned, 64,
                                                   cudaMemcpyHostToDevice));
    C("rt_d2h", cudaGraphExecMemcpyNodeSetParams1D(rt, (cudaGraphNode_t)node, pinned, device, 64,
                                                   cudaMemcpyDeviceToHost));
    C("rt_d2d", cudaGraphExecMemcpyNodeSetParams1D(rt, (cudaGraphNode_t)node, device2, device, 64,
                                                   cudaMemcpyDeviceToDevice));
    C("rt_default", cudaGraphExecMemcpyNodeSetParams1D(rt, (cudaGraphNode_t)node, device, pinned,
                                                       64, cudaMemcpyDefault));
    C("launch", cuGraphLaunch(exec, NULL));
    C("synchronize", cuCtxSynchronize());
}

// --- textures

static CUresult texture(CUarray_format format, unsigned channels, unsigned flags,
                        CUfilter_mode filter)
{
    CUDA_ARRAY_DESCRIPTOR d = { 8, 8, format, channels };
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    CUtexObject o;
    CUarray a;
    CUresult error = cuArrayCreate(&a, &d);

    std::memset(&r, 0, sizeof(r));
    std::memset(&t, 0, sizeof(t));
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = a;
    t.flags = flags;
    t.filterMode = filter;
    error = error ? error : cuTexObjectCreate(&o, &r, &t, NULL);
    return error;
}

static void textures()
{
    static const CUarray_format formats[] = {
        CU_AD_FORMAT_FLOAT,        CU_AD_FORMAT_HALF,           CU_AD_FORMAT_UNSIGNED_INT8,
        CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32
    };
    char name[64];

    for (CUarray_format f : formats) {
        for (unsigned flags = 0; flags < 16; flags += 1) {
            for (CUfilter_mode m : { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR }) {
                std::snprintf(name, sizeof(name), "driver_%x_%x_%d", f, flags, (int)m);
                C(name, texture(f, 1,
                                (flags & 3) | (flags & 4 ? CU_TRSF_SRGB : 0) |
                                    (flags & 8 ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0),
                                m));
            }
        }
    }
    for (int read = 0; read < 2; read++) {
        for (int filter = 0; filter < 2; filter++) {
            for (int kind = 0; kind < 4; kind++) {
                cudaChannelFormatDesc d =
                    kind == 0   ? cudaCreateChannelDesc<float>()
                    : kind == 1 ? cudaCreateChannelDesc<unsigned char>()
                    : kind == 2 ? cudaCreateChannelDesc<int>()
                                : cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
                cudaResourceDesc r;
                cudaTextureDesc t;
                cudaTextureObject_t o;
                cudaArray_t a;

                std::memset(&r, 0, sizeof(r));
                std::memset(&t, 0, sizeof(t));
                cudaMallocArray(&a, &d, 8, 8);
                r.resType = cudaResourceTypeArray;
                r.res.array.array = a;
                t.readMode = read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
                t.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
                std::snprintf(name, sizeof(name), "rt_%d_%d_%d", kind, read, filter);
                C(name, cudaCreateTextureObject(&o, &r, &t, NULL));
            }
        }
    }
}

// --- attributes of streams and launches

static void windows()
{
    static const float ratios[] = { -0.5f, 0, 0.5f, 1, 1.5f };
    CUstream s;
    char name[64];

    cuStreamCreate(&s, 0);
    for (float ratio : ratios) {
        CUstreamAttrValue v;

        std::memset(&v, 0, sizeof(v));
        v.accessPolicyWindow.base_ptr = (void *)mem;
        v.accessPolicyWindow.num_bytes = 1024;
        v.accessPolicyWindow.hitRatio = ratio;
        v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
        v.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
        std::snprintf(name, sizeof(name), "ratio_%d", (int)(ratio * 10));
        C(name, cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    }
    for (int hit = -1; hit < 4; hit++) {
        for (int miss = -1; miss < 4; miss++) {
            CUstreamAttrValue v;

            std::memset(&v, 0, sizeof(v));
            v.accessPolicyWindow.base_ptr = (void *)mem;
            v.accessPolicyWindow.num_bytes = 1024;
            v.accessPolicyWindow.hitRatio = 1;
            v.accessPolicyWindow.hitProp = (CUaccessProperty)hit;
            v.accessPolicyWindow.missProp = (CUaccessProperty)miss;
            std::snprintf(name, sizeof(name), "props_%d_%d", hit, miss);
            C(name, cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
        }
    }
    for (size_t bytes : { (size_t)0, (size_t)1 << 20, (size_t)1 << 30, (size_t)1 << 40 }) {
        CUstreamAttrValue v;

        std::memset(&v, 0, sizeof(v));
        v.accessPolicyWindow.base_ptr = (void *)mem;
        v.accessPolicyWindow.num_bytes = bytes;
        v.accessPolicyWindow.hitRatio = 1;
        v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
        std::snprintf(name, sizeof(name), "bytes_%zx", bytes);
        C(name, cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    }
}

// --- modules

static void linking()
{
    CUjit_option unknown[] = { (CUjit_option)99 }, negative[] = { (CUjit_option)-1 },
                 wall[] = { CU_JIT_WALL_TIME };
    void *values[] = { NULL };
    CUlinkState link;
    CUmodule m;
    void *cubin;
    size_t bytes;

    C("unknown_option", cuModuleLoadDataEx(&m, ptx, 1, unknown, values));
    C("negative_option", cuModuleLoadDataEx(&m, ptx, 1, negative, values));
    C("wall", cuModuleLoadDataEx(&m, ptx, 1, wall, values));
    C("options_null", cuModuleLoadDataEx(&m, ptx, 1, NULL, values));
    C("values_null", cuModuleLoadDataEx(&m, ptx, 1, wall, NULL));
    C("link_unknown", cuLinkCreate(1, unknown, values, &link));
    C("link", cuLinkCreate(0, NULL, NULL, &link));
    C("complete_empty", cuLinkComplete(link, &cubin, &bytes));
    C("destroy_empty", cuLinkDestroy(link));
    C("link_again", cuLinkCreate(0, NULL, NULL, &link));
    C("add_unknown",
      cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx, sizeof(ptx), "x", 1, unknown, values));
    C("add_kind",
      cuLinkAddData(link, (CUjitInputType)99, (void *)ptx, sizeof(ptx), "x", 0, NULL, NULL));
    C("add", cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx, sizeof(ptx), "x", 0, NULL, NULL));
    C("complete", cuLinkComplete(link, &cubin, &bytes));
    C("complete_twice", cuLinkComplete(link, &cubin, &bytes));
    C("add_late",
      cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx, sizeof(ptx), "y", 0, NULL, NULL));
    C("destroy", cuLinkDestroy(link));
}

static void libraries()
{
    CUlibrary library;
    CUmodule m;
    CUkernel k;
    CUfunction f;
    unsigned n;

    C("load", cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    C("kernel", cuLibraryGetKernel(&k, library, "inc"));
    C("module", cuLibraryGetModule(&m, library));
    C("unload_module", cuModuleUnload(m));
    C("function", cuModuleGetFunction(&f, m, "inc"));
    C("kernel_function", cuKernelGetFunction(&f, k));
    C("count", cuLibraryGetKernelCount(&n, library));
    V("count", n);
    C("no_kernel", cuLibraryGetKernel(&k, library, "none"));
    C("unload", cuLibraryUnload(library));
}

// --- NULL

static void nulls()
{
    C("rt_memory", cudaDestroyExternalMemory(NULL));
    C("rt_semaphore", cudaDestroyExternalSemaphore(NULL));
    C("memory", cuDestroyExternalMemory(NULL));
    C("semaphore", cuDestroyExternalSemaphore(NULL));
    C("rt_stream", cudaStreamDestroy(NULL));
    C("rt_event", cudaEventDestroy(NULL));
    C("rt_texture", cudaDestroyTextureObject(0));
    C("rt_surface", cudaDestroySurfaceObject(0));
    C("rt_array", cudaFreeArray(NULL));
    C("rt_mipmap", cudaFreeMipmappedArray(NULL));
    C("rt_graph", cudaGraphDestroy(NULL));
    C("rt_exec", cudaGraphExecDestroy(NULL));
    C("rt_node", cudaGraphDestroyNode(NULL));
    C("rt_pool", cudaMemPoolDestroy(NULL));
    C("rt_free", cudaFree(NULL));
    C("rt_free_host", cudaFreeHost(NULL));
    C("rt_free_async", cudaFreeAsync(NULL, 0));
    C("rt_unregister", cudaHostUnregister(NULL));
    C("rt_user_object", cudaUserObjectRelease(NULL, 1));
}

// --- pools

static void pools()
{
    cudaMemPool_t pool;
    cudaMemPoolProps props;
    void *p[4];
    uint64_t value = 0;
    static const size_t sizes[] = { 1, 100, 5000, 3 << 20 };

    std::memset(&props, 0, sizeof(props));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    C("create", cudaMemPoolCreate(&pool, &props));
    for (int i = 0; i < 8; i++) { // four that come, four that go
        char name[32], shown[40];

        std::snprintf(name, sizeof(name), "step_%d", i);
        C(name,
          i < 4 ? cudaMallocFromPoolAsync(&p[i], sizes[i], pool, 0) : cudaFreeAsync(p[i - 4], 0));
        cudaStreamSynchronize(0);
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value);
        std::snprintf(shown, sizeof(shown), "%s.used", name);
        row(shown, (long long)value);
    }
    C("high", cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
    V("high", value);
}

// --- occupancy

static void occupancy()
{
    static const int sizes[] = { 0, 1, 64, 65, 128, 1024, 1025, -1 };
    int n, block;
    char name[64];

    for (int size : sizes) {
        n = -1;
        std::snprintf(name, sizeof(name), "few_%d", size);
        C(name, cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, few, size, 0));
        std::snprintf(name, sizeof(name), "few_%d.none", size);
        row(name, n == 0);
        n = -1;
        std::snprintf(name, sizeof(name), "inc_%d", size);
        C(name, cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, inc, size, 0));
        std::snprintf(name, sizeof(name), "inc_%d.none", size);
        row(name, n == 0);
    }
    C("potential", cuOccupancyMaxPotentialBlockSize(&n, &block, few, NULL, 0, 0));
    V("potential", block);
    C("potential_limit", cuOccupancyMaxPotentialBlockSize(&n, &block, few, NULL, 0, 32));
    V("potential_limit", block);
    C("launch_above", cuLaunchKernel(few, 1, 1, 1, 65, 1, 1, 0, NULL, arguments, NULL));
    C("launch_shape", cuLaunchKernel(few, 1, 1, 1, 8, 8, 1, 0, NULL, arguments, NULL));
    C("synchronize", cuCtxSynchronize());
}

// --- attributes of devices: limits of textures and surfaces, the same from compute capability 5.0
// on

static void attributes()
{
    char name[64];
    int n;

    for (int a = 1; a <= 90; a++) {
        std::snprintf(name, sizeof(name), "%d", a);
        n = -1;
        current = name;
        long long code = cuDeviceGetAttribute(&n, (CUdevice_attribute)a, dev);

        if ((a >= 21 && a <= 30) || (a >= 42 && a <= 74) || a == 77) {
            row(name, code);
            std::snprintf(name, sizeof(name), "%d.value", a);
            row(name, n);
        }
    }
}

static const struct {
    const char *name;
    void (*run)();
} sections[] = {
    { "fault", fault },         { "fault_reset", fault_reset }, { "contexts", contexts },
    { "direction", direction }, { "textures", textures },       { "windows", windows },
    { "linking", linking },     { "libraries", libraries },     { "nulls", nulls },
    { "pools", pools },         { "occupancy", occupancy },     { "attributes", attributes },
};

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
