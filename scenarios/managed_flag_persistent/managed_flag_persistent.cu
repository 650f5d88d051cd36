// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

__global__ void serve(volatile int *start, volatile int *answer)
{
    while (!*start) {
    }
    *answer = 42;
    __threadfence_system();
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    volatile int *flags;

    if (fixed) {
        cudaMallocHost((void **)&flags, 2 * sizeof(int));
    } else {
        cudaMallocManaged((void **)&flags, 2 * sizeof(int));
    }
    flags[0] = flags[1] = 0;
    serve<<<1, 1>>>(&flags[0], &flags[1]);
    flags[0] = 1; /* <-- found here */
    cudaDeviceSynchronize();
    printf("%d\n", flags[1]);
    return flags[1] != 42;
}
