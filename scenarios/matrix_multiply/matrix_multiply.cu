// SPDX-License-Identifier: MIT
// CUDA for Tegra 3.3: matrix multiplication on unified memory with prefetch hints, complete.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_)); \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

#define TILE 16

__global__ void matrixMul(const int *p, const int *q, int *r, int hp, int hq, int wp, int wq)
{
    __shared__ int a[TILE][TILE], b[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, sum = 0;

    for (int t = 0; t < wp; t += TILE) {
        a[threadIdx.y][threadIdx.x] = y < hp && t + threadIdx.x < wp ? p[y * wp + t + threadIdx.x] : 0;
        b[threadIdx.y][threadIdx.x] = x < wq && t + threadIdx.y < hq ? q[(t + threadIdx.y) * wq + x] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (x < wq && y < hp) {
        r[y * wq + x] = sum;
    }
}

static void randFill(int *p, int *q, int hp, int wp, int hq, int wq)
{
    unsigned seed = 1;

    for (int i = 0; i < hp * wp; i++) {
        p[i] = (int)((seed = seed * 1664525 + 1013904223) >> 24) - 128;
    }
    for (int i = 0; i < hq * wq; i++) {
        q[i] = (int)((seed = seed * 1664525 + 1013904223) >> 24) - 128;
    }
}

static int MatrixMul(int hp, int hq, int wp, int wq)
{
    int *p, *q, *r, wrong = 0;
    size_t sizeP = sizeof(int) * hp * wp, sizeQ = sizeof(int) * hq * wq, sizeR = sizeof(int) * hp * wq;
    dim3 block(TILE, TILE), grid((wq + TILE - 1) / TILE, (hp + TILE - 1) / TILE);

    // Attach 'p' and 'q' to the CPU and 'r' to the GPU
    CHECK(cudaMallocManaged(&p, sizeP, cudaMemAttachHost));
    CHECK(cudaMallocManaged(&q, sizeQ, cudaMemAttachHost));
    CHECK(cudaMallocManaged(&r, sizeR));
    randFill(p, q, hp, wp, hq, wq);

    // Prefetch p, q to the GPU as they are needed in the computation
    CHECK(cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachGlobal));
    CHECK(cudaStreamAttachMemAsync(NULL, q, 0, cudaMemAttachGlobal));
    matrixMul<<<grid, block>>>(p, q, r, hp, hq, wp, wq);
    CHECK(cudaGetLastError());
    // Prefetch 'r' to the CPU as only 'r' is needed
    CHECK(cudaStreamAttachMemAsync(NULL, r, 0, cudaMemAttachHost));
    CHECK(cudaStreamSynchronize(NULL));

    CHECK(cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachHost));
    CHECK(cudaStreamAttachMemAsync(NULL, q, 0, cudaMemAttachHost));
    CHECK(cudaStreamSynchronize(NULL));
    for (int y = 0; y < hp; y++) {
        for (int x = 0; x < wq; x++) {
            int sum = 0;

            for (int k = 0; k < wp; k++) {
                sum += p[y * wp + k] * q[k * wq + x];
            }
            wrong += sum != r[y * wq + x];
        }
    }
    printf("%dx%d times %dx%d: %s\n", hp, wp, hq, wq, wrong ? "WRONG" : "Test passed");
    CHECK(cudaFree(p));
    CHECK(cudaFree(q));
    CHECK(cudaFree(r));
    return wrong != 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 80;

    if (n < 1 || n > 4096) {
        fprintf(stderr, "usage: %s [SIZE 1..4096]\n", argv[0]);
        return 2;
    }
    return MatrixMul(n, n + 5, n + 5, n - n / 3);
}
