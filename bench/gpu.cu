// SPDX-License-Identifier: MIT
// gpu KERNEL: the processor time of one run of it, milliseconds; for bench/gpu.sh. With a third word the checksum of what it
// left in memory follows, so that two builds can be compared. If the third word is a number, the kernel runs so often,
// and the time is that of all of them, the first one included. With "least" it is the least of up to 20 runs.
#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                       \
    do {                                                                  \
        cudaError_t err_ = (call);                                        \
        if (err_ != cudaSuccess) {                                        \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err_)); \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

static const int N = 1 << 24; // floats: 64 MiB

__global__ void copy(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    b[i] = a[i];
}

__global__ void saxpy(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    b[i] = 2.5f * a[i] + b[i];
}

__global__ void reduction(const float *a, float *b)
{
    __shared__ float sum[256];
    float v = 0;

    for (int i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256) {
        v += a[i];
    }
    sum[threadIdx.x] = v;
    for (int k = 128; k; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) {
            sum[threadIdx.x] += sum[threadIdx.x + k];
        }
    }
    if (threadIdx.x == 0) {
        b[blockIdx.x] = sum[0];
    }
}

__global__ void histogram(const float *a, float *b)
{
    __shared__ unsigned bin[256];
    const unsigned char *bytes = (const unsigned char *)a;

    bin[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256) {
        atomicAdd(&bin[bytes[i]], 1);
    }
    __syncthreads();
    atomicAdd((unsigned *)b + threadIdx.x, bin[threadIdx.x]);
}

__global__ void transpose(const float *a, float *b)
{
    __shared__ float tile[32][33];
    const int n = 2048;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (int j = 0; j < 32; j += 8) {
        tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        b[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

__global__ void matmul(const float *a, float *b)
{
    const int n = 256;
    const float *second = a + n * n;
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;

    for (int k = 0; k < n; k++) {
        sum += a[y * n + k] * second[k * n + x];
    }
    b[y * n + x] = sum;
}

// Product of two 512 x 512 matrices by tiles of T x T in shared memory
template <int T> __global__ void tiled(const float *a, float *b)
{
    __shared__ float left[T][T], right[T][T];
    const int n = 512;
    const float *second = a + n * n;
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    float sum = 0;

    for (int k = 0; k < n; k += T) {
        left[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = second[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < T; j++) {
            sum += left[threadIdx.y][j] * right[j][threadIdx.x];
        }
        __syncthreads();
    }
    b[y * n + x] = sum;
}

__global__ void stencil(const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (i < N - 1) {
        b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    }
}

__global__ void nbody(const float *a, float *b)
{
    const float4 *body = (const float4 *)a;
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 q = body[i];
    float x = 0, y = 0, z = 0;

    for (int j = 0; j < 2048; j++) {
        float4 r = body[j];
        float dx = r.x - q.x, dy = r.y - q.y, dz = r.z - q.z;
        float d = dx * dx + dy * dy + dz * dz + 1e-3f;
        float s = r.w / (d * sqrtf(d));

        x += dx * s;
        y += dy * s;
        z += dz * s;
    }
    ((float4 *)b)[i] = make_float4(x, y, z, 0);
}

#include "gpu_shared.cuh"
#include "gpu_scattered.cuh"

static void memcpy_pinned(float *d, void *pinned)
{
    for (int i = 0; i < 500; i++) {
        CHECK(cudaMemcpyAsync(d, pinned, 1 << 20, cudaMemcpyHostToDevice));
    }
}

static const struct {
    const char *name;
    void (*kernel)(const float *, float *);
    dim3 grid, block;
    void (*host)(float *, void *);
} kernels[] = {
    { "copy", copy, dim3(N / 256), dim3(256) },
    { "saxpy", saxpy, dim3(N / 256), dim3(256) },
    { "reduction", reduction, dim3(256), dim3(256) },
    { "histogram", histogram, dim3(64), dim3(256) },
    { "transpose", transpose, dim3(64, 64), dim3(32, 8) },
    { "matmul", matmul, dim3(16, 16), dim3(16, 16) },
    { "tiled16", tiled<16>, dim3(32, 32), dim3(16, 16) },
    { "tiled32", tiled<32>, dim3(16, 16), dim3(32, 32) },
    { "stencil", stencil, dim3(N / 256), dim3(256) },
    { "nbody", nbody, dim3(8), dim3(256) },
    { "scan", scan, dim3(N / 4096), dim3(256) },
    { "stencil5", stencil5, dim3(64, 256), dim3(32, 8) },
    { "wmma_f16", wmma_f16, dim3(16, 16), dim3(128) },
    { "wmma_s8", wmma_s8, dim3(16, 16), dim3(128) },
    { "mma_tf32", mma_tf32, dim3(16, 16), dim3(128) },
    { "load_strided", load<column>, dim3(256), dim3(256) },
    { "load_random", load<anywhere>, dim3(256), dim3(256) },
    { "load_near", load_near<float>, dim3(256), dim3(256) },
    { "load_near16", load_near<short>, dim3(256), dim3(256) },
    { "load_near8", load_near<signed char>, dim3(256), dim3(256) },
    { "store_strided", store<column>, dim3(256), dim3(256) },
    { "store_random", store<anywhere>, dim3(256), dim3(256) },
    { "store_near", store_near<float>, dim3(256), dim3(256) },
    { "store_near8", store_near<signed char>, dim3(256), dim3(256) },
    { "atomic_one", atomic_one, dim3(4096), dim3(256) },
    { "atomic_old", atomic_old, dim3(4096), dim3(256) },
    { "atomic_random", atomic_random, dim3(4096), dim3(256) },
    { "atomic_shared", atomic_shared, dim3(256), dim3(256) },
    { "launch", NULL, dim3(1), dim3(1), launch },
    { "launch_wait", NULL, dim3(1), dim3(1), launch_wait },
    { "memcpy_16m", NULL, dim3(1), dim3(1), memcpy_16m },
    { "memcpy_pinned", NULL, dim3(1), dim3(1), memcpy_pinned },
};

static double now_ms()
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void run(int k, float *a, float *b, void *pinned)
{
    if (kernels[k].kernel) {
        kernels[k].kernel<<<kernels[k].grid, kernels[k].block>>>(a, b);
        CHECK(cudaGetLastError());
    } else {
        kernels[k].host(b, pinned);
    }
    CHECK(cudaDeviceSynchronize());
}

// Other work on the machine only adds to a run.
static double least_ms(int k, float *a, float *b, void *pinned)
{
    double least = HUGE_VAL, sum = 0;

    for (int i = 0; i < 20 && sum < 2000; i++) {
        double begin = now_ms(), ms;

        run(k, a, b, pinned);
        ms = now_ms() - begin;
        sum += ms;
        least = ms < least ? ms : least;
    }
    return least;
}

static unsigned long long checksum(const float *d, float *h)
{
    unsigned long long sum = 14695981039346656037ull; // FNV-1a, by words

    CHECK(cudaMemcpy(h, d, N * sizeof(*h), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        unsigned word;

        memcpy(&word, h + i, sizeof(word));
        sum = (sum ^ word) * 1099511628211ull;
    }
    return sum;
}

int main(int argc, char **argv)
{
    float *h = (float *)malloc(N * sizeof(*h)), *a, *b;
    void *pinned;

    for (int i = 0; i < N; i++) {
        h[i] = (i % 977) * 0.25f;
    }
    CHECK(cudaMalloc(&a, N * sizeof(*a)));
    CHECK(cudaMalloc(&b, N * sizeof(*b)));
    CHECK(cudaMallocHost(&pinned, 1 << 20));
    memset(pinned, 0x5a, 1 << 20);
    CHECK(cudaMemcpy(a, h, N * sizeof(*a), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(b, 0, N * sizeof(*b)));
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < (int)(sizeof(kernels) / sizeof(kernels[0])); k++) {
        if (argc > 1 && strcmp(argv[1], kernels[k].name) == 0) {
            double begin;
            int times = argc > 2 ? atoi(argv[2]) : 0;

            if (argc == 2) { // what a first launch loads is not the kernel's time
                run(k, a, b, pinned);
            }
            if (argc > 2 && strcmp(argv[2], "least") == 0) {
                printf("%.2f\n", least_ms(k, a, b, pinned));
                return 0;
            }
            begin = now_ms();
            do {
                run(k, a, b, pinned);
            } while (--times > 0);
            printf("%.2f\n", now_ms() - begin);
            if (argc > 2 && atoi(argv[2]) == 0) {
                printf("%016llx\n", checksum(b, h));
            }
            return 0;
        }
    }
    fprintf(stderr, "usage: gpu KERNEL [sum]; kernels:");
    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
        fprintf(stderr, " %s", kernels[k].name);
    }
    fprintf(stderr, "\n");
    return 2;
}
