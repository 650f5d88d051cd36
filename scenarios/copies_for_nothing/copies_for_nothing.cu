// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define N 65536

__global__ void add_one(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *host, *device, seen;

    if (fixed) {
        cudaMallocManaged((void **)&host, N * sizeof(int));
        device = host;
    } else {
        host = (int *)malloc(N * sizeof(int));
        cudaMalloc((void **)&device, N * sizeof(int));
    }
    for (int i = 0; i < N; i++) {
        host[i] = i;
    }
    if (!fixed) {
        cudaMemcpy(device, host, N * sizeof(int), cudaMemcpyHostToDevice);
    }
    add_one<<<N / 256, 256>>>(device);
    if (!fixed) {
        cudaMemcpy(host, device, N * sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaDeviceSynchronize();
    seen = host[41];
    printf("%d\n", seen);
    return seen != 42;
}
