/* SPDX-License-Identifier: MIT */
/* Codes of what runs: streams, events, modules, libraries, launches. */
#include "cuda_codes.h"

static void stream(void)
{
    CUstream s = NULL, t = NULL;
    CUcontext context, of;
    CUevent e = NULL;
    CUdevice device;
    CUstreamAttrValue value;
    unsigned flags = 99;
    int priority = 99;
    unsigned long long id = 0, id_null = 0;

    C(cuStreamCreate(&s, CU_STREAM_DEFAULT));
    C(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    C(cuStreamCreate(&t, 2));
    C(cuStreamCreate(NULL, 0));
    C(cuStreamCreateWithPriority(&t, CU_STREAM_NON_BLOCKING, -1));
    C(cuStreamGetPriority(t, &priority));
    V(priority);
    C(cuStreamDestroy(t));
    C(cuStreamCreateWithPriority(&t, 0, 100));
    C(cuStreamGetPriority(t, &priority));
    V(priority);
    C(cuStreamCreateWithPriority(&t, 8, 0));
    C(cuStreamCreateWithPriority(NULL, 0, 0));
    C(cuStreamGetPriority(s, NULL));
    C(cuStreamGetPriority(NULL, &priority));
    C(cuStreamGetFlags(s, &flags));
    V(flags);
    C(cuStreamGetFlags(NULL, &flags));
    V(flags);
    C(cuStreamGetFlags(CU_STREAM_PER_THREAD, &flags));
    V(flags);
    C(cuStreamGetFlags(s, NULL));
    C(cuStreamGetId(s, &id));
    C(cuStreamGetId(NULL, &id_null));
    V(id != id_null);
    C(cuStreamGetId(s, NULL));
    C(cuCtxGetCurrent(&context));
    C(cuStreamGetCtx(s, &of));
    V(of == context);
    C(cuStreamGetCtx(NULL, &of));
    C(cuStreamGetCtx(s, NULL));
    C(cuStreamGetDevice(s, &device));
    V(device);
    C(cuStreamGetDevice(s, NULL));
    C(cuStreamQuery(s));
    C(cuStreamQuery(NULL));
    C(cuStreamQuery(CU_STREAM_PER_THREAD));
    C(cuStreamSynchronize(s));
    C(cuStreamSynchronize(CU_STREAM_LEGACY));
    C(cuEventCreate(&e, 0));
    C(cuStreamWaitEvent(s, e, 0));
    C(cuStreamWaitEvent(s, e, 2));
    C(cuStreamWaitEvent(s, NULL, 0));
    C(cuStreamWaitEvent(NULL, e, 0));
    C(cuStreamCopyAttributes(s, t));
    C(cuStreamCopyAttributes(s, NULL));
    C(cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    V(value.syncPolicy);
    C(cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, NULL));
    C(cuStreamGetAttribute(s, (CUstreamAttrID)99, &value));
    C(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    C(cuStreamSetAttribute(s, (CUstreamAttrID)99, &value));
    C(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, NULL));
    C(cuStreamDestroy(NULL));
    C(cuStreamDestroy(CU_STREAM_LEGACY));
    C(cuStreamDestroy(CU_STREAM_PER_THREAD));
    C(cuStreamDestroy(t));
    C(cuStreamDestroy(s));
}

static void stream_stale_sync(void)
{
    CUstream s = NULL;

    C(cuStreamCreate(&s, 0));
    C(cuStreamDestroy(s));
    C(cuStreamSynchronize(s));
}

static void stream_stale_destroy(void)
{
    CUstream s = NULL;

    C(cuStreamCreate(&s, 0));
    C(cuStreamDestroy(s));
    C(cuStreamDestroy(s));
}

static void stream_garbage(void)
{
    static char memory[4096];

    C(cuStreamSynchronize((CUstream)memory));
    C(cuStreamQuery((CUstream)memory));
}

static void stream_of_dead_context(void)
{
    CUcontext context = NULL;
    CUstream s = NULL;

    C(cuCtxCreate(&context, NULL, 0, 0));
    C(cuStreamCreate(&s, 0));
    C(cuCtxDestroy(context));
    C(cuStreamSynchronize(s));
}

static void CUDA_CB on_stream(CUstream s, CUresult status, void *data)
{
    (void)s;
    *(int *)data += 1 + (int)status;
}

static void CUDA_CB on_host(void *data)
{
    *(int *)data += 100;
}

static void callback(void)
{
    CUstream s = NULL;
    int n = 0;

    C(cuStreamCreate(&s, 0));
    C(cuStreamAddCallback(s, on_stream, &n, 0));
    C(cuStreamSynchronize(s));
    V(n);
    C(cuStreamAddCallback(s, NULL, &n, 0));
    C(cuStreamAddCallback(s, on_stream, &n, 1));
    C(cuLaunchHostFunc(s, on_host, &n));
    C(cuStreamSynchronize(s));
    V(n);
    C(cuLaunchHostFunc(s, NULL, &n));
    C(cuLaunchHostFunc(NULL, on_host, &n));
    C(cuCtxSynchronize());
    V(n);
}

static CUresult inside;
static void CUDA_CB calls_driver(void *data)
{
    CUdeviceptr p;

    (void)data;
    inside = cuMemAlloc(&p, 4);
}

static void callback_calls_driver(void)
{
    inside = CUDA_ERROR_UNKNOWN;
    C(cuLaunchHostFunc(NULL, calls_driver, NULL));
    C(cuCtxSynchronize());
    V(inside);
}

static void capture(void)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
    CUgraph graph = NULL;
    CUstream s = NULL;

    C(cuStreamCreate(&s, 0));
    C(cuStreamIsCapturing(s, &status));
    V(status);
    C(cuStreamIsCapturing(s, NULL));
    C(cuStreamIsCapturing(NULL, &status));
    C(cuStreamEndCapture(s, &graph));
    C(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
    C(cuStreamBeginCapture(s, (CUstreamCaptureMode)9));
}

static void event(void)
{
    CUevent a = NULL, b = NULL, untimed = NULL;
    float ms = -1;

    C(cuEventCreate(&a, CU_EVENT_DEFAULT));
    C(cuEventCreate(&b, CU_EVENT_BLOCKING_SYNC));
    C(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    C(cuEventCreate(NULL, 0));
    C(cuEventCreate(&b, 16));
    C(cuEventCreate(&b, CU_EVENT_INTERPROCESS));
    C(cuEventQuery(a));
    C(cuEventSynchronize(a));
    C(cuEventElapsedTime(&ms, a, b));
    C(cuEventRecord(a, NULL));
    C(cuEventRecord(NULL, NULL));
    C(cuEventRecordWithFlags(a, NULL, 0));
    C(cuEventRecordWithFlags(a, NULL, 8));
    C(cuEventRecord(b, NULL));
    C(cuEventSynchronize(b));
    C(cuEventQuery(b));
    C(cuEventElapsedTime(&ms, a, b));
    V(ms >= 0);
    C(cuEventElapsedTime(NULL, a, b));
    C(cuEventElapsedTime(&ms, NULL, b));
    C(cuEventElapsedTime(&ms, a, NULL));
    C(cuEventRecord(untimed, NULL));
    C(cuEventSynchronize(untimed));
    C(cuEventElapsedTime(&ms, a, untimed));
    C(cuEventQuery(NULL));
    C(cuEventSynchronize(NULL));
    C(cuEventDestroy(NULL));
    C(cuEventDestroy(untimed));
    C(cuEventDestroy(b));
    C(cuEventDestroy(a));
}

static void event_stale(void)
{
    CUevent e = NULL;

    C(cuEventCreate(&e, 0));
    C(cuEventDestroy(e));
    C(cuEventQuery(e));
}

static void event_stale_destroy(void)
{
    CUevent e = NULL;

    C(cuEventCreate(&e, 0));
    C(cuEventDestroy(e));
    C(cuEventDestroy(e));
}

static void memory_operation(void)
{
    CUdeviceptr p = 0;
    unsigned value = 0;

    C(cuMemAlloc(&p, 4096));
    C(cuMemsetD8(p, 0, 4096));
    C(cuStreamWriteValue32(NULL, p, 5, 0));
    C(cuStreamWaitValue32(NULL, p, 5, CU_STREAM_WAIT_VALUE_EQ));
    C(cuStreamWriteValue64(NULL, p + 8, 7, 0));
    C(cuStreamWaitValue64(NULL, p + 8, 7, CU_STREAM_WAIT_VALUE_GEQ));
    C(cuMemcpyDtoH(&value, p, 4));
    V(value);
    C(cuStreamWriteValue32(NULL, p + 2, 5, 0));
    C(cuStreamWriteValue64(NULL, p + 4, 5, 0));
    C(cuStreamWriteValue32(NULL, 0, 5, 0));
    C(cuStreamWriteValue32(NULL, p, 5, 64));
    C(cuStreamWaitValue32(NULL, p, 5, 64));
    C(cuStreamWaitValue32(NULL, p + 1, 5, 0));
    C(cuStreamWriteValue32(NULL, (CUdeviceptr)&value, 5, 0));
    C(cuStreamBatchMemOp(NULL, 0, NULL, 0));
    C(cuStreamBatchMemOp(NULL, 1, NULL, 0));
    C(cuStreamBatchMemOp(NULL, 257, NULL, 0));
}

static void module(void)
{
    CUmodule m = NULL, n = NULL;
    CUfunction f = NULL, fs[8];
    CUmoduleLoadingMode mode;
    CUdeviceptr p = 0;
    size_t size = 0;
    unsigned count = 0;
    static char empty_container[16] = { 0x50, (char)0xED, 0x55, (char)0xBA, 1, 0, 16, 0 };
    char log[256] = "";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)sizeof(log) };

    C(cuModuleLoadData(&m, codes_ptx));
    C(cuModuleLoadData(NULL, codes_ptx));
    C(cuModuleLoadData(&n, NULL));
    C(cuModuleLoadData(&n, ""));
    C(cuModuleLoadData(&n, "this is no PTX"));
    C(cuModuleLoadData(&n, ".version 7.0\n.target sm_75\n.address_size 64\n.entry k() { bad; }"));
    C(cuModuleLoadData(&n, ".version 99.0\n.target sm_75\n.address_size 64\n"));
    C(cuModuleLoadData(&n, ".version 7.0\n.target sm_75\n.address_size 64\n"));
    C(cuModuleLoadData(&n, empty_container));
    C(cuModuleLoadFatBinary(&n, empty_container));
    C(cuModuleLoadFatBinary(&n, codes_ptx));
    C(cuModuleLoadFatBinary(&n, NULL));
    C(cuModuleLoadDataEx(&n, codes_ptx, 0, NULL, NULL));
    C(cuModuleUnload(n));
    C(cuModuleLoadDataEx(&n, codes_ptx, 1, NULL, NULL));
    C(cuModuleLoadDataEx(&n, "this is no PTX", 2, options, values));
    V(strlen(log) > 0);
    C(cuModuleLoad(&n, "/nonexistent/file.ptx"));
    C(cuModuleLoad(&n, NULL));
    C(cuModuleLoad(&n, ""));
    C(cuModuleLoad(&n, "/dev/null"));
    C(cuModuleLoad(&n, "/tmp"));
    C(cuModuleGetFunction(&f, m, "add"));
    C(cuModuleGetFunction(&f, m, "no_such"));
    C(cuModuleGetFunction(&f, m, ""));
    C(cuModuleGetFunction(&f, m, NULL));
    C(cuModuleGetFunction(NULL, m, "add"));
    C(cuModuleGetFunction(&f, NULL, "add"));
    C(cuModuleGetFunctionCount(&count, m));
    V(count);
    C(cuModuleGetFunctionCount(NULL, m));
    C(cuModuleEnumerateFunctions(fs, 8, m));
    C(cuModuleEnumerateFunctions(fs, 0, m));
    C(cuModuleEnumerateFunctions(NULL, 8, m));
    C(cuModuleGetGlobal(&p, &size, m, "counter"));
    V(size);
    C(cuModuleGetGlobal(&p, &size, m, "table"));
    V(size);
    C(cuModuleGetGlobal(NULL, &size, m, "counter"));
    C(cuModuleGetGlobal(&p, NULL, m, "counter"));
    C(cuModuleGetGlobal(NULL, NULL, m, "counter"));
    C(cuModuleGetGlobal(&p, &size, m, "no_such"));
    C(cuModuleGetGlobal(&p, &size, m, NULL));
    C(cuModuleGetGlobal(&p, &size, NULL, "counter"));
    C(cuModuleGetLoadingMode(&mode));
    C(cuModuleGetLoadingMode(NULL));
    C(cuMemFree(p));
    C(cuModuleUnload(NULL));
    C(cuModuleUnload(m));
}

static void module_stale(void)
{
    CUmodule m = NULL;

    C(cuModuleLoadData(&m, codes_ptx));
    C(cuModuleUnload(m));
    C(cuModuleUnload(m));
}

static void module_of_other_context(void)
{
    CUcontext context = NULL;
    CUmodule m = NULL;
    CUfunction f = NULL;
    unsigned n = 1;
    CUdeviceptr p = 0;
    void *params[] = { &p, &n };

    C(cuModuleLoadData(&m, codes_ptx));
    C(cuCtxCreate(&context, NULL, 0, 0));
    C(cuModuleGetFunction(&f, m, "add"));
    C(cuMemAlloc(&p, 4096));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    C(cuCtxSynchronize());
}

static void function(void)
{
    CUmodule m = NULL, of = NULL;
    CUfunction f = NULL;
    CUfunctionLoadingState state;
    const char *name = NULL;
    size_t offset = 99, size = 99;
    int n = 0;

    C(cuModuleLoadData(&m, codes_ptx));
    C(cuModuleGetFunction(&f, m, "wide"));
    C(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    V(n);
    C(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    V(n);
    C(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    V(n);
    C(cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    C(cuFuncGetAttribute(&n, (CUfunction_attribute)999, f));
    C(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, NULL));
    C(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
    C(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 24));
    C(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
    C(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    C(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
    C(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 10));
    C(cuFuncSetAttribute(NULL, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    C(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
    C(cuFuncSetCacheConfig(f, (CUfunc_cache)9));
    C(cuFuncSetCacheConfig(NULL, CU_FUNC_CACHE_PREFER_L1));
    C(cuFuncSetSharedMemConfig(f, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
    C(cuFuncGetModule(&of, f));
    V(of == m);
    C(cuFuncGetModule(NULL, f));
    C(cuFuncGetModule(&of, NULL));
    C(cuFuncGetName(&name, f));
    V(strcmp(name, "wide"));
    C(cuFuncGetName(NULL, f));
    C(cuFuncGetName(&name, NULL));
    C(cuFuncGetParamInfo(f, 0, &offset, &size));
    V(offset * 1000 + size);
    C(cuFuncGetParamInfo(f, 1, &offset, &size));
    V(offset * 1000 + size);
    C(cuFuncGetParamInfo(f, 2, &offset, &size));
    V(offset * 1000 + size);
    C(cuFuncGetParamInfo(f, 3, &offset, &size));
    C(cuFuncGetParamInfo(f, 0, &offset, NULL));
    C(cuFuncGetParamInfo(f, 0, NULL, &size));
    C(cuFuncGetParamInfo(NULL, 0, &offset, &size));
    C(cuFuncIsLoaded(&state, f));
    C(cuFuncIsLoaded(NULL, f));
    C(cuFuncLoad(f));
    C(cuFuncLoad(NULL));
}

static void library(void)
{
    CUlibrary l = NULL, other = NULL;
    CUkernel k = NULL, ks[8];
    CUfunction f = NULL;
    CUmodule m = NULL;
    CUdeviceptr p = 0;
    const char *name = NULL;
    size_t size = 0;
    unsigned count = 0;
    int n = 0;
    void *fn = NULL;

    C(cuLibraryLoadData(&l, codes_ptx, NULL, NULL, 0, NULL, NULL, 0));
    C(cuLibraryLoadData(NULL, codes_ptx, NULL, NULL, 0, NULL, NULL, 0));
    C(cuLibraryLoadData(&other, NULL, NULL, NULL, 0, NULL, NULL, 0));
    C(cuLibraryLoadData(&other, "this is no PTX", NULL, NULL, 0, NULL, NULL, 0));
    C(cuLibraryLoadData(&other, codes_ptx, NULL, NULL, 1, NULL, NULL, 0));
    C(cuLibraryLoadData(&other, codes_ptx, NULL, NULL, 0, NULL, NULL, 1));
    C(cuLibraryLoadFromFile(&other, "/nonexistent", NULL, NULL, 0, NULL, NULL, 0));
    C(cuLibraryLoadFromFile(&other, NULL, NULL, NULL, 0, NULL, NULL, 0));
    C(cuLibraryGetKernel(&k, l, "add"));
    C(cuLibraryGetKernel(&k, l, "no_such"));
    C(cuLibraryGetKernel(NULL, l, "add"));
    C(cuLibraryGetKernel(&k, NULL, "add"));
    C(cuLibraryGetKernel(&k, l, NULL));
    C(cuLibraryGetKernelCount(&count, l));
    V(count);
    C(cuLibraryGetKernelCount(NULL, l));
    C(cuLibraryEnumerateKernels(ks, 8, l));
    C(cuLibraryEnumerateKernels(NULL, 8, l));
    C(cuLibraryGetModule(&m, l));
    C(cuLibraryGetModule(NULL, l));
    C(cuLibraryGetModule(&m, NULL));
    C(cuModuleGetFunction(&f, m, "add"));
    C(cuModuleUnload(m));
    C(cuLibraryGetGlobal(&p, &size, l, "counter"));
    V(size);
    C(cuLibraryGetGlobal(&p, &size, l, "no_such"));
    C(cuLibraryGetGlobal(NULL, NULL, l, "counter"));
    C(cuLibraryGetGlobal(&p, &size, NULL, "counter"));
    C(cuLibraryGetGlobal(&p, &size, l, NULL));
    C(cuLibraryGetManaged(&p, &size, l, "counter"));
    C(cuLibraryGetUnifiedFunction(&fn, l, "add"));
    C(cuKernelGetFunction(&f, k));
    C(cuKernelGetFunction(NULL, k));
    C(cuKernelGetFunction(&f, NULL));
    C(cuKernelGetLibrary(&other, k));
    V(other == l);
    C(cuKernelGetLibrary(NULL, k));
    C(cuKernelGetName(&name, k));
    V(strcmp(name, "add"));
    C(cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    C(cuKernelGetAttribute(NULL, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    C(cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 64));
    C(cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, NULL, 0));
    C(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, k, 0));
    C(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, k, 64));
    C(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1024, k, 0));
    C(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 0));
    C(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 64));
    C(cuKernelSetCacheConfig(k, (CUfunc_cache)9, 0));
    C(cuKernelGetParamInfo(k, 1, NULL, &size));
    C(cuKernelGetParamInfo(k, 1, &size, NULL));
    C(cuKernelGetParamInfo(k, 2, &size, &size));
    C(cuFuncGetName(&name, (CUfunction)k));
    C(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, (CUfunction)k));
    C(cuLibraryUnload(NULL));
    C(cuLibraryUnload(l));
}

static void launch(void)
{
    CUmodule m = NULL;
    CUfunction f = NULL;
    CUdeviceptr p = 0;
    unsigned n = 1, result = 0;
    void *params[] = { &p, &n };
    struct {
        CUdeviceptr p;
        unsigned n;
    } packed = { 0, 1 };
    size_t size = 12;
    void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                      CU_LAUNCH_PARAM_END };
    void *no_size[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_END };

    C(cuModuleLoadData(&m, codes_ptx));
    C(cuModuleGetFunction(&f, m, "add"));
    C(cuMemAlloc(&p, 4096));
    C(cuMemsetD8(p, 0, 4096));
    packed.p = p;
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    C(cuMemcpyDtoH(&result, p, 4));
    V(result);
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, no_size));
    size = 8;
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    size = 16;
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    C(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 0, 1, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 33, 32, 1, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 65536, 1, 1, 1, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 0x80000000u, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 48 << 10, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, (48 << 10) + 1, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 1 << 30, NULL, params, NULL));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, params, NULL));
    C(cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params));
    C(cuLaunchCooperativeKernel(f, 1 << 20, 1, 1, 1, 1, 1, 0, NULL, params));
    C(cuCtxSynchronize());
}

static void launch_config(void)
{
    CUmodule m = NULL;
    CUfunction f = NULL;
    CUdeviceptr p = 0;
    unsigned n = 1;
    void *params[] = { &p, &n };
    CUlaunchAttribute attribute;
    CUlaunchConfig config;

    C(cuModuleLoadData(&m, codes_ptx));
    C(cuModuleGetFunction(&f, m, "add"));
    C(cuMemAlloc(&p, 4096));
    memset(&config, 0, sizeof(config));
    C(cuLaunchKernelEx(NULL, f, params, NULL));
    C(cuLaunchKernelEx(&config, f, params, NULL));
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    C(cuLaunchKernelEx(&config, f, params, NULL));
    C(cuLaunchKernelEx(&config, NULL, params, NULL));
    config.numAttrs = 1;
    C(cuLaunchKernelEx(&config, f, params, NULL));
    memset(&attribute, 0, sizeof(attribute));
    config.attrs = &attribute;
    C(cuLaunchKernelEx(&config, f, params, NULL));
    attribute.id = (CUlaunchAttributeID)99;
    C(cuLaunchKernelEx(&config, f, params, NULL));
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    C(cuLaunchKernelEx(&config, f, params, NULL));
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = 1;
    attribute.value.clusterDim.y = 1;
    attribute.value.clusterDim.z = 1;
    C(cuLaunchKernelEx(&config, f, params, NULL));
    attribute.value.clusterDim.x = 3;
    C(cuLaunchKernelEx(&config, f, params, NULL));
    C(cuCtxSynchronize());
}

static void launch_fault(void)
{
    CUmodule m = NULL;
    CUfunction f = NULL;
    CUdeviceptr p = 64, q = 0;
    CUevent e = NULL;
    CUstream s = NULL;
    unsigned n = 1;
    void *params[] = { &p, &n };
    char memory[4];

    C(cuModuleLoadData(&m, codes_ptx));
    C(cuModuleGetFunction(&f, m, "add"));
    C(cuMemAlloc(&q, 4096));
    C(cuEventCreate(&e, 0));
    C(cuStreamCreate(&s, 0));
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    C(cuCtxSynchronize());
    C(cuCtxSynchronize());
    C(cuMemAlloc(&q, 4096));
    C(cuMemcpyDtoH(memory, q, 4));
    C(cuMemFree(q));
    C(cuEventQuery(e));
    C(cuEventDestroy(e));
    C(cuStreamSynchronize(s));
    C(cuStreamDestroy(s));
    C(cuModuleUnload(m));
    C(cuDeviceGetCount((int *)&n));
    C(cuDevicePrimaryCtxReset(0));
    C(cuMemAlloc(&q, 4096));
}

static void launch_misaligned(void)
{
    CUmodule m = NULL;
    CUfunction f = NULL;
    CUdeviceptr p = 0;
    unsigned n = 1;
    void *params[] = { &p, &n };

    C(cuModuleLoadData(&m, codes_ptx));
    C(cuModuleGetFunction(&f, m, "add"));
    C(cuMemAlloc(&p, 4096));
    p += 2;
    C(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    C(cuStreamSynchronize(NULL));
}

static void occupancy(void)
{
    CUmodule m = NULL;
    CUfunction f = NULL;
    int n = 0, grid = 0, block = 0;
    size_t bytes = 0;

    C(cuModuleLoadData(&m, codes_ptx));
    C(cuModuleGetFunction(&f, m, "add"));
    C(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 128, 0));
    V(n > 0);
    C(cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, f, 128, 0));
    C(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, NULL, 128, 0));
    C(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 0, 0));
    C(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, -1, 0));
    C(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 4096, 0));
    V(n);
    C(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 128, 1 << 30));
    V(n);
    C(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, f, 128, 0, 1));
    C(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, f, 128, 0, 2));
    C(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    V(block);
    C(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 100));
    V(block);
    C(cuOccupancyMaxPotentialBlockSize(NULL, &block, f, NULL, 0, 0));
    C(cuOccupancyMaxPotentialBlockSize(&grid, NULL, f, NULL, 0, 0));
    C(cuOccupancyMaxPotentialBlockSize(&grid, &block, NULL, NULL, 0, 0));
    C(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, -1));
    C(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, NULL, 0, 0, 4));
    C(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1, 128));
    V(bytes > 0);
    C(cuOccupancyAvailableDynamicSMemPerBlock(NULL, f, 1, 128));
    C(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 0, 128));
    C(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1, 0));
    C(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1000, 128));
}

static void linking(void)
{
    CUlinkState state = NULL;
    CUmodule m = NULL;
    void *image = NULL;
    size_t size = 0;

    C(cuLinkCreate(0, NULL, NULL, &state));
    C(cuLinkCreate(0, NULL, NULL, NULL));
    C(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)codes_ptx, strlen(codes_ptx) + 1, "a", 0, NULL,
                    NULL));
    C(cuLinkAddData(state, CU_JIT_INPUT_PTX, NULL, 0, "b", 0, NULL, NULL));
    C(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nonexistent", 0, NULL, NULL));
    C(cuLinkAddFile(state, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
    C(cuLinkComplete(state, &image, &size));
    C(cuModuleLoadData(&m, image));
    C(cuLinkComplete(state, NULL, &size));
    C(cuLinkDestroy(state));
    C(cuLinkDestroy(NULL));
    C(cuLinkCreate(0, NULL, NULL, &state));
    C(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)"this is no PTX", 15, "c", 0, NULL, NULL));
    C(cuLinkComplete(state, &image, &size));
}

const struct codes_section codes_work[] = {
    { "stream", stream, 2 },
    { "stream-stale-sync", stream_stale_sync, 2 },
    { "stream-stale-destroy", stream_stale_destroy, 2 },
    { "stream-garbage", stream_garbage, 2 },
    { "stream-of-dead-context", stream_of_dead_context, 2 },
    { "callback", callback, 2 },
    { "callback-calls-driver", callback_calls_driver, 2 },
    { "capture", capture, 2 },
    { "event", event, 2 },
    { "event-stale", event_stale, 2 },
    { "event-stale-destroy", event_stale_destroy, 2 },
    { "memory-operation", memory_operation, 2 },
    { "module", module, 2 },
    { "module-stale", module_stale, 2 },
    { "module-of-other-context", module_of_other_context, 2 },
    { "function", function, 2 },
    { "library", library, 2 },
    { "launch", launch, 2 },
    { "launch-config", launch_config, 2 },
    { "launch-fault", launch_fault, 2 },
    { "launch-misaligned", launch_misaligned, 2 },
    { "occupancy", occupancy, 2 },
    { "linking", linking, 2 },
    { NULL, NULL, 0 },
};
