// SPDX-License-Identifier: MIT
// Device code of two files: functions, variables and texts of the same name in both, which are one or are each file's own.
#include <cstdio>

#include "separate.h"

static __device__ int own = 1; // the other file has another
static __device__ __noinline__ int local(int x)
{
    return x + own;
}

__global__ void fill(int *p)
{
    int i = (int)threadIdx.x;

    p[i] = sum_of(twice(i), local(offset)) + step + half(6);
    if (i == 0) {
        printf("main: %d %d\n", own, offset);
    }
}

int main()
{
    int *p, value = 100, sum = 0;

    if (cudaMallocManaged(&p, 32 * sizeof(int)) || cudaMemcpyToSymbol(own, &value, sizeof(value))) {
        return 1;
    }
    part_start(7, 20);
    fill<<<1, 32>>>(p);
    cudaError_t err = cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++) {
        sum += p[i];
    }
    // 2 (0 + ... + 31) + 32 (1000 + 100 + 20 + 3)
    printf("%s %d, then %d\n", cudaGetErrorName(err), sum, part_run(p));
    return 0;
}
