// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

// Block 0 adds the two slots: the first is there from the beginning, the second comes from block 1. Both lie in one
// line, which the first load brings into the L1 of block 0's SM.
__global__ void add(int *slot, volatile int *flag, int *sum, bool fixed)
{
    if (blockIdx.x == 1) {
        while (flag[0] == 0) {
        }
        slot[1] = 41;
        __threadfence();
        flag[1] = 1;
        return;
    }
    int first = slot[0];

    flag[0] = 1;
    while (flag[1] == 0) {
    }
    if (fixed)
        __threadfence();
    *sum = first + slot[1]; /* <-- found here */
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    const int one = 1;
    int *slot, *flag, *sum, result;

    cudaMalloc((void **)&slot, 256);
    cudaMalloc((void **)&flag, 256);
    cudaMalloc((void **)&sum, 256);
    cudaMemset(slot, 0, 256);
    cudaMemset(flag, 0, 256);
    cudaMemcpy(slot, &one, sizeof(one), cudaMemcpyHostToDevice);
    add<<<2, 1>>>(slot, flag, sum, fixed);
    cudaMemcpy(&result, sum, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%d of 42\n", result);
    cudaFree(sum);
    cudaFree(flag);
    cudaFree(slot);
    return result != 42;
}
