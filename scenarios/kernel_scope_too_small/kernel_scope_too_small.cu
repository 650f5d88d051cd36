// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 256

__global__ void count(int *data, bool fixed)
{
    int *word = &data[threadIdx.x];

    fixed ? atomicAdd(word, 1) : atomicAdd_block(word, 1); /* <-- found here */
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data, host[N], bad = 0;

    for (int i = 0; i < N; i++) {
        host[i] = i;
    }
    cudaMalloc((void **)&data, sizeof(host));
    cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
    count<<<4, N>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (i + 4);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
