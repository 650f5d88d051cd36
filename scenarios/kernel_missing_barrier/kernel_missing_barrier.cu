// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 256

__global__ void reverse(int *data, bool fixed)
{
    __shared__ int tile[N];
    int i = threadIdx.x;

    tile[i] = data[i]; /* <-- found here */
    if (fixed) {
        __syncthreads();
    }
    data[i] = tile[N - 1 - i]; /* <-- found here */
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
    reverse<<<1, N>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (N - 1 - i);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
