// SPDX-License-Identifier: MIT
#include <cstdio>

#include "separate.h"

__device__ int offset = 1000;
__constant__ int step;

static __device__ int own = 2;
static __device__ __noinline__ int local(int x)
{
    return x * own;
}

__device__ int twice(int x)
{
    return sum_of(x, x);
}

static __global__ void fill_part(int *p)
{
    p[0] = sum_of(local(3), half(offset));
    printf("part: %d %d\n", own, offset);
}

void part_start(int value, int shared)
{
    cudaMemcpyToSymbol(own, &value, sizeof(value));
    cudaMemcpyToSymbol(step, &shared, sizeof(shared));
}

int part_run(int *p)
{
    fill_part<<<1, 1>>>(p);
    return cudaDeviceSynchronize() ? -1 : p[0]; // 3 * 7 + 500
}
