// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 1000

__global__ void fill(int *data, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        data[first + i * 64] = i;
    }
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data, *other;

    cudaMalloc((void **)&data, N * 64 * sizeof(int));
    fill<<<4, 256>>>(data, fixed ? 0 : 1 << 26); /* far beyond what a board has mapped */
    cudaMalloc((void **)&other, 4096); /* may be the first to hear of it */
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(cudaMemset(other, 0, 4096)));
    cudaDeviceSynchronize(); /* a memset of device memory does not wait by itself */
    return cudaGetLastError() != cudaSuccess;
}
