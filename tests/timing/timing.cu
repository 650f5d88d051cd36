// SPDX-License-Identifier: MIT
// The mechanisms of published timings, one a word, so that tests/timing/rows.txt can ask for each with its parameters and
// the same program runs on a board. All times are those of events. Prints one number: GB/s or us.
//
//   stream KIND WIDTH MIB OP    a kernel over arrays of MIB MiB each; KIND dev, pin, man, page; WIDTH of a load in bits, 32 or
//                               128; OP read, scale (2 arrays), add (3), l2 (read 16 times, less the first)       GB/s
//   copy KIND KIND BYTES [async]    cudaMemcpy until the CPU has its end                                          us
//   engine KIND KIND BYTES      what one more cudaMemcpyAsync adds to the stream: the copy engine's part           us
//   cpu KIND MIB                the CPU reads words of 8 bytes in turn, the second time (built with --track)        us
//   rooms N HOW                 N blocks that write 512 bytes each: HOW zc (into pinned memory), pin or page (and a copy to
//                               the CPU on the stream), sync-pin, sync-page (cudaMemcpy)                           us
//   launch N                    N empty launches and nothing else                                                 us
//   blocks N                    one launch of N blocks                                                            us
//   sync N                      N small kernels, then the wait                                                    us
//   graph N                     the same as a graph                                                               us
//   event                       create, record, synchronise, destroy                                              us
//   reuse KIND TIMES            a kernel that adds the other half, which is the CPU's, to the elements of one half TIMES times    us
//   wait N                      N times cudaStreamWaitEvent                                                       us
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                               \
    do {                                                                          \
        cudaError_t err_ = (call);                                                \
        if (err_ != cudaSuccess) {                                                \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err_));         \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

static cudaStream_t stream;
static cudaEvent_t from, to;

// --- kernels --------------------------------------------------------------------------------------------------------------

static __device__ float whole(float v)
{
    return v;
}

static __device__ float whole(float4 v)
{
    return v.x + v.y + v.z + v.w;
}

static __device__ float times(float v, float k)
{
    return v * k;
}

static __device__ float4 times(float4 v, float k)
{
    return make_float4(v.x * k, v.y * k, v.z * k, v.w * k);
}

static __device__ float plus(float a, float b)
{
    return a + b;
}

static __device__ float4 plus(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

#define EACH(i, n) \
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)

template <typename T> __global__ void read(const T *a, size_t n, float *out)
{
    float sum = 0;

#pragma unroll 1
    EACH (i, n) {
        sum += whole(a[i]);
    }
    if (sum == 1234.5f) {
        *out = sum;
    }
}

template <typename T> __global__ void scale(const T *a, T *c, size_t n)
{
#pragma unroll 1
    EACH (i, n) {
        c[i] = times(a[i], 3.0f);
    }
}

template <typename T> __global__ void add(const T *a, const T *b, T *c, size_t n)
{
#pragma unroll 1
    EACH (i, n) {
        c[i] = plus(a[i], b[i]);
    }
}

__global__ void empty()
{
}

__global__ void room(float *out)
{
    out[blockIdx.x * 128 + threadIdx.x] = threadIdx.x * 0.5f;
}

// The two may be the same memory for all that the compiler knows: each round loads and stores.
__global__ void reuse(float *own, const float *other, size_t n, int rounds)
{
    EACH (i, n) {
        for (int r = 0; r < rounds; r++) {
            own[i] += other[i];
        }
    }
}

// --- time -----------------------------------------------------------------------------------------------------------------

static void begin()
{
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(from, stream));
}

static double end()
{
    float ms;

    CHECK(cudaEventRecord(to, stream));
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    return ms * 1000.0;
}

// What the events take themselves.
static double nothing()
{
    begin();
    return end();
}

static void *memory(const char *kind, size_t bytes)
{
    void *p = NULL;

    if (strcmp(kind, "dev") == 0) {
        CHECK(cudaMalloc(&p, bytes));
        CHECK(cudaMemset(p, 0, bytes));
        return p;
    }
    if (strcmp(kind, "pin") == 0) {
        CHECK(cudaHostAlloc(&p, bytes, cudaHostAllocMapped));
    } else if (strcmp(kind, "man") == 0) {
        CHECK(cudaMallocManaged(&p, bytes));
    } else if (strcmp(kind, "page") == 0) {
        p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    } else {
        fprintf(stderr, "no kind of memory: %s\n", kind);
        exit(2);
    }
    memset(p, 0, bytes);
    return p;
}

// --- mechanisms -----------------------------------------------------------------------------------------------------------

static int blocks_of_all()
{
    int sms, threads;

    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    return sms * threads / 256;
}

template <typename T> static double stream_of(const char *kind, size_t bytes, const char *op)
{
    size_t n = bytes / sizeof(T);
    int blocks = blocks_of_all(), arrays = strcmp(op, "add") == 0 ? 3 : strcmp(op, "scale") == 0 ? 2 : 1;
    int rounds = strcmp(op, "l2") == 0 ? 16 : 1;
    T *a = (T *)memory(kind, bytes), *b = arrays > 1 ? (T *)memory(kind, bytes) : a;
    T *c = arrays > 2 ? (T *)memory(kind, bytes) : a;
    float *out = (float *)memory("dev", 4);

    read<<<blocks, 256, 0, stream>>>(a, n, out); // what came before has left the L2
    begin();
    for (int i = 0; i < rounds; i++) {
        if (arrays == 1) {
            read<<<blocks, 256, 0, stream>>>(a, n, out);
        } else if (arrays == 2) {
            scale<<<blocks, 256, 0, stream>>>(a, b, n);
        } else {
            add<<<blocks, 256, 0, stream>>>(a, b, c, n);
        }
    }
    return (double)bytes * arrays * rounds / end() / 1000;
}

static double copy(const char *to_kind, const char *from_kind, size_t bytes, bool async)
{
    void *d = memory(to_kind, bytes), *s = memory(from_kind, bytes);
    double base = nothing(), us = 0;

    for (int i = 0; i < 2; i++) { // the second time, as in a loop
        begin();
        if (async) {
            CHECK(cudaMemcpyAsync(d, s, bytes, cudaMemcpyDefault, stream));
            CHECK(cudaStreamSynchronize(stream));
        } else {
            CHECK(cudaMemcpy(d, s, bytes, cudaMemcpyDefault));
        }
        us = end();
    }
    return us - base;
}

static double engine(const char *to_kind, const char *from_kind, size_t bytes)
{
    void *d = memory(to_kind, bytes), *s = memory(from_kind, bytes);
    double us[2];

    for (int n = 1; n <= 2; n++) {
        begin();
        for (int i = 0; i < 16 * n; i++) {
            CHECK(cudaMemcpyAsync(d, s, bytes, cudaMemcpyDefault, stream));
        }
        us[n - 1] = end();
    }
    return (us[1] - us[0]) / 16;
}

static double cpu(const char *kind, size_t bytes)
{
    const volatile uint64_t *a = (const volatile uint64_t *)memory(kind, bytes); // a word an access, as there
    volatile uint64_t sum = 0;
    uint64_t all = 0;
    double us = 0;

    for (int pass = 0; pass < 2; pass++) {
        begin();
        for (size_t i = 0; i < bytes / 8; i++) {
            all += a[i];
        }
        us = end();
    }
    sum = all;
    (void)sum;
    return us;
}

static double rooms(int n, const char *how)
{
    bool zc = strcmp(how, "zc") == 0, sync = strncmp(how, "sync-", 5) == 0;
    float *d = (float *)memory(zc ? "pin" : "dev", n * 512);
    void *h = memory(zc ? "pin" : how + (sync ? 5 : 0), n * 512);
    double base = nothing(), us = 0;

    for (int i = 0; i < 2; i++) {
        begin();
        room<<<n, 128, 0, stream>>>(d);
        if (sync) {
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaMemcpy(h, d, n * 512, cudaMemcpyDeviceToHost));
        } else if (!zc) {
            CHECK(cudaMemcpyAsync(h, d, n * 512, cudaMemcpyDeviceToHost, stream));
        }
        CHECK(cudaStreamSynchronize(stream));
        us = end();
    }
    return us - base;
}

static double launch(int n, int blocks, bool wait)
{
    double base = nothing();

    begin();
    for (int i = 0; i < n; i++) {
        empty<<<blocks, 128, 0, stream>>>();
    }
    if (wait) {
        CHECK(cudaStreamSynchronize(stream));
    }
    return end() - base;
}

static double graph(int n)
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    double base = nothing();

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < n; i++) {
        empty<<<1, 128, 0, stream>>>();
    }
    CHECK(cudaStreamEndCapture(stream, &g));
    CHECK(cudaGraphInstantiate(&e, g, 0));
    begin();
    CHECK(cudaGraphLaunch(e, stream));
    CHECK(cudaStreamSynchronize(stream));
    return end() - base;
}

static double event()
{
    cudaEvent_t e;
    double base = nothing();

    begin();
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecord(e, stream));
    CHECK(cudaEventSynchronize(e));
    CHECK(cudaEventDestroy(e));
    return end() - base;
}

static double waits(int n)
{
    double base = nothing();

    begin();
    for (int i = 0; i < n; i++) {
        CHECK(cudaStreamWaitEvent(stream, from, 0));
    }
    return end() - base;
}

static double again(const char *kind, int rounds)
{
    size_t n = 1 << 18;
    float *a = (float *)memory(kind, n * 4);

    begin();
    reuse<<<n / 2 / 256, 256, 0, stream>>>(a, a + n / 2, n / 2, rounds);
    return end();
}

static const char *word(char **argv, int argc, int i)
{
    return i < argc ? argv[i] : "";
}

int main(int argc, char **argv)
{
    const char *what = word(argv, argc, 1), *a = word(argv, argc, 2), *b = word(argv, argc, 3), *c = word(argv, argc, 4),
               *d = word(argv, argc, 5);
    double r;

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    empty<<<1, 32, 0, stream>>>(); // what a first launch loads is not its time
    CHECK(cudaDeviceSynchronize());
    if (strcmp(what, "stream") == 0) {
        size_t bytes = strtoull(c, NULL, 0) << 20;

        r = atoi(b) == 128 ? stream_of<float4>(a, bytes, d) : stream_of<float>(a, bytes, d);
    } else if (strcmp(what, "copy") == 0) {
        r = copy(a, b, strtoull(c, NULL, 0), strcmp(d, "async") == 0);
    } else if (strcmp(what, "engine") == 0) {
        r = engine(a, b, strtoull(c, NULL, 0));
    } else if (strcmp(what, "cpu") == 0) {
        r = cpu(a, strtoull(b, NULL, 0) << 20);
    } else if (strcmp(what, "rooms") == 0) {
        r = rooms(atoi(a), b);
    } else if (strcmp(what, "launch") == 0) {
        r = launch(atoi(a), 1, false);
    } else if (strcmp(what, "blocks") == 0) {
        r = launch(1, atoi(a), true);
    } else if (strcmp(what, "sync") == 0) {
        r = launch(atoi(a), 1, true);
    } else if (strcmp(what, "graph") == 0) {
        r = graph(atoi(a));
    } else if (strcmp(what, "event") == 0) {
        r = event();
    } else if (strcmp(what, "wait") == 0) {
        r = waits(atoi(a));
    } else if (strcmp(what, "reuse") == 0) {
        r = again(a, atoi(b));
    } else {
        fprintf(stderr, "timing: see its first lines\n");
        return 2;
    }
    printf("%.3f\n", r);
    return 0;
}
