// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

__global__ void post(int *data, volatile int *flag)
{
    data[0] = 42;
    __threadfence_system();
    *flag = 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    volatile int *flag;
    int *data, seen;

    cudaMallocHost((void **)&data, sizeof(int));
    cudaMallocHost((void **)&flag, sizeof(int));
    data[0] = 0;
    *flag = 0;
    post<<<1, 1>>>(data, flag);
    /* Acquire: behind a plain or volatile load an Arm CPU may have read the data already. */
    while (fixed && !__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
    }
    seen = data[0]; /* <-- found here */
    cudaDeviceSynchronize();
    printf("%d\n", seen);
    return seen != 42;
}
