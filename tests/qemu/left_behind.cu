// SPDX-License-Identifier: MIT
// Leaves a board with work queued, an engine's bytes in the L2 and dirty lines of the CPU, and waits to be killed.
#include <cuda_runtime.h>
#include <stdio.h>
#include <unistd.h>

__global__ void fill(int *p, int n, int value)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        p[i] = value;
    }
}

int main()
{
    const int n = 1 << 20;
    int *managed, *pinned;

    if (cudaMallocManaged(&managed, n * sizeof(int)) != cudaSuccess ||
        cudaMallocHost((void **)&pinned, n * sizeof(int)) != cudaSuccess) {
        return 1;
    }
    fill<<<1, 256>>>(managed, n, 1);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) {
        managed[i] = pinned[i] = i;
    }
    fill<<<1, 256>>>(managed, n, 2); // queued, and nobody waits
    puts("left");
    fflush(stdout);
    for (;;) {
        pause();
    }
}
