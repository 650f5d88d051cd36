// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 2

__device__ volatile int flag;

__global__ void pass_on(int *data, bool fixed)
{
    if (blockIdx.x == 0) {
        data[0] = 42; /* <-- found here */
        if (fixed) {
            __threadfence();
        }
        flag = 1;
    } else {
        while (!flag) {
        }
        if (fixed) {
            __threadfence();
        }
        data[1] = data[0]; /* <-- found here */
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
    pass_on<<<2, 1>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (42);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
