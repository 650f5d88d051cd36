/* SPDX-License-Identifier: MIT */
/* Codes of initialisation, devices, contexts. */
#include "cuda_codes.h"

static void before_init(void)
{
    CUdeviceptr p = 0;
    CUdevice device;
    CUcontext context;
    CUevent event;
    const void *table;
    const char *text;
    void *fn;
    int n = 0;

    C(cuDriverGetVersion(NULL));
    C(cuDriverGetVersion(&n));
    V(n / 1000 >= 13);
    C(cuDeviceGet(&device, 0));
    C(cuDeviceGet(NULL, 0));
    C(cuDeviceGetCount(&n));
    C(cuDeviceGetCount(NULL));
    C(cuMemAlloc(&p, 4));
    C(cuMemAlloc(NULL, 0));
    C(cuMemFree(0));
    C(cuCtxGetCurrent(&context));
    C(cuCtxGetCurrent(NULL));
    C(cuCtxSynchronize());
    C(cuDevicePrimaryCtxRetain(&context, 0));
    C(cuEventCreate(&event, 0));
    C(cuStreamSynchronize(NULL));
    C(cuMemcpy(0, 0, 0));
    C(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_CONTEXT, 0));
    C(cuProfilerStart());
    C(cuGetErrorName(CUDA_SUCCESS, &text));
    C(cuGetErrorString(CUDA_ERROR_UNKNOWN, &text));
    C(cuGetErrorString((CUresult)12345, &text));
    V(text == NULL);
    C(cuGetErrorName((CUresult)-1, &text));
    V(text == NULL);
    C(cuGetErrorName(CUDA_SUCCESS, NULL));
    C(cuGetProcAddress("cuInit", &fn, 13000, 0, NULL));
    C(cuGetExportTable(&table, NULL));
    C(cuInit(1));
    C(cuInit(0));
    C(cuInit(0));
    C(cuInit(1));
    C(cuGetExportTable(NULL, NULL));
    C(cuDeviceGetCount(NULL));
}

static void errors(void)
{
    for (int i = 0; i <= 1000; i++) {
        const char *name = NULL, *text = NULL;
        if (cuGetErrorName((CUresult)i, &name) == CUDA_SUCCESS &&
            cuGetErrorString((CUresult)i, &text) == CUDA_SUCCESS) {
            printf("%d %s: %s\n", i, name, text);
        }
    }
}

static void device(void)
{
    CUdevice device = -5;
    CUuuid uuid;
    CUdevprop prop;
    CUmemoryPool pool;
    char name[256], id[32], luid[8];
    unsigned mask;
    size_t bytes = 0;
    int n = 0, major, minor, count = 0;

    C(cuDeviceGetCount(&count));
    C(cuDeviceGet(&device, 0));
    V(device);
    C(cuDeviceGet(&device, -1));
    C(cuDeviceGet(&device, count));
    C(cuDeviceGet(NULL, 0));
    C(cuDeviceGet(NULL, count));
    C(cuDeviceGetName(name, sizeof(name), 0));
    C(cuDeviceGetName(NULL, sizeof(name), 0));
    C(cuDeviceGetName(name, 0, 0));
    C(cuDeviceGetName(name, -1, 0));
    C(cuDeviceGetName(name, sizeof(name), count));
    C(cuDeviceGetName(name, sizeof(name), -1));
    C(cuDeviceGetName(name, 4, 0));
    V(strlen(name));
    C(cuDeviceGetUuid(&uuid, 0));
    C(cuDeviceGetUuid(NULL, 0));
    C(cuDeviceGetUuid(&uuid, -1));
    C(cuDeviceGetLuid(luid, &mask, 0));
    C(cuDeviceGetLuid(NULL, NULL, 0));
    C(cuDeviceTotalMem(&bytes, 0));
    C(cuDeviceTotalMem(NULL, 0));
    C(cuDeviceTotalMem(&bytes, -1));
    C(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    V(n);
    C(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    C(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, -1));
    C(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 64));
    C(cuDeviceGetAttribute(&n, (CUdevice_attribute)0, 0));
    C(cuDeviceGetAttribute(&n, (CUdevice_attribute)-1, 0));
    C(cuDeviceGetAttribute(&n, (CUdevice_attribute)5000, 0));
    C(cuDeviceGetAttribute(NULL, (CUdevice_attribute)5000, 64));
    C(cuDeviceGetProperties(&prop, 0));
    C(cuDeviceGetProperties(NULL, 0));
    C(cuDeviceGetProperties(&prop, -1));
    C(cuDeviceComputeCapability(&major, &minor, 0));
    C(cuDeviceComputeCapability(NULL, &minor, 0));
    C(cuDeviceComputeCapability(&major, NULL, 0));
    C(cuDeviceComputeCapability(&major, &minor, -1));
    C(cuDeviceGetPCIBusId(id, sizeof(id), 0));
    V(strlen(id));
    C(cuDeviceGetByPCIBusId(&device, id));
    C(cuDeviceGetByPCIBusId(&device, id + 5));
    C(cuDeviceGetByPCIBusId(NULL, id));
    C(cuDeviceGetByPCIBusId(&device, NULL));
    C(cuDeviceGetByPCIBusId(&device, ""));
    C(cuDeviceGetByPCIBusId(&device, "no such id"));
    C(cuDeviceGetByPCIBusId(&device, "ffff:ff:1f.0"));
    C(cuDeviceGetPCIBusId(NULL, sizeof(id), 0));
    C(cuDeviceGetPCIBusId(id, 0, 0));
    C(cuDeviceGetPCIBusId(id, 5, 0));
    C(cuDeviceGetPCIBusId(id, 12, 0));
    C(cuDeviceGetPCIBusId(id, 13, 0));
    C(cuDeviceGetPCIBusId(id, sizeof(id), -1));
    C(cuDeviceGetTexture1DLinearMaxWidth(&bytes, CU_AD_FORMAT_FLOAT, 1, 0));
    C(cuDeviceGetTexture1DLinearMaxWidth(&bytes, CU_AD_FORMAT_FLOAT, 3, 0));
    C(cuDeviceGetTexture1DLinearMaxWidth(&bytes, (CUarray_format)0, 1, 0));
    C(cuDeviceGetTexture1DLinearMaxWidth(NULL, CU_AD_FORMAT_FLOAT, 1, 0));
    C(cuDeviceGetTexture1DLinearMaxWidth(&bytes, CU_AD_FORMAT_FLOAT, 1, -1));
    C(cuDeviceGetDefaultMemPool(&pool, 0));
    C(cuDeviceGetDefaultMemPool(NULL, 0));
    C(cuDeviceGetDefaultMemPool(&pool, -1));
    C(cuDeviceGetMemPool(&pool, 0));
    C(cuDeviceGetMemPool(NULL, 0));
    C(cuDeviceSetMemPool(0, NULL));
    C(cuDeviceSetMemPool(-1, pool));
    C(cuDeviceSetMemPool(0, pool));
}

static void peer(void)
{
    int n = 5;

    C(cuDeviceCanAccessPeer(&n, 0, 0));
    V(n);
    C(cuDeviceCanAccessPeer(NULL, 0, 0));
    C(cuDeviceCanAccessPeer(&n, 0, 64));
    C(cuDeviceCanAccessPeer(&n, -1, 0));
    C(cuDeviceGetP2PAttribute(&n, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    C(cuDeviceGetP2PAttribute(&n, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 64));
    C(cuDeviceGetP2PAttribute(NULL, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    C(cuDeviceGetP2PAttribute(&n, (CUdevice_P2PAttribute)77, 0, 0));
    C(cuCtxEnablePeerAccess(NULL, 0));
    C(cuCtxDisablePeerAccess(NULL));
}

static void peer_context(void)
{
    CUcontext context;

    C(cuCtxGetCurrent(&context));
    C(cuCtxEnablePeerAccess(context, 0));
    C(cuCtxEnablePeerAccess(context, 1));
    C(cuCtxDisablePeerAccess(context));
    C(cuCtxEnablePeerAccess(NULL, 0));
}

static void no_context(void)
{
    CUdeviceptr p = 0;
    CUcontext context = (CUcontext)&p;
    CUdevice device;
    CUstream stream;
    CUevent event;
    CUmodule module;
    CUlibrary library;
    CUkernel kernel;
    unsigned flags;
    size_t bytes;
    void *host = NULL;
    int n;
    char memory[64] = { 0 };

    C(cuCtxGetCurrent(&context));
    V(context == NULL);
    C(cuCtxGetDevice(&device));
    C(cuCtxGetDevice(NULL));
    C(cuCtxGetFlags(&flags));
    C(cuCtxSynchronize());
    C(cuCtxPopCurrent(&context));
    C(cuCtxPopCurrent(NULL));
    C(cuCtxSetCurrent(NULL));
    C(cuCtxPushCurrent(NULL));
    C(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
    C(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    C(cuCtxGetStreamPriorityRange(&n, &n));
    C(cuCtxGetApiVersion(NULL, &flags));
    C(cuCtxDestroy(NULL));
    C(cuMemGetInfo(&bytes, &bytes));
    C(cuMemAlloc(&p, 4));
    C(cuMemAlloc(NULL, 4));
    C(cuMemAlloc(&p, 0));
    C(cuMemFree(0));
    C(cuMemFree(16));
    C(cuMemAllocManaged(&p, 4, CU_MEM_ATTACH_GLOBAL));
    C(cuMemAllocHost(&host, 4));
    C(cuMemHostAlloc(&host, 4, 0));
    C(cuMemFreeHost(NULL));
    C(cuMemHostRegister(memory, sizeof(memory), 0));
    C(cuMemcpy((CUdeviceptr)memory, (CUdeviceptr)(memory + 32), 8));
    C(cuMemcpyHtoD(0, memory, 0));
    C(cuMemsetD8(0, 0, 0));
    C(cuStreamCreate(&stream, 0));
    C(cuStreamCreate(NULL, 0));
    C(cuStreamSynchronize(NULL));
    C(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    C(cuStreamQuery(NULL));
    C(cuEventCreate(&event, 0));
    C(cuEventCreate(NULL, 0));
    C(cuModuleLoadData(&module, codes_ptx));
    C(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)memory));
    C(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    C(cuProfilerStart());
    C(cuLibraryLoadData(&library, codes_ptx, NULL, NULL, 0, NULL, NULL, 0));
    C(cuLibraryGetKernel(&kernel, library, "add"));
    C(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    C(cuLibraryGetModule(&module, library));
    C(cuLibraryGetGlobal(&p, &bytes, library, "counter"));
    C(cuLibraryUnload(library));
}

static void primary(void)
{
    CUcontext a = NULL, b = NULL;
    unsigned flags = 99;
    int active = 99;

    C(cuDevicePrimaryCtxGetState(0, &flags, &active));
    V(active);
    V(flags);
    C(cuDevicePrimaryCtxGetState(0, NULL, &active));
    C(cuDevicePrimaryCtxGetState(0, &flags, NULL));
    C(cuDevicePrimaryCtxGetState(-1, &flags, &active));
    C(cuDevicePrimaryCtxRelease(0));
    C(cuDevicePrimaryCtxRelease(-1));
    C(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
    C(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD));
    C(cuDevicePrimaryCtxSetFlags(0, 0x1000));
    C(cuDevicePrimaryCtxSetFlags(-1, 0));
    C(cuDevicePrimaryCtxGetState(0, &flags, &active));
    V(flags);
    C(cuDevicePrimaryCtxRetain(NULL, 0));
    C(cuDevicePrimaryCtxRetain(&a, -1));
    C(cuDevicePrimaryCtxRetain(&a, 0));
    C(cuDevicePrimaryCtxRetain(&b, 0));
    V(a == b);
    C(cuDevicePrimaryCtxGetState(0, &flags, &active));
    V(active);
    C(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
    C(cuDevicePrimaryCtxGetState(0, &flags, &active));
    V(flags);
    C(cuCtxDestroy(a));
    C(cuCtxSetCurrent(a));
    C(cuCtxGetFlags(&flags));
    V(flags);
    C(cuDevicePrimaryCtxRelease(0));
    C(cuDevicePrimaryCtxRelease(0));
    C(cuCtxSynchronize());
    C(cuDevicePrimaryCtxRelease(0));
    C(cuDevicePrimaryCtxReset(0));
    C(cuDevicePrimaryCtxReset(-1));
    C(cuDevicePrimaryCtxGetState(0, &flags, &active));
    V(active);
}

static void primary_reset(void)
{
    CUdeviceptr p = 0;
    unsigned flags;
    int active = 0;

    C(cuMemAlloc(&p, 4));
    C(cuDevicePrimaryCtxReset(0));
    C(cuDevicePrimaryCtxGetState(0, &flags, &active));
    V(active);
    C(cuMemFree(p));
    C(cuMemAlloc(&p, 4));
    C(cuCtxSynchronize());
}

static void context(void)
{
    CUcontext a = NULL, b = NULL, now = NULL;
    CUctxCreateParams params;
    CUdevice device;
    unsigned flags = 0, version = 0;
    unsigned long long id_a = 0, id_b = 0;

    memset(&params, 0, sizeof(params));
    C(cuCtxCreate(NULL, NULL, 0, 0));
    C(cuCtxCreate(&a, NULL, 0, -1));
    C(cuCtxCreate(&a, NULL, 0x1000, 0));
    C(cuCtxCreate(&a, NULL, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0));
    C(cuCtxCreate(&a, &params, 0, 0));
    C(cuCtxCreate(&b, NULL, CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST, 0));
    C(cuCtxGetCurrent(&now));
    V(now == b);
    C(cuCtxGetFlags(&flags));
    V(flags);
    C(cuCtxGetFlags(NULL));
    C(cuCtxGetDevice(&device));
    V(device);
    C(cuCtxGetDevice(NULL));
    C(cuCtxGetApiVersion(b, &version));
    V(version);
    C(cuCtxGetApiVersion(NULL, &version));
    C(cuCtxGetApiVersion(b, NULL));
    C(cuCtxGetId(a, &id_a));
    C(cuCtxGetId(NULL, &id_b));
    V(id_a != id_b);
    C(cuCtxGetId(b, NULL));
    C(cuCtxPopCurrent(&now));
    V(now == b);
    C(cuCtxGetCurrent(&now));
    V(now == a);
    C(cuCtxGetCurrent(NULL));
    C(cuCtxPushCurrent(b));
    C(cuCtxPushCurrent(b));
    C(cuCtxPopCurrent(NULL));
    C(cuCtxPushCurrent(NULL));
    C(cuCtxSetCurrent(NULL));
    C(cuCtxGetCurrent(&now));
    V(now == a);
    C(cuCtxSetCurrent(b));
    C(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
    C(cuCtxSetFlags(0x1000));
    C(cuCtxSetFlags(CU_CTX_MAP_HOST));
    C(cuCtxGetFlags(&flags));
    V(flags);
    C(cuCtxSynchronize());
    C(cuCtxDestroy(NULL));
    C(cuCtxDestroy(b));
    C(cuCtxGetCurrent(&now));
    V(now == NULL);
    C(cuCtxSynchronize());
    C(cuCtxAttach(&now, 0));
    C(cuCtxDetach(NULL));
}

static void context_stale(void)
{
    CUcontext a = NULL;

    C(cuCtxCreate(&a, NULL, 0, 0));
    C(cuCtxDestroy(a));
    C(cuCtxSetCurrent(a));
    C(cuCtxSynchronize());
}

static void context_stale_push(void)
{
    CUcontext a = NULL;

    C(cuCtxCreate(&a, NULL, 0, 0));
    C(cuCtxDestroy(a));
    C(cuCtxPushCurrent(a));
}

static void context_stale_destroy(void)
{
    CUcontext a = NULL;

    C(cuCtxCreate(&a, NULL, 0, 0));
    C(cuCtxDestroy(a));
    C(cuCtxDestroy(a));
}

static void context_garbage(void)
{
    static char memory[4096];

    C(cuCtxSetCurrent((CUcontext)memory));
    C(cuCtxSynchronize());
}

static void limits(void)
{
    size_t n = 0;
    int least = 9, greatest = 9;
    CUfunc_cache cache;
    CUsharedconfig shared;

    C(cuCtxGetLimit(&n, CU_LIMIT_STACK_SIZE));
    V(n);
    C(cuCtxGetLimit(&n, CU_LIMIT_PRINTF_FIFO_SIZE));
    V(n);
    C(cuCtxGetLimit(&n, CU_LIMIT_MALLOC_HEAP_SIZE));
    V(n);
    C(cuCtxGetLimit(&n, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
    C(cuCtxGetLimit(&n, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
    V(n);
    C(cuCtxGetLimit(&n, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
    V(n);
    C(cuCtxGetLimit(&n, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    V(n);
    C(cuCtxGetLimit(&n, (CUlimit)1000));
    C(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
    C(cuCtxGetLimit(NULL, (CUlimit)1000));
    C(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    C(cuCtxGetLimit(&n, CU_LIMIT_STACK_SIZE));
    V(n);
    C(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, (size_t)1 << 40));
    C(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 0));
    C(cuCtxGetLimit(&n, CU_LIMIT_PRINTF_FIFO_SIZE));
    V(n);
    C(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 2 << 20));
    C(cuCtxGetLimit(&n, CU_LIMIT_PRINTF_FIFO_SIZE));
    V(n);
    C(cuCtxSetLimit((CUlimit)1000, 1));
    C(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129));
    C(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0));
    C(cuCtxGetStreamPriorityRange(&least, &greatest));
    V(least);
    C(cuCtxGetStreamPriorityRange(NULL, NULL));
    C(cuCtxGetCacheConfig(&cache));
    V(cache);
    C(cuCtxGetCacheConfig(NULL));
    C(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    C(cuCtxGetCacheConfig(&cache));
    V(cache);
    C(cuCtxSetCacheConfig((CUfunc_cache)9));
    C(cuCtxGetSharedMemConfig(&shared));
    C(cuCtxGetSharedMemConfig(NULL));
    C(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    C(cuCtxSetSharedMemConfig((CUsharedconfig)9));
    C(cuCtxResetPersistingL2Cache());
    C(cuProfilerStart());
    C(cuProfilerStop());
    C(cuProfilerStop());
}

CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice dev);

static void exec_affinity(void)
{
    CUexecAffinityParam affinity;
    int n;

    C(cuDeviceGetExecAffinitySupport(&n, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    V(n);
    C(cuDeviceGetExecAffinitySupport(NULL, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    C(cuDeviceGetExecAffinitySupport(&n, (CUexecAffinityType)7, 0));
    C(cuDeviceGetExecAffinitySupport(&n, CU_EXEC_AFFINITY_TYPE_SM_COUNT, -1));
    C(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    C(cuCtxGetExecAffinity(NULL, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    C(cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                 CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
}

static void proc_address(void)
{
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)9;
    void *fn = (void *)1;

    C(cuGetProcAddress("cuMemAlloc", &fn, 13000, 0, &status));
    V(status);
    V(fn == (void *)cuMemAlloc);
    C(cuGetProcAddress("cuMemAlloc", &fn, 13000, 0, NULL));
    C(cuGetProcAddress("cuMemAlloc_v2", &fn, 13000, 0, &status));
    V(status);
    V(fn == NULL);
    fn = (void *)1;
    C(cuGetProcAddress("cuStreamSynchronize_ptsz", &fn, 13000, 0, &status));
    V(status);
    V(fn == NULL);
    C(cuGetProcAddress("cuNoSuchThing", &fn, 13000, 0, &status));
    V(status);
    C(cuGetProcAddress("", &fn, 13000, 0, &status));
    C(cuGetProcAddress(NULL, &fn, 13000, 0, &status));
    C(cuGetProcAddress("cuMemAlloc", NULL, 13000, 0, &status));
    C(cuGetProcAddress("cuMemAlloc", &fn, 1000, 0, &status));
    V(status);
    V(fn == NULL);
    C(cuGetProcAddress("cuMemAllocAsync", &fn, 11010, 0, &status));
    V(status);
    V(fn == NULL);
    C(cuGetProcAddress("cuMemAllocAsync", &fn, 11020, 0, &status));
    V(status);
    C(cuGetProcAddress("cuMemAlloc", &fn, 99000, 0, &status));
    V(status);
    C(cuGetProcAddress("cuMemAlloc", &fn, -1, 0, &status));
    C(cuGetProcAddress("cuMemAlloc", &fn, 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status));
    V(status);
    C(cuGetProcAddress("cuMemAlloc", &fn, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                       &status));
    V(status);
    V(fn == (void *)cuMemAlloc);
    C(cuGetProcAddress("cuStreamQuery", &fn, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                       &status));
    V(fn == (void *)cuStreamQuery);
    C(cuGetProcAddress("cuMemAlloc", &fn, 13000, 3, &status));
    C(cuGetProcAddress("cuMemAlloc", &fn, 13000, 64, &status));
    C(cuGetProcAddress("cudaMalloc", &fn, 13000, 0, &status));
    V(status);
}

const struct codes_section codes_device[] = {
    { "before-init", before_init, 0 },
    { "errors", errors, 0 },
    { "device", device, 1 },
    { "peer", peer, 1 },
    { "peer-context", peer_context, 2 },
    { "no-context", no_context, 1 },
    { "primary", primary, 1 },
    { "primary-reset", primary_reset, 2 },
    { "context", context, 1 },
    { "context-stale", context_stale, 1 },
    { "context-stale-push", context_stale_push, 1 },
    { "context-stale-destroy", context_stale_destroy, 1 },
    { "context-garbage", context_garbage, 1 },
    { "limits", limits, 2 },
    { "exec-affinity", exec_affinity, 2 },
    { "proc-address", proc_address, 1 },
    { NULL, NULL, 0 },
};
