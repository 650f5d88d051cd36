// SPDX-License-Identifier: MIT
// 2000 kernels: how large is the timeline of a million?
#include <cuda_runtime.h>

__global__ void count(int *p)
{
    p[threadIdx.x]++;
}

int main()
{
    int *p;

    cudaMalloc((void **)&p, 4096);
    for (int i = 0; i < 2000; i++) {
        count<<<1, 32>>>(p);
    }
    cudaDeviceSynchronize();
    return 0;
}
