// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 32

__global__ void tally(int *data, bool fixed)
{
    __shared__ unsigned char count[N];
    int i = threadIdx.x, mine = fixed ? i : i & ~1;

    count[i] = 0;
    __syncthreads();
    count[mine] += i + 1; /* <-- found here */
    __syncthreads();
    data[i] = fixed ? count[i] - 1 : (count[i & ~1] > 0 ? i : -1);
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
    tally<<<1, N>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (i);
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
