// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 64

__global__ void swap_pairs(int *data, int fixed)
{
    __shared__ int half[N];
    int i = threadIdx.x;

    if (fixed) {
        half[i] = data[i];
        __syncthreads();
    } else if (i & 1) {
        half[i] = data[i];
        __syncthreads(); /* <-- found here */
    } else {
        half[i] = data[i] + 0;
        __syncthreads();
    }
    data[i] = half[i ^ 1];
}

int main(int argc, char **)
{
    int *data, host[N], bad = 0;

    for (int i = 0; i < N; i++) {
        host[i] = i;
    }
    cudaMalloc((void **)&data, sizeof(host));
    cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
    swap_pairs<<<1, N>>>(data, argc > 1);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (i ^ 1);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
