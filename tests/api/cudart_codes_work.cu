/* SPDX-License-Identifier: MIT */
/* Part of cudart_codes: streams, events, launches, graphs. */
#include "cudart_codes.h"

#include <atomic>
#include <unistd.h>

static std::atomic<int> gate;

static void hold(void *unused)
{
    (void)unused;
    while (!gate) {
        usleep(1000);
    }
}

static void stream_callback(cudaStream_t s, cudaError_t status, void *user)
{
    (void)s;
    *(int *)user = 100 + status;
}

static void host_function(void *user)
{
    *(int *)user = 7;
}

static void streams()
{
    cudaStream_t s = NULL, t;
    unsigned f = 77;
    unsigned long long id;
    int v = 77;
    cudaStreamCaptureStatus status = (cudaStreamCaptureStatus)77;

    C(cudaStreamCreate(NULL));
    C(cudaStreamCreateWithFlags(&s, 0xff));
    C(cudaStreamCreateWithFlags(NULL, 0));
    C(cudaStreamCreateWithPriority(&t, 0, 100));
    C(cudaStreamGetPriority(t, &v));
    V(v);
    C(cudaStreamCreateWithPriority(&t, 2, 0));
    C(cudaStreamCreate(&s));
    C(cudaStreamDestroy(NULL));
    C(cudaStreamDestroy(cudaStreamLegacy));
    C(cudaStreamDestroy(cudaStreamPerThread));
    C(cudaStreamQuery(0));
    C(cudaStreamQuery(s));
    C(cudaStreamQuery(cudaStreamLegacy));
    C(cudaStreamQuery(cudaStreamPerThread));
    C(cudaStreamSynchronize(0));
    C(cudaStreamSynchronize(s));
    C(cudaStreamGetFlags(s, NULL));
    C(cudaStreamGetFlags(s, &f));
    V(f);
    C(cudaStreamGetFlags(0, &f));
    V(f);
    C(cudaStreamGetFlags(cudaStreamPerThread, &f));
    V(f);
    C(cudaStreamGetPriority(s, NULL));
    C(cudaStreamGetPriority(0, &v));
    V(v);
    C(cudaStreamGetId(s, NULL));
    C(cudaStreamGetId(0, &id));
    C(cudaStreamGetDevice(s, &v));
    V(v);
    C(cudaStreamGetDevice(0, &v));
    C(cudaStreamAddCallback(s, NULL, NULL, 0));
    C(cudaStreamAddCallback(s, stream_callback, &v, 1));
    C(cudaStreamAddCallback(s, stream_callback, &v, 0));
    C(cudaStreamSynchronize(s));
    V(v);
    C(cudaLaunchHostFunc(s, NULL, NULL));
    C(cudaLaunchHostFunc(s, host_function, &v));
    C(cudaStreamSynchronize(s));
    V(v);
    C(cudaStreamIsCapturing(s, NULL));
    C(cudaStreamIsCapturing(s, &status));
    V(status);
    C(cudaStreamIsCapturing(0, &status));
    C(cudaStreamWaitEvent(s, NULL, 0));
    C(cudaStreamDestroy(s));
}

static void events()
{
    cudaEvent_t e = NULL, e2, untimed;
    float ms = -1;

    C(cudaEventCreate(NULL));
    C(cudaEventCreateWithFlags(&e, 0xff));
    C(cudaEventCreateWithFlags(&e, 8));
    C(cudaEventCreateWithFlags(&e, cudaEventInterprocess));
    C(cudaEventCreateWithFlags(NULL, 0));
    C(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    C(cudaEventCreate(&e));
    C(cudaEventCreate(&e2));
    C(cudaEventDestroy(NULL));
    C(cudaEventRecord(NULL, 0));
    C(cudaEventQuery(NULL));
    C(cudaEventSynchronize(NULL));
    C(cudaEventQuery(e));
    C(cudaEventSynchronize(e));
    C(cudaEventElapsedTime(&ms, e, e2));
    C(cudaEventElapsedTime(NULL, e, e2));
    C(cudaEventElapsedTime(&ms, NULL, e2));
    C(cudaEventRecord(e, 0));
    C(cudaEventElapsedTime(&ms, e, e2));
    C(cudaEventRecord(e2, 0));
    C(cudaEventSynchronize(e2));
    C(cudaEventElapsedTime(&ms, e, e2));
    V(ms >= 0);
    C(cudaEventElapsedTime(&ms, e, e));
    V(ms == 0);
    C(cudaEventRecord(untimed, 0));
    C(cudaEventSynchronize(untimed));
    C(cudaEventElapsedTime(&ms, e, untimed));
    C(cudaEventRecordWithFlags(e, 0, 7));
    C(cudaEventRecordWithFlags(e, 0, 0));
    C(cudaEventRecordWithFlags(e, 0, cudaEventRecordExternal));
    C(cudaStreamWaitEvent(0, e, 0));
    C(cudaStreamWaitEvent(0, e, 7));
    C(cudaStreamWaitEvent(0, untimed, 0));
    C(cudaEventDestroy(e));
}

/* Work that is not done yet. */
static void not_ready()
{
    cudaStream_t s;
    cudaEvent_t e, e2;
    float ms;

    C(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    C(cudaEventCreate(&e));
    C(cudaEventCreate(&e2));
    C(cudaEventRecord(e2, s));
    C(cudaLaunchHostFunc(s, hold, NULL));
    C(cudaEventRecord(e, s));
    C(cudaStreamQuery(s));
    C(cudaEventQuery(e));
    C(cudaEventElapsedTime(&ms, e2, e));
    C(cudaStreamQuery(0));
    C(cudaStreamDestroy(s));
    C(cudaEventDestroy(e));
    gate = 1;
    C(cudaDeviceSynchronize());
}

static void launches()
{
    int *d, value = 3;
    void *args[] = { &d, &value };
    cudaLaunchConfig_t c = {};
    int on_stack = 0;

    C(cudaMalloc(&d, 64));
    C(cudaLaunchKernel(store, dim3(1), dim3(1), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(0), dim3(1), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(1), dim3(0), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(1), dim3(1025), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(1), dim3(32, 33), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(1), dim3(1, 1, 65), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(1), dim3(1u << 16, 1u << 16), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(1, 65536), dim3(1), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(1, 1, 65536), dim3(1), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(0x80000000u), dim3(1), args, 0, 0));
    C(cudaLaunchKernel(store, dim3(1), dim3(1), args, 49153, 0));
    C(cudaLaunchKernel(store, dim3(1), dim3(1), args, (size_t)1 << 20, 0));
    C(cudaLaunchKernel(store, dim3(1), dim3(1), args, (size_t)1 << 33, 0));
    C(cudaLaunchKernel(store, dim3(1), dim3(1), (void **)NULL, 0, 0));
    C(cudaLaunchKernel(nothing, dim3(1), dim3(1), (void **)NULL, 0, 0));
    C(cudaLaunchKernel((const void *)NULL, dim3(1), dim3(1), args, 0, 0));
    C(cudaLaunchCooperativeKernel(store, dim3(1), dim3(1), args, 0, 0));
    C(cudaLaunchCooperativeKernel(store, dim3(1000000), dim3(1024), args, 0, 0));
    C(cudaLaunchCooperativeKernel(store, dim3(0), dim3(1), args, 0, 0));
    C(cudaLaunchKernelExC(&c, (const void *)store, args));
    c.gridDim = dim3(1);
    c.blockDim = dim3(1);
    C(cudaLaunchKernelExC(&c, (const void *)store, args));
    C(cudaLaunchKernelExC(&c, NULL, args));
    c.numAttrs = 1;
    C(cudaLaunchKernelExC(&c, (const void *)store, args));
    C(cudaDeviceSynchronize());
    store<<<1, 2000>>>(d, 1);
    V(cudaPeekAtLastError());
    store<<<1, 1>>>(d, 1);
    V(cudaGetLastError());
    store<<<1, 1, 1 << 20>>>(d, 1);
    V(cudaGetLastError());
    C(cudaLaunchKernel((const void *)&on_stack, dim3(1), dim3(1), args, 0, 0));
}

static void function_attributes()
{
    cudaFuncAttributes a = {};
    int v = 77;
    size_t n = 77;
    const char *name = NULL;
    cudaFunction_t f;
    cudaKernel_t k;

    C(cudaFuncGetAttributes(NULL, (const void *)store));
    C(cudaFuncGetAttributes(&a, store));
    V(a.maxThreadsPerBlock);
    V(a.sharedSizeBytes);
    V(a.constSizeBytes);
    V(a.maxDynamicSharedSizeBytes);
    V(a.preferredShmemCarveout);
    C(cudaFuncGetAttributes(&a, (const void *)NULL));
    C(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152));
    C(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    C(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30));
    C(cudaFuncSetAttribute(store, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    C(cudaFuncSetAttribute(store, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    C(cudaFuncSetAttribute(store, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
    C(cudaFuncSetAttribute(store, (cudaFuncAttribute)0, 1));
    C(cudaFuncSetAttribute(store, (cudaFuncAttribute)99, 1));
    C(cudaFuncSetAttribute((const void *)NULL, cudaFuncAttributePreferredSharedMemoryCarveout, 1));
    C(cudaFuncSetCacheConfig(store, cudaFuncCachePreferShared));
    C(cudaFuncSetCacheConfig(store, (cudaFuncCache)17));
    C(cudaFuncGetName(NULL, (const void *)store));
    C(cudaFuncGetName(&name, (const void *)store));
    V(name && strstr(name, "store") != NULL);
    C(cudaGetFuncBySymbol(&f, (const void *)store));
    C(cudaGetFuncBySymbol(&f, (const void *)NULL));
    C(cudaGetKernel(&k, (const void *)store));
    C(cudaGetKernel(&k, (const void *)NULL));
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, store, 128, 0));
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessor((int *)NULL, store, 128, 0));
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, store, 0, 0));
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, store, -1, 0));
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, store, 2000, 0));
    V(v);
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, store, 128, (size_t)1 << 30));
    V(v);
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, (const void *)NULL, 128, 0));
    C(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&v, store, 128, 0, 99));
    C(cudaOccupancyAvailableDynamicSMemPerBlock(&n, store, 1, 128));
    C(cudaOccupancyAvailableDynamicSMemPerBlock((size_t *)NULL, store, 1, 128));
}

static void graphs()
{
    cudaStream_t s;
    cudaGraph_t g = NULL;
    cudaGraphExec_t x = NULL;
    size_t n = 0;
    int *d;
    cudaStreamCaptureStatus status = (cudaStreamCaptureStatus)77;

    C(cudaMalloc(&d, 64));
    C(cudaStreamCreate(&s));
    C(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    C(cudaStreamEndCapture(s, &g));
    C(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)9));
    C(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    C(cudaStreamIsCapturing(s, &status));
    V(status);
    store<<<1, 1, 0, s>>>(d, 5);
    C(cudaGetLastError());
    C(cudaMemsetAsync(d, 0, 4, s));
    C(cudaStreamEndCapture(s, &g));
    C(cudaGraphGetNodes(g, NULL, &n));
    V(n);
    C(cudaGraphInstantiate(NULL, g, 0));
    C(cudaGraphInstantiate(&x, NULL, 0));
    C(cudaGraphInstantiate(&x, g, 0));
    C(cudaGraphUpload(x, s));
    C(cudaGraphLaunch(x, s));
    C(cudaStreamSynchronize(s));
    C(cudaGraphLaunch(NULL, s));
    C(cudaGraphExecDestroy(x));
    C(cudaGraphExecDestroy(NULL));
    C(cudaGraphDestroy(g));
    C(cudaGraphDestroy(NULL));
    C(cudaGraphCreate(NULL, 0));
    C(cudaGraphCreate(&g, 1));
    C(cudaGraphCreate(&g, 0));
    C(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    C(cudaStreamSynchronize(s));
    C(cudaStreamEndCapture(s, &g));
}

const codes_section codes_work[] = {
    { "streams", streams },
    { "events", events },
    { "not_ready", not_ready },
    { "launches", launches },
    { "function_attributes", function_attributes },
    { "graphs", graphs },
    { NULL, NULL },
};
