// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 65536

__global__ void fill(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    long sum = 0;
    int *data;

    if (fixed) {
        cudaMallocManaged((void **)&data, N * sizeof(int));
    } else {
        cudaMallocHost((void **)&data, N * sizeof(int));
    }
    fill<<<N / 256, 256>>>(data);
    cudaDeviceSynchronize();
    for (int pass = 0; pass < 4; pass++) {
        for (int i = 0; i < N; i++) {
            sum += data[i];
        }
    }
    printf("%ld\n", sum);
    return sum != 4 * N;
}
