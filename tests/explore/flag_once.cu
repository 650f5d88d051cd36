/* SPDX-License-Identifier: MIT */
/* A kernel that has spun for long, and the flag is set just before the CPU waits for it. */
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void serve(volatile int *flags)
{
    while (!flags[0]) {
    }
    flags[1] = 42;
}

int main()
{
    volatile int *flags;

    cudaMallocHost((void **)&flags, 2 * sizeof(int));
    flags[0] = flags[1] = 0;
    serve<<<1, 1>>>(flags);
    flags[0] = 1;
    cudaDeviceSynchronize();
    printf("%d\n", flags[1]);
    return flags[1] == 42 ? 0 : 1;
}
