// SPDX-License-Identifier: MIT
// The mechanisms of published timings, one a word, so that tests/timing/rows.txt can ask for each with its parameters and
// the same program runs on a board. All times are those of events. Prints one number: GB/s or us.
//
//   stream KIND WIDTH MIB OP    a kernel over arrays of MIB MiB each; KIND dev, pin, man, page; WIDTH of a load in bits, 32 or
//                               128; OP read, scale (2 arrays), add (3), l2 (read 16 times by one kernel)       GB/s
//   copy KIND KIND BYTES [async]    cudaMemcpy until the CPU has its end; loop: cudaMemcpyAsync in a loop, a round   us
//   engine KIND KIND BYTES      what one more cudaMemcpyAsync adds to the stream: the copy engine's part           us
//   cpu KIND MIB                the CPU reads words of 8 bytes in turn, the second time (built with --track)        us
//   rooms N HOW                 N blocks of a warp, each a product of 256 halves and a result of 4 bytes, in a loop that waits for
//                               nothing: HOW dev, zc (the results in pinned memory), pin (and a copy to the CPU on the
//                               stream), two (and a kernel over the results), graph, graph-two (the same as a graph);
//                               sync-pin, sync-page (and cudaMemcpy()), wait (and cudaDeviceSynchronize())        us a round
//   layers HOW                  4 kernels of 64 rooms: HOW sequential, fused (one kernel), pipelined (4 streams with events),
//                               then cudaDeviceSynchronize(), in a loop                                            us a round
//   launches N T                empty launches of N blocks of T threads, in a loop                                us a launch
//   stores N                    launches of N blocks that store one word, 64 in a loop                            us a launch
//   around N                    between two events around a kernel of N rooms                                     us
//   launch N                    N empty launches and nothing else                                                 us
//   blocks N                    one launch of N blocks                                                            us
//   sync N                      N small kernels, then the wait                                                    us
//   graph N                     the same as a graph                                                               us
//   event                       create, record, synchronise, destroy                                              us
//   reuse KIND N                a kernel that adds N elements of the half that is the CPU's to each of its own, again and again    us
//   wait N                      N times cudaStreamWaitEvent                                                       us
#include <cuda_fp16.h>
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

static __device__ float past_l1(const float *p)
{
    float v;

    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}

static __device__ float4 past_l1(const float4 *p)
{
    float4 v;

    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}

#define EACH(i, n) \
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)

template <typename T> __global__ void read(const T *a, size_t n, int times, float *out)
{
    float sum = 0;

    for (int r = 0; r < times; r++) {
#pragma unroll 1
        EACH (i, n) {
            sum += whole(times == 1 ? a[i] : past_l1(a + i)); // from the L2, if again and again
        }
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

__global__ void store(float *out)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        *out = 1.0f;
    }
}

enum { ROOM_DIM = 256, ROOMS_MAX = 512, LAYERS = 4 };

// One number a room: the product of its weights with the input, and a GELU of it.
static __device__ float product(const __half *weights, const float *from_float, const __half *from_half)
{
    float sum = 0;

    for (int i = threadIdx.x; i < ROOM_DIM; i += 32) {
        sum += __half2float(weights[i]) * (from_half ? __half2float(from_half[i]) : from_float[i]);
    }
    for (int off = 16; off > 0; off /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, off);
    }
    return sum;
}

static __device__ float gelu(float v)
{
    return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

__global__ void room(const __half *weights, const __half *in, float *out)
{
    float sum = product(weights + blockIdx.x * ROOM_DIM, NULL, in);

    if (threadIdx.x == 0) {
        out[blockIdx.x] = gelu(sum);
    }
}

__global__ void doubled(float *data, int n)
{
    if (threadIdx.x < n) {
        data[threadIdx.x] *= 2.0f;
    }
}

__global__ void layer(const __half *weights, const float *in, float *out)
{
    float sum = product(weights + blockIdx.x * ROOM_DIM, in + blockIdx.x * ROOM_DIM, NULL);

    if (threadIdx.x == 0) {
        out[blockIdx.x] = gelu(sum);
    }
}

__global__ void layers_fused(const __half *weights, const float *in, float *out)
{
    float v = 0;

    for (int l = 0; l < LAYERS; l++) {
        const __half *w = weights + (l * 64 + blockIdx.x) * ROOM_DIM;
        float sum = 0;

        for (int i = threadIdx.x; i < ROOM_DIM; i += 32) {
            sum += __half2float(w[i]) * (l == 0 ? in[blockIdx.x * ROOM_DIM + i] : v);
        }
        for (int off = 16; off > 0; off /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, off);
        }
        v = __shfl_sync(0xffffffff, gelu(sum), 0);
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = v;
    }
}

// Each second element of the GPU's half has the roots of each second element of the CPU's half added to it, twice each: a
// warp reads one address, and stores each round, since both halves are of one array.
__global__ void reuse(float *all, size_t half, size_t others)
{
    size_t own = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (own >= half || own % 2 == 0) {
        return;
    }
    for (size_t i = 1; i < others; i += 2) {
        for (int twice = 0; twice < 2; twice++) {
            all[own] += sqrtf(all[half + i]);
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

    read<<<blocks, 256, 0, stream>>>(a, n, 1, out); // what came before has left the L2
    begin();
    if (arrays == 1) {
        read<<<blocks, 256, 0, stream>>>(a, n, rounds, out);
    } else if (arrays == 2) {
        scale<<<blocks, 256, 0, stream>>>(a, b, n);
    } else {
        add<<<blocks, 256, 0, stream>>>(a, b, c, n);
    }
    return (double)bytes * arrays * rounds / end() / 1000;
}

enum { ROUNDS = 32 }; // of a loop, after as many that do not count: fewer than a channel's ring has room for

// The second of two runs of a loop, from an event before it to one behind it.
template <typename F> static double rounds(F once)
{
    double us = 0;

    for (int i = 0; i < 2; i++) {
        begin();
        for (int r = 0; r < ROUNDS; r++) {
            once();
        }
        us = end() / ROUNDS;
    }
    return us;
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

static double copies(const char *to_kind, const char *from_kind, size_t bytes)
{
    void *d = memory(to_kind, bytes), *s = memory(from_kind, bytes);

    return rounds([=]() { CHECK(cudaMemcpyAsync(d, s, bytes, cudaMemcpyDefault, stream)); });
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
    bool sync = strncmp(how, "sync-", 5) == 0, one_graph = strncmp(how, "graph", 5) == 0;
    bool two = strcmp(how, "two") == 0 || strcmp(how, "graph-two") == 0;
    __half *weights = (__half *)memory("dev", ROOMS_MAX * ROOM_DIM * sizeof(__half)), *in = (__half *)memory("dev", ROOM_DIM * sizeof(__half));
    float *out = (float *)memory(strcmp(how, "zc") == 0 ? "pin" : "dev", n * sizeof(float));
    void *h = memory(strcmp(how, "sync-page") == 0 ? "page" : "pin", n * sizeof(float));
    cudaGraph_t g = NULL;
    cudaGraphExec_t e = NULL;
    auto kernels = [=]() {
        room<<<n, 32, 0, stream>>>(weights, in, out);
        if (two) {
            doubled<<<1, n, 0, stream>>>(out, n);
        }
    };

    if (one_graph) {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        kernels();
        CHECK(cudaStreamEndCapture(stream, &g));
        CHECK(cudaGraphInstantiate(&e, g, 0));
    }
    return rounds([=]() {
        if (one_graph) {
            CHECK(cudaGraphLaunch(e, stream));
            return;
        }
        kernels();
        if (sync) {
            CHECK(cudaMemcpy(h, out, n * sizeof(float), cudaMemcpyDeviceToHost));
        } else if (strcmp(how, "pin") == 0) {
            CHECK(cudaMemcpyAsync(h, out, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
        } else if (strcmp(how, "wait") == 0) {
            CHECK(cudaDeviceSynchronize());
        }
    });
}

static double layers(const char *how)
{
    __half *weights = (__half *)memory("dev", LAYERS * 64 * ROOM_DIM * sizeof(__half));
    float *data[LAYERS + 1];
    cudaStream_t lane[LAYERS];
    cudaEvent_t done[LAYERS];

    for (int l = 0; l <= LAYERS; l++) {
        data[l] = (float *)memory("dev", 64 * ROOM_DIM * sizeof(float));
    }
    for (int l = 0; l < LAYERS; l++) {
        CHECK(cudaStreamCreate(&lane[l]));
        CHECK(cudaEventCreate(&done[l]));
    }
    return rounds([&]() {
        if (strcmp(how, "fused") == 0) {
            layers_fused<<<64, 32, 0, stream>>>(weights, data[0], data[LAYERS]);
        }
        for (int l = 0; strcmp(how, "fused") != 0 && l < LAYERS; l++) {
            bool pipelined = strcmp(how, "pipelined") == 0;

            if (pipelined && l > 0) {
                CHECK(cudaStreamWaitEvent(lane[l], done[l - 1], 0));
            }
            layer<<<64, 32, 0, pipelined ? lane[l] : stream>>>(weights + l * 64 * ROOM_DIM, data[l], data[l + 1]);
            if (pipelined) {
                CHECK(cudaEventRecord(done[l], lane[l]));
            }
        }
        CHECK(cudaDeviceSynchronize());
    });
}

static double launches(int n, int threads)
{
    return rounds([=]() { empty<<<n, threads, 0, stream>>>(); });
}

static double stores(int n)
{
    float *out = (float *)memory("dev", sizeof(*out));

    return rounds([=]() { store<<<n, 32, 0, stream>>>(out); });
}

// Two events of its own around a kernel, and the wait for the second
static double around(int n)
{
    __half *weights = (__half *)memory("dev", ROOMS_MAX * ROOM_DIM * sizeof(__half)), *in = (__half *)memory("dev", ROOM_DIM * sizeof(__half));
    float *out = (float *)memory("dev", n * sizeof(float)), ms = 0;
    cudaEvent_t first, last;

    for (int i = 0; i < 2; i++) {
        CHECK(cudaEventCreate(&first));
        CHECK(cudaEventCreate(&last));
        CHECK(cudaEventRecord(first, stream));
        room<<<n, 32, 0, stream>>>(weights, in, out);
        CHECK(cudaEventRecord(last, stream));
        CHECK(cudaEventSynchronize(last));
        CHECK(cudaEventElapsedTime(&ms, first, last));
        CHECK(cudaEventDestroy(first));
        CHECK(cudaEventDestroy(last));
    }
    return ms * 1000;
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

static double again(const char *kind, size_t others)
{
    size_t half = 1 << 17;
    float *all = (float *)memory(kind, 2 * half * sizeof(*all));

    begin();
    reuse<<<half / 1024, 1024, 0, stream>>>(all, half, others);
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
        r = strcmp(d, "loop") == 0 ? copies(a, b, strtoull(c, NULL, 0)) : copy(a, b, strtoull(c, NULL, 0), strcmp(d, "async") == 0);
    } else if (strcmp(what, "engine") == 0) {
        r = engine(a, b, strtoull(c, NULL, 0));
    } else if (strcmp(what, "cpu") == 0) {
        r = cpu(a, strtoull(b, NULL, 0) << 20);
    } else if (strcmp(what, "rooms") == 0) {
        r = rooms(atoi(a), b);
    } else if (strcmp(what, "layers") == 0) {
        r = layers(a);
    } else if (strcmp(what, "launches") == 0) {
        r = launches(atoi(a), atoi(b));
    } else if (strcmp(what, "stores") == 0) {
        r = stores(atoi(a));
    } else if (strcmp(what, "around") == 0) {
        r = around(atoi(a));
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
