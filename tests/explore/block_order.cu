// SPDX-License-Identifier: MIT
// Block 0 prepares a value that the other blocks use without waiting: right by luck, where blocks run by number.
#include <stdio.h>

__global__ void use(int *flag, int *bad)
{
    if (blockIdx.x == 0) {
        atomicExch(flag, 1);
    } else if (atomicAdd(flag, 0) == 0) {
        atomicAdd(bad, 1);
    }
}

int main(void)
{
    int *p, got[2];

    cudaMalloc(&p, 8);
    cudaMemset(p, 0, 8);
    use<<<16, 1>>>(p, p + 1);
    cudaMemcpy(got, p, 8, cudaMemcpyDeviceToHost);
    printf("%s\n", got[1] ? "some blocks came too early" : "no block came too early");
    return got[1] != 0;
}
