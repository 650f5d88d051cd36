/* SPDX-License-Identifier: MIT */
/*
 * A program that uses most of the runtime and prints results that depend on nothing but the device.
 * It is run with different runtimes on one driver (tests/api/silicon.sh): all must print the same.
 */
#include <cooperative_groups.h>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t check_err = (call);                                    \
        if (check_err != cudaSuccess) {                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorString(check_err)); \
        }                                                                  \
    } while (0)

__constant__ int scale[4] = { 1, 2, 3, 4 };
__device__ int total;

/* clang 19 has no managed variables: there the host goes through copies. */
#if defined(__clang__)
__device__ int shared_by_all = 11;
#else
__managed__ int shared_by_all = 11;
#endif

__global__ void add(const int *a, const int *b, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        c[i] = a[i] + b[i] * scale[i & 3];
    }
}

__global__ void sum(const unsigned char *p, size_t n, int *result)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(result, (int)(p[i] * (i % 251 + 1)));
    }
}

__global__ void step(int *p)
{
    *p = *p * 3 + 1;
}

__global__ void grid_sum(int *data, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();

    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
        data[i] = i;
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        for (int i = 1; i < n; i++) {
            data[0] += data[i];
        }
    }
}

__global__ void dynamic_shared(int *out)
{
    extern __shared__ int buffer[];

    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = buffer[blockDim.x - 1] + shared_by_all;
        total += out[0];
    }
}

__global__ void say(int n)
{
    printf("kernel says %d\n", n);
}

static int device_sum(const void *p, size_t n)
{
    int *result, value = 0;

    CHECK(cudaMalloc(&result, sizeof(int)));
    CHECK(cudaMemset(result, 0, sizeof(int)));
    sum<<<1, 128>>>((const unsigned char *)p, n, result);
    CHECK(cudaMemcpy(&value, result, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(result));
    return value;
}

/* Runs before main: kernels of this file must be registered by then. */
struct early {
    int value = 5;
    early()
    {
        int *d;
        if (cudaMalloc(&d, sizeof(int)) == cudaSuccess) {
            cudaMemcpy(d, &value, sizeof(int), cudaMemcpyHostToDevice);
            step<<<1, 1>>>(d);
            cudaMemcpy(&value, d, sizeof(int), cudaMemcpyDeviceToHost);
            cudaFree(d);
        }
    }
};

static early before_main;

static void vectors()
{
    const int n = 10000;
    std::vector<int> a(n), b(n), c(n);
    int *da, *db, *dc, bad = 0, grid = 0, block = 0;

    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 7 * i;
    }
    CHECK(cudaMalloc(&da, n * sizeof(int)));
    CHECK(cudaMalloc(&db, n * sizeof(int)));
    CHECK(cudaMalloc(&dc, n * sizeof(int)));
    CHECK(cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyDefault));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    CHECK(cudaMemcpy(c.data(), dc, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        bad += c[i] != a[i] + b[i] * (i % 4 + 1);
    }
    std::printf("vectors: %d bad\n", bad);
    int other[4] = { 9, 8, 7, 6 };
    CHECK(cudaMemcpyToSymbol(scale, other, sizeof(other)));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    std::printf("constant: %d\n", device_sum(dc, n * sizeof(int)));
    CHECK(cudaMemcpyFromSymbol(other, scale, 8, 8));
    std::printf("symbol: %d %d\n", other[0], other[1]);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add));
    std::printf("occupancy: %d %d\n", grid, block);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
}

static void shapes()
{
    unsigned char host[64 * 16];
    unsigned char back[64 * 16] = { 0 };
    char *d;
    size_t pitch;
    cudaPitchedPtr volume;
    cudaMemcpy3DParms p = {};

    for (size_t i = 0; i < sizeof(host); i++) {
        host[i] = (unsigned char)(i * 31);
    }
    CHECK(cudaMallocPitch(&d, &pitch, 60, 16));
    CHECK(cudaMemset2D(d, pitch, 0x11, pitch, 16));
    CHECK(cudaMemcpy2D(d, pitch, host, 64, 60, 16, cudaMemcpyHostToDevice));
    std::printf("2D: pitch %zu sum %d\n", pitch, device_sum(d, pitch * 16));
    CHECK(cudaMemset2D(d + 3, pitch, 0x22, 5, 7));
    CHECK(cudaMemcpy2DAsync(back, 64, d, pitch, 60, 16, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaDeviceSynchronize());
    std::printf("2D back: %d %d %d\n", back[3], back[8], back[64 * 7 + 3]);
    CHECK(cudaMalloc3D(&volume, make_cudaExtent(20, 6, 5)));
    CHECK(cudaMemset3D(volume, 0, make_cudaExtent(volume.pitch, 6, 5)));
    CHECK(cudaMemset3D(volume, 0x33, make_cudaExtent(4, 3, 2)));
    p.srcPtr = make_cudaPitchedPtr(host, 20, 20, 6);
    p.srcPos = make_cudaPos(1, 2, 1);
    p.dstPtr = volume;
    p.dstPos = make_cudaPos(3, 1, 2);
    p.extent = make_cudaExtent(8, 3, 2);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    std::printf("3D: pitch %zu sum %d\n", volume.pitch,
                device_sum(volume.ptr, volume.pitch * 6 * 5));
    CHECK(cudaFree(volume.ptr));
    CHECK(cudaFree(d));
}

static void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void *user)
{
    *(int *)user = *(int *)user * 10 + 1 + (int)status;
}

static void on_host(void *user)
{
    *(int *)user = *(int *)user * 10 + 2;
}

static void streams()
{
    cudaStream_t s[2];
    cudaEvent_t e, end;
    int *d, *pinned, order = 0;
    float ms = -1;

    CHECK(cudaMallocHost(&pinned, sizeof(int)));
    CHECK(cudaMalloc(&d, sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking));
    CHECK(cudaStreamCreate(&s[1]));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&end));
    *pinned = 1;
    CHECK(cudaMemcpyAsync(d, pinned, sizeof(int), cudaMemcpyHostToDevice, s[0]));
    step<<<1, 1, 0, s[0]>>>(d);
    CHECK(cudaEventRecord(e, s[0]));
    CHECK(cudaStreamWaitEvent(s[1], e, 0));
    CHECK(cudaEventRecord(end, s[1]));
    step<<<1, 1, 0, s[1]>>>(d);
    CHECK(cudaStreamAddCallback(s[1], on_stream, &order, 0));
    CHECK(cudaLaunchHostFunc(s[1], on_host, &order));
    CHECK(cudaMemcpyAsync(pinned, d, sizeof(int), cudaMemcpyDeviceToHost, s[1]));
    CHECK(cudaStreamSynchronize(s[1]));
    cudaEvent_t last;
    CHECK(cudaEventCreate(&last));
    CHECK(cudaEventRecord(last, s[1]));
    CHECK(cudaEventSynchronize(last));
    CHECK(cudaEventElapsedTime(&ms, end, last));
    std::printf("streams: %d order %d time %s\n", *pinned, order, ms >= 0 ? "yes" : "no");
    CHECK(cudaStreamDestroy(s[0]));
    CHECK(cudaStreamDestroy(s[1]));
    CHECK(cudaEventDestroy(e));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d));
}

static void shared_increment()
{
#if defined(__clang__)
    int value = 0;
    CHECK(cudaMemcpyFromSymbol(&value, shared_by_all, sizeof(int)));
    value++;
    CHECK(cudaMemcpyToSymbol(shared_by_all, &value, sizeof(int)));
#else
    shared_by_all++;
#endif
}

static bool shared_is_at(const void *address)
{
#if defined(__clang__)
    return address != NULL;
#else
    return address == &shared_by_all;
#endif
}

static void memory_kinds()
{
    int *m, *mapped, *view, *a, registered[1024];

    CHECK(cudaMallocManaged(&m, sizeof(int)));
    *m = 4;
    step<<<1, 1>>>(m);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostAlloc(&mapped, sizeof(int), cudaHostAllocMapped));
    *mapped = 5;
    CHECK(cudaHostGetDevicePointer(&view, mapped, 0));
    step<<<1, 1>>>(view);
    CHECK(cudaDeviceSynchronize());
    registered[0] = 6;
    CHECK(cudaHostRegister(registered, sizeof(registered), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&view, registered, 0));
    step<<<1, 1>>>(view);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister(registered));
    CHECK(cudaMallocAsync(&a, sizeof(int), 0));
    CHECK(cudaMemsetAsync(a, 0, sizeof(int), 0));
    step<<<1, 1>>>(a);
    int back = 0;
    CHECK(cudaMemcpyAsync(&back, a, sizeof(int), cudaMemcpyDeviceToHost, 0));
    CHECK(cudaFreeAsync(a, 0));
    CHECK(cudaDeviceSynchronize());
    std::printf("memory: managed %d mapped %d registered %d pool %d\n", *m, *mapped, registered[0],
                back);
    CHECK(cudaFree(m));
    CHECK(cudaFreeHost(mapped));
    shared_increment();
    CHECK(cudaMalloc(&a, sizeof(int)));
    CHECK(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096));
    dynamic_shared<<<1, 256, 4096>>>(a);
    CHECK(cudaMemcpyFromSymbol(&back, total, sizeof(int)));
    void *address = NULL;
    size_t bytes = 0;
    CHECK(cudaGetSymbolAddress(&address, shared_by_all));
    CHECK(cudaGetSymbolSize(&bytes, shared_by_all));
    std::printf("variables: %d managed %s %zu\n", back, shared_is_at(address) ? "same" : "other",
                bytes);
    CHECK(cudaFree(a));
}

static int *launch_inside(int *d)
{
    step<<<1, 1>>>(d);
    return d;
}

static void launches()
{
    int *d, n = 1000, back = 0;
    void *args[] = { &d, &n };
    cudaLaunchConfig_t c = {};

    CHECK(cudaMalloc(&d, 1000 * sizeof(int)));
    CHECK(cudaLaunchCooperativeKernel(grid_sum, dim3(4), dim3(64), args));
    CHECK(cudaMemcpy(&back, d, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("cooperative: %d\n", back);
    CHECK(cudaMemset(d, 0, sizeof(int)));
    step<<<1, 1>>>(launch_inside(d));
    c.gridDim = dim3(1);
    c.blockDim = dim3(1);
    CHECK(cudaLaunchKernelEx(&c, step, d));
    CHECK(cudaLaunchKernel(step, dim3(1), dim3(1), args));
    CHECK(cudaMemcpy(&back, d, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("nested: %d\n", back);
    say<<<1, 1>>>(42);
    CHECK(cudaDeviceSynchronize());
    cudaFuncAttributes a = {};
    CHECK(cudaFuncGetAttributes(&a, dynamic_shared));
    std::printf("attributes: %d %zu %d %d\n", a.maxThreadsPerBlock, a.sharedSizeBytes, a.numRegs,
                a.maxDynamicSharedSizeBytes);
    CHECK(cudaFree(d));
}

static void replay()
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    int *d, back = 0;

    CHECK(cudaMalloc(&d, sizeof(int)));
    CHECK(cudaMemset(d, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    step<<<1, 1, 0, s>>>(d);
    step<<<1, 1, 0, s>>>(d);
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphInstantiate(&x, g));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(&back, d, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("graph: %d\n", back);
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaFree(d));
}

static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .global .align 4 .u32 offset = 30;\n"
                          ".visible .entry put(.param .u64 p)\n{\n"
                          "    .reg .b32 %r<3>;\n    .reg .b64 %d<3>;\n"
                          "    ld.param.u64 %d1, [p];\n    cvta.to.global.u64 %d2, %d1;\n"
                          "    ld.global.u32 %r1, [offset];\n    add.s32 %r2, %r1, 12;\n"
                          "    st.global.u32 [%d2], %r2;\n    ret;\n}\n";

static void libraries()
{
    cudaLibrary_t lib;
    cudaKernel_t k;
    int *d, back = 0;
    void *global = NULL;
    size_t bytes = 0;

    CHECK(cudaMalloc(&d, sizeof(int)));
    void *args[] = { &d };
    CHECK(cudaLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0));
    CHECK(cudaLibraryGetKernel(&k, lib, "put"));
    CHECK(cudaLibraryGetGlobal(&global, &bytes, lib, "offset"));
    CHECK(cudaLaunchKernel((const void *)k, dim3(1), dim3(1), args, 0, 0));
    CHECK(cudaMemcpy(&back, d, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("library: %d %zu\n", back, bytes);
    CHECK(cudaLibraryUnload(lib));
    CHECK(cudaFree(d));
}

static void *worker(void *result)
{
    int *d;

    CHECK(cudaMalloc(&d, sizeof(int)));
    CHECK(cudaMemcpy(d, result, sizeof(int), cudaMemcpyHostToDevice));
    for (int i = 0; i < 5; i++) {
        step<<<1, 1>>>(d);
    }
    CHECK(cudaMemcpy(result, d, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
    return NULL;
}

static void threads()
{
    pthread_t t[8];
    int results[8];

    for (int i = 0; i < 8; i++) {
        results[i] = i;
        pthread_create(&t[i], NULL, worker, &results[i]);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(t[i], NULL);
        std::printf("thread %d: %d\n", i, results[i]);
    }
}

/* Every byte of the properties but the names of this very board and what has no meaning on Linux.
 */
static void properties()
{
    cudaDeviceProp p;

    memset(&p, 0x55, sizeof(p)); /* what the runtime leaves alone must be left alone */
    CHECK(cudaGetDeviceProperties(&p, 0));
    const int *word = (const int *)&p;
    std::printf("properties: %s\n", p.name);
    for (size_t i = offsetof(cudaDeviceProp, luid) / sizeof(int); i < sizeof(p) / sizeof(int);
         i++) {
        std::printf("properties at %zu: %d\n", i * sizeof(int), word[i]);
    }
    for (int attr = 1; attr < 160; attr++) {
        int value = -1;
        cudaError_t err = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)attr, 0);
        std::printf("attribute %d: %d %d\n", attr, (int)err, value);
    }
    cudaGetLastError();
}

int main(int argc, char **)
{
    std::printf("early: %d\n", before_main.value);
    vectors();
    shapes();
    streams();
    memory_kinds();
    launches();
    replay();
    libraries();
    threads();
    if (argc > 1) {
        properties();
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceReset());
    return 0;
}
