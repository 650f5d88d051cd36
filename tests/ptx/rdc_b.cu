/* SPDX-License-Identifier: MIT */
#include <cstdio>

__device__ int shared_counter = 3;
__constant__ int table[4] = { 1, 2, 3, 4 };
extern __device__ int mine;
static __device__ int local = 2;

static __device__ __noinline__ int helper(int a)
{
    return a - local;
}

template <class T> __device__ __noinline__ T square(T a)
{
    return a * a;
}

__device__ float scale(float x)
{
    return x * mine + square(3) + helper(4);
}

__global__ void kernel_b(int *out)
{
    extern __shared__ float room[];

    out[0] = helper(mine) + square(out[1]) + room[0];
    printf("b\n");
}
