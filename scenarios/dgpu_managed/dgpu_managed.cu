// SPDX-License-Identifier: MIT
#include <cstdio>
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

    cudaSetDevice(1); // the integrated GPU
    if (fixed) {
        cudaMallocHost(&data, N * sizeof(int));
    } else {
        cudaMallocManaged(&data, N * sizeof(int));
    }
    data[3] = 4;
    cudaSetDevice(0); // the discrete one
    add_one<<<N / 256, 256>>>(data);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return data[3] != 5;
}
