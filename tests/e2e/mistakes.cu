// SPDX-License-Identifier: MIT
// mistakes CASE: more of what goes wrong in applications, and what must not be called wrong. Lines marked MARK are
// quoted by the test.
#include <cuda.h>
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include <unistd.h>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(err_));                   \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

__constant__ int limit[16384] = { 1, 2, 3, 4 }; // 64 KiB: fills no gap between older buffers

__global__ void fill(int *p, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;

    if (i < n) {
        p[i] = i + limit[0]; // MARK store
    }
}

static int waited()
{
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

// --- memory that is gone
static int use_after_free()
{
    int *a, *b;

    CHECK(cudaMalloc(&a, 4096)); // MARK freed_alloc
    CHECK(cudaFree(a));
    CHECK(cudaMalloc(&b, 4096));
    printf("%s ", a == b ? "the same address" : "another address");
    fill<<<1, 32>>>(a, 32); // the old pointer
    return waited();
}

static int use_after_free_async()
{
    int *a, *b;

    CHECK(cudaMallocAsync(&a, 4096, 0));
    CHECK(cudaFreeAsync(a, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMallocAsync(&b, 4096, 0));
    fill<<<1, 32>>>(a, 32);
    return waited();
}

// --- what a module keeps for itself
static int write_constant()
{
    int *p;

    CHECK(cudaGetSymbolAddress((void **)&p, limit));
    fill<<<1, 4>>>(p, 4);
    return waited();
}

static int write_code() // the code ends one guard page before the constants
{
    char *p;

    CHECK(cudaGetSymbolAddress((void **)&p, limit));
    fill<<<1, 2>>>((int *)(p - 4096 - 8), 2);
    return waited();
}

// --- answers of the runtime that were measured (tests/golden)
static int measured_answers()
{
    char bus[32];
    size_t pitch;
    cudaStream_t own = cudaStreamPerThread;
    int *m, *d;

    CHECK(cudaMallocManaged(&m, 4096));
    printf("%s ", cudaGetErrorName(cudaDeviceGetPCIBusId(bus, 5, 0)));
    printf("%s ", cudaGetErrorName(cudaMallocPitch((void **)&d, &pitch, (size_t)1 << 62, 2)));
    printf("%s ", cudaGetErrorName(cudaStreamAttachMemAsync(own, m)));
    fill<<<1, 1>>>((int *)16, 1);
    printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%s\n", cudaGetErrorName(cudaFree(0)));
    return 0;
}

// --- calls that are refused: each returns its error, and the report says where and why
static int refused_calls()
{
    static int h[2048];
    void *host;
    cudaStream_t s;
    int *d;

    CHECK(cudaMalloc(&d, 4096));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamDestroy(s));
    printf("%s ", cudaGetErrorName(cudaMemcpy(d, h, 64, (cudaMemcpyKind)17))); // MARK kind
    printf("%s ", cudaGetErrorName(cudaMemcpy(h, d, 64, cudaMemcpyHostToDevice))); // MARK direction
    printf("%s ", cudaGetErrorName(cudaSetDevice(3))); // MARK device
    printf("%s ", cudaGetErrorName(cudaMemsetAsync(d, 0, 64, s))); // MARK stream
    printf("%s ", cudaGetErrorName(cudaDeviceGetHostAtomicCapabilities(nullptr, nullptr, 0, 0))); // MARK absent
    printf("%s ", cudaGetErrorName(cudaMemset(h, 0, 64))); // MARK host_fill
    for (int i = 0; i < 3; i++) {
        cudaHostAlloc(&host, 64, 1 << 20); // MARK thrice
    }
    printf("%s\n", cudaGetErrorName(cudaMemcpy(d, h, 8192, cudaMemcpyHostToDevice)));
    cudaFree(d);
    cudaFree(d);
    return 0;
}

static int own_fault() // the board has no part in it
{
    cudaFree(nullptr);
    *(volatile int *)8 = 1;
    return 0;
}

static int driver_calls() // the other API's program hears the other API's words
{
    CUdeviceptr d;

    CHECK(cudaFree(0));
    cuMemAlloc(&d, 16);
    cuMemFree(d);
    cuMemFree(d); // MARK driver_free
    return 0;
}

static int ptx_operands()
{
    CUmodule module;

    CHECK(cudaFree(0));
    return cuModuleLoadData(&module, ".version 8.0\n.target sm_62\n.address_size 64\n\n"
                                     ".visible .entry k()\n{\n    .reg .b32 %r<3>;\n    add.s32 %r1, %r2;\n"
                                     "    ret;\n}\n") == CUDA_SUCCESS;
}

// --- ends with and without work that was waited for
static void nothing(void *) {}

static int copied_and_gone() // a copy of pageable memory is complete for the program when it returns
{
    static int h[1 << 16];
    int *d;

    CHECK(cudaMalloc(&d, sizeof(h)));
    CHECK(cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice));
    return 0;
}

static int freed_and_gone()
{
    int *d;

    CHECK(cudaMallocAsync(&d, 4096, 0));
    fill<<<1, 32>>>(d, 32);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeAsync(d, 0));
    return 0;
}

static int recorded_and_gone()
{
    cudaEvent_t e;

    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecord(e));
    return 0;
}

static int launched_and_gone()
{
    static int h[1 << 16];
    cudaStream_t s;
    int *d;

    CHECK(cudaMalloc(&d, sizeof(h)));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMemcpyAsync(d, h, sizeof(h), cudaMemcpyHostToDevice, s));
    fill<<<1, 32, 0, s>>>(d, 32);
    fill<<<1, 32>>>(d, 32); // MARK last_launch
    return 0;
}

static int filled_and_gone()
{
    int *d;

    CHECK(cudaMalloc(&d, 4096));
    CHECK(cudaMemsetAsync(d, 1, 4096)); // MARK async_fill
    return 0;
}

/* The plain call does not wait either: memory of the device. */
static int filled_plainly_and_gone()
{
    int *d;

    CHECK(cudaMalloc(&d, 4096));
    CHECK(cudaMemset(d, 1, 4096)); // MARK plain_fill
    return 0;
}

static int copied_plainly_and_gone()
{
    int *a, *b;

    CHECK(cudaMalloc(&a, 4096));
    CHECK(cudaMalloc(&b, 4096));
    CHECK(cudaMemcpy(b, a, 4096, cudaMemcpyDeviceToDevice)); // MARK plain_copy
    return 0;
}

/* Those that end here do: the CPU can see the memory. */
static int filled_plainly_and_done()
{
    int *h;

    CHECK(cudaMallocHost(&h, 4096));
    CHECK(cudaMemset(h, 1, 4096));
    return 0;
}

static int copied_plainly_and_done()
{
    int *d, *h;

    CHECK(cudaMalloc(&d, 4096));
    CHECK(cudaMallocHost(&h, 4096));
    CHECK(cudaMemcpy(d, h, 4096, cudaMemcpyDefault));
    return 0;
}

static int copying_and_gone()
{
    int *d, *h;

    CHECK(cudaMalloc(&d, 4096));
    CHECK(cudaMallocHost(&h, 4096));
    CHECK(cudaMemcpyAsync(d, h, 4096, cudaMemcpyDefault)); // MARK async_copy
    return 0;
}

static int called_back_and_gone()
{
    cudaStream_t s;

    CHECK(cudaStreamCreate(&s));
    CHECK(cudaLaunchHostFunc(s, nothing, NULL)); // MARK host_function
    return 0;
}

// --- no mistake: each kernel has its own dynamic shared memory
extern __shared__ int dynamic[];

__global__ void with_static(int *out)
{
    __shared__ int large[10000]; // of the 48 KiB a block has

    large[threadIdx.x] = threadIdx.x;
    dynamic[threadIdx.x] = threadIdx.x * 10;
    __syncthreads();
    out[threadIdx.x] = large[31 - threadIdx.x] + dynamic[threadIdx.x];
}

__global__ void all_dynamic(int *out, int n)
{
    for (int i = threadIdx.x; i < n; i += 32) {
        dynamic[i] = i;
    }
    __syncthreads();
    out[threadIdx.x] = dynamic[n - 1 - threadIdx.x];
}

static int dynamic_each()
{
    const int n = 10000;
    int *out, bad = 0;

    CHECK(cudaMallocManaged(&out, 64 * sizeof(int)));
    with_static<<<1, 32, 32 * sizeof(int)>>>(out);
    CHECK(cudaGetLastError());
    all_dynamic<<<1, 32, n * sizeof(int)>>>(out + 32, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        bad += out[i] != 31 - i + i * 10 || out[32 + i] != n - 1 - i;
    }
    printf("dynamic: %d bad\n", bad);
    return bad != 0;
}

// --- kernels that do not end
__global__ void spinner(volatile int *p)
{
    while (*p == 0) { // MARK spins
    }
}

__global__ void busy(volatile unsigned *p)
{
    for (unsigned x = 1; p[0] != 77; x = x * 5 + 1) { // MARK busy_from
        p[1] = x;
    } // MARK busy_to
}

static int endless_spin()
{
    int *d;

    CHECK(cudaMalloc(&d, 64));
    CHECK(cudaMemset(d, 0, 64));
    spinner<<<1, 1>>>(d);
    return waited();
}

// Somebody sends the signal while the kernel runs, or the CPU.
static void signal_soon(int sig)
{
    fflush(stdout);
    if (fork() == 0) {
        usleep(700000);
        kill(getppid(), sig);
        _exit(0);
    }
}

static unsigned *endless_buffer()
{
    unsigned *d;

    CHECK(cudaMalloc(&d, 64));
    CHECK(cudaMemset(d, 0, 64));
    fill<<<1, 1>>>((int *)d + 4, 1); // loads the module before
    CHECK(cudaDeviceSynchronize());
    return d;
}

static int stopped_busy(int sig)
{
    unsigned *d = endless_buffer();

    signal_soon(sig);
    busy<<<1, 1>>>(d);
    return waited();
}

static int interrupted_busy()
{
    return stopped_busy(SIGINT);
}

static int terminated_busy()
{
    return stopped_busy(SIGTERM);
}

static void own_handler(int)
{
    _exit(write(1, "own handler\n", 12) == 12 ? 5 : 6);
}

static int own_interrupt()
{
    unsigned *d = endless_buffer();

    signal(SIGINT, own_handler);
    signal_soon(SIGINT);
    busy<<<1, 1>>>(d);
    return waited();
}

static int interrupted_cpu()
{
    endless_buffer();
    signal_soon(SIGINT);
    for (volatile int i = 0;; i = i + 1) {
    }
}

static int interrupted_sleep()
{
    endless_buffer();
    signal_soon(SIGTERM);
    pause();
    return 0;
}

// A thread is in a call of CUDA's whenever the program ends.
static void wait_busy()
{
    waited();
}

static int waited_and_gone()
{
    unsigned *d;

    CHECK(cudaMalloc(&d, 64));
    CHECK(cudaMemset(d, 0, 64));
    busy<<<1, 1>>>(d); // MARK busy_launch
    std::thread(wait_busy).detach();
    usleep(300000);
    return 0;
}

static void exit_handler(int)
{
    exit(3);
}

static int gone_in_a_handler()
{
    unsigned *d = endless_buffer();

    signal(SIGINT, exit_handler);
    signal_soon(SIGINT);
    busy<<<1, 1>>>(d);
    return waited();
}

static const struct {
    const char *name;
    int (*run)();
} cases[] = {
    { "use_after_free", use_after_free },
    { "use_after_free_async", use_after_free_async },
    { "write_constant", write_constant },
    { "write_code", write_code },
    { "measured_answers", measured_answers },
    { "refused_calls", refused_calls },
    { "driver_calls", driver_calls },
    { "ptx_operands", ptx_operands },
    { "dynamic_each", dynamic_each },
    { "endless_spin", endless_spin },
    { "interrupted_busy", interrupted_busy },
    { "terminated_busy", terminated_busy },
    { "own_interrupt", own_interrupt },
    { "interrupted_cpu", interrupted_cpu },
    { "interrupted_sleep", interrupted_sleep },
    { "copied_and_gone", copied_and_gone },
    { "freed_and_gone", freed_and_gone },
    { "recorded_and_gone", recorded_and_gone },
    { "launched_and_gone", launched_and_gone },
    { "filled_and_gone", filled_and_gone },
    { "filled_plainly_and_gone", filled_plainly_and_gone },
    { "copied_plainly_and_gone", copied_plainly_and_gone },
    { "filled_plainly_and_done", filled_plainly_and_done },
    { "copied_plainly_and_done", copied_plainly_and_done },
    { "copying_and_gone", copying_and_gone },
    { "called_back_and_gone", called_back_and_gone },
    { "waited_and_gone", waited_and_gone },
    { "gone_in_a_handler", gone_in_a_handler },
    { "own_fault", own_fault },
};

int main(int argc, char **argv)
{
    for (const auto &c : cases) {
        if (argc == 2 && strcmp(argv[1], c.name) == 0) {
            return c.run();
        }
    }
    fprintf(stderr, "usage: %s CASE\n", argv[0]);
    return 2;
}
