// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define N 1024

__global__ void add_one(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data;

    if (fixed) {
        cudaMallocHost((void **)&data, N * sizeof(int));
    } else {
        data = (int *)malloc(N * sizeof(int));
    }
    data[3] = 4;
    add_one<<<N / 256, 256>>>(data);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return data[3] != 5;
}
