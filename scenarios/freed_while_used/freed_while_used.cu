// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void fill(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = 7;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *frame, seen;

    cudaMallocHost((void **)&frame, N * sizeof(int));
    fill<<<N / 256, 256>>>(frame);
    cudaDeviceSynchronize();
    if (!fixed) {
        cudaFreeHost(frame);
    }
    seen = frame[1]; /* <-- found here */
    if (fixed) {
        cudaFreeHost(frame);
    }
    printf("%d\n", seen);
    return seen != 7;
}
