// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 128

__global__ void hand_over(int *data, bool fixed)
{
    __shared__ int tile[N / 2];
    int i = threadIdx.x;

    if (i < N / 2) {
        tile[i] = data[i]; /* <-- found here */
        if (fixed) {
            asm volatile("bar.sync 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
        }
    } else {
        if (fixed) {
            asm volatile("bar.sync 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 2, 64;" ::: "memory");
        }
        data[i] = tile[i - N / 2]; /* <-- found here */
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
    hand_over<<<1, N>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (i % (N / 2));
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
