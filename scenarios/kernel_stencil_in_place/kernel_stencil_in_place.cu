// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 512

__global__ void shift(int *data, bool fixed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = data[i + 1]; /* <-- found here */

    __syncthreads();
    data[fixed ? N / 2 + 8 + i : i] = next; /* <-- found here */
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data, host[N + 8], bad = 0;

    for (int i = 0; i < N + 8; i++) {
        host[i] = i;
    }
    cudaMalloc((void **)&data, sizeof(host));
    cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
    shift<<<2, N / 4>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (i < N / 2 ? (fixed ? i : i + 1) : fixed && i >= N / 2 + 8 ? i - N / 2 - 7 : i);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
