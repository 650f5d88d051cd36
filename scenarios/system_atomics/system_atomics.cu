// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count_system(int *counter)
{
    atomicAdd_system(counter, 1);
}

__global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *counter;

    cudaMallocHost((void **)&counter, sizeof(int));
    *counter = 0;
    if (fixed) {
        count<<<1, 32>>>(counter);
    } else {
        count_system<<<1, 32>>>(counter);
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return *counter != 32;
}
