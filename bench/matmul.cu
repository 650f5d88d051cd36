// SPDX-License-Identifier: MIT
// matmul [N]: the same product three ways in one run: a plain loop on this CPU, a naive kernel and a
// tiled one on the virtual iGPU. Prints the times and the two ratios; best of five each.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loop.h"

#define TILE 16
#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err_));                           \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

__global__ void naive(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    for (int k = 0; k < n; k++) {
        sum += a[y * n + k] * b[k * n + x];
    }
    c[y * n + x] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;

    for (int k = 0; k < n; k += TILE) {
        s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += s[threadIdx.y][i] * t[i][threadIdx.x];
        }
        __syncthreads();
    }
    c[y * n + x] = sum;
}

static double now()
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

// Integers small enough for exact float sums, so that every order of additions gives the same bits.
static int compare(const char *name, const float *d_c, const float *expected, size_t bytes)
{
    float *got = (float *)malloc(bytes);
    int wrong;

    CHECK(cudaMemcpy(got, d_c, bytes, cudaMemcpyDeviceToHost));
    wrong = memcmp(got, expected, bytes) != 0;
    if (wrong) {
        printf("%s: WRONG\n", name);
    }
    free(got);
    return wrong;
}

template <typename Kernel>
static double run(Kernel kernel, const float *a, const float *b, float *c, int n)
{
    double best = 1e9;

    for (int i = 0; i < 5; i++) {
        double start = now();

        kernel<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
        CHECK(cudaDeviceSynchronize());
        double t = now() - start;
        best = t < best ? t : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256, wrong;
    size_t bytes = sizeof(float) * n * n;
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    float *d_a, *d_b, *d_c;
    double loop = 1e9, plain, tiles;

    if (n < TILE || n > 4096 || n % TILE) {
        fprintf(stderr, "usage: %s [N], a multiple of %d up to 4096\n", argv[0], TILE);
        return 2;
    }
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 7;
        b[i] = i % 5;
    }
    for (int i = 0; i < 5; i++) {
        double start = now();

        loop_matmul(a, b, c, n);
        double t = now() - start;
        loop = t < loop ? t : loop;
    }
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
    plain = run(naive, d_a, d_b, d_c, n);
    wrong = compare("naive", d_c, c, bytes);
    tiles = run(tiled, d_a, d_b, d_c, n);
    wrong |= compare("tiled", d_c, c, bytes);
    printf("%d^3: loop %.1f ms; naive %.1f ms = %.2f x; tiled %.1f ms = %.2f x\n", n, loop * 1e3,
           plain * 1e3, plain / loop, tiles * 1e3, tiles / loop);
    return wrong;
}
