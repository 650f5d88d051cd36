// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *counter, mine = 0;

    cudaMallocHost((void **)&counter, sizeof(int));
    *counter = 0;
    count<<<4, 64>>>(counter);
    if (fixed) {
        mine++;
    } else {
        __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST); /* <-- found here */
    }
    cudaDeviceSynchronize();
    mine += *counter;
    printf("%d of %d\n", mine, 4 * 64 + 1);
    return mine != 4 * 64 + 1;
}
