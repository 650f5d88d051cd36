/* SPDX-License-Identifier: MIT */
/* What each call answers while a stream captures, and what becomes of the capture: a line a call,
 * "api.mode.stream.call code,status,end,nodes": its code, the capture's status behind it, the code
 * of the end of capture, and how many nodes the graph has (-1: no graph).
 *
 *   nvcc -arch=sm_90 -cudart static capture_codes.cpp -o capture_codes -lcuda && ./capture_codes
 *
 * The output on a real GPU lies beside it as capture_codes.txt; tests/api compares ours with it.
 * Each section is a process of its own, so that a crash of a driver ends one section only. */
#include <cuda.h>
#include <cuda_runtime.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

static const char ptx[] =
    ".version 7.0\n.target sm_72\n.address_size 64\n.visible .global .u32 word;\n"
    ".visible .entry inc(.param .u64 p)\n{\n"
    ".reg .u64 %rd<3>;\n.reg .u32 %r<2>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "ld.global.u32 %r1, [%rd2];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n";

enum { SMALL = 4096 };
static const char *section, *current = "setup";
static CUcontext ctx;
static CUdevice dev;
static CUmodule mod, more;
static CUlibrary library;
static CUfunction inc;
static CUdeviceptr mem, spare, ordered;
static CUmemoryPool pool;
static char *pinned, *plain, *registered;
static CUarray array, spare_array;
static CUtexObject texture;
/* @s captures; @o blocks on the default stream, @n does not; @before was recorded ahead of the
 * capture, @inside in it */
static CUstream s, o, n;
static CUevent before, inside, fresh;
static CUgraph graph;
static CUgraphExec exec;
static void *arguments[1];

static void host_fn(void *)
{
}
static void callback(CUstream, CUresult, void *)
{
}
static void rt_callback(cudaStream_t, cudaError_t, void *)
{
}

static CUDA_MEMCPY2D plane(bool array_end)
{
    CUDA_MEMCPY2D p;

    std::memset(&p, 0, sizeof(p));
    p.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    p.srcDevice = mem;
    p.srcPitch = 64;
    p.dstMemoryType = array_end ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
    p.dstArray = array;
    p.dstDevice = spare;
    p.dstPitch = 64;
    p.WidthInBytes = 16;
    p.Height = 4;
    return p;
}

static CUDA_MEMCPY3D box(void)
{
    CUDA_MEMCPY3D p;

    std::memset(&p, 0, sizeof(p));
    p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    p.srcDevice = mem;
    p.dstDevice = spare;
    p.srcPitch = p.dstPitch = 64;
    p.srcHeight = p.dstHeight = 4;
    p.WidthInBytes = 16;
    p.Height = 4;
    p.Depth = 1;
    return p;
}

static CUmemPoolProps pool_props(void)
{
    CUmemPoolProps p;

    std::memset(&p, 0, sizeof(p));
    p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return p;
}

/* What a call may take away, where it is gone. */
static void objects_up(void)
{
    CUmemPoolProps props = pool_props();
    CUDA_ARRAY_DESCRIPTOR shape = { 16, 16, CU_AD_FORMAT_UNSIGNED_INT8, 1 };
    CUDA_ARRAY3D_DESCRIPTOR written = { 16, 16,
                                        0,  CU_AD_FORMAT_UNSIGNED_INT8,
                                        1,  CUDA_ARRAY3D_SURFACE_LDST };

    mem ? 0 : cuMemAlloc(&mem, SMALL);
    spare ? 0 : cuMemAlloc(&spare, SMALL);
    pinned ? 0 : cuMemAllocHost((void **)&pinned, SMALL);
    pool ? 0 : cuMemPoolCreate(&pool, &props);
    array ? 0 : cuArray3DCreate(&array, &written);
    spare_array ? 0 : cuArrayCreate(&spare_array, &shape);
    more ? 0 : cuModuleLoadData(&more, ptx);
    library ? 0 : cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0);
    if (!registered) {
        registered = (char *)std::aligned_alloc(4096, SMALL);
        cuMemHostRegister(registered, SMALL, 0);
    }
    if (!texture) {
        CUDA_RESOURCE_DESC resource;
        CUDA_TEXTURE_DESC how;

        std::memset(&resource, 0, sizeof(resource));
        std::memset(&how, 0, sizeof(how));
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array;
        cuTexObjectCreate(&texture, &resource, &how, NULL);
    }
    if (!graph) {
        CUDA_KERNEL_NODE_PARAMS k;
        CUgraphNode node;

        std::memset(&k, 0, sizeof(k));
        k.func = inc;
        k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
        arguments[0] = &mem;
        k.kernelParams = arguments;
        cuGraphCreate(&graph, 0);
        cuGraphAddKernelNode(&node, graph, NULL, 0, &k);
    }
    exec ? 0 : cuGraphInstantiate(&exec, graph, 0);
}

static void world_up(unsigned flags)
{
    objects_up();
    plain = (char *)std::aligned_alloc(4096, SMALL); /* may stay registered */
    cuStreamCreate(&s, flags);
    cuStreamCreate(&o, CU_STREAM_DEFAULT);
    cuStreamCreate(&n, CU_STREAM_NON_BLOCKING);
    ordered ? 0 : cuMemAllocAsync(&ordered, SMALL, n);
    cuEventCreate(&before, 0);
    cuEventCreate(&inside, 0);
    cuEventCreate(&fresh, 0);
    cuEventRecord(before, n);
    cuCtxSynchronize();
}

static void world_down(void)
{
    s ? cuStreamDestroy(s) : CUDA_SUCCESS;
    o ? cuStreamDestroy(o) : CUDA_SUCCESS;
    n ? cuStreamDestroy(n) : CUDA_SUCCESS;
    cuCtxSynchronize();
    before ? cuEventDestroy(before) : CUDA_SUCCESS;
    inside ? cuEventDestroy(inside) : CUDA_SUCCESS;
    cuEventDestroy(fresh);
}

static CUstreamCaptureMode mode;
static unsigned stream_flags;

template <typename F> static void one(const char *name, F call)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
    CUgraph got = NULL;
    size_t nodes = 0;
    int code, end;

    current = name;
    world_up(stream_flags);
    if (cuStreamBeginCapture(s, mode)) {
        std::printf("%s.%s no capture\n", section, name);
        _exit(1);
    }
    cuEventRecord(inside, s);
    code = (int)call();
    end = -1;
    if (s) { /* else the call has destroyed it */
        cuStreamIsCapturing(s, &status);
        end = cuStreamEndCapture(s, &got);
    }
    if (got) {
        cuGraphGetNodes(got, NULL, &nodes);
        cuGraphDestroy(got);
    }
    std::printf("%s.%s %d,%d,%d,%d\n", section, name, code, (int)status, end,
                got ? (int)nodes : -1);
    std::fflush(stdout);
    cudaGetLastError();
    world_down();
}

#define C(name, call) one(name, [&] { return call; })

/* The call may have taken @object away, which is not named again. */
#define GONE(name, call, object) \
    one(name, [&] {              \
        auto code = call;        \
        if (!code) {             \
            object = 0;          \
        }                        \
        return code;             \
    })

/* The call is the last of several: those before it are in @first. */
#define CC(name, first, call) \
    one(name, [&] {           \
        first;                \
        return call;          \
    })

static void driver_memory(void)
{
    CUdeviceptr p, at;
    CUmemoryPool q;
    CUmemPoolProps props = pool_props();
    cuuint64_t keep = 0;
    size_t pitch, len, total;
    void *host;
    unsigned u;

    C("cuMemAlloc", cuMemAlloc(&p, SMALL));
    C("cuMemAllocPitch", cuMemAllocPitch(&p, &pitch, 64, 4, 4));
    GONE("cuMemFree", cuMemFree(spare), spare);
    C("cuMemAllocHost", cuMemAllocHost(&host, SMALL));
    C("cuMemHostAlloc", cuMemHostAlloc(&host, SMALL, 0));
    GONE("cuMemFreeHost", cuMemFreeHost(pinned), pinned);
    C("cuMemHostRegister", cuMemHostRegister(plain, SMALL, 0));
    GONE("cuMemHostUnregister", cuMemHostUnregister(registered), registered);
    C("cuMemHostGetDevicePointer", cuMemHostGetDevicePointer(&p, pinned, 0));
    C("cuMemHostGetFlags", cuMemHostGetFlags(&u, pinned));
    C("cuMemAllocManaged", cuMemAllocManaged(&p, SMALL, CU_MEM_ATTACH_GLOBAL));
    C("cuMemGetInfo", cuMemGetInfo(&len, &total));
    C("cuMemGetAddressRange", cuMemGetAddressRange(&at, &len, mem));
    C("cuPointerGetAttribute", cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mem));
    C("cuMemAllocAsync.s", cuMemAllocAsync(&p, SMALL, s));
    C("cuMemAllocAsync.o", cuMemAllocAsync(&p, SMALL, o));
    C("cuMemAllocAsync.n", cuMemAllocAsync(&p, SMALL, n));
    C("cuMemAllocAsync.0", cuMemAllocAsync(&p, SMALL, 0));
    C("cuMemAllocFromPoolAsync.s", cuMemAllocFromPoolAsync(&p, SMALL, pool, s));
    C("cuMemAllocFromPoolAsync.n", cuMemAllocFromPoolAsync(&p, SMALL, pool, n));
    GONE("cuMemFreeAsync.s", cuMemFreeAsync(ordered, s), ordered);
    GONE("cuMemFreeAsync.o", cuMemFreeAsync(ordered, o), ordered);
    GONE("cuMemFreeAsync.n", cuMemFreeAsync(ordered, n), ordered);
    GONE("cuMemFreeAsync.0", cuMemFreeAsync(ordered, 0), ordered);
    CC("cuMemFreeAsync.own", cuMemAllocAsync(&p, SMALL, s), cuMemFreeAsync(p, s));
    CC("cuMemFree.own", cuMemAllocAsync(&p, SMALL, s), cuMemFree(p));
    C("cuMemPoolCreate", cuMemPoolCreate(&q, &props));
    GONE("cuMemPoolDestroy", cuMemPoolDestroy(pool), pool);
    C("cuMemPoolTrimTo", cuMemPoolTrimTo(pool, 0));
    C("cuMemPoolSetAttribute",
      cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
    C("cuMemPoolGetAttribute",
      cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
    C("cuDeviceGetMemPool", cuDeviceGetMemPool(&q, dev));
    C("cuDeviceGetDefaultMemPool", cuDeviceGetDefaultMemPool(&q, dev));
    C("cuDeviceSetMemPool", cuDeviceSetMemPool(dev, pool));
}

static void driver_virtual(void)
{
    CUdeviceptr at = 0;
    CUmemGenericAllocationHandle h = 0;
    CUmemAllocationProp prop;
    CUmemAccessDesc access;
    size_t grain = 2 << 20;

    std::memset(&prop, 0, sizeof(prop));
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    std::memset(&access, 0, sizeof(access));
    access.location = prop.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    C("cuMemGetAllocationGranularity",
      cuMemGetAllocationGranularity(&grain, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    C("cuMemAddressReserve", cuMemAddressReserve(&at, grain, 0, 0, 0));
    C("cuMemCreate", cuMemCreate(&h, grain, &prop, 0));
    C("cuMemMap", cuMemMap(at, grain, 0, h, 0));
    C("cuMemSetAccess", cuMemSetAccess(at, grain, &access, 1));
    C("cuMemUnmap", cuMemUnmap(at, grain));
    C("cuMemRelease", cuMemRelease(h));
    C("cuMemAddressFree", cuMemAddressFree(at, grain));
}

static void driver_copies(void)
{
    CUDA_MEMCPY2D p2, pa;
    CUDA_MEMCPY3D p3;

    C("cuMemcpy", (cuMemcpy)(spare, mem, 64));
    C("cuMemcpyHtoD", cuMemcpyHtoD(mem, pinned, 64));
    C("cuMemcpyDtoH", cuMemcpyDtoH(pinned, mem, 64));
    C("cuMemcpyDtoD", cuMemcpyDtoD(spare, mem, 64));
    C("cuMemcpyPeer", cuMemcpyPeer(spare, ctx, mem, ctx, 64));
    C("cuMemcpyAsync.s", cuMemcpyAsync(spare, mem, 64, s));
    C("cuMemcpyAsync.o", cuMemcpyAsync(spare, mem, 64, o));
    C("cuMemcpyAsync.n", cuMemcpyAsync(spare, mem, 64, n));
    C("cuMemcpyAsync.0", cuMemcpyAsync(spare, mem, 64, 0));
    C("cuMemcpyAsync.legacy", cuMemcpyAsync(spare, mem, 64, CU_STREAM_LEGACY));
    C("cuMemcpyAsync.thread", cuMemcpyAsync(spare, mem, 64, CU_STREAM_PER_THREAD));
    C("cuMemcpyHtoDAsync.s", cuMemcpyHtoDAsync(mem, pinned, 64, s));
    C("cuMemcpyHtoDAsync.pageable", cuMemcpyHtoDAsync(mem, plain, 64, s));
    C("cuMemcpyHtoDAsync.n", cuMemcpyHtoDAsync(mem, pinned, 64, n));
    C("cuMemcpyDtoHAsync.s", cuMemcpyDtoHAsync(pinned, mem, 64, s));
    C("cuMemcpyDtoHAsync.pageable", cuMemcpyDtoHAsync(plain, mem, 64, s));
    C("cuMemcpyDtoHAsync.pageable.n", cuMemcpyDtoHAsync(plain, mem, 64, n));
    C("cuMemcpyDtoDAsync.s", cuMemcpyDtoDAsync(spare, mem, 64, s));
    C("cuMemcpyPeerAsync.s", cuMemcpyPeerAsync(spare, ctx, mem, ctx, 64, s));
    C("cuMemcpyAsync.zero", cuMemcpyAsync(spare, mem, 0, s));
    C("cuMemcpy2D", (p2 = plane(false), cuMemcpy2D(&p2)));
    C("cuMemcpy2DUnaligned", (p2 = plane(false), cuMemcpy2DUnaligned(&p2)));
    C("cuMemcpy2D.array", (pa = plane(true), cuMemcpy2D(&pa)));
    C("cuMemcpy2DAsync.s", (p2 = plane(false), cuMemcpy2DAsync(&p2, s)));
    C("cuMemcpy2DAsync.array", (pa = plane(true), cuMemcpy2DAsync(&pa, s)));
    C("cuMemcpy2DAsync.0", (p2 = plane(false), cuMemcpy2DAsync(&p2, 0)));
    C("cuMemcpy3D", (p3 = box(), cuMemcpy3D(&p3)));
    C("cuMemcpy3DAsync.s", (p3 = box(), cuMemcpy3DAsync(&p3, s)));
    C("cuMemcpyHtoA", cuMemcpyHtoA(array, 0, plain, 16));
    C("cuMemcpyAtoH", cuMemcpyAtoH(plain, array, 0, 16));
    C("cuMemcpyDtoA", cuMemcpyDtoA(array, 0, mem, 16));
    C("cuMemcpyAtoD", cuMemcpyAtoD(mem, array, 0, 16));
    C("cuMemcpyAtoA", cuMemcpyAtoA(spare_array, 0, array, 0, 16));
    C("cuMemcpyHtoAAsync.s", cuMemcpyHtoAAsync(array, 0, pinned, 16, s));
    C("cuMemcpyAtoHAsync.s", cuMemcpyAtoHAsync(pinned, array, 0, 16, s));
    C("cuMemsetD8", cuMemsetD8(mem, 1, 64));
    C("cuMemsetD16", cuMemsetD16(mem, 1, 32));
    C("cuMemsetD32", cuMemsetD32(mem, 1, 16));
    C("cuMemsetD2D8", cuMemsetD2D8(mem, 64, 1, 16, 4));
    C("cuMemsetD8Async.s", cuMemsetD8Async(mem, 1, 64, s));
    C("cuMemsetD16Async.s", cuMemsetD16Async(mem, 1, 32, s));
    C("cuMemsetD32Async.s", cuMemsetD32Async(mem, 1, 16, s));
    C("cuMemsetD32Async.o", cuMemsetD32Async(mem, 1, 16, o));
    C("cuMemsetD32Async.n", cuMemsetD32Async(mem, 1, 16, n));
    C("cuMemsetD32Async.0", cuMemsetD32Async(mem, 1, 16, 0));
    C("cuMemsetD2D32Async.s", cuMemsetD2D32Async(mem, 64, 1, 4, 4, s));
}

static void driver_arrays(void)
{
    CUDA_ARRAY_DESCRIPTOR shape = { 16, 16, CU_AD_FORMAT_UNSIGNED_INT8, 1 };
    CUDA_ARRAY3D_DESCRIPTOR deep = { 16, 16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0 };
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    CUarray a;
    CUmipmappedArray m;
    CUtexObject x;
    CUsurfObject y;

    std::memset(&r, 0, sizeof(r));
    std::memset(&t, 0, sizeof(t));
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    r.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
    r.res.linear.numChannels = 1;
    r.res.linear.sizeInBytes = 64;
    C("cuArrayCreate", cuArrayCreate(&a, &shape));
    C("cuArray3DCreate", cuArray3DCreate(&a, &deep));
    GONE("cuArrayDestroy", cuArrayDestroy(spare_array), spare_array);
    C("cuArrayGetDescriptor", cuArrayGetDescriptor(&shape, array));
    C("cuMipmappedArrayCreate", cuMipmappedArrayCreate(&m, &deep, 2));
    C("cuTexObjectCreate", (r.res.linear.devPtr = mem, cuTexObjectCreate(&x, &r, &t, NULL)));
    GONE("cuTexObjectDestroy", cuTexObjectDestroy(texture), texture);
    C("cuTexObjectGetResourceDesc", cuTexObjectGetResourceDesc(&r, texture));
    C("cuSurfObjectCreate",
      (r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = array, cuSurfObjectCreate(&y, &r)));
}

static void driver_streams(void)
{
    CUstream t;
    CUstreamCaptureMode m = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUstreamCaptureStatus status;
    CUcontext c;
    CUgraph g;
    unsigned long long id;
    unsigned flags;
    int priority;
    CUstreamAttrValue value;

    std::memset(&value, 0, sizeof(value));
    C("cuStreamCreate", cuStreamCreate(&t, 0));
    C("cuStreamCreateWithPriority", cuStreamCreateWithPriority(&t, CU_STREAM_NON_BLOCKING, 0));
    GONE("cuStreamDestroy.s", cuStreamDestroy(s), s);
    GONE("cuStreamDestroy.o", cuStreamDestroy(o), o);
    C("cuStreamQuery.s", cuStreamQuery(s));
    C("cuStreamQuery.o", cuStreamQuery(o));
    C("cuStreamQuery.n", cuStreamQuery(n));
    C("cuStreamQuery.0", cuStreamQuery(0));
    C("cuStreamQuery.thread", cuStreamQuery(CU_STREAM_PER_THREAD));
    C("cuStreamSynchronize.s", cuStreamSynchronize(s));
    C("cuStreamSynchronize.o", cuStreamSynchronize(o));
    C("cuStreamSynchronize.n", cuStreamSynchronize(n));
    C("cuStreamSynchronize.0", cuStreamSynchronize(0));
    C("cuStreamSynchronize.thread", cuStreamSynchronize(CU_STREAM_PER_THREAD));
    C("cuStreamWaitEvent.s.before", cuStreamWaitEvent(s, before, 0));
    C("cuStreamWaitEvent.s.inside", cuStreamWaitEvent(s, inside, 0));
    C("cuStreamWaitEvent.s.fresh", cuStreamWaitEvent(s, fresh, 0));
    C("cuStreamWaitEvent.s.external", cuStreamWaitEvent(s, before, CU_EVENT_WAIT_EXTERNAL));
    C("cuStreamWaitEvent.o.inside", cuStreamWaitEvent(o, inside, 0));
    C("cuStreamWaitEvent.n.inside", cuStreamWaitEvent(n, inside, 0));
    C("cuStreamWaitEvent.0.inside", cuStreamWaitEvent(0, inside, 0));
    C("cuStreamWaitEvent.n.before", cuStreamWaitEvent(n, before, 0));
    CC("fork_and_join",
       (cuStreamWaitEvent(n, inside, 0), cuMemsetD8Async(mem, 1, 64, n), cuEventRecord(fresh, n)),
       cuStreamWaitEvent(s, fresh, 0));
    CC("fork_without_join", cuStreamWaitEvent(n, inside, 0), cuMemsetD8Async(mem, 1, 64, n));
    CC("end_of_a_fork", cuStreamWaitEvent(n, inside, 0), cuStreamEndCapture(n, &g));
    GONE("destroy_of_a_fork",
         (cuStreamWaitEvent(n, inside, 0), cuMemsetD8Async(mem, 1, 64, n), cuStreamDestroy(n)), n);
    CC("wait_for_another_record", cuEventRecord(fresh, n), cuStreamWaitEvent(s, fresh, 0));
    C("cuStreamAddCallback.s", cuStreamAddCallback(s, callback, NULL, 0));
    C("cuStreamAddCallback.n", cuStreamAddCallback(n, callback, NULL, 0));
    C("cuLaunchHostFunc.s", cuLaunchHostFunc(s, host_fn, NULL));
    C("cuLaunchHostFunc.o", cuLaunchHostFunc(o, host_fn, NULL));
    C("cuLaunchHostFunc.n", cuLaunchHostFunc(n, host_fn, NULL));
    C("cuLaunchHostFunc.0", cuLaunchHostFunc(0, host_fn, NULL));
    C("cuStreamGetFlags", cuStreamGetFlags(s, &flags));
    C("cuStreamGetPriority", cuStreamGetPriority(s, &priority));
    C("cuStreamGetCtx", cuStreamGetCtx(s, &c));
    C("cuStreamGetId", cuStreamGetId(s, &id));
    C("cuStreamIsCapturing.s", cuStreamIsCapturing(s, &status));
    C("cuStreamIsCapturing.n", cuStreamIsCapturing(n, &status));
    C("cuStreamIsCapturing.0", cuStreamIsCapturing(0, &status));
    C("cuStreamGetCaptureInfo", cuStreamGetCaptureInfo(s, &status, NULL, NULL, NULL, NULL, NULL));
    C("cuStreamBeginCapture.s", cuStreamBeginCapture(s, mode));
    C("cuStreamBeginCapture.n", cuStreamBeginCapture(n, mode));
    C("cuStreamBeginCapture.0", cuStreamBeginCapture(0, mode));
    C("cuStreamEndCapture.n", cuStreamEndCapture(n, &g));
    C("cuStreamUpdateCaptureDependencies",
      cuStreamUpdateCaptureDependencies(s, NULL, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    C("cuThreadExchangeStreamCaptureMode", cuThreadExchangeStreamCaptureMode(&m));
    CC("cuMemAlloc_relaxed",
       (m = CU_STREAM_CAPTURE_MODE_RELAXED, cuThreadExchangeStreamCaptureMode(&m)), ({
           CUdeviceptr p;
           CUresult e = cuMemAlloc(&p, SMALL);
           cuThreadExchangeStreamCaptureMode(&m);
           e;
       }));
    C("cuStreamGetAttribute",
      cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    C("cuStreamSetAttribute",
      (value.syncPolicy = CU_SYNC_POLICY_SPIN,
       cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value)));
    C("cuStreamCopyAttributes", cuStreamCopyAttributes(s, n));
    C("cuStreamWriteValue32.s", cuStreamWriteValue32(s, mem, 1, 0));
    C("cuStreamWaitValue32.s", cuStreamWaitValue32(s, mem, 0, CU_STREAM_WAIT_VALUE_GEQ));
    C("cuStreamWriteValue32.n", cuStreamWriteValue32(n, mem, 1, 0));
}

static void driver_events(void)
{
    CUevent e;
    float ms;

    C("cuEventCreate", cuEventCreate(&e, 0));
    GONE("cuEventDestroy.before", cuEventDestroy(before), before);
    GONE("cuEventDestroy.inside", cuEventDestroy(inside), inside);
    C("cuEventRecord.s", cuEventRecord(fresh, s));
    C("cuEventRecord.o", cuEventRecord(fresh, o));
    C("cuEventRecord.n", cuEventRecord(fresh, n));
    C("cuEventRecord.0", cuEventRecord(fresh, 0));
    C("cuEventRecord.inside.n", cuEventRecord(inside, n));
    C("cuEventRecordWithFlags.s", cuEventRecordWithFlags(fresh, s, CU_EVENT_RECORD_EXTERNAL));
    C("cuEventRecordWithFlags.n", cuEventRecordWithFlags(fresh, n, CU_EVENT_RECORD_EXTERNAL));
    C("cuEventQuery.before", cuEventQuery(before));
    C("cuEventQuery.inside", cuEventQuery(inside));
    C("cuEventQuery.fresh", cuEventQuery(fresh));
    C("cuEventSynchronize.before", cuEventSynchronize(before));
    C("cuEventSynchronize.inside", cuEventSynchronize(inside));
    C("cuEventElapsedTime.before", cuEventElapsedTime(&ms, before, before));
    C("cuEventElapsedTime.inside", cuEventElapsedTime(&ms, before, inside));
}

static CUresult launch(CUstream at)
{
    return cuLaunchKernel(inc, 1, 1, 1, 1, 1, 1, 0, at, arguments, NULL);
}

static void driver_work(void)
{
    CUgraph g;
    CUgraphExec x;
    CUgraphNode node;
    CUgraphExecUpdateResultInfo info;
    CUmodule m;
    CUfunction f;
    CUdeviceptr at;
    CUlibrary l;
    size_t len;
    int value;

    C("cuLaunchKernel.s", launch(s));
    C("cuLaunchKernel.o", launch(o));
    C("cuLaunchKernel.n", launch(n));
    C("cuLaunchKernel.0", launch(0));
    C("cuLaunchKernel.legacy", launch(CU_STREAM_LEGACY));
    C("cuLaunchKernel.thread", launch(CU_STREAM_PER_THREAD));
    C("cuLaunchCooperativeKernel.s",
      cuLaunchCooperativeKernel(inc, 1, 1, 1, 1, 1, 1, 0, s, arguments));
    C("cuGraphCreate", cuGraphCreate(&g, 0));
    GONE("cuGraphDestroy", cuGraphDestroy(graph), graph);
    C("cuGraphClone", cuGraphClone(&g, graph));
    C("cuGraphAddEmptyNode", cuGraphAddEmptyNode(&node, graph, NULL, 0));
    C("cuGraphInstantiate", cuGraphInstantiate(&x, graph, 0));
    GONE("cuGraphExecDestroy", cuGraphExecDestroy(exec), exec);
    C("cuGraphExecUpdate", cuGraphExecUpdate(exec, graph, &info));
    C("cuGraphLaunch.s", cuGraphLaunch(exec, s));
    C("cuGraphLaunch.o", cuGraphLaunch(exec, o));
    C("cuGraphLaunch.n", cuGraphLaunch(exec, n));
    C("cuGraphLaunch.0", cuGraphLaunch(exec, 0));
    C("cuGraphUpload.s", cuGraphUpload(exec, s));
    C("cuGraphUpload.n", cuGraphUpload(exec, n));
    C("cuGraphUpload.0", cuGraphUpload(exec, 0));
    C("cuDeviceGraphMemTrim", cuDeviceGraphMemTrim(dev));
    C("cuModuleLoadData", cuModuleLoadData(&m, ptx));
    GONE("cuModuleUnload", cuModuleUnload(more), more);
    C("cuModuleGetFunction", cuModuleGetFunction(&f, more, "inc"));
    C("cuModuleGetGlobal", cuModuleGetGlobal(&at, &len, more, "word"));
    C("cuLibraryLoadData", cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0));
    GONE("cuLibraryUnload", cuLibraryUnload(library), library);
    C("cuFuncGetAttribute", cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, inc));
    C("cuFuncSetAttribute",
      cuFuncSetAttribute(inc, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 0));
    C("cuFuncSetCacheConfig", cuFuncSetCacheConfig(inc, CU_FUNC_CACHE_PREFER_NONE));
    C("cuOccupancyMaxActiveBlocksPerMultiprocessor",
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, inc, 32, 0));
}

static void driver_context(void)
{
    CUcontext c;
    CUdevice d;
    size_t len;
    int value;
    unsigned flags;

    C("cuCtxSynchronize", cuCtxSynchronize());
    C("cuCtxGetCurrent", cuCtxGetCurrent(&c));
    C("cuCtxGetDevice", cuCtxGetDevice(&d));
    C("cuCtxGetFlags", cuCtxGetFlags(&flags));
    C("cuCtxPushCurrent", (cuCtxPushCurrent(ctx)));
    C("cuCtxGetLimit", cuCtxGetLimit(&len, CU_LIMIT_STACK_SIZE));
    C("cuCtxSetLimit", cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    C("cuCtxSetLimit.printf", cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20));
    C("cuCtxSetCacheConfig", cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_NONE));
    C("cuCtxGetStreamPriorityRange", cuCtxGetStreamPriorityRange(&value, &value));
    C("cuDeviceGetAttribute", cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev));
    C("cuDeviceTotalMem", cuDeviceTotalMem(&len, dev));
    C("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain(&c, dev));
    C("cuDevicePrimaryCtxRelease", cuDevicePrimaryCtxRelease(dev));
    C("cuDevicePrimaryCtxGetState", cuDevicePrimaryCtxGetState(dev, &flags, &value));
    C("cuDriverGetVersion", cuDriverGetVersion(&value));
}

static void runtime_memory(void)
{
    cudaMemPool_t q;
    cudaMemPoolProps props;
    void *p;
    cudaArray_t a;
    cudaChannelFormatDesc format = { 8, 0, 0, 0, cudaChannelFormatKindUnsigned };
    size_t pitch, len;
    cudaPointerAttributes attributes;

    std::memset(&props, 0, sizeof(props));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    C("cudaMalloc", cudaMalloc(&p, SMALL));
    GONE("cudaFree", cudaFree((void *)spare), spare);
    C("cudaFree.null", cudaFree(NULL));
    C("cudaMallocPitch", cudaMallocPitch(&p, &pitch, 64, 4));
    C("cudaMallocHost", cudaMallocHost(&p, SMALL));
    C("cudaHostAlloc", cudaHostAlloc(&p, SMALL, 0));
    GONE("cudaFreeHost", cudaFreeHost(pinned), pinned);
    C("cudaHostRegister", cudaHostRegister(plain, SMALL, 0));
    GONE("cudaHostUnregister", cudaHostUnregister(registered), registered);
    C("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&p, pinned, 0));
    C("cudaMallocManaged", cudaMallocManaged(&p, SMALL, cudaMemAttachGlobal));
    C("cudaMallocArray", cudaMallocArray(&a, &format, 16, 16, 0));
    GONE("cudaFreeArray", cudaFreeArray((cudaArray_t)spare_array), spare_array);
    C("cudaMemGetInfo", cudaMemGetInfo(&len, &len));
    C("cudaPointerGetAttributes", cudaPointerGetAttributes(&attributes, (void *)mem));
    C("cudaMallocAsync.s", cudaMallocAsync(&p, SMALL, s));
    C("cudaMallocAsync.n", cudaMallocAsync(&p, SMALL, n));
    C("cudaFreeAsync.s", cudaFreeAsync((void *)ordered, s));
    C("cudaFreeAsync.n", cudaFreeAsync((void *)ordered, n));
    C("cudaMallocFromPoolAsync.s", cudaMallocFromPoolAsync(&p, SMALL, pool, s));
    C("cudaMemPoolCreate", cudaMemPoolCreate(&q, &props));
    GONE("cudaMemPoolDestroy", cudaMemPoolDestroy(pool), pool);
    C("cudaMemPoolTrimTo", cudaMemPoolTrimTo(pool, 0));
    C("cudaDeviceGetMemPool", cudaDeviceGetMemPool(&q, 0));
    C("cudaMemcpy.pinned", cudaMemcpy(pinned, (void *)mem, 64, cudaMemcpyDeviceToHost));
    C("cudaMemcpy.device", cudaMemcpy((void *)spare, (void *)mem, 64, cudaMemcpyDeviceToDevice));
    C("cudaMemcpyAsync.s", cudaMemcpyAsync((void *)spare, (void *)mem, 64, cudaMemcpyDefault, s));
    C("cudaMemcpyAsync.host", cudaMemcpyAsync(plain, (void *)mem, 64, cudaMemcpyDeviceToHost, s));
    C("cudaMemcpyAsync.n", cudaMemcpyAsync((void *)spare, (void *)mem, 64, cudaMemcpyDefault, n));
    C("cudaMemcpyAsync.0", cudaMemcpyAsync((void *)spare, (void *)mem, 64, cudaMemcpyDefault, 0));
    C("cudaMemcpy2D",
      cudaMemcpy2D((void *)spare, 64, (void *)mem, 64, 16, 4, cudaMemcpyDeviceToDevice));
    C("cudaMemcpy2DAsync.s",
      cudaMemcpy2DAsync((void *)spare, 64, (void *)mem, 64, 16, 4, cudaMemcpyDeviceToDevice, s));
    C("cudaMemcpy2DToArray", cudaMemcpy2DToArray((cudaArray_t)array, 0, 0, (void *)mem, 64, 16, 4,
                                                 cudaMemcpyDeviceToDevice));
    C("cudaMemset", cudaMemset((void *)mem, 0, 64));
    C("cudaMemset2D", cudaMemset2D((void *)mem, 64, 0, 16, 4));
    C("cudaMemsetAsync.s", cudaMemsetAsync((void *)mem, 0, 64, s));
    C("cudaMemsetAsync.n", cudaMemsetAsync((void *)mem, 0, 64, n));
    C("cudaMemsetAsync.0", cudaMemsetAsync((void *)mem, 0, 64, 0));
}

static void runtime_work(void)
{
    cudaStream_t t;
    cudaEvent_t e;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamCaptureStatus status;
    cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed;
    float ms;
    int value;
    size_t len;
    unsigned flags;

    C("cudaStreamCreate", cudaStreamCreate(&t));
    C("cudaStreamCreateWithFlags", cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    GONE("cudaStreamDestroy.s", cudaStreamDestroy(s), s);
    GONE("cudaStreamDestroy.n", cudaStreamDestroy(n), n);
    C("cudaStreamQuery.s", cudaStreamQuery(s));
    C("cudaStreamQuery.n", cudaStreamQuery(n));
    C("cudaStreamQuery.0", cudaStreamQuery(0));
    C("cudaStreamSynchronize.s", cudaStreamSynchronize(s));
    C("cudaStreamSynchronize.n", cudaStreamSynchronize(n));
    C("cudaStreamSynchronize.0", cudaStreamSynchronize(0));
    C("cudaStreamWaitEvent.s.before", cudaStreamWaitEvent(s, before, 0));
    C("cudaStreamWaitEvent.n.inside", cudaStreamWaitEvent(n, inside, 0));
    C("cudaStreamAddCallback.s", cudaStreamAddCallback(s, rt_callback, NULL, 0));
    C("cudaLaunchHostFunc.s", cudaLaunchHostFunc(s, host_fn, NULL));
    C("cudaLaunchHostFunc.n", cudaLaunchHostFunc(n, host_fn, NULL));
    C("cudaStreamGetFlags", cudaStreamGetFlags(s, &flags));
    C("cudaStreamIsCapturing", cudaStreamIsCapturing(s, &status));
    C("cudaStreamBeginCapture.s", cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
    C("cudaStreamBeginCapture.n", cudaStreamBeginCapture(n, (cudaStreamCaptureMode)mode));
    C("cudaStreamEndCapture.n", cudaStreamEndCapture(n, &g));
    C("cudaThreadExchangeStreamCaptureMode", cudaThreadExchangeStreamCaptureMode(&m));
    C("cudaEventCreate", cudaEventCreate(&e));
    GONE("cudaEventDestroy", cudaEventDestroy(before), before);
    C("cudaEventRecord.s", cudaEventRecord(fresh, s));
    C("cudaEventRecord.n", cudaEventRecord(fresh, n));
    C("cudaEventRecord.0", cudaEventRecord(fresh, 0));
    C("cudaEventQuery.before", cudaEventQuery(before));
    C("cudaEventQuery.inside", cudaEventQuery(inside));
    C("cudaEventSynchronize.before", cudaEventSynchronize(before));
    C("cudaEventSynchronize.inside", cudaEventSynchronize(inside));
    C("cudaEventElapsedTime", cudaEventElapsedTime(&ms, before, before));
    C("cudaGraphCreate", cudaGraphCreate(&g, 0));
    GONE("cudaGraphDestroy", cudaGraphDestroy(graph), graph);
    C("cudaGraphInstantiate", cudaGraphInstantiate(&x, graph, 0));
    GONE("cudaGraphExecDestroy", cudaGraphExecDestroy(exec), exec);
    C("cudaGraphLaunch.s", cudaGraphLaunch(exec, s));
    C("cudaGraphLaunch.n", cudaGraphLaunch(exec, n));
    C("cudaGraphLaunch.0", cudaGraphLaunch(exec, 0));
    C("cudaGraphUpload.s", cudaGraphUpload(exec, s));
    C("cudaGraphUpload.n", cudaGraphUpload(exec, n));
    C("cudaDeviceSynchronize", cudaDeviceSynchronize());
    C("cudaDeviceSetLimit", cudaDeviceSetLimit(cudaLimitStackSize, 1024));
    C("cudaDeviceGetLimit", cudaDeviceGetLimit(&len, cudaLimitStackSize));
    C("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    C("cudaSetDevice", cudaSetDevice(0));
    C("cudaGetDevice", cudaGetDevice(&value));
    C("cudaGetDeviceCount", cudaGetDeviceCount(&value));
    C("cudaRuntimeGetVersion", cudaRuntimeGetVersion(&value));
    C("cudaGetLastError", cudaGetLastError());
}

static void crashed(int)
{
    std::printf("%s.%s SIGSEGV\n", section, current);
    std::fflush(stdout);
    _exit(0);
}

static void section_run(const char *name, void (*what)(void))
{
    int status;

    std::fflush(stdout);
    if (fork() == 0) {
        section = name;
        signal(SIGSEGV, crashed);
        alarm(300);
        cuInit(0);
        cuDeviceGet(&dev, 0);
        cuDevicePrimaryCtxRetain(&ctx, dev);
        cuCtxSetCurrent(ctx);
        if (cuModuleLoadData(&mod, ptx) || cuModuleGetFunction(&inc, mod, "inc")) {
            std::printf("%s.setup failed\n", section);
            _exit(1);
        }
        what();
        _exit(0);
    }
    wait(&status);
    if (status) {
        std::printf("%s.status %d\n", name, status);
    }
}

int main(int argc, char **argv) /* argv[1]: of one part only */
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        { "memory", driver_memory }, { "virtual", driver_virtual }, { "copies", driver_copies },
        { "arrays", driver_arrays }, { "streams", driver_streams }, { "events", driver_events },
        { "work", driver_work },     { "context", driver_context }, { "rt_memory", runtime_memory },
        { "rt_work", runtime_work },
    };
    static const char *const modes[] = { "global", "thread", "relaxed" };
    char name[64];

    for (const auto &part : parts) {
        for (int i = 0; i < 6 && (argc < 2 || !std::strcmp(argv[1], part.name)); i++) {
            mode = (CUstreamCaptureMode)(i / 2);
            stream_flags = i % 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
            std::snprintf(name, sizeof(name), "%s.%s.%s", part.name, modes[i / 2],
                          i % 2 ? "nonblocking" : "blocking");
            section_run(name, part.run);
        }
    }
    return 0;
}
