// SPDX-License-Identifier: MIT
// One feature of CUDA C++ a function, each checked against plain C++. Prints "NAME ok" for each.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(err_));                   \
            return 1;                                                                               \
        }                                                                                           \
    } while (0)
#define EXPECT(condition)                                                                           \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            printf("line %d: not so: %s\n", __LINE__, #condition);                                  \
            return 1;                                                                               \
        }                                                                                           \
    } while (0)

// --- __constant__
__constant__ int weights[4] = { 1, 10, 100, 1000 };
__constant__ float late;

__global__ void weigh(int *out)
{
    out[threadIdx.x] = weights[threadIdx.x % 4] * (int)threadIdx.x + (int)late;
}

static int constants()
{
    const int changed[2] = { 7, 70 };
    const float value = 3;
    int out[64], *d;

    CHECK(cudaMalloc(&d, sizeof(out)));
    CHECK(cudaMemcpyToSymbol(late, &value, sizeof(value)));
    weigh<<<1, 64>>>(d);
    CHECK(cudaMemcpy(out, d, sizeof(out), cudaMemcpyDeviceToHost));
    EXPECT(out[0] == 3 && out[1] == 13 && out[2] == 203 && out[3] == 3003 && out[63] == 63003);
    CHECK(cudaMemcpyToSymbol(weights, changed, sizeof(changed), 2 * sizeof(int)));
    weigh<<<1, 64>>>(d);
    CHECK(cudaMemcpy(out, d, sizeof(out), cudaMemcpyDeviceToHost));
    EXPECT(out[1] == 13 && out[2] == 17 && out[3] == 213);
    return cudaFree(d);
}

// --- __device__
__device__ int counter = 5;
__device__ double table[3] = { 0.5, 1.5, 2.5 };

__global__ void count()
{
    atomicAdd(&counter, 1);
    if (threadIdx.x < 3 && blockIdx.x == 0) {
        table[threadIdx.x] *= 2;
    }
}

static int device_variables()
{
    int value;
    double out[3];
    void *at;
    size_t size;

    count<<<4, 32>>>();
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
    CHECK(cudaMemcpyFromSymbol(out, table, sizeof(out)));
    EXPECT(value == 133);
    EXPECT(out[0] == 1 && out[1] == 3 && out[2] == 5);
    CHECK(cudaGetSymbolAddress(&at, table));
    CHECK(cudaGetSymbolSize(&size, table));
    EXPECT(size == sizeof(table));
    CHECK(cudaMemset(at, 0, size));
    CHECK(cudaMemcpyFromSymbol(out, table, sizeof(out)));
    EXPECT(out[0] == 0 && out[2] == 0);
    return 0;
}

// --- __managed__
#ifndef NO_MANAGED_VARIABLES // clang 19 does not know them for CUDA
__managed__ int shared_value = 40;
__managed__ int shared_array[256];

__global__ void fill_managed()
{
    shared_array[threadIdx.x] = threadIdx.x * shared_value;
}

static int managed_variables()
{
    shared_value += 2;
    fill_managed<<<1, 256>>>();
    CHECK(cudaDeviceSynchronize());
    EXPECT(shared_array[0] == 0 && shared_array[1] == 42 && shared_array[255] == 255 * 42);
    return 0;
}
#endif

// --- printf in a kernel
__global__ void say(const char *word)
{
    if (threadIdx.x % 32 == 0) {
        printf("%s %d.%d %5.2f %c %llx %%\n", word, blockIdx.x, threadIdx.x, threadIdx.x / 64.0, 'z',
               0x123456789abcdefull + threadIdx.x);
    }
}

__device__ char hello[] = "hello";

static int device_printf()
{
    void *word;

    CHECK(cudaGetSymbolAddress(&word, hello));
    say<<<1, 64>>>((const char *)word);
    CHECK(cudaDeviceSynchronize());
    return 0;
}

// --- templates
template <typename T, int N> struct box {
    T v[N];

    __device__ T sum() const
    {
        T s = T();

        for (int i = 0; i < N; i++) {
            s += v[i];
        }
        return s;
    }
};

template <typename T, int N, typename F> __global__ void map_boxes(const box<T, N> *in, T *out, F f)
{
    out[threadIdx.x] = f(in[threadIdx.x].sum());
}

struct times {
    int k;

    template <typename T> __device__ T operator()(T x) const { return x * (T)k; }
};

template <typename T, int N> static int map_and_compare()
{
    box<T, N> in[40], *d_in;
    T out[40], *d_out;

    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < N; j++) {
            in[i].v[j] = (T)(i + j);
        }
    }
    CHECK(cudaMalloc(&d_in, sizeof(in)));
    CHECK(cudaMalloc(&d_out, sizeof(out)));
    CHECK(cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyDefault));
    map_boxes<<<1, 40>>>(d_in, d_out, times{ 3 });
    CHECK(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDefault));
    for (int i = 0; i < 40; i++) {
        EXPECT(out[i] == (T)((N * i + N * (N - 1) / 2) * 3));
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return 0;
}

static int templates()
{
    return map_and_compare<float, 3>() || map_and_compare<double, 5>() || map_and_compare<int, 1>() ||
           map_and_compare<short, 7>() || map_and_compare<long long, 4>();
}

// --- dynamic shared memory, above 48 KiB only after asking
__global__ void reverse(int *data, int n)
{
    extern __shared__ int s[];

    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s[i] = data[blockIdx.x * n + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        data[blockIdx.x * n + i] = s[n - 1 - i];
    }
}

static int dynamic_shared()
{
    const int n = 3000;
    int *p, most;

    CHECK(cudaMallocManaged(&p, 2 * n * sizeof(int)));
    for (int i = 0; i < 2 * n; i++) {
        p[i] = i;
    }
    reverse<<<2, 128, n * sizeof(int)>>>(p, n);
    CHECK(cudaDeviceSynchronize());
    EXPECT(p[0] == n - 1 && p[n - 1] == 0 && p[n] == 2 * n - 1 && p[2 * n - 1] == n);
    reverse<<<1, 32, 1 << 20>>>(p, n);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (most > 48 << 10) {
        CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
        reverse<<<1, 32, most>>>(p, n);
        CHECK(cudaDeviceSynchronize());
        EXPECT(p[0] == 0);
    }
    return cudaFree(p);
}

// --- streams, events, callbacks
__global__ void scale(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        p[i] = p[i] * by + 1;
    }
}

static void host_step(void *data)
{
    ++*(int *)data;
}

static void stream_step(cudaStream_t, cudaError_t status, void *data)
{
    *(int *)data += status == cudaSuccess ? 10 : 1000;
}

static int streams()
{
    const int n = 1000;
    int *h, *d, called = 0;
    cudaStream_t s[2];
    cudaEvent_t start, middle, end;
    float ms = -1;

    CHECK(cudaMallocHost(&h, n * sizeof(int)));
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    CHECK(cudaStreamCreate(&s[0]));
    CHECK(cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreateWithFlags(&middle, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < n; i++) {
        h[i] = i;
    }
    CHECK(cudaEventRecord(start, s[0]));
    CHECK(cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, s[0]));
    scale<<<4, 256, 0, s[0]>>>(d, n, 2);
    CHECK(cudaEventRecord(middle, s[0]));
    CHECK(cudaLaunchHostFunc(s[0], host_step, &called));
    CHECK(cudaStreamWaitEvent(s[1], middle, 0));
    scale<<<4, 256, 0, s[1]>>>(d, n, 3);
    CHECK(cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, s[1]));
    CHECK(cudaStreamAddCallback(s[1], stream_step, &called, 0));
    CHECK(cudaEventRecord(end, s[1]));
    CHECK(cudaEventSynchronize(end));
    EXPECT(cudaStreamQuery(s[1]) == cudaSuccess);
    CHECK(cudaStreamSynchronize(s[0]));
    EXPECT(called == 11);
    for (int i = 0; i < n; i++) {
        EXPECT(h[i] == (i * 2 + 1) * 3 + 1);
    }
    CHECK(cudaEventElapsedTime(&ms, start, end));
    EXPECT(ms > 0);
    EXPECT(cudaEventElapsedTime(&ms, start, middle) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle ? cudaSuccess : cudaErrorUnknown);
    CHECK(cudaStreamDestroy(s[0]));
    CHECK(cudaStreamDestroy(s[1]));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(middle));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(d));
    return cudaFreeHost(h);
}

// --- atomics
__global__ void many_atomics(int *i, unsigned *u, unsigned long long *l, float *f)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd(&i[0], t);
    atomicSub(&i[1], 1);
    atomicMin(&i[2], -t);
    atomicMax(&i[3], t);
    atomicOr(&u[0], 1u << (t % 32));
    atomicAnd(&u[1], ~(1u << (t % 8)));
    atomicXor(&u[2], t);
    atomicInc(&u[3], 9);
    atomicAdd(&l[0], 1ull << 32);
    atomicMax(&l[1], (unsigned long long)t << 33);
    atomicAdd(f, 0.25f);
    if (atomicCAS(&i[4], 0, 1) == 0) {
        atomicExch(&i[5], 77);
    }
}

static int atomics()
{
    int *i;
    unsigned *u;
    unsigned long long *l;
    float *f;

    CHECK(cudaMallocManaged(&i, 4096));
    CHECK(cudaMallocManaged(&u, 4096));
    CHECK(cudaMallocManaged(&l, 4096));
    CHECK(cudaMallocManaged(&f, 4096));
    memset(i, 0, 4096);
    memset(u, 0, 4096);
    memset(l, 0, 4096);
    *f = 0;
    u[1] = ~0u;
    many_atomics<<<3, 64>>>(i, u, l, f);
    CHECK(cudaDeviceSynchronize());
    EXPECT(i[0] == 191 * 192 / 2 && i[1] == -192 && i[2] == -191 && i[3] == 191);
    EXPECT(i[4] == 1 && i[5] == 77);
    EXPECT(u[0] == ~0u && u[1] == 0xffffff00u && u[2] == 0 && u[3] == 2); // 192 steps modulo 10
    EXPECT(l[0] == 192ull << 32 && l[1] == 191ull << 33);
    EXPECT(*f == 48);
    CHECK(cudaFree(i));
    CHECK(cudaFree(u));
    CHECK(cudaFree(l));
    return cudaFree(f);
}

// --- shuffles and votes
__global__ void warp_work(int *out)
{
    int v = threadIdx.x, sum = v;

    for (int step = 16; step; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    out[threadIdx.x] = sum;
    out[64 + threadIdx.x] = __shfl_up_sync(0xffffffffu, v, 3);
    out[128 + threadIdx.x] = __shfl_down_sync(0xffffffffu, v, 1, 8);
    out[192 + threadIdx.x] = __shfl_sync(0xffffffffu, v * v, 5, 16);
    out[256 + threadIdx.x] = (int)__ballot_sync(0xffffffffu, v % 3 == 0);
    out[320 + threadIdx.x] = __any_sync(0xffffffffu, v == 40) * 2 + __all_sync(0xffffffffu, v < 32);
}

static int shuffles()
{
    int *out;

    CHECK(cudaMallocManaged(&out, 384 * sizeof(int)));
    warp_work<<<1, 64>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        int lane = i % 32, warp = i / 32 * 32, threes = 0;

        for (int j = 0; j < 32; j++) {
            threes |= (int)((unsigned)((warp + j) % 3 == 0) << j);
        }
        EXPECT(out[i] == (i < 32 ? 496 : 496 + 1024));
        EXPECT(out[64 + i] == (lane < 3 ? i : i - 3));
        EXPECT(out[128 + i] == (i % 8 == 7 ? i : i + 1));
        EXPECT(out[192 + i] == (i / 16 * 16 + 5) * (i / 16 * 16 + 5));
        EXPECT(out[256 + i] == threes);
        EXPECT(out[320 + i] == (i < 32 ? 1 : 2));
    }
    return cudaFree(out);
}

/* A list that one kernel builds and another one reads and frees; and all of the heap, twice: what is freed can be had
 * again, and where nothing is left there is NULL (Programming Guide, "Dynamic Global Memory Allocation"). */
struct node {
    int value;
    node *next;
};

__device__ node *lists[96];

__global__ void build()
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = 0; i < t % 5 + 1; i++) {
        node *n = (node *)malloc(sizeof(node));

        n->value = t * 10 + i;
        n->next = lists[t];
        lists[t] = n;
    }
}

__global__ void take_down(int *sum)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;

    for (node *n = lists[t], *next; n; n = next) {
        s += n->value + (((size_t)n & 15) != 0) * 1000000;
        next = n->next;
        free(n);
    }
    lists[t] = nullptr;
    sum[t] = s;
}

__global__ void fill_heap(int *blocks)
{
    void *last = nullptr;

    *blocks = 0;
    for (void **p; (p = (void **)malloc(100000)) != nullptr; last = p, ++*blocks) {
        *p = last;
    }
    while (last) {
        void *before = *(void **)last;

        free(last);
        last = before;
    }
}

struct shape {
    __device__ virtual ~shape() {}
    __device__ virtual int area() const = 0;
};
struct square : shape {
    int side;
    __device__ square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};
struct pair : shape {
    int a, b;
    __device__ pair(int x, int y) : a(x), b(y) {}
    __device__ int area() const override { return a * b; }
};

__global__ void shapes(int *out)
{
    shape *s = threadIdx.x % 2 ? (shape *)new square(threadIdx.x) : new pair(threadIdx.x, 3);

    out[threadIdx.x] = s->area();
    delete s;
}

static int device_heap()
{
    int *out, blocks;

    CHECK(cudaMallocManaged(&out, 96 * sizeof(int)));
    build<<<3, 32>>>();
    take_down<<<3, 32>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (int t = 0; t < 96; t++) {
        int n = t % 5 + 1;

        EXPECT(out[t] == t * 10 * n + n * (n - 1) / 2);
    }
    fill_heap<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    blocks = out[0];
    EXPECT(blocks > 70 && blocks <= (8 << 20) / 100000); /* of the 8 MiB that are the default */
    fill_heap<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == blocks);
    shapes<<<1, 96>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (int t = 0; t < 96; t++) {
        EXPECT(out[t] == (t % 2 ? t * t : t * 3));
    }
    return cudaFree(out);
}

static const struct {
    const char *name;
    int (*run)();
} features[] = {
#ifndef NO_MANAGED_VARIABLES
    /* First: the CPU touches its variables before any call waits for anything. */
    { "managed_variables", managed_variables },
#endif
    { "constants", constants },       { "device_variables", device_variables },
    { "device_printf", device_printf }, { "templates", templates },
    { "dynamic_shared", dynamic_shared }, { "streams", streams },
    { "atomics", atomics },           { "shuffles", shuffles },
    { "device_heap", device_heap },
};

int main()
{
    int failed = 0;

    for (const auto &f : features) {
        if (f.run()) {
            printf("%s FAILED\n", f.name);
            failed = 1;
        } else {
            printf("%s ok\n", f.name);
        }
    }
    return failed;
}
