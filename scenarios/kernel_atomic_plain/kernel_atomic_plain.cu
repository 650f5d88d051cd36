// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 64

__global__ void count(int *data, bool fixed)
{
    int i = threadIdx.x;

    atomicAdd(&data[i], 1); /* <-- found here */
    if (fixed ? atomicAdd(&data[i], 0) < 0 : data[i] < 0) { /* <-- found here */
        data[i] = 0;
    }
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
    count<<<2, N>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (i + 2);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
