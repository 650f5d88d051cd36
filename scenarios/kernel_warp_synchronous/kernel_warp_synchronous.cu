// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 32

__global__ void turn(int *data, bool fixed)
{
    __shared__ int tile[N];
    int i = threadIdx.x;

    tile[i] = data[i]; /* <-- found here */
    if (fixed) {
        __syncwarp();
    }
    data[i] = tile[i ^ 1]; /* <-- found here */
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
    turn<<<1, N>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (i ^ 1);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
