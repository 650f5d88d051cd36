// SPDX-License-Identifier: MIT
// One buffer whose kind of memory the command line chooses, and a kernel that uses it in one of the ways of which a document
// or a published timing says which kind is faster. The CPU's part is the same in each kind.
//
//   kinds KIND WAY LAUNCHES KIB TIMES
//     KIND   dev (with copies), pin, reg, man
//     WAY    read     the CPU writes the buffer, a kernel reads it TIMES times
//            reuse    a kernel adds to its elements TIMES times; the CPU wrote them once and reads them at the end
//            room     a kernel writes the buffer, the CPU reads it
//            again    as room, and the CPU reads it TIMES times
//            own      kernels write and read it; the CPU never
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                  \
    do {                                                             \
        cudaError_t err_ = (call);                                   \
        if (err_ != cudaSuccess) {                                   \
            printf("%s: %s\n", #call, cudaGetErrorString(err_));     \
            exit(1);                                                 \
        }                                                            \
    } while (0)

__global__ void read(const float *a, size_t n, int times, float *sum)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float s = 0;

#pragma unroll 1
    for (int t = 0; t < times; t++) {
        s += a[(i + 32 * t) % n];
    }
    if (s == 1234.5f) {
        *sum = s;
    }
}

__global__ void reuse(volatile float *a, size_t n, int times)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

#pragma unroll 1
    for (int t = 0; t < times && i < n; t++) {
        a[i] += 1.0f;
    }
}

__global__ void room(float *a, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n) {
        a[i] = (float)i;
    }
}

static float *device, *host;
static size_t n;
static bool copied;

static void in()
{
    if (copied) {
        CHECK(cudaMemcpy(device, host, n * 4, cudaMemcpyHostToDevice));
    }
}

static void out()
{
    if (copied) {
        CHECK(cudaMemcpy(host, device, n * 4, cudaMemcpyDeviceToHost));
    } else {
        CHECK(cudaDeviceSynchronize());
    }
}

static void allocate(const char *kind)
{
    if (strcmp(kind, "dev") == 0) {
        copied = true;
        CHECK(cudaMalloc(&device, n * 4));
        CHECK(cudaMallocHost(&host, n * 4));
        return;
    }
    if (strcmp(kind, "pin") == 0) {
        CHECK(cudaMallocHost(&host, n * 4));
    } else if (strcmp(kind, "reg") == 0) {
        host = (float *)aligned_alloc(4096, (n * 4 + 4095) / 4096 * 4096);
        memset(host, 0, n * 4);
        CHECK(cudaHostRegister(host, n * 4, 0));
    } else {
        CHECK(cudaMallocManaged(&host, n * 4));
    }
    device = host;
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        return 2;
    }
    const char *way = argv[2];
    int launches = atoi(argv[3]), times = atoi(argv[5]);
    float *sum, total = 0;

    n = (size_t)(atof(argv[4]) * 256);
    allocate(argv[1]);
    CHECK(cudaMalloc(&sum, 4));
    unsigned blocks = (unsigned)((n + 255) / 256);
    for (int l = 0; l < launches; l++) {
        bool first = l == 0, last = l == launches - 1;

        if (strcmp(way, "read") == 0 || (strcmp(way, "reuse") == 0 && first)) {
            for (size_t i = 0; i < n; i++) {
                host[i] = (float)(i + l);
            }
            in();
        }
        if (strcmp(way, "read") == 0 || (strcmp(way, "own") == 0 && !first)) {
            read<<<blocks, 256>>>(device, n, times, sum);
        } else if (strcmp(way, "reuse") == 0) {
            reuse<<<blocks, 256>>>(device, n, times);
        } else {
            room<<<blocks, 256>>>(device, n);
        }
        CHECK(cudaDeviceSynchronize());
        if (strcmp(way, "room") == 0 || strcmp(way, "again") == 0 || (strcmp(way, "reuse") == 0 && last)) {
            out();
            for (int t = 0; t < (strcmp(way, "again") == 0 ? times : 1); t++) {
                for (size_t i = 0; i < n; i++) {
                    total += ((volatile float *)host)[i];
                }
            }
        }
    }
    CHECK(cudaDeviceSynchronize());
    printf("%g\n", total);
}
