/* SPDX-License-Identifier: MIT */
/* A kernel of many live values, launched with the largest block. */
#include <stdio.h>

#define VALUES 90

__global__ void heavy(float *p, int n)
{
    float a[VALUES], sum = 0;

#pragma unroll
    for (int i = 0; i < VALUES; i++) {
        a[i] = p[i * n + threadIdx.x];
    }
#pragma unroll
    for (int r = 0; r < 3; r++) {
#pragma unroll
        for (int i = 0; i < VALUES; i++) {
            a[i] = a[i] * a[(i * 7 + r + 1) % VALUES] + a[(i + 13) % VALUES];
        }
    }
#pragma unroll
    for (int i = 0; i < VALUES; i++) {
        sum += a[i] * p[i];
    }
    p[threadIdx.x] = sum;
}

int main()
{
    cudaFuncAttributes a;
    float *p;
    int blocks = -1;

    if (cudaFuncGetAttributes(&a, heavy) || cudaMalloc(&p, VALUES * 1024 * sizeof(*p)) ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, 1024, 0)) {
        return 1;
    }
    heavy<<<1, 1024>>>(p, 1024);
    printf("%d registers, %d threads, %d blocks: %s\n", a.numRegs, a.maxThreadsPerBlock, blocks,
           cudaGetErrorName(cudaGetLastError()));
    return cudaDeviceSynchronize() != cudaSuccess;
}
