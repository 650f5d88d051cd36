/* SPDX-License-Identifier: MIT */
/* A kernel that computes and never ends, for those who end the program or the board under it. */
#include <cstdio>

__global__ void busy(volatile unsigned *p)
{
    for (unsigned x = 1; p[0] != 77; x = x * 5 + 1) {
        p[1] = x;
    }
}

int main()
{
    unsigned *p;

    if (cudaMalloc(&p, 64) != cudaSuccess || cudaMemset(p, 0, 64) != cudaSuccess) {
        return 3;
    }
    busy<<<1, 1>>>(p);
    puts("launched");
    fflush(stdout);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 4;
}
