/* SPDX-License-Identifier: MIT */
/* So many loads and stores of the CPU, by hand: 1000 and 1000 on managed memory, 1 and 10 on pinned memory. */
#include <cstdio>

__global__ void increment(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        p[i] += 1;
    }
}

int main()
{
    volatile int *managed, *pinned;
    int n = 1000;
    long sum = 0;

    if (cudaMallocManaged((void **)&managed, n * sizeof(int)) != cudaSuccess) {
        return 3;
    }
    for (int i = 0; i < n; i++) {
        managed[i] = i;
    }
    increment<<<4, 256>>>((int *)managed, n);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        return 4;
    }
    for (int i = 0; i < n; i++) {
        sum += managed[i];
    }
    if (cudaMallocHost((void **)&pinned, 4096) != cudaSuccess) {
        return 5;
    }
    for (int i = 0; i < 10; i++) {
        pinned[i] = i;
    }
    printf("%ld %d\n", sum, pinned[9]);
    return 7;
}
