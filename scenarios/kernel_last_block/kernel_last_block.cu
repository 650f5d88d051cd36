// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 8

__device__ unsigned done;

__global__ void sum_all(int *data, bool fixed)
{
    int sum = 0;

    data[blockIdx.x] += 1; /* <-- found here */
    __threadfence();
    if (atomicInc(&done, gridDim.x - 1) != gridDim.x - 1) {
        return;
    }
    if (fixed) {
        __threadfence();
    }
    for (int i = 0; i < N; i++) {
        sum += data[i]; /* <-- found here */
    }
    data[0] = sum - N;
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
    sum_all<<<N, 1>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (i ? i + 1 : N * (N - 1) / 2);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
